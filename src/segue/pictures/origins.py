"""A clip's origin as spans to draw: the pieces it plays and the seams between them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip


@dataclass(frozen=True)
class SeamFrames:
    """Seam ``number`` (from 1): frames ``start`` to ``stop`` blend (half open; equal for a cut) around ``frame``."""

    number: int
    frame: int
    start: int
    stop: int


@dataclass(frozen=True)
class PlayedPiece:
    """Frames ``start`` to ``stop`` (half open) that mostly play one source clip, from source frame to source frame."""

    start: int
    stop: int
    name: str
    first: float
    last: float


def blended(clip: Clip) -> Bools:
    """Return flags (F,) of frames that blend two sources."""
    origin = clip.origin
    out: Bools = (origin.clip[:, 1] >= 0) & (origin.weight[:, 1] > 0)
    return out


def heavier(clip: Clip) -> Ints:
    """Return the source (F,) with the larger weight in each frame: 0 or 1."""
    origin = clip.origin
    return np.where((origin.clip[:, 1] >= 0) & (origin.weight[:, 1] > origin.weight[:, 0]), 1, 0)


def main_source(clip: Clip) -> tuple[Ints, Floats]:
    """Return clip index (F,) and source frame (F,) of the source with the larger weight in each frame."""
    rows, slot = np.arange(clip.n_frames), heavier(clip)
    return clip.origin.clip[rows, slot], clip.origin.frame[rows, slot]


def joins(clip: Clip) -> tuple[SeamFrames, ...]:
    """Return the seams of a made motion in order, as counted by `segue.measures`."""
    ranges = enumerate(seam_ranges(clip.origin), start=1)
    return tuple(SeamFrames(number, (start + stop) // 2, start, stop) for number, (start, stop) in ranges)


def pieces(clip: Clip) -> tuple[PlayedPiece, ...]:
    """Return the stretches between the middles of the seams, in order."""
    source, frame = main_source(clip)
    edges = sorted({0, clip.n_frames, *(join.frame for join in joins(clip))})
    return tuple(
        PlayedPiece(a, b, clip.origin.clips[source[(a + b) // 2]], float(frame[a]), float(frame[b - 1]))
        for a, b in pairwise(edges)
    )
