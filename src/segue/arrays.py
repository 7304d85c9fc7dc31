"""Array types: one alias per kind of array, so that a signature states what the array holds.

Letters: F frames, J joints, P sample points, N and M rows and columns of a cost matrix.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""Any float64 array."""
Quaternions: TypeAlias = npt.NDArray[np.float64]
"""(..., 4) unit quaternions, wxyz."""
Positions: TypeAlias = npt.NDArray[np.float64]
"""(..., 3) metres, Y up."""
Costs: TypeAlias = npt.NDArray[np.floating[Any]]
"""(N, M) float32 or float64 frame costs."""
Ints: TypeAlias = npt.NDArray[np.int64]
"""Indices."""
Bools: TypeAlias = npt.NDArray[np.bool_]
"""Flags."""

FARTHEST = 1e9
"""Largest coordinate and bone length in metres; its square is finite in float32 too."""
_CACHE_LINE = 64


def sealed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make an array that the caller owns read-only, so that `frozen` need not copy it."""
    array.flags.writeable = False
    return array


def read_only(array: Floats) -> Floats:
    """Return a contiguous read-only float64 view: a kernel is compiled once for each memory layout and writability."""
    out = np.ascontiguousarray(array, dtype=np.float64).view()
    out.flags.writeable = False
    return out


def aligned(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an array of zeros aligned to a cache line.

    numpy's arrays begin 16 bytes after one, so that every wide vector load or store of a kernel crosses two cache
    lines. Kernels whose rows fill complete cache lines run up to 1.5 times as fast on aligned arrays.

    Examples
    --------
    >>> aligned((3, 16), "float32").ctypes.data % 64
    0
    """
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    room = np.zeros(size + _CACHE_LINE, dtype=np.uint8)
    start = -room.ctypes.data % _CACHE_LINE
    out: npt.NDArray[Any] = room[start : start + size].view(kind).reshape(shape)
    return out


def frozen(array: npt.ArrayLike, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    """Return a contiguous read-only array, the form in which segue's dataclasses hold arrays.

    The array is copied unless it cannot be written already: read-only, contiguous and not a view.
    """
    if (
        isinstance(array, np.ndarray)
        and array.dtype == dtype
        and array.base is None
        and array.flags.c_contiguous
        and not array.flags.writeable
    ):
        return array
    copy: npt.NDArray[Any] = np.array(array, dtype=dtype, order="C")
    copy.flags.writeable = False
    return copy
