"""Compiled moves of feet: held in a plant, faded around it, steadied, and how far the root comes down for them.

Number by number: sums and assignments of whole arrays take several times as long to compile.
"""

import math

import numpy as np

from segue._jit import kernel
from segue.arrays import Bools, Floats, Ints, Positions, Quaternions

LONGEST = 3
"""Times as long as its ease a fade may take."""
SOFT = 0.999
"""Share of a leg's length up to which a knee is straightened; a leg that was straighter stays as straight."""


@kernel
def _handing_over(flags: Bools, first: int, last: int, row: int) -> float:
    """Weight of the toe at a frame of a stretch in which both parts are planted: it changes in the first third."""
    start, end = 0.5, 0.5
    if first > 0:
        start = 1.0 if flags[first - 1, 1] else 0.0
    if last < len(flags):
        end = 1.0 if flags[last, 1] else 0.0
    t = min(3.0 * (row - first) / max(last - first - 1, 1), 1.0)
    return start + (end - start) * t * t * (3.0 - 2.0 * t)


@kernel
def _centred(places: Floats, flags: Bools, turn: Floats, shift: Floats) -> float:
    """Take the mean turn and the mean way of the planted parts out of a move; return the longest way that is left."""
    n = len(turn)
    back, middle, ways = 0.0, np.zeros(2), np.empty((n, 2))
    for row in range(n):
        back -= turn[row] / n
    c, s = math.cos(back), math.sin(back)
    for row in range(n):
        turn[row] += back
        x, z = shift[row, 0], shift[row, 1]
        shift[row, 0], shift[row, 1] = c * x + s * z, c * z - s * x
        share = 0.5 if flags[row, 0] and flags[row, 1] else (0.0 if flags[row, 0] else 1.0)
        x = (1.0 - share) * places[row, 0, 0] + share * places[row, 1, 0]
        z = (1.0 - share) * places[row, 0, 1] + share * places[row, 1, 1]
        cosine, sine = math.cos(turn[row]), math.sin(turn[row])
        ways[row, 0] = cosine * x + sine * z + shift[row, 0] - x
        ways[row, 1] = cosine * z - sine * x + shift[row, 1] - z
        for k in range(2):
            middle[k] += ways[row, k] / n
    most = 0.0
    for row in range(n):
        for k in range(2):
            shift[row, k] -= middle[k]
        most = max(most, math.hypot(ways[row, 0] - middle[0], ways[row, 1] - middle[1]))
    return most


@kernel
def hold_plant(places: Floats, flags: Bools, drift: Floats) -> tuple[Floats, Floats, float]:
    """Turns (n,) and shifts (n, 2) that keep the planted parts of a foot in place, and the longest way they move it.

    Ground places of heel and toe (n, 2, 2), which is planted (n, 2), the ways they may go all the same (n, 2, 2).
    """
    n = len(places)
    turn, shift = np.zeros(n), np.zeros((n, 2))
    anchors, known = np.zeros((2, 2)), np.zeros(2, dtype=np.bool_)
    first = 0
    while first < n:
        last = first + 1
        while last < n and flags[last, 0] == flags[first, 0] and flags[last, 1] == flags[first, 1]:
            last += 1
        angle, moved = turn[max(first - 1, 0)], shift[max(first - 1, 0)].copy()
        c, s = math.cos(angle), math.sin(angle)
        for part in range(2):
            known[part] = known[part] and flags[first, part]
        for part in range(2):  # what stays planted, one of them at most, says where the move goes on
            x, z = places[first, part, 0], places[first, part, 1]
            if known[part]:
                moved[0] = anchors[part, 0] + drift[first, part, 0] - (c * x + s * z)
                moved[1] = anchors[part, 1] + drift[first, part, 1] - (c * z - s * x)
        for part in range(2):
            x, z = places[first, part, 0], places[first, part, 1]
            if flags[first, part] and not known[part]:
                anchors[part, 0] = c * x + s * z + moved[0] - drift[first, part, 0]
                anchors[part, 1] = c * z - s * x + moved[1] - drift[first, part, 1]
                known[part] = True
        for row in range(first, last):
            toe = 1.0 if known[1] else 0.0
            turn[row] = angle
            if known[0] and known[1]:
                x = anchors[1, 0] + drift[row, 1, 0] - anchors[0, 0] - drift[row, 0, 0]
                z = anchors[1, 1] + drift[row, 1, 1] - anchors[0, 1] - drift[row, 0, 1]
                found_x, found_z = (
                    places[row, 1, 0] - places[row, 0, 0],
                    places[row, 1, 1] - places[row, 0, 1],
                )
                more = math.atan2(x, z) - math.atan2(found_x, found_z) - angle
                turn[row] = angle + math.atan2(math.sin(more), math.cos(more))
                toe = _handing_over(flags, first, last, row)
            cosine, sine = math.cos(turn[row]), math.sin(turn[row])
            x = (1.0 - toe) * places[row, 0, 0] + toe * places[row, 1, 0]
            z = (1.0 - toe) * places[row, 0, 1] + toe * places[row, 1, 1]
            for k in range(2):
                heel, ball = anchors[0, k] + drift[row, 0, k], anchors[1, k] + drift[row, 1, k]
                gone = cosine * x + sine * z if k == 0 else cosine * z - sine * x
                shift[row, k] = (1.0 - toe) * heel + toe * ball - gone
        first = last
    return turn, shift, _centred(places, flags, turn, shift)


