"""What the blended frames of a transition would measure, before it is let into a graph.

Every candidate is synthesised with two frames of either motion around it and held against the bounds of
`segue.measures.seams`; the motions' own peaks are found once per clip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from segue.arrays import Floats, Ints
from segue.blending.crossfade import crossfade
from segue.blending.methods import Blend
from segue.maths.easing import ease_out
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import from_yaw, multiply
from segue.measures.seams import (
    SeamBounds,
    acceleration_ratios,
    accelerations,
    angular_speeds,
    source_peaks,
)
from segue.motion.clip import Clip
from segue.motion.kinematics import forward
from segue.synthesis.assemble import Join, Plan, assemble

_CHUNK = 64  # joins made at once: large enough for numpy, small enough for the cache
_MARGIN = 2  # frames of either motion around the blend, for accelerations at its ends


@dataclass(frozen=True, eq=False)
class JoinArrays:
    """Many joins as columns: see `segue.synthesis.assemble.Join`; ``alignment`` (P, 3) is turn, x, z.

    ``length`` is that of every blend, or of the longest where each has its own in ``lengths`` (P,).
    """

    a_clip: Ints
    a_start: Ints
    b_clip: Ints
    b_start: Ints
    alignment: Floats
    length: int
    lengths: Ints | None = None

    @cached_property
    def each(self) -> Ints:
        """(P,) frames of each blend."""
        return np.full(len(self), self.length, dtype=np.int64) if self.lengths is None else self.lengths

    def join(self, k: int) -> Join:
        """One of them."""
        return Join(
            int(self.a_clip[k]),
            int(self.a_start[k]),
            int(self.b_clip[k]),
            int(self.b_start[k]),
            int(self.each[k]),
            PlanarMotion(*(float(v) for v in self.alignment[k])),
        )

    def take(self, rows: Ints | np.ndarray) -> JoinArrays:
        """Chosen joins."""
        return JoinArrays(
            self.a_clip[rows],
            self.a_start[rows],
            self.b_clip[rows],
            self.b_start[rows],
            self.alignment[rows],
            self.length,
            None if self.lengths is None else self.lengths[rows],
        )

    def alike(self) -> list[tuple[Ints, JoinArrays]]:
        """Rows of each length, and their joins."""
        if self.lengths is None:
            return [(np.arange(len(self)), self)]
        return [
            (rows, replace(self.take(rows), length=int(length), lengths=None))
            for length in np.unique(self.lengths)
            for rows in (np.flatnonzero(self.lengths == length),)
        ]

    def __len__(self) -> int:
        return len(self.a_clip)

    def fit(self, clips: Sequence[Clip]) -> np.ndarray:
        """Flags (P,): the blend and two frames around it lie inside both clips."""
        frames = np.array([clip.n_frames for clip in clips])
        return (
            (self.a_start >= _MARGIN)
            & (self.b_start >= 0)
            & (self.a_start + self.each <= frames[self.a_clip])
            & (self.b_start + self.each + _MARGIN <= frames[self.b_clip])
        )


def seam_badness(
    clips: Sequence[Clip],
    joins: JoinArrays,
    *,
    blend: Blend,
    bounds: SeamBounds,
    progress: Callable[[str, int, int], None] | None = None,
    found: Callable[[Ints, Floats], None] | None = None,
) -> Floats:
    """Worst joint's share (P,) of what the bounds allow for each join; up to 1 passes.

    Joins must `fit`. Equal to `segue.measures.seams.Seam.badness` of the spliced motion. ``found`` is called with rows
    and their shares as soon as they are known.
    """
    block = _Block(clips)
    out = np.empty(len(joins))
    done = 0
    for rows, alike in joins.alike():
        for start in range(0, len(rows), _CHUNK):
            if progress is not None:
                progress("checking seams", done, len(joins))
            part = slice(start, start + _CHUNK)
            some = rows[part]
            out[some] = block.badness(alike.take(np.arange(len(rows))[part]), blend, bounds)
            done += len(some)
            if found is not None:
                found(some, out[some])
    if progress is not None:
        progress("checking seams", len(joins), len(joins))
    return out


class _Block:
    """Frames of all clips in one block, with each frame's peaks, so that many joins are made at once."""

    def __init__(self, clips: Sequence[Clip]) -> None:
        self.clips = clips
        self.starts = np.concatenate([[0], np.cumsum([clip.n_frames for clip in clips])])
        self.rotations = np.concatenate([clip.rotations for clip in clips])
        self.roots = np.concatenate([clip.root_positions for clip in clips])
        peaks = [source_peaks(clip) for clip in clips]
        self.peaks = [np.concatenate([peak[kind] for peak in peaks]) for kind in (0, 1)]

    def badness(self, joins: JoinArrays, blend: Blend, bounds: SeamBounds) -> Floats:
        """Worst share (P,) of a few joins."""
        fps = self.clips[0].fps
        rotations, roots = self._around(joins, blend)
        count, frames, n_joints = rotations.shape[:3]
        flat = forward(
            self.clips[0].skeleton, rotations.reshape(-1, n_joints, 4), roots.reshape(-1, 3)
        ).positions
        speed = angular_speeds(rotations[:, 1:-1], fps).max(axis=1)
        acceleration = accelerations(flat.reshape(count, frames, n_joints, 3), fps).max(axis=1)
        before = -1 if joins.length == 0 else max(joins.length // 2 - 1, 0)
        a_rows = self.starts[joins.a_clip] + joins.a_start + before
        b_rows = self.starts[joins.b_clip] + joins.b_start + max(before, 0)
        limits = [np.maximum(peak[a_rows], peak[b_rows]) for peak in self.peaks]
        share = speed / (bounds.speed_factor * limits[0] + bounds.speed_extra)
        ratio = acceleration_ratios(acceleration, limits[1]) / bounds.acceleration_factor
        out: Floats = np.maximum(share.max(axis=1), ratio.max(axis=1))
        return out

    def _around(self, joins: JoinArrays, blend: Blend) -> tuple[Floats, Floats]:
        """Frames of each blend and two of either motion around it: (P, n + 4, J, 4) and (P, n + 4, 3)."""
        if blend.root != "position" or blend.way != "crossfade":
            made = [_assembled(self.clips, joins.join(k), blend) for k in range(len(joins))]
            return np.stack([clip.rotations for clip in made]), np.stack(
                [clip.root_positions for clip in made]
            )
        n = joins.length
        a = self._rows(joins.a_clip, joins.a_start - _MARGIN, n + _MARGIN)
        b = self._rows(joins.b_clip, joins.b_start, n + _MARGIN)
        turn, x, z = joins.alignment[:, 0, None], joins.alignment[:, 1, None], joins.alignment[:, 2, None]
        b[0][:, :, 0] = multiply(from_yaw(turn), b[0][:, :, 0])
        c, s = np.cos(turn), np.sin(turn)
        bx, bz = b[1][..., 0].copy(), b[1][..., 2].copy()
        b[1][..., 0], b[1][..., 2] = c * bx + s * bz + x, -s * bx + c * bz + z
        middle = crossfade(
            (a[0][:, _MARGIN:], a[1][:, _MARGIN:]), (b[0][:, :n], b[1][:, :n]), weights=ease_out(n)
        )
        return (
            np.concatenate([a[0][:, :_MARGIN], middle[0], b[0][:, n:]], axis=1),
            np.concatenate([a[1][:, :_MARGIN], middle[1], b[1][:, n:]], axis=1),
        )

    def _rows(self, clip: Ints, start: Ints, count: int) -> tuple[Floats, Floats]:
        rows = (self.starts[clip] + start)[:, None] + np.arange(count)
        return self.rotations[rows], self.roots[rows]


def _assembled(clips: Sequence[Clip], join: Join, blend: Blend) -> Clip:
    """One blend and two frames of either motion around it."""
    alone = Join(0, join.a_start, 1, join.b_start, join.length, join.alignment)
    return assemble(
        [clips[join.a_clip], clips[join.b_clip]],
        Plan(0, join.a_start - _MARGIN, (alone,), join.arrival + _MARGIN),
        root=blend.root,
        way=blend.way,
    )
