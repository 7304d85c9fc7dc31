"""Minima of a cost matrix against plain loops, and laws for any matrix."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from naive import minima as naive
from segue.errors import SettingError
from segue.transitions import minima
from segue.transitions.minima import local_minima, sector_minima

SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9))
# Few distinct values, so that ties and plateaus are common.
TIED = arrays(np.float64, SHAPES, elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, np.inf]))
LEAST = st.one_of(st.none(), st.integers(-3, 4))


@given(TIED, LEAST)
def test_local_minima_are_those_of_the_twin(values, least):
    """Vectorised rows and plain loops choose the same cells, ties and borders included."""
    assert local_minima(values, least=least).tolist() == naive.local_minima(values.tolist(), least)


@given(
    arrays(np.float32, SHAPES, elements=st.sampled_from([0.0, 1.0, 2.0, np.inf, np.nan])),
    LEAST,
    st.integers(1, 30),
)
def test_minima_are_the_same_however_many_rows_are_taken_at_once(values, least, cells):
    """The law also holds next to NaN cells, where nothing is chosen."""
    with patch.object(minima, "_CELLS", cells):
        assert local_minima(values, least=least).tolist() == naive.local_minima(values.tolist(), least)


@given(TIED, st.integers(1, 6), LEAST)
def test_sector_minima_are_those_of_the_twin(values, sector, least):
    """Kernel and plain loops choose the same cell of each sector."""
    got = sector_minima(values, sector, least=least).tolist()
    assert got == naive.sector_minima(values.tolist(), sector, least)


@given(TIED, st.randoms(use_true_random=False))
def test_minima_do_not_touch(values, random):
    """No two local minima are neighbours, and none has a lower neighbour."""
    cells = local_minima(values)
    for a in range(len(cells)):
        for b in range(a):
            assert np.abs(cells[a] - cells[b]).max() > 1
        i, j = cells[a]
        assert values[max(0, i - 1) : i + 2, max(0, j - 1) : j + 2].min() == values[i, j]


@given(TIED)
def test_a_transposed_matrix_has_transposed_minima(values):
    """Swapping the clips swaps the axes of strict minima."""
    spread = values + np.arange(values.size).reshape(values.shape) * 1e-6  # no ties
    ours = {tuple(cell) for cell in local_minima(spread).tolist()}
    theirs = {(i, j) for j, i in local_minima(np.ascontiguousarray(spread.T)).tolist()}
    assert ours == theirs


def test_float32_and_views_are_taken(rng):
    """A float32 matrix and a strided view give the same result as the float64 copy."""
    values = rng.random((40, 50)).astype(np.float32)
    expected = local_minima(values.astype(np.float64)).tolist()
    assert local_minima(values).tolist() == expected
    assert local_minima(np.asfortranarray(values)).tolist() == expected


def test_the_band_along_the_diagonal_gives_no_minima():
    """A slope towards the diagonal gives no minimum at the band's edge; the mirrored half stays empty."""
    frames = np.arange(60)
    values = np.abs(frames[:, None] - frames[None, :]).astype(float)
    values[10, 45] = -1.0
    assert local_minima(values, least=11).tolist() == [[10, 45]]


def test_a_flat_matrix_has_one_minimum():
    """Ties go to the first cell in row order."""
    assert local_minima(np.ones((5, 7))).tolist() == [[0, 0]]


@pytest.mark.parametrize("values", [np.zeros(3), np.zeros((3, 3), dtype=int)])
def test_what_is_no_matrix_is_refused(values):
    """The message gives the shape and type received."""
    with pytest.raises(SettingError, match="float32 or float64"):
        local_minima(values)


def test_an_empty_sector_is_refused():
    """A sector needs at least one cell."""
    with pytest.raises(SettingError, match="at least 1"):
        sector_minima(np.zeros((3, 3)), 0)
