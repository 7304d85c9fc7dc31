"""A foot held in place, frame by frame, and a leg that reaches, by search. Imports nothing from segue."""

from __future__ import annotations

import math

from naive.quaternions import product, rotated

Point = tuple[float, float]


def turn(angle: float, p: Point) -> Point:
    """Turn a ground vector (x, z) about the vertical; positive carries z towards x."""
    c, s = math.cos(angle), math.sin(angle)
    return c * p[0] + s * p[1], -s * p[0] + c * p[1]


def held(places: list[list[Point]], flags: list[list[bool]]) -> list[tuple[float, Point]]:
    """Turn and shift of every frame of one plant, before its mean is removed.

    ``places`` are the heel's and toe's positions on the ground, ``flags`` which of them is planted; at least one is in
    every frame.
    """
    angle, shift = 0.0, (0.0, 0.0)
    anchors: dict[int, Point] = {}
    out = []
    for frame, (p, on) in enumerate(zip(places, flags, strict=True)):
        now = [k for k in (0, 1) if on[k]]
        anchors = {k: place for k, place in anchors.items() if k in now}
        if len(anchors) == 1:
            k, place = next(iter(anchors.items()))
            q = turn(angle, p[k])
            shift = (place[0] - q[0], place[1] - q[1])
        elif len(anchors) == 2:
            wanted = (anchors[1][0] - anchors[0][0], anchors[1][1] - anchors[0][1])
            found = (p[1][0] - p[0][0], p[1][1] - p[0][1])
            new = math.atan2(*wanted) - math.atan2(*found)
            angle += math.remainder(new - angle, 2 * math.pi)
            toe = toe_weight(flags, frame)
            middle = [(1 - toe) * anchors[0][k] + toe * anchors[1][k] for k in (0, 1)]
            q = turn(angle, ((1 - toe) * p[0][0] + toe * p[1][0], (1 - toe) * p[0][1] + toe * p[1][1]))
            shift = (middle[0] - q[0], middle[1] - q[1])
        for k in now:
            if k not in anchors:
                q = turn(angle, p[k])
                anchors[k] = (q[0] + shift[0], q[1] + shift[1])
        out.append((angle, shift))
    return out


def toe_weight(flags: list[list[bool]], frame: int) -> float:
    """Weight of the toe while both parts are planted: from the part before to the part after, over the first third."""
    first = last = frame
    while first > 0 and all(flags[first - 1]):
        first -= 1
    while last + 1 < len(flags) and all(flags[last + 1]):
        last += 1
    start = 0.5 if first == 0 else float(flags[first - 1][1])
    end = 0.5 if last == len(flags) - 1 else float(flags[last + 1][1])
    t = min(3 * (frame - first) / (last - first), 1.0) if last > first else 0.0
    return start + (end - start) * (3 * t**2 - 2 * t**3)


def knee_bend(thigh: float, shank: float, reach: float) -> float:
    """Bend of a knee, 0 for a straight leg, whose ankle lies ``reach`` from the hip; found by bisection."""
    low, high = 0.0, math.pi
    for _ in range(80):
        middle = (low + high) / 2
        x, y = thigh + shank * math.cos(middle), shank * math.sin(middle)
        if math.hypot(x, y) > reach:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def unit(v: list[float]) -> list[float]:
    """Vector scaled to length one."""
    size = math.sqrt(sum(x * x for x in v))
    return [x / max(size, 1e-9) for x in v]


