"""The frame rate of key times in seconds, which glTF files do not say."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from segue.arrays import Floats
from segue.io.rates import KNOWN

USUAL = 30.0
"""Taken where keys tell nothing."""
_SLOWEST = 5.0
"""Keys rarer than this many a second are key poses, not frames."""
_SLOWEST_CURVE = 24.0
_OFF = 0.02
"""Frames by which a key may miss the grid: times rounded to milliseconds are still frames."""
_SAME = 1e-5
_FIRST = (30, 24, 25, 60, 50, 120, 100, 72, 90, 240)


def frame_rate(times: Iterable[Floats], *, told: float | None, curved: bool) -> tuple[float, str]:
    """Frames a second, and the sentence that says why.

    Parameters
    ----------
    times
        Key times of each channel, seconds.
    told
        The rate the file's maker wrote down; taken if all keys lie on its frames.
    curved
        Whether splines run between keys, which frames at keys alone would lose.

    Examples
    --------
    >>> import numpy as np
    >>> frame_rate([np.float32(np.arange(90) * 1001 / 30000)], told=None, curved=False)[0]
    29.97002997002997
    """
    keys = np.unique(np.concatenate(list(times)).astype(np.float64))
    keys = keys[np.concatenate([[True], np.diff(keys) > _SAME])]
    after = keys - keys[0]
    if told is not None and _fits(after, told, keys):
        return told, f"rate: {told:.6g} frames a second, as its maker wrote down"
    if keys.size == 1:
        return USUAL, f"rate: {USUAL:g} frames a second, the usual one; there is one key only"
    step = _step(after)
    slowest = _SLOWEST_CURVE if curved else _SLOWEST
    if 1.0 / step <= 1000.0 and _fits(after, 1.0 / step, keys):
        rate = _exact(after, step)
        if rate >= slowest * (1 - 1e-9):
            return rate, f"rate: {rate:.6g} frames a second, by the keys' spacing"
    fitting = next((float(rate) for rate in _FIRST if _fits(after, float(rate), keys)), None)
    if fitting is None:
        return USUAL, f"rate: {USUAL:g} frames a second, the usual one; the keys follow no rate"
    return fitting, f"rate: {fitting:g} frames a second; all keys fall on its frames"


def _fits(after: Floats, rate: float, keys: Floats) -> bool:
    """Tell whether all keys lie on frames, give or take the rounding of 32-bit times."""
    frames = after * rate
    slack = _OFF + 2.4e-7 * np.abs(keys).max() * rate
    return bool(np.abs(frames - np.rint(frames)).max() <= min(slack, 0.2))


def _step(after: Floats) -> float:
    """Shortest spacing, refined over ever longer stretches so that its rounding error never adds up to a frame."""
    gaps = np.diff(after)
    step = float(gaps[gaps < 1.5 * gaps.min()].mean())
    reach = 8
    while True:
        part = after[:reach]
        frames = np.rint(part / step)
        step = float(part @ frames / (frames @ frames))
        if reach >= after.size:
            return step
        reach *= 2


def _exact(after: Floats, step: float) -> float:
    """Known rate that explains the keys as well as the fitted step does; else the fitted one."""
    frames = np.rint(after / step)
    own = float(np.abs(after - frames * step).max())
    bound = 1.5 * own + 2.4e-7 * max(float(after[-1]), 1.0)
    rates = [float(n) for n in KNOWN] + [n * 1000 / 1001 for n in KNOWN] + [round(1.0 / step, 3)]
    misses = [float(np.abs(after - frames / rate).max()) if rate > 0 else np.inf for rate in rates]
    best = int(np.argmin(misses[:-1]))
    if misses[best] <= bound:
        return rates[best]
    return rates[-1] if misses[-1] <= bound else 1.0 / step
