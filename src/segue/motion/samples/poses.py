"""Frames of a plan: pelvis, legs by two-bone inverse kinematics, trunk and arms."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.maths.quaternions import (
    conjugate,
    from_axis_angle,
    from_matrix,
    from_yaw,
    multiply,
    rotate,
    unroll,
)
from segue.motion.samples.body import HIP_DROP, HIP_HALF_WIDTH, ROOT_HEIGHT, SHANK, THIGH, body
from segue.motion.samples.courses import SideToSide
from segue.motion.samples.plans import SamplePlan, lean_into
from segue.motion.samples.swings import FootTrack, foot_track, planted_track

_REACH = 0.9945 * (
    THIGH + SHANK
)  # a leg on the ground keeps 12 degrees of knee flexion, to avoid a knee snap
_FREE_REACH = 0.9965 * (THIGH + SHANK)
_GRID = 1 / 240  # seconds
_SWAY = 4.0  # period in seconds of a standing body's sway and breath
_STANDING = -0.007  # metres, height of a standing pelvis relative to straight legs
_X, _Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def _about_x(angle: Floats) -> Quaternions:
    return from_axis_angle(_X, angle)


def _about_z(angle: Floats) -> Quaternions:
    return from_axis_angle(_Z, angle)


@dataclass(frozen=True, eq=False)
class Pelvis:
    """Pelvis over time: position (N, 3), heading of the course, and its own angles relative to it (radians)."""

    position: Positions
    heading: Floats
    yaw: Floats
    roll: Floats
    pitch: Floats

    @property
    def rotation(self) -> Quaternions:
        """World rotation (N, 4)."""
        return multiply(
            from_yaw(self.heading + self.yaw), multiply(_about_z(self.roll), _about_x(self.pitch))
        )

    def hip(self, side: int) -> Positions:
        """Return world positions (N, 3) of a hip joint; side is +1 left, -1 right."""
        return self.position + rotate(self.rotation, np.array([side * HIP_HALF_WIDTH, -HIP_DROP, 0.0]))


def _slow(plan: SamplePlan, t: Floats) -> Floats:
    """Phase in radians of the slow sway and breath of a standing body; any two clips are in phase within one period."""
    out: Floats = (2 * np.pi / _SWAY) * (t - plan.idle)
    return out


def _dance(plan: SamplePlan, t: Floats) -> Floats:
    """Weight of the dance, 0 to 1."""
    return plan.course.dance(t) if isinstance(plan.course, SideToSide) else np.zeros(t.size)


def pelvis_at(plan: SamplePlan, t: Floats) -> Pelvis:
    """Compute the pelvis of a plan at times t (N,) seconds, before it is lowered to the reach of the legs."""
    gait, phase, weight = plan.rhythm.gait(t), plan.rhythm.phase(t), plan.course.weight(t)
    place = plan.course.place(t)
    x, z, heading = place[:, 0], place[:, 1], place[:, 2]
    lean = lean_into(plan.course, t)
    idle, slow = 1.0 - weight, _slow(plan, t)
    middle = phase - (gait.duty - 0.5) / 2  # relative to the middle of double support
    across = weight * gait.sway * np.cos(2 * np.pi * (phase - gait.duty / 2)) + idle * 0.007 * np.sin(slow)
    along = weight * gait.surge * np.sin(4 * np.pi * middle) + idle * 0.004 * np.sin(2 * slow + 2.0)
    standing = _STANDING - 0.001 * (1 + np.sin(2 * slow + 1.0))
    height = ROOT_HEIGHT * np.cos(lean) + weight * (gait.height + gait.rise(phase)) + idle * standing
    height += _dance(plan, t) * (gait.height - gait.bob * np.cos(4 * np.pi * phase) - standing)
    position = np.stack(
        [
            x + across * np.cos(heading) + along * np.sin(heading),
            height,
            z - across * np.sin(heading) + along * np.cos(heading),
        ],
        axis=-1,
    )
    return Pelvis(
        position=position,
        heading=heading,
        yaw=-weight * gait.pelvis_yaw * np.cos(2 * np.pi * phase),
        roll=weight * gait.list_ * np.cos(2 * np.pi * (phase - 0.14)) - lean,
        pitch=weight * 0.4 * gait.lean,
    )


def _yielding(plan: SamplePlan) -> tuple[Floats, Floats]:
    """Compute times in seconds and how far in metres the pelvis is smoothly lowered, so that planted legs can reach.

    It uses its own time grid, so that a clip shows the same motion at every frame rate.
    """
    t = np.arange(-0.5, plan.seconds + 0.5, _GRID)
    pelvis, excess = pelvis_at(plan, t), np.zeros(t.size)
    for side, plants in ((1, plan.left), (-1, plan.right)):
        foot, hip = planted_track(plants, t), pelvis.hip(side)
        level = np.hypot(hip[:, 0] - foot.ankle[:, 0], hip[:, 2] - foot.ankle[:, 2])
        highest = foot.ankle[:, 1] + np.sqrt(np.maximum(_REACH**2 - level**2, 0.0))
        excess = np.maximum(excess, np.where(foot.planted, hip[:, 1] - highest, 0.0))
    half = int(0.11 / _GRID)
    padded = np.pad(excess, 2 * half, mode="edge")
    highest_near = np.max(np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1), axis=-1)
    bell = np.cos(np.linspace(-np.pi / 2, np.pi / 2, 2 * half + 3)[1:-1]) ** 2
    return t, np.convolve(highest_near, bell / bell.sum(), mode="valid")


def _pelvis(plan: SamplePlan, t: Floats, sinking: tuple[Floats, Floats]) -> Pelvis:
    """Pelvis within the reach of the planted legs."""
    pelvis = pelvis_at(plan, t)
    position = np.array(pelvis.position)
    position[:, 1] -= _smooth(t, *sinking)
    return replace(pelvis, position=position)


def _smooth(t: Floats, grid: Floats, values: Floats) -> Floats:
    """Interpolate values on a grid by cubics with centred slopes."""
    slopes = np.gradient(values)
    place = np.clip((t - grid[0]) / _GRID, 0.0, grid.size - 1.000001)
    k = place.astype(np.int64)
    u = place - k
    low, high, rise, fall = values[k], values[k + 1], slopes[k], slopes[k + 1]
    out: Floats = (
        low * (1 + 2 * u) * (1 - u) ** 2
        + high * u**2 * (3 - 2 * u)
        + rise * u * (1 - u) ** 2
        - fall * u**2 * (1 - u)
    )
    return out


def _foot(plan: SamplePlan, t: Floats, side: int, sinking: tuple[Floats, Floats]) -> FootTrack:
    def hip(at: Floats) -> tuple[Positions, Floats]:
        pelvis = _pelvis(plan, at, sinking)
        return pelvis.hip(side), pelvis.heading

    def angles(at: Floats) -> tuple[Floats, Floats, Floats]:
        weight = plan.course.weight(at)
        bent = plan.rhythm.gait(at).leg_angles(plan.rhythm.phase(at) + (0.0 if side > 0 else 0.5))
        return weight * bent[0], weight * bent[1], weight * bent[2]

    plants = plan.left if side > 0 else plan.right
    return foot_track(plants, t, hip=hip, angles=angles, gait=plan.rhythm.gait)


def _leg(hip: Positions, ankle: Positions, forward: Positions) -> tuple[Quaternions, Quaternions]:
    """World rotations (N, 4) of thigh and shank that bring the ankle to its position with the knee forward."""
    reach_vector = ankle - hip
    distance = np.linalg.norm(reach_vector, axis=-1)
    # The distance of a free leg is softly limited to its reach; the ankle of a planted leg is always nearer.
    reach, slack = _FREE_REACH, 0.9995 * (THIGH + SHANK) - _FREE_REACH
    over = np.maximum(distance - reach, 0.0)
    shorter = np.where(over > 0, reach + slack * np.tanh(over / slack), distance)
    down = reach_vector / distance[:, None]
    ahead = forward - np.sum(forward * down, axis=-1, keepdims=True) * down
    ahead /= np.linalg.norm(ahead, axis=-1, keepdims=True)
    across = np.cross(ahead, down)
    cos = (THIGH**2 + shorter**2 - SHANK**2) / (2 * THIGH * shorter)
    sin = np.sqrt(np.maximum(1 - cos**2, 0.0))
    thigh = cos[:, None] * down + sin[:, None] * ahead
    shank = (shorter[:, None] * down - THIGH * thigh) / SHANK
    return _frame(across, thigh), _frame(across, shank)


def _frame(across: Positions, down: Positions) -> Quaternions:
    """Rotation whose x axis is ``across`` and whose y axis points against ``down``."""
    return from_matrix(np.stack([across, -down, np.cross(across, -down)], axis=-1))


def _trunk(plan: SamplePlan, pelvis: Pelvis, t: Floats) -> dict[str, Quaternions]:
    """Local rotations of spine, neck and head."""
    gait, phase, weight = plan.rhythm.gait(t), plan.rhythm.phase(t), plan.course.weight(t)
    lean = lean_into(plan.course, t)
    breath = np.radians(0.6) * np.sin(_slow(plan, t)) * (1 - 0.6 * weight)
    thorax_yaw = weight * gait.thorax_yaw * np.cos(2 * np.pi * (phase - 0.03))
    twist = thorax_yaw - pelvis.yaw
    side = -0.85 * (pelvis.roll + lean)
    bend = weight * gait.lean * 0.6 + np.radians(1.0)
    if isinstance(plan.course, SideToSide):
        place = _dance(plan, t) * (plan.course.place(t)[:, 0] / plan.course.width - 0.5)
        side, twist = np.radians(5.0) * place, np.radians(-8.0) * place
        thorax_yaw = twist
    spine = multiply(from_yaw(0.5 * twist), multiply(_about_z(0.5 * side), _about_x(0.6 * bend - breath)))
    chest = multiply(from_yaw(0.5 * twist), multiply(_about_z(0.5 * side), _about_x(0.4 * bend + breath)))
    # The head faces the direction of travel.
    upright = 0.5 * (pelvis.roll + side)
    neck = multiply(from_yaw(-0.6 * thorax_yaw), multiply(_about_z(-upright), _about_x(-0.3 * bend)))
    head = multiply(
        from_yaw(-0.4 * thorax_yaw), multiply(_about_z(-upright), _about_x(-0.4 * bend - 0.5 * breath))
    )
    return {"Spine": spine, "Spine1": chest, "Neck": neck, "Head": head}


def _arm(plan: SamplePlan, t: Floats, side: int) -> dict[str, Quaternions]:
    """Local rotations of one arm, which swings with the leg of the other side."""
    gait, weight, dance = plan.rhythm.gait(t), plan.course.weight(t), _dance(plan, t)
    phase = plan.rhythm.phase(t) + (0.5 if side > 0 else 0.0)
    swing = np.cos(2 * np.pi * (phase - 0.02))
    bent = np.cos(2 * np.pi * (phase - 0.07))
    still, beat = 1.0 - weight - dance, 2 * np.pi * plan.rhythm.phase(t)
    flexion = weight * (gait.arm_mean + gait.arm_swing * swing) + still * np.radians(2.0)
    flexion += dance * (np.radians(12.0) + np.radians(10.0) * np.cos(beat))
    elbow = weight * (gait.elbow_mean + gait.elbow_swing * bent) + still * np.radians(14.0)
    elbow += dance * (np.radians(75.0) + np.radians(14.0) * np.cos(2 * beat - 0.5))
    inward = np.radians(weight * (12.0 + 13.0 * gait.run) + still * 15.0 + dance * 30.0)
    apart = np.radians(9.0 + 4.0 * gait.run)
    breath = np.radians(0.8) * np.sin(_slow(plan, t)) * (1 - weight)
    hang = multiply(_about_x(-flexion), _about_z(-side * (np.pi / 2 - apart)))
    turn = multiply(hang, _about_x(inward))
    return {
        "Shoulder": _about_z(side * (np.radians(-2.0) + breath)),
        "Arm": turn,
        "ForeArm": from_yaw(-side * elbow),
        "Hand": multiply(_about_x(np.zeros(t.size)), _about_z(-side * np.full(t.size, np.radians(4.0)))),
    }


def _legs(pelvis: Pelvis, feet: tuple[FootTrack, FootTrack]) -> dict[str, Quaternions]:
    """Local rotations of both legs."""
    local: dict[str, Quaternions] = {}
    for side, name, foot in ((1, "Left", feet[0]), (-1, "Right", feet[1])):
        gap = (foot.yaw - pelvis.heading + np.pi) % (2 * np.pi) - np.pi
        aim = pelvis.heading + 0.4 * pelvis.yaw + 0.6 * gap
        forward = np.stack([np.sin(aim), np.zeros(aim.size), np.cos(aim)], axis=-1)
        thigh, shank = _leg(pelvis.hip(side), foot.ankle, forward)
        sole = multiply(from_yaw(foot.yaw), _about_x(-foot.pitch))
        local[f"{name}UpLeg"] = multiply(conjugate(pelvis.rotation), thigh)
        local[f"{name}Leg"] = multiply(conjugate(thigh), shank)
        local[f"{name}Foot"] = multiply(conjugate(shank), sole)
        local[f"{name}ToeBase"] = _about_x(-foot.toe_bend)
    return local


def frames(plan: SamplePlan, fps: float) -> tuple[Quaternions, Positions]:
    """Compute local rotations (F, J, 4) and root positions (F, 3) of a plan."""
    count = int(np.floor(plan.seconds * fps + 1e-6)) + 1
    t = np.arange(count) / fps
    sinking = _yielding(plan)
    feet = (_foot(plan, t, 1, sinking), _foot(plan, t, -1, sinking))
    pelvis = _pelvis(plan, t, sinking)
    local = {"Hips": pelvis.rotation, **_trunk(plan, pelvis, t), **_legs(pelvis, feet)}
    for side, name in ((1, "Left"), (-1, "Right")):
        local |= {name + part: rotation for part, rotation in _arm(plan, t, side).items()}
    rotations = np.stack([np.broadcast_to(local[name], (count, 4)) for name in body().names], axis=1)
    return unroll(np.ascontiguousarray(rotations)), pelvis.position
