"""Sums of tiles of point clouds in a processor's vector registers: complex products, windows along diagonals, costs.

As in `segue._vectors` a sum stays in a register while its terms pass by, every cell is summed in one order wherever a
tile lies, and the same functions called from plain Python are a few lines of numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from segue._vector_words import offered
from segue._vectors import _ACROSS, COLUMNS, ROWS, _halves, _Matrix, _read, _whole
from segue.arrays import Costs

TURNED = COLUMNS // 2
"""Columns of a tile of complex products, which takes three sums a cell."""
_FUSED = ("contract",)
"""A product may be added without being rounded first; nothing else may be done in another order than written."""


def turned_tile(a: Costs, i: int, b: Costs, j: int, out: Costs, r: int, c: int, below: int) -> None:
    """``sum_n u conj(v)`` of complex features: real parts from row ``r`` of ``out`` on, imaginary ``below`` rows lower.

    Rows of ``a`` hold x, z and x + z of each u = x + iz in turn, columns of ``b`` x, z and x - z of each v. Three
    products then do for four: the imaginary part is ``(x + z) (x' - z')`` and what the real part is made of, ``z z'``
    added and ``x x'`` taken away. A tile is `TURNED` columns.
    """
    rows, columns = a[i : i + ROWS], b[:, j : j + TURNED]
    one, other, both = (rows[:, k::3] @ columns[k::3] for k in range(3))
    out[r : r + ROWS, c : c + TURNED] = one + other
    out[r + below : r + below + ROWS, c : c + TURNED] = both - (one - other)


def _slid(taps: Costs, sums: Costs, places: tuple[int, ...], shape: tuple[int, int]) -> Costs:
    """Windowed sums of a row of some planes down their diagonals."""
    flat, (r, c, below), stride = sums.reshape(-1), places[:3], sums.shape[1]
    out = np.zeros(shape, dtype=sums.dtype)
    for plane in range(shape[0]):
        begin = plane * below * stride + c
        early = max(-begin - r * stride, 0)  # what lies before the array
        for n in range(taps.shape[1]):
            at = begin + (r + n) % below * stride + n + early
            skip = max(-at, 0)  # after the last row the first follows: what lies before that
            out[plane, early + skip :] += taps[0, n] * flat[at + skip : at + shape[1] - early]
    return out


def _kept(costs: Costs, sums: Costs, places: tuple[int, ...]) -> None:
    """Write costs over the first plane's sums."""
    at = places[0] * sums.shape[1] + places[1]
    early = max(-at, 0)
    sums.reshape(-1)[at + early : at + costs.size] = np.maximum(costs, 0.0)[early:]


def aligned_tile(taps: Costs, sums: Costs, mine: Costs, theirs: Costs, places: tuple[int, ...]) -> None:
    """Costs of a row of a tile: what two windows are apart less twice what they have in common when best turned.

    ``sums`` holds three planes of sums over frames, real, imaginary and upward, one below the other; after the last row
    of one its first follows. They are windowed, ``sum_n taps[0, n] sums[p, r + n, c + n + x]``. Rows of ``mine`` and
    columns of ``theirs`` hold a window's energy and mean height and ways along x, z and upwards, whose products are
    added. Costs are written over the first plane, where no later row needs what was there.

    ``places`` holds row and column of the sums, rows of a plane, row of ``mine`` and column of ``theirs``. Columns may
    begin before a row, in what follows the row above. Where rows are one number shorter than whole cache lines, all
    that a vector meets on its way down begins on a line if the first does.
    """
    same, cross, along = _slid(taps, sums, places, (3, COLUMNS))
    i, j = places[3:]
    ways = (mine.shape[1] - 2) // 3
    row, columns = mine[i], theirs[:, j : j + COLUMNS]
    mx, mz, my = (row[2 + k * ways : 2 + (k + 1) * ways] for k in range(3))
    tx, tz, ty = (columns[2 + k * ways : 2 + (k + 1) * ways] for k in range(3))
    same = same + mx @ tx + mz @ tz
    cross = cross + mz @ tx - mx @ tz
    along = along + my @ ty + np.sqrt(same * same + cross * cross)
    lift = row[1] - columns[1]
    _kept((row[0] + columns[0]) + lift * lift - (along + along), sums, places)


