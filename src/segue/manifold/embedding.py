"""Coordinates of few dimensions that keep the distances of poses, by Isomap, PCA and multidimensional scaling.

Isomap (Tenenbaum, de Silva & Langford 2000) connects each pose with its nearest ones and measures distances along these
connections; the coordinates keep those lengths as well as few dimensions can. Multidimensional scaling keeps the
distances themselves, PCA the half rotation vectors of the joints. The residual variance measures the loss: ``1 - R^2``
between distances (for Isomap, lengths along connections) and those of the coordinates.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import SettingError, require_extra
from segue.summaries import one_line

By: TypeAlias = Literal["isomap", "pca", "mds"]
METHODS: tuple[By, ...] = get_args(By)
NEIGHBOURS = 7
"""Number of nearest poses with which each pose is connected (the thesis's value)."""
DIMENSIONS = 10
"""Largest number of dimensions tried."""
GAIN = 0.05
"""Share of one dimension's residual variance by which another dimension must lower it to be useful."""


@one_line
@dataclass(frozen=True, eq=False)
class Embedding:
    """Coordinates of poses and how well each number of dimensions keeps their distances.

    Parameters
    ----------
    by
        Method.
    coordinates
        (N, D) coordinates in order of importance, scaled to the distances they keep.
    variances
        (D,) residual variance of the first 1 to D of them.
    knee
        Number of useful dimensions.
    parts
        Connected components of the neighbour graph; if there are several they are joined where two come nearest.
    """

    by: By
    coordinates: Floats
    variances: Floats
    knee: int
    parts: int = 1


def embedded(
    distances: Floats, vectors: Floats, *, by: By = "isomap", neighbours: int = NEIGHBOURS
) -> Embedding:
    """Find coordinates of poses.

    Parameters
    ----------
    distances
        (N, N) distances of the poses.
    vectors
        (N, M) input of PCA: half rotation vectors of the joints.
    by
        ``"isomap"``, ``"pca"`` or ``"mds"``.
    neighbours
        Neighbours of each pose, for Isomap.

    Raises
    ------
    SettingError
        If the method is unknown or the neighbours are not 2 to N - 1.
    MissingExtraError
        For Isomap without scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> line = np.linspace(0.0, 3.0, 30)[:, None]
    >>> found = embedded(np.abs(line - line.T), line, by="mds")
    >>> found.knee, bool(found.variances[0] < 1e-9)
    (1, True)
    """
    count = len(distances)
    if by not in METHODS:
        msg = f"there is no method {by!r}; choose {', '.join(METHODS)}"
        raise SettingError(msg)
    if not 2 <= neighbours < count:
        msg = f"{neighbours} neighbours of {count} poses are not possible; give 2 to {count - 1}"
        raise SettingError(msg)
    most = min(DIMENSIONS, count - 1)
    kept, parts = distances, 1
    if by == "isomap":
        coordinates, kept, parts = _isomap(distances, neighbours, most)
    elif by == "mds":
        coordinates = classical_scaling(distances, most)
    else:
        coordinates = principal(vectors, most)
    variances = residual_variances(kept, coordinates)
    return Embedding(by, frozen(coordinates), frozen(variances), knee(variances), parts)


def residual_variances(distances: Floats, coordinates: Floats) -> Floats:
    """Compute the residual variance (D,) of the first 1 to D coordinates: ``1 - R^2`` over all pairs of poses.

    Examples
    --------
    >>> import numpy as np
    >>> places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
    >>> residual_variances(apart, places).round(2).tolist()
    [0.89, 0.0]
    """
    upper = np.triu_indices(len(distances), 1)
    wanted = distances[upper]
    wanted = wanted - wanted.mean()
    total = float(wanted @ wanted)
    squares = np.zeros(len(wanted))
    out = np.ones(coordinates.shape[1])
    for k, axis in enumerate(coordinates.T):
        squares += (axis[upper[0]] - axis[upper[1]]) ** 2
        found = np.sqrt(squares)
        found -= found.mean()
        both = total * float(found @ found)
        out[k] = 1.0 - (float(wanted @ found) ** 2 / both if both > 0 else 0.0)
    return np.maximum(out, 0.0)


def knee(variances: Floats) -> int:
    """Find the last useful dimension: the next one lowers the residual variance by less than `GAIN` of the first's.

    Parameters
    ----------
    variances
        (D,) residual variances of 1 to D dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> knee(np.array([0.46, 0.05, 0.05, 0.05])), knee(np.array([0.44, 0.12, 0.04, 0.03]))
    (2, 3)
    """
    worth = -np.diff(variances) >= GAIN * variances[0]
    if variances[0] < 1e-12:
        return 1
    return int(np.argmin(np.append(worth, False))) + 1


def classical_scaling(distances: Floats, dimensions: int) -> Floats:
    """Compute coordinates (N, D) by classical multidimensional scaling, from the centred squared distances."""
    from scipy.linalg import eigh

    count = len(distances)
    squares = distances * distances
    mean = squares.mean(axis=0)
    inner = -0.5 * (squares - mean - mean[:, None] + squares.mean())
    values, axes = eigh(inner, subset_by_index=[count - dimensions, count - 1])
    out: Floats = axes[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
    return _signed(out)


def principal(vectors: Floats, dimensions: int) -> Floats:
    """Compute coordinates (N, D) along the principal components of vectors (N, M); zero where there are no more."""
    centred = vectors - vectors.mean(axis=0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    out = np.zeros((len(vectors), dimensions))
    kept = min(dimensions, len(s))
    out[:, :kept] = u[:, :kept] * s[:kept]
    return _signed(out)


def _signed(coordinates: Floats) -> Floats:
    """Coordinates with the largest along each axis positive, so that signs are reproducible."""
    largest = coordinates[np.abs(coordinates).argmax(axis=0), np.arange(coordinates.shape[1])]
    out: Floats = coordinates * np.where(largest < 0, -1.0, 1.0)
    return out


def _isomap(distances: Floats, neighbours: int, dimensions: int) -> tuple[Floats, Floats, int]:
    """Coordinates, lengths along connections, and the number of connected components."""
    require_extra("fitting a small space", "learn")
    from scipy.sparse.csgraph import connected_components
    from sklearn.manifold import Isomap

    # The dense solver needs no random start vector.
    model = Isomap(
        n_neighbors=neighbours,
        n_components=dimensions,
        metric="precomputed",
        eigen_solver="dense",
        path_method="D",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # several components are counted below
        coordinates = model.fit_transform(distances)
    parts, _ = connected_components(model.nbrs_.kneighbors_graph(mode="distance"), directed=False)
    return _signed(np.asarray(coordinates)), np.asarray(model.dist_matrix_), int(parts)
