"""Capsules and sample points on skeletons of every naming scheme, complete or with missing joints."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from segue.errors import SettingError
from segue.io import load
from segue.motion.body import SEGMENTS, capsules, sample_points, stature
from segue.motion.kinematics import attached_points, world
from segue.motion.roles import given
from segue.motion.samples import sample
from segue.motion.skeleton import EndSite, Skeleton

FILES = (
    "asf_amc/16/16_31.amc",
    "cmu/mb2/01_01.bvh",
    "cmu/max_friendly/131_01.bvh",
    "cmu/daz_scaled/60_12_scaled.bvh",
    "cmu/from_amc/16_31.bvh",
    "misc/bvhtoolbox/walk01.bvh",
)


def renamed(skeleton: Skeleton, *gone: str) -> Skeleton:
    """The skeleton with the named joints renamed so that they fill no role."""
    names = [f"extra{k}" if name in gone else name for k, name in enumerate(skeleton.names)]
    return Skeleton(names, skeleton.parents, skeleton.offsets, skeleton.end_sites)


@pytest.mark.data
@pytest.mark.parametrize("file", FILES)
def test_every_scheme_gets_the_same_layout(data, file):
    """Real skeletons of six exporters have the same fifteen segments and an adult's stature."""
    skeleton = load(data / file).skeleton
    assert tuple(capsule.segment for capsule in capsules(skeleton)) == SEGMENTS
    points = sample_points(skeleton, 4)
    assert points.segments == tuple(segment for segment in SEGMENTS for _ in range(4))
    assert 1.2 < stature(skeleton) < 2.1  # one salsa dancer was scaled down


@pytest.mark.data
def test_two_formats_of_one_subject_agree(data):
    """The AMC and BVH of one capture give the same stature to 0.1 % and the same body points to 8 cm (median)."""
    amc, bvh = (load(data / file) for file in ("asf_amc/16/16_31.amc", "cmu/from_amc/16_31.bvh"))
    assert stature(amc.skeleton) == pytest.approx(stature(bvh.skeleton), rel=1e-3)
    clouds = [
        attached_points(world(clip), where.joints, where.offsets)[:, ::4]
        for clip in (amc, bvh)
        for where in [sample_points(clip.skeleton)]
    ]
    # Joint frames differ between the formats, so points off the axis may be rotated about it.
    assert np.median(np.linalg.norm(clouds[0] - clouds[1], axis=2)) < 0.08


def test_points_lie_on_their_capsules():
    """Points are within two radii of the axis and between its ends, and their mean lies on the axis."""
    skeleton = sample("walk").skeleton
    for n in (1, 2, 3, 4, 9):
        points = sample_points(skeleton, n)
        assert Counter(points.segments) == dict.fromkeys(SEGMENTS, n)
        for k, capsule in enumerate(capsules(skeleton)):
            mine = points.offsets[k * n : (k + 1) * n]
            axis = capsule.end - capsule.start
            along = (mine - capsule.start) @ axis / (axis @ axis)
            off = np.linalg.norm(mine - capsule.start - along[:, None] * axis, axis=1)
            assert np.all(off <= 2 * capsule.radius)
            assert np.all((along > 0) & (along < 1))
            np.testing.assert_allclose(mine.mean(axis=0), (capsule.start + capsule.end) / 2, atol=1e-12)


def test_capsules_span_the_limbs():
    """A thigh goes from hip to knee and a shin from knee to ankle; left and right are mirror images."""
    skeleton = sample("walk").skeleton
    rest = skeleton.rest_positions()
    found = {capsule.segment: capsule for capsule in capsules(skeleton)}
    for side in ("Left", "Right"):
        thigh, shin = found[f"{side.lower()}_thigh"], found[f"{side.lower()}_shin"]
        knee = rest[skeleton.index(f"{side}Leg")]
        np.testing.assert_allclose(rest[thigh.joint] + thigh.end, knee, atol=1e-12)
        np.testing.assert_allclose(rest[shin.joint] + shin.start, knee, atol=1e-12)
    for segment in SEGMENTS:
        if segment.startswith("left_"):
            left, right = found[segment], found[segment.replace("left", "right")]
            ends = [rest[c.joint] + end for c in (left, right) for end in (c.start, c.end)]
            np.testing.assert_allclose(ends[0] * [-1, 1, 1], ends[2], atol=1e-9)
            np.testing.assert_allclose(ends[1] * [-1, 1, 1], ends[3], atol=1e-9)


def test_stature_scales_with_the_body():
    """Doubling the offsets doubles the stature and the point offsets."""
    small = sample("walk").skeleton
    big = Skeleton(
        small.names,
        small.parents,
        small.offsets * 2,
        [EndSite(site.joint, site.offset * 2) for site in small.end_sites],
    )
    assert stature(big) == pytest.approx(2 * stature(small))
    np.testing.assert_allclose(sample_points(big).offsets, 2 * sample_points(small).offsets, atol=1e-12)


@pytest.mark.parametrize(
    "gone",
    [
        ("LeftToeBase", "RightToeBase"),
        ("LeftHand", "RightHand"),
        ("Head",),
        ("Neck", "Head"),
        ("LeftShoulder", "RightShoulder"),
        ("Spine", "Spine1", "Spine2", "Spine3", "Neck", "Head"),
    ],
)
def test_missing_tips_keep_the_layout(gone):
    """Bodies without toes, wrists, head, neck, clavicles or spine still have every segment, with finite points."""
    skeleton = renamed(sample("walk").skeleton, *gone)
    points = sample_points(skeleton)
    assert points.segments == sample_points(sample("walk").skeleton).segments
    assert np.all(np.isfinite(points.offsets))
    assert np.abs(points.offsets).max() < 0.8


def test_missing_arm_leaves_its_segments_out():
    """Without an elbow an arm has no capsules; the other arm keeps its capsules."""
    body = given(sample("walk").skeleton, {"left_elbow": ""})
    found = [c.segment for c in capsules(body)]
    assert found == [s for s in SEGMENTS if s not in {"left_upper_arm", "left_forearm", "left_hand"}]


def test_no_human_gets_a_capsule_a_bone():
    """A snake has one capsule per bone; a single joint has a ball."""
    snake = Skeleton(("a", "b", "c"), [-1, 0, 1], [[0, 0, 0], [0, 0, 1], [0, 0, 1]])
    assert [c.segment for c in capsules(snake)] == ["b", "c"]
    assert stature(snake) == pytest.approx(2)
    ball = Skeleton(("a",), [-1], [[0, 0, 0]])
    assert sample_points(ball).offsets.shape == (4, 3)
    assert np.all(np.isfinite(sample_points(ball).offsets))
    assert stature(ball) == 1.0


def test_refuses_no_points():
    with pytest.raises(SettingError, match="at least 1"):
        sample_points(sample("walk").skeleton, 0)
