"""Sums of tiles held in a processor's vector registers: what a compiler's own loops reach half the speed of.

A tile is `ROWS` rows by `COLUMNS` columns. Its sums stay in registers while their terms pass by, so that a term costs
one load for several additions; compiled loops over columns load and store every sum at every step. Called from plain
Python the same functions are a few lines of numpy.

Every cell is summed term by term in the same order wherever a tile lies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from segue._vector_words import offered
from segue.arrays import Costs


def _registers() -> tuple[int, int]:
    """Bytes of a vector and vectors across a tile of four rows, so that a tile fits this processor's registers."""
    known = dict(llvmlite.binding.get_host_cpu_features())
    if known.get("avx512f"):
        return 64, 4
    return (32, 2) if known.get("avx2") else (16, 4)


ROWS = 4
_BYTES, _ACROSS = _registers()
COLUMNS = _ACROSS * _BYTES // 4
"""Columns of a tile; a divisor of 64."""


def product_tile(a: Costs, i: int, b: Costs, k: int, j: int, out: Costs, r: int, c: int) -> None:
    """``out[r + y, c + x] = sum_n a[i + y, n] b[k + n, j + x]`` of a tile.

    Kernels pass whole arrays and say where to begin: a view handed to a function costs as much as fifty sums.
    """
    out[r : r + ROWS, c : c + COLUMNS] = a[i : i + ROWS] @ b[k : k + a.shape[1], j : j + COLUMNS]


def diagonal_tile(taps: Costs, i: int, b: Costs, k: int, j: int, out: Costs, r: int, c: int) -> None:
    """``out[r, c + x] += sum_n taps[i, n] b[k + n, j + n + x]`` of one row of a tile."""
    total = out[r, c : c + COLUMNS]
    for n in range(taps.shape[1]):
        total += taps[i, n] * b[k + n, j + n : j + n + COLUMNS]


def length_tile(a: Costs, i: int, b: Costs, k: int, j: int, out: Costs, r: int, c: int) -> None:
    """``out[r, c + x] += sqrt(a[i, j + x]^2 + b[k, j + x]^2)`` of one row of a tile."""
    here, there = a[i, j : j + COLUMNS], b[k, j : j + COLUMNS]
    out[r, c : c + COLUMNS] += np.sqrt(here * here + there * there)


Emit = Callable[[Any, Any, Any, Any], Any]


def _multiplied(builder: Any, total: Any, one: Any, other: Any) -> Any:
    return builder.fadd(total, builder.fmul(one, other, flags=("fast",)), flags=("fast",))


def _larger(builder: Any, total: Any, one: Any, other: Any) -> Any:
    return builder.fadd(total, builder.select(builder.fcmp_ordered(">", one, other), one, other))


def _sums(rows: int, term: Emit, *, diagonal: bool) -> Callable[..., None]:
    """Writer of sums of terms over the rows of b in registers."""

    def write(builder: Any, left: Any, i: Any, right: Any, k: Any, j: Any, goal: Any, r: Any, c: Any) -> None:
        start = right.at(k, j)
        mine = [left.at(builder.add(i, _whole(y)), _whole(0)) for y in range(rows)]
        places = [goal.at(builder.add(r, _whole(y)), c) for y in range(rows)]
        nothing = ir.Constant(right.vector, [0.0] * right.lanes)
        before = [[goal.load(place, v) if diagonal else nothing for v in range(_ACROSS)] for place in places]
        totals = _loop(builder, left, right, (mine, start, before), term, diagonal=diagonal)
        for place, row in zip(places, totals, strict=True):
            for v, total in enumerate(row):
                goal.store(total, place, v)

    return write


