"""Planted feet between the cores of a pair: how far they slip as blended, and how they are held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Positions, Quaternions
from segue.maths.quaternions import conjugate, multiply, slerp
from segue.motion.flags import column_runs, runs, without_short
from segue.motion.kinematics import attached_points, forward
from segue.motion.skeleton import Skeleton
from segue.sequencing.reaching import EASE
from segue.synthesis.feet.legs import legs_alone
from segue.synthesis.feet.moves import FootSteps
from segue.synthesis.feet.planting import SHORTEST
from segue.synthesis.feet.reaching import LegMotion, reached

_FIRM = 0.0005
"""Seconds in which a foot that is put down has to stand: shorter than in a motion that is blended over frames alike."""
_TILTS = 0.001
"""Metres by which heel and toe come nearer on the ground where a foot tilts over one of them."""
_LIGHT = 0.02
"""How firmly the other one is held: enough that the foot does not turn over the one that carries."""


@dataclass(frozen=True, eq=False)
class HeldPlants:
    """Frames whose planted feet are held.

    Parameters
    ----------
    rotations, roots
        (n, J, 4) and (n, 3).
    before, after
        Metres that a plant slips at most, as blended and held; of a foot that tilts over heel or toe the one that
        carries it.
    missed
        (2, 2) metres by which plants of either foot that last to the end do not end where they began.
    """

    rotations: Quaternions
    roots: Positions
    before: float
    after: float
    missed: Floats


def legs_of(skeleton: Skeleton, rotations: Quaternions, roots: Positions) -> LegMotion:
    """Legs of frames (n, J, 4) and (n, 3), and where their feet are."""
    body = legs_alone(skeleton)
    turns = rotations.take(body.joints, 1)
    at = forward(body.skeleton, turns, roots)
    ground = attached_points(at, body.points.joints, body.points.offsets)[..., ::2]
    return LegMotion(body, turns, roots, at, ground)


def left_over(ground: Floats, planted: Bools, room: int) -> Floats:
    """Metres (2, 2) on x and z by which plants of either foot that last to the end miss where they began.

    ``ground`` are places (n, 4, 2) of heels and toes, ``planted`` flags (n, 4). A plant that ends so many frames before
    the last does so as well.
    """
    out, count = np.zeros((2, 2)), len(ground)
    for foot in (0, 1):
        missed = [
            ground[stop - 1, part] - ground[start, part]
            for part in (2 * foot, 2 * foot + 1)
            for start, stop in runs(planted[:, part])
            if stop >= count - room and stop - start > 1
        ]
        out[foot] = np.mean(missed, axis=0) if missed else 0.0
    return out


def largest_slip(ground: Floats, planted: Bools) -> float:
    """Metres that a planted heel or toe (n, 4, 2) is away from where its plant (n, 4) begins, at most."""
    out = 0.0
    for part, start, stop in column_runs(planted):
        shift = ground[start:stop, part] - ground[start, part]
        out = max(out, float(np.linalg.norm(shift, axis=-1).max()))
    return out


def _flat(legs: LegMotion, planted: Bools) -> LegMotion:
    """Legs whose feet go evenly from one turn to the other while heel and toe (n, 4) are planted.

    Heel and toe come nearer on the ground as a foot tilts, so that one of both slips where the other is held.
    """
    skeleton, rotations = legs.body.skeleton, np.array(legs.rotations)
    changed = False
    for foot, leg in enumerate(legs.body.legs):
        both: Bools = planted[:, 2 * foot] & planted[:, 2 * foot + 1]
        for start, stop in runs(both):
            if stop - start < 3:
                continue
            turns = legs.at.rotations[start:stop, leg.ankle]
            even = slerp(turns[:1], turns[-1:], np.linspace(0.0, 1.0, stop - start)[:, None].ravel())
            above = legs.at.rotations[start:stop, skeleton.parents[leg.ankle]]
            # The first and the last turn stay, to the bit.
            local = multiply(conjugate(above), even)[1:-1]
            rotations[start + 1 : stop - 1, leg.ankle] = local
            changed = True
    if not changed:
        return legs
    at = forward(skeleton, rotations, legs.roots)
    ground = attached_points(at, legs.body.points.joints, legs.body.points.offsets)[..., ::2]
    return LegMotion(legs.body, rotations, legs.roots, at, ground)


def carrying(ground: Floats, planted: Bools) -> Bools:
    """Flags (n, 4) of planted heels and toes, without those that a foot lifts or lowers while the other carries it.

    A foot is rigid. Where heel and toe (n, 4, 2) are both planted and their distance on the ground changes, the foot
    tilts, and only one of them can stay: the one that is planted longer, of equals the toe.
    """
    out = planted.copy()
    for foot in (0, 1):
        heel, toe = 2 * foot, 2 * foot + 1
        apart = np.linalg.norm(ground[:, toe] - ground[:, heel], axis=-1)
        for start, stop in runs(planted[:, heel] & planted[:, toe]):
            if np.ptp(apart[start:stop]) <= _TILTS:
                continue
            longest = [
                next(end - begin for begin, end in runs(planted[:, part]) if begin <= start < end)
                for part in (heel, toe)
            ]
            out[start:stop, heel if longest[0] <= longest[1] else toe] = False
    return out


def hold_plants(
    skeleton: Skeleton, rotations: Quaternions, roots: Positions, planted: Bools, *, fps: float
) -> HeldPlants:
    """Hold planted feet (n, 4) of frames whose first and last do not change.

    A plant that reaches over the first or the last frame is held where it has it; one that lies within stays where it
    begins as nearly as the steps around it allow.
    """
    count = len(roots)
    flags = without_short(planted, SHORTEST * fps)
    legs = legs_of(skeleton, rotations, roots)
    before = largest_slip(legs.ground, carrying(legs.ground, flags))
    if count < 3 or largest_slip(legs.ground, flags) == 0.0:
        return HeldPlants(rotations, roots, before, before, np.zeros((2, 2)))
    legs = _flat(legs, flags)
    own = np.diff(legs.ground, axis=0, prepend=legs.ground[:1])
    carries = carrying(legs.ground, flags)
    firm = np.zeros((count, 4))
    firm[1:] = np.where(carries[1:] & carries[:-1], 1.0, _LIGHT) * (flags[1:] & flags[:-1])
    wanted = np.where(firm[..., None] > 0.0, 0.0, own)
    shift, turn = np.zeros((2, count, 2)), np.zeros((2, count))
    for foot in (0, 1):
        parts = slice(2 * foot, 2 * foot + 2)
        steps = FootSteps.of(
            legs.ground[:, parts], legs.ankles[:, foot], wanted[:, parts], firm[:, parts], fps=fps
        )
        shift[foot], turn[foot] = steps.moves([(1, count - 1)], _FIRM)
    inside = np.ones(count, dtype=bool)
    inside[[0, -1]] = False
    local, lower, changed, _ = reached(legs, shift, turn, ease=max(round(EASE * fps), 1), within=inside)
    out = np.array(rotations)
    out[:, legs.body.joints] = local
    # The ends are those of whoever has them, to the bit.
    out[[0, -1]], lower[[0, -1]] = rotations[[0, -1]], roots[[0, -1]]
    ground = legs_of(skeleton, out, lower).ground if changed.any() else legs.ground
    return HeldPlants(
        out, lower, before, largest_slip(ground, carries), left_over(ground, carries, round(0.15 * fps))
    )
