"""Smooth jitter out of a motion: a zero-phase low-pass filter on rotations and root.

Motion from video jitters from frame to frame. A second-order Butterworth filter is run forwards and backwards, as
is usual in kinematics (Winter 2009, sec. 2.2); with ``f`` the frequency and ``c`` the cut-off, its gain is

    1 / (1 + (sqrt(2) - 1) (tan(pi f / fps) / tan(pi c / fps))^4)

so half of the power passes at the cut-off, slow movement passes unchanged, and nothing is delayed. Quaternions are
filtered component by component, signs unrolled, and normalised: rotating the entire motion and smoothing it commute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from segue.arrays import Floats, sealed
from segue.errors import SettingError
from segue.maths.quaternions import unroll
from segue.motion.clip import Clip
from segue.motion.faults import usable_ranges

if TYPE_CHECKING:
    from segue.settings import SeamFeet

CUTOFF = 6.0
"""Hz: walking and running have little power above it, jitter of video capture most of its power (Winter 2009)."""
_TWICE = np.sqrt(2.0) - 1.0
"""For a filter run twice: its power is 0.5 at the cut-off, that of one run 0.64, so its own cut-off is higher."""
_SETTLES = 3.0  # periods of the cut-off by which a motion is extended at its ends


def smooth(clip: Clip, *, cutoff: float = CUTOFF, feet: SeamFeet = "locked") -> Clip:
    """Filter jitter out of a motion.

    Parameters
    ----------
    clip
        Any motion. Unusable frames (`segue.motion.faults`) stay as they are and do not affect others:
        repair them first with `segue.synthesis.repairing.repair`.
    cutoff
        Hz: half of the power passes at the cut-off, nearly all below half of it.
    feet
        How planted heels and toes are held where the legs are known (`segue.settings.SeamFeet`), because smoothing
        alone lets them slide; ``"free"``: as smoothing leaves them.

    Raises
    ------
    SettingError
        If the cut-off is not between 0.1 Hz and 0.45 of the frame rate.

    Examples
    --------
    >>> import numpy as np
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> noise = np.random.default_rng(1).normal(0, 0.004, (walk.n_frames, 3))
    >>> shaky = walk.with_motion(root_positions=walk.root_positions + noise)
    >>> calm = smooth(shaky)
    >>> off = [np.abs(each.root_positions - walk.root_positions).mean() for each in (shaky, calm)]
    >>> bool(off[1] < 0.6 * off[0])
    True
    """
    from segue.motion.body import is_human
    from segue.settings import feet_named
    from segue.synthesis.feet.planting import plant_feet
    from segue.synthesis.feet.steps import kept_motion

    feet = feet_named(feet)
    if not 0.1 <= cutoff <= 0.45 * clip.fps:
        most = 0.45 * clip.fps
        msg = f"a cut-off of {cutoff:g} Hz does not suit {clip.fps:g} frames a second; choose 0.1 to {most:g}"
        raise SettingError(msg)
    rotations, roots = np.array(clip.rotations), np.array(clip.root_positions)
    for start, stop in usable_ranges(clip):
        if stop - start > 2:
            turns = low_pass(unroll(clip.rotations[start:stop]), cutoff=cutoff, fps=clip.fps)
            turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
            back = np.sum(turns * clip.rotations[start:stop], axis=-1, keepdims=True) < 0
            rotations[start:stop] = np.where(back, -turns, turns)
            roots[start:stop] = low_pass(clip.root_positions[start:stop], cutoff=cutoff, fps=clip.fps)
    out = clip.with_motion(sealed(rotations), sealed(roots))
    if feet == "free" or not is_human(clip.skeleton):
        return out
    return plant_feet(out, keep=kept_motion(feet)).clip


def low_pass(values: Floats, *, cutoff: float, fps: float) -> Floats:
    """Filter values (F, ...) along the first axis, forwards and backwards; see the module.

    At its ends the motion is extended by its point reflection about the end value.

    Examples
    --------
    >>> import numpy as np
    >>> line = np.linspace(0.0, 3.0, 40)
    >>> bool(np.allclose(low_pass(line, cutoff=5.0, fps=60.0), line))
    True
    """
    from scipy.signal import sosfiltfilt

    n = len(values)
    reach = min(int(np.ceil(_SETTLES * fps / cutoff)), n - 1)
    out: Floats = sosfiltfilt(_sections(cutoff, fps), values, axis=0, padtype="odd", padlen=reach)
    return out


def _sections(cutoff: float, fps: float) -> Floats:
    """Second-order Butterworth section of power 0.5 at the cut-off after two runs: (1, 6) b0 b1 b2 a0 a1 a2."""
    warped = np.tan(np.pi * cutoff / fps) / _TWICE**0.25
    square, slope = warped * warped, np.sqrt(2.0) * warped
    whole = 1.0 + slope + square
    forward = np.array([square, 2 * square, square]) / whole
    back = np.array([whole, 2 * (square - 1), 1 - slope + square]) / whole
    return np.concatenate([forward, back])[None]
