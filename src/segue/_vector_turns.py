"""Weighted sums of turns, held in a processor's vector registers while examples pass by.

A pose is laid out in blocks of `LANES` joints: w of all of them, then x, y, z. Compiled loops over the joints of a
block load and store each sum once an example and do not fuse products with sums; here both stay in registers. Called
from plain Python the same function is a few lines of numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from segue.arrays import Floats

LANES = 16
"""Joints of a block."""


def _width() -> int:
    """Numbers of a vector register of this processor."""
    known = dict(llvmlite.binding.get_host_cpu_features())
    return 8 if known.get("avx512f") else 4 if known.get("avx2") else 2


_WIDTH = _width()
_VECTOR = ir.VectorType(ir.DoubleType(), _WIDTH)
_INDEX = ir.IntType(64)
_FAR = 0.4
# acos(1 - u) / sin(acos(1 - u)) for u up to _FAR, off by 7e-11 at most.
_NEAR_SERIES = (
    0.9999999999468374, 0.333333350320067, 0.13333244828306426, 0.05716029874225152,
    0.02522968545912357, 0.012400177241977124, 0.0029706886061988597, 0.005618782618324096,
)  # fmt: skip
# atan(v) / v in powers of v^2 for v up to 1, off by 6e-11 at most.
_FAR_SERIES = (
    0.9999999999389122, -0.3333333151819598, 0.19999909956940815, -0.1428394842006653,
    0.11092984778427302, -0.0897905100744881, 0.0724228402306993, -0.054215306231137086,
    0.034133420425430896, -0.016055158777035422, 0.0048272270045420125, -0.0006804971348790067,
)  # fmt: skip
# 1 / sqrt(1 + e) in powers of e, from the last: poses that follow one another are near, |q| is nearly 1.
_LENGTH_SERIES = (35 / 128, -5 / 16, 3 / 8, -1 / 2, 1.0)
_PRODUCT = (
    ((1, 0, 0), (1, 1, 1), (1, 2, 2), (1, 3, 3)),
    ((1, 0, 1), (-1, 1, 0), (-1, 2, 3), (1, 3, 2)),
    ((1, 0, 2), (1, 1, 3), (-1, 2, 0), (-1, 3, 1)),
    ((1, 0, 3), (-1, 1, 2), (1, 2, 1), (-1, 3, 0)),
)
"""Components of the inverse of a rotation times another: sign, component of the first, of the second."""


def sum_turns(
    samples: Floats, at: int, between: float, weights: Floats, reference: Floats, total: Floats
) -> None:
    """Write the sum over examples of weight times log(reference^-1 q), half angles, into ``total`` (3J).

    ``samples`` holds the examples' poses (N, 4J) of one moment from ``at`` on, then those of the next; q lies
    ``between`` them, on the straight line. ``weights`` (N,), ``reference`` (4J), J a multiple of `LANES`. Turns of any
    angle are exact to 1e-9 where the two moments are a tenth of a radian apart.
    """
    count, size = len(weights), len(reference)
    two = samples[at : at + 2 * count * size].reshape(2, count, -1, 4, LANES)
    q = two[0] + between * (two[1] - two[0])
    r = reference.reshape(-1, 4, LANES)
    d = [sum(sign * r[:, a] * q[:, :, b] for sign, a, b in terms) for terms in _PRODUCT]
    flat = np.sqrt(d[1] ** 2 + d[2] ** 2 + d[3] ** 2)
    half = np.arctan2(flat, np.abs(d[0])) * np.where(d[0] < 0.0, -1.0, 1.0) / np.maximum(flat, 1e-300)
    total.reshape(-1, 3, LANES)[:] = np.stack(
        [np.tensordot(weights, half * part, 1) for part in d[1:]], axis=1
    )


class _Sums:
    """Vectors and what is done to them, as instructions."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def _known(self, name: str, *vectors: Any) -> Any:
        insert: Any = cgutils.get_or_insert_function  # untyped
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * len(vectors))
        return self.builder.call(
            insert(self.builder.module, kind, f"llvm.{name}.v{_WIDTH}f64"), list(vectors)
        )

    def plus(self, one: Any, other: Any, total: Any) -> Any:
        """Total plus a product, rounded once where the processor can."""
        return self._known("fmuladd", one, other, total)

    def minus(self, one: Any, other: Any, total: Any) -> Any:
        """Total minus a product."""
        return self.plus(self.builder.fneg(one), other, total)

    def products(
        self, terms: Sequence[tuple[int, int, int]], one: Sequence[Any], other: Sequence[Any]
    ) -> Any:
        """Sum of signed products of components; the first sign is plus."""
        total = self.builder.fmul(one[terms[0][1]], other[terms[0][2]])
        for sign, a, b in terms[1:]:
            total = (self.plus if sign > 0 else self.minus)(one[a], other[b], total)
        return total

    def series(self, x: Any, factors: Sequence[float]) -> Any:
        """Polynomial; even and odd powers are summed side by side."""
        square = self.builder.fmul(x, x)
        even, odd = (self.powers(square, factors[first::2][::-1]) for first in (0, 1))
        return self.plus(odd, x, even)

    def powers(self, x: Any, factors: Sequence[float]) -> Any:
        """Polynomial one power after the other, from the highest."""
        total = number(factors[0])
        for factor in factors[1:]:
            total = self.plus(total, x, number(factor))
        return total

    def size(self, x: Any) -> Any:
        """Without its sign."""
        return self._known("fabs", x)

    def signed(self, x: Any, sign: Any) -> Any:
        """With the sign of another."""
        return self._known("copysign", x, sign)

    def spread(self, value: Any) -> Any:
        """Vector of one number."""
        unset, places = ir.Constant(_VECTOR, ir.Undefined), ir.VectorType(ir.IntType(32), _WIDTH)
        first = self.builder.insert_element(unset, value, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(first, unset, ir.Constant(places, [0] * _WIDTH))

    def near(self, c: Any, inverse: Any) -> Any:
        """Half angle over its sine and the length, where 1 - cosine is small."""
        return self.builder.fmul(self.series(c, _NEAR_SERIES), inverse)

    def far(self, d: Sequence[Any]) -> Any:
        """Half angle over its sine and the length, signed, wherever: the tangent of its half is 1 at most."""
        builder = self.builder
        m = self.products(_PRODUCT[0][1:], d, d)
        length = self._known("sqrt", self.plus(d[0], d[0], m))
        inverse = builder.fdiv(number(1.0), builder.fadd(length, self.size(d[0])))
        x = builder.fmul(builder.fmul(m, inverse), inverse)
        half = builder.fmul(self.series(x, _FAR_SERIES), inverse)
        return builder.fmul(half, self.signed(number(2.0), d[0]))


def number(value: float) -> Any:
    """Vector of a constant."""
    return ir.Constant(_VECTOR, [value] * _WIDTH)


def _whole(value: int) -> Any:
    return ir.Constant(_INDEX, value)


class _Row:
    """Numbers that follow one another in memory."""

    def __init__(self, builder: Any, data: Any, start: Any) -> None:
        self.builder, self.data, self.start = builder, data, start

    def _at(self, place: Any, step: int) -> Any:
        far = self.builder.add(self.builder.add(self.start, place), _whole(step * LANES))
        return self.builder.bitcast(self.builder.gep(self.data, [far]), _VECTOR.as_pointer())

    def load(self, place: Any, step: int) -> Any:
        """Vector of component ``step``."""
        return self.builder.load(self._at(place, step), align=8)

    def store(self, value: Any, place: Any, step: int) -> None:
        """Write it."""
        self.builder.store(value, self._at(place, step), align=8)


@intrinsic
def _sum_turns(
    _context: Any, samples: Any, at: Any, between: Any, weights: Any, reference: Any, total: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        arrays = {k: context.make_array(kinds[k])(context, builder, args[k]) for k in (0, 3, 4, 5)}
        start = context.cast(builder, args[1], kinds[1], types.intp)
        sums = _Sums(builder)
        share = sums.spread(args[2])
        count = builder.extract_value(arrays[3].shape, 0)
        size = builder.extract_value(arrays[4].shape, 0)
        parts = LANES // _WIDTH
        with cgutils.for_range(builder, builder.udiv(size, _whole(4 * _WIDTH))) as loop:
            block = builder.udiv(loop.index, _whole(parts))
            lane = builder.mul(builder.urem(loop.index, _whole(parts)), _whole(_WIDTH))
            place = builder.add(builder.mul(block, _whole(4 * LANES)), lane)
            rows = [_Row(builder, arrays[k].data, _whole(0)) for k in (4, 5)]
            first = builder.add(start, place)
            pair = (first, builder.add(first, builder.mul(count, size)), size)
            own = [rows[0].load(place, c) for c in range(4)]
            sum_of = _over_examples(sums, (arrays[0].data, arrays[3].data), pair, share, own, count)
            place = builder.add(builder.mul(block, _whole(3 * LANES)), lane)
            for c, value in enumerate(sum_of):
                rows[1].store(value, place, c)
        return context.get_dummy_value()

    return types.void(samples, at, between, weights, reference, total), generate


def _over_examples(
    sums: _Sums, data: tuple[Any, Any], pair: tuple[Any, Any, Any], share: Any, own: list[Any], count: Any
) -> list[Any]:
    """Sums of one vector of joints over all examples, kept in registers."""
    builder = sums.builder
    samples, weights = data
    before = builder.block
    head, near, far, tail, after = (builder.append_basic_block() for _ in range(5))
    builder.branch(head)
    builder.position_at_end(head)
    example, offset = builder.phi(_INDEX), builder.phi(_INDEX)
    totals = [builder.phi(_VECTOR) for _ in range(3)]
    one, two = (_Row(builder, samples, start) for start in pair[:2])
    q = []
    for c in range(4):
        low = one.load(offset, c)
        q.append(sums.plus(builder.fsub(two.load(offset, c), low), share, low))
    d = [sums.products(terms, own, q) for terms in _PRODUCT]
    inverse = sums.powers(builder.fsub(sums.products(_PRODUCT[0], d, d), number(1.0)), _LENGTH_SERIES)
    gap = sums.minus(sums.size(d[0]), inverse, number(1.0))
    weight = sums.spread(builder.load(builder.gep(weights, [example])))
    beyond = builder.bitcast(builder.fcmp_ordered(">", gap, number(_FAR)), ir.IntType(_WIDTH))
    builder.cbranch(builder.icmp_unsigned("==", beyond, ir.Constant(ir.IntType(_WIDTH), 0)), near, far)
    builder.position_at_end(near)
    by_series = sums.near(gap, sums.signed(inverse, d[0]))
    builder.branch(tail)
    builder.position_at_end(far)
    by_tangent = sums.far(d)
    builder.branch(tail)
    builder.position_at_end(tail)
    factor = builder.phi(_VECTOR)
    factor.add_incoming(by_series, near)
    factor.add_incoming(by_tangent, far)
    factor = builder.fmul(factor, weight)
    added = [sums.plus(factor, part, total) for part, total in zip(d[1:], totals, strict=True)]
    following = builder.add(example, _whole(1))
    zero = number(0.0)
    phis = [(example, _whole(0), following), (offset, _whole(0), builder.add(offset, pair[2]))]
    phis += [(total, zero, sum_) for total, sum_ in zip(totals, added, strict=True)]
    for phi, first, again in phis:
        phi.add_incoming(first, before)
        phi.add_incoming(again, tail)
    builder.cbranch(builder.icmp_signed("<", following, count), head, after)
    builder.position_at_end(after)
    return added


@overload(sum_turns, strict=False, jit_options={"forceinline": True})
def _compiled_sum_turns(samples: Any, at: Any, between: Any, weights: Any, reference: Any, total: Any) -> Any:  # noqa: ARG001
    return lambda samples, at, between, weights, reference, total: _sum_turns(  # noqa: PLW0108 - names are compared
        samples, at, between, weights, reference, total
    )
