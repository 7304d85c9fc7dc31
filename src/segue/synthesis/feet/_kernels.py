"""Compiled moves of feet: the equations of `segue.synthesis.feet.moves`, assembled and solved window by window."""

import math

import numpy as np

from segue.accel.compiler import kernel
from segue.accel.formulas import cos, do_if, formula, maximum, sin, sqrt, sum_range
from segue.arrays import Floats, Ints

Terms = tuple[tuple[int, float], ...]

_ROUNDS, _SETTLED = 12, 0.002  # Newton iterations at most, and the change in radians at which they end


@kernel
def _solve(bands: Floats, right: Floats, n: int) -> None:
    """Solve n positive definite equations in place; rows (n, 9) hold diagonal elements and the eight to their right."""
    for i in range(n):
        for k in range(1, min(9, n - i)):
            share = bands[i, k] / bands[i, 0]
            for j in range(k, min(9, n - i)):
                bands[i + k, j - k] -= share * bands[i, j]
            right[i + k] -= share * right[i]
    for i in range(n - 1, -1, -1):
        for k in range(1, min(9, n - i)):
            right[i] -= bands[i, k] * right[i + k]
        right[i] /= bands[i, 0]


@formula
def _add_step(
    t: int,
    part: int,
    start: int,
    stop: int,
    slopes: Floats,
    short: Floats,
    firm: Floats,
    bands: Floats,
    right: Floats,
) -> None:
    """Add the step of a part into frame t: ``firm |J move - short|^2``.

    A row of J, for one axis, has three numbers each for the previous frame and for the frame; the moves of frames
    ``start`` to ``stop`` are unknown.
    """
    at, share = 3 * (t - 1 - start), firm[t, part]
    begun, lasts = t > start, t < stop
    for axis in range(2):
        before = ((axis, -1.0), (2, -slopes[t - 1, part, axis]))
        after = ((3 + axis, 1.0), (5, slopes[t, part, axis]))
        for there, terms in ((begun, before), (lasts, after)):
            do_if(there, _add_row, bands, right, at, share, short[t, part, axis], terms)
        do_if(begun & lasts, _add_products, bands, at, share, before, after)


@formula
def _add_row(bands: Floats, right: Floats, at: int, firm: float, short: float, terms: Terms) -> None:
    """Add a row's contribution to the equations of one frame."""
    for i, value in terms:
        right[at + i] = right[at + i] + firm * value * short
    _add_products(bands, at, firm, terms, terms)


@formula
def _add_products(bands: Floats, at: int, firm: float, terms: Terms, others: Terms) -> None:
    """Add products of terms to the upper triangle."""
    for i, value in terms:
        for k, other in others:
            if k >= i:
                bands[at + i, k - i] = bands[at + i, k - i] + firm * value * other


@formula
def _add_acceleration(t: int, start: int, stop: int, cost: float, bands: Floats) -> None:
    """Add the cost of the move's acceleration in frame t, for those of its three frames whose moves are unknown."""
    for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        value = cost * (-2.0 if a == 1 else 1.0) * (-2.0 if b == 1 else 1.0)
        known = (t + a - 1 >= start) & (t + b - 1 < stop)
        do_if(known, _add_alike, bands, 3 * (t + a - 1 - start), 3 * (b - a), value)


@formula
def _add_alike(bands: Floats, row: int, column: int, value: float) -> None:
    for i in range(3):
        bands[row + i, column] = bands[row + i, column] + value


@formula
def _carry(levers: Floats, t: int, angle: float, unit: float, slopes: Floats, lacks: Floats) -> None:
    """Linearise the displacement of both levers of a frame about the present turn."""
    s, c = sin(angle), cos(angle)
    for part in range(2):
        x, z = levers[t, part, 0], levers[t, part, 1]
        sx, sz = c * z - s * x, -c * x - s * z
        slopes[t, part, 0], slopes[t, part, 1] = sx / unit, sz / unit
        lacks[t, part, 0] = s * z - (1.0 - c) * x - angle * sx
        lacks[t, part, 1] = -s * x - (1.0 - c) * z - angle * sz


