"""Sums made in tiles are the sums of plain loops, whatever the shape, and begin where they are wanted."""

from __future__ import annotations

import numpy as np
import pytest

from naive.quaternions import matrix_product
from segue import _vectors
from segue.arrays import aligned
from segue.costs import _kernels


def sides(rng, shape, dtype):
    """Features (N, K) and (K, M) of whole eighths, which any order of adding sums exactly."""
    n, k, m = shape
    a, b = (rng.integers(-40, 40, size).astype(dtype) / 8 for size in ((n, k), (k, m)))
    return a, b


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(4, 1, 64), (8, 7, 128), (4, 3, 5), (12, 2, 77)])
def test_products_are_the_twins(shape, dtype, rng):
    """Also of widths that are no whole tiles."""
    a, b = sides(rng, shape, dtype)
    out = np.empty((shape[0], shape[2]), dtype=dtype)
    _kernels.products(a, b, out)
    np.testing.assert_array_equal(out, matrix_product(a.tolist(), b.tolist()))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cells_before_the_wanted_ones_stay(dtype, rng):
    """Rows 4 to 7 begin in the second 64 columns; what is written is right, the rest is as it was."""
    a, b = sides(rng, (8, 5, 130), dtype)  # a few columns more than are wanted
    left = np.array([0, 70])
    gaps, sums = np.full((8, 128), -1.0, dtype=dtype), np.full((8, 128), -1.0, dtype=dtype)
    _kernels.squared_gaps(a, b, left, gaps)
    _kernels.absolute_sums(a, b, left, sums)
    product = np.maximum(matrix_product(a.tolist(), b.tolist()), 0.0)[:, :128]
    apart = [[sum(abs(x - y) for x, y in zip(row, column, strict=True)) for column in b.T[:128]] for row in a]
    for out, expected in ((gaps, product), (sums, np.array(apart))):
        np.testing.assert_array_equal(out[:4], expected[:4])
        np.testing.assert_array_equal(out[4:, 64:], expected[4:, 64:])
        assert np.all(out[4:, :32] == -1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tiles_in_plain_python_say_the_same(dtype, rng):
    """What a tile function does when nothing is compiled is its definition."""
    a, b = sides(rng, (5, 6, 150), dtype)
    for name in ("product_tile", "largest_tile", "diagonal_tile", "length_tile"):
        tile = getattr(_vectors, name)
        left = b if name == "length_tile" else a[:1] if name == "diagonal_tile" else a
        first = 0 if len(left) == 1 else 1
        right = np.tile(b, (2, 1))
        outs = [aligned((6, 150), dtype) for _ in range(2)]
        for out, function in zip(outs, (tile, _kernels_calling(tile)), strict=True):
            out[:] = 1.0
            function(left, first, right, 2, 3, out, 1, 5)
        np.testing.assert_allclose(outs[0], outs[1], rtol=1e-6)
        assert not np.array_equal(outs[0], np.ones_like(outs[0]))


def _kernels_calling(tile):
    """A compiled function that calls a tile function once."""
    import numba

    @numba.njit
    def call(a, i, b, k, j, out, r, c):
        tile(a, i, b, k, j, out, r, c)

    return call
