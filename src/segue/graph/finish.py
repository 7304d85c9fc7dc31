"""Admitted transitions become a graph: its nodes, its components, and the reason why each other clip is excluded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Ints, frozen
from segue.graph.admission import CLIP_SECONDS, CheckedCandidates, joins_at
from segue.graph.motion_graph import Component, GraphData, Report
from segue.graph.pairs import Comparison
from segue.graph.parts import Parts
from segue.motion.clip import Clip
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays
from segue.transitions.threshold import ChoiceGraph, Components, Jumps, Threshold, choice_graph, components

LEVELS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
"""Qualities below the requested one that are tried for excluded clips."""
ROOM = 0.15
"""Seconds that a clip entered must be able to play before a component leaves it for the last time, unless a clip would
be lost: feet of seams closer than that share one correction, which is checked for neither of them."""


@dataclass(frozen=True, eq=False)
class Made:
    """Everything a graph is assembled from.

    Parameters
    ----------
    clips
        On one skeleton at one rate.
    checked
        Checked candidates.
    admitted
        (P,) flags of those that enter the graph.
    threshold
        The admitted transitions as a threshold.
    quality
        Lowest admitted quality.
    bodiless
        Clips left out because their legs are unknown, and why.
    """

    clips: tuple[Clip, ...]
    checked: CheckedCandidates
    admitted: Bools
    threshold: Threshold
    quality: float
    bodiless: dict[str, str]


def assembled(made: Made, how: Comparison) -> GraphData:
    """Assemble the graph, whose best component is walked."""
    checked, clips, matches = made.checked, made.clips, made.checked.matches
    order = np.flatnonzero(made.admitted)
    order = _with_room(checked, clips, order[np.argsort(checked.rows[order], kind="stable")])
    rows, joins = checked.rows[order], checked.seen.joins.take(order).tight()
    jumps = checked.jumps()
    choice = choice_graph(type(jumps)(*(column[order] for column in vars(jumps).values())))
    node_clip = matches.parts.clip(choice.clip)
    most = CLIP_SECONDS * clips[0].fps
    found = components(choice, np.ones(len(order), dtype=bool), clip=node_clip, most=most)
    kept = found.node == 0
    inside = set(np.unique(node_clip[kept]).tolist())
    would_join, reach_at = _tried(made, inside)
    report = Report(
        steps=_steps(made, joins, kept[choice.jump_from] & kept[choice.jump_to]),
        threshold=made.threshold,
        next_frame_cost=matches.next_frame_cost,
        best_cost=matches.best,
        frames=sum(clip.n_frames for clip in clips),
        kept_frames=int(found.frames[0]) if len(found) else 0,
        dropped_clips={**made.bodiless, **_dropped(made, order, inside, would_join)},
        copies=matches.copies,
        short_clips=matches.short,
        notes=_faulty(clips, matches.parts),
        quality=made.quality,
        components=_listed(found, node_clip, clips),
        would_join=would_join,
        reach_at=reach_at,
    )
    moved = np.zeros((len(checked.rows), 2), dtype=np.int64) if checked.moved is None else checked.moved
    return GraphData(
        clips,
        joins,
        frozen(matches.cost[rows]),
        frozen(matches.a_frames[rows] + moved[order, 0], np.int64),
        frozen(matches.b_frames[rows] + moved[order, 1], np.int64),
        frozen(node_clip, np.int64),
        choice.frame,
        choice.jump_from,
        choice.jump_to,
        frozen(kept, np.bool_),
        how.blend,
        how.cost,
        report,
        choice.clip,
        frozen(checked.seen.share[order]),
        found.node,
    )


def _with_room(checked: CheckedCandidates, clips: Sequence[Clip], order: Ints) -> Ints:
    """Candidates after which enough of one clip plays before it is left again.

    A seam is measured with frames of one clip around it. If a component leaves a clip for the last time sooner after a
    blend, the next blend would overlap these frames: transitions to there are removed. At least two frames always play,
    and as many as feet need (`ROOM`) unless a clip would be lost: a short clip is entered and left with fewer.
    """
    order = _unhurried(checked, clips, order, JOIN_MARGIN)
    wide = _unhurried(checked, clips, order, round(ROOM * clips[0].fps))
    lost = np.setdiff1d(_reached(checked, clips, order), _reached(checked, clips, wide))
    if not lost.size:
        return wide
    joins = checked.seen.joins.take(order)
    some = order[np.isin(order, wide) | np.isin(joins.a_clip, lost) | np.isin(joins.b_clip, lost)]
    some = _unhurried(checked, clips, some, JOIN_MARGIN)
    return some if len(_reached(checked, clips, some)) == len(_reached(checked, clips, order)) else order


def _unhurried(checked: CheckedCandidates, clips: Sequence[Clip], order: Ints, room: int) -> Ints:
    """Candidates after which at least ``room`` frames play before the clip is left for the last time."""
    while order.size:
        jumps, choice, found = _components(checked, clips, order)
        inside = (found[choice.jump_from] >= 0) & (found[choice.jump_from] == found[choice.jump_to])
        last: dict[tuple[int, int], int] = {}
        keys = list(zip(jumps.from_clip.tolist(), found[choice.jump_from].tolist(), strict=True))
        for key, frame in zip(keys, jumps.from_frame.tolist(), strict=True):
            last[key] = max(last.get(key, -1), frame)
        ends = zip(jumps.to_clip.tolist(), found[choice.jump_to].tolist(), strict=True)
        left = np.array([last.get(key, -1) for key in ends]) - jumps.to_frame
        hurried = inside & (left < room)
        if not hurried.any():
            break
        order = order[~hurried]
    return order


def _reached(checked: CheckedCandidates, clips: Sequence[Clip], order: Ints) -> Ints:
    """Clips held by the best component of some candidates."""
    if not order.size:
        return order
    _, choice, found = _components(checked, clips, order)
    out: Ints = np.unique(checked.matches.parts.clip(choice.clip)[found == 0])
    return out


def _components(
    checked: CheckedCandidates, clips: Sequence[Clip], order: Ints
) -> tuple[Jumps, ChoiceGraph, Ints]:
    """Some candidates as jumps and as a graph, and the component (V,) of each of its nodes."""
    whole = checked.jumps()
    jumps = type(whole)(*(column[order] for column in vars(whole).values()))
    choice = choice_graph(jumps)
    owner = checked.matches.parts.clip(choice.clip)
    every = np.ones(len(order), dtype=bool)
    return jumps, choice, components(choice, every, clip=owner, most=CLIP_SECONDS * clips[0].fps).node


def _listed(found: Components, node_clip: Ints, clips: Sequence[Clip]) -> tuple[Component, ...]:
    names = np.array([clip.name for clip in clips], dtype=object)
    return tuple(
        Component(tuple(names[np.unique(node_clip[found.node == number])]), int(frames) / clips[0].fps)
        for number, frames in enumerate(found.frames)
    )


def _steps(made: Made, joins: JoinArrays, inside: Bools) -> dict[str, int]:
    """Numbers of transitions after each step; ``inside`` flags those inside the component."""
    checked = made.checked
    steps = {
        **checked.matches.steps,
        "made and measured": len(checked.rows),
        "within bounds": int(checked.seen.passes(1.0 / made.quality).sum()),
        "admitted": len(joins),
        "inside the component": int(inside.sum()),
    }
    if checked.moved is not None:
        steps |= {"made elsewhere or at another length": int(checked.chosen[made.admitted].sum())}
    if checked.bridges_tried:
        steps |= {"bridges tried": checked.bridges_tried, "bridges": int(joins.bridges.sum())}
    return steps


def _tried(made: Made, inside: set[int]) -> tuple[dict[str, float], dict[float, int]]:
    """Highest lower quality at which each excluded clip joins, and the number of clips that each quality reaches."""
    levels = [level for level in LEVELS if level < made.quality]
    if not len(made.checked.rows) or not levels:
        return {}, {}
    reached = joins_at(made.checked, made.clips, levels=levels)
    would_join: dict[str, float] = {}
    for level, there in sorted(reached.items(), reverse=True):
        for number in set(there.tolist()) - inside:
            would_join.setdefault(made.clips[number].name, level)
    return would_join, {level: len(there) for level, there in reached.items()}


def _faulty(clips: Sequence[Clip], parts: Parts) -> tuple[str, ...]:
    return tuple(
        f"{count} faulty frame{'s' if count > 1 else ''} of {clip.name!r} will not be played"
        for clip, count in zip(clips, parts.unusable.tolist(), strict=True)
        if count
    )


def _refused(tried: int, threshold: Threshold) -> str:
    """Reason why the transitions of a clip were refused; ``tried`` of them were made and checked."""
    if tried:
        return f": the seam check refuses {'the one' if tried == 1 else f'all {tried}'} that could be made"
    return "" if threshold.method == "auto" else f": each costs more than the threshold {threshold.value:.3g}"


def _dropped(made: Made, order: Ints, inside: set[int], would_join: dict[str, float]) -> dict[str, str]:
    matches, joins = made.checked.matches, made.checked.seen.joins.take(order)
    left, entered = set(joins.a_clip.tolist()), set(joins.b_clip.tolist())
    why = {}
    for number, clip in enumerate(made.clips):
        if number in inside:
            continue
        mine = (matches.joins.a_clip == number) | (matches.joins.b_clip == number)
        if clip.name in matches.short:
            why[clip.name] = matches.short[clip.name]
        elif clip.name in would_join:
            why[clip.name] = f"it joins at quality {would_join[clip.name]:g}"
        elif number in left and number in entered:
            why[clip.name] = "its transitions do not lead back into the component that is walked"
        elif number in left:
            why[clip.name] = "it can be left but not entered at this quality"
        elif number in entered:
            why[clip.name] = "it can be entered but not left at this quality"
        elif matches.fits[number]:
            tried = int(mine[made.checked.rows].sum())
            why[clip.name] = "no transition passes" + _refused(tried, made.threshold)
        else:
            why[clip.name] = "no blend fits into it"
    return why
