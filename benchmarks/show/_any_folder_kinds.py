"""Walks, runs and jumps detected in clips, and how much of each a motion plays.

In flight both feet are off the ground: all four heels and toes are more than 3 cm above where each rests (the 5th
percentile of its heights), for 0.05 s or longer. Standing is the median height of the root in frames that are not
in flight. A jump is a flight in which the root rises more than 12 cm above standing. A frame is of a run where the
root moves at more than 2 m/s over the second about it and that second contains a flight that is not a jump; of a
walk where it moves at 0.6 to 2 m/s and that second contains no flight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from _any_folder_measures import heavier

from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world

CLEAR = 0.03
SHORTEST = 0.05
RISES = 0.12
WALK = (0.6, 2.0)


@dataclass(frozen=True, eq=False)
class Kinds:
    """Flags (F,) of a clip: walking, running, and the highest frames of jumps."""

    walk: np.ndarray
    run: np.ndarray
    jump: np.ndarray
    fps: float

    @property
    def words(self) -> set[str]:
        """Kinds that last at least a quarter of a second in the clip; a single jump is enough."""
        least = {"walk": self.walk.sum() >= 0.25 * self.fps, "run": self.run.sum() >= 0.25 * self.fps}
        return {name for name, there in {**least, "jump": self.jump.any()}.items() if there}


def kinds(clip: Clip) -> Kinds:
    """Detect walking, running and jumps."""
    height = foot_positions(clip.skeleton, world(clip))[:, :, 1]
    flying = (height > np.percentile(height, 5, axis=0) + CLEAR).all(axis=1)
    flights = [(a, b) for a, b in _runs(flying) if b - a >= SHORTEST * clip.fps]
    flight = np.zeros(clip.n_frames, dtype=bool)
    for a, b in flights:
        flight[a:b] = True
    root = clip.root_positions[:, 1]
    standing = float(np.median(root[~flight])) if (~flight).any() else float(np.median(root))
    jump, hop = np.zeros(clip.n_frames, dtype=bool), np.zeros(clip.n_frames, dtype=bool)
    for a, b in flights:
        top = a + int(np.argmax(root[a:b]))
        if root[top] > standing + RISES:
            jump[top] = True
        else:
            hop[a:b] = True
    speed, near_hop, near_flight = _speeds(clip), _within(hop, clip.fps), _within(flight, clip.fps)
    run = (speed > WALK[1]) & near_hop
    walk = (speed >= WALK[0]) & (speed <= WALK[1]) & ~near_flight
    return Kinds(walk, run, jump, clip.fps)


def played_kinds(motion: Clip, sources: Sequence[Clip]) -> dict[str, float]:
    """Return seconds of walking and running, and the number of jumps' highest frames, that a motion plays."""
    clip, frame = heavier(motion)
    out = {"walk": 0.0, "run": 0.0, "jump": 0.0}
    for source in sources:
        for name in source.origin.clips:
            if name not in motion.origin.clips:
                continue
            mine = np.flatnonzero(clip == motion.origin.clips.index(name))
            if not mine.size:
                continue
            known = source.origin.frame[:, 0]
            rows = np.searchsorted(known, frame[mine] - 1e-6).clip(0, source.n_frames - 1)
            found = kinds(source)
            out["walk"] += float(found.walk[rows].sum() / motion.fps)
            out["run"] += float(found.run[rows].sum() / motion.fps)
            out["jump"] += float(found.jump[rows].sum())
    return out


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _speeds(clip: Clip) -> np.ndarray:
    """Ground speed (F,) in m/s over the second about each frame; shorter windows at the ends."""
    half = round(0.5 * clip.fps)
    moves = np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1)
    path = np.concatenate([[0.0], np.cumsum(moves)])
    rows = np.arange(clip.n_frames)
    low, high = np.maximum(rows - half, 0), np.minimum(rows + half, clip.n_frames - 1)
    out: np.ndarray = (path[high] - path[low]) / np.maximum(high - low, 1) * clip.fps
    return out


def _within(flags: np.ndarray, fps: float) -> np.ndarray:
    """Flags (F,) that are set anywhere within half a second."""
    half = round(0.5 * fps)
    near = np.convolve(flags.astype(int), np.ones(2 * half + 1, dtype=int))
    out: np.ndarray = near[half : half + len(flags)] > 0
    return out
