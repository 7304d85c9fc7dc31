"""Planted feet between the cores of a pair: how far they slip in the blend, and how they are held."""

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
"""Seconds in which a landing foot becomes firm: shorter than in a blend of aligned frames."""
_TILTS = 0.001
"""Metres by which the distance of heel and toe on the ground changes when a foot tilts over one of them."""
_LIGHT = 0.02
"""Firmness of the other part: enough that the foot does not turn about the supporting one."""


@dataclass(frozen=True, eq=False)
class HeldPlants:
    """Frames whose planted feet are held.

    Parameters
    ----------
    rotations, roots
        (n, J, 4) and (n, 3).
    before, after
        Largest slip of a plant in metres, as blended and as held; of a foot that tilts over heel or toe, only the
        supporting part counts.
    missed
        (2, 2) metres by which plants of either foot that last to the end do not end where they began.
    """

    rotations: Quaternions
    roots: Positions
    before: float
    after: float
    missed: Floats


def legs_of(skeleton: Skeleton, rotations: Quaternions, roots: Positions) -> LegMotion:
    """Return the legs of frames (n, J, 4) and (n, 3), with the places of their feet."""
    body = legs_alone(skeleton)
    turns = rotations.take(body.joints, 1)
    at = forward(body.skeleton, turns, roots)
    ground = attached_points(at, body.points.joints, body.points.offsets)[..., ::2]
    return LegMotion(body, turns, roots, at, ground)


def left_over(ground: Floats, planted: Bools, room: int) -> Floats:
    """Compute the offset (2, 2) in metres, x and z, from start to end of each foot's plants that last to the end.

    ``ground`` are places (n, 4, 2) of heels and toes, ``planted`` flags (n, 4). A plant that ends at most ``room``
    frames before the last counts as well.
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
    """Compute the largest distance in metres of a planted heel or toe (n, 4, 2) from where its plant (n, 4) begins."""
    out = 0.0
    for part, start, stop in column_runs(planted):
        shift = ground[start:stop, part] - ground[start, part]
        out = max(out, float(np.linalg.norm(shift, axis=-1).max()))
    return out


def _flat(legs: LegMotion, planted: Bools) -> LegMotion:
    """Legs whose feet rotate evenly from start to end of a stretch in which heel and toe (n, 4) are planted.

    The distance of heel and toe on the ground changes as a foot tilts, so that one slips where the other is held.
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
            # The first and the last rotation are unchanged, bit for bit.
            local = multiply(conjugate(above), even)[1:-1]
            rotations[start + 1 : stop - 1, leg.ankle] = local
            changed = True
    if not changed:
        return legs
    at = forward(skeleton, rotations, legs.roots)
    ground = attached_points(at, legs.body.points.joints, legs.body.points.offsets)[..., ::2]
    return LegMotion(legs.body, rotations, legs.roots, at, ground)


def carrying(ground: Floats, planted: Bools) -> Bools:
    """Return flags (n, 4) of planted heels and toes, without those that move while the other supports the foot.

    A foot is rigid. Where heel and toe (n, 4, 2) are both planted and their distance on the ground changes, the foot
    tilts, and only one can stay: the one that is planted longer, of equals the toe.
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
    """Hold planted feet (n, 4) of frames; the first and the last frame do not change.

    A plant that includes the first or the last frame is held where that frame has it; one in between stays as near to
    its start as the steps around it allow.
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
    # Both end frames are unchanged, bit for bit.
    out[[0, -1]], lower[[0, -1]] = rotations[[0, -1]], roots[[0, -1]]
    ground = legs_of(skeleton, out, lower).ground if changed.any() else legs.ground
    return HeldPlants(
        out, lower, before, largest_slip(ground, carries), left_over(ground, carries, round(0.15 * fps))
    )
