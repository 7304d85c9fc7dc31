"""LLVM instructions for tiles and for functions on vectors of numbers.

A function that kernels call is written in plain numpy. The function below it, decorated with
``register(function)``, emits the same computation as instructions into the calling kernel. `arguments` reads
the arguments of the call, `Array` loads and stores vectors, `Vectors` computes with them, `loop` repeats.
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


def _registers() -> tuple[int, int]:
    """Bytes per vector, and vectors per tile row such that a tile of four rows fits this processor's registers."""
    known = dict(llvmlite.binding.get_host_cpu_features())
    if known.get("avx512f"):
        return 64, 4
    return (32, 2) if known.get("avx2") else (16, 4)


BYTES, ACROSS = _registers()
WIDTH = BYTES // 8
"""float64 numbers per vector."""
LANES = 16
"""Joints of a block: rotations are stored in blocks, w of all joints, then x, y, z."""
FUSED = ("contract",)
"""Instruction flag: a product may be added without rounding first. The order is kept."""
FAST = ("fast",)
"""Instruction flag: the compiler may reorder."""
INDEX = ir.IntType(64)

Emit = Callable[[Any, Any, Any, Any], Any]
"""Emits a call as instructions: compiler context, builder, signature, argument values."""


def index(value: int) -> Any:
    """Integer constant of address width."""
    return ir.Constant(INDEX, value)


