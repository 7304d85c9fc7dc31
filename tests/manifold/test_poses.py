"""Poses without place and heading: summed steps give the clip's path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from random_clips import body
from segue.errors import SettingError
from segue.manifold.poses import MOST, poses_of
from segue.maths.planar import PlanarMotion, turned
from segue.motion.clip import Clip
from segue.motion.facing import moved


def _walked(poses):
    """Ground positions and headings from the steps."""
    facing = np.concatenate([[0.0], np.cumsum(poses.steps[:-1, 2])])
    ground = np.cumsum(turned(facing[:-1], poses.steps[:-1, :2]), axis=0)
    return np.concatenate([[[0.0, 0.0]], ground]), facing


@given(st.floats(-3.0, 3.0), st.floats(-9.0, 9.0), st.floats(-9.0, 9.0))
def test_place_and_heading_do_not_count(turn, x, z):
    """A clip moved along the ground has the same poses and steps."""
    walk = segue.sample("walk", fps=30)
    here, there = poses_of([walk]), poses_of([moved(walk, PlanarMotion(turn, x, z))])
    for name in ("rotations", "heights", "steps"):
        assert np.allclose(getattr(here, name), getattr(there, name), atol=1e-9), name


def test_steps_summed_are_the_way_of_the_clip():
    """In the heading frame of the first pose they end where the clip does."""
    clip = segue.sample("walk_turn_left", fps=30)
    poses = poses_of([clip])
    ground, facing = _walked(poses)
    start = segue.motion.facing.heading(clip)
    gone = turned(-start[0], clip.root_positions[-1, [0, 2]] - clip.root_positions[0, [0, 2]])
    assert np.allclose(ground[-1], gone, atol=1e-9)
    assert facing[-1] == pytest.approx(start[-1] - start[0])


def test_frames_that_hold_no_motion_are_left_out(data):
    """A dropout at the beginning of a captured clip is no pose."""
    clip = segue.load(data / "asf_amc/16/16_15.amc")
    poses = poses_of([clip])
    assert poses.frame[0] >= 2
    assert poses.count == poses.follows.sum() + 1
    assert poses.planted.any(axis=0).all()


def test_clips_of_other_bodies_wear_the_first_ones(data):
    """Two clips give one list of poses on one skeleton."""
    other = segue.load(data / "asf_amc/02/02_01.amc")
    poses = poses_of([segue.sample("walk"), other])
    assert poses.rotations.shape[1] == segue.sample("walk").skeleton.n_joints
    assert np.unique(poses.clip).tolist() == [0, 1]
    assert not poses.follows[np.flatnonzero(np.diff(poses.clip))].any()


def test_a_body_without_legs_has_no_planted_foot(rng):
    """Such a body can still be embedded."""
    skeleton = body(rng, 5)
    rest = np.tile([1.0, 0.0, 0.0, 0.0], (40, 5, 1))
    assert not poses_of([Clip(skeleton, rest, np.zeros((40, 3)), 30.0)]).planted.any()


def test_too_few_and_too_many_are_refused():
    """Both errors name the bound."""
    walk = segue.sample("walk")
    with pytest.raises(SettingError, match="20 or more"):
        poses_of([walk], fps=2.0)
    with pytest.raises(SettingError, match=f"the {MOST} that are compared"):
        poses_of([walk], fps=1000.0)
    with pytest.raises(SettingError, match="none was given"):
        poses_of([])
    with pytest.raises(SettingError, match="two clips are called 'walk'"):
        poses_of([walk, walk])
    one = segue.Skeleton(["a"], [-1], [[0.0, 0.0, 0.0]])
    with pytest.raises(SettingError, match="one joint"):
        poses_of([Clip(one, np.tile([1.0, 0.0, 0.0, 0.0], (40, 1, 1)), np.zeros((40, 3)), 30.0)])