def cross(a: list[float], b: list[float]) -> list[float]:
    """Cross product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def undone(q: list[float]) -> list[float]:
    """Inverse of a unit quaternion."""
    return [q[0], -q[1], -q[2], -q[3]]


def hinge_axes(
    thighs: list[list[float]], shanks: list[list[float]], hips: list[list[float]], share: float
) -> list[list[float]]:
    """Axis of the knee in every frame: perpendicular to both bones, plus a share of the mean axis of all frames."""
    square = [cross(thigh, shank) for thigh, shank in zip(thighs, shanks, strict=True)]
    local = [rotated(undone(hip), axis) for hip, axis in zip(hips, square, strict=True)]
    mean = unit([sum(axis[k] for axis in local) for k in range(3)])
    out = []
    for thigh, shank, hip, axis in zip(thighs, shanks, hips, square, strict=True):
        size = share * math.dist(thigh, [0, 0, 0]) * math.dist(shank, [0, 0, 0])
        out.append(unit([x + size * y for x, y in zip(axis, rotated(hip, mean), strict=True)]))
    return out


def reach(
    thigh: list[float], shank: list[float], axis: list[float], goal: list[float], turns: list[list[float]]
) -> list[list[float]]:
    """Local rotations of hip, knee and ankle: the knee bends about its axis, then the leg swings the shortest arc.

    ``turns``: world rotations of hip, knee, the joint above hip, knee and ankle, and the wanted one of the ankle.
    """
    bend = bend_for(thigh, shank, axis, math.dist(goal, [0, 0, 0]))
    bent = about(axis, bend)
    reached = unit([x + y for x, y in zip(thigh, rotated(bent, shank), strict=True)])
    swing = shortest(reached, unit(goal))
    return [
        product(undone(turns[2]), product(swing, turns[0])),
        product(undone(turns[3]), product(bent, turns[1])),
        product(undone(product(swing, product(bent, turns[4]))), turns[5]),
    ]


def bend_for(thigh: list[float], shank: list[float], axis: list[float], wanted: float) -> float:
    """Rotation of a shank about its axis that gives the wanted leg length: from the straightest on, by bisection."""

    def far(angle: float) -> float:
        end = [x + y for x, y in zip(thigh, rotated(about(axis, angle), shank), strict=True)]
        return math.dist(end, [0, 0, 0])

    around = max((math.radians(degree) for degree in range(-180, 180)), key=far)
    low, high = around - 0.02, around + 0.02
    for _ in range(60):
        third = (high - low) / 3
        low, high = (low + third, high) if far(low + third) < far(high - third) else (low, high - third)
    straight = low
    low, high = straight, straight + math.pi
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if far(middle) > wanted else (low, middle)
    return low


def about(axis: list[float], angle: float) -> list[float]:
    """Quaternion of a rotation about an axis."""
    return [math.cos(angle / 2), *(math.sin(angle / 2) * x for x in axis)]


def shortest(a: list[float], b: list[float]) -> list[float]:
    """Shortest rotation of one unit vector onto another, by angle and axis; for opposite vectors about a fixed axis."""
    axis, dot = cross(a, b), sum(x * y for x, y in zip(a, b, strict=True))
    if 1 + dot <= 1e-9:
        least = min(range(3), key=lambda k: abs(a[k]))
        return [0.0, *unit(cross(a, [float(k == least) for k in range(3)]))]
    return about(unit(axis), math.atan2(math.dist(axis, [0, 0, 0]), dot))


def drift(places: list[Point], turns: list[float]) -> list[Point]:
    """Displacement since the first frame: each step of the source, rotated by the motion's turn at that frame."""
    x = z = 0.0
    out = []
    for t, p in enumerate(places):
        if t:
            dx, dz = turn(turns[t], (p[0] - places[t - 1][0], p[1] - places[t - 1][1]))
            x, z = x + dx, z + dz
        out.append((x, z))
    return out


def steady(turns: list[list[float]], deviation: float) -> list[list[float]]:
    """Rotations smoothed by a Gaussian cut off at four deviations; the end rotations continue beyond the ends."""
    reach = int(4 * deviation + 0.5)
    bell = [math.exp(-0.5 * (k / deviation) ** 2) for k in range(-reach, reach + 1)]
    out = []
    for t in range(len(turns)):
        mean = [0.0] * 4
        for k, weight in zip(range(-reach, reach + 1), bell, strict=True):
            q = turns[min(max(t + k, 0), len(turns) - 1)]
            mean = [m + weight * x for m, x in zip(mean, q, strict=True)]
        size = math.sqrt(sum(m * m for m in mean))
        out.append([m / size for m in mean])
    return out


def plant_moves(
    ankle: list[Point], plants: list[tuple[int, int]], moves: list[list[float]], ease: int
) -> tuple[list[dict[int, list[float]]], list[list[list[float]]]]:
    """Shift (x, z) and turn of an ankle within each plant, chained, and their change per frame at both ends."""
    own: list[dict[int, list[float]]] = []
    for start, stop in plants:
        own.append({})
        for t in range(start, stop):
            x, z = turn(moves[t][2], ankle[t])
            own[-1][t] = [x + moves[t][0] - ankle[t][0], z + moves[t][1] - ankle[t][1], moves[t][2]]
    slopes = []
    for (start, stop), at in zip(plants, own, strict=True):
        pairs = [(start, start + 1), (stop - 2, stop - 1)] if stop - start > 1 else [(start, start)] * 2
        slopes.append([[b - a for a, b in zip(at[i], at[j], strict=True)] for i, j in pairs])
    for at, (x, z) in zip(own, chain(plants, own, ease), strict=True):
        for value in at.values():
            value[0] += x
            value[1] += z
    return own, slopes


def frames_to_fade(value: list[float], slope: list[float], ease: int, gentle: float) -> int:
    """Frames over which a cubic fades a shift to zero without bending more than allowed."""
    if math.isinf(gentle):
        return ease
    x, v = math.hypot(*value[:2]), math.hypot(*slope[:2])
    return min(max(math.ceil((2 * v + math.sqrt(4 * v * v + 6 * x * gentle)) / gentle), ease), 3 * ease)


