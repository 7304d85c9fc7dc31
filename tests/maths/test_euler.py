"""Euler angles in every order, also at gimbal lock; scipy is the external reference."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from naive import quaternions as naive
from segue.errors import SettingError
from segue.maths.euler import from_euler, to_euler
from segue.maths.quaternions import to_matrix

ORDERS = ["".join(order) for order in itertools.permutations("XYZ")]
LOCK = np.pi / 2
ANGLE = st.one_of(
    st.floats(-np.pi, np.pi),
    st.sampled_from(
        [0.0, LOCK, -LOCK, np.pi, *(LOCK - d for d in (1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4))]
    ),
)


@pytest.mark.parametrize("order", [*ORDERS, "XY", "ZX", "Y", "ZXZ"])
def test_first_letter_is_outermost(order: str, rng: np.random.Generator) -> None:
    """Angles in any order equal the product of elementary matrices, and scipy's intrinsic angles."""
    angles = rng.uniform(-np.pi, np.pi, (20, len(order)))
    ours = to_matrix(from_euler(angles, order))
    assert np.allclose(ours, Rotation.from_euler(order, angles).as_matrix(), atol=1e-14)
    for row, matrix in zip(angles, ours, strict=True):
        assert np.allclose(matrix, naive.euler_matrix(list(row), order), atol=1e-14)


@pytest.mark.parametrize("order", ORDERS)
@given(angles=st.tuples(ANGLE, ANGLE, ANGLE))
def test_angles_of_a_rotation_give_it_back(order: str, angles: tuple[float, float, float]) -> None:
    """Any rotation is recovered from its angles to 1e-7, at gimbal lock and arbitrarily near it."""
    q = from_euler(np.array(angles), order)
    back = to_euler(q, order)
    assert abs(back[1]) <= np.pi / 2 + 1e-12
    assert np.allclose(to_matrix(from_euler(back, order)), to_matrix(q), atol=1e-7)


@pytest.mark.parametrize("order", ORDERS)
def test_angles_away_from_lock_are_exact(order: str, rng: np.random.Generator) -> None:
    """With the middle angle inside ±85 degrees the same angles are recovered."""
    angles = rng.uniform(-1, 1, (500, 3)) * [3.1, np.radians(85), 3.1]
    assert np.allclose(to_euler(from_euler(angles, order), order), angles, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_last_angle_is_zero_at_lock(order: str) -> None:
    """At gimbal lock only a sum of two angles is known: the last one is zero."""
    back = to_euler(from_euler(np.array([0.3, LOCK, 0.4]), order), order)
    assert back[2] == 0.0


@pytest.mark.parametrize("order", ["XYX", "XYW", "xyz", ""])
def test_unknown_orders_are_refused(order: str) -> None:
    """An order that is no permutation of XYZ is named in the error."""
    with pytest.raises(SettingError, match="rotation order"):
        to_euler(np.array([1.0, 0.0, 0.0, 0.0]), order)


def test_an_order_must_name_every_angle() -> None:
    """Two letters do not fit three angles."""
    with pytest.raises(SettingError, match="does not name 3 axes"):
        from_euler(np.zeros(3), "XY")
