"""Curves on the ground by arc length: points, positions along them, distances of other points from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segue.arrays import FARTHEST, Floats, frozen
from segue.errors import SettingError

_MOST_POINTS = 50_000_000
_SAME = 1e-9  # metres; points closer than this are the same


@dataclass(frozen=True, eq=False)
class GroundPath:
    """A polyline on the ground.

    Parameters
    ----------
    points
        (N, 2) x and z in metres, N at least 2, no two neighbours the same.
    lengths
        (N,) metres along the path to each point.
    """

    points: Floats
    lengths: Floats

    @staticmethod
    def through(points: npt.ArrayLike) -> GroundPath:
        """Path through points (N, 2): x and z in metres; consecutive equal points count once.

        Raises
        ------
        SettingError
            If fewer than two different points are given, or one is not finite or farther than 1e9 m.

        Examples
        --------
        >>> GroundPath.through([[0, 0], [3, 0], [3, 4]]).length
        7.0
        """
        every = np.asarray(points, dtype=np.float64)
        if every.ndim != 2 or every.shape[1] != 2:
            msg = f"a path is a list of points x, z; this has the shape {every.shape}"
            raise SettingError(msg)
        near = np.abs(every) <= FARTHEST
        if not near.all():
            row = int(np.flatnonzero(~near.all(axis=1))[0])
            msg = f"point {row + 1} of the path is {every[row].tolist()}; give finite metres, up to {FARTHEST:g}"
            raise SettingError(msg)
        steps = np.hypot(*np.diff(every, axis=0).T) if len(every) > 1 else np.zeros(0)
        kept = every[np.concatenate([[True], steps > _SAME])] if len(every) else every
        if len(kept) < 2:
            msg = f"a path needs two different points or more; {len(every)} given, {len(kept)} of them different"
            raise SettingError(msg)
        lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(kept, axis=0).T))])
        return GroundPath(frozen(kept), frozen(lengths))

    @property
    def length(self) -> float:
        """Metres from the first point to the last."""
        return float(self.lengths[-1])


def places(path: GroundPath, along: npt.ArrayLike) -> Floats:
    """Points (..., 2) at distances in metres along a path, clamped to its ends.

    Examples
    --------
    >>> places(GroundPath.through([[0, 0], [3, 0], [3, 4]]), [1.0, 5.0]).tolist()
    [[1.0, 0.0], [3.0, 2.0]]
    """
    at = np.asarray(along, dtype=np.float64)
    return np.stack([np.interp(at, path.lengths, path.points[:, axis]) for axis in (0, 1)], axis=-1)


def evenly(path: GroundPath, step: float) -> tuple[Floats, float]:
    """Points (L, 2) at equal distances along a path, both ends included, and the distance: at most ``step``.

    Raises
    ------
    SettingError
        If this takes more than fifty million points.
    """
    if path.length > _MOST_POINTS * step:
        msg = f"a path of {path.length:g} m is sampled every {step:g} m; at most {_MOST_POINTS:,} points are allowed"
        raise SettingError(msg)
    count = max(int(np.ceil(path.length / step - 1e-9)), 1)
    return places(path, np.linspace(0.0, path.length, count + 1)), path.length / count


def followed(points: Floats, path: GroundPath, *, slack: float = 0.3) -> tuple[Floats, Floats]:
    """Distance (F,) of each point of a trajectory from a path, and its arc length (F,) on the path, in metres.

    Only the part of the path that the trajectory can have reached is searched: the match begins at the path's
    start, never moves back, and advances from point to point no further than the trajectory did, plus up to
    ``slack`` unused from earlier points. A path that crosses itself is therefore followed in order.

    Parameters
    ----------
    points
        (F, 2) x and z in metres.

    Examples
    --------
    >>> import numpy as np
    >>> line = GroundPath.through([[0, 0], [2, 0]])
    >>> way = np.column_stack([np.linspace(0, 2, 9), np.full(9, 0.5)])
    >>> distance, along = followed(way, line)
    >>> distance.round(3).tolist()[-1], along.round(3).tolist()[-1]
    (0.5, 2.0)
    """
    fine, step = evenly(path, 0.01)
    arcs = np.concatenate([[0.0], np.hypot(*np.diff(points, axis=0).T)]) / step
    distance, along = np.empty(len(points)), np.empty(len(points))
    at, spare = 0, 0.0
    for k, point in enumerate(points):
        reach = spare + arcs[k]
        near = np.hypot(*(fine[at : at + int(reach) + 1] - point).T)
        best = int(np.argmin(near))
        at, spare = at + best, min(reach - best, slack / step)
        distance[k], along[k] = near[best], at * step
    return distance, along


def sharpest(points: Floats, within: float) -> Floats:
    """Change of direction (F,) in radians of a trajectory (F, 2), from ``within`` metres before to after each point.

    Zero where the trajectory is shorter than that on either side.
    """
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    sides = []
    for sign in (-1.0, 1.0):
        there = lengths + sign * within
        ends = np.stack([np.interp(there, lengths, points[:, axis]) for axis in (0, 1)], axis=-1)
        arrow = sign * (ends - points)
        arrow[(there < -_SAME) | (there > lengths[-1] + _SAME)] = np.nan
        sides.append(arrow[:, 0] + 1j * arrow[:, 1])
    with np.errstate(invalid="ignore"):
        turns = np.abs(np.angle(sides[1] * np.conj(sides[0])))
    out: Floats = np.nan_to_num(turns)
    return out
