"""The engine's passes over a block are their naive twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import engine as naive
from segue.costs import _kernels as shared
from segue.costs.engine import _kernels

FAR = 1e30


def blocks(rows=(3, 9), columns=(3, 150)):
    """Blocks of few different numbers, so that equal neighbours abound."""
    return st.builds(
        lambda seed, n, m, levels, dtype: (
            np.random.default_rng(seed).integers(0, levels, (n, m)).astype(dtype)
        ),
        st.integers(0, 2**32 - 1),
        st.integers(*rows),
        st.integers(*columns),
        st.sampled_from([2, 5, 1000]),
        st.sampled_from(["float32", "float64"]),
    )


@given(blocks(), st.integers(0, 1), st.integers(0, 2**32 - 1))
def test_low_minima_are_the_twins(block, first, seed):
    """Also with equal neighbours, limits met exactly and rows that begin late."""
    rng = np.random.default_rng(seed)
    least = rng.integers(-3, block.shape[1] + 2, block.shape[0])
    limit = np.array([rng.integers(0, int(block.max()) + 1)], dtype=block.dtype)
    found, price = np.empty((block.size, 2), dtype=np.int64), np.empty(block.size, dtype=block.dtype)
    hits = _kernels.low_minima(block, least, limit, first, found, price)
    assert found[:hits].tolist() == naive.low_minima(block.tolist(), least.tolist(), limit[0], first)
    np.testing.assert_array_equal(price[:hits], block[tuple(found[:hits].T)])


@given(blocks(), st.integers(0, 2**32 - 1))
def test_cheapest_of_sectors_are_the_twins(block, seed):
    """Columns' cheapest cells, and of these the cheapest of each run of columns."""
    rng = np.random.default_rng(seed)
    least = rng.integers(-3, block.shape[1] + 2, block.shape[0])
    best = np.full(block.shape[1], FAR, dtype=block.dtype)
    at = np.full(block.shape[1], -1, dtype=np.int32 if block.itemsize == 4 else np.int64)
    _kernels.cheaper(block, 7, least, best, at)
    twin = naive.cheaper(block.tolist(), 7, least.tolist(), FAR)
    assert at.tolist() == [row for _, row in twin]
    np.testing.assert_array_equal(best, np.array([value for value, _ in twin], dtype=block.dtype))
    inner = rng.choice(np.arange(1, block.shape[1]), size=min(4, block.shape[1] - 1), replace=False)
    edges = np.array([0, *np.sort(inner), block.shape[1]])
    found = np.empty((len(edges), 2), dtype=np.int64)
    hits = _kernels.lowest_of(best, at, edges, found)
    assert found[:hits].tolist() == naive.lowest_of(best.tolist(), at.tolist(), edges.tolist())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_walls_stand_on_dead_rows_and_columns(dtype, rng):
    """What is walled off is as dear as can be, the rest untouched."""
    block = rng.random((8, 70)).astype(dtype)
    rows = rng.random(8) < 0.6
    runs = np.array([[0, 3], [10, 11], [60, 70]])
    twin = naive.wall(block.tolist(), rows.tolist(), runs.tolist(), FAR)
    _kernels.wall(block, rows, runs, FAR)
    np.testing.assert_array_equal(block, np.array(twin, dtype=dtype))


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_rows_of_strips_are_the_twins(fours, seed):
    """Where rows begin, what a block need not write, and cells that count; dead rows walled off where it is asked."""
    rng = np.random.default_rng(seed)
    size = 4 * fours
    first, live, across = (
        np.sort(rng.integers(0, size + 1, size)),
        rng.random(size) < 0.8,
        rng.random(size) < 0.8,
    )
    start, low, high = np.sort(rng.integers(0, size + 1, 3)).tolist()
    before = np.concatenate([[0], np.cumsum(across)])
    least, left = np.empty(size, dtype=np.int64), np.empty(fours, dtype=np.int64)
    done = np.empty(size + 1, dtype=np.int64)
    strip = (start, low, high)
    twin = naive.rows_of_strip(first.tolist(), live.tolist(), across.tolist(), *strip)
    for dead in (-1, 99):
        _kernels.rows_of_strip((first, live), before, strip, dead, least, left, done)
        assert least.tolist() == [
            at if dead < 0 or row else dead for at, row in zip(twin[0], live, strict=True)
        ]
        assert np.all(left <= np.array(twin[1]))  # nothing that is needed is left out
        assert done.tolist() == twin[2]
    exact = first[np.maximum(np.arange(0, size, 4) - 1, 0)] > 0
    assert left[exact].tolist() == np.minimum(twin[1], left)[exact].tolist()


