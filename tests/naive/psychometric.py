"""Psychometric functions, staircases and reversals from their definitions, in loops."""

from __future__ import annotations

import math


def share(level: float, *, threshold: float, slope: float, lapse: float, guess: float) -> float:
    """Weibull function that is halfway up at the threshold."""
    risen = 1.0 - 2.0 ** -((abs(level) / threshold) ** slope)
    return guess + (1.0 - guess - lapse) * risen


def log_likelihood(levels, shown, right, *, threshold, slope, lapse, guess) -> float:
    """Sum over levels of hits and misses, each times the logarithm of its probability."""
    total = 0.0
    for level, n, k in zip(levels, shown, right, strict=True):
        p = share(level, threshold=threshold, slope=slope, lapse=lapse, guess=guess)
        p = min(max(p, 1e-9), 1.0 - 1e-9)
        total += k * math.log(p) + (n - k) * math.log(1.0 - p)
    return total


def wang_places(right: list[bool], count: int) -> list[int]:
    """Level of each trial by Wang's rule for these answers, from the largest of ``count`` levels, state by state."""
    at, rising, row, out = count - 1, False, 0, []
    for hit in right:
        out.append(at)
        if hit:
            row += 1
        else:
            row, rising = 0, True
        if row >= 2:
            rising = False
            at = max(at - 1, 0)
        elif rising:
            at = min(at + 1, count - 1)
    return out


def row_places(right: list[bool], count: int, down: int) -> list[int]:
    """Level of each trial by an up-down rule: up after a wrong answer, down after ``down`` right ones in a row."""
    at, row, out = count - 1, 0, []
    for hit in right:
        out.append(at)
        if not hit:
            row, step = 0, 1
        else:
            row += 1
            step = -1 if row == down else 0
            row = 0 if row == down else row
        new = min(max(at + step, 0), count - 1)
        at = new
    return out


def reversals(places: list[int]) -> list[int]:
    """Trials at which the last move before and the first move after have opposite directions."""
    out = []
    for trial in range(1, len(places) - 1):
        after = places[trial + 1] - places[trial]
        before = 0
        for k in range(trial, 0, -1):
            before = places[k] - places[k - 1]
            if before:
                break
        if after and before and (after > 0) != (before > 0):
            out.append(trial)
    return out
