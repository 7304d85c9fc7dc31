"""The mean body fitted to every motion: lengths, directions, position, layout."""

from __future__ import annotations

import numpy as np
import pytest

from segue.io import load
from segue.motion.body import SEGMENTS, stature
from segue.motion.kinematics import world_positions
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.motion.standard_body import PROPORTIONS, standard_body

BONES = {
    "thigh": ("hip", "knee"),
    "shin": ("knee", "ankle"),
    "foot": ("ankle", "toe"),
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "wrist"),
}


def test_limbs_keep_their_directions_and_get_mean_lengths():
    """Every limb bone keeps its direction and has the length of the table, at every frame."""
    clip = sample("run")
    body, places, joints = standard_body(clip), world_positions(clip), roles(clip.skeleton)
    for side in ("left", "right"):
        for kind, (near, far) in BONES.items():
            worn = body.joints[f"{side}_{far}"] - body.joints[f"{side}_{near}"]
            real = places[:, joints[f"{side}_{far}"]] - places[:, joints[f"{side}_{near}"]]
            length = np.linalg.norm(worn, axis=1)
            np.testing.assert_allclose(length, PROPORTIONS[kind] * stature(clip.skeleton), rtol=1e-9)
            np.testing.assert_allclose(
                worn / length[:, None], real / np.linalg.norm(real, axis=1, keepdims=True), atol=1e-9
            )


def test_hips_stay_where_they_are():
    """The middle of the hips is the real one; at equal leg lengths the ankles are near the real ankles."""
    clip = sample("walk")
    body, places, joints = standard_body(clip), world_positions(clip), roles(clip.skeleton)
    middle = (places[:, joints["left_hip"]] + places[:, joints["right_hip"]]) / 2
    np.testing.assert_allclose(body.joints["pelvis"], middle, atol=1e-12)
    gap = body.joints["left_ankle"] - places[:, joints["left_ankle"]]
    assert np.abs(gap[:, 1]).max() < 0.03


def test_points_stand_on_the_segments():
    """Points follow the layout of the capsules; their mean is the middle of the segment at every frame."""
    body = standard_body(sample("walk"))
    points, names = body.points(4)
    assert names == tuple(segment for segment in SEGMENTS for _ in range(4))
    middles = points.reshape(points.shape[0], 15, 4, 3).mean(axis=2)
    np.testing.assert_allclose(middles, (body.starts + body.ends) / 2, atol=1e-12)
    across = np.sum(body.across * (body.ends - body.starts), axis=2)
    np.testing.assert_allclose(across, 0, atol=1e-9)


@pytest.mark.data
def test_two_formats_of_one_subject_wear_alike(data):
    """The standard bodies of one capture's AMC and BVH differ by under 4 cm (median), with torsos 10 % apart."""
    amc, bvh = (standard_body(load(data / f)) for f in ("asf_amc/01/01_01.amc", "cmu/mb2/01_01.bvh"))
    # The BVH has one additional T-pose frame at the start.
    gap = np.linalg.norm(amc.starts[:2700] - bvh.starts[1:2701], axis=2)
    assert np.median(gap) < 0.04


def test_no_human_is_not_dressed():
    """A skeleton without legs has no standard body."""
    clip = sample("walk")
    names = [f"bone{k}" for k in range(clip.skeleton.n_joints)]
    snake = Skeleton(names, range(-1, len(names) - 1), clip.skeleton.offsets)
    assert standard_body(type(clip)(snake, clip.rotations, clip.root_positions, 30.0)) is None
