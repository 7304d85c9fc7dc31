"""Variants tried around a transition, one by one. Imports nothing from segue."""

from __future__ import annotations

from collections.abc import Callable

Tried = tuple[int, int, int, int, int]
"""First blended frame of A and of B, length, and number of frames by which the point moves in A and in B."""


def middle(start: int, length: int) -> int:
    """Frame of a motion at which it meets the other motion in a blend."""
    return start + max(length // 2 - 1, 0)


def around(
    a_start: int,
    b_start: int,
    length: int,
    *,
    later: list[int],
    apart: list[int],
    lengths: list[int],
    fits: Callable[[int, int, int], bool],
) -> list[Tried]:
    """Every other fitting blend of each length that meets some frames later in both motions, or later in B alone."""
    out = []
    for both in later:
        for more in apart:
            for n in lengths:
                back = max(n // 2 - 1, 0)
                a = middle(a_start, length) + both - back
                b = middle(b_start, length) + both + more - back
                if (both, more, n) != (0, 0, length) and fits(a, b, n):
                    out.append((a, b, n, both, both + more))
    return out
