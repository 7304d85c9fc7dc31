"""The kernel of the joint-angle cost against its loop, on small arrays, so that it can run interpreted."""

from __future__ import annotations

import numpy as np
import pytest

from naive.joint_angle import summed
from segue.costs.joint_angle import _kernels
from segue.costs.joint_angle.cost import DEGREE, angle_terms


@pytest.mark.parametrize("dimensions", [1, 3])
@pytest.mark.parametrize("joints", [1, 5])
def test_sums_are_the_loops(rng, joints, dimensions):
    """Any signs of quaternions, equal and opposite orientations, what was there before, and nothing below zero."""
    rows, columns = rng.normal(size=(8, joints, 4)), rng.normal(size=(16, joints, 4))
    columns[3], columns[4] = rows[2], -rows[2]
    rows, columns = (q / np.linalg.norm(q, axis=-1, keepdims=True) for q in (rows, columns))
    weights = rng.uniform(0.0, 1.0, joints)
    here, there = rng.normal(size=(8, dimensions)), rng.normal(size=(16, dimensions))
    there[3] = here[2]
    before = rng.uniform(-0.5, 0.5, (8, 16))
    before[2, 3] = -0.4
    expected = np.array(
        summed(
            rows.tolist(), columns.tolist(), weights.tolist(), here.tolist(), there.tolist(), before.tolist()
        )
    )
    terms = weights[:, None] * np.array(angle_terms(DEGREE))
    for dtype, error in (("float64", 1e-6), ("float32", 2e-6)):
        out = before.astype(dtype)
        flat = (
            rows.reshape(8, -1).astype(dtype),
            np.ascontiguousarray(columns.reshape(16, -1).T.astype(dtype)),
        )
        places = here.astype(dtype), np.ascontiguousarray(there.T.astype(dtype))
        _kernels.joint_angles(*flat, terms.astype(dtype), *places, np.zeros(2, dtype=np.int64), out)
        np.testing.assert_allclose(out, expected, atol=error * joints)
        assert out.min() >= 0
    assert expected[2, 3] == 0