@kernel
def move_feet(
    levers: Floats,
    short: Floats,
    firm: Floats,
    bend: Floats,
    home: float,
    unit: float,
    windows: Ints,
    scratch: tuple[Floats, Floats],
    system: tuple[Floats, Floats],
    moves: Floats,
) -> None:
    """Fill moves (F, 3) of one foot, shifts on x and z and turns, within windows (W, 2) of its frames.

    ``levers`` (F, 2, 2) are heel and toe relative to the ankle, ``short`` (F, 2, 2) the missing part of each step,
    ``firm`` (F, 2) its weight, ``bend`` (F,) the weight of a move's acceleration in each frame, ``home`` that of its
    size, ``unit`` the lever at which a turn counts. ``scratch``, two arrays (F, 2, 2), and ``system``, (3 N, 9) and
    (3 N,) for a longest window of N frames, are work buffers: allocating them here takes longer to compile than the
    rest.
    """
    n = len(levers)
    slopes, lacks = scratch
    bands, right = system
    for window in range(len(windows)):
        start, stop = windows[window, 0], windows[window, 1]
        low, high = max(start - 1, 0), min(stop + 1, n)
        for _ in range(_ROUNDS):
            for t in range(low, high):
                angle = moves[t, 2] if start <= t < stop else 0.0
                _carry(levers, t, angle, unit, slopes, lacks)
            for t in range(high - 1, low, -1):
                for part in range(2):
                    for axis in range(2):
                        lacks[t, part, axis] = (
                            short[t, part, axis] - lacks[t, part, axis] + lacks[t - 1, part, axis]
                        )
            count = 3 * (stop - start)
            for i in range(count):
                right[i] = 0.0
                for k in range(9):
                    bands[i, k] = 0.0
            for t in range(max(start, 1), min(stop + 1, n)):
                for part in range(2):
                    if firm[t, part] > 0.0:
                        _add_step(t, part, start, stop, slopes, lacks, firm, bands, right)
            for t in range(max(start - 1, 1), min(stop + 1, n - 1)):  # both ends of a motion are free
                _add_acceleration(t, start, stop, bend[t], bands)
            for i in range(count):
                bands[i, 0] += home
            _solve(bands, right, count)
            most = 0.0
            for t in range(start, stop):
                turn = right[3 * (t - start) + 2] / unit
                most = max(most, abs(turn - moves[t, 2]))
                moves[t, 0], moves[t, 1] = right[3 * (t - start)], right[3 * (t - start) + 1]
                moves[t, 2] = turn
            if most < _SETTLED:
                break


@formula
def _move(
    ground: Floats, ankles: Floats, shift: Floats, turn: Floats, t: int, foot: int, places: Floats
) -> None:
    """Move heel and toe of a foot in a frame."""
    s, c = sin(turn[foot, t]), cos(turn[foot, t])
    for k in range(2):
        part = 2 * foot + k
        x, z = ground[t, part, 0] - ankles[t, foot, 0], ground[t, part, 1] - ankles[t, foot, 1]
        places[t, part, 0] = ankles[t, foot, 0] + shift[foot, t, 0] + (c * x + s * z)
        places[t, part, 1] = ankles[t, foot, 1] + shift[foot, t, 1] + (c * z - s * x)


@formula
def _slid(places: Floats, steps: Floats, firm: Floats, t: int, part: int) -> float:
    """Metres that a part goes beyond its wanted step into a frame, weighted by firmness."""
    x, z = places[t, part, 0] - places[t - 1, part, 0], places[t, part, 1] - places[t - 1, part, 1]
    u, v = steps[t, part, 0], steps[t, part, 1]
    return (sqrt(x * x + z * z) - sqrt(u * u + v * v)) * firm[t, part]


@kernel
def slips(
    feet: tuple[Floats, Floats],
    moves: tuple[Floats, Floats],
    wanted: tuple[Floats, Floats],
    spans: Ints,
    places: Floats,
    slip: Floats,
) -> None:
    """Fill places (F, 4, 2) of moved heels and toes, and slips (S, 2) of the worse of both in spans (S, 2, 2).

    ``feet`` are ground places of heels and toes (F, 4, 2) and ankles (F, 2, 2), ``moves`` shifts (2, F, 2) and turns
    (2, F), ``wanted`` steps (F, 4, 2) and their weights (F, 4). A part slips by the distance beyond its wanted steps in
    the frames of a span, and into and out of it: negative where it goes less far.
    """
    ground, ankles = feet
    shift, turn = moves
    steps, firm = wanted
    for t in range(len(ground)):
        for foot in range(2):
            _move(ground, ankles, shift, turn, t, foot, places)
    for seam in range(len(spans)):
        for foot in range(2):
            first, last = max(spans[seam, foot, 0], 1), min(spans[seam, foot, 1] + 1, len(ground))
            worst = -np.inf
            for part in range(2 * foot, 2 * foot + 2):
                total = 0.0
                for t in range(first, last):
                    total += _slid(places, steps, firm, t, part)
                worst = max(worst, total)
            slip[seam, foot] = worst


@kernel
def creeps(places: Floats, plants: Ints, farthest: Floats) -> None:
    """Fill (K,) how far plants (K, 3), of a part from frame to frame, go from their mean place in (F, 4, 2)."""
    for k in range(len(plants)):
        part, start, stop = plants[k, 0], plants[k, 1], plants[k, 2]
        middle, most = _middle(places, part, start, stop), 0.0
        for t in range(start, stop):
            most = max(most, _apart(places, part, t, middle))
        farthest[k] = math.sqrt(most)


@formula
def _middle(places: Floats, part: int, start: int, stop: int) -> tuple[float, float]:
    """Mean place of a part over some frames."""
    count = maximum(stop - start, 1)  # avoids dividing by 0 for no frames
    x, z = (sum_range(start, stop, _coordinate, places, part, axis) / count for axis in range(2))
    return x, z


@formula
def _coordinate(t: int, places: Floats, part: int, axis: int) -> float:
    return places[t, part, axis]


@formula
def _apart(places: Floats, part: int, t: int, middle: tuple[float, float]) -> float:
    """Squared distance of a part from a place in a frame."""
    x, z = places[t, part, 0] - middle[0], places[t, part, 1] - middle[1]
    return x * x + z * z
