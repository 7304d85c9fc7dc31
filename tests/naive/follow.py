"""How a walk follows a path, and the cheapest walk through a tiny maze, by loops. Imports nothing from segue."""

from __future__ import annotations

import math


def follow_path(
    state: list[float],
    samples: list[list[float]],
    bits: list[int],
    ground: list[list[float]],
    wanted: list[int],
    most_spare: float,
) -> list[float]:
    """Path index, spare, square metres times seconds off, and seconds of a wrong label, after a piece of motion."""
    turn, x, z, at, spare = state
    at = int(at)
    off = wrong = 0.0
    for (sx, sz, seconds, arc), carried in zip(samples, bits, strict=True):
        wx = math.cos(turn) * sx + math.sin(turn) * sz + x
        wz = math.cos(turn) * sz - math.sin(turn) * sx + z
        reach = spare + arc
        choices = [
            (math.dist(p, (wx, wz)), i) for i, p in enumerate(ground) if at <= i <= at + math.floor(reach)
        ]
        distance, now = min(choices)
        spare, at = min(reach - (now - at), most_spare), now
        off += distance**2 * seconds
        if wanted[at] and not wanted[at] & carried:
            wrong += seconds
    return [at, spare, off, wrong]


def cheapest_walk(
    edges: list[tuple[int, int, int, float, bool]],
    start: int,
    end: int,
    per_frame: float,
    alone: int,
    most: int,
) -> float:
    """Cost of the cheapest walk between two nodes, by trying every walk of at most ``most`` frames.

    Edges are (tail, head, frames, cost, is a blend); a blend begins at least ``alone`` frames after another blend or
    the start.
    """
    best = math.inf
    partial = [(start, 0, 0, 0.0)]
    while partial:
        node, frames, since, cost = partial.pop()
        if node == end and frames:
            best = min(best, cost)
        for tail, head, count, price, blend in edges:
            if tail == node and frames + count <= most and not (blend and since < alone):
                total = cost + count * per_frame + price
                if total < best:
                    partial.append((head, frames + count, 0 if blend else since + count, total))
    return best
