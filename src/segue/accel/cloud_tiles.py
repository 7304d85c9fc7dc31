"""Tiles of point clouds: complex products, windows along diagonals, costs.

As in `segue.accel.tiles`, each function exists as numpy code and as LLVM instructions, sums stay in
registers, and every cell is summed in the same order, whatever the position of its tile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from segue.accel.emitter import ACROSS, Array, arguments, index, loop, register
from segue.accel.tiles import COLUMNS, ROWS
from segue.arrays import Costs

COMPLEX = COLUMNS // 2
"""Columns of a tile of complex products, which needs three sums per cell."""

_WriteRow = Callable[[list[Array], list[Any]], None]


def complex_tile(a: Costs, i: int, b: Costs, j: int, out: Costs, r: int, c: int, below: int) -> None:
    """``sum_n u conj(v)`` of complex features: real parts from row ``r`` of ``out`` on, imaginary ``below`` rows lower.

    Rows of ``a`` hold x, z and x + z of each u = x + iz in turn, columns of ``b`` x, z and x - z of each v.
    Three real products therefore replace four: the imaginary part is ``(x + z) (x' - z')`` plus ``z z'``
    minus ``x x'``, the two products of the real part. A tile is `COMPLEX` columns wide.
    """
    rows, columns = a[i : i + ROWS], b[:, j : j + COMPLEX]
    one, other, both = (rows[:, k::3] @ columns[k::3] for k in range(3))
    out[r : r + ROWS, c : c + COMPLEX] = one + other
    out[r + below : r + below + ROWS, c : c + COMPLEX] = both - (one - other)


@register(complex_tile)
def _complex(context: Any, builder: Any, signature: Any, args: Any) -> None:
    """Keep three products of four rows in registers, with half as many vectors as a real tile."""
    left, i, right, j, goal, r, c, below = arguments(context, builder, signature, args)
    rows = [left.at(builder.add(i, index(y)), index(0)) for y in range(ROWS)]
    for column, place in goal.passes(COMPLEX, j, c):
        _write_complex((rows, left.width), (right, column), (goal, r, place, below))


def _write_complex(
    left: tuple[list[Any], Any], columns: tuple[Array, Any], out: tuple[Array, Any, Any, Any]
) -> None:
    (rows, width), (right, j), (goal, r, c, below) = left, columns, out
    builder, wide, three = right.builder, ACROSS // 2, index(3)
    down = builder.mul(right.stride, three)

    def add(k: Any, values: list[Any]) -> list[Any]:
        there, sums = values[0], values[1:]
        out: list[Any] = [builder.gep(there, [down])]
        at = builder.mul(k, three)
        for part in range(3):
            place = builder.gep(there, [builder.mul(right.stride, index(part))])
            vectors = [right.load(place, v) for v in range(wide)]
            for y in range(ROWS):
                each = right.number(builder.gep(rows[y], [builder.add(at, index(part))]))
                out += [
                    right.multiply_add(each, vectors[v], sums[(part * ROWS + y) * wide + v])
                    for v in range(wide)
                ]
        return out

    starts = [right.at(index(0), j)] + [right.constant(0.0)] * (3 * ROWS * wide)
    sums = loop(builder, builder.sdiv(width, three), starts, add)[1:]
    one, other, both = (sums[part * ROWS * wide : (part + 1) * ROWS * wide] for part in range(3))
    for y in range(ROWS):
        row = builder.add(r, index(y))
        real, imaginary = goal.at(row, c), goal.at(builder.add(row, below), c)
        for v in range(wide):
            n = y * wide + v
            goal.store(builder.fadd(one[n], other[n]), real, v)
            goal.store(builder.fsub(both[n], builder.fsub(one[n], other[n])), imaginary, v)


def _windows(taps: Costs, sums: Costs, places: tuple[int, ...], shape: tuple[int, int]) -> Costs:
    """Windowed sums of one row of each plane along its diagonals."""
    flat, (r, c, below), stride = sums.reshape(-1), places[:3], sums.shape[1]
    out = np.zeros(shape, dtype=sums.dtype)
    for plane in range(shape[0]):
        begin = plane * below * stride + c
        early = max(-begin - r * stride, 0)  # cells before the start of the array
        for n in range(taps.shape[1]):
            at = begin + (r + n) % below * stride + n + early
            skip = max(-at, 0)  # rows wrap round after the last; skip cells before the start
            out[plane, early + skip :] += taps[0, n] * flat[at + skip : at + shape[1] - early]
    return out


def _write_costs(costs: Costs, sums: Costs, places: tuple[int, ...]) -> None:
    at = places[0] * sums.shape[1] + places[1]
    early = max(-at, 0)
    sums.reshape(-1)[at + early : at + costs.size] = np.maximum(costs, 0.0)[early:]


class _PlaneWindows:
    """Windowed sums of one row of several planes, several vectors side by side, and the address of its costs."""

    def __init__(self, arrays: list[Array], places: list[Any], planes: int, across: int) -> None:
        taps, goal, self.row, self.column = arrays
        r, c, below, i, j = places
        self.builder = builder = goal.builder
        self.goal, self.here, self.j = goal, self.row.at(i, index(0)), j
        self.place, apart = goal.at(r, c), builder.mul(below, goal.stride)
        starts = [builder.gep(self.place, [builder.mul(apart, index(p))]) for p in range(planes)]
        down = builder.add(goal.stride, index(1))
        last = builder.sub(builder.sub(below, r), index(1))
        back = builder.sub(down, apart)

        def add(k: Any, values: list[Any]) -> list[Any]:
            there, sums = values[:planes], values[planes:]
            each = goal.number(builder.gep(taps.data, [k]))
            step = builder.select(builder.icmp_signed("==", k, last), back, down)
            return [builder.gep(place, [step]) for place in there] + [
                goal.multiply_add(each, goal.load(there[p], v), sums[p * across + v])
                for p in range(planes)
                for v in range(across)
            ]

        ends = loop(builder, taps.width, starts + [goal.constant(0.0)] * (planes * across), add)[planes:]
        self.sums = [ends[p * across : (p + 1) * across] for p in range(planes)]

    def own(self, count: int) -> list[Any]:
        """First ``count`` numbers of the row, each broadcast to a vector."""
        return [self.row.number(self.builder.gep(self.here, [index(k)])) for k in range(count)]

    def theirs(self, k: int, vector: int) -> Any:
        """A vector of the columns' k-th numbers."""
        return self.column.load(self.column.at(index(k), self.j), vector)

    def write(self, cost: Any, vector: int) -> None:
        """Write a vector of costs, clamped to 0 from below."""
        self.goal.store(self.goal.maximum(cost, self.goal.constant(0.0)), self.place, vector)


