"""Sums computed in tiles equal plain loops for any shape, and begin at the requested cells."""

from __future__ import annotations

import functools
import inspect
import os

import numba
import numpy as np
import pytest

from naive.quaternions import matrix_product
from segue.accel import cloud_tiles, tiles
from segue.arrays import aligned
from segue.costs import _kernels


def sides(rng, shape, dtype):
    """Features (N, K) and (K, M) of multiples of 1/8, whose sum is exact in any order."""
    n, k, m = shape
    a, b = (rng.integers(-40, 40, size).astype(dtype) / 8 for size in ((n, k), (k, m)))
    return a, b


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cells_before_the_wanted_ones_stay(dtype, rng):
    """Rows 4 to 7 begin in the second 64 columns; the cells written are right, the others do not change."""
    a, b = sides(rng, (8, 5, 130), dtype)  # a few columns more than needed
    left = np.array([0, 70])
    gaps, sums = np.full((8, 128), -1.0, dtype=dtype), np.full((8, 128), -1.0, dtype=dtype)
    _kernels.squared_gaps(a, b, left, gaps, (0, 0, 8, 128))
    _kernels.absolute_sums(a, b, left, sums, (0, 0, 8, 128))
    product = np.maximum(matrix_product(a.tolist(), b.tolist()), 0.0)[:, :128]
    apart = [[sum(abs(x - y) for x, y in zip(row, column, strict=True)) for column in b.T[:128]] for row in a]
    for out, expected in ((gaps, product), (sums, np.array(apart))):
        np.testing.assert_array_equal(out[:4], expected[:4])
        np.testing.assert_array_equal(out[4:, 64:], expected[4:, 64:])
        assert np.all(out[4:, :32] == -1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("height", "width"), [(8, 128), (7, 77), (5, 3)])
