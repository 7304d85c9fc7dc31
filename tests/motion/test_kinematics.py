"""Forward kinematics: a naive twin of 4 x 4 matrices, and what rotating and moving a body may change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import quaternions as naive
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import multiply, normalise, rotate
from segue.motion import kinematics
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.skeleton import Skeleton


def random_body(rng: np.random.Generator, n_joints: int = 12) -> Skeleton:
    """A random tree: each joint is a child of an earlier one."""
    parents = [-1, *(int(rng.integers(0, joint)) for joint in range(1, n_joints))]
    return Skeleton([f"j{joint}" for joint in range(n_joints)], parents, rng.normal(size=(n_joints, 3)))


def random_clip(rng: np.random.Generator, n_frames: int = 6) -> Clip:
    """Random motion of a random tree."""
    body = random_body(rng)
    return Clip(body, normalise(rng.normal(size=(n_frames, 12, 4))), rng.normal(size=(n_frames, 3)), 30)


@pytest.mark.parametrize("seed", range(5))
def test_world_is_the_product_of_matrices(seed: int) -> None:
    """Positions and rotations equal the product of each ancestor's 4 x 4 matrix."""
    clip = random_clip(np.random.default_rng(seed))
    world = kinematics.world(clip)
    body = clip.skeleton
    for f in range(clip.n_frames):
        expected = naive.world_by_matrices(
            clip.rotations[f].tolist(),
            clip.root_positions[f].tolist(),
            body.parents.tolist(),
            body.offsets.tolist(),
        )
        for joint, matrix in enumerate(expected):
            assert np.allclose(world.positions[f, joint], [row[3] for row in matrix[:3]], atol=1e-13)
            assert np.allclose(
                naive.matrix(world.rotations[f, joint].tolist()), [row[:3] for row in matrix[:3]], atol=1e-13
            )


@given(st.integers(0, 999))
def test_attached_points_turn_with_their_joints(seed: int) -> None:
    """Points at offsets of any joints, one of them twice, are rotated as by the twin."""
    clip = random_clip(np.random.default_rng(seed), n_frames=2)
    at = kinematics.world(clip)
    joints, offsets = [7, 0, 7], np.random.default_rng(seed).normal(size=(3, 3))
    found = kinematics.attached_points(at, joints, offsets)
    for f in range(2):
        for p, joint in enumerate(joints):
            turned = naive.rotated(at.rotations[f, joint].tolist(), offsets[p].tolist())
            assert found[f, p] - at.positions[f, joint] == pytest.approx(turned, abs=1e-12)


def test_unturned_joints_rest(rng: np.random.Generator) -> None:
    """With every rotation the identity and the root at its offset, the body is in its rest pose."""
    body = random_body(rng)
    rotations = np.tile([1.0, 0, 0, 0], (1, body.n_joints, 1))
    assert np.allclose(
        kinematics.forward(body, rotations, body.offsets[:1]).positions[0], body.rest_positions()
    )


def test_bones_keep_their_length(rng: np.random.Generator) -> None:
    clip = random_clip(rng)
    positions = kinematics.world_positions(clip)
    parents = clip.skeleton.parents
    lengths = np.linalg.norm(positions[:, 1:] - positions[:, parents[1:]], axis=-1)
    assert np.allclose(lengths, np.linalg.norm(clip.skeleton.offsets[1:], axis=-1), atol=1e-13)


@given(st.floats(-3.0, 3.0), st.floats(-1000.0, 1000.0), st.floats(-1000.0, 1000.0))
def test_moving_a_clip_moves_every_joint(turn: float, x: float, z: float) -> None:
    """A ground motion of the clip is the same ground motion of all its joints."""
    clip = random_clip(np.random.default_rng(3))
    motion = PlanarMotion(turn, x, z)
    before, after = kinematics.world(clip), kinematics.world(moved(clip, motion))
    assert np.allclose(after.positions, motion.apply(before.positions), atol=1e-9)
    assert np.allclose(after.rotations, motion.rotate(before.rotations), atol=1e-12)


def test_the_caller_may_hold_any_layout(rng: np.random.Generator) -> None:
    """Strided and Fortran-ordered input gives the same result as contiguous input."""
    clip = random_clip(rng, 8)
    strided = kinematics.forward(
        clip.skeleton, np.asfortranarray(clip.rotations)[::2], clip.root_positions[::2]
    )
    assert np.array_equal(strided.positions, kinematics.world_positions(clip)[::2])


def test_attached_points_ride_on_their_joints(rng: np.random.Generator) -> None:
    """A point fixed to a joint rotates and moves with it; a point at zero offset is the joint."""
    clip = random_clip(rng)
    world = kinematics.world(clip)
    joints, offsets = [3, 3, 7], np.array([[0.0, 0, 0], [0.1, 0.2, 0.3], [-1.0, 0, 0]])
    points = kinematics.attached_points(world, joints, offsets)
    assert np.allclose(points[:, 0], world.positions[:, 3])
    for f in range(clip.n_frames):
        for k, joint in enumerate(joints):
            turned = naive.rotated(world.rotations[f, joint].tolist(), offsets[k].tolist())
            assert np.allclose(points[f, k], world.positions[f, joint] + turned, atol=1e-13)
    assert kinematics.attached_points(world, [], np.empty((0, 3))).shape == (clip.n_frames, 0, 3)
    for joint in (-1, clip.skeleton.n_joints):
        with pytest.raises(SettingError, match="joints from 0"):
            kinematics.attached_points(world, [joint], np.zeros((1, 3)))


def test_a_childs_world_rotation_follows_its_parents(rng: np.random.Generator) -> None:
    """World rotation is the parent's world rotation times the local one."""
    clip = random_clip(rng)
    world = kinematics.world(clip)
    for joint in range(1, clip.skeleton.n_joints):
        parent = clip.skeleton.parents[joint]
        expected = multiply(world.rotations[:, parent], clip.rotations[:, joint])
        assert np.allclose(world.rotations[:, joint], expected, atol=1e-14)
        reach = rotate(world.rotations[:, parent], clip.skeleton.offsets[joint])
        assert np.allclose(world.positions[:, joint], world.positions[:, parent] + reach, atol=1e-13)
