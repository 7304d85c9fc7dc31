"""A refusal is one sentence; and documents that every reader refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from segue.errors import SegueError

DEEP, LONG = "[" * 1200 + "]" * 1200, "9" * 5000


def refused(call: Callable[[], object]) -> str:
    """The one sentence with which a call is refused."""
    with pytest.raises(SegueError) as error:
        call()
    assert "\n" not in str(error.value)
    return str(error.value)