def settled_tile(taps: Costs, sums: Costs, mine: Costs, theirs: Costs, places: tuple[int, ...]) -> None:
    """Costs of a row of a tile whose weights change: S - (|X|^2 + |Z|^2) / W - 2 |P - X conj(Z) / W|.

    As `aligned_tile`, of `TURNED` columns. ``sums`` holds seven planes: P, real and imaginary, S, X along x and z, Z
    along x and z. Rows of ``mine`` and columns of ``theirs`` hold what is added to W, X or Z along x and z, and S.
    """
    same, cross, apart, u, v, s, t = _slid(taps, sums, places, (7, TURNED))
    i, j = places[3:]
    row, columns = mine[i], theirs[:, j : j + TURNED]
    share = 1.0 / (row[0] + columns[0])
    u, v, s, t = u + row[1], v + row[2], s + columns[1], t + columns[2]
    along = same - (u * s + v * t) * share
    across = cross - (v * s - u * t) * share
    least = apart + (row[3] + columns[3]) - (u * u + v * v + s * s + t * t) * share
    _kept(least - 2.0 * np.sqrt(along * along + across * across), sums, places)


def copied_row(sums: Costs, r: int, c: int, out: Costs, i: int, j: int, many: int) -> None:
    """Copy numbers, a multiple of `COLUMNS` of them."""
    out[i, j : j + many] = sums[r, c : c + many]


def _multiplied(builder: Any, total: Any, one: Any, other: Any) -> Any:
    return builder.fadd(total, builder.fmul(one, other, flags=_FUSED), flags=_FUSED)


def _less(builder: Any, total: Any, one: Any, other: Any) -> Any:
    return builder.fsub(total, builder.fmul(one, other, flags=_FUSED), flags=_FUSED)