def fade(
    ankle: list[Point], plants: list[tuple[int, int]], moves: list[list[float]], ease: int, gentle: float
) -> list[list[float]]:
    """Shift (x, z) and turn of an ankle, frame by frame: those of each plant, faded out around it.

    ``moves`` are, in the frames of a plant, the shift of the ground's origin and the turn.
    """
    own, slopes = plant_moves(ankle, plants, moves, ease)
    nothing = [0.0, 0.0, 0.0]
    ends = [(at[start], at[stop - 1]) for (start, stop), at in zip(plants, own, strict=True)]
    fades = [
        tuple(frames_to_fade(value, slope, ease, gentle) for value, slope in zip(end, slope, strict=True))
        for end, slope in zip(ends, slopes, strict=True)
    ]
    curves = []  # first frame, last frame, values and slopes at both
    for k, (start, stop) in enumerate(plants):
        if k == 0 or start - plants[k - 1][1] >= fades[k][0] + fades[k - 1][1]:
            curves.append((start - fades[k][0] - 1, start, nothing, ends[k][0], nothing, slopes[k][0]))
        if k + 1 == len(plants) or plants[k + 1][0] - stop >= fades[k][1] + fades[k + 1][0]:
            curves.append((stop - 1, stop + fades[k][1], ends[k][1], nothing, slopes[k][1], nothing))
        else:
            then = plants[k + 1][0]
            curves.append((stop - 1, then, ends[k][1], ends[k + 1][0], slopes[k][1], slopes[k + 1][0]))
    out = [next((at[t] for at in own if t in at), nothing) for t in range(len(ankle))]
    for first, last, *four in curves:
        for t in range(max(first + 1, 0), min(last, len(ankle))):
            share = (t - first) / (last - first)
            out[t] = [hermite(share, last - first, *values) for values in zip(*four, strict=True)]
    return out


def hermite(t: float, length: int, a: float, b: float, rate_a: float, rate_b: float) -> float:
    """Cubic from a to b over ``length`` frames, with rates per frame."""
    c = length * (rate_a + rate_b) - 2 * (b - a)
    return a + t * (length * rate_a + t * (3 * (b - a) - length * (2 * rate_a + rate_b) + t * c))


def chain(plants: list[tuple[int, int]], own: list[dict[int, list[float]]], ease: int) -> list[list[float]]:
    """Shifts of entire plants by least squares: each plant should stay, and end where the next one begins."""
    n = len(plants)
    rows = [[float(stop - start) * (k == j) for j in range(n)] for k, (start, stop) in enumerate(plants)]
    out = [[0.0, 0.0] for _ in plants]
    for k in range(n - 1):
        gap = max(plants[k + 1][0] - plants[k][1] + 1, 1)
        weight = 6 * ease * min((2 * ease / gap) ** 4, 1e4) if gap <= 6 * ease else 0.0
        for i, j, sign in ((k, k, 1), (k + 1, k + 1, 1), (k, k + 1, -1), (k + 1, k, -1)):
            rows[i][j] += sign * weight
        for c in (0, 1):
            step = own[k + 1][plants[k + 1][0]][c] - own[k][plants[k][1] - 1][c]
            out[k][c] += weight * step
            out[k + 1][c] -= weight * step
    for k in range(n):  # eliminate the unknown from all other equations
        for i in range(n):
            if i != k:
                share = rows[i][k] / rows[k][k]
                rows[i] = [x - share * y for x, y in zip(rows[i], rows[k], strict=True)]
                out[i] = [x - share * y for x, y in zip(out[i], out[k], strict=True)]
    return [[x / rows[k][k] for x in out[k]] for k in range(n)]


def hip_down(hip: list[float], knee: list[float], ankle: list[float], target: list[float]) -> float:
    """Distance that a hip is lowered for its ankle to reach a target; the leg straightens less and less."""
    was, asked = math.dist(hip, ankle), math.dist(hip, target)
    if asked <= was or hip[1] <= target[1]:
        return 0.0
    room = max(0.99 * (math.dist(hip, knee) + math.dist(knee, ankle)) - was, 1e-6)
    allowed = was + room * (1 - math.exp((was - asked) / room))
    aside = math.dist((hip[0], hip[2]), (target[0], target[2]))
    return max(hip[1] - target[1] - math.sqrt(max(allowed**2 - aside**2, 0.0)), 0.0)


def smooth_over(needed: list[float], bell: list[float]) -> list[float]:
    """Maximum within half a bell around each frame, then its mean weighted by the bell; the ends continue."""
    reach, n = len(bell) // 2, len(needed)
    sides = range(-reach, reach + 1)

    def most(t: int) -> float:
        return max(needed[min(max(t + k, 0), n - 1)] for k in sides)

    return [sum(w * most(t + k) for k, w in zip(sides, bell, strict=True)) for t in range(n)]


def laid_in(old: list[float], new: list[float]) -> list[float]:
    """A quaternion with the sign nearer to the one it replaces."""
    return [-x for x in new] if math.dist(old, [-x for x in new]) < math.dist(old, new) else new
