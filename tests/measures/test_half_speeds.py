"""Speeds of both halves of a body: against loops, on bodies that lack parts, and under ground motions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from naive.half_speeds import mean_speed
from segue.maths.planar import PlanarMotion
from segue.measures.curves import half_speeds
from segue.motion.kinematics import world
from segue.motion.roles import given as with_given
from segue.motion.roles import roles


def test_speeds_are_those_of_the_definition() -> None:
    """The lower half is feet and pelvis; the upper half is hands, chest and head."""
    clip = segue.sample("run")
    at, found = world(clip).positions, roles(clip.skeleton)
    for half, names in (
        ("lower", ("left_ankle", "right_ankle", "pelvis")),
        ("upper", ("left_wrist", "right_wrist", "chest", "head")),
    ):
        joints = [found.get(name, 0) for name in names]
        expected = mean_speed(at[:, joints].tolist(), clip.fps)
        assert np.allclose(getattr(half_speeds(clip), half), expected, atol=1e-9)


@given(st.floats(-3.0, 3.0), st.floats(-9.0, 9.0), st.floats(-9.0, 9.0))
@settings(max_examples=10)
def test_where_a_body_stands_changes_nothing(turn: float, x: float, z: float) -> None:
    """Speeds do not depend on place or heading."""
    clip = segue.sample("start")
    ground = PlanarMotion(turn, x, z)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = ground.rotate(rotations[:, 0])
    there = clip.with_motion(rotations, ground.apply(clip.root_positions))
    for half in ("lower", "upper"):
        assert np.allclose(getattr(half_speeds(clip), half), getattr(half_speeds(there), half), atol=1e-9)


def test_a_body_without_arms_and_head_has_an_upper_speed() -> None:
    """Missing parts are left out of the mean."""
    clip = segue.sample("walk")
    lacking = ("left_wrist", "right_wrist", "left_elbow", "right_elbow", "head", "neck")
    bare = clip.with_skeleton(with_given(clip.skeleton, dict.fromkeys(lacking, "")))
    assert half_speeds(bare).upper.mean() > 0.5
    assert np.array_equal(half_speeds(bare).lower, half_speeds(clip).lower)


def test_a_boxer_moves_his_hands_faster_than_his_feet(data: Path) -> None:
    """The upper half of a captured boxer is faster at most moments."""
    found = half_speeds(segue.load(next(data.rglob("Boxing_Toes.bvh"))))
    assert np.mean(found.upper > found.lower) > 0.6
