"""Steering on uneven ground, and on another body: planted feet on the ground, knees and root similar to level ground.

Shows: a walker on slopes, bumps and steps, on its own body and on another one: feet, knees and root
Bars: planted feet within 1 cm more than on level ground and still within 1 mm a frame, knees as the clips', the
    root's vertical jolts within 3 x
Needs: clips
Group: Steering
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from _runner import Show, run
from _walkers import clips, walker

from segue.locomotion.build import build_locomotion
from segue.locomotion.model import Locomotion
from segue.maths.quaternions import half_angle
from segue.motion.clip import Clip
from segue.motion.feet import foot_points, foot_positions, leg_length
from segue.motion.kinematics import world
from segue.motion.roles import require
from segue.runtime.heights import Ground, bumps, slope, stairs
from segue.runtime.standing import _kernels as k
from segue.runtime.steered.player import Command, LocomotionPlayer

FPS = 60.0
DEGREES = np.pi / 180
SCRIPT = [
    (0.0, Command("stand")),
    (1.0, Command("walk", 1.2)),
    (5.0, Command("walk", 1.1, 20 * DEGREES)),
    (9.0, Command("walk", 1.0, -20 * DEGREES)),
    (13.0, Command("walk", 1.3)),
    (16.0, Command("stand")),
]
STRAIGHT = [(0.0, Command("stand")), (1.0, Command("walk", 1.1)), (10.0, Command("stand"))]
GROUNDS: dict[str, tuple[Ground, Sequence[tuple[float, Command]], float]] = {
    "8 degrees up": (slope(8 * DEGREES), SCRIPT, 18.0),
    "8 degrees down": (slope(-8 * DEGREES), SCRIPT, 18.0),
    "bumps of 16 cm, 2.5 m apart": (bumps(0.16, 2.5), SCRIPT, 18.0),
    "steps up, 15 cm and 60 cm deep": (stairs(0.15, 0.6), STRAIGHT, 10.0),
}


@dataclass(frozen=True, eq=False)
class Walked:
    """Measurements of one run: centimetres from the ground, millimetres a frame, root in m/s2, knees in rad/s."""

    clip: Clip
    near: np.ndarray
    under: float
    moves: float
    root: float
    knees: float


def walked(
    model: Locomotion, ground: Callable[[float, float], float], script: Sequence, seconds: float
) -> Walked:
    """Play a script on a ground."""
    player = LocomotionPlayer(model, ground=ground)
    poses, carries, row = [], [], 0
    for frame in range(round(seconds * FPS)):
        while row + 1 < len(script) and script[row + 1][0] <= frame / FPS:
            row += 1
        poses.append(player.step(1 / FPS, script[row][1]))
        feet = player.save()[0][k.FEET : k.FEET + 2 * k.FOOT_ROW].reshape(2, k.FOOT_ROW)
        toes = feet[:, k.WAS + 1] > 0
        carries.append(np.column_stack([(feet[:, k.WAS] > 0) & ~toes, toes]).ravel())
    rotations, roots = (
        np.array([getattr(pose, of) for pose in poses]) for of in ("rotations", "root_position")
    )
    clip = Clip(model.skeleton, rotations, roots, FPS, name="walked")
    parts = foot_positions(clip.skeleton, world(clip))
    heights = np.array([[ground(float(x), float(z)) for x, _, z in frame] for frame in parts])
    over = parts[:, :, 1] - heights - foot_points(clip.skeleton).rest_heights
    both = np.array(carries)[1:] & np.array(carries)[:-1]
    planted = np.repeat(both.reshape(-1, 2, 2).any(axis=2), 2, axis=1).reshape(-1, 2, 2)
    # Of a planted foot the part closer to the ground, heel or toe: over an edge the other is in the air.
    near = np.abs(over[1:].reshape(-1, 2, 2)).min(axis=2)[planted[:, :, 0]]
    return Walked(
        clip,
        100 * near,
        -100 * float(over[1:][both].min()),
        1000 * float(np.linalg.norm(np.diff(parts, axis=0), axis=2)[both].max()),
        float(np.percentile(np.abs(np.diff(roots[:, 1], 2)), 99) * FPS**2),
        knee_speed(clip),
    )


def knee_speed(clip: Clip) -> float:
    """Return the 99.9th percentile of both knees' angular speed in radians a second."""
    knees = list(require(clip.skeleton, "left_knee", "right_knee").values())
    turned = 2 * half_angle(clip.rotations[1:, knees], clip.rotations[:-1, knees]) * clip.fps
    return float(np.percentile(turned, 99.9))


def described(one: Walked) -> str:
    """Format the numbers of a run in one line."""
    far = f"{np.median(one.near):.1f} cm from the ground, 95 % {np.percentile(one.near, 95):.1f}"
    return (
        f"nearer part of planted feet {far}; deepest {one.under:.1f} cm under; {one.moves:.2f} mm a frame; "
        f"root {one.root:.0f} m/s2; knees {one.knees:.1f} rad/s"
    )


def grounds(verdicts: Show, model: Locomotion, word: str, captured: float) -> None:
    """Compare all grounds with level ground."""
    flat = walked(model, slope(0.0), SCRIPT, 18.0)
    verdicts.note(f"{word}, level: {described(flat)}")
    far = float(np.percentile(flat.near, 95))
    for name, (ground, script, seconds) in GROUNDS.items():
        one = walked(model, ground, script, seconds)
        verdicts.note(f"{word}, {name}: {described(one)}")
        reach = float(np.percentile(one.near, 95))
        verdicts.check(
            f"{word}, {name}: 95 % of planted feet from the ground",
            reach,
            f"<= {far + 1:.2g}",
            reach <= far + 1,
            "cm",
        )
        verdicts.check(f"{word}, {name}: a carrying part moves in a frame", one.moves, "< 1", unit="mm")
        share = one.knees / captured
        verdicts.check(f"{word}, {name}: knees over the clips'", share, "<= 1.3", unit="x")
        share = one.root / flat.root
        verdicts.check(f"{word}, {name}: root's vertical jolts over level ground's", share, "<= 3", unit="x")


def main(verdicts: Show) -> None:
    """Measure the body of the clips, then another one."""
    model = walker()
    captured = max(knee_speed(clip) for clip in clips(only_16=True))
    verdicts.note(f"fastest knees of the clips: {captured:.1f} rad/s")
    grounds(verdicts, model, "own body", captured)
    other = next(clip for clip in clips() if clip.name == "131_01").skeleton
    legs = leg_length(model.skeleton), leg_length(other)
    verdicts.note(f"legs of {legs[0]:.2f} m and of {legs[1]:.2f} m, {other.n_joints} joints")
    grounds(verdicts, build_locomotion(clips(), skeleton=other), "another body", captured)


if __name__ == "__main__":
    run(main, "Uneven ground and another body: CMU 16, 127_03, 127_04 and 131")
