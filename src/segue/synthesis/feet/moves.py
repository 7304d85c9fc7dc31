"""Moves of feet along the ground: planted parts step as they should, and everything else changes as little as it can.

A foot's move has a shift on x and z and a turn about the vertical, frame by frame. The move of a foot is the smooth
curve ::

    minimise   sum over parts and frames of  w |step of the moved part - wanted step|^2
             + tau^2 sum over frames of      |acceleration of the move|^2

that is zero outside a window. ``w`` is how firmly a part is on the ground, ``tau`` a time constant in seconds:
within it a foot may be late in following a wanted step. In the air (``w = 0``) the move is a cubic from plant to
plant; where it has to be gone before a plant ends, the rest is spread over the plant evenly. One banded system of
equations a foot.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Floats

FIRM = 0.002
"""Seconds: time constant of a foot that is to keep its steps."""
_HOME = 0.2
"""A second: how strongly a foot is drawn to where it was, so that moves do not add up from plant to plant."""
_LEVER = 0.3
"""Metres: a turn counts as the shift of a point so far from the ankle."""


def foot_moves(
    parts: Floats,
    ankles: Floats,
    steps: Floats,
    weights: Floats,
    *,
    windows: Sequence[tuple[int, int]],
    fps: float,
    tau: Floats | float = FIRM,
) -> tuple[Floats, Floats]:
    """Shifts of the ankle (F, 2) and turns (F,) of one foot.

    Parameters
    ----------
    parts
        (F, 2, 2) ground places of heel and toe on x and z, metres.
    ankles
        (F, 2) ground places of the ankle.
    steps
        (F, 2, 2) steps wanted of heel and toe from the frame before, metres.
    weights
        (F, 2) how firmly heel and toe are on the ground over that step, 0 to 1.
    windows
        Frame ranges, half open and apart from one another, outside which nothing moves.
    fps
        Frames a second.
    tau
        Seconds, for each frame or for all.
    """
    from segue.synthesis.feet import _kernels

    moves = np.zeros((len(parts), 3))
    if len(windows):
        short = steps - np.diff(parts, axis=0, prepend=parts[:1])
        bend = np.broadcast_to(np.square(np.asarray(tau, dtype=np.float64)) * fps**4, (len(parts),))
        _kernels.move_feet(
            parts - ankles[:, None],
            short,
            weights * fps**2,
            np.ascontiguousarray(bend),
            _HOME**2,
            _LEVER,
            np.array(windows, dtype=np.int64).reshape(-1, 2),
            moves,
        )
    return moves[:, :2], moves[:, 2]