@kernel
def _frames_to_fade(value: Floats, slope: Floats, ease: int, gentle: float) -> int:
    """Frames in which a shift fades: the curvature of the cubic is at most (4 slope T + 6 shift) / T^2."""
    if not math.isfinite(gentle):
        return ease
    x, v = math.hypot(value[0], value[1]), math.hypot(slope[0], slope[1])
    needed = (2 * v + math.sqrt(4 * v * v + 6 * x * gentle)) / gentle
    return min(max(math.ceil(min(needed, 1e9)), ease), LONGEST * ease)


@kernel
def _cubic(value: Floats, ends: Floats, slopes: Floats, start: int, stop: int) -> None:
    """Fill frames between two with the cubic (n, 3) that has given ends and slopes a frame (2, 3)."""
    length = stop - start
    for row in range(max(start + 1, 0), min(stop, len(value))):
        t = (row - start) / length
        square, cube = t * t, t * t * t
        for k in range(3):
            value[row, k] = (
                (2 * cube - 3 * square + 1) * ends[0, k]
                + length * (cube - 2 * square + t) * slopes[0, k]
                + (3 * square - 2 * cube) * ends[1, k]
                + length * (cube - square) * slopes[1, k]
            )


@kernel
def _chained(value: Floats, spans: Ints, ease: int) -> None:
    """Shift whole plants so that near ones hand over (`segue.synthesis.holding.faded`): a chain of equations."""
    count = len(spans)
    if count < 2:
        return
    own, beside, wanted = np.empty(count), np.zeros(count), np.zeros((count, 2))
    for k in range(count):
        own[k] = spans[k, 1] - spans[k, 0]
    for k in range(count - 1):
        gap = max(spans[k + 1, 0] - spans[k, 1] + 1, 1)
        weight = 6.0 * ease * min((2 * ease / gap) ** 4, 1e4)
        own[k] += weight
        own[k + 1] += weight
        beside[k] = -weight
        for c in range(2):
            step = weight * (value[spans[k + 1, 0], c] - value[spans[k, 1] - 1, c])
            wanted[k, c] += step
            wanted[k + 1, c] -= step
    for k in range(1, count):
        share = beside[k - 1] / own[k - 1]
        own[k] -= share * beside[k - 1]
        for c in range(2):
            wanted[k, c] -= share * wanted[k - 1, c]
    for k in range(count - 1, -1, -1):
        for c in range(2):
            if k + 1 < count:
                wanted[k, c] -= beside[k] * wanted[k + 1, c]
            wanted[k, c] /= own[k]
            for row in range(spans[k, 0], spans[k, 1]):
                value[row, c] += wanted[k, c]


@kernel
def _ended(end: Floats, rate: Floats, value: Floats, slope: Floats, share: float) -> None:
    """Set an end of a cubic and its slope (3,): a plant's, or with a share of 0 nothing."""
    for axis in range(3):
        end[axis], rate[axis] = share * value[axis], share * slope[axis]


@kernel
def fade_moves(ankle: Floats, spans: Ints, moves: Floats, ease: int, gentle: float) -> Floats:
    """Shift of the ankle on x and z and turn (F, 3) in every frame: each plant's own, fading before and after it.

    Ground places (F, 2) of the ankle, plants (K, 2) in turn, and at the frames of each its move (F, 3): shift of the
    ground's origin and turn.
    """
    value = np.zeros((len(ankle), 3))
    slopes = np.zeros((len(spans), 2, 3))
    for k in range(len(spans)):
        start, stop = spans[k, 0], spans[k, 1]
        for row in range(start, stop):
            c, s = math.cos(moves[row, 2]), math.sin(moves[row, 2])
            x, z = ankle[row, 0], ankle[row, 1]
            value[row, 0] = c * x + s * z + moves[row, 0] - x
            value[row, 1] = c * z - s * x + moves[row, 1] - z
            value[row, 2] = moves[row, 2]
        if stop - start > 1:
            for axis in range(3):
                slopes[k, 0, axis] = value[start + 1, axis] - value[start, axis]
                slopes[k, 1, axis] = value[stop - 1, axis] - value[stop - 2, axis]
    _chained(value, spans, ease)
    ends, rates = np.zeros((2, 3)), np.zeros((2, 3))
    fades = 0
    for k in range(len(spans)):
        start, stop = spans[k, 0], spans[k, 1]
        before = _frames_to_fade(value[start], slopes[k, 0], ease, gentle)
        if k == 0 or start - spans[k - 1, 1] >= before + fades:
            _ended(ends[0], rates[0], value[start], slopes[k, 0], 0.0)
            _ended(ends[1], rates[1], value[start], slopes[k, 0], 1.0)
            _cubic(value, ends, rates, start - before - 1, start)
        fades = _frames_to_fade(value[stop - 1], slopes[k, 1], ease, gentle)
        _ended(ends[0], rates[0], value[stop - 1], slopes[k, 1], 1.0)
        _ended(ends[1], rates[1], value[stop - 1], slopes[k, 1], 0.0)
        until = stop + fades
        if k + 1 < len(spans):
            after = spans[k + 1, 0]
            if after - stop < fades + _frames_to_fade(value[after], slopes[k + 1, 0], ease, gentle):
                _ended(ends[1], rates[1], value[after], slopes[k + 1, 0], 1.0)
                until = after
        _cubic(value, ends, rates, stop - 1, until)
    return value


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
