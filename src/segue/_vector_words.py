"""Words in which functions on vectors of numbers are written, as instructions of a processor.

A vector is as many float64 numbers as a register of this processor holds. Arrays lie in blocks of `LANES` numbers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable

_types: Any = types  # untyped
_lower: Any = lower_builtin
LANES = 16
"""Joints of a block."""


def _width() -> int:
    """Numbers of a vector register of this processor."""
    known = dict(llvmlite.binding.get_host_cpu_features())
    return 8 if known.get("avx512f") else 4 if known.get("avx2") else 2


WIDTH = _width()
"""Numbers of a vector."""
VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
INDEX = ir.IntType(64)


class Sums:
    """Vectors and what is done to them, as instructions."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def _known(self, name: str, *vectors: Any) -> Any:
        insert: Any = cgutils.get_or_insert_function  # untyped
        kind = ir.FunctionType(VECTOR, [VECTOR] * len(vectors))
        return self.builder.call(insert(self.builder.module, kind, f"llvm.{name}.v{WIDTH}f64"), list(vectors))

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
        unset, places = ir.Constant(VECTOR, ir.Undefined), ir.VectorType(ir.IntType(32), WIDTH)
        first = self.builder.insert_element(unset, value, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(first, unset, ir.Constant(places, [0] * WIDTH))

    def noticed(self, x: Any, least: float) -> Any:
        """Nought where it is smaller than can matter."""
        seen = self.builder.fcmp_ordered(">", self.size(x), number(least))
        return self.builder.select(seen, x, number(0.0))

    def root(self, x: Any) -> Any:
        """Square root."""
        return self._known("sqrt", x)


def number(value: float) -> Any:
    """Vector of a constant."""
    return ir.Constant(VECTOR, [value] * WIDTH)


def whole(value: int) -> Any:
    return ir.Constant(INDEX, value)


class Row:
    """Numbers that follow one another in memory."""

    def __init__(self, builder: Any, data: Any, start: Any) -> None:
        self.builder, self.data, self.start = builder, data, start

    def _at(self, place: Any, step: int) -> Any:
        far = self.builder.add(self.builder.add(self.start, place), whole(step * LANES))
        return self.builder.bitcast(self.builder.gep(self.data, [far]), VECTOR.as_pointer())

    def load(self, place: Any, step: int) -> Any:
        """Vector of component ``step``."""
        return self.builder.load(self._at(place, step), align=8)

    def store(self, value: Any, place: Any, step: int) -> None:
        """Write it."""
        self.builder.store(value, self._at(place, step), align=8)


class Arrays:
    """Arguments of a function: arrays by their number among them, and whole numbers as long as addresses."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.builder, self.args = builder, args
        self._context, self._kinds = context, signature.args

    def row(self, which: int, start: Any = None) -> Row:
        """An array from a place on."""
        if self._kinds[which].layout != "C":
            raise TypeError(
                "an array handed to a vector function is not contiguous: it would be read wrongly"
            )
        array = self._context.make_array(self._kinds[which])(self._context, self.builder, self.args[which])
        return Row(self.builder, array.data, whole(0) if start is None else start)

    def size(self, which: int) -> Any:
        """Length of an array."""
        array = self._context.make_array(self._kinds[which])(self._context, self.builder, self.args[which])
        return self.builder.extract_value(array.shape, 0)

    def whole(self, which: int) -> Any:
        """A whole number."""
        return self._context.cast(self.builder, self.args[which], self._kinds[which], types.intp)

    def places(self, vector: Any, *components: int) -> list[Any]:
        """Where a vector of joints begins in arrays of blocks of so many components."""
        builder, parts = self.builder, LANES // WIDTH
        block = builder.udiv(vector, whole(parts))
        lane = builder.mul(builder.urem(vector, whole(parts)), whole(WIDTH))
        return [builder.add(builder.mul(block, whole(c * LANES)), lane) for c in components]


def _nothing(*kinds: Any) -> Any:
    """Types of a function that returns nothing."""
    return types.void(*kinds)


def offered(
    function: Callable[..., Any],
    write: Callable[[Any, Any, Any, Any], Any],
    *,
    typed: Callable[..., Any] = _nothing,
    kinds: Sequence[Any] = (_types.VarArg(types.Any),),
) -> None:
    """Let compiled code call a function, which ``write(context, builder, signature, values)`` writes into its caller.

    One written in Python for the compiler would be compiled alone first, and then once more as a part of its caller.
    ``typed`` makes a signature of the kinds of arguments; ``kinds`` are those that it is offered for.
    """
    names = inspect.signature(function)

    def types_for(_context: Any) -> Any:
        def answer(*given: Any) -> Any:
            return typed(*given)

        answer.pysig = names  # type: ignore[attr-defined]  # the compiler asks it for the names of arguments
        return answer

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = write(context, builder, signature, args)
        return context.get_dummy_value() if made is None else made

    type_callable(function)(types_for)
    _lower(function, *kinds)(written)
