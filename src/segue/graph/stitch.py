"""Clips in a given order, each left and entered at its best transition."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints
from segue.blending.durations import check_method
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost
from segue.errors import NoTransitionError, SettingError, all_loaded
from segue.graph.build import unified
from segue.graph.checking import with_lengths
from segue.graph.matching import Matches, match, with_alignments
from segue.graph.walk import Walk
from segue.motion.clip import Clip
from segue.motion.faults import longest_usable
from segue.motion.skeleton import Skeleton
from segue.settings import Blend, SeamBounds, SearchSettings
from segue.synthesis.assemble import Plan
from segue.synthesis.joins import JoinArrays
from segue.synthesis.transition_check import check_joins
from segue.threads import Progress, silent
from segue.transitions.threshold import given_threshold

_CHECKED = 200  # lowest-cost jumps per pair whose seams are rendered and measured


@dataclass(frozen=True, eq=False)
class Stitched:
    """A motion in the requested order.

    ``costs`` and ``badness`` (n-1,) are the cost of each join and the share of the seam bounds it uses;
    ``next_frame_cost`` is the cost of a step of continuous motion, for comparison.
    """

    walk: Walk
    costs: Floats
    badness: Floats
    next_frame_cost: float


def stitch(
    clips: Sequence[Clip],
    *,
    cost: Cost | None = None,
    blend: Blend | None = None,
    bounds: SeamBounds | None = None,
    least_seconds: float = 1.0,
    threshold: float | None = None,
    skeleton: Skeleton | None = None,
    fps: float | None = None,
    progress: Progress = silent,
) -> Stitched:
    """Join clips in the given order through their best transitions.

    Of all choices of transitions through the complete order the one with the smallest sum of costs is taken (dynamic
    programming over the transition points of successive clips); a transition whose seam is out of bounds is only used
    if a pair has no other. Of a clip with faulty frames the longest sound stretch is played.

    Parameters
    ----------
    clips
        At least two; a clip may be repeated.
    cost, blend, bounds, skeleton, fps
        As in `segue.graph.build.build_graph`.
    least_seconds
        Each clip plays alone at least this long, if it is long enough.
    threshold
        Highest cost of a transition; by default any.
    progress
        Called with stage, done, total.

    Raises
    ------
    NoTransitionError
        If two successive clips cannot be joined; the message names them, the best cost and what to change.
    SettingError
        If fewer than two clips are given, or a setting is out of range.

    Examples
    --------
    >>> import segue
    >>> from segue.graph.stitch import stitch
    >>> made = stitch([segue.sample("start"), segue.sample("walk"), segue.sample("stop")])
    >>> made.walk.clips_played
    ('start', 'walk', 'stop')
    """
    all_loaded(clips)
    if len(clips) < 2:
        msg = (
            f"stitching needs at least two clips, in the order in which they are played; given: {len(clips)}"
        )
        raise SettingError(msg)
    if not 0 <= least_seconds < np.inf:
        msg = f"a clip cannot play alone for at least {least_seconds} s; give a number of seconds from 0"
        raise SettingError(msg)
    if threshold is not None:
        given_threshold(threshold)
    cost = PointCloudCost() if cost is None else cost
    blend = Blend() if blend is None else blend
    bounds = SeamBounds() if bounds is None else bounds
    names = list(dict.fromkeys(clip.name for clip in clips))
    distinct = [next(clip for clip in clips if clip.name == name) for name in names]
    for clip in clips:
        if not _same_motion(clip, distinct[names.index(clip.name)]):
            msg = f"two different clips are called {clip.name!r}; rename one, so that each frame's origin is clear"
            raise SettingError(msg)
    order = [names.index(clip.name) for clip in clips]
    ready = unified([longest_usable(clip) for clip in distinct], skeleton=skeleton, fps=fps)
    pairs = sorted({(min(a, b), max(a, b)) for a, b in itertools.pairwise(order)})
    matches = match(ready, cost=cost, blend=blend, search=SearchSettings(), pairs=pairs, progress=progress)
    least = round(least_seconds * ready[0].fps)
    rows, joins, badness = _candidates(ready, order, matches, cost, blend, bounds, threshold, least)
    taken = _cheapest_rows(ready, order, joins, [matches.lowest[r] for r in rows], badness, least)
    taken_joins = [joins[k].join(row) for k, row in enumerate(taken)]
    plan = Plan(order[0], 0, tuple(taken_joins), ready[order[-1]].n_frames)
    costs = np.array([matches.cost[rows[k][row]] for k, row in enumerate(taken)])
    walk = Walk(
        ready, plan, costs, plan.n_frames, blend.root, blend.way, name=" ".join(clip.name for clip in clips)
    )
    return Stitched(
        walk, costs, np.array([badness[k][row] for k, row in enumerate(taken)]), matches.next_frame_cost
    )


def _same_motion(a: Clip, b: Clip) -> bool:
    return a is b or (
        a.fps == b.fps
        and np.array_equal(a.rotations, b.rotations)
        and np.array_equal(a.root_positions, b.root_positions)
    )


def _candidates(
    clips: Sequence[Clip],
    order: list[int],
    matches: Matches,
    cost: Cost,
    blend: Blend,
    bounds: SeamBounds,
    threshold: float | None,
    least: int,
) -> tuple[list[np.ndarray], list[JoinArrays], list[Floats]]:
    """Rows, joins and seam badness of each step of the order."""
    joins = matches.joins
    rows = []
    for step, (a, b) in enumerate(itertools.pairwise(order)):
        mine = np.flatnonzero((joins.a_clip == a) & (joins.b_clip == b) & np.isfinite(matches.lowest))
        best = float(np.min(matches.lowest[mine], initial=np.inf))
        # Jumps that do not leave both clips long enough come last: otherwise all lowest-cost ones could be at
        # a clip's ends.
        before = joins.a_start[mine] - joins.length * (step > 0)
        after = clips[b].n_frames - joins.b_start[mine] - joins.length * (1 + (step < len(order) - 2))
        mine = mine[np.lexsort([matches.lowest[mine], np.minimum(before, after) < least])]
        if threshold is not None:
            mine = mine[matches.lowest[mine] <= threshold]
        if mine.size == 0:
            raise NoTransitionError(_why_none(clips[a], clips[b], matches, blend, best, threshold))
        rows.append(mine[:_CHECKED])
    # Check all in one batch, so that every clip's own peaks are computed only once.
    check_method(blend.length, "aligned")
    matches = with_lengths(matches, np.unique(np.concatenate(rows)), clips, blend=blend, kind="aligned")
    every = with_alignments(matches, np.concatenate(rows), clips, cost, kind="aligned")
    badness = check_joins(clips, every, blend=blend, bounds=bounds).badness
    edges = np.cumsum([0, *(len(mine) for mine in rows)])
    steps = [np.arange(start, stop) for start, stop in itertools.pairwise(edges)]
    return rows, [every.take(step) for step in steps], [badness[step] for step in steps]


def _why_none(a: Clip, b: Clip, matches: Matches, blend: Blend, best: float, threshold: float | None) -> str:
    pair = f"{a.name!r} cannot be followed by {b.name!r}"
    if (a.name, b.name) in matches.copies or (b.name, a.name) in matches.copies:
        return f"{pair}: they are two copies of one motion, which are not joined to each other"
    for clip in (a, b):
        if clip.name in matches.short:
            return f"{pair}: {matches.short[clip.name]}"
    if np.isfinite(best):
        return (
            f"{pair}: the best transition costs {best:.3g}, above --threshold {threshold:.3g}; give {best:.2g}, or "
            "leave --threshold out"
        )
    return f"{pair}: a blend of {blend.seconds:.3g} s does not fit into both; shorten it with --blend"


def _cheapest_rows(
    clips: Sequence[Clip],
    order: list[int],
    joins: list[JoinArrays],
    costs: list[Floats],
    badness: list[Floats],
    least: int,
) -> list[int]:
    """Row of each step of the lowest-cost choice in which every clip plays at least ``least`` frames alone."""
    # A seam out of bounds, or a clip cut short, costs more than any sum of real costs, so that it is the last resort.
    heavy = 1.0 + float(sum(np.max(c) for c in costs))
    step = [
        c + heavy * np.maximum(b - 1.0, 0.0) + heavy * (b > 1.0) for c, b in zip(costs, badness, strict=True)
    ]
    total = [step[0] + heavy * _cut_short(joins[0].a_start, least)]
    back: list[np.ndarray] = []
    for k in range(1, len(joins)):
        arrivals = joins[k - 1].arrivals
        alone = joins[k].a_start[None, :] - arrivals[:, None]
        entry = total[-1][:, None] + heavy * _cut_short(alone, least)
        entry = np.where(alone >= 0, entry, np.inf)
        back.append(np.argmin(entry, axis=0))
        total.append(step[k] + np.min(entry, axis=0))
    last = clips[order[-1]].n_frames - joins[-1].arrivals
    final = total[-1] + heavy * _cut_short(last, least)
    row = int(np.argmin(final))
    if not np.isfinite(final[row]):
        k = next(i for i, t in enumerate(total) if not np.isfinite(t).any())
        msg = (
            f"{clips[order[k]].name!r} is too short to be entered and left again in this order; "
            "shorten the blend with --blend or leave it out"
        )
        raise NoTransitionError(msg)
    taken = [row]
    for choice in reversed(back):
        taken.append(int(choice[taken[-1]]))
    return taken[::-1]


def _cut_short(alone: Ints | np.ndarray, least: int) -> Floats:
    """0 for clips that play alone long enough, else 1 plus the missing share."""
    missing = np.maximum(least - alone, 0) / max(least, 1)
    out: Floats = missing + (missing > 0)
    return out
