"""Find cycles: the stretch of a clip that repeats best.

The clip is compared with itself. A stretch from s to e is a cycle if the moments s and e are alike up to a ground
motion, the same foot parts bear weight in both, and in between the body has been in other poses. Closing spreads the
difference of s and e over the cycle, so a cycle is rated by its share of the motion: the difference of s and e,
divided by the frames between them, over the usual difference of a frame and the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.costs.matrix import next_frame_costs, require_rows
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost, Prepared
from segue.errors import NoTransitionError, SettingError
from segue.maths.planar import fit
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.faults import unusable_frames
from segue.motion.keytimes import keytimes
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut
from segue.motion.roles import require_legs

SHORTEST, LONGEST = 0.4, 10.0
"""Seconds a cycle lasts: a sprint's lasts half a second, a dance phrase up to ten."""
_UNSEEN = 0.05
"""Share of the motion that closing may add unnoticed; of strides below it the shortest is chosen."""
_CLEAR = 0.12
"""Share above which a stretch is no cycle."""
_FAR = 30.0
"""Ends that differ by more next-frame costs than this are different poses."""
_STILL = 2.5e-5  # m^2: half a centimetre; less between two frames is noise
_ELSEWHERE = 0.1  # of the 75th percentile of the costs: poses between the ends must differ by as much
_ALIKE = 4.0  # costs up to this many times the lowest are equally good where a longer cycle is better


@dataclass(frozen=True)
class Cycle:
    """A stretch that repeats: frame ``stop`` is frame ``start`` again, moved along the ground.

    Parameters
    ----------
    start, stop
        Frames of the clip.
    cost
        Cost between the two moments; 0 for a clip that is exactly one cycle, whose ends are compared in steps of its
        joints instead.
    next_frame_costs
        The same in median next-frame costs.
    share
        Motion that closing adds to a frame, as a share of its own motion.
    strides
        How often both feet strike within it: 1 is one stride, 0 none.
    """

    start: int
    stop: int
    cost: float
    next_frame_costs: float
    share: float
    strides: int

    @property
    def n_frames(self) -> int:
        """Frames from the start to where the motion starts again."""
        return self.stop - self.start


def find_cycle(
    clip: Clip, *, cost: Cost | None = None, shortest: float = SHORTEST, longest: float = LONGEST
) -> Cycle:
    """Find the best cycle of a clip.

    Of cycles that close unnoticed, the shortest in which both feet strike is chosen: one stride. Without strides, the
    longest, because a breath or a phrase should not repeat too soon.

    Parameters
    ----------
    clip
        Any clip with known legs.
    cost
        How unlike two moments are; the windowed point cloud by default.
    shortest, longest
        Seconds a cycle may last.

    Raises
    ------
    NoTransitionError
        If no stretch of the clip repeats; the message names the best one.
    SettingError
        If the clip is too short, or the times are not possible.
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> cycle = find_cycle(walk)
    >>> cycle.strides, round(cycle.n_frames / walk.fps, 2)
    (1, 1.1)
    """
    if not 0.1 <= shortest < longest <= 60.0:
        msg = f"cannot search for a cycle of {shortest:g} to {longest:g} s; give 0.1 to 60, the shorter first"
        raise SettingError(msg)
    require_legs([clip])
    cost = PointCloudCost() if cost is None else cost
    prepared = cost.prepare(clip)
    require_rows(prepared)
    lags = np.arange(round(shortest * cost.rate), min(round(longest * cost.rate), prepared.n - 1) + 1)
    if not lags.size:
        have = (prepared.n - 1) / cost.rate
        msg = (
            f"clip {clip.name!r} has {max(have, 0):.2f} s that can be compared, the shortest cycle "
            f"lasts {shortest:g} s; use a longer clip, or close a range of it (--from, --to)"
        )
        raise SettingError(msg)
    usual = max(float(np.median(next_frame_costs(prepared, cost))), _STILL)
    band, middle = _bands(clip, cost, prepared, lags)
    band = np.where(_fits(clip, prepared, lags), band, np.inf)
    there = band[np.isfinite(band)]
    far = middle >= _ELSEWHERE * float(np.percentile(there, 75)) if there.size else np.zeros_like(band, bool)
    found = _chosen(clip, np.where(far, band, np.inf), prepared, lags, usual)
    if isinstance(found, str):
        raise NoTransitionError(found)
    row, lag = found
    value = float(band[row, lag - lags[0]])
    start = int(prepared.frames[row])
    stop = _refined(clip, start, int(prepared.frames[row + lag]), round(clip.fps / cost.rate))
    return _cycle(clip, start, stop, value, usual, cost.rate)


