"""Naive twins of the contact rules, frame by frame."""

from __future__ import annotations

import math


def hysteresis(strong: list[bool], weak: list[bool]) -> list[bool]:
    """On when strong; stays on while weak, forwards and then backwards in time."""
    n = len(strong)
    forward, backward = [False] * n, [False] * n
    state = False
    for frame in range(n):
        state = strong[frame] or (state and weak[frame])
        forward[frame] = state
    state = False
    for frame in reversed(range(n)):
        state = strong[frame] or (state and weak[frame])
        backward[frame] = state
    return [forward[frame] or backward[frame] for frame in range(n)]


def without_short(flags: list[bool], frames: float) -> list[bool]:
    """Fill inner gaps shorter than a number of frames, then drop inner stretches shorter than that."""
    out = list(flags)
    for value in (False, True):
        frame = 0
        while frame < len(out):
            stop = frame
            while stop < len(out) and out[stop] == out[frame]:
                stop += 1
            if out[frame] == value and stop - frame < frames and frame > 0 and stop < len(out):
                for k in range(frame, stop):
                    out[k] = not value
            frame = stop
    return out


def part_speeds(places: list[list[list[float]]], fps: float) -> list[list[float]]:
    """Slower of the speeds from the frame before and to the frame after, a sixtieth of a second apart."""
    n = len(places)
    span = min(max(1, round(fps / 60)), n - 1)
    out = []
    for frame in range(n):
        row = []
        for part in range(len(places[frame])):
            best = math.inf
            for other in (frame - span, frame + span):
                if 0 <= other < n:
                    best = min(best, math.dist(places[frame][part], places[other][part]) * fps / span)
            row.append(best)
        out.append(row)
    return out
