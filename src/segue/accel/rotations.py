"""Weighted sums of rotations, held in vector registers over all examples.

A pose is stored in blocks of `LANES` joints: w of all of them, then x, y, z. Compiled loops over the joints
of a block would load and store each sum once per example and not fuse products with sums; here both stay in
registers. Each function exists as numpy code and as LLVM instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from segue.accel.emitter import LANES, WIDTH, Array, Vectors, arguments, index, loop, register
from segue.arrays import Floats

_FAR = 0.4
# acos(1 - u) / sin(acos(1 - u)) for u up to _FAR, error at most 7e-11.
_NEAR_SERIES = (
    0.9999999999468374, 0.333333350320067, 0.13333244828306426, 0.05716029874225152,
    0.02522968545912357, 0.012400177241977124, 0.0029706886061988597, 0.005618782618324096,
)  # fmt: skip
# atan(v) / v in powers of v^2 for v up to 1, error at most 6e-11.
_FAR_SERIES = (
    0.9999999999389122, -0.3333333151819598, 0.19999909956940815, -0.1428394842006653,
    0.11092984778427302, -0.0897905100744881, 0.0724228402306993, -0.054215306231137086,
    0.034133420425430896, -0.016055158777035422, 0.0048272270045420125, -0.0006804971348790067,
)  # fmt: skip
# 1 / sqrt(1 + e) in powers of e, highest first: consecutive poses are close, so |q| is nearly 1.
_LENGTH_SERIES = (35 / 128, -5 / 16, 3 / 8, -1 / 2, 1.0)
_QUOTIENT = (
    ((1, 0, 0), (1, 1, 1), (1, 2, 2), (1, 3, 3)),
    ((1, 0, 1), (-1, 1, 0), (-1, 2, 3), (1, 3, 2)),
    ((1, 0, 2), (1, 1, 3), (-1, 2, 0), (-1, 3, 1)),
    ((1, 0, 3), (-1, 1, 2), (1, 2, 1), (-1, 3, 0)),
)
"""Terms of inverse(a) b, by component: sign, component of a, component of b."""

_PRODUCT = (
    ((1, 0, 0), (-1, 1, 1), (-1, 2, 2), (-1, 3, 3)),
    ((1, 0, 1), (1, 1, 0), (1, 2, 3), (-1, 3, 2)),
    ((1, 0, 2), (-1, 1, 3), (1, 2, 0), (1, 3, 1)),
    ((1, 0, 3), (1, 1, 2), (-1, 2, 1), (1, 3, 0)),
)
"""Terms of a b, by component: sign, component of a, component of b."""
# cos(x) and sin(x) / x in powers of x^2, for half the half angle, where the series converge fast.
_COS = (1.0, -1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800)
_SIN = (1.0, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800)


_TINY = 1e-60


def sum_logs(
    samples: Floats, at: int, between: float, weights: Floats, reference: Floats, total: Floats
) -> None:
    """Write the sum over examples of weight times log(reference^-1 q), half angles, into ``total`` (3J).

    ``samples`` holds the examples' poses (N, 4J) at one moment from ``at`` on, then at the next; q is
    interpolated linearly between them by ``between``. ``weights`` (N,), ``reference`` (4J), J a multiple of
    `LANES`. Angles of any size are exact to 1e-9 if the two moments differ by at most a tenth of a radian.
    """
    count, size = len(weights), len(reference)
    two = samples[at : at + 2 * count * size].reshape(2, count, -1, 4, LANES)
    q = two[0] + between * (two[1] - two[0])
    r = reference.reshape(-1, 4, LANES)
    d = [sum(sign * r[:, a] * q[:, :, b] for sign, a, b in terms) for terms in _QUOTIENT]
    flat = np.sqrt(d[1] ** 2 + d[2] ** 2 + d[3] ** 2)
    half = np.arctan2(flat, np.abs(d[0])) * np.where(d[0] < 0.0, -1.0, 1.0) / np.maximum(flat, 1e-300)
    total.reshape(-1, 3, LANES)[:] = np.stack(
        [np.tensordot(weights, half * part, 1) for part in d[1:]], axis=1
    )


@register(sum_logs)
def _sum_logs(context: Any, builder: Any, signature: Any, args: Any) -> None:
    samples, at, between, weights, reference, total = arguments(context, builder, signature, args)
    share, count, size = samples.spread(between), weights.width, reference.width
    with cgutils.for_range(builder, builder.udiv(size, index(4 * WIDTH))) as joints:
        four, three = _places(builder, joints.index, 4, 3)
        first = builder.add(at, four)
        pair = first, builder.add(first, builder.mul(count, size))
        own = [reference.load(reference.block(four, c)) for c in range(4)]
        for c, value in enumerate(_over_examples((samples, weights), pair, share, own, size)):
            total.store(value, total.block(three, c))


def _over_examples(
    arrays: tuple[Array, Array], pair: tuple[Any, Any], share: Any, own: list[Any], size: Any
) -> list[Any]:
    """Sums of one vector of joints over all examples, kept in registers."""
    samples, weights = arrays
    builder = samples.builder

    def add(example: Any, values: list[Any]) -> list[Any]:
        offset, totals = values[0], values[1:]
        one, two = (builder.add(start, offset) for start in pair)
        q = []
        for c in range(4):
            low, high = samples.load(samples.block(one, c)), samples.load(samples.block(two, c))
            q.append(_fused(samples, builder.fsub(high, low), share, low))
        d = [_products(samples, terms, own, q) for terms in _QUOTIENT]
        off = builder.fsub(_products(samples, _QUOTIENT[0], d, d), samples.constant(1.0))
        inverse = _polynomial(samples, off, _LENGTH_SERIES)
        gap = _fused(samples, builder.fneg(samples.abs(d[0])), inverse, samples.constant(1.0))
        weight = weights.number(builder.gep(weights.data, [example]))
        factor = builder.fmul(_half_angle(samples, d, gap, inverse), weight)
        sums = [_fused(samples, factor, part, total) for part, total in zip(d[1:], totals, strict=True)]
        return [builder.add(offset, size), *sums]

    return loop(builder, weights.width, [index(0)] + [samples.constant(0.0)] * 3, add)[1:]


def _half_angle(vectors: Vectors, d: Sequence[Any], gap: Any, inverse: Any) -> Any:
    """Signed half angle divided by its sine and the quaternion's length; a short series if all rotations are small."""
    builder, bits = vectors.builder, ir.IntType(WIDTH)
    near, far, tail = (builder.append_basic_block() for _ in range(3))
    beyond = builder.bitcast(builder.fcmp_ordered(">", gap, vectors.constant(_FAR)), bits)
    builder.cbranch(builder.icmp_unsigned("==", beyond, ir.Constant(bits, 0)), near, far)
    builder.position_at_end(near)
    signed = vectors.call("copysign", inverse, d[0])
    by_series = builder.fmul(_series(vectors, gap, _NEAR_SERIES), signed)
    builder.branch(tail)
    builder.position_at_end(far)
    by_tangent = _far_half_angle(vectors, d)
    builder.branch(tail)
    builder.position_at_end(tail)
    factor = builder.phi(vectors.type)
    factor.add_incoming(by_series, near)
    factor.add_incoming(by_tangent, far)
    return factor