def test_parts_of_a_matrix_are_written_and_nothing_beside(height, width, dtype, rng):
    """The law also holds where the last rows and columns do not fill a tile."""
    a, b = sides(rng, (8, 5, 130), dtype)
    product = np.maximum(matrix_product(a.tolist(), b.tolist()), 0.0)
    apart = np.array(
        [[sum(abs(x - y) for x, y in zip(row, column, strict=True)) for column in b.T] for row in a]
    )
    for kernel, expected in ((_kernels.squared_gaps, product), (_kernels.absolute_sums, apart)):
        out = np.full((12, 140), -1.0, dtype=dtype)
        kernel(a, b, np.zeros(2, dtype=np.int64), out, (3, 10, height, width))
        part = out[3 : 3 + height, 10 : 10 + width]
        np.testing.assert_array_equal(part, expected[:height, :width])
        part[:] = -1.0
        assert np.all(out == -1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tiles_of_costs_in_plain_python_say_the_same(dtype, rng):
    """Uncompiled, a cost tile function is its own definition."""
    import numba

    @numba.njit
    def gaps(a, b, own, other, out):
        tiles.gap_tile(a, 1, b, 3, own, other, out, 1, 5)

    @numba.njit
    def angles(a, b, terms, own, other, out):
        tiles.angle_tile(a, 1, b, 3, terms, own, other, out, 1, 5)

    def plain_gaps(a, b, *more):
        tiles.gap_tile(a, 1, b, 3, *more, 1, 5)

    def plain_angles(a, b, *more):
        tiles.angle_tile(a, 1, b, 3, *more, 1, 5)

    a, b = rng.normal(size=(6, 8)).astype(dtype), rng.normal(size=(8, 150)).astype(dtype)
    own, other = rng.normal(size=(6, 1)).astype(dtype), rng.normal(size=(1, 150)).astype(dtype)
    terms = rng.normal(size=(2, 7)).astype(dtype)
    for *both, more in ((plain_gaps, gaps, ()), (plain_angles, angles, (terms,))):
        outs = [np.ones((6, 150), dtype=dtype) for _ in range(2)]
        for out, function in zip(outs, both, strict=True):
            function(a, b, *more, own, other, out)
        np.testing.assert_allclose(outs[0], outs[1], rtol=1e-4, atol=1e-4)
        assert not np.array_equal(outs[0], np.ones_like(outs[0]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tiles_in_plain_python_say_the_same(dtype, rng):
    """Uncompiled, a tile function is its own definition."""
    a, b = sides(rng, (5, 6, 150), dtype)
    right = np.tile(b, (2, 1))
    outs = [aligned((6, 150), dtype) for _ in range(2)]
    for out, function in zip(outs, (tiles.product_tile, _kernels_calling(tiles.product_tile)), strict=True):
        out[:] = 1.0
        function(a, 1, right, 2, 3, out, 1, 5)
    np.testing.assert_allclose(outs[0], outs[1], rtol=1e-6)
    assert not np.array_equal(outs[0], np.ones_like(outs[0]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_complex_products_are_numpys(dtype, rng):
    """Three sums give the four of a complex product, compiled and in plain Python."""
    u, v = (rng.integers(-9, 9, (size, 3, 2)).astype(dtype) / 4 for size in (5, 90))
    rows, columns = (
        np.concatenate([part, part[..., :1] + sign * part[..., 1:]], axis=2).reshape(len(part), -1)
        for part, sign in ((u, 1), (v, -1))
    )
    product = (u[..., 0] + 1j * u[..., 1]) @ (v[..., 0] - 1j * v[..., 1]).T
    for function in (cloud_tiles.complex_tile, _kernels_calling(cloud_tiles.complex_tile)):
        out = aligned((16, 90), dtype)
        function(rows, 1, np.ascontiguousarray(columns.T), 7, out, 2, 3, 6)
        wide = slice(3, 3 + cloud_tiles.COMPLEX)
        expected = product[1:, 7 : 7 + cloud_tiles.COMPLEX]
        np.testing.assert_array_equal(out[2:6, wide], expected.real)
        np.testing.assert_array_equal(out[8:12, wide], expected.imag)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("place", [(2, 5), (6, 0), (0, -(tiles.COLUMNS // 3))])
def test_windows_of_three_planes(place, dtype, rng):
    """After the last row of a plane its first follows; columns before a row are in the one above."""
    (r, c), below, columns = place, 8, tiles.COLUMNS
    planes = rng.integers(-40, 40, (3, below, 143)).astype(dtype) / 8
    planes[:2] = 0.0  # so that a cost is the distance of two windows minus twice the third plane
    taps = np.array([[0.5, 0.25, 0.25]], dtype=dtype)
    start = max(c, 0)
    windows = sum(taps[0, n] * planes[2, (r + n) % below, start + n : c + columns + n] for n in range(3))
    mine, theirs = np.zeros((1, 5), dtype=dtype), np.zeros((5, columns), dtype=dtype)
    mine[0, 0] = 12.0
    for function in (cloud_tiles.aligned_tile, _kernels_calling(cloud_tiles.aligned_tile)):
        sums = aligned((64 + planes.size,), dtype)[64:].reshape(3 * below, 143)
        sums[:] = planes.reshape(sums.shape)
        function(taps, sums, mine, theirs, (r, c, below, 0, 0))
        np.testing.assert_array_equal(sums[r, start : c + columns], 12.0 - 2.0 * windows)
        np.testing.assert_array_equal(sums[below:], planes.reshape(sums.shape)[below:])


@pytest.mark.parametrize(
    ("name", "planes", "numbers", "dtype"),
    [
        ("aligned_tile", 3, 8, "float32"),
        ("aligned_tile", 3, 8, "float64"),
        ("standing_tile", 7, 4, "float32"),
        ("standing_tile", 7, 4, "float64"),
    ],
)
def test_costs_of_windows_in_plain_python(name, planes, numbers, dtype, rng):
    """Compiled functions give the same, and nothing is below zero."""
    sums = rng.normal(size=(planes * 8, 175)).astype(dtype)
    mine, theirs = (rng.random(shape).astype(dtype) + 0.5 for shape in ((4, numbers), (numbers, 150)))
    theirs[0 if planes == 3 else 3] += np.linspace(20.0, -40.0, 150).astype(dtype)
    outs = [aligned(sums.shape, dtype) for _ in range(2)]
    tile = getattr(cloud_tiles, name)
    for out, function in zip(outs, (tile, _kernels_calling(tile)), strict=True):
        out[:] = sums
        function(np.array([[0.5, 0.25, 0.25]], dtype=dtype), out, mine, theirs, (7, 3, 8, 2, 6))
    np.testing.assert_allclose(outs[0], outs[1], rtol=1e-5, atol=1e-5)
    assert (outs[0] != sums).any(axis=1).tolist() == [row == 7 for row in range(planes * 8)]
    assert outs[0][7].max() > 1.0


@functools.cache
def _kernels_calling(tile):
    """A compiled function that calls a tile function once."""
    import numba

    names = ", ".join(inspect.signature(tile).parameters)
    scope = {"tile": tile}
    exec(f"def call({names}):\n    tile({names})", scope)  # compiled functions take no starred arguments
    return numba.njit(scope["call"])


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="kernels run interpreted")
def test_rows_that_are_not_contiguous_are_refused(rng):
    """Vectors are read in place; every other number of a row would be another number."""

    columns = tiles.COLUMNS

    @numba.njit
    def multiplied(ones, rows, out):
        tiles.product_tile(ones, 0, rows, 0, 0, out, 0, 0)

    rows, out = rng.random((1, 2 * columns), np.float32), np.zeros((tiles.ROWS, columns), np.float32)
    ones = np.ones((tiles.ROWS, 1), np.float32)
    multiplied(ones, rows, out)
    np.testing.assert_array_equal(out, np.repeat(rows[:, :columns], tiles.ROWS, axis=0))
    with pytest.raises(Exception, match="not contiguous"):
        multiplied(ones, rows[:, ::2], out)
