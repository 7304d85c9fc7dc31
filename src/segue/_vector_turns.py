"""Weighted sums of turns, held in a processor's vector registers while examples pass by.

A pose is laid out in blocks of `LANES` joints: w of all of them, then x, y, z. Compiled loops over the joints of a
block load and store each sum once an example and do not fuse products with sums; here both stay in registers. Called
from plain Python the same function is a few lines of numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from segue._vector_words import INDEX, LANES, VECTOR, WIDTH, Arrays, Row, Sums, number, offered, whole
from segue.arrays import Floats

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

_TURNED = (
    ((1, 0, 0), (-1, 1, 1), (-1, 2, 2), (-1, 3, 3)),
    ((1, 0, 1), (1, 1, 0), (1, 2, 3), (-1, 3, 2)),
    ((1, 0, 2), (-1, 1, 3), (1, 2, 0), (1, 3, 1)),
    ((1, 0, 3), (1, 1, 2), (-1, 2, 1), (1, 3, 0)),
)
"""Components of a rotation times another."""
# cos and sin(x) / x of half a turn of x in powers of x^2: of half of half the angle, whose series converge fast.
_COSINE = (1.0, -1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800)
_SINE = (1.0, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800)


_NOUGHT = 1e-60


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


def turn_all(reference: Floats, total: Floats, out: Floats) -> None:
    """Write reference exp(total), of unit length, into ``out`` (4J), which may be the reference itself.

    Components below 1e-60 are nought: of a joint that never turns the rounding of a rounding would be kept, until its
    numbers are those that a processor takes a hundred times as long for.
    """
    r, t = reference.reshape(-1, 4, LANES), total.reshape(-1, 3, LANES)
    angle = np.sqrt((t**2).sum(axis=1))
    e = np.concatenate([np.cos(angle)[:, None], np.sinc(angle / np.pi)[:, None] * t], axis=1)
    parts = [sum(sign * r[:, a] * e[:, b] for sign, a, b in terms) for terms in _TURNED]
    turned = np.stack(parts, axis=1)
    turned = turned / np.sqrt((turned**2).sum(axis=1, keepdims=True))
    out.reshape(-1, 4, LANES)[:] = np.where(np.abs(turned) > _NOUGHT, turned, 0.0)


def sum_rows(samples: Floats, at: int, between: float, weights: Floats, total: Floats) -> None:
    """Write the weighted sum of rows (N, C) of one moment, from ``at`` on, and of the next into ``total`` (C,).

    What is summed lies ``between`` the two; C is a multiple of `LANES`.
    """
    count, size = len(weights), len(total)
    two = samples[at : at + 2 * count * size].reshape(2, count, size)
    total[:] = weights @ (two[0] + between * (two[1] - two[0]))


def _write_sum_turns(context: Any, builder: Any, signature: Any, args: Any) -> None:
    """Sums of turns, a vector of joints at a time."""
    given, sums = Arrays(context, builder, signature, args), Sums(builder)
    share, count, size = sums.spread(args[2]), given.size(3), given.size(4)
    start = given.whole(1)
    with cgutils.for_range(builder, builder.udiv(size, whole(4 * WIDTH))) as loop:
        four, three = given.places(loop.index, 4, 3)
        first = builder.add(start, four)
        pair = (first, builder.add(first, builder.mul(count, size)), size)
        own = [given.row(4).load(four, c) for c in range(4)]
        data = given.row(0).data, given.row(3).data
        for c, value in enumerate(_over_examples(sums, data, pair, share, own, count)):
            given.row(5).store(value, three, c)


def _write_turn_all(context: Any, builder: Any, signature: Any, args: Any) -> None:
    """Turned rotations, a vector of joints at a time."""
    given, sums = Arrays(context, builder, signature, args), Sums(builder)
    with cgutils.for_range(builder, builder.udiv(given.size(0), whole(4 * WIDTH))) as loop:
        four, three = given.places(loop.index, 4, 3)
        own = [given.row(0).load(four, c) for c in range(4)]
        turn = [given.row(1).load(three, c) for c in range(3)]
        square = sums.products(((1, 0, 0), (1, 1, 1), (1, 2, 2)), turn, turn)
        square = builder.fmul(square, number(0.25))
        cosine, sine = sums.series(square, _COSINE), sums.series(square, _SINE)
        real = sums.minus(number(1.0), number(1.0), builder.fmul(builder.fmul(cosine, cosine), number(2.0)))
        factor = builder.fmul(sine, cosine)
        exponential = [real, *(builder.fmul(factor, part) for part in turn)]
        turned = [sums.products(terms, own, exponential) for terms in _TURNED]
        square = sums.products(tuple((1, c, c) for c in range(4)), turned, turned)
        length = builder.fdiv(number(1.0), sums.root(square))
        for c, part in enumerate(turned):
            given.row(2).store(sums.noticed(builder.fmul(part, length), _NOUGHT), four, c)


def _write_sum_rows(context: Any, builder: Any, signature: Any, args: Any) -> None:
    """Sums of rows, a vector of columns at a time."""
    given, sums = Arrays(context, builder, signature, args), Sums(builder)
    share, count, size = sums.spread(args[2]), given.size(3), given.size(4)
    start = given.whole(1)
    far = builder.mul(count, size)
    with cgutils.for_range(builder, builder.udiv(size, whole(WIDTH))) as loop:
        place = builder.mul(loop.index, whole(WIDTH))
        before, body, after = builder.block, *(builder.append_basic_block() for _ in range(2))
        first = builder.add(start, place)
        builder.branch(body)
        builder.position_at_end(body)
        example, here, sum_ = builder.phi(INDEX), builder.phi(INDEX), builder.phi(VECTOR)
        low = given.row(0).load(here, 0)
        high = given.row(0, far).load(here, 0)
        weight = sums.spread(builder.load(builder.gep(given.row(3).data, [example])))
        added = sums.plus(weight, sums.plus(builder.fsub(high, low), share, low), sum_)
        following = builder.add(example, whole(1))
        for phi, begin, again in (
            (example, whole(0), following),
            (here, first, builder.add(here, size)),
            (sum_, number(0.0), added),
        ):
            phi.add_incoming(begin, before)
            phi.add_incoming(again, body)
        builder.cbranch(builder.icmp_signed("<", following, count), body, after)
        builder.position_at_end(after)
        given.row(4).store(added, place, 0)


def _near(sums: Sums, c: Any, inverse: Any) -> Any:
    """Half angle over its sine and the length, where 1 - cosine is small."""
    return sums.builder.fmul(sums.series(c, _NEAR_SERIES), inverse)


def _away(sums: Sums, d: Sequence[Any]) -> Any:
    """Half angle over its sine and the length, signed, wherever: the tangent of its half is 1 at most."""
    builder = sums.builder
    m = sums.products(_PRODUCT[0][1:], d, d)
    length = sums.root(sums.plus(d[0], d[0], m))
    inverse = builder.fdiv(number(1.0), builder.fadd(length, sums.size(d[0])))
    x = builder.fmul(builder.fmul(m, inverse), inverse)
    half = builder.fmul(sums.series(x, _FAR_SERIES), inverse)
    return builder.fmul(half, sums.signed(number(2.0), d[0]))


def _over_examples(
    sums: Sums, data: tuple[Any, Any], pair: tuple[Any, Any, Any], share: Any, own: list[Any], count: Any
) -> list[Any]:
    """Sums of one vector of joints over all examples, kept in registers."""
    builder = sums.builder
    samples, weights = data
    before = builder.block
    head, near, far, tail, after = (builder.append_basic_block() for _ in range(5))
    builder.branch(head)
    builder.position_at_end(head)
    example, offset = builder.phi(INDEX), builder.phi(INDEX)
    totals = [builder.phi(VECTOR) for _ in range(3)]
    one, two = (Row(builder, samples, start) for start in pair[:2])
    q = []
    for c in range(4):
        low = one.load(offset, c)
        q.append(sums.plus(builder.fsub(two.load(offset, c), low), share, low))
    d = [sums.products(terms, own, q) for terms in _PRODUCT]
    inverse = sums.powers(builder.fsub(sums.products(_PRODUCT[0], d, d), number(1.0)), _LENGTH_SERIES)
    gap = sums.minus(sums.size(d[0]), inverse, number(1.0))
    weight = sums.spread(builder.load(builder.gep(weights, [example])))
    beyond = builder.bitcast(builder.fcmp_ordered(">", gap, number(_FAR)), ir.IntType(WIDTH))
    builder.cbranch(builder.icmp_unsigned("==", beyond, ir.Constant(ir.IntType(WIDTH), 0)), near, far)
    builder.position_at_end(near)
    by_series = _near(sums, gap, sums.signed(inverse, d[0]))
    builder.branch(tail)
    builder.position_at_end(far)
    by_tangent = _away(sums, d)
    builder.branch(tail)
    builder.position_at_end(tail)
    factor = builder.phi(VECTOR)
    factor.add_incoming(by_series, near)
    factor.add_incoming(by_tangent, far)
    factor = builder.fmul(factor, weight)
    added = [sums.plus(factor, part, total) for part, total in zip(d[1:], totals, strict=True)]
    following = builder.add(example, whole(1))
    zero = number(0.0)
    phis = [(example, whole(0), following), (offset, whole(0), builder.add(offset, pair[2]))]
    phis += [(total, zero, sum_) for total, sum_ in zip(totals, added, strict=True)]
    for phi, first, again in phis:
        phi.add_incoming(first, before)
        phi.add_incoming(again, tail)
    builder.cbranch(builder.icmp_signed("<", following, count), head, after)
    builder.position_at_end(after)
    return added


offered(sum_turns, _write_sum_turns)
offered(turn_all, _write_turn_all)
offered(sum_rows, _write_sum_rows)