def given_cycle(clip: Clip, start: int, stop: int, *, cost: Cost | None = None) -> Cycle:
    """Return the cycle between given frames, with the cost of closing it; ``stop`` is the first frame again.

    Raises
    ------
    SettingError
        If the range is not in the clip, or shorter than 0.1 s.

    Examples
    --------
    >>> import segue
    >>> given_cycle(segue.sample("walk"), 30, 96).share < 0.01
    True
    """
    if not 0 <= start < stop < clip.n_frames:
        msg = f"clip {clip.name!r} has frames 0 to {clip.n_frames - 1}; cannot loop {start} to {stop}"
        raise SettingError(msg)
    if stop - start < max(0.1 * clip.fps, 4):
        msg = f"{(stop - start) / clip.fps:.3g} s are too short for a loop; give 0.1 s or more, and 5 frames"
        raise SettingError(msg)
    require_legs([clip])
    cost = PointCloudCost() if cost is None else cost
    prepared = cost.prepare(clip)
    require_rows(prepared)
    usual = max(float(np.median(next_frame_costs(prepared, cost))), _STILL)
    rows = [int(np.argmin(np.abs(prepared.frames - frame))) for frame in (start, stop)]
    value = float(cost.pairs(prepared, prepared, np.array(rows[:1]), np.array(rows[1:]))[0])
    return _cycle(clip, start, stop, value, usual, cost.rate)


def _cycle(clip: Clip, start: int, stop: int, value: float, usual: float, rate: float) -> Cycle:
    given = keytimes(clip)
    inside = [word for frame, word in zip(given.frames, given.events, strict=True) if start < frame <= stop]
    strides = min(inside.count("left strike"), inside.count("right strike"))
    share = float(np.sqrt(value / usual)) / max((stop - start) * rate / clip.fps, 1.0)
    return Cycle(start, stop, value, value / usual, share, strides)


def _bands(clip: Clip, cost: Cost, prepared: Prepared, lags: Ints) -> tuple[Floats, Floats]:
    """Costs (N, L) of each moment and the one a lag later, and the largest cost of it and any moment between.

    Computed in pieces twice as long as the longest lag, so that cost grows linearly with the clip.
    """
    n, widest = prepared.n, int(lags[-1])
    band = np.full((n, lags.size), np.inf)
    middle = np.zeros((n, lags.size))
    for first in range(0, n, widest):
        values, count = _piece(clip, cost, prepared, first, min(2 * widest, n - first))
        for row in range(min(widest, count - 1)):
            line = values[row, row:]
            reach = lags[lags < line.size]
            band[first + row, : reach.size] = line[reach]
            middle[first + row, : reach.size] = np.maximum.accumulate(line)[reach]
    return band, middle


def _piece(clip: Clip, cost: Cost, prepared: Prepared, first: int, count: int) -> tuple[Floats, int]:
    """Costs of ``count`` rows from ``first`` on with each other, and the count that fits."""
    if count == prepared.n:
        values = cost.matrix(prepared, prepared)
        return np.asarray(values, dtype=np.float64), count
    ratio = clip.fps / prepared.rate
    start = round(first * ratio)
    stop = min(round((first + count + prepared.needed_frames) * ratio) + 1, clip.n_frames)
    part = cost.prepare(cut(clip, start, stop))
    count = min(count, part.n)
    return np.asarray(cost.matrix(part, part), dtype=np.float64)[:count, :count], count


def _fits(clip: Clip, prepared: Prepared, lags: Ints) -> Bools:
    """Flags (N, L): the same foot parts bear weight at both ends, and no frame in between is unusable."""
    flags = contacts(clip).flags
    step = max(round(clip.fps / prepared.rate), 1)
    around = np.stack([np.roll(flags, k, axis=0) for k in (-step, 0, step)])
    down, up = np.all(around, axis=0)[prepared.frames], ~np.any(around, axis=0)[prepared.frames]
    bad = np.concatenate([[0], np.cumsum(unusable_frames(clip))])
    rows = np.arange(prepared.n)
    out = np.zeros((prepared.n, lags.size), dtype=bool)
    for column, lag in enumerate(lags):
        here = rows[: prepared.n - lag]
        there = here + lag
        clash = np.any((down[here] & up[there]) | (up[here] & down[there]), axis=1)
        faulty = bad[prepared.frames[there] + 1] > bad[prepared.frames[here]]
        out[here, column] = ~(clash | faulty)
    return out


