"""Placement of the following motion on the ground: supporting feet and body orientation match (§4.1 of the source).

A foot planted from the previous core through to the following one cannot turn. If its heel and toe both are, they alone
place the following motion, and its body turns over the foot; otherwise the body orientation gives the turn, and the
planted foot the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.maths.planar import PlanarMotion, fit, turned, wrapped
from segue.sequencing.footholds import Footholds, HeldMotion
from segue.sequencing.planning import PairPlan
from segue.sequencing.prepared import ReadyMotion


def supporting_feet(plan: PairPlan) -> tuple[int, ...]:
    """Return the feet planted while the pair is joined: 0 is the left, 1 the right; none if both are in the air."""
    phase = plan.previous_phase or plan.following_phase
    if phase is None:
        return 0, 1
    return {"left": (1,), "right": (0,), "both": ()}[phase.foot]


def meeting_rows(plan: PairPlan, previous: HeldMotion, following: ReadyMotion) -> tuple[int, int]:
    """Return the rows of both motions in which their bodies must face the same direction."""
    lower = plan.lower
    if lower.kind == "motion-to-motion":
        middle = (lower.begin + lower.end) // 2
        frames = middle, middle
    elif plan.previous_phase is not None:
        frames = min(lower.end, plan.previous_phase.end_frame), lower.end
    else:
        frames = lower.begin, lower.end
    return int(previous.rows(np.array(frames[0]))), _row(plan, following, frames[1])


def alignment_of(
    plan: PairPlan, previous: HeldMotion, following: ReadyMotion, window: tuple[int, int]
) -> tuple[PlanarMotion, float]:
    """Return the ground motion that moves the following clip to the previous one, and how far the body turns over it.

    ``window`` is the last frame before and the first frame after those that joining may change.
    """
    a, b = meeting_rows(plan, previous, following)
    turn = float(wrapped(previous.motion.orientation[a] - following.orientation[b]))
    feet = supporting_feet(plan) if plan.planted else ()
    if not feet:
        return _in_the_air(plan, previous, following, turn), 0.0
    first, second = _stances(plan, previous, following, window)
    if len(feet) == 1 and not plan.adapts:
        foot, parts = feet[0], slice(2 * feet[0], 2 * feet[0] + 2)
        here, there = second[foot], first[foot]
        places = (
            following.ground[here.rows, _PARTS + parts.start],
            previous.ground[there.rows, _PARTS + parts.start],
        )
        both = here.parts & there.parts
        if (here.at_once & there.at_once).all() and here.fixed and there.fixed:
            found = fit(_flat(places[1]), _flat(places[0]), np.ones(2))
            return found, float(wrapped(found.turn - turn))
        through = both & here.through & there.through
        both = next(parts for parts in (through, both, np.ones(2, dtype=bool)) if parts.any())
        return _at(turn, places[0][both].mean(axis=0), places[1][both].mean(axis=0)), 0.0
    a, b = int(previous.rows(np.array(plan.lower.begin))), _row(plan, following, plan.lower.end)
    return _at(turn, _centre(following.ground[b], feet), _centre(previous.ground[a], feet)), 0.0


def _in_the_air(plan: PairPlan, previous: HeldMotion, following: ReadyMotion, turn: float) -> PlanarMotion:
    """Align bodies without a planted foot: by the pelvis in flight, by the feet where one of them lands."""
    a, b = meeting_rows(plan, previous, following)
    if plan.lower.kind == "motion-to-motion" or not plan.planted:
        return _at(turn, following.pelvis[b, ::2], previous.pelvis[a, ::2])
    return _at(turn, _centre(following.ground[b], (0, 1)), _centre(previous.ground[a], (0, 1)))


_PARTS = np.arange(2)
ROOM = 0.15
"""Seconds that a foot needs to land elsewhere than where it was captured."""


@dataclass(frozen=True, eq=False)
class Stance:
    """How one foot is planted at an end of a blend.

    Parameters
    ----------
    parts, at_once
        (2,) whether heel and toe are planted then or soon; whether they are at the first moment when either is.
    through
        (2,) whether each stays planted into frames that must not change.
    rows
        (2,) row in which each is matched: the last row of its plant towards the core.
    fixed
        Whether the foot stays planted into frames that must not change, so that it cannot land elsewhere.
    """

    parts: Bools
    at_once: Bools
    through: Bools
    rows: Ints
    fixed: bool


def stance_at(planted: Bools, row: int, edge: int, *, room: int) -> Stance:
    """Return how a foot, flags (F, 2) of heel and toe, is planted near a row; ``edge`` is the row that must not change.

    A foot that is about to land is matched where it lands.
    """
    step = -1 if edge <= row else 1
    stands: Bools = planted[:, 0] | planted[:, 1]
    soon = [at for at in range(row, row - step * (2 * room + 1), -step) if 0 <= at < len(stands)]
    starts = [next((at for at in soon if planted[at, part]), None) for part in (0, 1)]
    first = next((at for at in soon if stands[at]), None)
    if first is None:
        none = np.zeros(2, dtype=bool)
        return Stance(none, none, none, np.array([row, row]), False)
    rows = [
        first if at is None else _walked(planted[:, part], at, edge, step) for part, at in enumerate(starts)
    ]
    end = _walked(stands, first, edge, step)
    parts = np.array([at is not None for at in starts])
    through = parts & (np.abs(np.array(rows) - edge) < room)
    return Stance(parts, np.asarray(planted[first]), through, np.array(rows), abs(end - edge) < room)


def _walked(flags: Bools, start: int, edge: int, step: int) -> int:
    """Last flagged row from a row on towards an edge."""
    at = start
    while at != edge and (edge - at) * step > 0 and flags[at] and flags[at + step]:
        at += step
    return at


def _stances(
    plan: PairPlan, previous: HeldMotion, following: ReadyMotion, window: tuple[int, int]
) -> tuple[list[Stance], list[Stance]]:
    """How both feet are planted at the start of the lower segment in one motion, and at its end in the other."""
    room = max(round(ROOM * plan.window.fps), 1)
    begin, end = _met(plan)
    first = int(previous.rows(np.array(begin)))
    second = _row(plan, following, end)
    low = int(previous.rows(np.array(window[0])))
    high = _row(plan, following, window[1])
    feet = [slice(0, 2), slice(2, 4)]
    return (
        [stance_at(previous.motion.planted[:, foot], first, low, room=room) for foot in feet],
        [stance_at(following.planted[:, foot], second, high, room=room) for foot in feet],
    )


def _met(plan: PairPlan) -> tuple[int, int]:
    """Frames in which feet are matched: the ends of the lower segment; in a transition, limited to its steps.

    A range may be longer than both steps. Beyond them the planted foot may have lifted and gives no place.
    """
    begin, end = plan.lower.begin, plan.lower.end
    first, second = plan.previous_phase, plan.following_phase
    if plan.method != "transition" or first is None or second is None:
        return begin, end
    low, high = max(first.begin_frame, second.begin_frame), min(first.end_frame, second.end_frame) - 1
    return min(max(begin, low), high), min(max(end, low), high)


def _row(plan: PairPlan, following: ReadyMotion, frame: int) -> int:
    """Row of the following motion at a frame, clipped to its rows."""
    return int(np.clip(frame - plan.offset, 0, following.clip.n_frames - 1))


def _centre(ground: Floats, feet: Sequence[int]) -> Floats:
    """Mean (2,) of heels and toes (4, 2) of feet."""
    out: Floats = ground.reshape(2, 2, 2)[list(feet)].mean(axis=(0, 1))
    return out


def _flat(places: Floats) -> Floats:
    """Ground places (n, 2) as points of height 0."""
    return np.column_stack([places[:, 0], np.zeros(len(places)), places[:, 1]])


def _at(turn: float, here: Floats, there: Floats) -> PlanarMotion:
    """Ground motion with a turn that moves one place on x and z to another."""
    moved = turned(np.array(turn), here)
    return PlanarMotion(turn, float(there[0] - moved[0]), float(there[1] - moved[1]))


def footholds_of(
    plan: PairPlan,
    previous: HeldMotion,
    following: ReadyMotion,
    placed: PlanarMotion,
    window: tuple[int, int],
) -> Footholds:
    """Return where an adaptation keeps both feet, in the space of the following clip, and their shares over time."""
    first, second = _stances(plan, previous, following, window)
    back = placed.inverse()
    kept, own, share = np.zeros((2, 2, 2)), np.zeros((2, 2, 2)), np.zeros((2, 2))
    for foot in (0, 1):
        parts = _PARTS + 2 * foot
        kept[foot] = back.apply(_flat(previous.ground[first[foot].rows, parts]))[:, ::2]
        own[foot] = following.ground[second[foot].rows, parts]
        both = first[foot].parts & second[foot].parts
        through = both & first[foot].through & second[foot].through
        both = through if through.any() else both
        share[foot] = both / both.sum() if both.any() else 0.5
    places = np.einsum("fp,fpc->fc", share, own)
    shifts = np.einsum("fp,fpc->fc", share, kept) - places
    feet = [points[:, 1] - points[:, 0] for points in (own, kept)]
    angles = [np.arctan2(foot_line[:, 0], foot_line[:, 1]) for foot_line in feet]
    return Footholds(places, shifts, wrapped(angles[1] - angles[0]), _shares(plan, following))


def _shares(plan: PairPlan, following: ReadyMotion) -> Floats:
    """Share (F, 2) of each foothold that is kept: each foot releases it in its own next step."""
    frames = np.arange(following.clip.n_frames, dtype=np.float64) + plan.offset
    shares = np.ones((len(frames), 2))
    if plan.release is None or plan.following_phase is None:
        return shares
    curve = plan.release.curve
    for foot, word in enumerate(("left", "right")):
        if plan.following_phase.foot in (word, "both"):
            shares[:, foot] = 1.0 - curve.at(frames)
            continue
        after = plan.following_phase.end_frame
        step = next(
            (
                p
                for p in following.phases
                if p.foot in (word, "both") and p.begin_frame + plan.offset >= after - 1
            ),
            None,
        )
        if step is not None:
            x = (frames - plan.offset - step.begin_frame) / max(step.n_frames, 1)
            x = np.clip(x, 0.0, 1.0)
            shares[:, foot] = 1.0 - x * x * (3.0 - 2.0 * x)
    return shares
