"""Measures of a transition and the selection for a graph, one joint, frame and jump at a time.

Imports nothing from segue.
"""

from __future__ import annotations

import math

from naive.components import components as parts_that_reach_each_other

Point = list[float]
Frames = list[list[Point]]


def excess(made: float, source: float, *, factor: float, extra: float) -> float:
    """Excess over the source relative to the allowed one: ``factor`` times the source plus ``extra`` is the limit."""
    return (made - source) / (factor * source + extra - source)


def weight_of_a(p: int, n: int) -> float:
    """Weight of the motion left in frame p of a blend of n frames, eq. 4.6; one half at a hard cut."""
    if n == 0:
        return 0.5
    x = (p + 1) / n
    return 2 * x**3 - 3 * x**2 + 1


def speed_around(places: Frames, frame: int, fps: float) -> float:
    """Mean speed of all joints over a second around a frame, m/s; beyond an end the last step is repeated."""
    if len(places) < 2:
        return 0.0
    half = round(0.5 * fps)
    total = 0.0
    for moment in range(frame - half, frame + half + 1):
        now = min(max(moment, 1), len(places) - 1)
        moved = [math.dist(p, q) for p, q in zip(places[now - 1], places[now], strict=True)]
        total += sum(moved) / len(moved) * fps
    return total / (2 * half + 1)


