"""Compiled moves of feet: the equations of `segue.synthesis.feet.moves`, set up and solved window by window."""

import math

import numpy as np

from segue.accel.compiler import kernel
from segue.arrays import Floats, Ints

_ROUNDS, _SETTLED = 12, 0.002  # of Newton's method at most, and the radians at which it ends


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


@kernel
def _stand(
    bands: Floats,
    right: Floats,
    row: Floats,
    slopes: Floats,
    short: Floats,
    firm: Floats,
    start: int,
    stop: int,
) -> None:
    """Add the steps of heel and toe that touch frames ``start`` to ``stop``: ``firm |J move - short|^2``.

    A row of J, for one axis of one step, is that of the frame before and that of the frame, three numbers each.
    """
    for t in range(max(start, 1), min(stop + 1, len(slopes))):
        at = 3 * (t - 1 - start)
        for part in range(2):
            if firm[t, part] <= 0.0:
                continue
            for axis in range(2):
                for k in range(6):
                    row[k] = 0.0
                if t > start:
                    row[axis], row[2] = -1.0, -slopes[t - 1, part, axis]
                if t < stop:
                    row[3 + axis], row[5] = 1.0, slopes[t, part, axis]
                for i in range(6):
                    share = firm[t, part] * row[i]
                    if share != 0.0:
                        right[at + i] += share * short[t, part, axis]
                        for k in range(i, 6):
                            bands[at + i, k - i] += share * row[k]


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
    system: tuple[Floats, Floats, Floats],
    moves: Floats,
) -> None:
    """Fill moves (F, 3) of one foot, shifts on x and z and turns, within windows (W, 2) of its frames.

    Places of heel and toe from the ankle (F, 2, 2), what each step is short of (F, 2, 2), how firmly it counts (F,
    2), what the acceleration of a move costs in each frame (F,), what its size costs, and the lever at which a turn
    counts. Two arrays (F, 2, 2), and (3 N, 9), (3 N,) and (6,) for a longest window of N frames, are worked in: memory
    that is asked for here takes longer to compile than the rest.
    """
    n = len(levers)
    slopes, lacks = scratch
    bands, right, row = system
    for window in range(len(windows)):
        start, stop = windows[window, 0], windows[window, 1]
        low, high = max(start - 1, 0), min(stop + 1, n)
        for _ in range(_ROUNDS):
            for t in range(low, high):
                # A turn carries a lever: linear about the turn found so far.
                angle = moves[t, 2] if start <= t < stop else 0.0
                s, c = math.sin(angle), math.cos(angle)
                for part in range(2):
                    x, z = levers[t, part, 0], levers[t, part, 1]
                    sx, sz = c * z - s * x, -c * x - s * z
                    slopes[t, part, 0], slopes[t, part, 1] = sx / unit, sz / unit
                    lacks[t, part, 0] = s * z - (1.0 - c) * x - angle * sx
                    lacks[t, part, 1] = -s * x - (1.0 - c) * z - angle * sz
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
            _stand(bands, right, row, slopes, lacks, firm, start, stop)
            for t in range(max(start - 1, 1), min(stop + 1, n - 1)):  # a motion's own ends are free
                for a in range(3):
                    for b in range(a, 3):
                        if t + a - 1 >= start and t + b - 1 < stop:
                            value = bend[t] * (-2.0 if a == 1 else 1.0) * (-2.0 if b == 1 else 1.0)
                            for i in range(3):
                                bands[3 * (t + a - 1 - start) + i, 3 * (b - a)] += value
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


@kernel
def slips(
    feet: tuple[Floats, Floats],
    moves: tuple[Floats, Floats],
    wanted: tuple[Floats, Floats],
    spans: Ints,
    places: Floats,
    slip: Floats,
) -> None:
    """Fill places (F, 4, 2) of moved heels and toes, and (S, 2) how far the worse of both slides in spans (S, 2, 2).

    Feet are ground places of heels and toes (F, 4, 2) and ankles (F, 2, 2), moves shifts (2, F, 2) and turns (2, F),
    wanted are steps (F, 4, 2) and how firmly (F, 4) they count. A part slides as far as it goes beyond its wanted steps
    in the frames of a span, and into and out of it: negative where it goes less far.
    """
    ground, ankles = feet
    shift, turn = moves
    steps, firm = wanted
    for t in range(len(ground)):
        for foot in range(2):
            s, c = math.sin(turn[foot, t]), math.cos(turn[foot, t])
            for part in range(2 * foot, 2 * foot + 2):
                x = ground[t, part, 0] - ankles[t, foot, 0]
                z = ground[t, part, 1] - ankles[t, foot, 1]
                places[t, part, 0] = ankles[t, foot, 0] + shift[foot, t, 0] + (c * x + s * z)
                places[t, part, 1] = ankles[t, foot, 1] + shift[foot, t, 1] + (c * z - s * x)
    for seam in range(len(spans)):
        for foot in range(2):
            first, last = max(spans[seam, foot, 0], 1), min(spans[seam, foot, 1] + 1, len(ground))
            worst = -np.inf
            for part in range(2 * foot, 2 * foot + 2):
                total = 0.0
                for t in range(first, last):
                    x, z = (
                        places[t, part, 0] - places[t - 1, part, 0],
                        places[t, part, 1] - places[t - 1, part, 1],
                    )
                    u, v = steps[t, part, 0], steps[t, part, 1]
                    total += (math.sqrt(x * x + z * z) - math.sqrt(u * u + v * v)) * firm[t, part]
                worst = max(worst, total)
            slip[seam, foot] = worst


@kernel
def creeps(places: Floats, plants: Ints, farthest: Floats) -> None:
    """Fill (K,) how far plants (K, 3), of a part from frame to frame, go from their mean place (F, 4, 2)."""
    for k in range(len(plants)):
        part, start, stop = plants[k, 0], plants[k, 1], plants[k, 2]
        x, z = 0.0, 0.0
        for t in range(start, stop):
            x += places[t, part, 0] / (stop - start)
            z += places[t, part, 1] / (stop - start)
        most = 0.0
        for t in range(start, stop):
            most = max(most, (places[t, part, 0] - x) ** 2 + (places[t, part, 1] - z) ** 2)
        farthest[k] = math.sqrt(most)
