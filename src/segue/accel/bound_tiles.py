"""Lower bounds: products of four rows and four columns of short vectors at once, and which of many cells are low.

Tiles of four vectors are read where they lie; nothing is packed, and their sixteen sums fill a vector. Which cells are
low is said in bits, 64 at most. Each function stands here as numpy and as instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from segue.accel.emitter import FAST, FUSED, Array, arguments, index, register
from segue.accel.tiles import COLUMNS, ROWS
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


@register(square_products)
def _squares(context: Any, builder: Any, signature: Any, args: Any) -> None:
    left, i, right, k, goal, c = arguments(context, builder, signature, args)
    _check(left, right, goal)
    mine, theirs = _Fours(left, i, each=True), _Fours(right, k, each=False)
    same = cross = back = ir.Constant(ir.VectorType(ir.FloatType(), SQUARE), [0.0] * SQUARE)
    for n in range(GROUND):
        x, z, u, v = mine[n], mine[GROUND + n], theirs[n], theirs[GROUND + n]
        same = left.multiply_add(z, v, left.multiply_add(x, u, same, FAST), FAST)
        cross, back = left.multiply_add(x, v, cross, FAST), left.multiply_add(z, u, back, FAST)
    up = builder.fadd(mine[NUMBERS - 1], theirs[NUMBERS - 1], flags=FAST)
    for n in range(2 * GROUND, NUMBERS - 1):
        up = left.multiply_add(mine[n], theirs[n], up, FAST)
    cross = builder.fsub(cross, back, flags=FAST)
    for n, total in enumerate((same, cross, up)):
        place = builder.bitcast(goal.at(index(n), c), total.type.as_pointer())
        builder.store(total, place, align=4)


class _Fours:
    """Rows of four numbers, read as sixteen: each four times over, or all four times over."""

    def __init__(self, array: Array, row: Any, *, each: bool) -> None:
        self.builder = array.builder
        self.place = self.builder.gep(array.data, [self.builder.mul(row, index(ROWS))])
        four = ir.VectorType(ir.FloatType(), ROWS)
        self.four, self.unset = four.as_pointer(), ir.Constant(four, ir.Undefined)
        order = [n // ROWS if each else n % ROWS for n in range(SQUARE)]
        self.order = ir.Constant(ir.VectorType(ir.IntType(32), SQUARE), order)

    def __getitem__(self, row: int) -> Any:
        """Sixteen of the four in a row."""
        place = self.builder.gep(self.place, [index(ROWS * row)])
        four = self.builder.load(self.builder.bitcast(place, self.four), align=4)
        return self.builder.shuffle_vector(four, self.unset, self.order)


def _check(*arrays: Array) -> None:
    """Refuse float64, which bounds do not need."""
    if any(array.size != 4 for array in arrays):
        raise TypeError("bounds are of float32")


def near_bits(sums: Costs, r: int, gap: int, least: float) -> int:
    """Bits of the columns whose height sum and length of same and cross sums are ``least`` or more together.

    The sums are rows r, r + gap and r + 2 gap of `COLUMNS` columns; a column's bit is two to its number. No root is
    taken: what the length has to reach is squared, and what is nothing or less is reached.
    """
    same, cross, up = (sums[r + n * gap, :COLUMNS] for n in range(3))
    rest = sums.dtype.type(least) - up
    near = (rest <= 0) | (same * same + cross * cross >= rest * rest)
    return sum(1 << int(x) for x in np.flatnonzero(near))


@register(near_bits, typed=types.uint64)
def _bits(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """All columns in one vector, which takes as many registers as it needs; flags keep the order of what is written."""
    source, r, gap, _ = arguments(context, builder, signature, args)
    _check(source)
    whole = ir.VectorType(ir.FloatType(), COLUMNS)
    rows = [builder.add(r, builder.mul(gap, index(n))) for n in range(3)]
    places = [builder.bitcast(source.at(row, index(0)), whole.as_pointer()) for row in rows]
    same, cross, up = (builder.load(place, align=4) for place in places)
    floor = context.cast(builder, args[3], signature.args[3], types.float32)
    unset, zero = ir.Constant(whole, ir.Undefined), ir.Constant(ir.IntType(32), 0)
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), COLUMNS), [0] * COLUMNS)
    floors = builder.shuffle_vector(builder.insert_element(unset, floor, zero), unset, everywhere)
    rest = builder.fsub(floors, up, flags=FUSED)
    length = source.multiply_add(cross, cross, builder.fmul(same, same, flags=FAST), FAST)
    reached = builder.fcmp_ordered("<=", rest, ir.Constant(whole, [0.0] * COLUMNS), flags=FUSED)
    square = builder.fmul(rest, rest, flags=FUSED)
    near = builder.or_(builder.fcmp_ordered(">=", length, square, flags=FUSED), reached)
    packed = builder.bitcast(near, ir.IntType(COLUMNS))
    return packed if COLUMNS == 64 else builder.zext(packed, ir.IntType(64))


def lowest_bit(bits: int) -> int:
    """Number of the lowest bit that is set; some bit must be."""
    whole = int(bits)
    return (whole & -whole).bit_length() - 1


@register(lowest_bit, typed=types.int64)
def _lowest(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    value = context.cast(builder, args[0], signature.args[0], types.uint64)
    return builder.cttz(value, ir.Constant(ir.IntType(1), 1))