def mismatch(a: Frames, b: Frames, starts: tuple[int, int], length: int, *, fps: float, size: float) -> float:
    """Frames of motion between the made pose and the nearer source pose; B is already aligned with A."""
    frames = max(length, 1)
    worst = 0.0
    for t in range(frames):
        here = a[min(starts[0] + t, len(a) - 1)]
        there = b[min(starts[1] + t, len(b) - 1)]
        apart = sum(math.dist(p, q) for p, q in zip(here, there, strict=True)) / len(here)
        w = weight_of_a(t, length)
        worst = max(worst, apart * min(w, 1 - w))
    middles = [min(start + frames // 2, len(clip) - 1) for start, clip in zip(starts, (a, b), strict=True)]
    speed = max(speed_around(a, middles[0], fps), speed_around(b, middles[1], fps), 0.1 * size)
    return worst / (speed / 30)


def slip(
    made: list[list[Point]],
    sources: tuple[list[list[Point]], list[list[Point]]],
    firm: tuple[list[list[float]], list[list[float]]],
    starts: tuple[int, int],
    length: int,
) -> float:
    """Metres that a standing foot part moves in a blend beyond the mean step of its sources.

    Both sources are weighted by the blend and by how firmly they stand; a part stands where these weights sum to more
    than one half.

    ``made`` (length + 4 frames) begins two frames before the blend; positions are on the ground. Steps into the blended
    frames and the one after count. A frame outside a source has nothing planted.
    """
    worst = 0.0
    for part in range(4):
        total = 0.0
        for t in range(length + 1):
            stands, mean = [], (0.0, 0.0)
            for moment in (t - 1, t):
                share = 1.0 if moment < 0 else weight_of_a(moment, length) if moment < length else 0.0
                held, shift = 0.0, [0.0, 0.0]
                for clip, start, strength, weight in zip(
                    sources, starts, firm, (share, 1.0 - share), strict=True
                ):
                    frame = start + moment
                    now = min(max(frame, 0), len(clip) - 1)
                    stands_so = weight * strength[now][part] * (0 <= frame < len(clip))
                    held += stands_so
                    for axis in (0, 1):
                        shift[axis] += stands_so * (clip[now][part][axis] - clip[max(now - 1, 0)][part][axis])
                stands.append(held > 0.5)
                mean = (shift[0] / max(held, 1e-9), shift[1] / max(held, 1e-9))
            if all(stands):
                total += math.dist(made[t + 1][part], made[t + 2][part]) - math.hypot(*mean)
        worst = max(worst, total)
    return max(worst, 0.0)


def weighted_components(jumps, *, most, owner=None):
    """Components of jumps (part, frame, part, frame): nodes, frames and weight of each, the heaviest first.

    No clip counts for more than ``most`` frames; ``owner`` maps parts of clips to clips. Of equal weights the one with
    more frames comes first, then the one with the first node.
    """
    nodes = sorted({jump[:2] for jump in jumps} | {jump[2:4] for jump in jumps})
    pieces = [(k, k + 1) for k in range(len(nodes) - 1) if nodes[k][0] == nodes[k + 1][0]]
    edges = pieces + [(nodes.index(jump[:2]), nodes.index(jump[2:4])) for jump in jumps]
    found = []
    for part in parts_that_reach_each_other(len(nodes), edges):
        held = {}
        for head, tail in pieces:
            if head in part and tail in part:
                clip = nodes[head][0] if owner is None else owner[nodes[head][0]]
                held[clip] = held.get(clip, 0) + nodes[tail][1] - nodes[head][1]
        if sum(held.values()) > 0:
            weight = sum(min(frames, most) for frames in held.values())
            found.append((-weight, -sum(held.values()), min(part), {nodes[k] for k in part}))
    return [(where, -total, -weight) for weight, total, _, where in sorted(found, key=lambda row: row[:3])]


class Graph:
    """Jumps (clip, frame, clip, frame) and the component that some of them form."""

    def __init__(self, jumps, fps, seconds):
        self.jumps, self.fps, self.most = jumps, fps, seconds * fps

    def best(self, chosen):
        """Nodes, frames and weight of the heaviest component of the chosen jumps."""
        found = weighted_components([self.jumps[k] for k in chosen], most=self.most)
        return found[0] if found else (set(), 0, 0)

    def enough(self, chosen):
        """Whether the component contains a jump for every second of its frames."""
        nodes, frames, weight = self.best(chosen)
        inside = [k for k in chosen if self.jumps[k][:2] in nodes and self.jumps[k][2:4] in nodes]
        return weight > 0 and len(inside) >= frames / self.fps

    def span(self, chosen):
        """First and last frame of every clip that the component reaches."""
        out = {}
        for clip, frame in self.best(chosen)[0]:
            low, high = out.get(clip, (frame, frame))
            out[clip] = (min(low, frame), max(high, frame))
        return out

    def leading_on(self, chosen, more, least):
        """Those of ``more`` that leave a clip later or enter it earlier than reached so far, or use a new one."""
        reached, out = self.span(chosen), set()
        for k in more:
            a, leaves, b, arrives = self.jumps[k]
            new = a not in reached or b not in reached
            if new or leaves > reached[a][1] + least * self.fps or arrives < reached[b][0] - least * self.fps:
                out.add(k)
        return out


def best_first(jumps, shares, *, limit, share, fps):
    """Indices of the admitted jumps, and whether shares above a sufficient one are all sufficient.

    The best jumps that reach their part of the reachable frames and leave a choice in every second of it; then worse
    ones, in twelve levels, where they leave a clip a quarter second later or enter it a quarter second earlier than
    reached so far. If a clip is still not reached, any gain suffices, and as a last resort all are admitted.
    """
    graph = Graph(jumps, fps, 10.0)
    usable = [k for k in range(len(jumps)) if shares[k] <= limit]
    most = graph.best(usable)[2]
    if not most:
        return set(usable), True
    values = sorted({shares[k] for k in usable})
    bases = [[k for k in usable if shares[k] <= value] for value in values]
    good = [graph.best(base)[2] >= share * most and graph.enough(base) for base in bases]
    first = good.index(True) if any(good) else len(values) - 1
    admitted = set(bases[first])
    for step in range(1, 13):
        level = values[first] + (values[-1] - values[first]) * step / 12 if step < 12 else values[-1]
        admitted |= graph.leading_on(admitted, [k for k in usable if shares[k] <= level], 0.25)
    reachable = set(graph.span(usable))
    if not reachable <= set(graph.span(admitted)):
        admitted |= graph.leading_on(admitted, usable, 0.0)
    if not reachable <= set(graph.span(admitted)):
        admitted |= set(usable)
    return admitted, good == sorted(good)


def ground_velocities(places: Frames, fps: float) -> list[Point]:
    """Velocity (x, z) of the mean of all joints, m/s, averaged over a quarter of a second about each frame."""
    middle = [[sum(joint[c] for joint in frame) / len(frame) for c in (0, 2)] for frame in places]
    n = len(middle)
    raw = []
    for k in range(n):
        low, high = max(k - 1, 0), min(k + 1, n - 1)
        raw.append([(middle[high][c] - middle[low][c]) * fps / max(high - low, 1) for c in (0, 1)])
    half = round(0.5 * 0.25 * fps)
    out = []
    for k in range(n):
        rows = [min(max(k + j, 0), n - 1) for j in range(-half, half + 1)]
        out.append([sum(raw[row][c] for row in rows) / len(rows) for c in (0, 1)])
    return out


def own_pace(velocities: list[Point], frame: int, fps: float) -> float:
    """Largest change of velocity over a third of a second centred within half a second of a frame, m/s^2."""
    n, apart = len(velocities), min(round(fps / 3), len(velocities) - 1)
    most = 0.0
    for k in range(n - apart):
        at = k + apart // 2
        if abs(at - frame) <= round(0.5 * fps):
            change = math.dist(velocities[k], velocities[k + apart]) / (apart / fps)
            most = max(most, change)
    return most


def pace(a: Frames, b: Frames, starts: tuple[int, int], length: int, *, fps: float, most: float) -> float:
    """Change of ground velocity from A to the placed B amid a blend, over 1.5 times their own plus ``most``."""
    middle = max(length - 1, 0) // 2
    left, entered = ground_velocities(a, fps), ground_velocities(b, fps)
    change = math.dist(left[starts[0] + middle], entered[starts[1] + middle]) / max(length / fps, 1 / 30)
    own = max(own_pace(left, starts[0] + middle, fps), own_pace(entered, starts[1] + middle, fps))
    return change / (1.5 * own + most)


def knee_share(fastest, usual, hard, usual_hard):
    """Share of a knee's limits that is used: speed over the sources' or 15 rad/s, and how much harder it bends."""
    return max(fastest / max(usual, 15.0), (hard / usual_hard - 1.0) / 0.5)
