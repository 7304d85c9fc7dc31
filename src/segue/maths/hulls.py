"""The convex hull of a handful of places, as half-spaces, and the nearest place within it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import SettingError

_FLAT = 1e-9
_MOST_SIDES = 100_000


@dataclass(frozen=True, eq=False)
class Hull:
    """Places x with ``normals @ x <= limits``.

    Parameters
    ----------
    normals
        (H, P) unit vectors that point outwards.
    limits
        (H,) how far along its normal each half-space goes.
    flat
        (H,) 1 where the places have no extent along a normal: nothing can be extrapolated that way, else 0.
    """

    normals: Floats
    limits: Floats
    flat: Floats


def hull(places: Floats) -> Hull:
    """Convex hull of places (N, P); they may lie in a plane, on a line, or be a single one.

    Raises
    ------
    SettingError
        If they are so many in so many directions that the hull may have more sides than memory holds.

    Examples
    --------
    >>> import numpy as np
    >>> found = hull(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]))
    >>> found.limits.tolist(), found.flat.tolist()
    ([2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0])
    """
    middle = places.mean(axis=0)
    _, sizes, axes = np.linalg.svd(places - middle, full_matrices=True)
    rank = int(np.sum(sizes > _FLAT * max(1.0, float(np.abs(places).max()))))
    inside = axes[:rank]
    across = axes[rank:]
    along = (places - middle) @ inside.T
    if rank == 0:
        sides, far = np.empty((0, places.shape[1])), np.empty(0)
    elif rank == 1:
        sides = np.vstack([inside, -inside])
        far = np.array([along.max(), -along.min()])
    else:
        from scipy.spatial import ConvexHull, QhullError

        count, half = len(places), rank // 2
        if math.comb(max(count - rank + half, half), half) > _MOST_SIDES:
            msg = f"{count} places in {rank} directions may have too many sides; give fewer places or parameters"
            raise SettingError(msg)
        try:
            equations = np.unique(ConvexHull(along).equations.round(12), axis=0)
        except QhullError:
            msg = f"no hull lies around {count} places in {rank} directions; leave one of those out that lie flat"
            raise SettingError(msg) from None
        sides, far = equations[:, :-1] @ inside, -equations[:, -1]
    normals = np.vstack([sides, across, -across])
    limits = np.concatenate([far, np.zeros(2 * len(across))]) + normals @ middle
    if (
        rank == 1 and normals[0][np.argmax(np.abs(normals[0]))] < 0
    ):  # the sign of an axis is the solver's whim
        normals[[0, 1]], limits[[0, 1]] = normals[[1, 0]], limits[[1, 0]]
    flat = np.concatenate([np.zeros(len(far)), np.ones(2 * len(across))])
    return Hull(frozen(normals), frozen(limits + 0.0), frozen(flat))