def _chosen(clip: Clip, band: Floats, prepared: Prepared, lags: Ints, usual: float) -> tuple[int, int] | str:
    """Row and lag of the best cycle, or why there is none."""
    share = np.sqrt(band / usual) / lags
    if not np.isfinite(band).any():
        return (
            f"clip {clip.name!r} has no cycle: no two moments {lags[0] / prepared.rate:.2g} to "
            f"{lags[-1] / prepared.rate:.2g} s apart have the same feet on the ground with sound frames between "
            "them; close a range of it (--from, --to) whatever it costs"
        )
    allowed = (band <= _FAR * usual) & (share <= _CLEAR)
    if not allowed.any():
        row, column = (int(k) for k in np.unravel_index(int(np.argmin(share)), share.shape))
        at = prepared.frames[[row, row + lags[column]]] / clip.fps
        return (
            f"clip {clip.name!r} has no cycle: it comes nearest to itself from {at[0]:.2f} to {at[1]:.2f} s, where the "
            f"ends differ by {band[row, column] / usual:.0f} times a frame and the next (up to {_FAR:.0f} is a cycle) "
            f"and closing would add {share[row, column]:.0%} to what moves (up to {_CLEAR:.0%}); close that range "
            "(--from, --to) whatever it costs, or use a clip that repeats something"
        )
    strides = allowed & _strides(clip, prepared, lags)
    if strides.any():
        good = strides & (share <= max(_UNSEEN, 2.0 * float(share[strides].min())))
        column = int(np.flatnonzero(good.any(axis=0))[0])
        # The same stride a frame longer or shorter may close better.
        near = slice(column, column + 1 + max(round(0.1 * lags[column]), 1))
        cells = np.where(good, band, np.inf)[:, near]
        at_row, best = divmod(int(np.argmin(cells)), cells.shape[1])
        return at_row, int(lags[column + best])
    good = allowed & (band <= max(_ALIKE * float(band[allowed].min()), _ALIKE * _ALIKE * 1e-6))
    column = int(np.flatnonzero(good.any(axis=0))[-1])
    best_row = int(np.argmin(np.where(good[:, column], band[:, column], np.inf)))
    return best_row, int(lags[column])


def _strides(clip: Clip, prepared: Prepared, lags: Ints) -> Bools:
    """Flags (N, L): both feet strike between the ends."""
    given = keytimes(clip)
    out = np.ones((prepared.n, lags.size), dtype=bool)
    for word in ("left strike", "right strike"):
        frames = np.array([f for f, w in zip(given.frames, given.events, strict=True) if w == word])
        count = np.concatenate([[0], np.cumsum(np.bincount(frames.astype(int), minlength=clip.n_frames + 1))])
        for column, lag in enumerate(lags):
            here = np.arange(prepared.n - lag)
            first, last = prepared.frames[here], prepared.frames[here + lag]
            out[here, column] &= count[last + 1] > count[first + 1]
    return out


def _refined(clip: Clip, start: int, stop: int, ratio: int) -> int:
    """Frame near ``stop`` whose joint positions and speeds are nearest to those of ``start``."""
    if ratio <= 1:
        return stop
    at = world_positions(clip)
    spread = max(round(clip.fps / 30.0), 1)
    tried = np.arange(max(stop - ratio, start + 4), min(stop + ratio + 1, clip.n_frames))
    window = np.array([-spread, 0, spread])
    fits = tried[(tried + spread < clip.n_frames)]
    if start < spread or not fits.size:
        return stop
    ours = at[start + window].reshape(-1, 3)
    weights = np.ones(len(ours))
    left = []
    for frame in fits:
        theirs = at[frame + window].reshape(-1, 3)
        left.append(float(np.sum((ours - fit(ours, theirs, weights).apply(theirs)) ** 2)))
    return int(fits[int(np.argmin(left))])
