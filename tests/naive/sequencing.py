"""Foot phases, choice of method, ranges and weight curves of a sequence, from their definitions, by loops.

Times are frames of one clock. ``left`` is the last frame of the previous core, ``met`` the first of the following one.
"""

from __future__ import annotations

import itertools
import math

SHORTEST = 0.1
LONGEST_STEP = 2.0
SLACK = 0.5
UNMET = 0.5
BEND = 0.15


def phases(support, fps):
    """Foot-moving phases (foot, begin, end) of support flags (F, 2)."""
    n = len(support)
    enough = SHORTEST - 1e-9

    def stretches(flag):
        out, t = [], 0
        while t < n:
            if flag(t):
                begin = t
                while t < n and flag(t):
                    t += 1
                if (t - begin) / fps >= enough:
                    out.append((begin, t))
            t += 1
        return out

    both = stretches(lambda t: not support[t][0] and not support[t][1])
    flying = {t for begin, end in both for t in range(begin, end)}
    out = [("both", begin, end) for begin, end in both]
    for foot, word in enumerate(("left", "right")):
        found = stretches(lambda t, foot=foot: not support[t][foot] and t not in flying)
        out += [(word, begin, end) for begin, end in found]
    return sorted(out, key=lambda p: (p[1], p[2], p[0]))


def stand_around(phase, phases, first, last):
    """First and last frame for which the other foot stands around a phase; phases are (foot, begin, end)."""
    foot, begin, end = phase
    if foot == "both":
        return first, last
    steps = [(b, e) for word, b, e in phases if word != foot]
    start, stop = end - 1, begin + 1
    while start > first and not any(b < begin and start - 1 < e for b, e in steps):
        start -= 1
    while stop < last and not any(b >= begin and e > end and b <= stop for b, e in steps):
        stop += 1
    return start, stop


def outside(phase, left, met):
    """Begin and end of a phase, limited to the frames between the cores."""
    begin, end = max(phase[1], left), min(phase[2], met)
    return (begin, end)


def choose(previous, following, *, left, met, starts, fps):  # noqa: C901  # the three methods in turn
    """Method, previous phase and following phase; ``starts`` is the first frame of the following motion."""

    def counts(phase):
        begin, end = outside(phase, left, met)
        return (end - begin) / fps >= SHORTEST - 1e-9

    best = None
    for p in previous:
        for q in following:
            if p[0] != q[0] or not counts(p) or not counts(q):
                continue
            p_begin, p_end = outside(p, left, met)
            q_begin, q_end = outside(q, left, met)
            if (min(p_end, q_end) - max(p_begin, q_begin)) / fps < SHORTEST - 1e-9:
                continue
            length = q_end - p_begin
            if length > 0 and (best is None or length > best[0]):
                best = (length, p, q)
    if best is not None:
        return "transition", best[1], best[2]
    best = None
    for p in previous:
        if not counts(p):
            continue
        p_begin = outside(p, left, met)[0]
        if starts - p_begin > max(LONGEST_STEP * (p[2] - p_begin), SLACK * fps):
            continue
        if best is None or met - p_begin > best[0]:
            best = (met - p_begin, p)
    if best is not None:
        return "connection", best[1], None
    best = None
    for q in following:
        if (q[1] - max(left, starts)) / fps < SHORTEST - 1e-9:
            continue
        if best is None or q[1] < best[1]:
            best = q
    if best is not None:
        return "adaptation with step", None, best
    return "adaptation without step", None, None


def distance(a, b):
    """Mean distance of corresponding points."""
    return sum(math.dist(p, q) for p, q in zip(a, b, strict=True)) / len(a)


def step(points, t, ahead):
    """Pair of frames between which the speed at frame t is measured."""
    if t + ahead < len(points):
        return t, t + ahead
    return max(t - ahead, 0), t


def speed(points, t, ahead, fps):
    """V(t) = D(t, t + eps) / eps."""
    a, b = step(points, t, ahead)
    return distance(points[a], points[b]) * fps / max(b - a, 1)


def slopes(a, t0, b, t1, *, seconds, ahead, fps):
    """Slopes of the weight curve at both ends that match the speeds."""
    apart = distance(a[t0], b[t1])
    if apart < 1e-9:
        return 1.0, 1.0
    mean = apart / seconds
    out = []
    for points, t in ((a, t0), (b, t1)):
        begin, end = step(points, t, ahead)
        along = 0.0
        for k in range(len(points[t])):
            for c in range(3):
                along += (b[t1][k][c] - a[t0][k][c]) * (points[end][k][c] - points[begin][k][c])
        out.append(0.0 if along < 0 else speed(points, t, ahead, fps) / mean)
    return tuple(out)


def unmet(a, t0, b, t1, *, seconds, ahead, fps):
    """Joint velocities at both ends that the best slopes leave unmatched, plus a penalty on the curve's bend there."""
    apart = distance(a[t0], b[t1])
    found = slopes(a, t0, b, t1, seconds=seconds, ahead=ahead, fps=fps)
    total = 0.0
    for (points, t), slope in zip(((a, t0), (b, t1)), found, strict=True):
        begin, end = step(points, t, ahead)
        for k in range(len(points[t])):
            left = []
            for c in range(3):
                own = (points[end][k][c] - points[begin][k][c]) * fps / max(end - begin, 1)
                asked = 0.0 if apart < 1e-9 else min(slope, 3.0) * (b[t1][k][c] - a[t0][k][c]) / seconds
                left.append(own - asked)
            total += 0.5 * UNMET * math.sqrt(sum(x * x for x in left)) / len(points[t])
    first, last = (min(slope, 3.0) for slope in found)
    bend = max(abs(6 - 4 * first - 2 * last), abs(6 - 2 * first - 4 * last))
    return total + BEND * bend * apart / seconds / seconds


