"""Put soles on the floor and planted feet in place, after a motion was carried over to another body.

Legs of other proportions that point in the same direction do not end at the floor. Each heel and toe should be as high
above the floor as the source's, scaled by the legs, and on it while the source's is planted. The root takes the part
common to all frames, the feet are tilted by the error of a rest pose that is not flat, and the legs reach the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.maths.easing import smoothstep
from segue.maths.quaternions import from_axis_angle, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.contacts import Contacts, contacts
from segue.motion.feet import FOOT_PARTS, foot_points, foot_positions, leg_length
from segue.motion.flags import runs
from segue.motion.ground import FLOOR
from segue.motion.kinematics import World, world
from segue.motion.limb_ik import Leg, reach_ankle
from segue.motion.roles import SIDES, roles
from segue.motion.usable import sound_frames
from segue.synthesis.feet.lowering import smooth_above, too_far
from segue.synthesis.feet.planting import EASE, plant_feet
from segue.synthesis.feet.steps import NATURAL, PlantMotion, ground_steps
from segue.synthesis.retarget.above import allowed_depth, hands_up, level_axis, raised, toes_up

_ALIKE = 0.001
"""Leg lengths by which leg joints may differ from the source's scaled ones and still count as the same."""
_NEAR = (0.02, 0.10)
"""Leg lengths above its resting height up to which a foot part is on the floor, and from which it is not."""
_SAME_GROUND = 0.085
"""Leg lengths: a plant within this of the floor's height stands on the floor; the difference is measurement error."""
_NOISE = 0.03
"""Leg lengths by which noise puts the feet of a capture below the floor."""
_AIR = (0.2, 0.6)
"""Leg lengths above the floor at which the correction of a foot's height begins to fade, and has faded."""
_SETTLE = 0.08
"""Seconds from either end of a plant after which a foot part is at rest."""
_SWING = 0.05
"""Weight of a foot part in the air, relative to 1 for one on the floor."""
_SLOWLY = 0.5
"""Seconds to either side over which the root's rise is smoothed."""
_PRIOR = 0.02
"""Mean number of feet near the floor in that time at which their deviation from the usual rise counts half."""
_SOFT = 0.002
"""Metres: limit of the depth below the floor to which greater depths are compressed."""
_FLAT = 0.9
"""Nearness to the floor above which a foot lies flat, so that its tilt gives the tilt of the rest pose."""
_STEEPEST = np.radians(35.0)
"""Radians: largest tilt of a foot to lie flat."""


class _Foot(NamedTuple):
    """Correction of one foot: tilt (F,) in radians about ``axis``, then rise (F,) in metres; ``near`` (F,), 0 to 1."""

    axis: Positions
    tilt: Floats
    rise: Floats
    near: Floats


def standing(source: Clip, made: Clip, *, keep: PlantMotion = NATURAL) -> Clip:
    """Put the feet of a retargeted motion on the floor, and hold them where the source's are planted.

    Parameters
    ----------
    source
        The clip before retargeting.
    made
        The same frames on another body, limbs pointing as the source's.
    keep
        How much of the source's motion planted feet keep.

    Examples
    --------
    >>> import segue
    >>> from segue.synthesis.retarget.carry import carried
    >>> walk = segue.sample("walk")
    >>> standing(walk, carried(walk, walk.skeleton)).n_frames == walk.n_frames
    True
    """
    if _alike(source, made):
        return made
    found = contacts(source)
    allowed = allowed_depth(source, made, ground_height(source))
    out = raised(_levelled(source, made, found), allowed)
    steps, _ = ground_steps(source)
    scale = leg_length(made.skeleton) / leg_length(source.skeleton)
    out = plant_feet(out, planted=found.flags, steps=scale * steps, keep=keep).clip
    return hands_up(toes_up(out, allowed), allowed)


def _alike(source: Clip, made: Clip) -> bool:
    """Whether knees, ankles and toes are where the source's are, up to scale, so that nothing needs correction."""
    theirs, ours = roles(source.skeleton), roles(made.skeleton)
    leg = leg_length(made.skeleton)
    scale = leg / leg_length(source.skeleton)
    parts = [f"{side}_{part}" for side in SIDES for part in ("knee", "ankle", "toe")]
    if any((part in theirs) != (part in ours) for part in parts):
        return False
    known = [part for part in parts if part in theirs]
    before = world(source).positions[:, [theirs[part] for part in known]]
    after = world(made).positions[:, [ours[part] for part in known]]
    return bool(np.abs(after - scale * before).max(initial=0.0) < _ALIKE * leg)


