"""Tiles of whole costs held in vector registers: sums, and what is made of a sum before it is written.

They are to kernels what the tiles of `segue._vectors` are, and as there each cell is summed in the same order wherever
a tile lies.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from segue._vectors import _ACROSS, COLUMNS, ROWS, _larger, _loop, _read, _whole
from segue.arrays import Costs

_FUSED = ("contract",)
"""A product may be added without being rounded first; nothing else may be done in another order than written."""


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


def _floored(builder: Any, value: Any, nothing: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", value, nothing), value, nothing)


@intrinsic
def _gaps(
    _context: Any, a: Any, i: Any, b: Any, j: Any, own: Any, other: Any, out: Any, r: Any, c: Any
) -> Any:
    """See `gap_tile`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, i, right, j, own, other, goal, r, c = _read(context, builder, signature, args)
        rows = [builder.add(i, _whole(y)) for y in range(ROWS)]
        nothing = ir.Constant(right.vector, [0.0] * right.lanes)
        begin = [[nothing] * _ACROSS for _ in rows]
        starts = [left.at(row, _whole(0)) for row in rows], right.at(_whole(0), j), begin
        totals = _loop(builder, left, right, starts, _larger, diagonal=False)
        theirs = other.at(_whole(0), j)
        for y, (row, sums) in enumerate(zip(rows, totals, strict=True)):
            mine = right.spread(builder.load(own.at(row, _whole(0))))
            place = goal.at(builder.add(r, _whole(y)), c)
            for v, total in enumerate(sums):
                gap = builder.fsub(builder.fsub(builder.fadd(total, total), mine), other.load(theirs, v))
                goal.store(_floored(builder, gap, nothing), place, v)
        return context.get_dummy_value()

    return types.void(a, i, b, j, own, other, out, r, c), generate


