"""The shape vocabulary: one alias per kind of array, so that a signature says what it holds.

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


def frozen(array: npt.ArrayLike, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    """Return a contiguous read-only copy, as every dataclass of segue holds its arrays."""
    copy: npt.NDArray[Any] = np.array(array, dtype=dtype, order="C")
    copy.flags.writeable = False
    return copy