def _far_half_angle(vectors: Vectors, d: Sequence[Any]) -> Any:
    """As `_half_angle`, for any angle: uses the tangent of half the half angle, at most 1."""
    builder = vectors.builder
    m = _products(vectors, _QUOTIENT[0][1:], d, d)
    length = vectors.sqrt(_fused(vectors, d[0], d[0], m))
    inverse = builder.fdiv(vectors.constant(1.0), builder.fadd(length, vectors.abs(d[0])))
    x = builder.fmul(builder.fmul(m, inverse), inverse)
    half = builder.fmul(_series(vectors, x, _FAR_SERIES), inverse)
    return builder.fmul(half, vectors.call("copysign", vectors.constant(2.0), d[0]))


def multiply_exp(reference: Floats, total: Floats, out: Floats) -> None:
    """Write reference exp(total), normalised, into ``out`` (4J), which may be the reference itself.

    Components below 1e-60 become zero: for a joint that never rotates they would shrink with every step to
    denormal numbers, which take a processor a hundred times as long.
    """
    r, t = reference.reshape(-1, 4, LANES), total.reshape(-1, 3, LANES)
    angle = np.sqrt((t**2).sum(axis=1))
    e = np.concatenate([np.cos(angle)[:, None], np.sinc(angle / np.pi)[:, None] * t], axis=1)
    parts = [sum(sign * r[:, a] * e[:, b] for sign, a, b in terms) for terms in _PRODUCT]
    turned = np.stack(parts, axis=1)
    turned = turned / np.sqrt((turned**2).sum(axis=1, keepdims=True))
    out.reshape(-1, 4, LANES)[:] = np.where(np.abs(turned) > _TINY, turned, 0.0)


