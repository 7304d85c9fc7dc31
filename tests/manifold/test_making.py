"""Motion of curves: travel along the ground follows the curve, and feet stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import SettingError
from segue.manifold.curves import resampled_curve, stretch
from segue.manifold.making import motion_of, step_shares
from segue.manifold.pose_code import planted_flags
from segue.manifold.space import smoothed
from segue.measures.foot_skate import foot_skate
from segue.motion.facing import heading
from segue.motion.resample import resampled
from small_spaces import captured, captured_space, learn, walk_space


@given(st.integers(2, 20), st.integers(0, 2**32 - 1))
def test_a_curve_along_the_velocities_makes_whole_steps(count, seed):
    """Along the velocities the shares are 1, at half speed 0.5, backwards -1."""
    velocities = np.random.default_rng(seed).normal(size=(count, 2)) + 3.0
    curve = np.concatenate([[[0.0, 0.0]], np.cumsum(velocities[:-1], axis=0)])
    assert np.allclose(step_shares(curve, velocities), 1.0)
    assert np.allclose(step_shares(0.5 * curve, velocities), 0.5)
    assert np.allclose(step_shares(-curve, velocities), -1.0)
    assert np.abs(step_shares(1e3 * curve, velocities)).max() <= 2.0


@learn
def test_a_walk_goes_as_far_as_it_was_captured(data):
    """The distance is met within a tenth, for any frame rate."""
    path = data / "asf_amc/16/16_15.amc"
    space = captured_space(path)
    walk = resampled(captured(path), space.fps)
    curve = smoothed(space.coordinates[stretch(space)])
    made = motion_of(space, curve, feet="free")
    gone = np.linalg.norm(walk.root_positions[-1] - walk.root_positions[space.frame[0]])
    assert np.linalg.norm(made.root_positions[-1] - made.root_positions[0]) == pytest.approx(gone, rel=0.1)
    faster = motion_of(space, resampled_curve(curve, 2.0), fps=60.0, feet="free")
    assert faster.seconds == pytest.approx(made.seconds)
    assert np.allclose(faster.root_positions[-1], made.root_positions[-1], atol=0.1)


@learn
def test_planted_feet_stand(data):
    """Locked feet slide less than a centimetre where the decoded ones slide more."""
    space = captured_space(data / "asf_amc/16/16_15.amc")
    curve = smoothed(space.coordinates)
    flags = planted_flags(space.decode(curve))
    slide = {
        feet: np.mean(
            [one.along_path for one in foot_skate(motion_of(space, curve, feet=feet), planted=flags)]
        )
        for feet in ("free", "natural", "locked")
    }
    assert slide["locked"] < 0.01 < slide["free"]
    assert slide["natural"] < slide["free"]


@learn
def test_a_curve_that_stays_is_a_body_that_stands():
    """Nothing moves along the ground, and the motion begins over the origin, facing +Z."""
    space = walk_space()
    made = motion_of(space, np.repeat(space.coordinates[10:11], 5, axis=0), feet="free")
    assert np.ptp(made.root_positions, axis=0).max() == 0.0
    assert made.root_positions[0, [0, 2]].tolist() == [0.0, 0.0]
    assert abs(float(heading(made)[0])) < 0.2


@learn
def test_curves_of_other_spaces_are_refused():
    """Wrong shapes, numbers that are not finite and unknown settings are refused."""
    space = walk_space()
    with pytest.raises(SettingError, match="a curve in this space is"):
        motion_of(space, np.zeros((4, 2)))
    with pytest.raises(SettingError, match="a curve in this space is"):
        motion_of(space, np.zeros((0, 3)))
    with pytest.raises(SettingError, match="finite"):
        motion_of(space, np.full((4, 3), np.nan))
    with pytest.raises(SettingError, match="free"):
        motion_of(space, space.coordinates, feet="glued")
