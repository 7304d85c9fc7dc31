"""Treat feet at the seams of many short stretches in one motion: a stretch whose feet are settled is not made again."""

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
"""Share of unsettled stretches at or below which the settled ones are removed from the motion (decision 196)."""

OverOf: TypeAlias = Callable[[Ints], Callable[[Quaternions, Positions], Bools]]
"""For stretches (K,): flags (K, J) of joints beyond their limit in frames (K, n, J, 4) and (K, n, 3)."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """P stretches of motion with equal frame counts and one seam each.

    Parameters
    ----------
    like
        A clip on their skeleton at their rate.
    rotations, roots
        (P, n, J, 4) and (P, n, 3).
    steps, firm
        (P, n, 4, 2) and (P, n, 4): `segue.synthesis.feet.steps.source_steps`.
    blend
        First blended frame of each stretch, and number of blended frames.
    gap
        Frames for which the last frame of each stretch is repeated before the next begins.
    """

    like: Clip
    rotations: Quaternions
    roots: Positions
    steps: Floats
    firm: Floats
    blend: tuple[int, int]
    gap: int

    def take(self, rows: Ints) -> Stretches:
        """Return chosen stretches."""
        return replace(
            self,
            rotations=self.rotations[rows],
            roots=self.roots[rows],
            steps=self.steps[rows],
            firm=self.firm[rows],
        )

    def moves(self, keep: PlantMotion) -> SeamMoves:
        """Return the feet at the seams of all stretches, concatenated into one motion."""
        rotations, roots = (self._padded(part, part[:, -1:]) for part in (self.rotations, self.roots))
        origin = Origin.of("", len(roots))
        motion = self.like.with_motion(sealed(rotations), sealed(roots), origin=origin)
        first, count = self.blend
        starts = range(first, len(roots), self.rotations.shape[1] + self.gap)
        ranges = [(start, start + count) for start in starts]
        return SeamMoves(motion, self._padded(self.steps), self._padded(self.firm), ranges, keep)

    def frames_of(self, motion: Clip) -> tuple[Quaternions, Positions]:
        """Return frames (P, n, J, 4) and (P, n, 3) of the concatenated stretches."""
        count, frames = self.roots.shape[:2]
        each = (
            part.reshape(count, frames + self.gap, *part.shape[1:])[:, :frames]
            for part in (motion.rotations, motion.root_positions)
        )
        rotations, roots = each
        return rotations, roots

    def _padded(self, part: Any, rest: Any = 0) -> Any:
        """Stretches (P, n, ...) concatenated, with ``gap`` frames after each."""
        count, frames = part.shape[:2]
        out = np.empty((count * (frames + self.gap), *part.shape[2:]), dtype=part.dtype)
        each = out.reshape(count, frames + self.gap, *part.shape[2:])
        each[:, :frames], each[:, frames:] = part, rest
        return out


def settle_stretches(stretches: Stretches, over: OverOf, keep: PlantMotion) -> tuple[Quaternions, Positions]:
    """Return frames (P, n, J, 4) and (P, n, 3) with feet treated as in `segue.synthesis.feet.seams`."""
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
