"""Retarget a clip to another skeleton: rotations by roles, then planted feet, then hands.

Hands keep their position relative to what they are near: each other, the body, the ground. Arms of another length that
point in the same direction end elsewhere: clapping hands miss each other, hands on hips sink in. A hand near something
is moved to the same position relative to it, scaled with the body; a hand in free air stays.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Positions
from segue.errors import SettingError, loaded
from segue.maths.easing import smoothstep
from segue.motion import reference
from segue.motion.clip import Clip
from segue.motion.feet import leg_length
from segue.motion.kinematics import World, world
from segue.motion.limb_ik import Leg, leg_reach, reach_ankle
from segue.motion.roles import SIDES, Roles, roles
from segue.motion.skeleton import Skeleton
from segue.settings import DEFAULTS, SeamFeet, feet_named
from segue.synthesis.feet.steps import kept_motion
from segue.synthesis.retarget.carry import carried
from segue.synthesis.retarget.standing import ground_height, standing

_BUILD = np.radians(3.0)
"""Radians: trunks whose directions at rest differ by less differ by build."""


def retarget(clip: Clip, skeleton: Skeleton, *, feet: SeamFeet = DEFAULTS.feet, hands: float = 0.0) -> Clip:
    """Retarget a clip to another skeleton.

    Limbs point where the source's point, whatever the rest poses; travel is scaled by leg length. Unless feet are free,
    soles stand on the floor where the source's do and step as they do there; only the legs, and slightly the root's
    height, are adjusted for it.

    Parameters
    ----------
    clip
        Any clip whose skeleton has the leg roles.
    skeleton
        The body to move.
    feet
        How planted feet are held (`segue.settings.SeamFeet`); ``"free"``: limb directions exactly as in the source,
        feet wherever that puts them.
    hands
        Weight with which hands near each other, the body or the ground are moved to the same position relative to it:
        0 keeps the directions of arms, 1 keeps the positions of hands.

    Returns
    -------
    Clip
        Same frames, rate and origin on the new skeleton; the clip itself if the skeletons agree.

    Raises
    ------
    SkeletonError
        If pelvis, hips, knees or ankles of either body are unknown.
    SettingError
        If ``feet`` is unknown, or ``hands`` is not 0 to 1.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> segue.retarget(walk, walk.skeleton) is walk
    True
    """
    loaded(clip, skeleton)
    feet = feet_named(feet)
    if not 0.0 <= hands <= 1.0:
        msg = f"hands={hands:g}: arms keep their directions with 0, hands their places with 1; choose 0 to 1"
        raise SettingError(msg)
    if clip.skeleton.same_as(skeleton):
        return clip
    found = clip.skeleton.reference is not None or skeleton.reference is not None
    source = reference.stood(clip)
    out = carried(source, reference.standing(skeleton), build=0.0 if found else _BUILD)
    if feet != "free":
        out = standing(source, out, keep=kept_motion(feet))
    if hands > 0:
        out = reaching(source, out, weight=hands, ground=ground_height(source))
    return reference.unstood(out, skeleton)


_BESIDE = ("pelvis", "chest", "neck", "head", "left_hip", "right_hip", "left_knee", "right_knee")
"""Joints that a hand may be near."""
_NEAR = (0.25, 0.6)
"""Arm lengths from a joint up to which a hand is fully near it, and from which it is not."""
_APART = (0.4, 0.8)
"""Arm lengths between wrists up to which hands are fully near each other, and from which not; touching fists: 0.35."""
_NEARER = 3
"""Exponent of nearness in the weights of several joints: hands on each other outweigh the chest behind them."""
_SOFT = 0.995
"""Share of an arm's length up to which an elbow is straightened."""
_GROUND = (0.10, 0.35)
"""Leg lengths above the ground up to which a hand is fully near it, and from which it is not."""