def _register_row(function: Callable[..., Any], columns: int) -> Callable[[_WriteRow], _WriteRow]:
    """Like `register`, for a function that writes one part of a row of costs."""

    def decorate(write: _WriteRow) -> _WriteRow:
        @register(function)
        def both(context: Any, builder: Any, signature: Any, args: Any) -> None:
            *arrays, (r, c, below, i, j) = arguments(context, builder, signature, args)
            for place, column in arrays[1].passes(columns, c, j):
                write(arrays, [r, place, below, i, column])

        return write

    return decorate


def aligned_tile(taps: Costs, sums: Costs, mine: Costs, theirs: Costs, places: tuple[int, ...]) -> None:
    """Costs of one row of a tile: energies of two windows minus twice their correlation at the best turn.

    ``sums`` holds three planes of sums over frames (real, imaginary and vertical), one below the other;
    within a plane the first row follows the last. They are windowed, ``sum_n taps[0, n] sums[p, r + n, c + n
    + x]``. Rows of ``mine`` and columns of ``theirs`` hold a window's energy, mean height and path along x, z
    and up; the products of the paths are added. Costs overwrite the first plane, where no later row reads.

    ``places`` holds row and column of the sums, rows per plane, row of ``mine`` and column of ``theirs``.
    Columns may begin before a row, that is within the row above. If rows are one number shorter than a
    multiple of the cache line, all vectors along the diagonal are aligned to cache lines if the first is.
    """
    same, cross, along = _windows(taps, sums, places, (3, COLUMNS))
    i, j = places[3:]
    size = (mine.shape[1] - 2) // 3
    row, columns = mine[i], theirs[:, j : j + COLUMNS]
    mx, mz, my = (row[2 + k * size : 2 + (k + 1) * size] for k in range(3))
    tx, tz, ty = (columns[2 + k * size : 2 + (k + 1) * size] for k in range(3))
    same = same + mx @ tx + mz @ tz
    cross = cross + mz @ tx - mx @ tz
    along = along + my @ ty + np.sqrt(same * same + cross * cross)
    lift = row[1] - columns[1]
    _write_costs((row[0] + columns[0]) + lift * lift - (along + along), sums, places)


