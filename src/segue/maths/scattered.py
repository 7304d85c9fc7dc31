"""Scattered interpolation: the weight of each example at a point in a space of named parameters.

There are two kinds of weights over the same examples. *Pose weights* are a least-squares hyperplane plus
radial functions fitted to its residual (Sloan, Rose & Cohen 2001 as used by Park et al. 2004, eq. 2 to 5):
they reproduce every linear function of the parameters and may be negative, which allows extrapolation.
*Timewarp weights* (Park et al., eq. 10) are the mean plus radial functions that end before the next example:
never negative, so that time always advances.

`hull` is the convex hull of a few points as half-spaces; `nearest_reachable` finds the nearest point within it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, frozen
from segue.errors import SettingError

_SAME = 1e-9
_PEAK = 2.0 / 3.0  # of the cubic B-spline


def cubic_b_spline(x: Floats) -> Floats:
    """Cubic B-spline of unit knots around 0: 2/3 at 0, 1/6 at 1, 0 from 2 on.

    Examples
    --------
    >>> import numpy as np
    >>> cubic_b_spline(np.array([0.0, 1.0, 2.0, 3.0])).round(4).tolist()
    [0.6667, 0.1667, 0.0, 0.0]
    """
    away = np.abs(x)
    near = _PEAK - away * away * (1.0 - 0.5 * away)
    far = np.maximum(2.0 - away, 0.0) ** 3 / 6.0
    out: Floats = np.where(away < 1.0, near, far)
    return out


@dataclass(frozen=True, eq=False)
class Scattered:
    """Examples at points in parameter space, and the coefficients of their weights.

    Parameters
    ----------
    places
        (N, P) parameters of the examples, each divided by its scale.
    scale
        (P,) divisor of each parameter that makes their units comparable.
    linear
        (P + 1, N) hyperplane of each example's pose weight: the constant, then one slope per parameter.
    radial
        (N, N) column i: coefficients of example i's pose weight over the radial functions of all examples.
    reach
        (N,) distance from each example to its nearest neighbour.
    """

    places: Floats
    scale: Floats
    linear: Floats
    radial: Floats
    reach: Floats

    @property
    def n_examples(self) -> int:
        """Number of examples N."""
        return int(self.places.shape[0])


def scattered(parameters: npt.ArrayLike, *, scale: npt.ArrayLike = 1.0) -> Scattered:
    """Fit the weights of examples.

    Parameters
    ----------
    parameters
        (N, P) named numbers of each example, in their own units.
    scale
        (P,) or one number: divisor of the parameters.

    Raises
    ------
    SettingError
        If there is no example, a number is not finite, a scale is not positive, two examples have the same
        parameters (no interpolation can match both), or no weights fit all of them.

    Examples
    --------
    >>> fitted = scattered([[0.0], [1.0], [2.0]])
    >>> pose_weights(fitted, [1.0]).round(6).tolist(), timewarp_weights(fitted, [9.0]).round(3).tolist()
    ([0.0, 1.0, 0.0], [0.333, 0.333, 0.333])
    """
    given = np.asarray(parameters, dtype=np.float64)
    if given.ndim != 2 or given.shape[0] == 0:
        msg = f"parameters must be (N, P) with at least one example, not {given.shape}"
        raise SettingError(msg)
    count, width = given.shape
    factor = np.asarray(scale, dtype=np.float64)
    if factor.shape not in {(), (1,), (width,)}:
        msg = f"{width} parameters need as many scales, or one for all, not {factor.shape}"
        raise SettingError(msg)
    factor = np.broadcast_to(factor, (width,))
    if not (np.all(np.isfinite(given)) and np.all(np.isfinite(factor)) and np.all(factor > 0)):
        msg = "parameters must be finite numbers and scales positive ones"
        raise SettingError(msg)
    places = given / factor
    apart = np.linalg.norm(places[:, None] - places[None, :], axis=-1)
    np.fill_diagonal(apart, np.inf)
    reach = apart.min(axis=1) if count > 1 else np.ones(1)
    if np.any(reach < _SAME):
        a = int(np.argmin(reach))
        msg = (
            f"examples {a} and {int(np.argmin(apart[a]))} have the same parameters "
            f"{given[a].tolist()}: keep one of them"
        )
        raise SettingError(msg)
    # Eq. 2 and 3, about the mean: where the examples leave directions undetermined, the weights still sum to
    # 1 (decision 93).
    middle = places.mean(axis=0)
    linear = np.linalg.lstsq(np.column_stack([np.ones(count), places - middle]), np.eye(count), rcond=None)[0]
    linear[0] -= middle @ linear[1:]
    basis = np.column_stack([np.ones(count), places])
    np.fill_diagonal(apart, 0.0)
    # Row: place of an example, column: radial function (eq. 4).
    bumps = cubic_b_spline(apart / reach[None, :])
    try:
        radial = np.linalg.solve(bumps, np.eye(count) - basis @ linear)  # eq. 5: residual of the hyperplane
    except np.linalg.LinAlgError:
        msg = f"no weights fit all {count} examples; leave one out"
        raise SettingError(msg) from None
    return Scattered(frozen(places), frozen(factor), frozen(linear), frozen(radial), frozen(reach))


def pose_weights(fitted: Scattered, parameters: npt.ArrayLike) -> Floats:
    """Pose weights (..., N) at parameters (..., P): 1 at an example's own parameters, 0 at the others', sum 1.

    Linear functions of the parameters are reproduced exactly: the weighted mean of the examples' parameters
    equals the requested parameters, inside and outside their hull (Park et al. 2004, eq. 2 to 5).
    """
    place, away = _measured(fitted, parameters)
    bumps = cubic_b_spline(away / fitted.reach)
    out: Floats = fitted.linear[0] + place @ fitted.linear[1:] + bumps @ fitted.radial
    return out


def timewarp_weights(fitted: Scattered, parameters: npt.ArrayLike) -> Floats:
    """Timewarp weights (..., N) at parameters (..., P): never negative, unlike pose weights (Park et al. 2004, eq. 10).

    Each example's support ends at its nearest neighbour. Where supports sum to more than 1, which can happen
    in many dimensions, they are divided by their sum.
    """
    _, away = _measured(fitted, parameters)
    support = cubic_b_spline(2.0 * away / fitted.reach) / _PEAK  # eq. 10: 0 from the next example on
    total = support.sum(axis=-1, keepdims=True)
    support = support / np.maximum(total, 1.0)
    left = np.maximum(1.0 - support.sum(axis=-1, keepdims=True), 0.0)
    out: Floats = support + left / fitted.n_examples
    return out


def _measured(fitted: Scattered, parameters: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Scaled parameters (..., P) and their distances (..., N) to the examples."""
    place = np.asarray(parameters, dtype=np.float64) / fitted.scale
    away: Floats = np.linalg.norm(place[..., None, :] - fitted.places, axis=-1)
    return place, away


