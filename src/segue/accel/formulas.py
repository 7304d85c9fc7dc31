"""Formulas: functions of single numbers that are inlined into the kernels that call them.

Numba takes as long for one step of a function as Python for a thousand calls, because it infers every type. A
formula is instead called with placeholders for numbers and arrays, which emit an instruction for each
operation on them. Called from plain Python, the same function works on plain numbers.

Values are not known while instructions are emitted: no ``if`` and no loop may depend on one. `where` selects one of two
numbers, `do_if` calls a function conditionally, `for_range` and `sum_range` are loops; loops over ``range(3)`` are
unrolled. Functions of numbers have numpy's names. Arithmetic is exact, in the order written, and equal to that of a
kernel bit for bit. Arrays are contiguous, of float64 or int64; negative indices are not supported.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np import arrayobj

from segue.accel.emitter import register

F = TypeVar("F", bound=Callable[..., Any])

_types: Any = types  # untyped, as is what follows
_cgutils: Any = cgutils
_REAL, _WHOLE, _TRUTH = ir.DoubleType(), ir.IntType(64), ir.IntType(1)
_KINDS: dict[Any, Any] = {float: types.float64, int: types.int64, bool: types.boolean, type(None): types.void}


class _Value:
    """A number or boolean known at run time only."""

    def __init__(self, place: tuple[Any, Any], value: Any) -> None:
        self.place, self.value = place, value

    def _of(self, value: Any) -> _Value:
        return _Value(self.place, value)

    def like(self, other: Any) -> Any:
        """Operand of another number, converted to this one's type."""
        return _written(self.place, other, self.value.type)

    def _with(self, other: Any, real: str, whole: str | None, *, back: bool = False) -> Any:
        """Emit an instruction on two numbers, as floats if one of them is."""
        kind = _kind_of(self, other) if whole else _REAL
        one, two = (_written(self.place, each, kind) for each in ((other, self) if back else (self, other)))
        name = whole if whole and kind is _WHOLE else real
        return self._of(getattr(self.place[1], name)(one, two))

    def _asked(self, other: Any, sign: str) -> Any:
        kind, builder = _kind_of(self, other), self.place[1]
        one, two = (_written(self.place, each, kind) for each in (self, other))
        if kind is _WHOLE:
            return self._of(builder.icmp_signed(sign, one, two))
        return self._of((builder.fcmp_unordered if sign == "!=" else builder.fcmp_ordered)(sign, one, two))

    def known(self, function: Any, *others: Any) -> Any:
        """Result of a math function known to the compiler, applied to this number."""
        context, builder = self.place
        given = [_written(self.place, each, _REAL) for each in (self, *others)]
        signature = _types.float64(*[types.float64] * len(given))
        return self._of(context.get_function(function, signature)(builder, given))

    def __add__(self, other: Any) -> Any:
        return self._with(other, "fadd", "add")

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, "fsub", "sub")

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, "fsub", "sub", back=True)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, "fmul", "mul")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, "fdiv", None)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, "fdiv", None, back=True)

    def __floordiv__(self, other: Any) -> Any:
        """Floor division of non-negative integers."""
        return self._of(self.place[1].udiv(self.value, self.like(other)))

    def __neg__(self) -> Any:
        return self._of(self.place[1].fneg(self.value))

    def __abs__(self) -> Any:
        return self.known(math.fabs)

    def __gt__(self, other: Any) -> Any:
        return self._asked(other, ">")

    def __ge__(self, other: Any) -> Any:
        return self._asked(other, ">=")

    def __lt__(self, other: Any) -> Any:
        return self._asked(other, "<")

    def __le__(self, other: Any) -> Any:
        return self._asked(other, "<=")

    def __eq__(self, other: object) -> Any:
        return self._asked(other, "==")

    def __ne__(self, other: object) -> Any:
        return self._asked(other, "!=")

    __hash__ = None  # type: ignore[assignment]  # equality is known at run time only

    def __and__(self, other: Any) -> Any:
        return self._of(self.place[1].and_(self.value, self.like(other)))

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return self._of(self.place[1].or_(self.value, self.like(other)))

    __ror__ = __or__

    def __bool__(self) -> bool:
        raise TypeError("a formula cannot branch on a value: use `where` or `do_if`")


