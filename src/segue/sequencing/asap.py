"""As soon as possible: the earliest time at which a motion can follow another (§5 of the source)."""

from __future__ import annotations

from segue.sequencing.choice import JoinWindow, MethodChoice, choose_method
from segue.sequencing.decisions import FootPhase
from segue.sequencing.footholds import HeldMotion
from segue.sequencing.phases import SHORTEST, long_enough
from segue.sequencing.planning import PairPlan, join_window, plan_pair
from segue.sequencing.prepared import ReadyMotion
from segue.sequencing.spacing import room_between

INTERVAL = 1.0
"""Seconds after the previous motion at which the following one is first placed."""


def earliest_offset(
    previous: HeldMotion, following: ReadyMotion, *, smoothness: float, after: int | None = None
) -> int:
    """Return the earliest frame of the previous clip at which the following one can begin.

    It is first placed a second later, or by its phases; the best ranges are found there, and it is moved earlier until
    they fill the time between both cores.
    """
    window = join_window(previous, following, 0, after)
    first, second = _phases(previous, following, window)
    soonest = window.left + room_between(window.fps) - following.core[0]
    if first is not None and second is not None:
        offset = max(window.outside(first).begin_frame - second.begin_frame, soonest)
    elif first is not None:
        offset = first.end_frame + round(INTERVAL * window.fps) - following.core[0]
        # The step must not wait for a motion that begins only later.
        offset = max(min(offset, first.end_frame), soonest)
    else:
        offset = window.left + round(INTERVAL * window.fps) - following.core[0]
    plan = plan_pair(
        previous,
        following,
        offset,
        smoothness=smoothness,
        after=after,
        choice=_choice(previous, following, first, second, offset, after),
    )
    return _pulled(plan, following, offset, soonest)


def _phases(
    previous: HeldMotion, following: ReadyMotion, window: JoinWindow
) -> tuple[FootPhase | None, FootPhase | None]:
    """Phases at which the two motions meet: those of a transition, else of a connection."""
    steps = []
    for phase in previous.motion.phases:
        outside = FootPhase(phase.foot, max(phase.begin_frame, window.left), phase.end_frame)
        if long_enough(outside.n_frames, window.fps):
            steps.append(outside)
    best: tuple[int, FootPhase, FootPhase] | None = None
    for step in steps:
        for phase in following.phases:
            length = min(phase.end_frame, following.core[0]) - phase.begin_frame
            if phase.foot != step.foot or not long_enough(length, window.fps):
                continue
            # The soonest of all possible pairs; the final choice is made at the final offset.
            key = step.begin_frame + following.core[0] - phase.begin_frame
            if best is None or key < best[0]:
                best = (key, step, phase)
    if best is not None:
        return best[1], best[2]
    return (steps[0], None) if steps else (None, None)


def _choice(
    previous: HeldMotion,
    following: ReadyMotion,
    first: FootPhase | None,
    second: FootPhase | None,
    offset: int,
    after: int | None,
) -> MethodChoice:
    window = join_window(previous, following, offset, after)
    phases = [phase.moved(offset) for phase in following.phases]
    before = previous.motion.phases
    if first is not None:
        before = tuple(p for p in before if p.end_frame == first.end_frame and p.foot == first.foot)
    if second is not None:
        phases = [second.moved(offset)]
    return choose_method(before, phases, window)


def _pulled(plan: PairPlan, following: ReadyMotion, offset: int, soonest: int) -> int:
    """Earliest offset at which ranges of the same length fit between the cores."""
    window = plan.window
    begins = window.left
    if plan.method == "connection" and plan.previous_phase is not None:
        begins = window.outside(plan.previous_phase).begin_frame
    longest = max(one.end - one.begin for one in (plan.lower, plan.upper))
    pulled = begins + longest - following.core[0]
    if plan.method == "transition" and plan.previous_phase is not None and plan.following_phase is not None:
        # Both phases keep overlapping for at least the shortest duration of a phase.
        p = window.outside(plan.previous_phase)
        own = plan.following_phase.end_frame - offset
        pulled = max(pulled, p.begin_frame + round(SHORTEST * window.fps) - own)
    if plan.adapts and plan.following_phase is not None:
        own = plan.following_phase.begin_frame - offset
        pulled = max(pulled, begins + (plan.lower.end - plan.lower.begin) - own)
    return min(max(pulled, soonest), offset)
