"""Keyword arguments that a function does not take are settings that are not known."""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import signature
from typing import ParamSpec, TypeVar

from segue.errors import SettingError, nearest

P = ParamSpec("P")
T = TypeVar("T")


def names_checked(function: Callable[P, T]) -> Callable[P, T]:
    """Refuse keyword arguments that a function does not take with a `SettingError` that names the nearest.

    Examples
    --------
    >>> @names_checked
    ... def blended(*, seconds: float = 0.3) -> float:
    ...     return seconds
    >>> blended(second=0.2)
    Traceback (most recent call last):
    segue.errors.SettingError: blended takes no 'second'; nearest: seconds
    """
    known = list(signature(function).parameters)

    @functools.wraps(function)
    def called(*given: P.args, **words: P.kwargs) -> T:
        for name in words:
            if name not in known:
                raise SettingError(f"{function.__name__} takes no {name!r}; {nearest(name, known)}")
        return function(*given, **words)

    return called