def _kind_of(*values: Any) -> Any:
    """Common type of the numbers: float, boolean or integer."""
    real = any(v.value.type == _REAL if isinstance(v, _Value) else isinstance(v, float) for v in values)
    truth = all(v.value.type == _TRUTH if isinstance(v, _Value) else isinstance(v, bool) for v in values)
    return _REAL if real else _TRUTH if truth else _WHOLE


def _written(place: tuple[Any, Any], value: Any, kind: Any) -> Any:
    """Instruction operand of a number, converted to ``kind``."""
    if not isinstance(value, _Value):
        return ir.Constant(kind, float(value) if kind is _REAL else int(value))
    return value.value if value.value.type == kind else place[1].sitofp(value.value, kind)


class _Cells:
    """An array whose content is known at run time only."""

    def __init__(self, place: tuple[Any, Any], kind: Any, value: Any) -> None:
        if kind.layout != "C" or kind.dtype not in (types.float64, types.int64):
            raise TypeError("an array given to a formula is not a contiguous one of float64 or int64")
        context, builder = place
        array = context.make_array(kind)(context, builder, value)
        self.place, self.data, self.array, self.width = place, array.data, array, kind.ndim
        self.kind = _REAL if kind.dtype == types.float64 else _WHOLE

    @property
    def shape(self) -> tuple[_Value, ...]:
        """Length of each axis."""
        take = self.place[1].extract_value
        return tuple(_Value(self.place, take(self.array.shape, axis)) for axis in range(self.width))

    def _at(self, cell: Any) -> Any:
        first, *more = cell if isinstance(cell, tuple) else (cell,)
        for axis, number in enumerate(more, 1):
            first = first * self.shape[axis] + number
        return self.place[1].gep(self.data, [_written(self.place, first, _WHOLE)])

    def __getitem__(self, cell: Any) -> _Value:
        return _Value(self.place, self.place[1].load(self._at(cell)))

    def __setitem__(self, cell: Any, value: Any) -> None:
        self.place[1].store(_written(self.place, value, self.kind), self._at(cell))


def _pairs(kinds: Any, values: Any) -> Any:
    return zip(kinds, values, strict=True)


