"""The kernel of the joint-angle cost against its loop, on small arrays, so that it can run interpreted."""

from __future__ import annotations

import numpy as np
import pytest

from naive.joint_angle import summed
from segue.costs._kernels import joint_angles
from segue.costs.joint_angle.cost import DEGREE, angle_terms


@pytest.mark.parametrize("dimensions", [1, 3])
@pytest.mark.parametrize(("joints", "height"), [(1, 8), (5, 7)])
def test_sums_are_the_loops(rng, joints, height, dimensions):
    """The law holds for any quaternion signs, equal and opposite orientations, other terms; no cell is negative."""
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
        out = np.full((10, 20), -1.0, dtype=dtype)
        # Earlier contents of the cells: a product with the unit matrix.
        mine = [before.astype(dtype), rows.reshape(8, -1).astype(dtype)]
        theirs = [np.eye(16, dtype=dtype), columns.reshape(16, -1).T.astype(dtype)]
        alone, none = dimensions == 1, np.zeros
        mine += [here.astype(dtype), none((8, 0))] if alone else [none((8, 1), dtype), here]
        theirs += [there.T.astype(dtype), none((0, 16))] if alone else [none((1, 16), dtype), there.T]
        packed = tuple(np.ascontiguousarray(np.pad(part, ((0, 0), (0, 48)))) for part in theirs)
        left = np.zeros(2, dtype=np.int64)
        joint_angles(tuple(mine), packed, terms.astype(dtype), left, out, (1, 3, height, 16))
        np.testing.assert_allclose(out[1 : 1 + height, 3:19], expected[:height], atol=error * joints)
        assert out[1 : 1 + height, 3:19].min() >= 0
        out[1 : 1 + height, 3:19] = -1.0
        assert np.all(out == -1.0)
    assert expected[2, 3] == 0
