"""How a notebook shows a motion: objects ask here, and whoever can draw registers here.

A clip lies floors below the player and must not look up. It inherits `Displayed`, whose ``_repr_html_`` asks the
function that was registered; where none was, a notebook shows the object's ordinary text.
"""

from __future__ import annotations

from collections.abc import Callable

Display = Callable[[object], "str | None"]
"""Gives an object as HTML for a notebook, or None where it cannot."""

_registered: list[Display] = []


def register(display: Display) -> None:
    """Let a function show everything that is `Displayed`, in place of the one registered before."""
    _registered[:] = [display]


class Displayed:
    """What a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """HTML that a notebook shows under a cell; None where nothing can draw."""
        return _registered[0](self) if _registered else None