def _stand_in(place: tuple[Any, Any], kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        return _Cells(place, kind, value)
    if isinstance(kind, types.BaseTuple):
        parts = _cgutils.unpack_tuple(place[1], value)
        return tuple(_stand_in(place, *two) for two in _pairs(kind, parts))
    if kind not in (types.float64, types.int64, types.boolean):
        msg = f"a formula takes float64, int64, truths, tuples and arrays of them, not {kind}"
        raise TypeError(msg)
    return _Value(place, value)


def _answer(place: tuple[Any, Any], kind: Any, value: Any) -> Any:
    context, builder = place
    if kind == types.void:
        return context.get_dummy_value()
    if isinstance(kind, types.BaseTuple):
        return context.make_tuple(builder, kind, [_answer(place, *two) for two in _pairs(kind, value)])
    return _written(place, value, context.get_value_type(kind))


def _kind(annotation: Any) -> Any:
    if get_origin(annotation) is tuple:
        tuples: Any = types.BaseTuple
        return tuples.from_types([_kind(one) for one in get_args(annotation)])
    return _KINDS[annotation]


def formula(function: F) -> F:
    """Let kernels inline a function of numbers; its return type must be annotated."""
    answer = _kind(get_type_hints(function)["return"])

    def typed(*kinds: Any) -> Any:
        return answer(*(_types.unliteral(kind) for kind in kinds))

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = context, builder
        given = [_stand_in(place, *two) for two in zip(signature.args, args, strict=True)]
        return _answer(place, signature.return_type, function(*given))

    register(function, typed=typed)(written)
    return function


def where(condition: Any, one: Any, other: Any) -> Any:
    """Select one number where a condition holds, the other where it does not."""
    if not isinstance(condition, _Value):
        return one if condition else other
    kind = _kind_of(one, other)
    parts = (_written(condition.place, each, kind) for each in (one, other))
    return _Value(condition.place, condition.place[1].select(condition.value, *parts))


def do_if(condition: Any, act: Callable[..., None], *given: Any) -> None:
    """Call a function that changes arrays if a condition holds."""
    if isinstance(condition, _Value):
        with condition.place[1].if_then(condition.value):
            act(*given)
    elif condition:
        act(*given)


def for_range(first: Any, last: Any, act: Callable[..., None], *given: Any) -> None:
    """Call a function that changes arrays with each integer from ``first`` up to but excluding ``last``."""
    known = next((one for one in (first, last, *given) if isinstance(one, (_Value, _Cells))), None)
    if known is None:
        for number in range(first, last):
            act(number, *given)
        return
    start, stop = (_written(known.place, end, _WHOLE) for end in (first, last))
    with _cgutils.for_range_slice(known.place[1], start, stop, ir.Constant(_WHOLE, 1), _WHOLE) as (number, _):
        act(_Value(known.place, number), *given)


def sum_range(first: Any, last: Any, term: Callable[..., Any], *given: Any, begin: Any = 0.0) -> Any:
    """Return ``begin`` plus the sum of a term for each integer from ``first`` up to but excluding ``last``."""
    known = next((one for one in (first, last, *given) if isinstance(one, (_Value, _Cells))), None)
    if known is None:
        total = begin
        for number in range(first, last):
            total += term(number, *given)
        return total
    builder = known.place[1]
    total = _cgutils.alloca_once(builder, _REAL)  # LLVM keeps it in a register
    builder.store(_written(known.place, begin, _REAL), total)

    def add(number: Any, *_: Any) -> None:
        each = _written(known.place, term(number, *given), _REAL)
        builder.store(builder.fadd(builder.load(total), each), total)

    for_range(first, last, add, known)
    return _Value(known.place, builder.load(total))


def maximum(one: Any, other: Any) -> Any:
    """Larger of two numbers, as Python's ``max``."""
    return where(other > one, other, one)


def minimum(one: Any, other: Any) -> Any:
    """Smaller of two numbers, as Python's ``min``."""
    return where(other < one, other, one)


def _function(known: Any) -> Callable[..., Any]:
    def either(*given: Any) -> Any:
        first = next((one for one in given if isinstance(one, _Value)), None)
        if first is None:
            return known(*given)
        if given[0] is not first:
            first = _Value(first.place, _written(first.place, given[0], _REAL))
        return first.known(known, *given[1:])

    return either


sqrt, sin, cos, atan2 = (_function(one) for one in (math.sqrt, math.sin, math.cos, math.atan2))
tanh, exp = _function(math.tanh), _function(math.exp)
mod = _function(operator.mod)


def trunc(value: Any) -> Any:
    """Integer part of a number."""
    if not isinstance(value, _Value):
        return int(value)
    return _Value(value.place, value.place[1].fptosi(value.value, _WHOLE))


def window(array: Any, first: int, length: int) -> Any:
    """View ``array[first : first + length]`` of an array (N,), for kernels."""
    return array[first : first + length]


def matrix(array: Any, first: int, rows: int, columns: int) -> Any:
    """View of an array (N,) from index ``first`` on as a matrix, for kernels."""
    return array[first : first + rows * columns].reshape(rows, columns)


def _register_view(function: Callable[..., Any]) -> None:
    """Register a function that returns a view, which does not own memory: the caller keeps the array alive."""

    def typed(array: Any, _first: Any, *lengths: Any) -> Any:
        shown = array.copy(ndim=len(lengths), layout="C")
        return shown(array, types.int64, *[types.int64] * len(lengths))

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, shown = signature.args[0], signature.return_type
        place, lengths, size = context, args[2:], context.get_abi_sizeof(context.get_data_type(kind.dtype))
        cells = _Cells((context, builder), kind, args[0])
        view = place.make_array(shown)(context, builder)
        strides = [ir.Constant(_WHOLE, size)]
        for length in reversed(lengths[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        fill: Any = arrayobj.populate_array
        fill(
            view,
            data=builder.gep(cells.data, [args[1]]),
            shape=lengths,
            strides=strides,
            itemsize=ir.Constant(_WHOLE, size),
            meminfo=None,
        )
        return view._getvalue()

    register(function, typed=typed, kinds=(types.Array, _types.VarArg(types.Any)))(written)


_register_view(window)
_register_view(matrix)
