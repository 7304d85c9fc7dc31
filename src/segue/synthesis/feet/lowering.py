"""Lower the root so that legs reach their feet, by a smooth curve over time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Positions, frozen
from segue.motion.kinematics import World
from segue.motion.limb_ik import Leg

_SOFT = 0.99
"""Share of a leg's length up to which a knee is straightened; a leg that was straighter stays as straight."""
_LEAST = 1e-9


def too_far(at: World, legs: Sequence[Leg], ankles: Positions, moved: Bools) -> Floats:
    """Return metres (F,) by which the hips must be lowered so that L legs reach without straightening suddenly.

    ``ankles`` (L, F, 3) are the targets where a leg is ``moved`` (L, F), to be reached as far as `reach_of` allows.
    """
    # x, y and z are rows (3, L, F).
    hips = at.positions.take([leg.hip for leg in legs], 1).transpose(2, 1, 0)
    x, down, z = spans = ankles.transpose(2, 0, 1) - hips
    asked = _lengths(spans)
    allowed, was = reach_of(at, legs, asked)
    needed = -down - np.sqrt(np.maximum(allowed * allowed - (x * x + z * z), 0.0))
    out: Floats = np.where(moved & (asked > was) & (down < 0.0), np.maximum(needed, 0.0), 0.0).max(axis=0)
    return out


def reach_of(at: World, legs: Sequence[Leg], asked: Floats) -> tuple[Floats, Floats]:
    """Return hip to ankle distances (L, F) in metres that L legs take up when ``asked`` (L, F), and those they have.

    A leg covers a longer distance by straightening, less and less the straighter it is, and never beyond 0.99 of its
    length, or beyond its present distance if that is longer.
    """
    joints = [joint for leg in legs for joint in (leg.hip, leg.knee, leg.ankle)]
    # x, y and z are rows (3, L, 3, F), hips, knees and feet in each.
    places = at.positions.take(joints, 1).transpose(2, 1, 0).copy().reshape(3, len(legs), 3, -1)
    was = _lengths(places[:, :, 2] - places[:, :, 0])
    bones = _lengths(places[:, :, 1:] - places[:, :, :2])
    room = np.maximum(_SOFT * (bones[:, 0] + bones[:, 1]) - was, 1e-6)
    return was + room * (1.0 - np.exp(-np.maximum(asked - was, 0.0) / room)), was


def smooth_above(needed: Floats, ease: int) -> Floats:
    """Return a smooth curve (F,) that is nowhere below what is needed and fades over ``ease`` frames.

    The maximum over ``ease`` frames to either side, then its mean under a Hann window of the same width.
    """
    out = np.zeros(len(needed))
    rows = np.flatnonzero(needed > 0.0)
    if not rows.size:
        return out
    first, last = max(int(rows[0]) - 2 * ease, 0), min(int(rows[-1]) + 1 + 2 * ease, len(needed))
    # The first and last frame are repeated beyond the ends.
    most = needed[np.clip(np.arange(first - 2 * ease, last + 2 * ease), 0, len(needed) - 1)]
    width = 1
    while width <= 2 * ease:  # the most of some frames from the most of fewer
        step = min(width, 2 * ease + 1 - width)
        most = np.maximum(most[:-step], most[step:])
        width += step
    smooth = np.correlate(np.maximum(most, 0.0), _bell(ease), mode="valid")
    out[first:last] = np.where(smooth < _LEAST, 0.0, smooth)
    return out


def _lengths(rows: Floats) -> Floats:
    """Lengths (...) of vectors whose x, y and z are rows (3, ...): numpy is faster on long contiguous rows."""
    out: Floats = np.sqrt(np.add.reduce(rows * rows))
    return out


@lru_cache(maxsize=32)
def _bell(ease: int) -> Floats:
    """Normalised Hann window (2 ease + 1,)."""
    window = np.hanning(2 * ease + 3)[1:-1]
    return frozen(window / window.sum())
