"""Tiles: sums of `ROWS` rows by `COLUMNS` columns, held in vector registers over all terms.

One load per term then serves several additions; compiled loops over columns load and store every sum at every
step and reach half the speed. Each tile function exists twice: as a few lines of numpy, which define it and
run if nothing is compiled, and below that as LLVM instructions.

Every cell is summed term by term in the same order, whatever the position of its tile. Kernels pass complete
arrays and start indices, because passing a view costs as much as fifty sums.

Lower bounds need products of four rows and four columns of short vectors, and a mask of the low cells. Tiles
of four vectors are read in place without packing, and their sixteen sums fill a vector. The mask has one bit
per cell, at most 64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from segue.accel.emitter import ACROSS, BYTES, FAST, FUSED, Array, arguments, index, loop, register
from segue.arrays import Costs

ROWS = 4
COLUMNS = ACROSS * BYTES // 4
"""Columns of a tile; a divisor of 64."""


def product_tile(a: Costs, i: int, b: Costs, k: int, j: int, out: Costs, r: int, c: int) -> None:
    """``out[r + y, c + x] = sum_n a[i + y, n] b[k + n, j + x]`` of a tile."""
    out[r : r + ROWS, c : c + COLUMNS] = a[i : i + ROWS] @ b[k : k + a.shape[1], j : j + COLUMNS]


@register(product_tile)
def _product(context: Any, builder: Any, signature: Any, args: Any) -> None:
    left, i, right, k, j, goal, r, c = arguments(context, builder, signature, args)
    for column, place in goal.passes(COLUMNS, j, c):
        rows = _rows(left, i, ROWS)
        begin = [[right.constant(0.0)] * ACROSS for _ in rows]
        totals = _sum(left, (right, right.at(k, column), right.stride), rows, begin, _add_product(right))
        for y, row in enumerate(totals):
            for v, total in enumerate(row):
                goal.store(total, goal.at(builder.add(r, index(y)), place), v)


def gap_tile(
    a: Costs, i: int, b: Costs, j: int, own: Costs, other: Costs, out: Costs, r: int, c: int
) -> None:
    """``out[r + y, c + x] = 2 sum_n max(a[i + y, n], b[n, j + x]) - own[i + y] - other[j + x]``, clamped at zero.

    With sums of a's rows (N, 1) and of b's columns (1, M), added in the same ascending order of n, these are
    sums of absolute differences, and exactly zero where all values are equal.
    """
    larger = np.maximum(a[i : i + ROWS, :, None], b[None, :, j : j + COLUMNS])
    total = np.zeros_like(larger[:, 0])
    for n in range(larger.shape[1]):
        total += larger[:, n]
    gap = total + total - own[i : i + ROWS] - other[:, j : j + COLUMNS]
    out[r : r + ROWS, c : c + COLUMNS] = np.maximum(gap, 0.0)


@register(gap_tile)
def _gap(context: Any, builder: Any, signature: Any, args: Any) -> None:
    left, i, right, j, own, other, goal, r, c = arguments(context, builder, signature, args)
    zero = right.constant(0.0)

    def add_larger(total: Any, one: Any, two: Any) -> Any:
        return builder.fadd(total, right.maximum(one, two))

    for column, place in goal.passes(COLUMNS, j, c):
        rows, theirs = _rows(left, i, ROWS), other.at(index(0), column)
        begin = [[zero] * ACROSS for _ in rows]
        totals = _sum(left, (right, right.at(index(0), column), right.stride), rows, begin, add_larger)
        for y, row in enumerate(totals):
            mine = own.number(own.at(builder.add(i, index(y)), index(0)))
            out = goal.at(builder.add(r, index(y)), place)
            for v, total in enumerate(row):
                gap = builder.fsub(builder.fsub(builder.fadd(total, total), mine), other.load(theirs, v))
                goal.store(goal.maximum(gap, zero), out, v)


def angle_tile(
    a: Costs, i: int, b: Costs, j: int, terms: Costs, own: Costs, other: Costs, out: Costs, r: int, c: int
) -> None:
    """Add polynomials of inner products, and squared gaps, to a tile of ``out``; clamp the result at zero.

    ``a`` (N, 4K) and ``b`` (4K, M) hold quaternions; each adds ``u (t_0 + u (t_1 + ...))`` of ``u = 1 - |product|``
    with its seven ``terms`` (K, 7). The squared differences of ``own`` (N, 1) and ``other`` (1, M) are added.
    """
    part = out[r : r + ROWS, c : c + COLUMNS]
    part += (own[i : i + ROWS] - other[:, j : j + COLUMNS]) ** 2
    for k, term in enumerate(terms):
        four = slice(4 * k, 4 * k + 4)
        u = 1 - np.abs(a[i : i + ROWS, four] @ b[four, j : j + COLUMNS])
        value = term[6] * u
        for t in range(5, -1, -1):
            value = (value + term[t]) * u
        part += value
    np.maximum(part, 0.0, out=part)


@register(angle_tile)
def _angle(context: Any, builder: Any, signature: Any, args: Any) -> None:
    """Write part of a tile at a time, because more registers are needed than for plain products."""
    left, i, right, j, terms, own, other, goal, r, c = arguments(context, builder, signature, args)
    across = max(1, ACROSS // 2)
    columns = across * goal.lanes

    def write(part: Any, _values: list[Any]) -> list[Any]:
        first = builder.mul(part, index(columns))
        column, place = builder.add(j, first), builder.add(c, first)
        outs = [goal.at(builder.add(r, index(y)), place) for y in range(ROWS)]
        theirs, begin = other.at(index(0), column), []
        for y, out in enumerate(outs):
            mine, each = own.number(own.at(builder.add(i, index(y)), index(0))), []
            for v in range(across):
                gap = builder.fsub(mine, other.load(theirs, v), flags=FUSED)
                each.append(right.multiply_add(gap, gap, goal.load(out, v)))
            begin.append(each)
        totals = _sum_angles((left, right, terms), _rows(left, i, ROWS), right.at(index(0), column), begin)
        for out, row in zip(outs, totals, strict=True):
            for v, total in enumerate(row):
                goal.store(goal.maximum(total, goal.constant(0.0)), out, v)
        return []

    loop(builder, index(COLUMNS // columns), [], write)


def _sum_angles(
    arrays: tuple[Array, Array, Array], rows: list[Any], start: Any, begin: list[list[Any]]
) -> list[list[Any]]:
    """Totals of part of a tile: four numbers of each row and column per step, which are one quaternion."""
    left, right, terms = arrays
    builder, across = right.builder, len(begin[0])

    def add(k: Any, values: list[Any]) -> list[Any]:
        (there, term), totals = values[:2], values[2:]
        four = [there]
        for _ in range(3):
            four.append(builder.gep(four[-1], [right.stride]))
        factors = [right.number(builder.gep(term, [index(t)])) for t in range(7)]
        first = builder.mul(k, index(4))
        mine = [
            [right.number(builder.gep(row, [builder.add(first, index(d))])) for d in range(4)] for row in rows
        ]
        sums: list[Any] = [None] * len(totals)
        for v in range(across):
            vectors = [right.load(place, v) for place in four]
            for y, quaternion in enumerate(mine):
                sums[y * across + v] = _add_angle(
                    right, (quaternion, vectors), factors, totals[y * across + v]
                )
        return [builder.gep(four[3], [right.stride]), builder.gep(term, [terms.stride]), *sums]

    starts = [start, terms.at(index(0), index(0)), *(total for row in begin for total in row)]
    ends = loop(builder, builder.sdiv(left.width, index(4)), starts, add)[2:]
    return [ends[y * across : (y + 1) * across] for y in range(len(begin))]


def _add_angle(right: Array, pair: tuple[list[Any], list[Any]], factors: list[Any], total: Any) -> Any:
    builder = right.builder
    (w, *mine), (x, *theirs) = pair
    product = builder.fmul(w, x, flags=FUSED)
    for one, other in zip(mine, theirs, strict=True):
        product = right.multiply_add(one, other, product)
    u = builder.fsub(right.constant(1.0), right.abs(product), flags=FUSED)
    value = factors[-1]
    for factor in factors[-2::-1]:
        value = right.multiply_add(value, u, factor)
    return right.multiply_add(value, u, total)


def _rows(left: Array, i: Any, count: int) -> list[Any]:
    return [left.at(left.builder.add(i, index(y)), index(0)) for y in range(count)]


def _add_product(right: Array) -> Callable[[Any, Any, Any], Any]:
    return lambda total, one, other: right.multiply_add(one, other, total, FAST)


def _sum(
    left: Array,
    right: tuple[Array, Any, Any],
    rows: list[Any],
    begin: list[list[Any]],
    term: Callable[[Any, Any, Any], Any],
) -> list[list[Any]]:
    """Totals of each row and vector of a tile: a loop over the columns of the left side.

    ``right`` is the array of the other side, the address of its first vector and the offset to the next.
    """
    other, start, down = right
    builder = other.builder

    def add(k: Any, values: list[Any]) -> list[Any]:
        there, totals = values[0], values[1:]
        vectors = [other.load(there, v) for v in range(ACROSS)]
        out = [builder.gep(there, [down])]
        for y, row in enumerate(rows):
            each = other.number(builder.gep(row, [k]))
            out += [term(totals[y * ACROSS + v], each, vectors[v]) for v in range(ACROSS)]
        return out

    ends = loop(builder, left.width, [start, *(total for row in begin for total in row)], add)[1:]
    return [ends[y * ACROSS : (y + 1) * ACROSS] for y in range(len(rows))]


SQUARE = ROWS * ROWS
"""Cells of four rows by four columns; a divisor of `COLUMNS`."""
GROUND, HEIGHT = 8, 8
"""Numbers of a short vector: complex ones for the ground plane, real ones for the height."""
NUMBERS = 2 * GROUND + HEIGHT + 1
"""Rows of a tile: real parts, imaginary parts, heights, and the term added to the product of heights."""


def square_products(a: Costs, i: int, b: Costs, k: int, out: Costs, c: int) -> None:
    """Same, cross and height products of two groups of four vectors: ``out[:, c + 4 y + x]`` of the y-th and the x-th.

    ``a[i : i + NUMBERS]`` and ``b[k : k + NUMBERS]`` are tiles, four numbers per row; ``out`` is (3, columns).
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
    """Rows of four numbers, expanded to sixteen: each number four times, or all four repeated four times."""

    def __init__(self, array: Array, row: Any, *, each: bool) -> None:
        self.builder = array.builder
        self.place = self.builder.gep(array.data, [self.builder.mul(row, index(ROWS))])
        four = ir.VectorType(ir.FloatType(), ROWS)
        self.four, self.unset = four.as_pointer(), ir.Constant(four, ir.Undefined)
        order = [n // ROWS if each else n % ROWS for n in range(SQUARE)]
        self.order = ir.Constant(ir.VectorType(ir.IntType(32), SQUARE), order)

    def __getitem__(self, row: int) -> Any:
        """Sixteen numbers expanded from the four of a row."""
        place = self.builder.gep(self.place, [index(ROWS * row)])
        four = self.builder.load(self.builder.bitcast(place, self.four), align=4)
        return self.builder.shuffle_vector(four, self.unset, self.order)


def _check(*arrays: Array) -> None:
    """Refuse float64, which bounds do not need."""
    if any(array.size != 4 for array in arrays):
        raise TypeError("bounds are of float32")


def near_bits(sums: Costs, r: int, gap: int, least: float) -> int:
    """Bit mask of the columns in which the height sum plus the length of (same, cross) is at least ``least``.

    The sums are rows r, r + gap and r + 2 gap of `COLUMNS` columns; column x sets bit x. The square root is
    avoided: squared lengths are compared, and columns with a required length of 0 or less are always set.
    """
    same, cross, up = (sums[r + n * gap, :COLUMNS] for n in range(3))
    rest = sums.dtype.type(least) - up
    near = (rest <= 0) | (same * same + cross * cross >= rest * rest)
    return sum(1 << int(x) for x in np.flatnonzero(near))


@register(near_bits, typed=types.uint64)
def _bits(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Process all columns as one vector, which takes as many registers as needed; flags keep the order written."""
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
    """Index of the lowest set bit; at least one bit must be set."""
    whole = int(bits)
    return (whole & -whole).bit_length() - 1


@register(lowest_bit, typed=types.int64)
def _lowest(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    value = context.cast(builder, args[0], signature.args[0], types.uint64)
    return builder.cttz(value, ir.Constant(ir.IntType(1), 1))
