"""Feet at the seams of many short stretches of motion, in a row: a stretch whose feet are settled is not made again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions, sealed
from segue.motion.clip import Clip, Origin
from segue.synthesis.feet.seam_moves import SeamMoves
from segue.synthesis.feet.seams import Treatment
from segue.synthesis.feet.steps import PlantMotion

_FEWER = 0.8
"""Share of the stretches that are still to settle at or below which the settled ones are left out (decision 196)."""

OverOf: TypeAlias = Callable[[Ints], Callable[[Quaternions, Positions], Bools]]
"""For some stretches (K,): which joints (K, J) of their frames (K, n, J, 4) and (K, n, 3) show more than they may."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """P stretches of motion of as many frames, with a seam in each.

    Parameters
    ----------
    like
        A clip on their skeleton at their rate.
    rotations, roots
        (P, n, J, 4) and (P, n, 3).
    steps, firm
        (P, n, 4, 2) and (P, n, 4): `segue.synthesis.feet.steps.source_steps`.
    blend
        First blended frame of each, and how many are blended.
    gap
        Frames for which the last one of each waits until the next stretch begins.
    """

    like: Clip
    rotations: Quaternions
    roots: Positions
    steps: Floats
    firm: Floats
    blend: tuple[int, int]
    gap: int

    def take(self, rows: Ints) -> Stretches:
        """Chosen ones."""
        return replace(
            self,
            rotations=self.rotations[rows],
            roots=self.roots[rows],
            steps=self.steps[rows],
            firm=self.firm[rows],
        )

    def moves(self, keep: PlantMotion) -> SeamMoves:
        """Feet at the seams of all stretches in a row."""
        rotations, roots = (self._padded(part, part[:, -1:]) for part in (self.rotations, self.roots))
        origin = Origin.of("", len(roots))
        motion = self.like.with_motion(sealed(rotations), sealed(roots), origin=origin)
        first, count = self.blend
        starts = range(first, len(roots), self.rotations.shape[1] + self.gap)
        ranges = [(start, start + count) for start in starts]
        return SeamMoves(motion, self._padded(self.steps), self._padded(self.firm), ranges, keep)

    def frames_of(self, motion: Clip) -> tuple[Quaternions, Positions]:
        """Frames (P, n, J, 4) and (P, n, 3) of the stretches in a row."""
        count, frames = self.roots.shape[:2]
        each = (
            part.reshape(count, frames + self.gap, *part.shape[1:])[:, :frames]
            for part in (motion.rotations, motion.root_positions)
        )
        rotations, roots = each
        return rotations, roots

    def _padded(self, part: Any, rest: Any = 0) -> Any:
        """Stretches (P, n, ...) with frames behind each, in a row."""
        count, frames = part.shape[:2]
        out = np.empty((count * (frames + self.gap), *part.shape[2:]), dtype=part.dtype)
        each = out.reshape(count, frames + self.gap, *part.shape[2:])
        each[:, :frames], each[:, frames:] = part, rest
        return out


def settle_stretches(stretches: Stretches, over: OverOf, keep: PlantMotion) -> tuple[Quaternions, Positions]:
    """Frames (P, n, J, 4) and (P, n, 3) with feet treated as well as can be; see `segue.synthesis.feet.seams`."""
    rotations, roots = np.array(stretches.rotations), np.array(stretches.roots)
    rows, treatment = np.arange(len(roots)), None
    while rows.size:
        part, shows = stretches.take(rows), over(rows)
        work = part.moves(keep)
        treatment = Treatment.begun(work) if treatment is None else treatment

        def shown(made: Clip, part: Stretches = part, shows: Any = shows) -> Bools:
            flags: Bools = shows(*part.frames_of(made))
            return flags

        while True:
            made, blamed = treatment.softened(work, shown)
            busy = np.asarray(blamed.any(axis=1))
            if np.count_nonzero(busy) <= _FEWER * len(rows):
                break
        for whole, frames in zip((rotations, roots), part.frames_of(made), strict=True):
            whole[rows[~busy]] = frames[~busy]
        rows, treatment = rows[busy], treatment.take(busy)
    return rotations, roots
