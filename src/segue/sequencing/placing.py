"""Where on the ground the following motion begins: supporting feet and body orientation match (§4.1 of the source).

A foot that stands from the previous core through to the following one cannot turn. If heel and toe of it both do, they
place the following motion alone, and its body turns over the foot; else it is turned by the body's orientation, and
the foot that stands gives the place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Bools, Floats
from segue.maths.planar import PlanarMotion, fit, turned, wrapped
from segue.sequencing.footholds import Footholds, HeldMotion
from segue.sequencing.planning import PairPlan
from segue.sequencing.prepared import ReadyMotion


def supporting_feet(plan: PairPlan) -> tuple[int, ...]:
    """Feet that stand while the pair is joined: 0 is the left, 1 the right; none if both are in the air."""
    phase = plan.previous_phase or plan.following_phase
    if phase is None:
        return 0, 1
    return {"left": (1,), "right": (0,), "both": ()}[phase.foot]


def meeting_rows(plan: PairPlan, previous: HeldMotion, following: ReadyMotion) -> tuple[int, int]:
    """Rows of both motions in which their bodies are to be turned alike."""
    lower = plan.lower
    if lower.kind == "motion-to-motion":
        middle = (lower.begin + lower.end) // 2
        frames = middle, middle
    elif plan.previous_phase is not None:
        frames = min(lower.end, plan.previous_phase.end_frame), lower.end
    else:
        frames = lower.begin, lower.end
    row = int(np.clip(frames[1] - plan.offset, 0, following.clip.n_frames - 1))
    return int(previous.rows(np.array(frames[0]))), row


def alignment_of(
    plan: PairPlan, previous: HeldMotion, following: ReadyMotion, window: tuple[int, int]
) -> tuple[PlanarMotion, float]:
    """Ground motion that takes the following clip to where the previous one leads, and how far the body turns over it.

    ``window`` are the last frame before and the first frame after what the joining may change.
    """
    a, b = meeting_rows(plan, previous, following)
    turn = float(wrapped(previous.motion.orientation[a] - following.orientation[b]))
    feet = supporting_feet(plan) if plan.planted else ()
    if not feet:
        return _in_the_air(plan, previous, following, turn), 0.0
    first = int(previous.rows(np.array(plan.lower.begin)))
    second = plan.lower.end - plan.offset
    if len(feet) == 1 and not plan.adapts:
        foot = slice(2 * feet[0], 2 * feet[0] + 2)
        edges = (
            int(previous.rows(np.array(window[0]))),
            min(window[1] - plan.offset, following.clip.n_frames - 1),
        )
        from_rows, parts = _through(previous.motion.planted[:, foot], first, edges[0])
        to_rows, others = _through(following.planted[:, foot], second, edges[1])
        both = parts & others
        places = previous.ground[from_rows, foot][both], following.ground[to_rows, foot][both]
        if both.all():
            found = fit(_flat(places[0]), _flat(places[1]), np.ones(2))
            return found, float(wrapped(found.turn - turn))
        if both.any():
            return _at(turn, places[1][0], places[0][0]), 0.0
    places = _centre(previous.ground[first], feet), _centre(following.ground[second], feet)
    return _at(turn, places[1], places[0]), 0.0


def _in_the_air(plan: PairPlan, previous: HeldMotion, following: ReadyMotion, turn: float) -> PlanarMotion:
    """Bodies meet where nothing stands: by their pelvis in flight, by their feet where one of them lands."""
    a, b = meeting_rows(plan, previous, following)
    if plan.lower.kind == "motion-to-motion" or not plan.planted:
        return _at(turn, following.pelvis[b, ::2], previous.pelvis[a, ::2])
    return _at(turn, _centre(following.ground[b], (0, 1)), _centre(previous.ground[a], (0, 1)))


def _through(planted: Bools, row: int, edge: int) -> tuple[int, Bools]:
    """Which of heel and toe (F, 2) stand all the way between two rows, and the row where they are to be met."""
    low, high = sorted((row, edge))
    return edge, np.asarray(planted[low : high + 1].all(axis=0))


def _centre(ground: Floats, feet: Sequence[int]) -> Floats:
    """Middle (2,) of heels and toes (4, 2) of feet."""
    out: Floats = ground.reshape(2, 2, 2)[list(feet)].mean(axis=(0, 1))
    return out


def _flat(places: Floats) -> Floats:
    """Ground places (n, 2) as points of height 0."""
    return np.column_stack([places[:, 0], np.zeros(len(places)), places[:, 1]])


def _at(turn: float, here: Floats, there: Floats) -> PlanarMotion:
    """Ground motion of a turn that takes one place on x and z to another."""
    moved = turned(np.array(turn), here)
    return PlanarMotion(turn, float(there[0] - moved[0]), float(there[1] - moved[1]))


def footholds_of(
    plan: PairPlan,
    previous: HeldMotion,
    following: ReadyMotion,
    placed: PlanarMotion,
    window: tuple[int, int],
) -> Footholds:
    """Where an adaptation keeps both feet, in the space of the following clip, and for how long."""
    last = following.clip.n_frames - 1
    first = int(previous.rows(np.array(plan.lower.begin)))
    second = int(np.clip(plan.lower.end - plan.offset, 0, last))
    edges = int(previous.rows(np.array(window[0]))), int(np.clip(window[1] - plan.offset, 0, last))
    back = placed.inverse()
    kept, own = np.zeros((2, 2, 2)), np.zeros((2, 2, 2))
    down = (previous.motion.planted[first] & following.planted[second]).reshape(2, 2)
    down[~down.any(axis=1)] = True
    for foot in (0, 1):
        parts = slice(2 * foot, 2 * foot + 2)
        # Where a part stands all the way into a core, it is the core that has its place.
        stood = _through(previous.motion.planted[:, parts], first, edges[0])
        stands = _through(following.planted[:, parts], second, edges[1])
        row = stood if (stood_in := stood[1] & down[foot]).any() else (first, stood[1])
        there = stands if (stands_in := stands[1] & down[foot]).any() else (second, stands[1])
        kept[foot] = back.apply(_flat(previous.ground[row[0], parts]))[:, ::2]
        own[foot] = following.ground[there[0], parts]
        firm = [flags for flags in (stood_in & stands_in, stood_in, stands_in) if flags.any()]
        down[foot] = firm[0] if firm else down[foot]
    share = down / down.sum(axis=1, keepdims=True)
    places = np.einsum("fp,fpc->fc", share, own)
    shifts = np.einsum("fp,fpc->fc", share, kept) - places
    ways = [points[:, 1] - points[:, 0] for points in (own, kept)]
    angles = [np.arctan2(way[:, 0], way[:, 1]) for way in ways]
    return Footholds(places, shifts, wrapped(angles[1] - angles[0]), _shares(plan, following))


def _shares(plan: PairPlan, following: ReadyMotion) -> Floats:
    """Share (F, 2) of each foothold that is kept: each foot lets go of it in its own next step."""
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