def reaching(source: Clip, made: Clip, *, weight: float, ground: float = 0.0) -> Clip:
    """Move the hands of a retargeted motion to their positions in the source relative to what they are near.

    Parameters
    ----------
    source
        The clip before retargeting.
    made
        The same frames on another body.
    weight
        0 leaves the arms unchanged, 1 moves hands completely.
    ground
        Metres above the file's zero height at which the source stands.

    Returns
    -------
    Clip
        Only arms differ; elbows keep their bend axes. Bodies without wrists are unchanged.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> made = reaching(walk, walk, weight=1.0)
    >>> float(abs(segue.world_positions(made) - segue.world_positions(walk)).max()) < 1e-6
    True
    """
    theirs, ours = roles(source.skeleton), roles(made.skeleton)
    sides = [side for side in SIDES if _has_arm(theirs, side) and _has_arm(ours, side)]
    if weight <= 0.0 or not sides:
        return made
    before, at = world(source), world(made)
    targets = {side: _target(source, made, side, sides, (before, at), ground) for side in sides}
    rotations = np.array(made.rotations)
    for side, move in targets.items():
        arm = Leg(*(ours[f"{side}_{part}"] for part in ("shoulder", "elbow", "wrist")))
        moved = np.flatnonzero(np.abs(move).max(axis=1) > 1e-9)
        if not moved.size:
            continue
        part = World(at.rotations[moved], at.positions[moved])
        found = reach_ankle(
            made.skeleton,
            part,
            arm,
            hips=part.positions[:, arm.hip],
            ankles=_within_reach(part, arm, part.positions[:, arm.ankle] + weight * move[moved]),
            feet=part.rotations[:, arm.ankle],
        )
        for joint, local in zip((arm.hip, arm.knee, arm.ankle), found, strict=True):
            same = np.sum(local * rotations[moved, joint], axis=-1, keepdims=True) >= 0
            rotations[moved, joint] = np.where(same, local, -local)
    return made.with_motion(rotations)


def _has_arm(found: Roles, side: str) -> bool:
    return all(f"{side}_{part}" in found for part in ("shoulder", "elbow", "wrist"))


def _within_reach(at: World, arm: Leg, wanted: Positions) -> Positions:
    """Targets (N, 3) of a wrist, pulled in so that the arm approaches its full length asymptotically."""
    shoulder = at.positions[:, arm.hip]
    was = np.linalg.norm(at.positions[:, arm.ankle] - shoulder, axis=1)
    asked = np.linalg.norm(wanted - shoulder, axis=1)
    room = np.maximum(_SOFT * leg_reach(at, arm) - was, 1e-6)
    allowed = was + room * -np.expm1(-np.maximum(asked - was, 0.0) / room)
    share = np.minimum(allowed / np.maximum(asked, 1e-9), 1.0)[:, None]
    out: Positions = shoulder + share * (wanted - shoulder)
    return out


def _target(
    source: Clip, made: Clip, side: str, sides: list[str], at: tuple[World, World], ground: float
) -> Positions:
    """Displacement (F, 3) of one wrist to its position relative to what it is near."""
    theirs, ours = roles(source.skeleton), roles(made.skeleton)
    before, after = (each.positions for each in at)
    scale = leg_length(made.skeleton) / leg_length(source.skeleton)
    hand, made_hand = before[:, theirs[f"{side}_wrist"]], after[:, ours[f"{side}_wrist"]]
    length = _arm_length(source, side)
    places = [
        (before[:, theirs[role]], after[:, ours[role]]) for role in _BESIDE if role in theirs and role in ours
    ]
    near = [_nearness(np.linalg.norm(hand - place, axis=1) / length, _NEAR) for place, _ in places]
    if len(sides) == 2:
        middle = before[:, [theirs[f"{each}_wrist"] for each in sides]].mean(axis=1)
        made_middle = after[:, [ours[f"{each}_wrist"] for each in sides]].mean(axis=1)
        places.append((middle, made_middle))
        near.append(_nearness(2.0 * np.linalg.norm(hand - middle, axis=1) / length, _APART))
    weights = np.stack(near)
    asked = np.stack([there + scale * (hand - here) - made_hand for here, there in places])
    shares = weights**_NEARER
    mean = (shares[..., None] * asked).sum(axis=0) / np.maximum(shares.sum(axis=0), 1e-12)[:, None]
    move: Positions = weights.max(axis=0)[:, None] * mean
    height = hand[:, 1] - ground
    low = _nearness(height / leg_length(source.skeleton), _GROUND)
    down = scale * hand[:, 1] - made_hand[:, 1]
    move[:, 1] += low * (down - move[:, 1])
    return move


def _arm_length(clip: Clip, side: str) -> float:
    found, rest = roles(clip.skeleton), clip.skeleton.rest_positions()
    shoulder, elbow, wrist = (rest[found[f"{side}_{part}"]] for part in ("shoulder", "elbow", "wrist"))
    return float(np.linalg.norm(elbow - shoulder) + np.linalg.norm(wrist - elbow))


def _nearness(distance: Floats, ends: tuple[float, float]) -> Floats:
    """Fall smoothly from 1 to 0 between two distances."""
    out: Floats = 1.0 - smoothstep(np.clip((distance - ends[0]) / (ends[1] - ends[0]), 0.0, 1.0))
    return out
