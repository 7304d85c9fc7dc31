"""Render executed motions: each motion's own frames where it plays alone, the pairs' frames between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen, sealed
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip, Origin, merged_periods
from segue.motion.resample import origin_at
from segue.sequencing.blends import HalfSources
from segue.sequencing.timeline import PlacedMotion

_ON_TIME = 1e-9
"""Frames by which a row may differ from the one played at the motion's own rate."""


@dataclass(frozen=True, eq=False)
class RenderedMotion:
    """Frames of executed motions.

    Parameters
    ----------
    clip
        The motion; its origin gives the sources of the lower body.
    upper_origin
        Sources of the upper body.
    first_frame
        Frame of the clock at its first frame.
    """

    clip: Clip
    upper_origin: Origin
    first_frame: int


@dataclass(frozen=True, eq=False)
class SequencePiece:
    """Frames of the clock that show one motion alone, or that belong to a pair.

    Parameters
    ----------
    begin, end
        Frames of the clock, half open.
    motion
        The executed motion; for a pair, the following one.
    before
        The previous motion if the frames belong to a pair; None if they show one motion alone.
    """

    begin: int
    end: int
    motion: PlacedMotion
    before: PlacedMotion | None = None

    @property
    def rows(self) -> Ints:
        """Rows of the motion's clip; after its end the last pose is held."""
        return self.motion.motion.rows(np.arange(self.begin, self.end) - self.motion.start)

    @property
    def placed(self) -> PlanarMotion:
        """Ground motion that moves its frames to where they are shown."""
        return self.motion.placed if self.before is None else self.before.placed

    @property
    def frames(self) -> tuple[Quaternions, Positions]:
        """Rotations (n, J, 4) and root positions (n, 3) before they are placed on the ground."""
        if self.before is not None and self.motion.pair is not None:
            return self.motion.pair.frames.rotations, self.motion.pair.frames.roots
        rows = self.rows
        return self.motion.motion.rotations[rows], self.motion.motion.roots[rows]


def pieces(done: Sequence[PlacedMotion]) -> Iterator[SequencePiece]:
    """Yield the pieces of executed motions in order of time, from the start of the first to the end of the last."""
    for k, one in enumerate(done):
        begin = one.start
        if one.pair is not None:
            begin = one.begun + one.pair.n_frames
            yield SequencePiece(one.begun, begin, one, done[k - 1])
        yield SequencePiece(
            begin, one.start + one.motion.n_frames if k + 1 == len(done) else done[k + 1].begun, one
        )


def rendered(done: Sequence[PlacedMotion], *, name: str) -> RenderedMotion:
    """Render the frames of executed motions, from the first frame of the first to the last frame of the last."""
    first = done[0].start
    stop = done[-1].start + done[-1].motion.n_frames
    skeleton = done[0].motion.motion.clip.skeleton
    rotations = np.empty((stop - first, skeleton.n_joints, 4))
    roots = np.empty((stop - first, 3))
    names = tuple(dict.fromkeys(each for one in done for each in one.motion.motion.clip.origin.clips))
    lower, upper = _Sources(stop - first, names), _Sources(stop - first, names)
    for piece in pieces(done):
        at = slice(piece.begin - first, piece.end - first)
        _put(rotations, roots, at, *piece.frames, piece.placed)
        origin = piece.motion.motion.motion.clip.origin
        if piece.before is not None and piece.motion.pair is not None:
            both = piece.before.motion.motion.clip.origin, origin
            pair = piece.motion.pair
            for sources, half in ((lower, pair.frames.lower), (upper, pair.frames.upper)):
                sources.pair(at, half, *both, begin=pair.frames.begin, offset=pair.offset)
        else:
            rows = piece.rows
            lower.alone(at, rows, origin)
            upper.alone(at, rows, origin)
    periods = merged_periods(names, [one.motion.motion.clip.origin for one in done])
    source = done[0].motion.motion.clip.source
    clip = Clip(
        skeleton,
        sealed(rotations),
        sealed(roots),
        done[0].motion.motion.clip.fps,
        name=name,
        origin=lower.origin(periods),
        source=source,
    )
    return RenderedMotion(clip, upper.origin(periods), first)


def _put(
    rotations: Floats, roots: Floats, at: slice, turns: Floats, places: Floats, placed: PlanarMotion
) -> None:
    rotations[at], roots[at] = turns, places
    if placed != PlanarMotion():
        rotations[at, 0] = placed.rotate(turns[:, 0])
        roots[at] = placed.apply(places)


class _Sources:
    """Origin rows of a motion that is assembled from pieces."""

    def __init__(self, count: int, names: tuple[str, ...]) -> None:
        self.names = names
        self.clip: Ints = np.full((count, 2), -1, dtype=np.int64)
        self.frame, self.weight = np.zeros((count, 2)), np.zeros((count, 2))

    def _numbers(self, origin: Origin) -> Ints:
        return np.array([*(self.names.index(name) for name in origin.clips), -1])

    def alone(self, at: slice, rows: Ints, origin: Origin) -> None:
        """Set the origin of frames of one motion to its own."""
        self.clip[at] = self._numbers(origin)[origin.clip[rows]]
        self.frame[at], self.weight[at] = origin.frame[rows], origin.weight[rows]

    def pair(
        self, at: slice, half: HalfSources, first: Origin, second: Origin, *, begin: int, offset: int
    ) -> None:
        """Set the origin of frames blended from two motions; of each, the source with the larger weight.

        A stretched step belongs to the blend from where it is slowed down, where the other motion's weight is still 0.
        The first of the frames is ``begin`` of the previous clip; the following clip begins at ``offset``.
        """
        for column, (rows, origin, weight) in enumerate(
            ((half.first, first, 1.0 - half.weight), (half.second, second, half.weight))
        ):
            there = origin_at(origin, rows)
            which = np.argmax(there.weight, axis=1)
            every = np.arange(len(rows))
            self.clip[at, column] = self._numbers(origin)[there.clip[every, which]]
            self.frame[at, column] = there.frame[every, which]
            self.weight[at, column] = weight
        frames = begin + np.arange(len(half.first))
        weight = self.weight[at]
        alone = (weight[:, 0] >= 1.0) & (np.abs(half.first - frames) < _ON_TIME)
        alone |= (weight[:, 1] >= 1.0) & (np.abs(half.second + offset - frames) < _ON_TIME)
        rows = np.arange(at.start, at.stop)[alone]
        heavier = np.argmax(self.weight[rows], axis=1)
        self.clip[rows, 0], self.frame[rows, 0] = self.clip[rows, heavier], self.frame[rows, heavier]
        self.weight[rows, 0], self.clip[rows, 1] = 1.0, -1
        self.frame[rows, 1], self.weight[rows, 1] = 0.0, 0.0

    def origin(self, periods: tuple[float, ...]) -> Origin:
        """Return the assembled origin."""
        return Origin(
            self.names, frozen(self.clip, np.int64), frozen(self.frame), frozen(self.weight), periods
        )
