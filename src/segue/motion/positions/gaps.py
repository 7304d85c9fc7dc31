"""Joint positions as a fit needs them: joints not seen are bridged, noise is measured and, where there is much, smoothed."""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions

_MAD = 1.4826  # standard deviations of a normal distribution in a median deviation
_THIRD = np.sqrt(20.0)  # standard deviations of a third difference of noise in one of the noise
_ORDER = 3
_LONGEST = 0.12  # seconds to either side that a smoothed position may look at


def bridged(places: Positions, parents: Ints) -> tuple[Positions, Bools]:
    """Positions (F, J, 3) without gaps, and flags (F, J) of those that were filled.

    A joint not seen keeps its way from its parent, passed over evenly from before to after the gap; the root keeps its
    way from the joint that is seen most. Joints that are never seen stay not a number.
    """
    unseen = ~np.isfinite(places).all(axis=-1)
    out = np.array(places)
    out[unseen] = np.nan
    if not unseen.any():
        return out, unseen
    never = unseen.all(axis=0)
    if unseen[:, 0].any():
        best = int(np.argmin(unseen.sum(axis=0)))
        base = _filled(out[:, best])
        out[:, 0] = base + _filled(out[:, 0] - base) if not never[0] else np.nan
    for joint in range(1, len(parents)):
        if not unseen[:, joint].any() or never[joint]:
            continue
        above = int(parents[joint])
        while above > 0 and never[above]:
            above = int(parents[above])
        way = _filled(out[:, joint] - out[:, above])
        gone = unseen[:, joint]
        out[gone, joint] = out[gone, above] + way[gone]
    return out, unseen


def _filled(values: Positions) -> Positions:
    """Rows (F, 3) with gaps bridged by straight lines and the ends held; all not a number where nothing is known."""
    known = np.flatnonzero(np.isfinite(values).all(axis=-1))
    if not known.size:
        return values
    frames = np.arange(len(values))
    return np.stack([np.interp(frames, known, values[known, axis]) for axis in range(3)], axis=-1)


def noise_of(places: Positions, parents: Ints) -> Floats:
    """Standard deviation of the noise of each joint's coordinates (J,), metres: the lesser of two estimates.

    Noise shakes from frame to frame (third differences), and changes the lengths of bones. A motion that does only one
    of the two is no noise: fast moves, or a detector whose bones grow and shrink smoothly.
    """
    if len(places) < 8:
        return np.zeros(places.shape[1])
    third = np.diff(places, n=3, axis=0)
    shaking = _MAD * np.nanmedian(np.abs(third), axis=(0, 2)) / _THIRD
    bones = np.arange(1, len(parents))
    lengths = np.linalg.norm(places[:, bones] - places[:, parents[bones]], axis=-1)
    changing = _MAD * np.nanmedian(np.abs(lengths - np.nanmedian(lengths, axis=0)), axis=0) / np.sqrt(2.0)
    out: Floats = np.nan_to_num(np.minimum(shaking, float(np.nanmedian(changing)) if changing.size else 0.0))
    return out


def smoothed(places: Positions, noise: Floats, *, fps: float) -> tuple[Positions, float]:
    """Positions smoothed by polynomials over short windows, and the mean window in seconds.

    Each joint has the window for which Stein's unbiased estimate of what is left wrong is least: what the smoothing
    takes away, less the noise that it should take.
    """
    from scipy.signal import savgol_coeffs, savgol_filter

    count = len(places)
    out = np.array(places)
    halves = [half for half in range(2, int(_LONGEST * fps) + 2) if 2 * half + 1 <= count]
    taken = []
    for joint in range(places.shape[1]):
        values = places[:, joint]
        if not np.isfinite(values).all() or noise[joint] <= 0 or not halves:
            continue
        best, least, window = values, noise[joint] ** 2, 1
        for half in halves:
            width = 2 * half + 1
            tried = savgol_filter(values, width, _ORDER, axis=0, mode="interp")
            share = savgol_coeffs(width, _ORDER)[half]
            risk = float(np.mean((tried - values) ** 2)) + (2.0 * share - 1.0) * noise[joint] ** 2
            if risk < least:
                best, least, window = tried, risk, width
        out[:, joint] = best
        taken.append(window / fps)
    return out, float(np.mean(taken)) if taken else 0.0
