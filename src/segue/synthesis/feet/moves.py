"""Moves of feet along the ground: planted parts make the wanted steps, and all else changes as little as possible.

A foot's move is a shift on x and z and a turn about the vertical in each frame. It is the smooth curve that solves ::

    minimise   sum over parts and frames of  w |step of the moved part - wanted step|^2
             + tau^2 sum over frames of      |acceleration of the move|^2

and is zero outside a window. ``w`` is how firmly a part is on the ground, ``tau`` a time constant in seconds: the lag
with which a foot may follow a wanted step. In the air (``w = 0``) the move is a cubic from plant to plant; where it has
to end before a plant does, the rest is spread over the plant evenly. One banded system of equations a foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats

FIRM = 0.002
"""Seconds: time constant of a foot that must keep its steps."""
_HOME = 0.2
"""Per second: strength with which a foot is drawn to its original place, so that moves do not add up over plants."""
_LEVER = 0.3
"""Metres: a turn counts as the shift of a point at this distance from the ankle."""


@dataclass(frozen=True, eq=False)
class FootSteps:
    """Steps of one foot, and their difference from the wanted steps.

    Parameters
    ----------
    levers
        (F, 2, 2) heel and toe relative to the ankle on x and z, metres.
    short
        (F, 2, 2) wanted minus actual steps from the previous frame, metres.
    firm
        (F, 2) how firmly heel and toe are on the ground over that step, 0 to 1, over the square of a frame's seconds.
    fps
        Frames a second.
    """

    levers: Floats
    short: Floats
    firm: Floats
    fps: float

    @staticmethod
    def of(parts: Floats, ankles: Floats, steps: Floats, weights: Floats, *, fps: float) -> FootSteps:
        """Build from places (F, 2, 2) of heel and toe, (F, 2) of the ankle, wanted steps (F, 2, 2), weights (F, 2)."""
        short = np.array(steps, order="C")
        short[1:] -= parts[1:] - parts[:-1]
        levers, firm = np.subtract(parts, ankles[:, None], order="C"), np.multiply(weights, fps**2, order="C")
        return FootSteps(levers, short, firm, fps)

    def moves(self, windows: Sequence[tuple[int, int]], tau: Floats | float = FIRM) -> tuple[Floats, Floats]:
        """Solve for shifts of the ankle (F, 2) and turns (F,).

        Parameters
        ----------
        windows
            Frame ranges, half open and disjoint, outside which nothing moves.
        tau
            Seconds, for each frame or for all.
        """
        from segue.synthesis.feet import _kernels

        moves = np.zeros((len(self.levers), 3))
        if len(windows):
            bend = np.square(np.full(len(moves), tau, dtype=np.float64)) * self.fps**4
            longest = 3 * max(stop - start for start, stop in windows)
            _kernels.move_feet(
                self.levers,
                self.short,
                self.firm,
                bend,
                _HOME**2,
                _LEVER,
                np.array(windows, dtype=np.int64),
                (np.empty(self.short.shape), np.empty(self.short.shape)),
                (np.empty((longest, 9)), np.empty(longest)),
                moves,
            )
        return moves[:, :2], moves[:, 2]
