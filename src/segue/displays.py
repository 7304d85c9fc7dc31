"""Display of motions in notebooks: the player registers its function here, and motions call it.

`segue.motion` must not import the player. A clip inherits `Displayed`, whose ``_repr_html_`` calls the registered
function; without one, the notebook shows the object's repr.
"""

from __future__ import annotations

from collections.abc import Callable

Display = Callable[[object], "str | None"]
"""Returns the HTML of an object, or None for an object it cannot show."""

_registered: list[Display] = []


def register(display: Display) -> None:
    """Register the function that shows every `Displayed` object; it replaces the one registered before."""
    _registered[:] = [display]


class Displayed:
    """Base class of objects that a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return _registered[0](self) if _registered else None
