"""Tiles: `ROWS` rows by `COLUMNS` columns of sums, held in a processor's vector registers while their terms pass by.

A term then costs one load for several additions; compiled loops over columns load and store every sum at every step
and reach half the speed. Each tile stands here twice: as a few lines of numpy, which is what it means and what runs
where nothing is compiled, and below that as instructions.

Every cell is summed term by term in the same order wherever a tile lies. Kernels pass whole arrays and say where to
begin: a view given to a function costs as much as fifty sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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
    """``out[r + y, c + x] = 2 sum_n max(a[i + y, n], b[n, j + x]) - own[i + y] - other[j + x]``, none below zero.

    With sums of a's rows (N, 1) and of b's columns (1, M), added in rising order of n as the larger ones are, these are
    sums of absolute differences, and exactly nothing where all are equal.
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
    """Add polynomials of inner products, and squared gaps, to a tile of ``out``; then nothing is below zero.

    ``a`` (N, 4K) and ``b`` (4K, M) hold quaternions; each adds ``u (t_0 + u (t_1 + ...))`` of
    ``u = 1 - |product|`` with its seven ``terms`` (K, 7). ``own`` (N, 1) and ``other`` (1, M) are numbers whose squared
    gap is added.
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
    """A part of a tile at a time: more is held beside the sums than of plain products."""
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
    """Totals of a part of a tile: four numbers of each row and column at a time, which are a quaternion."""
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
    """Total and one quaternion's polynomial more."""
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
    """Addresses of the rows of a tile's left side."""
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

    ``right`` is the other side, where its first vector lies and how far the next one is.
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
