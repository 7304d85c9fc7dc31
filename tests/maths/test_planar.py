"""Ground motions form a group, and the closed form finds the best one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import planar as naive
from segue.maths.planar import PlanarMotion, fit
from segue.maths.quaternions import from_yaw, normalise, rotate

MOTIONS = st.builds(
    PlanarMotion, st.floats(-7.0, 7.0), st.floats(-1000.0, 1000.0), st.floats(-1000.0, 1000.0)
)


@pytest.fixture
def cloud(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(40, 3))


@given(MOTIONS)
def test_apply_is_the_naive_formula(motion: PlanarMotion) -> None:
    """Turn first, then shift; the height stays."""
    point = [0.3, 1.1, -0.7]
    assert np.allclose(
        motion.apply(np.array(point)), naive.moved(motion.turn, motion.x, motion.z, point), atol=1e-12
    )


@given(MOTIONS, MOTIONS, MOTIONS)
def test_ground_motions_are_a_group(a: PlanarMotion, b: PlanarMotion, c: PlanarMotion) -> None:
    """Composing is applying one after the other, is associative, and the inverse undoes."""
    points = np.array([[0.3, 1.1, -0.7], [1.0, 0.0, 0.0]])
    assert np.allclose(a.then(b).apply(points), b.apply(a.apply(points)), atol=1e-9)
    assert np.allclose(a.then(b).then(c).apply(points), a.then(b.then(c)).apply(points), atol=1e-9)
    assert np.allclose(a.then(a.inverse()).apply(points), points, atol=1e-9)


@given(MOTIONS)
def test_rotations_turn_as_positions_do(motion: PlanarMotion) -> None:
    """Turning a rotation and then rotating a vector is turning the rotated vector."""
    q, v = normalise(np.array([0.4, 0.1, -0.6, 0.2])), np.array([0.2, -0.4, 0.9])
    assert np.allclose(rotate(motion.rotate(q), v), rotate(from_yaw(motion.turn), rotate(q, v)), atol=1e-12)


def test_the_input_is_not_written_to(cloud: np.ndarray) -> None:
    before = cloud.copy()
    PlanarMotion(1.0, 2.0, 3.0).apply(cloud)
    assert np.array_equal(cloud, before)


@given(MOTIONS)
def test_fit_finds_a_known_motion(motion: PlanarMotion) -> None:
    """Points and their moved copy are aligned by exactly that motion, also 1 km away."""
    points = np.random.default_rng(5).normal(size=(30, 3))
    found = fit(motion.apply(points), points, np.ones(30))
    assert np.isclose(np.cos(found.turn - motion.turn), 1.0, atol=1e-12)
    assert np.allclose(found.apply(points), motion.apply(points), atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_fit_is_the_direct_minimum(seed: int) -> None:
    """The closed form costs no more than the best a search finds, to 1e-8."""
    rng = np.random.default_rng(seed)
    a, b, weights = rng.normal(size=(25, 3)), rng.normal(size=(25, 3)), rng.random(25)
    found = fit(a, b, weights)
    ours = naive.misfit(found.turn, found.x, found.z, a.tolist(), b.tolist(), weights.tolist())
    turn, best = naive.search(a.tolist(), b.tolist(), weights.tolist())
    assert abs(ours - best) < 1e-8
    assert ours <= best + 1e-12
    assert abs(np.sin((found.turn - turn) / 2)) < 1e-6


def test_points_of_no_weight_do_not_count(cloud: np.ndarray, rng: np.random.Generator) -> None:
    """A weight of zero removes a point."""
    weights = np.ones(40)
    weights[20:] = 0.0
    other = rng.normal(size=(40, 3))
    half = fit(cloud[:20], other[:20], np.ones(20))
    whole = fit(cloud, other, weights)
    assert np.allclose([whole.turn, whole.x, whole.z], [half.turn, half.x, half.z], atol=1e-12)
