"""Poses as vectors and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from segue.errors import SettingError
from segue.manifold.pose_code import code_of, decoded, encoded, levers_of, mean_rotation, planted_flags
from segue.manifold.poses import poses_of
from segue.maths.quaternions import exp, half_angle, multiply, normalise


def _code():
    poses = poses_of([segue.sample("walk")])
    velocities = np.random.default_rng(2).normal(size=(poses.count, 3))
    return poses, velocities, code_of(poses, velocities)


def test_a_vector_gives_the_pose_back():
    """Rotations, heights, steps, contacts and velocities are recovered, to rounding."""
    poses, velocities, code = _code()
    vectors = encoded(code, poses, velocities)
    assert vectors.shape == (poses.count, code.width)
    again = decoded(code, vectors)
    assert half_angle(again.rotations, poses.rotations).max() < 1e-7
    assert np.allclose(again.heights, poses.heights)
    assert np.allclose(again.steps, poses.steps)
    assert np.allclose(again.velocities, velocities)
    assert np.array_equal(planted_flags(again), poses.planted)


def test_a_pose_alone_has_no_steps():
    """The first part of a vector gives the pose, and nothing moves."""
    poses, velocities, code = _code()
    vectors = encoded(code, poses, velocities)
    again = decoded(code, vectors[:, : code.pose_width])
    assert half_angle(again.rotations, poses.rotations).max() < 1e-7
    assert not again.steps.any()


@given(st.integers(0, 2**32 - 1))
def test_the_mean_is_in_the_middle_whatever_the_signs(seed):
    """Rotations distributed evenly about one have it as their mean."""
    rng = np.random.default_rng(seed)
    middle = normalise(rng.normal(size=4))
    aside = exp(0.3 * rng.normal(size=(5, 3)))
    both = np.concatenate([multiply(middle, aside), multiply(middle, aside * [1.0, -1.0, -1.0, -1.0])])
    found = mean_rotation(both * rng.choice([-1.0, 1.0], (10, 1)))
    assert half_angle(found, middle) < 1e-6


def test_what_carries_more_counts_more():
    """The root has the longest lever, and a joint without descendants still counts."""
    levers = levers_of(segue.sample("walk").skeleton)
    assert levers.argmax() == 0
    assert levers.min() == pytest.approx(0.02)


def test_numbers_of_no_body_are_refused():
    """Codes are also read from files."""
    _, _, code = _code()
    for change, words in (
        ({"means": code.means[1:]}, "belong to one body"),
        ({"means": 2.0 * code.means}, "no unit quaternion"),
        ({"levers": -code.levers}, "positive"),
        ({"pace": 0.0}, "positive"),
    ):
        with pytest.raises(SettingError, match=words):
            replace(code, **change)
