"""Vectors in rows: numpy's own products."""

from __future__ import annotations

import numpy as np
import pytest

from segue.maths.rows import cross, dot


def test_products_are_those_of_numpy(rng: np.random.Generator) -> None:
    """Any shape after the rows; one vector for all of them broadcasts."""
    a, b = rng.normal(size=(2, 3, 4, 5))
    for other in (b, b[:, :1, :1]):
        assert cross(a, other) == pytest.approx(np.cross(a, other, axis=0), abs=1e-15)
        assert dot(a, other) == pytest.approx(np.einsum("kij,kij->ij", a, other + 0 * a), abs=1e-15)
