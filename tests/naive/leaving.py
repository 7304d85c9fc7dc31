"""The nearest transition by which a walk leaves a clip: loops over all transitions of a graph."""

from __future__ import annotations

from collections.abc import Sequence


def nearest_transition(
    transitions: Sequence[tuple[int, int, int, int, int]], clip: int, frame: int, another: float
) -> int | None:
    """Index of the first transition out of ``clip`` at or after ``frame`` that leads to another stretch.

    Each transition is (clip left, frame at which the blend starts, clip entered, frame of it at which the blend starts,
    frame arrived at). Another stretch is another clip, or frames more than ``another`` away. Of several transitions at
    one frame the one that arrives at the smallest frame is chosen, of those the first.
    """
    best = None
    for index, (left, start, entered, b_start, arrival) in enumerate(transitions):
        if left != clip or start < frame:
            continue
        if left == entered and abs(b_start - start) <= another:
            continue
        key = (start, arrival, index)
        if best is None or key < best:
            best = key
    return None if best is None else best[2]
