"""From clips to a motion graph: compare, apply the threshold, check every seam, keep endless components."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import Literal

import numpy as np

from segue.arrays import Bools, Ints
from segue.blending.durations import check_method
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost
from segue.errors import SettingError, SkeletonError, all_loaded
from segue.graph.admission import CheckedCandidates, best_first, check_all, check_until_reached
from segue.graph.around import chosen_by_what_shows
from segue.graph.bridges import look_for_bridges
from segue.graph.finish import Made, assembled
from segue.graph.jumps import kind_of
from segue.graph.matching import Matches, match, one_per_sweet_spot
from segue.graph.motion_graph import GraphData
from segue.graph.pairs import Comparison, PairStore, StoredPairs
from segue.graph.parts import Parts
from segue.graph.walk import Walk, wander
from segue.graph.workers import Workers
from segue.motion.clip import Clip
from segue.motion.cyclic import played_on
from segue.motion.resample import resampled
from segue.motion.roles import NEEDED, require
from segue.motion.skeleton import Skeleton
from segue.settings import (
    DEFAULTS,
    Blend,
    Effort,
    Limit,
    SeamBounds,
    SeamFeet,
    SearchSettings,
    Settings,
    changed,
    names_checked,
)
from segue.settings.words import SEED
from segue.synthesis.retarget import retarget
from segue.synthesis.seam_price import SeamPricer
from segue.synthesis.transition_check import WORTH, TransitionChecker
from segue.threads import Progress, silent
from segue.transitions.knee import knee_threshold
from segue.transitions.threshold import CAP, Threshold, given_threshold


def most_common_rate(clips: Sequence[Clip]) -> float:
    """Frame rate of most clips; the higher one of a tie."""
    counts = Counter(clip.fps for clip in clips)
    return max(counts, key=lambda fps: (counts[fps], fps))


def unified(
    clips: Sequence[Clip], *, skeleton: Skeleton | None = None, fps: float | None = None
) -> tuple[Clip, ...]:
    """Retarget clips to one skeleton (by default the first clip's) and one rate (by default the most common).

    A clip that is exactly one cycle is first repeated for at least three seconds, so that a comparison window
    and a blend fit into it (`segue.motion.cyclic`).

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
    """Separate clips with unknown legs: the clips that can be joined, and the reason for each other one.

    Raises
    ------
    SkeletonError
        If no clip has known legs, with the reason of the first clip.
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


@names_checked("MotionGraph.build")
def build_graph(
    clips: Sequence[Clip],
    *,
    cost: Cost | None = None,
    threshold: Limit = DEFAULTS.threshold,
    quality: float = DEFAULTS.quality,
    share: float = DEFAULTS.share,
    blend: Blend | float | None = None,
    length: float | str | None = None,
    search: SearchSettings | None = None,
    bounds: SeamBounds | None = None,
    feet: SeamFeet = DEFAULTS.feet,
    skeleton: Skeleton | None = None,
    fps: float | None = None,
    check_seams: bool = DEFAULTS.check_seams,
    bridges: bool = DEFAULTS.bridges,
    effort: Effort = DEFAULTS.effort,
    component: int = DEFAULTS.component,
    store: PairStore | None = None,
    workers: Workers | None = None,
    progress: Progress = silent,
) -> MotionGraph:
    """Build a motion graph.

    Parameters
    ----------
    clips
        Clips of any bodies that have the leg roles; names must differ.
    cost
        Measure of how unlike two moments are; by default the windowed point cloud.
    threshold
        ``"auto"``: the measured quality of each transition decides (`segue.graph.admission`). A number, or
        ``"knee"`` (where the sorted costs bend), is the highest cost of a transition.
    quality
        Lowest quality of an admitted transition. 1, the default: within the bounds of seams, slip and mismatch
        (`segue.synthesis.transition_check`); 2: half of what they allow beyond the sources, 0.5: twice as much.
    share
        For ``"auto"``: share of the motion reachable at this quality that the best transitions alone must reach. All
        that are no worse are admitted; worse ones only where they lead to something not reached yet.
    blend
        Blend settings of transitions, or their seconds; 1/3 s by default. With ``Blend(length="auto")`` and
        similar each transition gets its own length (`segue.blending.durations`); the search still requires
        points suitable for ``seconds``.
    length
        Instead of a ``blend``: seconds, or the method that finds each transition's length.
    search
        Settings of the search for points.
    bounds
        Bounds of a seam.
    feet
        Treatment of feet in the finished motion, which is what is measured (`segue.synthesis.feet.seams`).
    skeleton, fps
        Body and rate of the result; the first clip's and the most common by default.
    check_seams
        Make every transition and compare it with the bounds before it enters the graph. Without it,
        ``"auto"`` admits costs up to three times the median next-frame cost.
    bridges
        For ``"auto"`` with checked seams: clips that no direct transition connects may be connected by longer
        blends with time warping (`segue.graph.bridges`), of the same quality as any other transition.
    component
        Number of the component that is walked, 1 for the one that holds most: distinct clips count, and at
        most ten seconds of each clip.
    effort
        ``"high"``: the place (within a fifth of a second of its point) and the length of each admitted transition are
        optimised (`segue.graph.around`); ``"standard"``: it is made at its point with the requested length.
    store
        Storage of compared pairs. The graph is the same without it, except for verdicts on points stored
        there: a bad point is left out, a good one passes whatever its seam.
    workers
        Execution of comparisons (`segue.graph.workers`); by default threads of this process. The graph is the same.
    progress
        Called with stage, done, total.

    Raises
    ------
    SettingError
        If a setting is out of range or two clips have the same name.

    Notes
    -----
    A graph without any transition is returned, not refused: its report gives the best cost and the threshold.

    Examples
    --------
    >>> import segue
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("stop"), segue.sample("start")], blend=0.25)
    >>> graph.wander(seconds=5, seed=1).n_frames
    301
    """
    all_loaded(clips)
    if isinstance(blend, int | float):
        blend = Blend(seconds=float(blend))
    if length is not None:
        blend = (Blend() if blend is None else blend).lasting(length)
    settings = Settings(
        threshold=threshold,
        quality=quality,
        share=share,
        feet=feet,
        fps=fps,
        check_seams=check_seams,
        bridges=bridges,
        effort=effort,
        component=component,
    )
    return graph_from(
        clips,
        changed(settings, {"blend": blend, "search": search, "bounds": bounds}),
        cost=PointCloudCost() if cost is None else cost,
        skeleton=skeleton,
        store=store,
        workers=workers,
        progress=progress,
    )


class MotionGraph(GraphData):
    """Clips of one skeleton at one rate and the transitions between them.

    Nodes are frames of clips where a transition leaves or arrives. Only one strongly connected component is
    walked, so no walk meets a dead end. Fields are those of `segue.graph.motion_graph.GraphData`.
    """

    build = staticmethod(build_graph)

    @staticmethod
    def of(data: GraphData) -> MotionGraph:
        """Return the graph with this data."""
        return MotionGraph(*(getattr(data, one.name) for one in fields(data)))

    def wander(
        self,
        *,
        seconds: float = 60.0,
        seed: int = SEED,
        by: Literal["cost", "probability"] = "cost",
        start: str | None = None,
    ) -> Walk:
        """Walk at random, exactly as long as requested; see `segue.graph.walk.wander`."""
        return wander(self, seconds=seconds, seed=seed, by=by, start=start)


def graph_from(
    clips: Sequence[Clip],
    settings: Settings,
    *,
    cost: Cost,
    skeleton: Skeleton | None = None,
    store: PairStore | None = None,
    workers: Workers | None = None,
    progress: Progress = silent,
) -> MotionGraph:
    """Build a motion graph from complete settings; ``cost`` and ``skeleton`` are those that the settings name.

    See `build_graph`.
    """
    clips, bodiless = with_legs(clips)
    ready = unified(clips, skeleton=skeleton, fps=settings.fps)
    how = Comparison(
        cost,
        settings.seams,
        settings.search,
        ready[0].skeleton,
        ready[0].fps,
    )
    check_method(how.blend.length, kind_of(how.search))
    kept = None if store is None else store.bound(clips, how)
    matches = match(
        ready,
        cost=how.cost,
        blend=how.blend,
        search=how.search,
        parts=Parts.of(ready, clips),
        below=None if isinstance(settings.threshold, str) else given_threshold(settings.threshold),
        kept=kept,
        workers=workers,
        progress=progress,
    )
    checked, admitted, found = _admitted(matches, ready, how, settings, kept=kept, progress=progress)
    made = Made(ready, checked, admitted, found, settings.quality, bodiless)
    return MotionGraph.of(assembled(made, how)).component(settings.component)


def _admitted(
    matches: Matches,
    clips: Sequence[Clip],
    how: Comparison,
    settings: Settings,
    *,
    kept: StoredPairs | None,
    progress: Progress,
) -> tuple[CheckedCandidates, Bools, Threshold]:
    """Checked candidates, flags of the admitted ones, and the equivalent threshold."""
    limit = 1.0 / settings.quality
    checker = None
    if settings.check_seams:
        makes = SeamPricer if settings.effort == "high" else TransitionChecker
        checker = makes(clips, how.seams, worth=max(limit, WORTH))
    if settings.threshold == "auto" and checker is not None:
        checked = check_until_reached(matches, clips, how, checker, limit=limit, kept=kept, progress=progress)
        if settings.bridges:
            checked = look_for_bridges(
                checked, clips, how, checker, limit=limit, kept=kept, progress=progress
            )
        admitted = best_first(checked, clips, limit=limit, share=settings.share)
        found = None
    else:
        found = _cost_threshold(settings, matches)
        rows = _worth_checking(matches, found.value, how.search, how.cost.rate)
        checked = check_all(matches, rows, clips, how, checker, kept=kept, progress=progress)
        admitted = checked.seen.passes(limit) & (checked.matches.lowest[checked.rows] <= found.value)
    if isinstance(checker, SeamPricer):
        checked = chosen_by_what_shows(checked, admitted, clips, how, checker, limit=limit, progress=progress)
    return checked, admitted, _found(checked, admitted, settings.quality) if found is None else found


def _worth_checking(matches: Matches, limit: float, search: SearchSettings, rate: float) -> Ints:
    """Rows whose point, and mean along its blend, cost no more than a limit, and whose blend fits."""
    rows = one_per_sweet_spot(matches, np.flatnonzero(matches.cost <= limit), search, rate)
    out: Ints = rows[(matches.lowest[rows] <= limit) & np.isfinite(matches.lowest[rows])]
    return out


def _cost_threshold(settings: Settings, matches: Matches) -> Threshold:
    """Highest cost of a transition: as given, the knee, or three next-frame costs if nothing is measured."""
    if settings.threshold == "auto":
        value = CAP * matches.next_frame_cost
        return Threshold(value, "auto", f"{CAP:g} x the median next-frame cost; seams are not checked")
    if settings.threshold == "knee":
        if np.isfinite(matches.once).any():
            return knee_threshold(matches.once)
        return Threshold(0.0, "knee", "there is no knee: no minimum was found")
    return given_threshold(settings.threshold)


def _found(checked: CheckedCandidates, admitted: Bools, quality: float) -> Threshold:
    """The admitted transitions as a threshold."""
    count = int(admitted.sum())
    if not count:
        sentence = f"no transition of {len(checked.rows)} that were made has quality {quality:g}"
        return Threshold(0.0, "auto", sentence)
    direct = admitted & ~checked.seen.joins.bridges
    value = float(checked.matches.lowest[checked.rows[direct]].max(initial=0.0))
    worst = float(checked.seen.share[admitted].max())
    sentence = f"{count} of {len(checked.rows)} transitions admitted, cost up to {value:.4g}"
    if worst > 0:
        sentence += f", quality {1.0 / worst:.3g} or better"
    if count > direct.sum():
        sentence += f"; {count - int(direct.sum())} of them are bridges"
    return Threshold(value, "auto", sentence)
