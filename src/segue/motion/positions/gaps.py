"""Joint positions made ready for a fit: gaps bridged, noise measured and, where there is much, smoothed."""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions

_MAD = 1.4826  # standard deviations of a normal distribution in a median deviation
_THIRD = np.sqrt(20.0)  # standard deviations of a third difference of noise in one of the noise
_ORDER = 3
_FEWEST = 8  # frames that tell noise from motion
_LONGEST = 0.12  # seconds to either side that a smoothed position may look at


def bridged(places: Positions, parents: Ints) -> tuple[Positions, Bools]:
    """Positions (F, J, 3) without gaps, and flags (F, J) of those that were filled.

    A joint not seen keeps its offset from its parent, passed over evenly from before to after the gap; the root keeps
    its offset from the joint that is seen most. Joints that are never seen stay not a number.
    """
    unseen: Bools = np.array(~np.isfinite(places).all(axis=-1), dtype=bool)
    out = np.array(places)
    out[unseen] = np.nan
    if not unseen.any():
        return out, unseen
    never: Bools = np.array(unseen.all(axis=0))
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
        offset = _filled(out[:, joint] - out[:, above])
        gone = unseen[:, joint]
        out[gone, joint] = out[gone, above] + offset[gone]
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
    out: Floats = np.zeros(places.shape[1])
    known: Bools = np.array(np.isfinite(places).all(axis=(0, 2)))
    bones = np.array([j for j in range(1, len(parents)) if known[j] and known[parents[j]]], dtype=np.int64)
    if len(places) < _FEWEST or not bones.size:
        return out
    third = np.diff(places[:, known], n=3, axis=0)
    lengths = np.linalg.norm(places[:, bones] - places[:, parents[bones]], axis=-1)
    changing = _MAD * np.median(np.abs(lengths - np.median(lengths, axis=0)), axis=0) / np.sqrt(2.0)
    out[known] = np.minimum(_MAD * np.median(np.abs(third), axis=(0, 2)) / _THIRD, np.median(changing))
    return out


def smoothed(places: Positions, noise: Floats, *, fps: float) -> tuple[Positions, float]:
    """Positions smoothed by polynomials over short windows, and the mean window in seconds.

    Each joint has the window for which Stein's unbiased estimate of what is left wrong is least: what the smoothing
    takes away, less the noise that it should take.
    """
    from scipy.signal import savgol_coeffs, savgol_filter

    count = len(places)
    halves = [half for half in range(2, int(_LONGEST * fps) + 2) if 2 * half + 1 <= count]
    rough = np.isfinite(places).all(axis=(0, 2)) & (noise > 0)
    if not halves or not rough.any():
        return places, 0.0
    out, values = np.array(places), places[:, rough]
    best, least, window = np.array(values), noise[rough] ** 2, np.ones(int(rough.sum()))
    for half in halves:
        width = 2 * half + 1
        tried = savgol_filter(values.reshape(count, -1), width, _ORDER, axis=0, mode="interp").reshape(
            values.shape
        )
        share = float(savgol_coeffs(width, _ORDER)[half])
        risk = np.mean((tried - values) ** 2, axis=(0, 2)) + (2.0 * share - 1.0) * noise[rough] ** 2
        better = risk < least
        best[:, better], least[better], window[better] = tried[:, better], risk[better], width
    out[:, rough] = best
    return out, float(window.mean()) / fps
