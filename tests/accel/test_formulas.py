"""Formulas give the same bits in plain Python and compiled into a kernel."""

from __future__ import annotations

import math
import os
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from segue.accel import formulas
from segue.accel.formulas import do_if, for_range, formula, sum_range, where
from segue.maths import _kernels as maths
from segue.maths._kernels import Four, Three

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
NUMBERS = [0.0, -0.0, 1.0, -2.5, 0.3, 1e-9, 7.75, 3.0]


@formula
def numbers(a: float, b: float, n: int, out: np.ndarray) -> tuple[float, int, bool]:
    """Every function on numbers, one result per cell."""
    found = [
        a + b, 1.0 + a, a - b, 2 - a, a * b, 3 * a, a / (b * b + 1.0), 1.0 / (a * a + 1), -a, abs(a), n / 2, n - 1.5,
        formulas.maximum(a, b), formulas.minimum(a, b), formulas.maximum(a, 0.0), formulas.sqrt(abs(a)),
        formulas.sin(a), formulas.cos(b), formulas.atan2(a, b), formulas.atan2(1.0, b), formulas.tanh(a),
        formulas.exp(b), formulas.mod(a, 3.0), formulas.mod(-2.5, b * b + 0.5), where(a < b, a, 2.0),
        where(a <= b, 1, b), where((a > b) & (n >= 2), a, b), where((a == b) | (n != 2), 4.0, b),
        where(True & (a >= b), 1.0, 0.0),
        where(False | (n == 3), 1.0, 0.0), 1.0 * formulas.trunc(a * 3.0), 1.0 * (n // 2), 1.0 * (2 * n + 1 - n),
    ]  # fmt: skip
    for place, value in enumerate(found):
        out[place] = value
    return a, n + 1, a > b


@formula
def _add(n: int, out: np.ndarray, by: float) -> None:
    out[n] = out[n] + by * n


@formula
def _term(n: int, table: np.ndarray) -> float:
    return table[n, 1] * 0.1


@formula
def arrays(table: np.ndarray, whole: np.ndarray, out: np.ndarray, q: Four, v: Three) -> float:
    """Every function on arrays."""
    for_range(1, whole[0], _add, out, 0.7)
    do_if(table[0, 1] > 0.5, _add, 5, out, 2.0)
    do_if(table[0, 1] < 0.5, _add, 6, out, 3.0)
    whole[1] = whole[0] + table.shape[0]
    for c, value in enumerate(maths.rotate(maths.multiply(q, q), v)):
        table[1, c] = value
    return sum_range(0, table.shape[0], _term, table)


@lru_cache(maxsize=1)
def _compiled() -> Any:
    """Kernels that call one formula each, and views."""
    import numba

    @numba.njit
    def call_numbers(a: Any, b: Any, n: Any, out: Any) -> Any:
        return numbers(a, b, n, out)

    @numba.njit
    def call_arrays(table: Any, whole: Any, out: Any, q: Any, v: Any) -> Any:
        return arrays(table, whole, out, q, v)

    @numba.njit
    def views(data: Any, first: Any, out: Any) -> Any:
        part, matrix = formulas.window(data, first, 4), formulas.matrix(data, first, 2, 3)
        out[0] = part.sum() + len(part)
        out[1] = matrix[1, 2] + 10.0 * matrix[0, 1] + matrix.shape[0]
        formulas.window(out, 2, 1)[0] = part[3]

    return call_numbers, call_arrays, views


def test_numbers() -> None:
    """Arithmetic, comparisons, choices and functions of numbers; integers mixed with floats become floats."""
    for a in NUMBERS:
        for b in NUMBERS:
            plain, written = np.full(33, 9.0), np.full(33, 9.0)
            meant, found = numbers(a, b, 3, plain), _compiled()[0](a, b, 3, written)
            assert meant == found
            assert np.array_equal(plain.view(np.int64), written.view(np.int64)), (a, b)


def test_arrays() -> None:
    """Loops, conditions, sums and tuples agree."""
    results = []
    for call in (arrays, _compiled()[1]):
        table, whole, out = np.arange(6.0).reshape(2, 3), np.array([4, 0]), np.arange(8.0)
        total = call(table, whole, out, (0.5, 0.5, -0.5, 0.5), (1.0, 2.0, 3.0))
        results.append((total, table.tolist(), whole.tolist(), out.tolist()))
    assert results[0] == results[1]
    assert results[0][3] == [0.0, 1.7, 3.4, 3.0 + 3 * 0.7, 4.0, 15.0, 6.0, 7.0]


@pytest.mark.parametrize("readonly", [False, True])
def test_views(readonly: bool) -> None:
    """Parts of arrays are read, and written through, without a copy; read-only arrays are accepted too."""
    data, out = np.arange(12.0), np.zeros(3)
    data.flags.writeable = not readonly
    _compiled()[2](data, 2, out)
    assert out.tolist() == [2 + 3 + 4 + 5 + 4, 7.0 + 30.0 + 2, 5.0]


def test_rotations_of_formulas() -> None:
    """Shortest rotations, rotations about the vertical and tilts do what their names state."""
    a, b = (0.3, -1.0, 2.0), (1.0, 0.4, -0.2)
    there = maths.rotate(maths.swing(a, b), a)
    assert np.allclose(np.cross(there, b), 0.0)
    assert np.dot(there, b) > 0.0
    assert np.allclose(
        maths.rotate(maths.yaw_rotation(0.5), (0.0, 0.0, 1.0)), (math.sin(0.5), 0.0, math.cos(0.5))
    )
    assert np.allclose(
        maths.rotate(maths.tilt_rotation((0.0, 0.0, 2.0), 0.3), (0.0, 0.0, 1.0)),
        (0.0, math.sin(0.3), math.cos(0.3)),
    )
    q = maths.swing(a, b)
    assert np.allclose(maths.multiply(q, maths.conjugate(q)), (1.0, 0.0, 0.0, 0.0))


@pytest.mark.skipif(INTERPRETED, reason="kernels run interpreted")
def test_what_a_formula_cannot_do_is_said() -> None:
    """A formula may not branch on a value, nor take arrays that it would read wrongly."""
    import numba

    @formula
    def asks(a: float) -> float:
        return max(1.0, a)

    @formula
    def reads(a: np.ndarray) -> float:
        return a[0]

    @numba.njit
    def call_asks(a: Any) -> Any:
        return asks(a)

    @numba.njit
    def call_reads(a: Any) -> Any:
        return reads(a)

    with pytest.raises(Exception, match="use `where` or `do_if`"):
        call_asks(2.0)
    with pytest.raises(Exception, match="not a contiguous one of float64 or int64"):
        call_reads(np.zeros(6)[::2])
    with pytest.raises(Exception, match="a formula takes float64"):
        call_asks(2.0 + 1j)
