"""The nearest transition by checking every point in turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def nearest(
    points: Iterable[dict[str, Any]], clip: str, frame: int, *, to: str | None = None, verified: bool = True
) -> tuple[int, int] | None:
    """Frame left and frame entered of the first point at or after a frame; of equals, the smallest frame entered."""
    best = None
    for point in points:
        if point["a_clip"] != clip or point["a_frame"] < frame:
            continue
        if to is not None and point["b_clip"] != to:
            continue
        if verified and not point["verified"]:
            continue
        here = point["a_frame"], point["b_frame"]
        nearer = best is None or here[0] < best[0]
        if nearer or (here[0] == best[0] and here[1] < best[1]):
            best = here
    return best
