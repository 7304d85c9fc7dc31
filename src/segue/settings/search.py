"""Settings of the search for transition points, and the bounds of a seam."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import signature
from typing import ParamSpec, Protocol, TypeVar

from segue.errors import SettingError, nearest
from segue.settings.words import FIXED, SearchMethod, SearchMode


class _Windowed(Protocol):
    """Properties of a prepared clip that a search needs."""

    @property
    def half_window(self) -> int: ...

    @property
    def rate(self) -> float: ...


@dataclass(frozen=True)
class SearchSettings:
    """Settings of the search for transition points.

    Parameters
    ----------
    method
        ``"local"``: every local minimum of the cost matrix (Kovar et al. 2002). ``"sectors"``: the cell of least
        cost in each square sector (the source's section 4.5).
    mode
        ``"centre"`` or ``"source"``, see `segue.transitions.pruning`.
    blend_seconds
        Length of the blend for which both clips must have enough frames at a point.
    sector_seconds
        Side of a sector; the source's 50 frames at 30 a second by default. Never shorter than the blend.

    Raises
    ------
    SettingError
        If a method or mode is unknown or a length is not possible.
    """

    method: SearchMethod = "local"
    mode: SearchMode = "centre"
    blend_seconds: float = FIXED
    sector_seconds: float = 50.0 / 30.0

    def __post_init__(self) -> None:
        check_mode(self.mode)
        _one_of(self.method, ("local", "sectors"), "method")
        if not 0 < self.blend_seconds <= 2:
            msg = f"blend_seconds={self.blend_seconds}: transition points are searched for blends up to 2 s long"
            raise SettingError(msg)
        if self.method == "sectors" and not self.blend_seconds <= self.sector_seconds < math.inf:
            msg = (
                f"sector_seconds={self.sector_seconds:.3g}: a sector is never shorter than the blend, "
                f"{self.blend_seconds:.3g} s, and has an end"
            )
            raise SettingError(msg)

    def length(self, rate: float) -> int:
        """Return the blend length k in frames, at least 1."""
        return max(1, round(self.blend_seconds * rate))

    def sector(self, rate: float) -> int:
        """Return the side of a sector in frames, at least the blend length."""
        return max(self.length(rate), round(self.sector_seconds * rate))

    def band(self, prepared: _Windowed) -> int:
        """Return the frames excluded on either side of the diagonal of a clip against itself: window + blend length."""
        return 2 * prepared.half_window + self.length(prepared.rate)


@dataclass(frozen=True)
class SeamBounds:
    """Bounds of a seam: speed within ``speed_factor`` times the sources' plus ``speed_extra`` rad/s."""

    speed_factor: float = 1.5
    speed_extra: float = math.radians(10.0)
    acceleration_factor: float = 1.5


def check_mode(mode: str) -> None:
    """Raise `SettingError` unless ``mode`` is known; the message names the nearest."""
    _one_of(mode, ("centre", "source"), "mode")


def _one_of(word: str, known: Iterable[str], what: str) -> None:
    if word not in known:
        msg = f"unknown {what} {word!r}; {nearest(word, known)}"
        raise SettingError(msg)


P = ParamSpec("P")
T = TypeVar("T")


def names_checked(public: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that refuses unknown keyword arguments with a `SettingError` that names the nearest.

    Parameters
    ----------
    public
        Public name of the function.

    Examples
    --------
    >>> @names_checked("blended")
    ... def made(*, seconds: float = 0.3) -> float:
    ...     return seconds
    >>> made(second=0.2)
    Traceback (most recent call last):
    segue.errors.SettingError: blended takes no 'second'; nearest: seconds
    """

    def checked(function: Callable[P, T]) -> Callable[P, T]:
        known = list(signature(function).parameters)

        @functools.wraps(function)
        def called(*given: P.args, **words: P.kwargs) -> T:
            for name in words:
                if name not in known:
                    raise SettingError(f"{public} takes no {name!r}; {nearest(name, known)}")
            return function(*given, **words)

        return called

    return checked