def _angles(across: int) -> Any:
    """Intrinsic of `angle_tile` on so many vectors of columns."""

    def typed(
        _context: Any,
        a: Any,
        i: Any,
        b: Any,
        j: Any,
        terms: Any,
        own: Any,
        other: Any,
        out: Any,
        r: Any,
        c: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            left, i, right, j, terms, own, other, goal, r, c = _read(context, builder, signature, args)
            rows = [builder.add(i, _whole(y)) for y in range(ROWS)]
            places = [goal.at(builder.add(r, _whole(y)), c) for y in range(ROWS)]
            theirs = other.at(_whole(0), j)
            begin = []
            for row, place in zip(rows, places, strict=True):
                mine, each = right.spread(builder.load(own.at(row, _whole(0)))), []
                for v in range(across):
                    gap = builder.fsub(mine, other.load(theirs, v), flags=_FUSED)
                    each.append(_fma(builder, gap, gap, goal.load(place, v)))
                begin.append(each)
            starts = [left.at(row, _whole(0)) for row in rows], right.at(_whole(0), j)
            totals = _turns(builder, (left, right, terms), starts, begin)
            nothing = ir.Constant(right.vector, [0.0] * right.lanes)
            for place, row in zip(places, totals, strict=True):
                for v, total in enumerate(row):
                    goal.store(_floored(builder, total, nothing), place, v)
            return context.get_dummy_value()

        return types.void(a, i, b, j, terms, own, other, out, r, c), generate

    typed.__name__ = "angle_sums"
    return intrinsic(typed)


def _fma(builder: Any, one: Any, other: Any, more: Any) -> Any:
    return builder.fadd(builder.fmul(one, other, flags=_FUSED), more, flags=_FUSED)


def _turns(
    builder: Any, matrices: tuple[Any, Any, Any], starts: tuple[list[Any], Any], begin: list[list[Any]]
) -> list[list[Any]]:
    """Totals of a tile: a loop over quaternions, four numbers of each row and column at a time."""
    left, right, terms = matrices
    mine, start = starts
    first = terms.at(_whole(0), _whole(0))
    before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    n, there, term = builder.phi(ir.IntType(64)), builder.phi(start.type), builder.phi(first.type)
    totals = [[builder.phi(right.vector) for _ in row] for row in begin]
    four = [there]
    for _ in range(3):
        four.append(builder.gep(four[-1], [right.stride]))
    factors = [right.spread(builder.load(builder.gep(term, [_whole(t)]))) for t in range(7)]
    turned = [
        [right.spread(builder.load(builder.gep(at, [builder.add(n, _whole(d))]))) for d in range(4)]
        for at in mine
    ]
    sums: list[list[Any]] = [[] for _ in begin]
    for v in range(len(begin[0])):
        vectors = [right.load(place, v) for place in four]
        for y, quaternion in enumerate(turned):
            sums[y].append(_turn(builder, right, (quaternion, vectors), factors, totals[y][v]))
    following = builder.add(n, _whole(4))
    phis: list[Any] = [
        (n, _whole(0), following),
        (there, start, builder.gep(four[3], [right.stride])),
        (term, first, builder.gep(term, [terms.stride])),
    ]
    for three in zip(totals, begin, sums, strict=True):
        phis += list(zip(*three, strict=True))
    for phi, initial, again in phis:
        phi.add_incoming(initial, before)
        phi.add_incoming(again, loop)
    builder.cbranch(builder.icmp_signed("<", following, left.width), loop, after)
    builder.position_at_end(after)
    return sums


def _turn(builder: Any, right: Any, pair: tuple[list[Any], list[Any]], factors: list[Any], total: Any) -> Any:
    """Total and one quaternion's polynomial more."""
    (w, *mine), (x, *theirs) = pair
    product = builder.fmul(w, x, flags=_FUSED)
    for one, other in zip(mine, theirs, strict=True):
        product = _fma(builder, one, other, product)
    insert: Any = cgutils.get_or_insert_function  # untyped
    kind = ir.FunctionType(right.vector, [right.vector])
    size = insert(builder.module, kind, f"llvm.fabs.v{right.lanes}f{8 * right.size}")
    one = ir.Constant(right.vector, [1.0] * right.lanes)
    u = builder.fsub(one, builder.call(size, [product]), flags=_FUSED)
    value = factors[-1]
    for factor in factors[-2::-1]:
        value = _fma(builder, value, u, factor)
    return _fma(builder, value, u, total)


_WIDE = max(1, _ACROSS // 2)
"""Vectors across a tile of angles, of which more is held beside the sums."""
_gap_sums: Any = _gaps  # an intrinsic takes its context only from the compiler
_angle_sums = _angles(_WIDE)


def _known(*arrays: Any) -> bool:
    """Whether rows are contiguous and numbers of one kind."""
    return all(array.layout == "C" and array.dtype == arrays[0].dtype for array in arrays)


@overload(gap_tile, strict=False, jit_options={"forceinline": True})  # strict compares annotations too
def _gap_tile(a: Any, i: Any, b: Any, j: Any, own: Any, other: Any, out: Any, r: Any, c: Any) -> Any:  # noqa: ARG001
    if not _known(a, b, own, other, out):
        return None  # no such function
    if out.dtype == types.float32:
        return lambda a, i, b, j, own, other, out, r, c: _gap_sums(a, i, b, j, own, other, out, r, c)  # noqa: PLW0108
    half = COLUMNS // 2

    def twice(a: Any, i: Any, b: Any, j: Any, own: Any, other: Any, out: Any, r: Any, c: Any) -> None:
        _gap_sums(a, i, b, j, own, other, out, r, c)
        _gap_sums(a, i, b, j + half, own, other, out, r, c + half)

    return twice


@overload(angle_tile, strict=False, jit_options={"forceinline": True})
def _angle_tile(
    a: Any,
    i: Any,  # noqa: ARG001
    b: Any,
    j: Any,  # noqa: ARG001
    terms: Any,
    own: Any,
    other: Any,
    out: Any,
    r: Any,  # noqa: ARG001
    c: Any,  # noqa: ARG001
) -> Any:
    if not _known(a, b, terms, own, other, out):
        return None
    step = COLUMNS * _WIDE // _ACROSS // (1 if out.dtype == types.float32 else 2)

    def several(
        a: Any, i: Any, b: Any, j: Any, terms: Any, own: Any, other: Any, out: Any, r: Any, c: Any
    ) -> None:
        for x in range(0, COLUMNS, step):
            _angle_sums(a, i, b, j + x, terms, own, other, out, r, c + x)

    return several
