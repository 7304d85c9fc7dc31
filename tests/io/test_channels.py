"""Angles of rotations: any order, near and at gimbal lock, continuous over time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import kinematics as naive
from segue.io.channels import angles_in, angles_of
from segue.maths.euler import from_euler
from segue.maths.quaternions import normalise, to_matrix

ORDERS = ["".join(order) for order in itertools.permutations("XYZ")]


@pytest.mark.parametrize("order", ORDERS)
def test_angles_rebuild_the_matrix(order: str, rng: np.random.Generator) -> None:
    """A product of naive single-axis rotations restores the rotation."""
    q = normalise(rng.normal(size=(20, 4)))
    for one, angles in zip(to_matrix(q), np.degrees(angles_of(q, order)), strict=True):
        matrix = naive.IDENTITY
        for axis, angle in zip(order, angles, strict=True):
            matrix = naive.product(matrix, naive.turn(axis, float(angle)))
        assert np.abs(np.array(matrix) - one).max() < 1e-12


@given(
    st.sampled_from(ORDERS),
    st.sampled_from([90.0, -90.0]),
    st.floats(-1e-5, 1e-5),
    st.floats(-180, 180),
    st.floats(-180, 180),
)
def test_nothing_is_lost_near_gimbal_lock(order: str, lock: float, off: float, a: float, c: float) -> None:
    """Very near 90 degrees and at 90 degrees the rotation is restored to 1e-9."""
    q = from_euler(np.radians([[a, lock + off, c]]), order)
    again = from_euler(angles_of(q, order), order)
    assert min(np.abs(again - q).max(), np.abs(again + q).max()) < 1e-9


@pytest.mark.parametrize("order", ORDERS)
def test_a_smooth_turn_has_smooth_angles(order: str) -> None:
    """Angles of a motion through several turns, past 90 degrees in the middle angle, are restored."""
    t = np.linspace(0, 1, 400)
    angles = np.stack([12 * t, 0.3 + 2.5 * t, 1.0 - 7 * t], axis=1)
    found = angles_of(from_euler(angles, order), order)
    assert np.abs(np.diff(found, axis=0)).max() < 0.1
    again = from_euler(found, order)
    q = from_euler(angles, order)
    assert np.minimum(np.abs(again - q), np.abs(again + q)).max() < 1e-9


@pytest.mark.parametrize("order", ["", "X", "Z", "ZX", "YZ", "XY"])
def test_fewer_axes_hold_what_they_can(order: str, rng: np.random.Generator) -> None:
    """One or two channels restore their own angles beyond 90 degrees, and report when they cannot."""
    angles = rng.uniform(-3, 3, size=(30, len(order)))
    q = from_euler(angles, order) if order else np.tile([1.0, 0, 0, 0], (30, 1))
    found = angles_in(q, order)
    assert found is not None
    again = from_euler(found, order) if order else q
    assert np.minimum(np.abs(again - q).max(-1), np.abs(again + q).max(-1)).max() < 1e-9
    assert angles_in(normalise(rng.normal(size=(30, 4))), order) is None