class Vectors:
    """Instructions on vectors of one type of number, ``size`` bytes each, as many as a register holds."""

    def __init__(self, builder: Any, size: int = 8) -> None:
        self.builder, self.size, self.lanes = builder, size, BYTES // size
        self.type = ir.VectorType(ir.FloatType() if size == 4 else ir.DoubleType(), self.lanes)

    def constant(self, value: float) -> Any:
        """Vector of a constant in every lane."""
        return ir.Constant(self.type, [value] * self.lanes)

    def spread(self, value: Any) -> Any:
        """Vector of a run-time number in every lane."""
        unset = ir.Constant(self.type, ir.Undefined)
        first = self.builder.insert_element(unset, value, ir.Constant(ir.IntType(32), 0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return self.builder.shuffle_vector(first, unset, lanes)

    def _pointer(self, address: Any, number: int) -> Any:
        address = self.builder.gep(address, [index(number * self.lanes)])
        return self.builder.bitcast(address, self.type.as_pointer())

    def load(self, address: Any, number: int = 0) -> Any:
        """Load the vector at an address, or ``number`` vectors after it."""
        return self.builder.load(self._pointer(address, number), align=self.size)

    def store(self, value: Any, address: Any, number: int = 0) -> None:
        """Store a vector at an address, or ``number`` vectors after it."""
        self.builder.store(value, self._pointer(address, number), align=self.size)

    def multiply_add(self, one: Any, other: Any, total: Any, flags: Sequence[str] = FUSED) -> Any:
        """``total + one * other``."""
        return self.builder.fadd(total, self.builder.fmul(one, other, flags=flags), flags=flags)

    def multiply_subtract(self, one: Any, other: Any, total: Any) -> Any:
        """``total - one * other``."""
        return self.builder.fsub(total, self.builder.fmul(one, other, flags=FUSED), flags=FUSED)

    def maximum(self, one: Any, other: Any) -> Any:
        """Larger number of each lane."""
        return self.builder.select(self.builder.fcmp_ordered(">", one, other), one, other)

    def call(self, name: str, *vectors: Any) -> Any:
        """Result of an LLVM intrinsic: ``sqrt``, ``fabs``, ``copysign``, ``fmuladd``."""
        insert: Any = cgutils.get_or_insert_function  # untyped
        kind = ir.FunctionType(self.type, [self.type] * len(vectors))
        known = insert(self.builder.module, kind, f"llvm.{name}.v{self.lanes}f{8 * self.size}")
        return self.builder.call(known, list(vectors))

    def sqrt(self, x: Any) -> Any:
        """Square root: a refined approximate inverse root is not faster among so many products."""
        return self.call("sqrt", x)

    def abs(self, x: Any) -> Any:
        """Absolute value."""
        return self.call("fabs", x)


class Array(Vectors):
    """A contiguous array with one or two axes, float32 or float64."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any) -> None:
        if kind.layout != "C":
            raise TypeError(
                "an array given to compiled code is not contiguous: its rows would be read wrongly"
            )
        if kind.dtype not in (types.float32, types.float64):
            raise TypeError(f"an array given to compiled code holds {kind.dtype}, not float32 or float64")
        super().__init__(builder, kind.dtype.bitwidth // 8)
        array = context.make_array(kind)(context, builder, value)
        self.data = array.data
        self.width = builder.extract_value(array.shape, kind.ndim - 1)
        """Numbers per row, or in an array of one axis."""
        self.stride = builder.sdiv(builder.extract_value(array.strides, 0), index(self.size))
        """Numbers from one row to the next."""

    def at(self, row: Any, column: Any) -> Any:
        """Address of a cell."""
        return self.builder.gep(self.data, [self.builder.add(self.builder.mul(row, self.stride), column)])

    def block(self, place: Any, component: int = 0) -> Any:
        """Address of a component of a block that begins at index ``place`` of an array of one axis."""
        return self.builder.gep(self.data, [self.builder.add(place, index(component * LANES))])

    def number(self, address: Any) -> Any:
        """Vector that holds the number at an address in every lane."""
        return self.spread(self.builder.load(address))

    def passes(self, columns: int, *starts: Any) -> list[list[Any]]:
        """Starts of the parts of a tile that are written in one pass: one part of float32, two of float64."""
        firsts = range(0, columns, columns * 4 // self.size)
        return [[self.builder.add(start, index(first)) for start in starts] for first in firsts]


def arguments(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """Arguments of a call: arrays as `Array`, integers of address width, tuples as lists of these."""
    return [
        _argument(context, builder, kind, value) for kind, value in zip(signature.args, args, strict=True)
    ]


def _argument(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        return Array(context, builder, kind, value)
    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        return [
            _argument(context, builder, each, builder.extract_value(value, n))
            for n, each in enumerate(members)
        ]
    return value if isinstance(kind, types.Float) else context.cast(builder, value, kind, types.intp)


def loop(
    builder: Any, count: Any, starts: Sequence[Any], body: Callable[[Any, list[Any]], Sequence[Any]]
) -> list[Any]:
    """Values after a loop that runs ``count`` times, at least once.

    ``body`` takes the index of the step and the values before it and returns the values after it; the first
    values are ``starts``. It may append basic blocks.
    """
    before, begin, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(begin)
    builder.position_at_end(begin)
    step = builder.phi(INDEX)
    values = [builder.phi(start.type) for start in starts]
    ends = list(body(step, values))
    following = builder.add(step, index(1))
    for phi, first, again in zip([step, *values], [index(0), *starts], [following, *ends], strict=True):
        phi.add_incoming(first, before)
        phi.add_incoming(again, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, count), begin, after)
    builder.position_at_end(after)
    return ends


def register(
    function: Callable[..., Any],
    *,
    typed: Callable[..., Any] = types.void,
    kinds: Sequence[Any] = (_types.VarArg(types.Any),),
) -> Callable[[Emit], Emit]:
    """Make a numpy function callable by kernels: the decorated function emits the call as instructions.

    A compiled Python function instead would first be compiled alone, then again as a part of its caller.

    Parameters
    ----------
    function
        Function that kernels call.
    typed
        Signature of the call from the types of its arguments; by default nothing is returned.
    kinds
        Allowed types of arguments; any by default.
    """
    names = inspect.signature(function)

    def decorate(emit: Emit) -> Emit:
        def types_for(_context: Any) -> Any:
            def answer(*given: Any) -> Any:
                return typed(*given)

            answer.pysig = names  # type: ignore[attr-defined]  # numba reads the argument names from it
            return answer

        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            result = emit(context, builder, signature, args)
            return context.get_dummy_value() if result is None else result

        type_callable(function)(types_for)
        _lower(function, *kinds)(written)
        return emit

    return decorate
