"""Curves through a space: along captured motion, or straight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import SettingError
from segue.manifold.curves import at_random, pace_of, resampled_curve, row_of, stretch, through
from small_spaces import learn, walk_space

pytestmark = learn


def test_a_moment_is_its_nearest_pose():
    """A moment is given by the clip's name and seconds."""
    space = walk_space()
    assert space.frame[row_of(space, "walk", 2.0)] == 30
    with pytest.raises(SettingError, match="no clip 'wlak'; nearest: walk"):
        row_of(space, "wlak", 0.0)
    with pytest.raises(SettingError, match="9 s is no moment"):
        row_of(space, "walk", 9.0)
    with pytest.raises(SettingError, match="holds no clip"):
        stretch(space, "run")


@given(st.integers(0, 2**32 - 1), st.sampled_from(["forward", "straight"]))
def test_a_curve_begins_and_ends_at_its_moments(seed, route):
    """The law holds for any points between; a straight curve passes through all of them."""
    space = walk_space()
    rows = at_random(space, 4, rng=np.random.default_rng(seed))
    curve = through(space, rows, route=route)
    assert np.allclose(curve[[0, -1]], space.coordinates[[rows[0], rows[-1]]])
    if route == "straight":
        apart = np.linalg.norm(curve[:, None] - space.coordinates[rows], axis=-1)
        assert apart.min(axis=0).max() < 1e-9
        assert np.linalg.norm(np.diff(curve, axis=0), axis=1).max() <= pace_of(space) * (1 + 1e-9)


def test_forward_is_in_the_order_of_time():
    """From a pose to one shortly after it, a curve shows the frames between."""
    space = walk_space()
    rows = np.arange(20, 27)
    curve = through(space, [20, 26])
    assert len(curve) == len(rows)
    assert np.linalg.norm(curve - space.coordinates[rows], axis=1).max() < 2 * pace_of(space)


def test_forward_stays_nearer_to_captured_poses_than_straight():
    """Straight lines cross the middle of the loop of a walk."""
    space = walk_space()
    rows = at_random(space, 12, rng=np.random.default_rng(5))

    def off(route):
        curve = through(space, rows, route=route)
        return np.linalg.norm(curve[:, None] - space.coordinates, axis=-1).min(axis=1).max()

    assert off("forward") < 0.5 * off("straight")


def test_a_gap_in_the_middle_is_no_stretch():
    """The longer of two parts of a clip is its stretch, and a curve jumps between unconnected parts."""
    walk = walk_space()
    number = (np.arange(len(walk.clip)) >= 30).astype(int)
    space = replace(walk, clips=("a", "b"), clip=number, frame=walk.frame + 5 * (walk.frame >= 70))
    assert stretch(space, "b").tolist() == list(range(30, 70))
    assert stretch(space).tolist() == list(range(30))
    curve = through(space, [row_of(space, "a", 1.0), row_of(space, "b", 3.0)])
    assert np.isfinite(curve).all()


def test_curves_are_asked_for_in_words_and_numbers():
    """One moment is no curve, routes have names, and the number of draws is bounded."""
    space = walk_space()
    with pytest.raises(SettingError, match="two or more"):
        through(space, [3])
    with pytest.raises(SettingError, match="forward or straight"):
        through(space, [3, 9], route="backward")
    with pytest.raises(SettingError, match="give 2 to 1000"):
        at_random(space, 1, rng=np.random.default_rng(0))


@given(st.integers(2, 40), st.floats(0.5, 4.0))
def test_another_rate_keeps_the_ends(count, ratio):
    """The number of points follows the ratio."""
    curve = np.random.default_rng(count).normal(size=(count, 2))
    found = resampled_curve(curve, ratio)
    assert len(found) == round((count - 1) * ratio) + 1
    if len(found) > 1:
        assert np.allclose(found[[0, -1]], curve[[0, -1]])
