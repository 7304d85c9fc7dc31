"""Pose novelty against its twin, its laws, and captured motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from naive import novelty as naive
from segue.errors import SkeletonError
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import exp, multiply
from segue.measures.novelty import pose_novelty
from segue.motion.clip import Clip
from segue.motion.facing import heading, moved
from segue.motion.feet import leg_length
from segue.motion.resample import cut
from segue.motion.roles import roles


def few(name: str, count: int) -> Clip:
    """The beginning of a sample clip at 30 fps."""
    return cut(segue.sample(name, 30), 10, 10 + count)


def bodies(clip: Clip) -> list[naive.Pose]:
    """Poses of a clip in the twin's form."""
    joints = sorted(set(roles(clip.skeleton).values()) - {0})
    leg = leg_length(clip.skeleton)
    at, facing = segue.world_positions(clip).tolist(), heading(clip)
    return [
        naive.seen_from_the_root(pose, float(turn), joints, leg)
        for pose, turn in zip(at, facing, strict=True)
    ]


def test_every_pose_as_by_loops() -> None:
    """Frames of a run against a walk and a stand, and each source against the other, equal plain loops."""
    made, one, two = few("run", 6), few("walk", 8), few("stand", 5)
    found = pose_novelty(made, [one, two])
    known = bodies(one), bodies(two)
    assert found.apart == pytest.approx([naive.nearest(pose, known[0] + known[1]) for pose in bodies(made)])
    rest = [naive.nearest(p, known[1]) for p in known[0]] + [naive.nearest(p, known[0]) for p in known[1]]
    assert found.captured == pytest.approx(rest)
    assert found.beyond == pytest.approx(np.mean(found.apart > np.percentile(rest, 95)))


@settings(max_examples=20)
@given(st.floats(-3, 3), st.floats(-20, 20), st.integers(0, 30))
def test_captured_poses_are_not_new_wherever_they_stand(turn: float, x: float, start: int) -> None:
    """A part of a source, turned and moved along the ground, has no novelty."""
    walk = segue.sample("walk", 30)
    piece = moved(cut(walk, start, start + 20), PlanarMotion(turn, x, -x))
    assert pose_novelty(piece, [walk]).apart == pytest.approx(0, abs=1e-9)


def test_a_turned_joint_is_as_far_as_its_hand_moves() -> None:
    """The novelty of a rotated elbow is the distance of the joints below it, as root mean square over all joints."""
    walk = few("walk", 4)
    elbow = roles(walk.skeleton)["left_elbow"]
    rotations = np.array(walk.rotations)
    rotations[:, elbow] = multiply(rotations[:, elbow], exp(np.array([0.0, 0.0, 0.05])))
    bent = walk.with_motion(rotations)
    moved = np.linalg.norm(segue.world_positions(bent) - segue.world_positions(walk), axis=-1)
    joints = sorted(set(roles(walk.skeleton).values()) - {0})
    expected = np.sqrt((moved[:, joints] ** 2).mean(axis=1)) / leg_length(walk.skeleton)
    for frame in range(4):
        only = cut(walk, frame, frame + 1)
        assert pose_novelty(cut(bent, frame, frame + 1), [only]).apart[0] == pytest.approx(expected[frame])


def test_one_source_has_no_yardstick() -> None:
    """With a single source there are no distances between sources to compare with."""
    walk = few("walk", 4)
    found = pose_novelty(walk, [walk])
    assert found.captured.size == 0
    assert np.isnan(found.beyond)


def test_another_body_is_refused() -> None:
    """The error names both clips."""
    walk = few("walk", 3)
    longer = walk.with_skeleton(
        segue.Skeleton(walk.skeleton.names, walk.skeleton.parents, 1.1 * walk.skeleton.offsets)
    )
    with pytest.raises(SkeletonError, match="'walk' and 'walk' have different skeletons; retarget one"):
        pose_novelty(walk, [longer])


@pytest.mark.data
def test_a_blend_is_nearer_to_captured_poses_than_takes_are_to_one_another(data: Path) -> None:
    """A blend of two straight walks of one subject is near captured poses; a strongly bent trunk is not."""
    walks = [load(data / "asf_amc" / "16" / f"16_{k}.amc") for k in (15, 16, 21)]
    point = segue.transition_points(walks[0], walks[1], threshold=1e9)[0]
    made = segue.splice(walks[0], walks[1], point, feet="locked")
    found = pose_novelty(made, walks)
    assert np.percentile(found.apart, 95) < np.median(found.captured)
    chest = roles(made.skeleton)["chest"]
    rotations = np.array(made.rotations)
    rotations[:, chest] = multiply(rotations[:, chest], exp(np.array([0.35, 0.0, 0.0])))
    assert np.median(pose_novelty(made.with_motion(rotations), walks).apart) > np.percentile(
        found.captured, 95
    )
