"""Pictures of the pages on concepts, from embedded clips."""

from __future__ import annotations

from collections.abc import Callable

from segue.pictures.canvas import Picture

PICTURES: dict[str, Callable[[], Picture]] = {}