@register(multiply_exp)
def _multiply_exp(context: Any, builder: Any, signature: Any, args: Any) -> None:
    reference, total, out = arguments(context, builder, signature, args)
    one = out.constant(1.0)
    with cgutils.for_range(builder, builder.udiv(reference.width, index(4 * WIDTH))) as joints:
        four, three = _places(builder, joints.index, 4, 3)
        own = [reference.load(reference.block(four, c)) for c in range(4)]
        log = [total.load(total.block(three, c)) for c in range(3)]
        square = _products(out, ((1, 0, 0), (1, 1, 1), (1, 2, 2)), log, log)
        square = builder.fmul(square, out.constant(0.25))
        cos, sin = _series(out, square, _COS), _series(out, square, _SIN)
        twice = builder.fmul(builder.fmul(cos, cos), out.constant(2.0))
        real = _fused(out, builder.fneg(one), one, twice)
        factor = builder.fmul(sin, cos)
        exp = [real, *(builder.fmul(factor, part) for part in log)]
        product = [_products(out, terms, own, exp) for terms in _PRODUCT]
        square = _products(out, tuple((1, c, c) for c in range(4)), product, product)
        inverse = builder.fdiv(one, out.sqrt(square))
        for c, part in enumerate(product):
            value = builder.fmul(part, inverse)
            seen = builder.fcmp_ordered(">", out.abs(value), out.constant(_TINY))
            out.store(builder.select(seen, value, out.constant(0.0)), out.block(four, c))


def sum_rows(samples: Floats, at: int, between: float, weights: Floats, total: Floats) -> None:
    """Write the weighted sum of rows (N, C), interpolated between two moments, into ``total`` (C,).

    ``samples`` holds the rows of one moment from ``at`` on, then those of the next; ``between`` interpolates
    between the two. C is a multiple of `LANES`.
    """
    count, size = len(weights), len(total)
    two = samples[at : at + 2 * count * size].reshape(2, count, size)
    total[:] = weights @ (two[0] + between * (two[1] - two[0]))


@register(sum_rows)
def _sum_rows(context: Any, builder: Any, signature: Any, args: Any) -> None:
    samples, at, between, weights, total = arguments(context, builder, signature, args)
    share, count, size = samples.spread(between), weights.width, total.width
    far = builder.mul(count, size)
    with cgutils.for_range(builder, builder.udiv(size, index(WIDTH))) as columns:
        place = builder.mul(columns.index, index(WIDTH))

        def add(example: Any, values: list[Any]) -> list[Any]:
            here, sum_ = values
            low = samples.load(samples.block(here))
            high = samples.load(samples.block(builder.add(far, here)))
            weight = weights.number(builder.gep(weights.data, [example]))
            row = _fused(samples, builder.fsub(high, low), share, low)
            return [builder.add(here, size), _fused(samples, weight, row, sum_)]

        _, sum_ = loop(builder, count, [builder.add(at, place), total.constant(0.0)], add)
        total.store(sum_, total.block(place))


def _places(builder: Any, vector: Any, *components: int) -> list[Any]:
    """Start indices of a vector of joints in arrays of blocks, one per number of components."""
    parts = index(LANES // WIDTH)
    block, lane = builder.udiv(vector, parts), builder.mul(builder.urem(vector, parts), index(WIDTH))
    return [builder.add(builder.mul(block, index(c * LANES)), lane) for c in components]


def _fused(vectors: Vectors, one: Any, other: Any, total: Any) -> Any:
    """Total plus a product, rounded once where the processor supports it."""
    return vectors.call("fmuladd", one, other, total)


def _products(
    vectors: Vectors, terms: Sequence[tuple[int, int, int]], one: Sequence[Any], other: Sequence[Any]
) -> Any:
    """Sum of signed products of components; the first sign is plus."""
    builder = vectors.builder
    total = builder.fmul(one[terms[0][1]], other[terms[0][2]])
    for sign, a, b in terms[1:]:
        total = _fused(vectors, one[a] if sign > 0 else builder.fneg(one[a]), other[b], total)
    return total


def _series(vectors: Vectors, x: Any, factors: Sequence[float]) -> Any:
    """Polynomial, constant first; even and odd powers are summed in parallel."""
    square = vectors.builder.fmul(x, x)
    even, odd = (_polynomial(vectors, square, factors[first::2][::-1]) for first in (0, 1))
    return _fused(vectors, odd, x, even)


def _polynomial(vectors: Vectors, x: Any, factors: Sequence[float]) -> Any:
    """Polynomial by Horner's method, highest power first."""
    total = vectors.constant(factors[0])
    for factor in factors[1:]:
        total = _fused(vectors, total, x, vectors.constant(factor))
    return total
