"""Four rows by four columns of short vectors at once, and which of many cells lie low: bits, a vector at a time.

Tiles of four vectors that are looked at here and there are read where they lie; nothing is packed, and their sixteen
sums fill a vector. Called from plain Python the same functions are a few lines of numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from segue._vectors import COLUMNS, ROWS, _Matrix, _multiplied, _read, _whole
from segue.arrays import Costs

SQUARE = ROWS * ROWS
"""Cells of four rows by four columns; a divisor of `COLUMNS`."""
GROUND, HEIGHT = 8, 8
"""Numbers of a short vector: complex ones on the ground, real ones of its height."""
NUMBERS = 2 * GROUND + HEIGHT + 1
"""Rows of a tile: real parts, imaginary parts, heights, and what is added to a height's product."""


def square_products(a: Costs, i: int, b: Costs, k: int, out: Costs, c: int) -> None:
    """Same, cross and height products of four vectors and four: ``out[:, c + 4 y + x]`` of the y-th and the x-th.

    ``a[i : i + NUMBERS]`` and ``b[k : k + NUMBERS]`` are tiles, four numbers a row; ``out`` is (3, columns).
    """
    parts = [GROUND, 2 * GROUND, NUMBERS - 1]
    x, z, y, own = np.split(a[i : i + NUMBERS], parts)
    u, v, t, other = np.split(b[k : k + NUMBERS], parts)
    out[0, c : c + SQUARE] = (x.T @ u + z.T @ v).ravel()
    out[1, c : c + SQUARE] = (x.T @ v - z.T @ u).ravel()
    out[2, c : c + SQUARE] = (y.T @ t + own.T + other).ravel()


def near_bits(sums: Costs, r: int, gap: int, least: float) -> int:
    """Bits of the columns whose height sum and length of same and cross sums are ``least`` or more together.

    The sums are rows r, r + gap and r + 2 gap of `COLUMNS` columns; a column's bit is two to its number. No root is
    taken: what the length has to reach is squared, and what is nothing or less is reached.
    """
    same, cross, up = (sums[r + n * gap, :COLUMNS] for n in range(3))
    rest = sums.dtype.type(least) - up
    near = (rest <= 0) | (same * same + cross * cross >= rest * rest)
    return sum(1 << int(x) for x in np.flatnonzero(near))


def lowest_bit(bits: int) -> int:
    """Number of the lowest bit that is set; some bit must be."""
    whole = int(bits)
    return (whole & -whole).bit_length() - 1


