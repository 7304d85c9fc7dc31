"""Resampling to another frame rate, and cutting stretches of a clip."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen
from segue.errors import SettingError
from segue.maths.quaternions import slerp
from segue.motion.clip import FASTEST, SLOWEST, Clip, Origin, frames_round, steps_round

ON_A_FRAME = 1e-6
"""Frames; a time this near to a frame is taken as that frame."""


def sampled(clip: Clip, at: Floats) -> tuple[Quaternions, Positions]:
    """Interpolate rotations (slerp) and root positions (linear) at fractional frames (N,).

    Times within 1e-6 of a frame copy that frame bit for bit.
    """
    return frames_at((clip.rotations, clip.root_positions), at, first=0, last=clip.n_frames - 1)


def frames_at(
    motion: tuple[Quaternions, Positions], at: Floats, *, first: Ints | int, last: Ints | int
) -> tuple[Quaternions, Positions]:
    """Sample stretches of a motion as `sampled` does a clip; each has the rows from ``first`` to ``last`` (..., 1).

    Times (..., N) are relative to the first frame of a stretch.
    """
    near = np.rint(at)
    on = np.abs(at - near) < ON_A_FRAME
    whole = on.all()
    low = (near if whole else np.where(on, near, np.floor(at))).astype(np.int64)
    low = first + np.minimum(np.maximum(low, 0), last - first)
    rotations, roots = motion[0][low], motion[1][low]
    if whole:
        return rotations, roots
    high = np.minimum(low + 1, last)
    t = np.where(on, 0.0, at - (low - first))
    rotations[~on] = slerp(rotations[~on], motion[0][high[~on]], t[~on, None])
    return rotations, (1 - t)[..., None] * roots + t[..., None] * motion[1][high]


def resampled(clip: Clip, fps: float) -> Clip:
    """Return the same motion at another frame rate; the first frame is kept, the duration to within one frame.

    Origin frames are fractional frames of the clip's sources.

    Examples
    --------
    >>> import segue
    >>> resampled(segue.sample("walk"), 15).fps
    15.0
    """
    if fps == clip.fps:
        return clip
    if not SLOWEST <= fps <= FASTEST:
        msg = f"{fps} is not a frame rate; it lies from {SLOWEST:g} to {FASTEST:g} frames a second"
        raise SettingError(msg)
    count = int(np.floor(clip.seconds * fps + ON_A_FRAME)) + 1
    at: Floats = np.arange(count, dtype=np.float64) * (clip.fps / fps)
    rotations, roots = sampled(clip, at)
    out = clip.with_motion(rotations, roots, fps=fps, origin=origin_at(clip.origin, at))
    near = np.minimum(np.rint(at).astype(np.int64), clip.n_frames - 1)
    return out if clip.planted is None else out.with_contacts(clip.planted[near])


def origin_at(origin: Origin, at: Floats) -> Origin:
    """Return the origin at fractional frames: interpolated where the sources continue, else that of the nearer frame.

    A source may have another rate than the clip, so the usual step between neighbours is computed from the origin; a
    step of more than twice that is a cut. A cyclic source continues across the end of its cycle.
    """
    n_frames = len(origin.clip)
    near = np.clip(np.rint(at).astype(np.int64), 0, n_frames - 1)
    low = np.clip(np.floor(at).astype(np.int64), 0, n_frames - 1)
    high = np.minimum(low + 1, n_frames - 1)
    t = np.where(np.abs(at - near) < ON_A_FRAME, 0.0, at - low)[:, None]
    taken = origin.take(near)
    periods = origin.period_of(origin.clip)
    steps = np.abs(steps_round(np.diff(origin.frame[:, 0]), periods[1:, 0]))
    steps = steps[origin.clip[1:, 0] == origin.clip[:-1, 0]]
    usual = float(np.median(steps)) if steps.size else 0.0
    more = steps_round(origin.frame[high] - origin.frame[low], periods[low])
    # Across a cut, frames in between were never shown and are not named (decision 6).
    plays_on = np.all((origin.clip[low] == origin.clip[high]) & (np.abs(more) <= 2 * usual), axis=1)
    mixed = (plays_on & (t[:, 0] > 0))[:, None]
    ahead = frames_round((1 - t) * origin.frame[low] + t * (origin.frame[low] + more), periods[low])
    frame = np.where(mixed, ahead, taken.frame)
    weight = np.where(mixed, (1 - t) * origin.weight[low] + t * origin.weight[high], taken.weight)
    return Origin(origin.clips, taken.clip, frozen(frame), frozen(weight), origin.periods)


def cut(clip: Clip, start: int, stop: int) -> Clip:
    """Return frames ``start`` to ``stop`` (half open) of a clip."""
    if not 0 <= start < stop <= clip.n_frames:
        msg = f"clip {clip.name!r} has frames 0 to {clip.n_frames - 1}; cannot cut [{start}, {stop})"
        raise SettingError(msg)
    rows = np.arange(start, stop)
    out = clip.with_motion(clip.rotations[rows], clip.root_positions[rows], origin=clip.origin.take(rows))
    return out if clip.planted is None else out.with_contacts(clip.planted[rows])
