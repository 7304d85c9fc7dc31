"""Room for blocks that is used again: fresh memory is handed out page by page, which takes longer than some costs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import aligned

_MOST = 4 << 20
_KEPT: deque[npt.NDArray[np.uint8]] = deque(maxlen=4)
"""Rooms that nobody uses, none above 4 MiB; a deque is safe between threads."""


@contextmanager
def borrowed(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Iterator[npt.NDArray[Any]]:
    """Lend an array that begins on a cache line and holds any numbers; it must not be used afterwards.

    Examples
    --------
    >>> with borrowed((3, 16), "float32") as block:
    ...     block.ctypes.data % 64, block.shape
    (0, (3, 16))
    """
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    room = _room(size)
    try:
        yield room[:size].view(kind).reshape(shape)
    finally:
        if room.size <= _MOST:
            _KEPT.append(room)


def _room(size: int) -> npt.NDArray[np.uint8]:
    """Return a room of at least so many bytes; one that is too small is let go."""
    try:
        room = _KEPT.pop()
    except IndexError:
        return aligned((size,), np.uint8)
    return room if room.size >= size else aligned((size,), np.uint8)
