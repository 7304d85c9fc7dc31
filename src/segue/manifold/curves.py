"""Curves in a small space: straight lines between visited poses, or along captured ones.

Straight lines are what the thesis drew between random frames. They cross poses that were never captured: the middle
of a loop is not a pose of a walk. A forward route follows captured poses in order of time, and changes to another
stretch where two come near.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from segue.arrays import Floats, Ints
from segue.errors import SettingError, nearest
from segue.manifold.space import Space, smoothed, velocities_of
from segue.motion.flags import runs

Route: TypeAlias = Literal["forward", "straight"]
ROUTES: tuple[Route, ...] = get_args(Route)
_NEAR = 7
"""Poses in the same clip that are too near in time to change to."""
_AHEAD, _OVER, _BACK = 1.0, 3.0, 6.0
"""Costs of a step ahead, a change and a step back, in poses; a change costs more the farther it is."""


def row_of(space: Space, clip: str, seconds: float) -> int:
    """Return the row of the pose nearest to a moment of a clip.

    Raises
    ------
    SettingError
        If the space lacks the clip, or no pose of it is within half a second of the moment.
    """
    if clip not in space.clips:
        msg = f"the space holds no clip {clip!r}; {nearest(clip, space.clips)}"
        raise SettingError(msg)
    rows = np.flatnonzero(space.clip == space.clips.index(clip))
    if not rows.size:
        msg = f"no frame of clip {clip!r} could be used; visit another clip"
        raise SettingError(msg)
    at = space.frame[rows] / space.fps
    best = int(np.argmin(np.abs(at - seconds)))
    if abs(float(at[best]) - seconds) > 0.5:
        msg = f"clip {clip!r} is known from {at[0]:g} to {at[-1]:g} s; {seconds:g} s is no moment of it"
        raise SettingError(msg)
    return int(rows[best])


def stretch(space: Space, clip: str | None = None) -> Ints:
    """Return the rows of the longest unbroken stretch of a clip, by default of the first one.

    Raises
    ------
    SettingError
        If the space lacks the clip.
    """
    row = row_of_clip(space, clip or space.clips[0])
    own = space.clip == space.clip[row]
    joined = space.follows & own
    spans = runs(joined) or [(row, row)]
    start, stop = max(spans, key=lambda span: span[1] - span[0])
    return np.arange(start, stop + 1)


def row_of_clip(space: Space, clip: str) -> int:
    """Return the first row of a clip.

    Raises
    ------
    SettingError
        If the space lacks the clip.
    """
    if clip not in space.clips:
        msg = f"the space holds no clip {clip!r}; {nearest(clip, space.clips)}"
        raise SettingError(msg)
    rows = np.flatnonzero(space.clip == space.clips.index(clip))
    if not rows.size:
        msg = f"no frame of clip {clip!r} could be used; choose another clip"
        raise SettingError(msg)
    return int(rows[0])


def through(space: Space, rows: Sequence[int], *, route: Route = "forward") -> Floats:
    """Return coordinates (M, D), one for each pose, of a curve through visited poses in turn.

    Parameters
    ----------
    space
        The space.
    rows
        Two or more poses.
    route
        ``"forward"`` along captured poses, ``"straight"`` in straight lines at the usual pace.

    Raises
    ------
    SettingError
        If fewer than two poses are visited, or the route is unknown.
    """
    if route not in ROUTES:
        msg = f"there is no route {route!r} through a space; choose {' or '.join(ROUTES)}"
        raise SettingError(msg)
    if len(rows) < 2:
        msg = f"{len(rows)} visited poses make no curve; give two or more"
        raise SettingError(msg)
    return _forward(space, rows) if route == "forward" else _straight(space, rows)


def at_random(space: Space, count: int, *, rng: np.random.Generator) -> list[int]:
    """Draw rows of poses at random, no pose twice in succession.

    Raises
    ------
    SettingError
        If fewer than two are requested, or more than 1000.
    """
    if not 2 <= count <= 1000:
        msg = f"{count} poses at random are not possible; give 2 to 1000"
        raise SettingError(msg)
    out = [int(rng.integers(len(space.clip)))]
    while len(out) < count:
        row = int(rng.integers(len(space.clip)))
        if row != out[-1]:
            out.append(row)
    return out


def pace_of(space: Space) -> float:
    """Compute the median distance in the space from a captured pose to the next."""
    velocities = velocities_of(space.coordinates, space.follows)[space.follows]
    return max(float(np.median(np.linalg.norm(velocities, axis=1))) if len(velocities) else 0.0, 1e-9)


def _straight(space: Space, rows: Sequence[int]) -> Floats:
    pace = pace_of(space)
    points = space.coordinates[list(rows)]
    parts = [points[:1]]
    for a, b in itertools.pairwise(points):
        count = max(int(np.ceil(np.linalg.norm(b - a) / pace)), 1)
        share = np.arange(1, count + 1)[:, None] / count
        parts.append(a + share * (b - a))
    return np.concatenate(parts)


def _forward(space: Space, rows: Sequence[int]) -> Floats:
    from scipy.sparse.csgraph import dijkstra

    graph = _roads(space)
    nodes = [int(rows[0])]
    for a, b in itertools.pairwise(rows):
        lengths, before = dijkstra(graph, indices=np.array([a]), return_predecessors=True)
        if not np.isfinite(lengths[0, b]):
            nodes.append(int(b))
            continue
        back = [int(b)]
        while back[-1] != a:
            back.append(int(before[0, back[-1]]))
        nodes += back[-2::-1]
    return smoothed(space.coordinates[nodes])


def _roads(space: Space) -> Any:
    """Sparse graph (N, N) of steps ahead, steps back, and changes to near poses."""
    from scipy.sparse import csr_array
    from scipy.spatial import cKDTree

    count = len(space.clip)
    pace = pace_of(space)
    near = min(3 * _NEAR + 1, count)
    found = cKDTree(space.coordinates).query(space.coordinates, k=near)
    apart, other = np.asarray(found[0]), np.asarray(found[1])
    start = np.repeat(np.arange(count), near)
    stop, far = other.ravel(), apart.ravel()
    same = (space.clip[start] == space.clip[stop]) & (np.abs(space.frame[start] - space.frame[stop]) <= _NEAR)
    start, stop, far = start[~same], stop[~same], far[~same]
    ahead = np.flatnonzero(space.follows)
    a = np.concatenate([start, ahead, ahead + 1])
    b = np.concatenate([stop, ahead + 1, ahead])
    cost = np.concatenate(
        [_OVER + (far / pace) ** 2, np.full(len(ahead), _AHEAD), np.full(len(ahead), _BACK)]
    )
    return csr_array((cost, (a, b)), shape=(count, count))


def resampled_curve(
    coordinates: Floats, ratio: float, *, seconds: float | None = None, rate: float = 1.0
) -> Floats:
    """Resample coordinates linearly to (K, D), at ``ratio`` times the rate.

    With ``seconds``, the complete curve lasts that long at ``rate`` new coordinates a second.

    Examples
    --------
    >>> resampled_curve(np.array([[0.0], [1.0], [2.0]]), 2.0).ravel().tolist()
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    last = len(coordinates) - 1
    count = round(last * ratio) + 1 if seconds is None else round(seconds * rate) + 1
    at = np.linspace(0.0, last, max(count, 1))
    old = np.arange(len(coordinates))
    return np.stack([np.interp(at, old, axis) for axis in coordinates.T], axis=1)