def _repeated(
    builder: Any, count: Any, starts: list[Any], body: Callable[[Any, list[Any]], list[Any]]
) -> list[Any]:
    """Values after a loop run at least once: ``body`` is told the step and the values, and gives the next ones."""
    before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    step = builder.phi(ir.IntType(64))
    values = [builder.phi(start.type) for start in starts]
    ends = body(step, values)
    following = builder.add(step, _whole(1))
    for phi, first, again in zip([step, *values], [_whole(0), *starts], [following, *ends], strict=True):
        phi.add_incoming(first, before)
        phi.add_incoming(again, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
    builder.position_at_end(after)
    return ends


def _numbers(context: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
    """Whole numbers of a tuple, as long as addresses."""
    return [
        context.cast(builder, builder.extract_value(value, k), each, types.intp)
        for k, each in enumerate(kind)
    ]


def _write_turned(context: Any, builder: Any, signature: Any, args: Any) -> None:
    """Three products of four rows in registers, two vectors wide."""
    left, i, right, j, goal, r, c, below = _read(context, builder, signature, args)
    mine = [left.at(builder.add(i, _whole(y)), _whole(0)) for y in range(ROWS)]
    for column, place in _halves(builder, goal, TURNED, j, c):
        _write_half_turned(builder, (mine, left.width), (right, column), (goal, r, place, below))


def _write_half_turned(
    builder: Any, rows: tuple[Any, Any], columns: tuple[Any, Any], out: tuple[Any, Any, Any, Any]
) -> None:
    (mine, width), (right, j), (goal, r, c, below) = rows, columns, out
    wide, three = _ACROSS // 2, _whole(3)
    nothing = ir.Constant(right.vector, [0.0] * right.lanes)
    down = builder.mul(right.stride, three)

    def added(k: Any, values: list[Any]) -> list[Any]:
        there, sums = values[0], values[1:]
        out: list[Any] = [builder.gep(there, [down])]
        at = builder.mul(k, three)
        for part in range(3):
            place = builder.gep(there, [builder.mul(right.stride, _whole(part))])
            vectors = [right.load(place, v) for v in range(wide)]
            for y in range(ROWS):
                each = builder.gep(mine[y], [builder.add(at, _whole(part))])
                each = right.spread(builder.load(each))
                out += [
                    _multiplied(builder, sums[(part * ROWS + y) * wide + v], each, vectors[v])
                    for v in range(wide)
                ]
        return out

    starts = [right.at(_whole(0), j)] + [nothing] * (3 * ROWS * wide)
    sums = _repeated(builder, builder.sdiv(width, three), starts, added)[1:]
    one, other, both = (sums[part * ROWS * wide : (part + 1) * ROWS * wide] for part in range(3))
    for y in range(ROWS):
        row = builder.add(r, _whole(y))
        real, imaginary = goal.at(row, c), goal.at(builder.add(row, below), c)
        for v in range(wide):
            n = y * wide + v
            goal.store(builder.fadd(one[n], other[n]), real, v)
            goal.store(builder.fsub(both[n], builder.fsub(one[n], other[n])), imaginary, v)


class _Windows:
    """Windowed sums of a row of several planes, some vectors side by side, and where its costs go."""

    def __init__(
        self, builder: Any, matrices: list[Any], numbers: list[Any], planes: int, across: int
    ) -> None:
        weights, goal, self.row, self.column = matrices
        r, c, below, i, j = numbers
        self.builder, self.goal, self.here, self.j = builder, goal, self.row.at(i, _whole(0)), j
        self.place, apart = goal.at(r, c), builder.mul(below, goal.stride)
        places = [builder.gep(self.place, [builder.mul(apart, _whole(p))]) for p in range(planes)]
        down = builder.add(goal.stride, _whole(1))
        last = builder.sub(builder.sub(below, r), _whole(1))
        back = builder.sub(down, apart)
        nothing = ir.Constant(goal.vector, [0.0] * goal.lanes)

        def added(k: Any, values: list[Any]) -> list[Any]:
            there, sums = values[:planes], values[planes:]
            each = goal.spread(builder.load(builder.gep(weights.data, [k])))
            step = builder.select(builder.icmp_signed("==", k, last), back, down)
            return [builder.gep(place, [step]) for place in there] + [
                _multiplied(builder, sums[p * across + v], each, goal.load(there[p], v))
                for p in range(planes)
                for v in range(across)
            ]

        ends = _repeated(builder, weights.width, places + [nothing] * (planes * across), added)[planes:]
        self.sums = [ends[p * across : (p + 1) * across] for p in range(planes)]

    def own(self, count: int) -> list[Any]:
        """First numbers of the row, each as a vector."""
        loads = (self.builder.load(self.builder.gep(self.here, [_whole(k)])) for k in range(count))
        return [self.row.spread(load) for load in loads]

    def theirs(self, k: int, vector: int) -> Any:
        """A vector of the columns' k-th numbers."""
        return self.column.load(self.column.at(_whole(k), self.j), vector)

    def keep(self, cost: Any, vector: int) -> None:
        """Write a vector of costs, none below zero."""
        zero = ir.Constant(self.goal.vector, [0.0] * self.goal.lanes)
        over = self.builder.fcmp_ordered(">", cost, zero)
        self.goal.store(self.builder.select(over, cost, zero), self.place, vector)


def _root(builder: Any, kind: Any, square: Any) -> Any:
    """Square root of a vector: beside so many products a rough inverse root, refined, is no faster."""
    insert: Any = cgutils.get_or_insert_function  # untyped
    name = f"llvm.sqrt.v{kind.lanes}f{8 * kind.size}"
    root = insert(builder.module, ir.FunctionType(kind.vector, [kind.vector]), name)
    return builder.call(root, [square])


def _windowed(
    write: Callable[[Any, list[Any], list[Any]], None], columns: int
) -> Callable[[Any, Any, Any, Any], None]:
    """What `offered` takes, of a writer of one part of a row of costs."""

    def both(context: Any, builder: Any, signature: Any, args: Any) -> None:
        kinds = signature.args
        matrices = [
            _Matrix(context, builder, kind, value) for kind, value in zip(kinds[:4], args[:4], strict=True)
        ]
        r, c, below, i, j = _numbers(context, builder, kinds[4], args[4])
        for place, column in _halves(builder, matrices[1], columns, c, j):
            write(builder, matrices, [r, place, below, i, column])

    return both


def _write_aligned(builder: Any, matrices: list[Any], numbers: list[Any]) -> None:
    """Costs of a row of a tile."""
    seen = _Windows(builder, matrices, numbers, 3, _ACROSS)
    row, column = seen.row, seen.column
    ways = builder.sdiv(builder.sub(row.width, _whole(2)), _whole(3))
    shifts = [builder.add(_whole(2), builder.mul(ways, _whole(part))) for part in range(3)]

    def added(k: Any, values: list[Any]) -> list[Any]:
        there, sums = values[:3], values[3:]
        at = (builder.gep(seen.here, [builder.add(shift, k)]) for shift in shifts)
        x1, z1, y1 = (row.spread(builder.load(place)) for place in at)
        same, cross, along = [], [], []
        for v in range(_ACROSS):
            x2, z2, y2 = (column.load(place, v) for place in there)
            same.append(_multiplied(builder, _multiplied(builder, sums[v], x1, x2), z1, z2))
            cross.append(_less(builder, _multiplied(builder, sums[_ACROSS + v], z1, x2), x1, z2))
            along.append(_multiplied(builder, sums[2 * _ACROSS + v], y1, y2))
        return [builder.gep(place, [column.stride]) for place in there] + same + cross + along

    starts = [column.at(shift, seen.j) for shift in shifts] + [one for plane in seen.sums for one in plane]
    ends = _repeated(builder, ways, starts, added)[3:]
    energy, level = seen.own(2)
    for v in range(_ACROSS):
        same, cross, along = (ends[p * _ACROSS + v] for p in range(3))
        square = _multiplied(builder, builder.fmul(same, same), cross, cross)
        along = builder.fadd(along, _root(builder, row, square))
        lift = builder.fsub(level, seen.theirs(1, v))
        apart = _multiplied(builder, builder.fadd(energy, seen.theirs(0, v)), lift, lift)
        seen.keep(builder.fsub(apart, builder.fadd(along, along)), v)


def _write_settled(builder: Any, matrices: list[Any], numbers: list[Any]) -> None:
    """Costs of a row of a tile whose weights change."""
    seen = _Windows(builder, matrices, numbers, 7, _ACROSS // 2)
    own = seen.own(4)
    one, two = (ir.Constant(seen.row.vector, [value] * seen.row.lanes) for value in (1.0, 2.0))
    for n in range(_ACROSS // 2):
        same, cross, apart, *middles = (plane[n] for plane in seen.sums)
        theirs = [seen.theirs(k, n) for k in range(4)]
        added = own[1], own[2], theirs[1], theirs[2]
        u, v, s, t = (builder.fadd(middle, more) for middle, more in zip(middles, added, strict=True))
        share = builder.fdiv(one, builder.fadd(own[0], theirs[0]))
        along = _less(builder, same, _multiplied(builder, builder.fmul(u, s), v, t), share)
        across = _less(builder, cross, _less(builder, builder.fmul(v, s), u, t), share)
        size = builder.fmul(u, u)
        for part in (v, s, t):
            size = _multiplied(builder, size, part, part)
        least = _less(builder, builder.fadd(apart, builder.fadd(own[3], theirs[3])), size, share)
        square = _multiplied(builder, builder.fmul(along, along), across, across)
        seen.keep(_less(builder, least, two, _root(builder, seen.row, square)), n)


def _write_copied(context: Any, builder: Any, signature: Any, args: Any) -> None:
    """Copy a part of a row a few vectors at a time."""
    source, r, c, goal, i, j, many = _read(context, builder, signature, args)
    step = _whole(_ACROSS * source.lanes)

    def moved(_k: Any, values: list[Any]) -> list[Any]:
        here, there = values
        vectors = [source.load(here, v) for v in range(_ACROSS)]
        for v, vector in enumerate(vectors):
            goal.store(vector, there, v)
        return [builder.gep(here, [step]), builder.gep(there, [step])]

    _repeated(builder, builder.sdiv(many, step), [source.at(r, c), goal.at(i, j)], moved)


offered(turned_tile, _write_turned)
offered(aligned_tile, _windowed(_write_aligned, COLUMNS))
offered(settled_tile, _windowed(_write_settled, TURNED))
offered(copied_row, _write_copied)