def _read(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """Arguments of a tile: matrices, and whole numbers as long as addresses."""
    return [
        _Matrix(context, builder, kind, value)
        if isinstance(kind, types.Array)
        else context.cast(builder, value, kind, types.intp)
        for kind, value in zip(signature.args, args, strict=True)
    ]


def _lengths(builder: Any, one: Any, i: Any, other: Any, k: Any, j: Any, goal: Any, r: Any, c: Any) -> None:
    """Root of a sum of two squares, added to a row of a tile."""
    insert: Any = cgutils.get_or_insert_function  # untyped
    root = insert(
        builder.module,
        ir.FunctionType(goal.vector, [goal.vector]),
        f"llvm.sqrt.v{goal.lanes}f{8 * goal.size}",
    )
    here, there, place = one.at(i, j), other.at(k, j), goal.at(r, c)
    for v in range(_ACROSS):
        x, y = one.load(here, v), other.load(there, v)
        square = _multiplied(builder, builder.fmul(x, x, flags=("fast",)), y, y)
        goal.store(builder.fadd(goal.load(place, v), builder.call(root, [square])), place, v)


def _loop(
    builder: Any, left: Any, right: Any, starts: tuple[Any, Any, Any], term: Emit, *, diagonal: bool
) -> list[list[Any]]:
    """Totals of each row and vector of a tile: a loop over the columns of the left side."""
    mine, start, begin = starts
    one = _whole(1)
    before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    k, there = builder.phi(ir.IntType(64)), builder.phi(start.type)
    totals = [[builder.phi(right.vector) for _ in range(_ACROSS)] for _ in mine]
    vectors = [right.load(there, v) for v in range(_ACROSS)]
    sums = []
    for at, row in zip(mine, totals, strict=True):
        each = right.spread(builder.load(builder.gep(at, [k])))
        sums.append([term(builder, total, each, vector) for total, vector in zip(row, vectors, strict=True)])
    step = builder.add(right.stride, one) if diagonal else right.stride
    following = builder.add(k, one)
    phis: list[Any] = [(k, _whole(0), following), (there, start, builder.gep(there, [step]))]
    for three in zip(totals, begin, sums, strict=True):
        phis += list(zip(*three, strict=True))
    for phi, first, again in phis:
        phi.add_incoming(first, before)
        phi.add_incoming(again, loop)
    builder.cbranch(builder.icmp_signed("<", following, left.width), loop, after)
    builder.position_at_end(after)
    return sums


def _whole(value: int) -> Any:
    return ir.Constant(ir.IntType(64), value)


class _Matrix:
    """A matrix whose rows are contiguous, read and written a vector at a time."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any) -> None:
        if kind.layout != "C":
            raise TypeError("an array handed to a tile is not contiguous: its rows would be read wrongly")
        array = context.make_array(kind)(context, builder, value)
        self.builder, self.data = builder, array.data
        size = kind.dtype.bitwidth // 8
        element = ir.FloatType() if size == 4 else ir.DoubleType()
        self.lanes = _BYTES // size
        self.size, self.vector = size, ir.VectorType(element, self.lanes)
        self.width = builder.extract_value(array.shape, 1)
        self.stride = builder.sdiv(builder.extract_value(array.strides, 0), _whole(size))

    def at(self, row: Any, column: Any) -> Any:
        """Address of a cell."""
        return self.builder.gep(self.data, [self.builder.add(self.builder.mul(row, self.stride), column)])

    def _vector_at(self, place: Any, number: int) -> Any:
        place = self.builder.gep(place, [_whole(number * self.lanes)])
        return self.builder.bitcast(place, self.vector.as_pointer())

    def load(self, place: Any, number: int) -> Any:
        """Vector of so many after an address."""
        return self.builder.load(self._vector_at(place, number), align=self.size)

    def store(self, value: Any, place: Any, number: int) -> None:
        """Write it."""
        self.builder.store(value, self._vector_at(place, number), align=self.size)

    def spread(self, value: Any) -> Any:
        """Vector of one number."""
        unset = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(unset, value, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(
            first, unset, ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        )


def _halves(builder: Any, goal: Any, columns: int, *starts: Any) -> list[list[Any]]:
    """First columns of the parts of a tile that are written at once: one, or two where numbers are twice as long."""
    firsts = range(0, columns, columns * 4 // goal.size)
    return [[builder.add(start, _whole(first)) for start in starts] for first in firsts]


def _of_tiles(write: Callable[..., None]) -> Callable[[Any, Any, Any, Any], None]:
    """What `offered` takes, of a writer of one part of a tile."""

    def both(context: Any, builder: Any, signature: Any, args: Any) -> None:
        left, i, right, k, j, goal, r, c = _read(context, builder, signature, args)
        for column, place in _halves(builder, goal, COLUMNS, j, c):
            write(builder, left, i, right, k, column, goal, r, place)

    return both


offered(product_tile, _of_tiles(_sums(ROWS, _multiplied, diagonal=False)))
offered(diagonal_tile, _of_tiles(_sums(1, _multiplied, diagonal=True)))
offered(length_tile, _of_tiles(_lengths))
