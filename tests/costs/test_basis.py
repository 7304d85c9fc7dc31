"""The orthonormal basis of the terms of a cloud's pose: complete, equal to its twin, the same under every LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import basis as naive
from segue.costs.cloud_tiles.basis import _orthonormal


def vectors(seed: int, count: int, width: int, rank: int) -> np.ndarray:
    """Vectors of the given rank."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, rank)) @ rng.normal(size=(rank, width))


@given(st.integers(0, 999), st.integers(1, 12), st.integers(1, 8), st.integers(1, 8))
def test_it_is_orthonormal_and_spans_the_vectors(seed: int, count: int, width: int, rank: int) -> None:
    """The basis has as many rows as the vectors have dimensions, and every vector is a sum of them."""
    given_vectors = vectors(seed, count, width, rank)
    found = _orthonormal(given_vectors)
    assert len(found) == min(count, width, rank)
    assert found @ found.T == pytest.approx(np.eye(len(found)), abs=1e-12)
    assert given_vectors @ found.T @ found == pytest.approx(given_vectors, abs=1e-8)


@given(st.integers(0, 999), st.integers(2, 6), st.integers(2, 6))
def test_it_is_that_of_the_twin(seed: int, count: int, width: int) -> None:
    """The rows are the same, in the same order."""
    given_vectors = vectors(seed, count, width, width)
    expected = naive.orthonormal(given_vectors.tolist())
    assert _orthonormal(given_vectors) == pytest.approx(np.array(expected), abs=1e-6)


def test_it_asks_no_library_whose_builds_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """LAPACK decompositions rotate and mirror their directions differently from version to version."""

    def refused(*_: object, **__: object) -> None:
        raise AssertionError

    for name in ("svd", "qr", "eigh", "norm"):
        monkeypatch.setattr(np.linalg, name, refused)
    assert len(_orthonormal(vectors(1, 9, 6, 4))) == 4
