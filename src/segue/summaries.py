"""Short reprs of one line for dataclasses that hold arrays, for notebooks and debuggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
_LONGEST = 60
_WHOLE = 160
_MOST = 2


def one_line(kind: type[T]) -> type[T]:
    """Give a dataclass a short repr: arrays by dtype and shape, long tuples and mappings by length, the rest cut.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @one_line
    ... @dataclass(frozen=True)
    ... class Flags:
    ...     flags: np.ndarray
    ...     fps: float
    >>> Flags(np.zeros((361, 4)), 60.0)
    <Flags flags=float64 (361, 4), fps=60>
    """

    def summary(self: Any) -> str:
        parts = [f"{one.name}={_short(getattr(self, one.name))}" for one in fields(self) if one.repr]
        text = f"<{type(self).__name__} {', '.join(parts)}>"
        return text if len(text) <= _WHOLE else f"{text[: _WHOLE - 5].rstrip(', ')} ...>"

    kind.__repr__ = summary  # type: ignore[method-assign]  # a method of any dataclass
    return kind


def changed_only(kind: type[T]) -> type[T]:
    """Give a dataclass the repr of a call with only those settings that differ from their defaults.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @changed_only
    ... @dataclass(frozen=True)
    ... class Settings:
    ...     rate: float = 30.0
    ...     window: float = 0.1
    >>> Settings(window=0.2)
    Settings(window=0.2)
    """

    def summary(self: Any) -> str:
        changed = [one.name for one in fields(self) if one.repr and getattr(self, one.name) != one.default]
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in changed)})"

    kind.__repr__ = summary  # type: ignore[method-assign]  # a method of any dataclass
    return kind


def listed(words: Sequence[str], most: int = 3) -> str:
    """Return words separated by commas; of more than ``most``, the first and the number of the others.

    Examples
    --------
    >>> listed(["Hips", "Spine", "Neck", "Head"])
    'Hips, Spine, Neck and 1 more'
    """
    if len(words) <= most:
        return ", ".join(words)
    return f"{', '.join(words[:most])} and {len(words) - most} more"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}" if value.size > _MOST else str(value.tolist())
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, str | Mapping | Sequence) and not isinstance(value, str) and len(value) > _MOST:
        return f"{len(value)} items"
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
