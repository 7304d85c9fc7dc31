"""Random clips: smooth motions of random bodies, and clips as lists for the naive references."""

from __future__ import annotations

import numpy as np

from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import exp, from_yaw, multiply
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton

SEEDS = 2**32 - 1


def body(rng: np.random.Generator, joints: int) -> Skeleton:
    """A tree of joints with bones of about 30 cm."""
    parents = [-1, *(int(rng.integers(0, k)) for k in range(1, joints))]
    offsets = rng.normal(0.0, 0.17, (joints, 3))
    offsets[0] = [0.0, 0.9, 0.0]
    return Skeleton([f"joint{k}" for k in range(joints)], parents, offsets)


def legged() -> Skeleton:
    """A trunk and two legs, the same on both sides."""
    down = [0, -0.4, 0]
    return Skeleton(
        ("Hips", "Spine", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot"),
        [-1, 0, 0, 2, 3, 0, 5, 6],
        [[0, 0.9, 0], [0, 0.3, 0.02], [0.1, 0, 0], down, down, [-0.1, 0, 0], down, down],
    )


def clip(
    rng: np.random.Generator, skeleton: Skeleton, frames: int, *, fps: float = 30.0, name: str = "clip"
) -> Clip:
    """A clip whose joints swing and whose root strolls, turns and leans by less than a quarter turn."""
    t = np.arange(frames)[:, None] / 30.0
    joints = skeleton.n_joints
    rates, phases = rng.uniform(0.2, 1.5, (2, joints * 3)) * np.pi
    half = 0.25 * np.sin(rates * t * 2 + phases * 3).reshape(frames, joints, 3)
    rotations = multiply(exp(rng.normal(0.0, 0.3, (joints, 3))), exp(half))
    heading = rng.uniform(-3, 3) + np.cumsum(0.05 * np.sin(rates[0] * t[:, 0] + phases[0]))
    rotations[:, 0] = multiply(from_yaw(heading), exp(half[:, 0]))
    rotations *= rng.choice([-1.0, 1.0], (frames, joints, 1))  # either sign is the same rotation
    speed = rng.uniform(0.0, 0.06)
    steps = np.column_stack([np.sin(heading), 0 * heading, np.cos(heading)]) * speed
    roots = rng.normal(0.0, 3.0, 3) * [1, 0, 1] + np.cumsum(steps, axis=0)
    roots[:, 1] = 0.9 + 0.05 * np.sin(rates[1] * t[:, 0])
    return Clip(skeleton, rotations, roots, fps, name=name)


def ground_motion(rng: np.random.Generator, *, reach: float = 5.0) -> PlanarMotion:
    """Any turn, and a shift of a few metres."""
    return PlanarMotion(*(float(v) for v in (rng.uniform(-np.pi, np.pi), *rng.normal(0.0, reach, 2))))


def poses(made: Clip) -> list[tuple[list[list[float]], list[float]]]:
    """Local rotations and root positions of all frames, as lists."""
    return list(zip(made.rotations.tolist(), made.root_positions.tolist(), strict=True))


def apart(a: np.ndarray, b: np.ndarray) -> float:
    """Largest distance of two arrays of quaternions, with either sign as the same rotation."""
    return float(np.minimum(np.abs(a - b).max(-1), np.abs(a + b).max(-1)).max(initial=0.0))
