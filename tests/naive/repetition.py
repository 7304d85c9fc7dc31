"""Frames that repeat earlier ones, by a set. Imports nothing from segue."""

from __future__ import annotations


def repeats(moments: list[tuple[int, int]]) -> list[bool]:
    """True where a moment was shown earlier, with another moment in between."""
    seen: set[tuple[int, int]] = set()
    out: list[bool] = []
    for k, moment in enumerate(moments):
        if k and moment == moments[k - 1]:
            out.append(out[-1])
            continue
        out.append(moment in seen)
        seen.add(moment)
    return out
