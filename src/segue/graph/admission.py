"""Choose the transitions of a graph: the best ones, until the reachable frames no longer grow.

The cost only orders the candidates. Every candidate is rendered and measured
(`segue.synthesis.transition_check`), and the measurements decide. Candidates are checked in bands of rising
cost; once a component exists, only those that lead to clips or frames outside it. Of the candidates that are
good enough, the best are admitted, and worse ones only where they lead to something not reached yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.graph.checking import Checked, check_rows, with_lengths
from segue.graph.jumps import kind_of
from segue.graph.matching import Matches, one_per_sweet_spot
from segue.graph.pairs import Comparison, StoredPairs
from segue.motion.clip import Clip
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays
from segue.synthesis.transition_check import TransitionChecker
from segue.threads import Progress, silent
from segue.transitions.threshold import ChoiceGraph, Components, Jumps, choice_graph, components

CLIP_SECONDS = 10.0
"""Seconds counted per clip when components are compared: distinct clips are worth more than one long clip."""
GROWS = 0.25
"""Seconds by which a transition must extend the reached part of a clip."""
_BANDS = (3.0, 9.0, 27.0, 81.0, 243.0, np.inf)
"""Upper limits, in median next-frame costs, of the bands in which candidates are checked."""
_A_PAIR, _A_CLIP = 3, 12  # lowest-cost candidates per pair, and out of and into a clip, in such a band
_FIRST_A_CLIP = 60  # the same before anything is reached
_FIRST, _MORE = 3000, 1500  # candidates of all pairs, so that few clips get more per pair
_A_SECOND = 1.0  # transitions per second reached that give a walk enough choice
_TIE = 1e-6  # median next-frame costs: smaller differences of cost count as equal
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
_LEVELS = 12  # steps from the best transitions to the worst acceptable ones


@dataclass(frozen=True, eq=False)
class CheckedCandidates:
    """Candidates that were checked: rows (P,) of the matches, in any order, with their results.

    Bridges (`segue.graph.bridges`) are included, of which ``bridges_tried`` were made and measured. ``moved`` (P, 2)
    are frames by which their points were moved, in the clip left and in the one arrived in (`segue.graph.around`).
    """

    matches: Matches
    rows: Ints
    seen: Checked
    bridges_tried: int = 0
    moved: Ints | None = None

    @property
    def chosen(self) -> Bools:
        """(P,) candidates made at another place than found, or with another length."""
        moved = np.zeros(len(self.rows), dtype=bool) if self.moved is None else self.moved.any(axis=1)
        joins = self.seen.joins
        out: Bools = moved | (~joins.bridges & (joins.each != self.matches.joins.each[self.rows]))
        return out

    def jumps(self, *, alone: int = 0) -> Jumps:
        """Return the candidates as jumps between parts of clips: no piece of clip crosses an unusable frame.

        ``alone`` frames of the clip arrived in count as part of the jump.
        """
        joins, number = self.seen.joins, self.matches.parts.number
        leaves, arrives = joins.a_start, joins.arrivals + alone
        return Jumps(
            number(joins.a_clip, leaves), leaves, number(joins.b_clip, arrives), arrives, self.seen.share
        )

    def joined(self, rows: Ints, seen: Checked, matches: Matches) -> CheckedCandidates:
        """Return these candidates followed by more."""
        return CheckedCandidates(matches, np.concatenate([self.rows, rows]), _both(self.seen, seen))


class Reach:
    """Frames that can be reached with some of the candidates."""

    def __init__(self, checked: CheckedCandidates, clips: Sequence[Clip]) -> None:
        # A seam is measured with frames of one clip around it: a clip is not left again before they have played.
        self.graph: ChoiceGraph = choice_graph(checked.jumps(alone=JOIN_MARGIN))
        self.clip = checked.matches.parts.clip(self.graph.clip)
        self.fps = clips[0].fps
        self.most = CLIP_SECONDS * self.fps
        self.frames = np.array([clip.n_frames for clip in clips])

    def components(self, admitted: Bools) -> Components:
        """Components with these candidates."""
        return components(self.graph, admitted, clip=self.clip, most=self.most)

    def weight(self, admitted: Bools) -> int:
        """Frames held by the best component, at most `CLIP_SECONDS` counted per clip."""
        found = self.components(admitted)
        return int(found.weight[0]) if len(found) else 0

    def enough(self, admitted: Bools) -> bool:
        """Whether a component exists with enough transitions to choose from."""
        found = self.components(admitted)
        if not len(found):
            return False
        inside = admitted & (found.node[self.graph.jump_from] == 0) & (found.node[self.graph.jump_to] == 0)
        return int(np.count_nonzero(inside)) >= _A_SECOND * float(found.frames[0]) / self.fps

    def spans(self, admitted: Bools) -> tuple[Ints, Ints]:
        """First and last frame (C,) of each clip reached by the best component; none where the first is larger."""
        first, last = self.frames.copy(), np.full(len(self.frames), -1)
        inside = self.components(admitted).node == 0
        np.minimum.at(first, self.clip[inside], self.graph.frame[inside])
        np.maximum.at(last, self.clip[inside], self.graph.frame[inside])
        return first, last


def leads_on(joins: JoinArrays, spans: tuple[Ints, Ints], fps: float, *, grows: float = GROWS) -> Bools:
    """(P,) joins that leave a clip later, or enter one earlier, than reached so far; or use an unreached clip."""
    first, last = spans
    frames = grows * fps
    later = joins.a_start > last[joins.a_clip] + frames
    earlier = joins.arrivals + JOIN_MARGIN < first[joins.b_clip] - frames
    out: Bools = later | earlier | (last[joins.a_clip] < 0) | (last[joins.b_clip] < 0)
    return out


def check_until_reached(
    matches: Matches,
    clips: Sequence[Clip],
    how: Comparison,
    checker: TransitionChecker,
    *,
    limit: float,
    kept: StoredPairs | None,
    progress: Progress = silent,
) -> CheckedCandidates:
    """Check candidates in bands of rising cost, those that may extend what is reached.

    Parameters
    ----------
    matches
        Every candidate.
    clips
        The matched clips.
    how, kept
        Settings of the comparison, and its stored results.
    checker
        Measures transitions.
    limit
        Highest share of the bounds that an admitted transition may use.
    """
    checked = CheckedCandidates(matches, np.zeros(0, dtype=np.int64), _nothing(matches))
    spans, low = None, -np.inf
    for factor in _BANDS:
        high = factor * matches.next_frame_cost if np.isfinite(factor) else np.inf  # motionless frames cost 0
        rows = np.flatnonzero((matches.lowest > low) & (matches.lowest <= high) & np.isfinite(matches.lowest))
        low = high
        rows = one_per_sweet_spot(matches, rows, how.search, how.cost.rate)
        if spans is None:
            a_pair = max(_A_PAIR, _FIRST // len(clips) ** 2)
            rows = _cheapest(matches, rows, a_pair, max(_FIRST_A_CLIP, a_pair))
        else:
            rows = rows[leads_on(matches.joins.take(rows), spans, clips[0].fps)]
            a_pair = max(_A_PAIR, _MORE // len(clips) ** 2)
            rows = _cheapest(matches, rows, a_pair, max(_A_CLIP, a_pair))
        if rows.size:
            checked = look_more(checked, rows, clips, how, checker, kept=kept, progress=progress)
            reach, usable = Reach(checked, clips), checked.seen.passes(limit)
            spans = reach.spans(usable) if reach.enough(usable) else None
    return checked


def look_more(
    checked: CheckedCandidates,
    rows: Ints,
    clips: Sequence[Clip],
    how: Comparison,
    checker: TransitionChecker | None,
    *,
    kept: StoredPairs | None,
    progress: Progress = silent,
) -> CheckedCandidates:
    """Check some more rows, in ascending order."""
    kind = kind_of(how.search)
    matches = with_lengths(checked.matches, rows, clips, blend=how.blend, kind=kind, kept=kept)
    seen = check_rows(
        matches, rows, clips, cost=how.cost, kind=kind, checker=checker, kept=kept, progress=progress
    )
    return checked.joined(rows, seen, matches)


def check_all(
    matches: Matches,
    rows: Ints,
    clips: Sequence[Clip],
    how: Comparison,
    checker: TransitionChecker | None,
    *,
    kept: StoredPairs | None,
    progress: Progress = silent,
) -> CheckedCandidates:
    """Check chosen rows, in ascending order, regardless of where they lead."""
    nothing = CheckedCandidates(matches, np.zeros(0, dtype=np.int64), _nothing(matches))
    return look_more(nothing, rows, clips, how, checker, kept=kept, progress=progress)


def best_first(checked: CheckedCandidates, clips: Sequence[Clip], *, limit: float, share: float) -> Bools:
    """Return flags (P,) of the candidates that are admitted.

    Parameters
    ----------
    checked
        Candidates.
    clips
        The matched clips.
    limit
        Highest share of the bounds that an admitted transition may use.
    share
        Share of the reachable motion that the best transitions alone must reach: all that are no worse than
        the worst one needed for it are admitted.
    """
    usable = checked.seen.passes(limit)
    reach = Reach(checked, clips)
    most = reach.weight(usable)
    if not most:
        return usable
    shown = np.where(checked.seen.good, 0.0, checked.seen.share)
    values = np.unique(shown[usable])
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        these = usable & (shown <= values[middle])
        if reach.weight(these) >= share * most and reach.enough(these):
            high = middle
        else:
            low = middle + 1
    admitted: Bools = usable & (shown <= values[low])
    for level in np.linspace(values[low], values[-1], _LEVELS + 1)[1:]:
        spans = reach.spans(admitted)
        more = usable & ~admitted & (shown <= level) & leads_on(checked.seen.joins, spans, clips[0].fps)
        admitted |= more
    # A transition back from a clip may extend the reached part by less than `GROWS`.
    reachable = reach.spans(usable)[1] >= 0
    for more in (
        usable & leads_on(checked.seen.joins, reach.spans(admitted), clips[0].fps, grows=0.0),
        usable,
    ):
        if not (reachable & (reach.spans(admitted)[1] < 0)).any():
            break
        admitted |= more
    return admitted


def joins_at(
    checked: CheckedCandidates, clips: Sequence[Clip], *, levels: Sequence[float]
) -> dict[float, Ints]:
    """Clips that the best component reaches at each quality, best first."""
    reach = Reach(checked, clips)
    out = {}
    for quality in sorted(levels, reverse=True):
        node = reach.components(checked.seen.passes(1.0 / quality)).node
        out[quality] = np.unique(reach.clip[node == 0])
    return out


def _cheapest(matches: Matches, rows: Ints, a_pair: int, a_clip: int) -> Ints:
    """Lowest-cost rows of each ordered pair of clips that are also among the lowest out of or into a clip, sorted."""
    left, entered = matches.joins.a_clip, matches.joins.b_clip
    pairs = left * (int(entered.max(initial=0)) + 1) + entered
    # In an exactly repeating motion thousands of candidates cost the same up to rounding: shuffle them, so
    # that the chosen ones are spread over the motion instead of depending on rounding or row order.
    rows = rows[np.argsort(rows * _GOLDEN % 1.0, kind="stable")]
    costs = np.round(matches.lowest / max(_TIE * matches.next_frame_cost, np.finfo(float).tiny))
    rows = rows[place_in_group(pairs[rows], costs[rows]) < a_pair]
    costs = costs[rows]
    out: Ints = rows[
        (place_in_group(left[rows], costs) < a_clip) | (place_in_group(entered[rows], costs) < a_clip)
    ]
    out.sort()
    return out


def place_in_group(group: Ints, costs: Floats) -> Ints:
    """Rank (P,) of each by cost within its group, from 0."""
    order = np.lexsort([costs, group])
    start = np.flatnonzero(np.diff(group[order], prepend=-1))
    out = np.empty(len(group), dtype=np.int64)
    out[order] = np.arange(len(group)) - np.repeat(start, np.diff([*start, len(group)]))
    return out


def _nothing(matches: Matches) -> Checked:
    none = np.zeros(0, dtype=bool)
    return Checked(matches.joins.take(np.zeros(0, dtype=np.int64)), np.zeros(0), none, none)


def _both(a: Checked, b: Checked) -> Checked:
    return Checked(
        a.joins.followed_by(b.joins),
        np.concatenate([a.share, b.share]),
        np.concatenate([a.good, b.good]),
        np.concatenate([a.bad, b.bad]),
    )
