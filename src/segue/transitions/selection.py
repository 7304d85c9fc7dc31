"""Public interface: transition points of two clips at a given or found threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, overload

import numpy as np

from segue.arrays import Bools, Costs, Ints, frozen
from segue.costs.matrix import median_next_frame_cost, next_frame_costs, require_rows
from segue.costs.protocol import Cost, Prepared
from segue.costs.registry import cost as cost_named
from segue.errors import NoPointError, loaded
from segue.motion.clip import Clip
from segue.motion.faults import carried_flags, unusable_frames
from segue.motion.roles import require_legs
from segue.settings import DEFAULTS, Limit, SearchMethod, SearchMode, SearchSettings, parse_threshold
from segue.transitions.candidates import candidates, jumps
from segue.transitions.copies import SharedMotion
from segue.transitions.knee import knee_threshold
from segue.transitions.pruning import BlendCells, Candidates, blend_cells, prune
from segue.transitions.threshold import Threshold, auto_threshold, given_threshold, held_frames
from segue.transitions.transition import TransitionPoint


@dataclass(frozen=True, eq=False)
class TransitionPoints(Sequence[TransitionPoint]):
    """Points from clip A to clip B that passed every step, lowest cost first, with counts of each step.

    Parameters
    ----------
    points
        From A to B.
    back
        From B to A, evaluated separately.
    threshold
        Value and explanation of the threshold.
    counts, back_counts
        Points left after each step, in the order of the steps.
    best_cost
        Lowest threshold at which any candidate from A to B passes; infinite if there is none.
    best_rejected
        The same among the candidates that did not pass.
    shared
        The stretch of motion that both clips share, if they are copies, in full or in part.
    a_clip, b_clip
        Names of the clips.

    Examples
    --------
    >>> import segue
    >>> points = segue.transition_points(segue.sample("walk"), segue.sample("run"), threshold=0.0)
    >>> len(points), points.sentence[:40]
    (0, "no transition from 'walk' to 'run': the ")
    """

    points: tuple[TransitionPoint, ...]
    back: tuple[TransitionPoint, ...]
    threshold: Threshold
    counts: Mapping[str, int]
    back_counts: Mapping[str, int]
    best_cost: float
    best_rejected: float
    shared: SharedMotion | None
    a_clip: str
    b_clip: str

    def __repr__(self) -> str:
        names = f"{self.a_clip!r} to {self.b_clip!r}"
        return f"<TransitionPoints {names}: {len(self.points)}, best cost {self.best_cost:.3g}>"

    def __len__(self) -> int:
        """Return the number of points from A to B."""
        return len(self.points)

    def __iter__(self) -> Iterator[TransitionPoint]:
        """Iterate over the points from A to B, lowest cost first."""
        return iter(self.points)

    @overload
    def __getitem__(self, index: int) -> TransitionPoint: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TransitionPoint, ...]: ...
    def __getitem__(self, index: int | slice) -> TransitionPoint | tuple[TransitionPoint, ...]:
        """Return a point from A to B, or several.

        Raises
        ------
        NoPointError
            If one is requested and none was found: the best cost, the threshold and what to change.
        """
        if not self.points and not isinstance(index, slice):
            raise NoPointError(self.sentence)
        return self.points[index]

    @property
    def sentence(self) -> str:
        """Summary of the result; if nothing was found, the best cost, the threshold and what to change."""
        pair = f"from {self.a_clip!r} to {self.b_clip!r}"
        if self.points:
            return f"{len(self)} transition points {pair}; {self.threshold.sentence}"
        if self.shared is not None and self.shared.whole:
            return (
                f"no transition {pair}: they hold the same motion for {self.shared.seconds:.1f} s; "
                "copies are not joined, leave one out"
            )
        if not np.isfinite(self.best_cost):
            return f"no transition {pair}: no blend fits into both clips; use longer clips or a shorter blend"
        return (
            f"no transition {pair}: the best costs {self.best_cost:.4g}, the threshold is {self.threshold.value:.4g} "
            f"({self.threshold.sentence}); allow at least threshold={self.best_cost * 1.001:.4g}, shorten the blend, "
            "or add clips that look more alike"
        )


def transition_points(
    a: Clip,
    b: Clip,
    *,
    cost: Cost | str | None = None,
    threshold: Limit | Threshold = DEFAULTS.threshold,
    method: SearchMethod = SearchSettings.method,
    mode: SearchMode = SearchSettings.mode,
    blend_seconds: float = SearchSettings.blend_seconds,
    sector_seconds: float = SearchSettings.sector_seconds,
    share: float = DEFAULTS.share,
) -> TransitionPoints:
    """Find the points at which clip ``a`` can be left for clip ``b``.

    Parameters
    ----------
    a, b
        Clips; the same one twice finds jumps within it, longer than window and blend length.
    cost
        Measure of how unlike two moments are: a registered name or a cost. By default the windowed point cloud.
    threshold
        Highest cost of a point: a number in the cost's unit; ``"auto"``, the lowest that keeps ``share`` of the motion
        within reach of both clips' jumps to each other; or ``"knee"``, where the sorted costs bend.
    method
        ``"local"``: minima of the matrix; ``"sectors"``: of its sectors.
    mode
        ``"centre"``: aligned points, blended around their frames. ``"source"``: start-end points from the
        frame left to the frame of arrival, as the source blends them.
    blend_seconds
        Length of the blend for which the mean cost along it must also pass the threshold.
    sector_seconds
        Side of a sector.
    share
        For ``"auto"``.

    Returns
    -------
    `TransitionPoints`; if nothing passes it is empty and its ``sentence`` gives the best cost and what to change.

    Raises
    ------
    SettingError
        If a setting is invalid or a clip is shorter than the cost's window.
    SkeletonError
        If a body has no legs: postures are compared on a standard body, which has them.

    Notes
    -----
    Steps and names follow joint-relative-distance motion graphs, section 4.5 (tables 5.2 and 5.3 report the
    same counts).

    Examples
    --------
    >>> import segue
    >>> points = segue.transition_points(segue.sample("walk"), segue.sample("stop"))
    >>> points[0].kind, points.counts["verified"] == len(points)
    ('aligned', True)
    """
    loaded(a, b)
    settings = SearchSettings(method, mode, blend_seconds, sector_seconds)
    how = (
        cost_named(DEFAULTS.cost if cost is None else cost) if cost is None or isinstance(cost, str) else cost
    )
    return search_pair(a, b, cost=how, settings=settings).at(threshold, share=share)


def search_pair(a: Clip, b: Clip, *, cost: Cost, settings: SearchSettings) -> PairSearch:
    """Compare two clips and find every candidate between them, for use with any threshold.

    Raises
    ------
    SettingError
        If a clip is shorter than the cost's window.
    SkeletonError
        If a body has no legs.

    Examples
    --------
    >>> import segue
    >>> walk, stop = segue.sample("walk"), segue.sample("stop")
    >>> found = search_pair(walk, stop, cost=segue.PointCloudCost(), settings=SearchSettings())
    >>> found.at("auto")[0] == segue.transition_points(walk, stop)[0]
    True
    """
    require_legs((a, b))
    pa = cost.prepare(a)
    pb = pa if b is a else cost.prepare(b)
    for prepared in (pa, pb):
        require_rows(prepared)
    steps = next_frame_costs(pa, cost), next_frame_costs(pb, cost)
    values = cost.matrix(pa, pb)
    found = candidates(pa, pb, cost=cost, settings=settings, values=values, next_frame=steps)
    blends = blend_cells(settings.mode, settings.length(pa.rate))
    found = away_from_faults(found, (a, b), (pa, pb), blends)
    return PairSearch((pa, pb), cost, settings, values, found, median_next_frame_cost(steps))


@dataclass(frozen=True, eq=False)
class PairSearch:
    """Every candidate between two clips; a threshold selects the points.

    Parameters
    ----------
    prepared
        Both clips, prepared for the cost.
    cost, settings
        Cost and search settings used.
    values
        (N, M) cost matrix.
    found
        The candidates.
    next_frame_cost
        Median cost of a frame against the next.
    """

    prepared: tuple[Prepared, Prepared]
    cost: Cost
    settings: SearchSettings
    values: Costs
    found: Candidates
    next_frame_cost: float

    def at(self, threshold: Limit | Threshold, *, share: float = DEFAULTS.share) -> TransitionPoints:
        """Points at a threshold: a number, ``"auto"`` (with ``share``) or ``"knee"``.

        Raises
        ------
        SettingError
            If the threshold or the share is invalid.
        """
        found, settings, (pa, pb) = self.found, self.settings, self.prepared
        limit = threshold if isinstance(threshold, Threshold) else parse_threshold(threshold)
        chosen = _threshold(limit, found, self.prepared, settings, self.next_frame_cost, share)
        mode, length = settings.mode, settings.length(pa.rate)
        there, back = (
            prune(found, chosen.value, mode=mode, length=length, back=back) for back in (False, True)
        )
        passed = np.zeros(len(found), dtype=bool)
        passed[there.chosen] = True
        needed = found.lowest[0]
        return TransitionPoints(
            _points(found, there.chosen, self.prepared, self.cost, settings, back=False),
            _points(found, back.chosen, self.prepared, self.cost, settings, back=True),
            chosen,
            there.counts,
            back.counts,
            float(needed.min(initial=np.inf)),
            float(needed[~passed].min(initial=np.inf)),
            found.shared,
            pa.name,
            pb.name,
        )

    def reach(self, value: float) -> float:
        """Share of the frames of both clips within reach of their jumps to each other up to a cost."""
        a, b = self.prepared
        leading = jumps(self.found, a, b, settings=self.settings, b_index=0 if a is b else 1)
        frames = a.cost_frames if a is b else a.cost_frames + b.cost_frames
        return held_frames(leading, value) / max(frames, 1)


def _threshold(
    asked: Limit | Threshold,
    found: Candidates,
    pair: tuple[Prepared, Prepared],
    settings: SearchSettings,
    next_frame_cost: float,
    share: float,
) -> Threshold:
    if isinstance(asked, Threshold):
        return asked
    a, b = pair
    if asked == "knee":
        return knee_threshold(found.once)
    if asked == "auto":
        leading = jumps(found, a, b, settings=settings, a_index=0, b_index=0 if a is b else 1)
        frames = np.array([p.cost_frames for p in (pair[:1] if a is b else pair)])
        return auto_threshold(leading, clip_frames=frames, next_frame_cost=next_frame_cost, share=share)
    return given_threshold(asked)


def _points(
    found: Candidates,
    chosen: Ints,
    pair: tuple[Prepared, Prepared],
    cost: Cost,
    settings: SearchSettings,
    *,
    back: bool,
) -> tuple[TransitionPoint, ...]:
    """Return the chosen candidates as points of one direction, lowest cost first."""
    a, b = pair
    blend = blend_cells(settings.mode, settings.length(a.rate))[int(back)]
    means = found.diagonal[int(back)]
    out = []
    for k in chosen[np.argsort(found.cost[chosen], kind="stable")]:
        row, column = (int(v) for v in found.cells[k])
        # Start-end: align the frames that meet in the middle of the blend.
        place = cost.alignment(a, b, row + blend.middle[0], column + blend.middle[1])
        ends = a.name, b.name, int(a.frames[row]), int(b.frames[column])
        kind: Literal["aligned", "start_end"] = "aligned" if settings.mode == "centre" else "start_end"
        point = TransitionPoint(*ends, float(found.cost[k]), kind, place, float(means[k]), True)
        # The jump back was evaluated separately, so its own mean replaces that of the reversed point.
        out.append(replace(point.reversed(), diagonal_cost=float(means[k]), verified=True) if back else point)
    return tuple(out)


def away_from_faults(
    found: Candidates,
    clips: tuple[Clip, Clip],
    prepared: tuple[Prepared, Prepared],
    blends: Sequence[BlendCells],
) -> Candidates:
    """Set the cost of candidates whose blends touch unusable frames of either clip to infinity.

    A blend touches such a frame if it contains it, or if the window around its point does. ``blends`` are the
    cells of the blend there and back.
    """
    counts = [_running_count(clip, one) for clip, one in zip(clips, prepared, strict=True)]
    if not any(count[-1] for count in counts):
        return found
    sound = np.stack([_sound(found.cells, blend, counts, prepared) for blend in blends])
    return replace(found, diagonal=frozen(np.where(sound, found.diagonal, np.inf)))


def _running_count(clip: Clip, prepared: Prepared) -> Ints:
    """Number of unusable frames before each frame at the cost's rate, and the total at the end."""
    flags = carried_flags(
        unusable_frames(clip), ratio=clip.fps / prepared.rate, n_frames=prepared.cost_frames
    )
    return np.concatenate([[0], np.cumsum(flags)])


def _sound(cells: Ints, blend: BlendCells, counts: list[Ints], prepared: tuple[Prepared, Prepared]) -> Bools:
    out = np.ones(len(cells), dtype=bool)
    for side, (count, one) in enumerate(zip(counts, prepared, strict=True)):
        at = cells[:, side] + one.half_window
        first = at + min(blend.first[side], -one.half_window)
        last = at + max(blend.first[side] + blend.count, one.half_window + one.ahead + 1)
        low, high = (np.clip(edge, 0, len(count) - 1) for edge in (first, last))
        out &= count[low] == count[high]
    return out
