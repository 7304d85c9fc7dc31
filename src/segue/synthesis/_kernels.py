"""Compiled moves of feet: steadied, and how far the root comes down for them.

Number by number: sums and assignments of whole arrays take several times as long to compile.
"""

import math

import numpy as np

from segue._jit import kernel
from segue.arrays import Bools, Floats, Ints, Positions, Quaternions

SOFT = 0.999
"""Share of a leg's length up to which a knee is straightened; a leg that was straighter stays as straight."""


@kernel
def hips_down(positions: Positions, joints: Ints, targets: Positions, moved: Bools, needed: Floats) -> None:
    """Raise needs (F,) to the metres by which a hip must come down so that its leg reaches (F, 3) where it is moved.

    ``joints`` are hip, knee and ankle of places (F, J, 3).
    """
    hip, knee, ankle = joints[0], joints[1], joints[2]
    for row in range(len(needed)):
        if not moved[row]:
            continue
        thigh = shank = was = asked = 0.0
        for c in range(3):
            h, k, a = positions[row, hip, c], positions[row, knee, c], positions[row, ankle, c]
            thigh += (k - h) ** 2
            shank += (a - k) ** 2
            was += (a - h) ** 2
            asked += (targets[row, c] - h) ** 2
        was, asked = math.sqrt(was), math.sqrt(asked)
        down = positions[row, hip, 1] - targets[row, 1]
        if asked <= was or down <= 0.0:
            continue
        room = max(SOFT * (math.sqrt(thigh) + math.sqrt(shank)) - was, 1e-6)
        allowed = was + room * (1.0 - math.exp(-(asked - was) / room))
        x, z = targets[row, 0] - positions[row, hip, 0], targets[row, 2] - positions[row, hip, 2]
        needed[row] = max(needed[row], down - math.sqrt(max(allowed * allowed - (x * x + z * z), 0.0)))


@kernel
def smooth_over(needed: Floats, bell: Floats) -> Floats:
    """Smooth curve (F,) nowhere below a needed one: the most within half a bell (2 ease + 1,), then its bell's mean."""
    n, ease = len(needed), len(bell) // 2
    out = np.zeros(n)
    first, last = n, 0
    for row in range(n):
        if needed[row] > 0.0:
            first, last = min(first, row), row + 1
    if last == 0:
        return out
    first, last = max(first - 2 * ease, 0), min(last + 2 * ease, n)
    widest = np.zeros(last - first + 2 * ease)  # the first and last frame stand for those beyond
    for k in range(len(widest)):
        for row in range(first - ease + k - ease, first - ease + k + ease + 1):
            widest[k] = max(widest[k], needed[min(max(row, 0), n - 1)])
    for row in range(first, last):
        total = 0.0
        for k in range(len(bell)):
            total += bell[k] * widest[row - first + k]
        out[row] = total if total >= 1e-9 else 0.0
    return out


@kernel
def _mixed_turns(a: Floats, b: Floats, t: float, out: Floats) -> None:
    """Spherical interpolation of two near unit quaternions (`segue.maths.quaternions.slerp`)."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    theta = math.acos(min(abs(dot), 1.0))
    sine = math.sin(theta)
    wa, wb = 1.0 - t, t
    if sine >= 1e-6:
        wa, wb = math.sin((1.0 - t) * theta) / sine, math.sin(t * theta) / sine
    if dot < 0:
        wb = -wb
    square = 0.0
    for k in range(4):
        out[k] = wa * a[k] + wb * b[k]
        square += out[k] * out[k]
    for k in range(4):
        out[k] /= math.sqrt(square)


@kernel
def steady_feet(
    feet: Quaternions, above: Quaternions, flat: Bools, bell: Floats, share: Floats, edge: float
) -> tuple[Bools, Quaternions]:
    """Local rotations (F, 4) of an ankle that lies still in tilt while flat (F,), and the frames that this changes.

    World rotations (F, 4) of the foot and of what is above it; a bell (2 r + 1,) that sums to 1 smooths them, the ends
    of a stretch standing for what lies beyond. How much is done comes in over ``edge`` frames, times a share (F,).
    """
    n, reach = len(flat), len(bell) // 2
    changed, local = np.zeros(n, dtype=np.bool_), np.zeros((n, 4))
    turns, mean, turned = np.empty((n, 4)), np.empty(4), np.empty(4)
    start = 0
    while start < n:
        stop = start
        while stop < n and flat[stop]:
            stop += 1
        if stop - start >= 5:  # shorter ones show no trembling
            sign = 1.0
            for row in range(start, stop):
                dot = 0.0
                for c in range(4):
                    dot += feet[row, c] * feet[max(row - 1, start), c]
                sign = -sign if dot < 0 else sign
                for c in range(4):
                    turns[row, c] = sign * feet[row, c]
            for row in range(start, stop):
                t = min(min(row - start + 1, stop - row) / edge, 1.0)
                much = t * t * (3.0 - 2.0 * t) * share[row]
                if much <= 0.0:
                    continue
                mean[:] = 0.0
                square = 0.0
                for c in range(4):
                    for k in range(-reach, reach + 1):
                        mean[c] += bell[k + reach] * turns[min(max(row + k, start), stop - 1), c]
                    square += mean[c] * mean[c]
                for c in range(4):
                    mean[c] /= math.sqrt(square)
                _mixed_turns(turns[row], mean, much, turned)
                changed[row] = True
                p, q, out = above[row], turned, local[row]
                out[0] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]
                out[1] = p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2]
                out[2] = p[0] * q[2] + p[1] * q[3] - p[2] * q[0] - p[3] * q[1]
                out[3] = p[0] * q[3] - p[1] * q[2] + p[2] * q[1] - p[3] * q[0]
        start = max(stop, start + 1)
    return changed, local


@kernel
def lay_in(rotations: Quaternions, rows: Ints, joints: Ints, local: Quaternions) -> None:
    """Put local rotations (n, K, 4) of joints (K,) at frames (n,) with the sign of those (F, J, 4) that they replace.

    q and -q are one rotation, but files unroll angles.
    """
    for k in range(len(rows)):
        for j in range(len(joints)):
            old, new = rotations[rows[k], joints[j]], local[k, j]
            sign = 1.0 if old[0] * new[0] + old[1] * new[1] + old[2] * new[2] + old[3] * new[3] >= 0 else -1.0
            for c in range(4):
                old[c] = sign * new[c]
