"""Clips to motion graph: compare, threshold, check every seam, keep what never ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np

from segue.arrays import Bools, Ints, frozen
from segue.blending.durations import check_method
from segue.blending.methods import Blend
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost
from segue.errors import SettingError, SkeletonError
from segue.graph.lengths import with_lengths
from segue.graph.looking import Seen, look_at
from segue.graph.matching import Matches, Progress, kind_of, match, one_per_sweet_spot, silent
from segue.graph.motion_graph import MotionGraph, Report
from segue.graph.pairs import Comparison, Kept, PairStore
from segue.graph.parts import Parts
from segue.graph.workers import Workers
from segue.measures.seams import SeamBounds
from segue.motion.clip import Clip
from segue.motion.cyclic import played_on
from segue.motion.resample import resampled
from segue.motion.roles import NEEDED, require
from segue.motion.skeleton import Skeleton
from segue.synthesis.retarget import retarget
from segue.synthesis.seam_check import JoinArrays
from segue.transitions.candidates import SearchSettings
from segue.transitions.knee import knee_threshold
from segue.transitions.threshold import (
    CAP,
    SHARE,
    Jumps,
    Threshold,
    auto_threshold,
    choice_graph,
    given_threshold,
    largest_component,
)


def most_common_rate(clips: Sequence[Clip]) -> float:
    """Frame rate that most clips have; of equals the higher."""
    counts = Counter(clip.fps for clip in clips)
    return max(counts, key=lambda fps: (counts[fps], fps))


def unified(
    clips: Sequence[Clip], *, skeleton: Skeleton | None = None, fps: float | None = None
) -> tuple[Clip, ...]:
    """Bring clips to one skeleton (the first clip's by default) and one rate (the most common by default).

    A clip that is exactly one cycle is played round and round first, for three seconds at least, so that a comparison
    window and a blend fit into it (`segue.motion.cyclic`).

    Raises
    ------
    SettingError
        If there are no clips or two have the same name.
    """
    if not clips:
        msg = "a motion graph needs at least one clip"
        raise SettingError(msg)
    names = Counter(clip.name for clip in clips)
    name, times = names.most_common(1)[0]
    if times > 1:
        msg = f"{times} clips are called {name!r}; rename them, so that each frame's origin is clear"
        raise SettingError(msg)
    body = clips[0].skeleton if skeleton is None else skeleton
    rate = most_common_rate(clips) if fps is None else fps
    return tuple(_on(resampled(retarget(played_on(clip), body), rate), body) for clip in clips)


def with_legs(clips: Sequence[Clip]) -> tuple[tuple[Clip, ...], dict[str, str]]:
    """Split off clips whose body's legs are unknown: the clips that can be joined, and why each other one cannot.

    Raises
    ------
    SkeletonError
        If no clip's legs are known; the first clip's reason.
    """
    kept, why = [], {}
    for clip in clips:
        try:
            require(clip.skeleton, *NEEDED)
            kept.append(clip)
        except SkeletonError as error:
            why[clip.name] = str(error)
    if clips and not kept:
        name, reason = next(iter(why.items()))
        msg = f"clip {name!r}: {reason}"
        raise SkeletonError(msg)
    return tuple(kept), why


def _on(clip: Clip, body: Skeleton) -> Clip:
    """Share one skeleton object."""
    if clip.skeleton is body:
        return clip
    return Clip(
        body,
        clip.rotations,
        clip.root_positions,
        clip.fps,
        name=clip.name,
        origin=clip.origin,
        source=clip.source,
    )


def build_graph(
    clips: Sequence[Clip],
    *,
    cost: Cost | None = None,
    threshold: float | Literal["auto", "knee"] = "auto",
    share: float = SHARE,
    blend: Blend | None = None,
    length: float | str | None = None,
    search: SearchSettings | None = None,
    bounds: SeamBounds | None = None,
    skeleton: Skeleton | None = None,
    fps: float | None = None,
    check_seams: bool = True,
    store: PairStore | None = None,
    workers: Workers | None = None,
    progress: Progress = silent,
) -> MotionGraph:
    """Build a motion graph.

    Parameters
    ----------
    clips
        Any clips whose bodies have the leg roles; names must differ.
    cost
        How unlike two moments are; by default the windowed point cloud.
    threshold
        Highest cost of a transition: a number, ``"knee"`` (where the sorted costs bend), or ``"auto"``: the lowest
        cost at which the graph holds ``share`` of the frames it holds with no threshold at all, never above three
        times the median next-frame cost.
    share
        For ``"auto"``.
    blend
        The way across; 1/3 s crossfade by default. With ``Blend(length="auto")`` and the like each transition gets a
        length of its own (`segue.blending.durations`); the search still asks for points that bear ``seconds``.
    length
        Instead of a ``blend``: seconds, or how to find each transition's length.
    search
        How points are looked for.
    bounds
        What a seam may do; transitions outside are left out.
    skeleton, fps
        Body and rate of the result; the first clip's and the most common by default.
    check_seams
        Synthesise every transition and hold it against ``bounds`` before it enters the graph.
    store
        Where pairs compared before are found and new ones kept. The graph is the same without it, unless a person
        called points good or bad there: a bad one is left out, a good one passes whatever its seam.
    workers
        Who compares pairs (`segue.graph.workers`); by default threads of this process. The graph is the same.
    progress
        Called with stage, done, total.

    Raises
    ------
    SettingError
        If a setting is out of range or two clips have one name.

    Notes
    -----
    A graph without any transition is returned, not refused: its report says the best cost and the threshold.
    """
    if length is not None:
        blend = (Blend() if blend is None else blend).lasting(length)
    clips, bodiless = with_legs(clips)
    ready = unified(clips, skeleton=skeleton, fps=fps)
    how = _comparison(cost, blend, search, bounds, ready[0])
    cost, blend, search = how.cost, how.blend, how.search
    check_method(blend.length, kind_of(search))
    kept = None if store is None else store.bound(clips, how)
    matches = _matched(ready, clips, how, kept, workers=workers, progress=progress)
    limit = _limit(matches, threshold)
    rows = _worth_looking_at(matches, limit, search, cost.rate)
    matches = with_lengths(matches, rows, ready, blend=blend, kind=kind_of(search), kept=kept)
    seen = look_at(
        matches,
        rows,
        ready,
        cost=cost,
        blend=blend,
        bounds=how.bounds,
        kind=kind_of(search),
        check_seams=check_seams,
        kept=kept,
        progress=progress,
    )
    usable, steps = _passing(matches, rows, seen, check_seams=check_seams)
    found = _threshold(threshold, matches, ready, usable, share)
    chosen = usable[rows] & (matches.lowest[rows] <= found.value)
    steps["below the threshold"] = int(chosen.sum())
    joins = seen.joins.take(np.flatnonzero(chosen))
    return _finish(ready, matches, rows[chosen], joins, found, steps, blend, cost, bodiless)


def _matched(
    ready: Sequence[Clip],
    clips: Sequence[Clip],
    how: Comparison,
    kept: Kept | None,
    *,
    workers: Workers | None,
    progress: Progress,
) -> Matches:
    """Every pair of clips compared, or taken from where it is kept."""
    return match(
        ready,
        cost=how.cost,
        blend=how.blend,
        search=how.search,
        parts=Parts.of(ready, clips),
        kept=kept,
        workers=workers,
        progress=progress,
    )


def _comparison(
    cost: Cost | None,
    blend: Blend | None,
    search: SearchSettings | None,
    bounds: SeamBounds | None,
    first: Clip,
) -> Comparison:
    """How clips are compared, with what is usual where nothing is asked for."""
    return Comparison(
        PointCloudCost() if cost is None else cost,
        Blend() if blend is None else blend,
        SearchSettings() if search is None else search,
        SeamBounds() if bounds is None else bounds,
        first.skeleton,
        first.fps,
    )


def _passing(matches: Matches, rows: Ints, seen: Seen, *, check_seams: bool) -> tuple[Bools, dict[str, int]]:
    """Flags of the rows that passed when they were looked at, and the steps so far."""
    steps = {**matches.steps, "at or below the highest cost looked at": len(rows)}
    usable = np.zeros(len(matches.lowest), dtype=bool)
    usable[rows] = seen.passes
    if check_seams and len(rows):
        steps["seam within bounds"] = int(usable.sum())
    return usable, steps


def _worth_looking_at(matches: Matches, limit: float, search: SearchSettings, rate: float) -> Ints:
    """Rows whose point, and mean along its blend, cost no more than a limit, and whose blend fits."""
    rows = one_per_sweet_spot(matches, np.flatnonzero(matches.cost <= limit), search, rate)
    out: Ints = rows[(matches.lowest[rows] <= limit) & np.isfinite(matches.lowest[rows])]
    return out


def _limit(matches: Matches, threshold: float | str) -> float:
    """Highest cost worth checking: a number given, the knee, or the automatic search's own limit."""
    if threshold == "auto":
        return CAP * matches.next_frame_cost
    if threshold == "knee":
        return _knee(matches).value
    if isinstance(threshold, str):
        msg = f"threshold={threshold!r} is not known; give a number, 'auto' or 'knee'"
        raise SettingError(msg)
    return given_threshold(threshold).value


def _knee(matches: Matches) -> Threshold:
    """Knee of the costs; without any minimum a threshold that nothing has to pass."""
    if np.isfinite(matches.once).any():
        return knee_threshold(matches.once)
    return Threshold(0.0, "knee", "there is no knee: no minimum was found")


def _jumps(matches: Matches, rows: np.ndarray | slice = slice(None)) -> Jumps:
    """Jumps between parts of clips: no piece of clip leads across an unusable frame."""
    joins, number = matches.joins, matches.parts.number
    leaves, arrives = joins.a_start[rows], (joins.b_start + joins.each)[rows]
    return Jumps(
        number(joins.a_clip[rows], leaves),
        leaves,
        number(joins.b_clip[rows], arrives),
        arrives,
        matches.lowest[rows],
    )


def _threshold(
    threshold: float | str, matches: Matches, clips: Sequence[Clip], usable: np.ndarray, share: float
) -> Threshold:
    if threshold == "auto":
        frames = np.array([clip.n_frames for clip in clips])
        return auto_threshold(
            _jumps(matches),
            clip_frames=frames,
            next_frame_cost=matches.next_frame_cost,
            share=share,
            usable=usable,
        )
    if threshold == "knee":
        return _knee(matches)
    return given_threshold(float(threshold))


def _finish(
    clips: tuple[Clip, ...],
    matches: Matches,
    rows: np.ndarray,
    joins: JoinArrays,
    threshold: Threshold,
    steps: dict[str, int],
    blend: Blend,
    cost: Cost,
    bodiless: dict[str, str],
) -> MotionGraph:
    choice = choice_graph(_jumps(matches, rows))
    component = largest_component(
        len(choice.clip),
        (choice.piece_from, choice.piece_to, choice.piece_frames),
        (choice.jump_from, choice.jump_to),
    )
    kept = component.kept
    node_clip = matches.parts.clip(choice.clip)
    inside = kept[choice.jump_from] & kept[choice.jump_to]
    steps["inside the largest component"] = int(inside.sum())
    report = Report(
        steps=steps,
        threshold=threshold,
        next_frame_cost=matches.next_frame_cost,
        best_cost=float(np.min(matches.lowest, initial=np.inf)),
        frames=sum(clip.n_frames for clip in clips),
        kept_frames=component.frames,
        dropped_clips={**bodiless, **_dropped(clips, matches, rows, node_clip[kept])},
        copies=matches.copies,
        short_clips=matches.short,
        notes=_left_out(clips, matches.parts),
    )
    return MotionGraph(
        clips,
        joins,
        frozen(matches.cost[rows]),
        frozen(matches.a_frames[rows], np.int64),
        frozen(matches.b_frames[rows], np.int64),
        frozen(node_clip, np.int64),
        choice.frame,
        choice.jump_from,
        choice.jump_to,
        kept,
        blend,
        cost,
        report,
        choice.clip,
    )


def _left_out(clips: Sequence[Clip], parts: Parts) -> tuple[str, ...]:
    """Say in which clips faulty frames are left out."""
    return tuple(
        f"{count} faulty frame{'s' if count > 1 else ''} of {clip.name!r} will not be played"
        for clip, count in zip(clips, parts.unusable.tolist(), strict=True)
        if count
    )


def _dropped(
    clips: Sequence[Clip], matches: Matches, rows: np.ndarray, reached: np.ndarray
) -> dict[str, str]:
    """Why each clip outside the component is outside."""
    joins = matches.joins
    left = set(joins.a_clip[rows].tolist())
    entered = set(joins.b_clip[rows].tolist())
    inside = set(reached.tolist())
    why = {}
    for number, clip in enumerate(clips):
        if number in inside:
            continue
        mine = (joins.a_clip == number) | (joins.b_clip == number)
        best = float(np.min(matches.lowest[mine], initial=np.inf))
        if clip.name in matches.short:
            why[clip.name] = matches.short[clip.name]
        elif number in left and number in entered:
            why[clip.name] = "its transitions do not lead back into the largest component"
        elif number in left:
            why[clip.name] = "it can be left but not entered under the threshold"
        elif number in entered:
            why[clip.name] = "it can be entered but not left under the threshold"
        elif np.isfinite(best):
            why[clip.name] = f"no transition passes; its best costs {best:.3g}"
        else:
            why[clip.name] = "no blend fits into it"
    return why
