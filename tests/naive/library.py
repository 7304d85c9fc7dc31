"""Frames of one clip that are frames of another, and the frames of carried labels, by plain loops."""

from __future__ import annotations


def agreeing(
    old: list[list[float]], new: list[list[float]], scales: tuple[float, ...], shortest: int
) -> list[int]:
    """New row that each old row has become, or -1: the longest runs first, close agreement before loose."""
    out = [-1] * len(old)
    shortest = min(shortest, len(old), len(new))
    for scale in scales:
        fill(old, new, out, scale, shortest, 0, len(old), 0, len(new))
    return out


def fill(
    old: list[list[float]], new: list[list[float]], out: list[int], scale: float, shortest: int,
    start: int, stop: int, at: int, end: int,
) -> None:  # fmt: skip
    """Find the longest run among the remaining rows, then search before and after it."""
    for row in range(start, stop):
        if out[row] >= 0:  # matched in an earlier round: search on either side
            length = 1
            while row + length < stop and out[row + length] == out[row] + length:
                length += 1
            fill(old, new, out, scale, shortest, start, row, at, out[row])
            fill(old, new, out, scale, shortest, row + length, stop, out[row] + length, end)
            return
    best = (0, 0, 0)
    for i in range(start, stop):
        for j in range(at, end):
            length = 0
            while i + length < stop and j + length < end and same(old[i + length], new[j + length], scale):
                length += 1
            if length > best[2]:
                best = (i, j, length)
    i, j, length = best
    if length < shortest:
        return
    for step in range(length):
        out[i + step] = j + step
    fill(old, new, out, scale, shortest, start, i, at, j)
    fill(old, new, out, scale, shortest, i + length, stop, j + length, end)


def same(a: list[float], b: list[float], scale: float) -> bool:
    """Return whether no number differs by more than the scale."""
    return all(abs(x - y) <= scale for x, y in zip(a, b, strict=True))


def carried(start: int, stop: int, frames: list[int]) -> tuple[int, int] | None:
    """Frames of a label in the new clip: from its first to its last agreeing one."""
    found = [frames[k] for k in range(start, stop) if frames[k] >= 0]
    return (min(found), max(found) + 1) if found else None
