"""How a long job tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Takes the stage in words, how much of it is done, and how much there is."""


def silent(stage: str, done: int, total: int) -> None:
    """Report progress to nobody."""