@given(blocks(), st.integers(0, 2**32 - 1))
def test_sectors_go_on_from_block_to_block(block, seed):
    """Whole sectors are found however the rows are cut into blocks; dead rows and columns hold none."""
    rng = np.random.default_rng(seed)
    height, width = block.shape
    least = np.sort(rng.integers(-3, width + 2, height))
    least[rng.random(height) < 0.2] = width
    begins = rng.random(height) < 0.3
    edges = np.array([0, *np.sort(rng.choice(np.arange(1, width), size=2, replace=False)), width])
    dead = np.array([[1, 2]]) if rng.random() < 0.5 else np.zeros((0, 2), dtype=np.int64)
    kept = (
        np.full(width, FAR, dtype=block.dtype),
        np.full(width, -1, dtype=np.int32 if block.itemsize == 4 else np.int64),
    )
    found, price = np.empty((height * 3 + 3, 2), dtype=np.int64), np.empty(height * 3 + 3, dtype=block.dtype)
    cut = int(rng.integers(0, height + 1))
    cells = []
    for low, high in ((0, cut), (cut, height)):
        rows = least[low:high], begins[low:high]
        hits = _kernels.cheapest_of_sectors(
            block[low:high], low, rows, (edges, dead), kept, found, price, high == height
        )
        cells += found[:hits].tolist()
        np.testing.assert_array_equal(price[:hits], block[tuple(found[:hits].T)])
        if cut == height:
            break
    twin = naive.cheapest_of_sectors(
        block.tolist(), least.tolist(), begins.tolist(), edges.tolist(), dead.tolist()
    )
    assert cells == twin


@pytest.mark.parametrize(("high", "room"), [(4, 9), (8, 9), (16, 12), (8, 40)])
def test_sectors_of_absolute_sums_are_those_of_the_sums(high, room, rng):
    """Whatever the height of blocks, and where there is room for few cells at a time."""
    a, b = (rng.integers(-9, 9, size).astype(np.float32) / 8 for size in ((16, 3), (3, 64)))
    least = np.sort(rng.integers(-3, 40, 16))
    least[[5, 11]] = 64
    begins = np.isin(np.arange(16), [3, 8, 9])
    columns = np.array([0, 10, 33, 64]), np.array([[20, 22]])
    kept = np.full(64, FAR, dtype=np.float32), np.full(64, -1, dtype=np.int32)
    found = np.empty((room, 2), dtype=np.int64), np.empty(room, dtype=np.float32)
    left = np.zeros(4, dtype=np.int64)
    values = np.abs(a[:, :, None] - b).sum(axis=1)
    cells, start, turns = [], 0, 0
    while start < 16:
        following, hits = shared.absolute_sectors(
            (a, b),
            left,
            (least, begins),
            columns,
            kept,
            np.empty((high, 64), np.float32),
            found,
            (start, 16, 16),
        )
        assert following > start
        start, turns = following, turns + 1
        cells += found[0][:hits].tolist()
        np.testing.assert_array_equal(found[1][:hits], values[tuple(found[0][:hits].T)])
    assert cells == naive.cheapest_of_sectors(
        values.tolist(), least.tolist(), begins.tolist(), columns[0].tolist(), columns[1].tolist()
    )
    assert (turns > 1) == (room == 9)
