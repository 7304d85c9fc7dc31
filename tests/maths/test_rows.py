"""Vectors in rows: numpy's own products."""

from __future__ import annotations

import numpy as np
import pytest

from segue.maths import quaternions, rows
from segue.maths.rows import cross, dot


def test_products_are_those_of_numpy(rng: np.random.Generator) -> None:
    """Any shape after the rows; one vector for all of them broadcasts."""
    a, b = rng.normal(size=(2, 3, 4, 5))
    for other in (b, b[:, :1, :1]):
        assert cross(a, other) == pytest.approx(np.cross(a, other, axis=0), abs=1e-15)
        assert dot(a, other) == pytest.approx(np.einsum("kij,kij->ij", a, other + 0 * a), abs=1e-15)


def test_turns_in_rows_are_turns_in_columns(rng: np.random.Generator) -> None:
    """To the bit, one of them for all, too."""
    a, b = rng.normal(size=(2, 4, 5, 3))
    v = rng.normal(size=(3, 5, 3))
    last = [np.moveaxis(each, 0, -1) for each in (a, b, v)]
    pairs = [
        (rows.multiply(a, b), quaternions.multiply(*last[:2])),
        (rows.multiply(a, b[:, :1]), quaternions.multiply(last[0], last[1][:1])),
        (rows.conjugate(a), quaternions.conjugate(last[0])),
        (rows.rotate(a, v), quaternions.rotate(last[0], last[2])),
        (rows.rotate(a, v[:, :1]), quaternions.rotate(last[0], last[2][:1])),
    ]
    for found, expected in pairs:
        assert np.array_equal(np.moveaxis(found, 0, -1), expected)
