"""Spaces: reconstruction of held-out poses, and inconsistent parts are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from segue.errors import SettingError
from segue.manifold.space import calmed, fit_space, linear, smoothed, velocities_of
from small_spaces import captured_space, learn, quick_space, walk_space

ROWS = st.integers(2, 30)


@learn
def test_a_captured_walk_comes_back_within_two_centimetres(data):
    """The bound is for frames held out at random; the final block and principal components are reported as well."""
    by_split = {one.by: one for one in captured_space(data / "asf_amc/16/16_15.amc").held_out}
    assert by_split["random"].decoder < 0.02
    assert by_split["random"].decoder < by_split["random"].linear
    assert 0.0 < by_split["block"].decoder < 0.04


@learn
def test_the_same_seed_fits_the_same_space():
    """Coordinates and weights are bit-identical."""
    one, other = walk_space(), quick_space()
    assert np.array_equal(one.coordinates, other.coordinates)
    assert all(np.array_equal(a, b) for a, b in zip(one.network.weights, other.network.weights, strict=True))


@learn
def test_all_methods_are_tried_and_one_is_chosen(monkeypatch):
    """The knee gives the number of dimensions, at least three, unless a number is set."""
    space = walk_space()
    assert [fit.by for fit in space.fits] == ["isomap", "pca", "mds"]
    assert space.dimensions == max(space.fit().knee, 3)
    assert len(space.fit("pca").variances) == 10
    monkeypatch.setattr("segue.manifold.training._ROUNDS", 1)
    assert fit_space([segue.sample("walk")], fps=10.0, dimensions=2).dimensions == 2


@given(ROWS, st.integers(0, 2**32 - 1))
def test_smoothing_keeps_ends_and_straight_lines(count, seed):
    """A straight line does not change, and any curve keeps its ends."""
    rng = np.random.default_rng(seed)
    line = np.linspace(rng.normal(size=2), rng.normal(size=2), count)
    assert np.allclose(smoothed(line), line)
    curve = rng.normal(size=(count, 2))
    found = smoothed(curve)
    assert np.allclose(found[[0, -1]], curve[[0, -1]])


@given(ROWS, st.integers(0, 2**32 - 1))
def test_velocities_lead_from_pose_to_pose(count, seed):
    """Added to a pose they lead to the next one."""
    rng = np.random.default_rng(seed)
    points, follows = rng.normal(size=(count, 2)), rng.random(count) < 0.8
    follows[-1] = False
    found = velocities_of(points, follows)
    rows = np.flatnonzero(follows)
    assert np.allclose(points[rows] + found[rows], points[rows + 1])
    assert np.allclose(calmed(points, np.zeros(count, dtype=bool)), points)


def test_as_many_components_as_numbers_give_all_back(rng):
    """Fewer components have larger errors."""
    vectors = rng.normal(size=(30, 4))
    rows = np.arange(20)
    assert np.allclose(linear(vectors, rows, 4), vectors)
    left = [np.abs(linear(vectors, rows, k) - vectors).mean() for k in (1, 2, 3)]
    assert left == sorted(left, reverse=True)


@learn
def test_parts_that_do_not_fit_are_refused():
    """Spaces are also read from files."""
    space = walk_space()
    for change, words in (
        ({"coordinates": space.coordinates[1:]}, "do not fit"),
        ({"coordinates": space.coordinates[:, :2]}, "network takes"),
        ({"coordinates": np.full(space.coordinates.shape, np.nan)}, "finite"),
        ({"clip": space.clip + 1}, "none of the 1 clips"),
        ({"frame": space.frame[::-1]}, "order"),
        ({"skeleton": segue.Skeleton(["a"], [-1], [[0.0, 0.0, 0.0]])}, "body of 1"),
    ):
        with pytest.raises(SettingError, match=words):
            replace(space, **change)


def test_what_cannot_be_is_refused():
    """Unknown methods and impossible dimensions are refused."""
    walk = segue.sample("walk")
    with pytest.raises(SettingError, match="no method 'umap'"):
        fit_space([walk], by="umap")
    with pytest.raises(SettingError, match="give 1 to 10"):
        fit_space([walk], dimensions=11)