def objective(a, t0, b, t1, *, seconds, phase_seconds, weights, typical, ahead, fps):
    """Eq. 9 with every term over its typical value; velocities that the curve leaves unmatched count as velocity."""
    apart = distance(a[t0], b[t1])
    mean = apart / seconds
    v0, v1 = speed(a, t0, ahead, fps), speed(b, t1, ahead, fps)
    time = seconds / typical[0] if phase_seconds is None else abs(phase_seconds - seconds) / typical[3]
    velocity = (abs(v0 - mean) + abs(v1 - mean)) / 2
    velocity += unmet(a, t0, b, t1, seconds=seconds, ahead=ahead, fps=fps)
    return weights[0] * time + weights[1] * apart / typical[1] + weights[2] * velocity / typical[2]


def best_range(a, a_start, b, b_start, first, last, **how):
    """Cost and best (t0, t1) of all within closed bounds ``first`` and ``last``, frames of the clock."""
    best = None
    for t0 in range(first[0], first[1] + 1):
        for t1 in range(max(last[0], t0 + 1), last[1] + 1):
            cost = objective(a, t0 - a_start, b, t1 - b_start, seconds=(t1 - t0) / how["fps"], **how)
            if best is None or cost < best[0]:
                best = (cost, t0, t1)
    return best


def hermite(x, begin, end):
    """Cubic from 0 to 1 with end slopes limited to 0 to 3."""
    begin, end = min(max(begin, 0.0), 3.0), min(max(end, 0.0), 3.0)
    h10, h01, h11 = x**3 - 2 * x**2 + x, -2 * x**3 + 3 * x**2, x**3 - x**2
    return min(max(h10 * begin + h01 + h11 * end, 0.0), 1.0)


def trend(distances):
    """Trend of distances from the fixed pose over a moving segment: growing, falling, or the frame of an inner peak."""
    top, low = max(distances), min(distances)
    slack = 0.05 * (top - low)
    if distances[-1] >= top - slack:
        return "growing", None
    if distances[0] >= top - slack:
        return "falling", None
    return "peak", distances.index(top)


def fading(step, *, farthest, frames, seconds, soonest, fps):
    """Offsets of one point: the step, faded by a quintic that begins and ends without acceleration.

    Its length, between two limits, keeps the offset within ``farthest``; where the shorter limit is too long for that,
    the offset is scaled down.
    """

    def faded(x):
        return x - 6 * x**3 + 8 * x**4 - 3 * x**5

    size = math.sqrt(sum(x * x for x in step))
    longest = min(max(frames - 1, 2), max(round(seconds * fps), 2))
    length = farthest / (0.194 * size) if size > 0 else longest
    length = min(max(length, min(longest, max(soonest * fps, 2))), longest)
    shares = [faded(min(s / length, 1.0)) / faded(1 / length) for s in range(1, frames)]
    most = size * max(shares, default=0.0)
    scale = min(1.0, farthest / most) if most > 0 else 1.0
    return [[share * scale * x for x in step] for share in shares]


def hardest_change(points, fps):
    """Largest change per second of the points' mean speed from frame to frame, by central differences."""
    speeds = []
    for t in range(1, len(points) - 1):
        total = 0.0
        for before, after in zip(points[t - 1], points[t + 1], strict=True):
            total += math.sqrt(sum((y - x) ** 2 for x, y in zip(before, after, strict=True)))
        speeds.append(total / len(points[t]) * fps / 2)
    return max((abs(b - a) * fps for a, b in itertools.pairwise(speeds)), default=0.0)


def carrying(heel, toe, heel_down, toe_down, tilts):
    """Flags of heel and toe of one foot, without the part that is lifted or lowered while the other carries it."""
    out = [list(heel_down), list(toe_down)]
    count = len(heel)
    t = 0
    while t < count:
        if not (heel_down[t] and toe_down[t]):
            t += 1
            continue
        end = t
        while end < count and heel_down[end] and toe_down[end]:
            end += 1
        apart = [math.dist(heel[k], toe[k]) for k in range(t, end)]
        if max(apart) - min(apart) > tilts:
            lengths = []
            for flags in (heel_down, toe_down):
                first, last = t, t
                while first > 0 and flags[first - 1]:
                    first -= 1
                while last + 1 < count and flags[last + 1]:
                    last += 1
                lengths.append(last - first)
            let_go = 0 if lengths[0] <= lengths[1] else 1
            for k in range(t, end):
                out[let_go][k] = False
        t = end
    return out


def core_fits(cores: list[tuple[int, int]], first: int, last: int, room: int) -> bool:
    """Whether a core of frames first to last, inclusive, is at least ``room`` frames from both ends of every other."""
    for other_first, other_last in cores:
        for frame in (first, last):
            for other in (other_first, other_last):
                if abs(frame - other) < room:
                    return False
        if first <= other_first <= last or other_first <= first <= other_last:
            return False
    return True


def nearest_fit(cores: list[tuple[int, int]], first: int, length: int, room: int, soonest: int) -> int:
    """Frame nearest to ``first``, the earlier of equals, not before ``soonest``, at which a core fits."""
    away = 0
    while True:
        for at in (first - away, first + away):
            if at >= soonest and core_fits(cores, at, at + length - 1, room):
                return at
        away += 1