Reached = Literal["inside", "outside", "clamped"]


def nearest_reachable(
    fitted: Scattered, parameters: npt.ArrayLike, *, beyond: float = 0.25
) -> tuple[Floats, Reached]:
    """Return the requested parameters if the examples reach them, else the nearest parameters that they reach.

    Examples reach everything inside their convex hull, and points outside it up to ``beyond`` past each of
    its sides, in scaled units, but nothing past a side along whose normal they have no extent.

    Parameters
    ----------
    fitted
        The examples.
    parameters
        (P,) requested parameters.
    beyond
        How far outside the hull weights may extrapolate, in scaled units.

    Returns
    -------
    tuple
        Parameters (P,) in their own units, and ``"inside"``, ``"outside"`` (extrapolated) or ``"clamped"``.

    Examples
    --------
    >>> found, how = nearest_reachable(scattered([[0.0], [2.0]]), [5.0])
    >>> found.round(6).tolist(), how
    ([2.25], 'clamped')
    """
    from segue.maths._kernels import into_hull

    place = np.array(parameters, dtype=np.float64) / fitted.scale
    if not np.all(np.isfinite(place)):
        msg = f"parameters must be finite numbers, not {np.asarray(parameters).tolist()}"
        raise SettingError(msg)
    around = hull(fitted.places)
    how = into_hull(place, around.normals, around.limits, around.flat, float(beyond))
    words: tuple[Reached, ...] = ("inside", "outside", "clamped")
    return place * fitted.scale, words[how]


_FLAT = 1e-9
_MOST_SIDES = 100_000


@dataclass(frozen=True, eq=False)
class Hull:
    """Points x with ``normals @ x <= limits``.

    Parameters
    ----------
    normals
        (H, P) unit vectors that point outwards.
    limits
        (H,) offset of each half-space along its normal.
    flat
        (H,) 1 where the points have no extent along a normal, so that nothing can be extrapolated along it, else 0.
    """

    normals: Floats
    limits: Floats
    flat: Floats


def hull(places: Floats) -> Hull:
    """Convex hull of points (N, P), which may also lie in a plane, on a line, or be a single point.

    Raises
    ------
    SettingError
        If there are so many points in so many directions that the hull may have more sides than memory holds.

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
            msg = f"{count} points in {rank} directions may have too many sides; give fewer points or parameters"
            raise SettingError(msg)
        try:
            equations = np.unique(ConvexHull(along).equations.round(12), axis=0)
        except QhullError:
            msg = f"{count} points in {rank} directions have no convex hull; remove a degenerate one"
            raise SettingError(msg) from None
        sides, far = equations[:, :-1] @ inside, -equations[:, -1]
    normals = np.vstack([sides, across, -across])
    limits = np.concatenate([far, np.zeros(2 * len(across))]) + normals @ middle
    if (
        rank == 1 and normals[0][np.argmax(np.abs(normals[0]))] < 0
    ):  # the solver chooses the sign of an axis arbitrarily
        normals[[0, 1]], limits[[0, 1]] = normals[[1, 0]], limits[[1, 0]]
    flat = np.concatenate([np.zeros(len(far)), np.ones(2 * len(across))])
    return Hull(frozen(normals), frozen(limits + 0.0), frozen(flat))