@_register_row(aligned_tile, COLUMNS)
def _aligned(arrays: list[Array], places: list[Any]) -> None:
    windows = _PlaneWindows(arrays, places, 3, ACROSS)
    builder, row, column = windows.builder, windows.row, windows.column
    size = builder.sdiv(builder.sub(row.width, index(2)), index(3))
    shifts = [builder.add(index(2), builder.mul(size, index(part))) for part in range(3)]

    def add(k: Any, values: list[Any]) -> list[Any]:
        there, sums = values[:3], values[3:]
        at = (builder.gep(windows.here, [builder.add(shift, k)]) for shift in shifts)
        x1, z1, y1 = (row.number(place) for place in at)
        same, cross, along = [], [], []
        for v in range(ACROSS):
            x2, z2, y2 = (column.load(place, v) for place in there)
            same.append(row.multiply_add(z1, z2, row.multiply_add(x1, x2, sums[v])))
            cross.append(row.multiply_subtract(x1, z2, row.multiply_add(z1, x2, sums[ACROSS + v])))
            along.append(row.multiply_add(y1, y2, sums[2 * ACROSS + v]))
        return [builder.gep(place, [column.stride]) for place in there] + same + cross + along

    starts = [column.at(shift, windows.j) for shift in shifts]
    ends = loop(builder, size, starts + [one for plane in windows.sums for one in plane], add)[3:]
    energy, level = windows.own(2)
    for v in range(ACROSS):
        same, cross, along = (ends[p * ACROSS + v] for p in range(3))
        square = row.multiply_add(cross, cross, builder.fmul(same, same))
        along = builder.fadd(along, row.sqrt(square))
        lift = builder.fsub(level, windows.theirs(1, v))
        apart = row.multiply_add(lift, lift, builder.fadd(energy, windows.theirs(0, v)))
        windows.write(builder.fsub(apart, builder.fadd(along, along)), v)


def standing_tile(taps: Costs, sums: Costs, mine: Costs, theirs: Costs, places: tuple[int, ...]) -> None:
    """Costs of one row of a tile with changing weights: S - (|X|^2 + |Z|^2) / W - 2 |P - X conj(Z) / W|.

    As `aligned_tile`, of `COMPLEX` columns. ``sums`` holds seven planes: P, real and imaginary, S, X along x and z, Z
    along x and z. Rows of ``mine`` and columns of ``theirs`` hold the terms added to W, X or Z along x and z, and S.
    """
    same, cross, apart, u, v, s, t = _windows(taps, sums, places, (7, COMPLEX))
    i, j = places[3:]
    row, columns = mine[i], theirs[:, j : j + COMPLEX]
    share = 1.0 / (row[0] + columns[0])
    u, v, s, t = u + row[1], v + row[2], s + columns[1], t + columns[2]
    along = same - (u * s + v * t) * share
    across = cross - (v * s - u * t) * share
    least = apart + (row[3] + columns[3]) - (u * u + v * v + s * s + t * t) * share
    _write_costs(least - 2.0 * np.sqrt(along * along + across * across), sums, places)


@_register_row(standing_tile, COMPLEX)
def _standing(arrays: list[Array], places: list[Any]) -> None:
    windows = _PlaneWindows(arrays, places, 7, ACROSS // 2)
    builder, row = windows.builder, windows.row
    own, one, two = windows.own(4), row.constant(1.0), row.constant(2.0)
    for n in range(ACROSS // 2):
        same, cross, apart, *middles = (plane[n] for plane in windows.sums)
        theirs = [windows.theirs(k, n) for k in range(4)]
        added = own[1], own[2], theirs[1], theirs[2]
        u, v, s, t = (builder.fadd(middle, more) for middle, more in zip(middles, added, strict=True))
        share = builder.fdiv(one, builder.fadd(own[0], theirs[0]))
        along = row.multiply_subtract(row.multiply_add(v, t, builder.fmul(u, s)), share, same)
        across = row.multiply_subtract(row.multiply_subtract(u, t, builder.fmul(v, s)), share, cross)
        size = builder.fmul(u, u)
        for part in (v, s, t):
            size = row.multiply_add(part, part, size)
        least = row.multiply_subtract(size, share, builder.fadd(apart, builder.fadd(own[3], theirs[3])))
        square = row.multiply_add(across, across, builder.fmul(along, along))
        windows.write(row.multiply_subtract(two, row.sqrt(square), least), n)
