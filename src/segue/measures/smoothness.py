"""Measure jerk and knees, which pop where frames do not fit together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Positions, frozen
from segue.measures.seams import SOURCE_SECONDS, at_ends, seam_ranges, source_ends
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.limb_ik import Leg
from segue.motion.skeleton import Skeleton

_AROUND = 2
_USUAL = 99.0
_LEAST = 0.5  # rad/s^2, invisible


def jerks(clip: Clip) -> Floats:
    """Return the jerk (F-3, J) of every joint in m/s^3: third differences of world positions.

    Examples
    --------
    >>> import segue
    >>> jerks(segue.sample("walk", fps=30)).shape[0]
    178
    """
    out: Floats = np.linalg.norm(np.diff(world_positions(clip), 3, axis=0), axis=-1) * clip.fps**3
    return out


def knee_bends(clip: Clip) -> Floats:
    """Return the bend (F, 2) of left and right knee in radians, 0 for a straight leg."""
    return bends_at(clip.skeleton, world_positions(clip))


def bends_at(skeleton: Skeleton, at: Positions) -> Floats:
    """Return the bend (..., 2) of left and right knee in radians for joint positions (..., J, 3)."""
    return bends_of(_legs(skeleton), at)


@lru_cache(maxsize=64)
def _legs(skeleton: Skeleton) -> tuple[Leg, Leg]:
    return Leg.of(skeleton, "left"), Leg.of(skeleton, "right")


def bends_of(legs: Sequence[Leg], at: Positions) -> Floats:
    """Return the bend (..., L) of the knees of legs in radians for joint positions (..., J, 3)."""
    hips, knees, ankles = (
        at.take([getattr(leg, joint) for leg in legs], -2) for joint in ("hip", "knee", "ankle")
    )
    a, b, c, x, y, z = (bone[..., k] for bone in (knees - hips, ankles - knees) for k in range(3))
    across = np.sqrt((b * z - c * y) ** 2 + (c * x - a * z) ** 2 + (a * y - b * x) ** 2)
    out: Floats = np.arctan2(across, a * x + b * y + c * z)
    return out


@dataclass(frozen=True)
class SeamSmoothness:
    """One seam compared with its sources.

    Parameters
    ----------
    start, stop
        Frames, half open.
    jerk
        Largest jerk of any joint within the seam over the 99th percentile of the sources'.
    knee
        Largest angular acceleration of a knee within the seam over the sources' largest.
    root_speed
        Largest difference in m/s of the root's ground speed from the range of the sources' speeds over the seam.
    """

    start: int
    stop: int
    jerk: float
    knee: float
    root_speed: float


def seam_smoothness(clip: Clip, sources: Sequence[Clip]) -> list[SeamSmoothness]:
    """Measure jerk, knees and root speed at every seam of a made motion, compared with its sources.

    Parameters
    ----------
    clip
        A made motion.
    sources
        The clips it was made from, on its skeleton and at its rate.

    Examples
    --------
    >>> import segue
    >>> walk, stop = segue.sample("walk"), segue.sample("stop")
    >>> made = segue.splice(walk, stop, segue.transition_points(walk, stop)[0])
    >>> [seam.knee < 3 for seam in seam_smoothness(made, [walk, stop])]
    [True]
    """
    if not sources or clip.n_frames < 4:
        return []
    usual = max(float(np.percentile(jerks(source), _USUAL)) for source in sources if source.n_frames > 3)
    bent = max(float(_knees_at(source)[1].max(initial=0.0)) for source in sources)
    speeds = [_ground_speeds(source) for source in sources]
    least, most = (float(f([f(s) for s in speeds if s.size])) for f in (min, max))
    made, knees, speed = jerks(clip), _knees_at(clip)[1], _ground_speeds(clip)
    out = []
    for start, stop in seam_ranges(clip.origin):
        rows = slice(max(start - _AROUND - 1, 0), stop + _AROUND)
        beyond = np.maximum(np.maximum(speed[rows] - most, least - speed[rows]), 0.0)
        out.append(
            SeamSmoothness(
                start,
                stop,
                float(made[rows].max(initial=0.0)) / max(usual, 1e-9),
                float(knees[rows].max(initial=0.0)) / max(bent, 1e-9),
                float(beyond.max(initial=0.0)),
            )
        )
    return out


def knee_ratios(
    clip: Clip, sources: Sequence[Clip], *, ranges: Sequence[tuple[int, int]] | None = None
) -> Floats:
    """Return how hard knees (S, 2), left and right, bend at each seam over the hardest in both sources near it.

    The largest angular acceleration of a knee in the blended frames and one to either side, over the largest within
    half a second of the join in either source, as `segue.measures.seams.seams` compares positions.

    Raises
    ------
    SettingError
        If a source named by the origin is missing, or has another rate or number of joints.

    Examples
    --------
    >>> import segue
    >>> walk, stop = segue.sample("walk"), segue.sample("stop")
    >>> made = segue.splice(walk, stop, segue.transition_points(walk, stop)[0])
    >>> bool((knee_ratios(made, [walk, stop]) < 1.5).all())
    True
    """
    ranges = seam_ranges(clip.origin) if ranges is None else ranges
    ends = source_ends(clip, sources, ranges)
    out: Floats = knee_motion(clip, ranges)[1] / at_ends(knee_peaks, ends, 2)[1]
    return out


def knee_motion(
    clip: Clip, ranges: Sequence[tuple[int, int]], *, positions: Positions | None = None
) -> Floats:
    """Return largest speed and acceleration (2, S, 2) of left and right knee at seams [start, stop): `bend_motion`.

    Pass world positions (F, J, 3) if they are known already.
    """
    made, out = _knees_at(clip, positions), np.zeros((2, len(ranges), 2))
    for k, (start, stop) in enumerate(ranges):
        out[:, k] = made[:, max(start - 1, 0) : max(stop, start) + 1].max(axis=1, initial=0.0)
    return out


@lru_cache(maxsize=128)
def knee_peaks(source: Clip) -> Floats:
    """Return largest speed and acceleration (2, F, 2) of the knees within half a second of each frame: `bend_motion`.

    Accelerations are at least the visible one, so that a ratio stays finite for a knee that rests in both sources.
    """
    from scipy.ndimage import maximum_filter1d

    size = 2 * round(SOURCE_SECONDS * source.fps) + 1
    out = maximum_filter1d(_knees_at(source), size, axis=1, mode="constant")
    out[1] = np.maximum(out[1], _LEAST)
    return frozen(out)


def bend_motion(bends: Floats, fps: float) -> Floats:
    """Return speed and acceleration (2, ..., F-2, L) in rad/s and rad/s^2 of bends (..., F, L), except at both ends.

    A frame's speed is the lower of the steps to it and from it. A captured knee that leaves its stop jumps within one
    step, and a blend must not be allowed that speed for longer.
    """
    steps = np.diff(bends, axis=-2) * fps
    before, behind = steps[..., :-1, :], steps[..., 1:, :]
    out: Floats = np.stack([np.minimum(np.abs(before), np.abs(behind)), np.abs(behind - before) * fps])
    return out


def _knees_at(clip: Clip, positions: Positions | None = None) -> Floats:
    """Speed and acceleration (2, F, 2) of the knees at every frame; 0 at both ends."""
    out = np.zeros((2, clip.n_frames, 2))
    if clip.n_frames > 2:
        at = world_positions(clip) if positions is None else positions
        out[:, 1:-1] = bend_motion(bends_at(clip.skeleton, at), clip.fps)
    return out


def _ground_speeds(clip: Clip) -> Floats:
    out: Floats = np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1) * clip.fps
    return out