def _levelled(source: Clip, made: Clip, found: Contacts) -> Clip:
    """Motion whose heels and toes are as high above the floor as the source's, scaled."""
    scale = leg_length(made.skeleton) / leg_length(source.skeleton)
    heights = _heights(source, found)
    rest = foot_points(made.skeleton).rest_heights
    wanted = ground_height(source) * scale + rest + scale * heights
    near = 1.0 - smoothstep(
        np.clip((heights / leg_length(source.skeleton) - _NEAR[0]) / (_NEAR[1] - _NEAR[0]), 0.0, 1.0)
    )
    at = world(made)
    legs = (Leg.of(made.skeleton, "left"), Leg.of(made.skeleton, "right"))
    feet = [
        _foot(made, at, leg, wanted[:, columns], near[:, columns])
        for leg, columns in zip(legs, (slice(0, 2), slice(2, 4)), strict=True)
    ]
    lift = _lift(feet, made.fps)
    flying = np.minimum(heights[:, ::2], heights[:, 1::2]) / leg_length(source.skeleton)
    kept = 1.0 - smoothstep(np.clip((flying - _AIR[0]) / (_AIR[1] - _AIR[0]), 0.0, 1.0))
    feet = [foot._replace(rise=lift + kept[:, side] * (foot.rise - lift)) for side, foot in enumerate(feet)]
    roots = np.array(made.root_positions)
    roots[:, 1] += lift
    up = np.zeros((made.n_frames, 1, 3))
    up[:, 0, 1] = lift
    at = World(at.rotations, at.positions + up)
    return _reached(made.with_motion(root_positions=roots), at, legs, feet, lift)


def _heights(source: Clip, found: Contacts) -> Floats:
    """Heights (F, 4) in metres of the source's foot parts above their floor, planted ones on it.

    The plants of a capture differ by a centimetre or two in height; each is moved to the floor, and the frames between
    two plants by an interpolated offset.
    """
    leg = leg_length(source.skeleton)
    high = foot_positions(source.skeleton, world(source))[..., 1] - floors(source)
    out = np.empty_like(high)
    for part in range(len(FOOT_PARTS)):
        moved = high[:, part] + _to_floor(
            high[:, part],
            runs(found.flags[:, part]),
            most=_SAME_GROUND * leg,
            settle=_SETTLE * source.fps,
        )
        below = np.minimum(moved, 0.0)
        out[:, part] = np.maximum(moved, 0.0) + _SOFT * np.expm1(below / _SOFT)
    return out


def _to_floor(high: Floats, plants: Sequence[tuple[int, int]], *, most: float, settle: float) -> Floats:
    """Offsets (F,) that bring each plant to height 0, smooth between them; 0 for a plant on a step.

    At either end of a plant its median height is subtracted, from ``settle`` frames inwards each frame's own height.
    """
    out = np.zeros(high.size)
    before, end = 0.0, 0
    for start, stop in plants:
        height = float(np.median(high[start:stop]))
        move = -height if abs(height) < most else 0.0
        if end:
            t = (np.arange(end, start) - end + 1) / (start - end + 1)
            out[end:start] = before + (move - before) * smoothstep(t)
        else:
            out[:start] = move
        inside = np.minimum(np.arange(1, stop - start + 1), np.arange(stop - start, 0, -1))
        calm = smoothstep(np.minimum(inside / settle, 1.0)) * (move != 0.0)
        out[start:stop] = move + calm * (-move - high[start:stop])
        before, end = move, stop
    out[end:] = before
    return out


def floors(source: Clip) -> Floats:
    """Return the height (4,) in metres of each foot part at rest on the floor, ignoring feet of a lying body.

    Contacts are detected by slow and low feet; the feet of a lying body are slow but not as low as when it stood.

    Examples
    --------
    >>> import segue
    >>> floors(segue.sample("walk")).round(3).tolist()
    [-0.0, 0.02, -0.0, 0.02]
    """
    found = contacts(source)
    feet = foot_positions(source.skeleton, world(source))[sound_frames(source)]
    lowest = np.percentile(feet[..., 1], 1.0, axis=0)
    out: Floats = np.minimum(found.floor, lowest + _NOISE * leg_length(source.skeleton))
    return out


