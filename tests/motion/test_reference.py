"""The standing reference of a body: when a rest pose stands, the reference found otherwise, and its invariants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import reference as naive
from rerigged import along_x, posed, rerigged
from segue.errors import SkeletonError
from segue.io import load
from segue.maths.quaternions import multiply, normalise, rotation_between
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world, world_positions
from segue.motion.mirror import mirror
from segue.motion.reference import UPRIGHT, standing, stands, stood, unstood, with_reference
from segue.motion.reference_found import found_reference, mean_turn
from segue.motion.roles import roles
from segue.motion.samples import SAMPLES, sample
from segue.motion.skeleton import Skeleton

_ASTRIDE = np.radians(40.0)


def test_means_are_the_twins(rng: np.random.Generator) -> None:
    """The mean rotation is the twin's, for any signs of the quaternions."""
    turns = normalise(rng.normal(size=(7, 5, 4)) + 3.0 * rng.normal(size=(1, 5, 4)))
    turns *= np.where(rng.random((7, 5, 1)) < 0.5, -1.0, 1.0)
    for joint in range(5):
        ours, theirs = mean_turn(turns)[joint], np.array(naive.mean_turn(turns[:, joint].tolist()))
        assert abs(float(ours @ theirs)) == pytest.approx(1.0, abs=1e-9)


@settings(max_examples=60)
@given(
    st.floats(-60.0, 60.0), st.floats(-60.0, 60.0), st.floats(-60.0, 60.0), st.sampled_from(["Spine", "Hips"])
)
def test_what_stands_is_the_twins(bow: float, thigh: float, aside: float, top: str) -> None:
    """With bent trunks, and thighs forwards and to the side, the body stands where the twin finds that it does."""
    clip = posed(
        sample("walk"),
        (top, (1.0, 0.0, 0.0), bow),
        ("LeftUpLeg", (1.0, 0.0, 0.0), thigh),
        ("RightUpLeg", (0.0, 0.0, 1.0), aside),
    )
    rest = clip.skeleton.rest_positions().tolist()
    joints = dict(roles(clip.skeleton))
    assert stands(clip.skeleton) == naive.stands(
        rest, joints, upright=float(UPRIGHT), astride=float(_ASTRIDE)
    )


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_the_stance_does_not_depend_on_the_frames_of_joints(seed: int) -> None:
    """For any rotation of the joint frames, the reference has every joint at the same place."""
    clip = sample("walk", fps=30.0)
    turns = normalise(np.random.default_rng(seed).normal(size=(clip.skeleton.n_joints, 4)))
    one, other = found_reference(clip), found_reference(rerigged(clip, turns))
    assert one is not None
    assert other is not None
    same = np.abs(np.sum(multiply(one, turns) * other, axis=1))
    assert same.min() > 1.0 - 1e-4


@pytest.mark.parametrize("name", [name for name in SAMPLES if "walk" in name or "run" in name])
def test_the_reference_of_a_standing_body_is_near_its_rest_pose(name: str) -> None:
    """For a body that stands at rest, legs, trunk and feet of the reference are within 12 degrees of the rest pose."""
    clip = sample(name, fps=30.0)
    reference = found_reference(clip)
    assert reference is not None
    angles = np.degrees(2.0 * np.arccos(np.clip(np.abs(reference[:, 0]), 0.0, 1.0)))
    found = roles(clip.skeleton)
    for role in ("pelvis", "spine", "chest", "left_hip", "right_knee", "left_ankle"):
        assert angles[found[role]] < 12.0, role


def test_nothing_is_found_where_legs_are_unknown() -> None:
    """A body without legs keeps its rest pose, and a reference of the wrong shape is refused."""
    clip = Clip(
        Skeleton(["a", "b"], [-1, 0], np.ones((2, 3))), np.ones((1, 2, 4)) / 2, np.zeros((1, 3)), 30.0
    )
    assert with_reference(clip) is clip
    assert found_reference(clip) is None
    with pytest.raises(SkeletonError, match="reference"):
        clip.skeleton.with_reference(np.ones((3, 4)))
    for wrong in (np.ones((2, 4)), np.full((2, 4), np.nan)):
        with pytest.raises(SkeletonError, match="unit quaternion"):
            clip.skeleton.with_reference(wrong)


def test_one_frame_is_enough() -> None:
    """A single frame that stands gives a reference; going there and back is exact."""
    clip = along_x(sample("walk", fps=30.0))
    alone = with_reference(Clip(clip.skeleton, clip.rotations[:1], clip.root_positions[:1], 30.0))
    assert stands(standing(alone.skeleton))
    assert (
        np.abs(world_positions(unstood(stood(alone), alone.skeleton)) - world_positions(alone)).max() < 1e-12
    )
    assert unstood(sample("walk"), sample("walk").skeleton).n_frames == sample("walk").n_frames


def test_a_body_that_never_stands_upright_gets_a_stance_all_the_same() -> None:
    """For a body that lies down, the reference is taken from its parts as they lie and is set upright."""
    clip = sample("walk", fps=30.0)
    turn = rotation_between(np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    lying = along_x(clip.with_motion(rotations))
    assert stands(standing(with_reference(lying).skeleton))


@pytest.mark.parametrize(
    "file",
    [
        "asf_amc/16/16_01.amc",
        "asf_amc/02/02_02.amc",
        "misc/bvhtoolbox/walk01.bvh",
        "misc/geno/Geno_stance.bvh",
    ],
)
def test_real_clips_on_a_rig_along_x(data: Path, file: str) -> None:
    """Heels and a mirror image's joints lie within 4 cm of the standing rig's, for any roll of the bones."""
    clip = load(data / file)
    assert clip.skeleton.reference is None
    for roll in (0.0, 1.3):
        odd = with_reference(along_x(clip, roll=roll))
        feet = [foot_positions(each.skeleton, world(each)) for each in (odd, clip)]
        assert np.linalg.norm(feet[0] - feet[1], axis=2).max() < 0.04
        joints = list(roles(clip.skeleton).values())
        away = np.linalg.norm(world_positions(mirror(odd)) - world_positions(mirror(clip)), axis=2)
        assert away[:, joints].max() < 0.04
