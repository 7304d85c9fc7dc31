"""Moves of feet along the ground: planted parts step as they should, and everything else changes as little as it can.

A foot's move has a shift on x and z and a turn about the vertical, frame by frame. The move of a foot is the smooth curve

    minimise   sum over parts and frames of  w |step of the moved part - wanted step|^2
             + tau^2 sum over frames of      |acceleration of the move|^2

that is zero outside a window. ``w`` is how firmly a part is on the ground, ``tau`` a time constant in seconds: within it a
foot may be late in following a wanted step. In the air (``w = 0``) the move is a cubic from plant to plant; where it has to
be gone before a plant ends, the rest is spread over the plant evenly. One banded system of equations a foot.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Floats

FIRM = 0.002
"""Seconds: time constant of a foot that is to keep its steps."""
_HOME = 0.2
"""A second: how strongly a foot is drawn to where it was, so that moves do not add up from plant to plant."""
_LEVER = 0.1
"""Metres: a turn counts as the shift of a point so far from the ankle."""
_ROUNDS = 3
_SMALL = 0.02  # radians: a smaller turn is linear


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
    n = len(parts)
    shift, turn = np.zeros((n, 2)), np.zeros(n)
    times = np.broadcast_to(np.asarray(tau, dtype=np.float64), (n,))
    for start, stop in windows:
        rows = slice(max(start - 1, 0), min(stop + 1, n))
        low, high = start - rows.start, stop - rows.start
        found = _window(
            parts[rows], ankles[rows], steps[rows], weights[rows], times[rows], low, high, fps
        )
        shift[start:stop], turn[start:stop] = found[:, :2], found[:, 2]
    return shift, turn


def _window(
    parts: Floats,
    ankles: Floats,
    steps: Floats,
    weights: Floats,
    times: Floats,
    low: int,
    high: int,
    fps: float,
) -> Floats:
    """Moves (high - low, 3) of one window; rows before and behind it, where there are any, stay."""
    from scipy.linalg import solveh_banded

    count = high - low
    levers = parts - ankles[:, None]
    firm = weights[1:] * fps**2  # (m-1, 2) of the step from row to row
    wanted = steps[1:] - (parts[1:] - parts[:-1])
    bend = times**2 * fps**4
    turns = np.zeros(len(parts))
    moves = np.zeros((count, 3))
    for _ in range(_ROUNDS):
        # A turn t carries a lever (x, z) by (sin t z - (1 - cos t) x, ...): linear about the turns found so far.
        s, c = np.sin(turns), np.cos(turns)
        x, z = levers[..., 0], levers[..., 1]
        slope = np.stack([c[:, None] * z - s[:, None] * x, -c[:, None] * x - s[:, None] * z], -1) / _LEVER
        carried = np.stack(
            [s[:, None] * z - (1 - c[:, None]) * x, -s[:, None] * x - (1 - c[:, None]) * z], -1
        )
        rest = carried - slope * (turns[:, None, None] * _LEVER)
        residual = wanted - (rest[1:] - rest[:-1])
        matrix, right = _equations(slope, firm, residual, bend, low, high)
        moves = solveh_banded(matrix, right, check_finite=False).reshape(count, 3)
        before = turns.copy()
        turns[low:high] = moves[:, 2] / _LEVER
        if np.abs(turns - before).max(initial=0.0) < _SMALL:
            break
    moves = moves.copy()
    moves[:, 2] /= _LEVER
    return moves


def _equations(
    slope: Floats, firm: Floats, residual: Floats, bend: Floats, low: int, high: int
) -> tuple[Floats, Floats]:
    """Upper bands (9, 3 n) and right sides (3 n,) of the normal equations of one window."""
    m = len(slope)
    blocks = np.zeros((m, 3, 3))
    beside = np.zeros((m - 1, 3, 3))
    right = np.zeros((m, 3))
    for k in (0, 1):
        jac = np.zeros((m, 2, 3))
        jac[:, 0, 0] = jac[:, 1, 1] = 1.0
        jac[:, :, 2] = slope[:, k]
        w = firm[:, k, None, None]
        first, second = jac[:-1], jac[1:]
        blocks[1:] += w * (second.transpose(0, 2, 1) @ second)
        blocks[:-1] += w * (first.transpose(0, 2, 1) @ first)
        beside -= w * (first.transpose(0, 2, 1) @ second)
        e = residual[:, k, :, None] * w
        right[1:] += (second.transpose(0, 2, 1) @ e)[..., 0]
        right[:-1] -= (first.transpose(0, 2, 1) @ e)[..., 0]
    blocks, beside, right = blocks[low:high], beside[low : high - 1], right[low:high]
    n = high - low
    # Second differences that touch the window, zero outside it; each weighted by its middle frame's. A motion's own ends
    # are free.
    at = np.clip(np.arange(low - 1, high + 1), 0, m - 1)
    b = bend[at]
    if low == 0:
        b[:2] = 0.0
    if high == m:
        b[-2:] = 0.0
    main = b[:-2] + 4.0 * b[1:-1] + b[2:] + _HOME**2
    one = -2.0 * (b[1:-2] + b[2:-1])
    two = b[2:-2]
    bands = np.zeros((9, 3 * n))
    for i in range(3):
        bands[8, i::3] = blocks[:, i, i] + main
        for j in range(i + 1, 3):
            bands[8 - (j - i), j::3] = blocks[:, i, j]
        for j in range(3):
            gap = 3 + j - i
            bands[8 - gap, 3 + j :: 3][: n - 1] += beside[:, i, j]
        bands[5, 3 + i :: 3] += one
        bands[2, 6 + i :: 3] += two
    return bands, right.ravel()