def ground_height(source: Clip) -> float:
    """Return the height in metres of the ground a clip stands on: 0, the file's, unless its feet rest well off it.

    Examples
    --------
    >>> import segue
    >>> ground_height(segue.sample("walk"))
    0.0
    """
    above = floors(source) - foot_points(source.skeleton).rest_heights
    if np.abs(above).min() < FLOOR * leg_length(source.skeleton):
        return 0.0
    return float(np.median(above))


def _foot(made: Clip, at: World, leg: Leg, wanted: Floats, near: Floats) -> _Foot:
    """Tilt and rise of one foot that bring heel and toe to the wanted heights (F, 2)."""
    places = foot_positions(made.skeleton, at)[:, _columns(made, leg)]
    sole = places[:, 1] - places[:, 0]
    length = np.linalg.norm(sole, axis=1)
    across, clear = level_axis(sole)
    slope = np.arcsin(np.clip(sole[:, 1] / np.maximum(length, 1e-9), -1.0, 1.0))
    flat = np.arcsin(np.clip((wanted[:, 1] - wanted[:, 0]) / np.maximum(length, 1e-9), -1.0, 1.0)) - slope
    both = near[:, 0] * near[:, 1]
    lying = both > _FLAT
    always = float(np.median(flat[lying])) if lying.any() else 0.0
    tilt = np.where(clear, np.clip(always + both * (flat - always), -_STEEPEST, _STEEPEST), 0.0)
    turn = from_axis_angle(across, tilt)
    ankle = at.positions[:, leg.ankle]
    high = np.stack([(ankle + rotate(turn, places[:, k] - ankle))[:, 1] for k in (0, 1)], axis=1)
    weight = near + _SWING
    rise = ((wanted - high) * weight).sum(axis=1) / weight.sum(axis=1)
    return _Foot(across, tilt, rise, near.max(axis=1))


def _columns(made: Clip, leg: Leg) -> slice:
    return slice(0, 2) if leg == Leg.of(made.skeleton, "left") else slice(2, 4)


def _lift(feet: Sequence[_Foot], fps: float) -> Floats:
    """Rise (F,) of the root in metres: the slowly changing mean of what feet on the floor need.

    Straight legs cannot be stretched: half a centimetre bends a knee by ten degrees.
    """
    near = np.stack([foot.near for foot in feet])
    rise = np.stack([foot.rise for foot in feet])
    asked = rise[near > _FLAT]
    usual = float(np.median(asked)) if asked.size else 0.0
    weight = near.sum(axis=0)
    more = (near * (rise - usual)).sum(axis=0)
    window = np.hanning(2 * max(round(_SLOWLY * fps), 1) + 3)[1:-1]
    most = min(window.size, 2 * (weight.size - 1) + 1)  # no longer than the motion
    window = window[(window.size - most) // 2 :][:most]
    half = most // 2
    smooth = [np.convolve(np.pad(row, half), window, mode="valid") for row in (more, weight)]
    out: Floats = usual + smooth[0] / (smooth[1] + _PRIOR * window.sum())
    return out


def _reached(made: Clip, at: World, legs: tuple[Leg, Leg], feet: Sequence[_Foot], lift: Floats) -> Clip:
    """Adjust legs and root to the corrected feet."""
    targets = at.positions[:, [leg.ankle for leg in legs]].swapaxes(0, 1)
    targets[..., 1] += np.array([foot.rise for foot in feet]) - lift
    needed = too_far(at, legs, targets, np.ones(targets.shape[:2], dtype=bool))
    lowered = smooth_above(needed, max(round(EASE * made.fps), 1))
    rotations = np.array(made.rotations)
    roots = np.array(made.root_positions)
    roots[:, 1] -= lowered
    for leg, foot, ankles in zip(legs, feet, targets, strict=True):
        hips = np.array(at.positions[:, leg.hip])
        hips[:, 1] -= lowered
        turned: Quaternions = multiply(from_axis_angle(foot.axis, foot.tilt), at.rotations[:, leg.ankle])
        found = reach_ankle(made.skeleton, at, leg, hips=hips, ankles=ankles, feet=turned)
        for joint, local in zip((leg.hip, leg.knee, leg.ankle), found, strict=True):
            same = np.sum(local * rotations[:, joint], axis=-1, keepdims=True) >= 0
            rotations[:, joint] = np.where(same, local, -local)
    return made.with_motion(rotations, roots)
