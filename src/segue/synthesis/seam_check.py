"""What the blended frames of a transition would measure, before it is let into a graph.

Every candidate is synthesised with two frames of either motion around it and held against the bounds of
`segue.measures.seams`; the motions' own peaks are found once per clip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints
from segue.blending.methods import Blend
from segue.maths.planar import PlanarMotion
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

_MARGIN = 2  # frames of either motion around the blend, for accelerations at its ends


@dataclass(frozen=True, eq=False)
class JoinArrays:
    """Many joins as columns: see `segue.synthesis.assemble.Join`; ``alignment`` (P, 3) is turn, x, z."""

    a_clip: Ints
    a_start: Ints
    b_clip: Ints
    b_start: Ints
    alignment: Floats
    length: int

    def join(self, k: int) -> Join:
        """One of them."""
        return Join(
            int(self.a_clip[k]),
            int(self.a_start[k]),
            int(self.b_clip[k]),
            int(self.b_start[k]),
            self.length,
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
        )

    def __len__(self) -> int:
        return len(self.a_clip)

    def fit(self, clips: Sequence[Clip]) -> np.ndarray:
        """Flags (P,): the blend and two frames around it lie inside both clips."""
        frames = np.array([clip.n_frames for clip in clips])
        return (
            (self.a_start >= _MARGIN)
            & (self.b_start >= 0)
            & (self.a_start + self.length <= frames[self.a_clip])
            & (self.b_start + self.length + _MARGIN <= frames[self.b_clip])
        )


def seam_badness(clips: Sequence[Clip], joins: JoinArrays, *, blend: Blend, bounds: SeamBounds) -> Floats:
    """Worst joint's share (P,) of what the bounds allow for each join; up to 1 passes.

    Joins must `fit`. Equal to `segue.measures.seams.Seam.badness` of the spliced motion.
    """
    peaks = [source_peaks(clip) for clip in clips]
    fps = clips[0].fps
    middle = max(joins.length // 2 - 1, 0)
    out = np.empty(len(joins))
    for k in range(len(joins)):
        join = joins.join(k)
        rotations, roots = _around(clips, join, blend)
        positions = forward(clips[0].skeleton, rotations, roots).positions
        speed = angular_speeds(rotations[1:-1], fps).max(axis=0)
        acceleration = accelerations(positions, fps).max(axis=0)
        before = -1 if join.length == 0 else middle
        a_row, b_row = join.a_start + before, join.b_start + max(before, 0)
        limits = [np.maximum(peaks[join.a_clip][c][a_row], peaks[join.b_clip][c][b_row]) for c in (0, 1)]
        share = speed / (bounds.speed_factor * limits[0] + bounds.speed_extra)
        ratio = acceleration_ratios(acceleration, limits[1]) / bounds.acceleration_factor
        out[k] = max(share.max(), ratio.max())
    return out


def _around(clips: Sequence[Clip], join: Join, blend: Blend) -> tuple[np.ndarray, np.ndarray]:
    """Frames of the blend and two of either motion around it."""
    clip = assemble(
        [clips[join.a_clip], clips[join.b_clip]],
        Plan(0, join.a_start - _MARGIN, (_renumbered(join),), join.arrival + _MARGIN),
        root=blend.root,
    )
    return clip.rotations, clip.root_positions


def _renumbered(join: Join) -> Join:
    return Join(0, join.a_start, 1, join.b_start, join.length, join.alignment)