class _Fours:
    """Rows of four numbers, read as sixteen: each four times over, or all four times over."""

    def __init__(self, builder: Any, matrix: Any, row: Any, *, each: bool) -> None:
        self.builder, self.place = builder, builder.gep(matrix.data, [builder.mul(row, _whole(ROWS))])
        four = ir.VectorType(ir.FloatType(), ROWS)
        self.four, self.unset = four.as_pointer(), ir.Constant(four, ir.Undefined)
        order = [n // ROWS if each else n % ROWS for n in range(SQUARE)]
        self.order = ir.Constant(ir.VectorType(ir.IntType(32), SQUARE), order)

    def __getitem__(self, row: int) -> Any:
        """Sixteen of the four in a row."""
        place = self.builder.gep(self.place, [_whole(ROWS * row)])
        four = self.builder.load(self.builder.bitcast(place, self.four), align=4)
        return self.builder.shuffle_vector(four, self.unset, self.order)


def _squares(_context: Any, a: Any, i: Any, b: Any, k: Any, out: Any, c: Any) -> Any:
    """See `square_products`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, i, right, k, goal, c = _read(context, builder, signature, args)
        mine, theirs = _Fours(builder, left, i, each=True), _Fours(builder, right, k, each=False)
        nothing = ir.Constant(ir.VectorType(ir.FloatType(), SQUARE), [0.0] * SQUARE)
        same = cross = back = nothing
        for n in range(GROUND):
            x, z, u, v = mine[n], mine[GROUND + n], theirs[n], theirs[GROUND + n]
            same = _multiplied(builder, _multiplied(builder, same, x, u), z, v)
            cross, back = _multiplied(builder, cross, x, v), _multiplied(builder, back, z, u)
        up = builder.fadd(mine[NUMBERS - 1], theirs[NUMBERS - 1], flags=("fast",))
        for n in range(2 * GROUND, NUMBERS - 1):
            up = _multiplied(builder, up, mine[n], theirs[n])
        cross = builder.fsub(cross, back, flags=("fast",))
        for n, total in enumerate((same, cross, up)):
            place = builder.bitcast(goal.at(_whole(n), c), total.type.as_pointer())
            builder.store(total, place, align=4)
        return context.get_dummy_value()

    return types.void(a, i, b, k, out, c), generate


def _bits(_context: Any, sums: Any, r: Any, gap: Any, least: Any) -> Any:
    """See `near_bits`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source = _Matrix(context, builder, signature.args[0], args[0])
        r, gap = (context.cast(builder, args[n], signature.args[n], types.intp) for n in (1, 2))
        whole = ir.VectorType(ir.FloatType(), COLUMNS)
        rows = [builder.add(r, builder.mul(gap, _whole(n))) for n in range(3)]
        places = [builder.bitcast(source.at(row, _whole(0)), whole.as_pointer()) for row in rows]
        same, cross, up = (builder.load(place, align=4) for place in places)
        floor = context.cast(builder, args[3], signature.args[3], types.float32)
        unset, zero = ir.Constant(whole, ir.Undefined), ir.Constant(ir.IntType(32), 0)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), COLUMNS), [0] * COLUMNS)
        floors = builder.shuffle_vector(builder.insert_element(unset, floor, zero), unset, everywhere)
        rest = builder.fsub(floors, up)
        length = _multiplied(builder, builder.fmul(same, same, flags=("fast",)), cross, cross)
        reached = builder.fcmp_ordered("<=", rest, ir.Constant(whole, [0.0] * COLUMNS))
        near = builder.or_(builder.fcmp_ordered(">=", length, builder.fmul(rest, rest)), reached)
        packed = builder.bitcast(near, ir.IntType(COLUMNS))
        return packed if COLUMNS == 64 else builder.zext(packed, ir.IntType(64))

    return types.uint64(sums, r, gap, least), generate


def _lowest(_context: Any, bits: Any) -> Any:
    """See `lowest_bit`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = context.cast(builder, args[0], signature.args[0], types.uint64)
        return builder.cttz(value, ir.Constant(ir.IntType(1), 1))

    return types.int64(bits), generate


# Intrinsics take a context that callers do not give.
_SQUARES: Any = intrinsic(_squares)
_BITS: Any = intrinsic(_bits)
_LOWEST: Any = intrinsic(_lowest)


@overload(square_products, strict=False, jit_options={"forceinline": True})  # strict compares annotations too
def _square_products(a: Any, i: Any, b: Any, k: Any, out: Any, c: Any) -> Any:  # noqa: ARG001
    if any(array.layout != "C" or array.dtype != types.float32 for array in (a, b, out)):
        return None  # no such function
    return lambda a, i, b, k, out, c: _SQUARES(a, i, b, k, out, c)  # noqa: PLW0108 - names are compared


@overload(near_bits, strict=False, jit_options={"forceinline": True})
def _near_bits(sums: Any, r: Any, gap: Any, least: Any) -> Any:  # noqa: ARG001
    if sums.layout != "C" or sums.dtype != types.float32:
        return None
    return lambda sums, r, gap, least: _BITS(sums, r, gap, least)  # noqa: PLW0108


@overload(lowest_bit, strict=False, jit_options={"forceinline": True})
def _lowest_bit(bits: Any) -> Any:  # noqa: ARG001
    return lambda bits: _LOWEST(bits)  # noqa: PLW0108
