"""Blend lengths by their formulas (Wang, ch. V), frame by frame and joint by joint. Imports nothing from segue.

A window is a list of frames, a frame a list of joints' unit quaternions. ``leaving`` begins at the frame left,
``arriving`` ends at the frame arrived at.
"""

from __future__ import annotations

import math

from naive.quaternions import slerp

Window = list[list[list[float]]]


def half_angle(a: list[float], b: list[float]) -> float:
    """Length of the logarithm of the shorter rotation from b to a."""
    dot = abs(sum(x * y for x, y in zip(a, b, strict=True)))
    return math.acos(min(dot, 1.0))


def geodesic(leaving: Window, arriving: Window, b: int) -> list[float]:
    """Eq. V.1 for a blend of b frames, one number per joint: mean squared geodesic distance along the blend."""
    j = len(arriving) - 1
    joints = len(leaving[0])
    out = [0.0] * joints
    for t in range(1, b + 1):
        for k in range(joints):
            out[k] += half_angle(arriving[j - b + t][k], leaving[t - 1][k]) ** 2 / b
    return out


def centred(a: Window, b: Window, a_frame: int, b_frame: int, length: int) -> list[float]:
    """The same along a blend whose middle is at the two frames."""
    before = max(length // 2 - 1, 0)
    joints = len(a[0])
    out = [0.0] * joints
    for t in range(length):
        for k in range(joints):
            out[k] += half_angle(a[a_frame - before + t][k], b[b_frame - before + t][k]) ** 2 / length
    return out


def at(window: Window, place: float) -> list[list[float]]:
    """Frame at a fractional index."""
    low = min(int(place), len(window) - 1)
    high = min(low + 1, len(window) - 1)
    return [slerp(p, q, place - low) for p, q in zip(window[low], window[high], strict=True)]


def timewarped(leaving: Window, arriving: Window, b_from: int, b_to: int) -> list[float]:
    """Eq. V.5, divided by the longer length: the ends of both windows coincide, the shorter side is resampled."""
    longest = max(b_from, b_to)
    joints = len(leaving[0])
    out = [0.0] * joints
    first = len(arriving) - b_to
    for t in range(longest):
        share = t / (longest - 1) if longest > 1 else 0.0
        one, other = at(leaving, share * (b_from - 1)), at(arriving, first + share * (b_to - 1))
        for k in range(joints):
            out[k] += half_angle(other[k], one[k]) ** 2 / longest
    return out


def velocity(
    q_leave: list[list[float]],
    q_arrive: list[list[float]],
    speed_leave: list[float],
    speed_arrive: list[float],
) -> tuple[int, float]:
    """Eq. V.3 and V.4: the joint farthest apart, and its distance divided by the mean of its two speeds."""
    apart = [half_angle(p, q) for p, q in zip(q_leave, q_arrive, strict=True)]
    joint = apart.index(max(apart))
    mean = (speed_leave[joint] + speed_arrive[joint]) / 2
    return joint, (apart[joint] / mean if mean > 0 else math.inf)
