"""Two clips that hold the same motion, entirely or in part.

A transition between copies would only jump from a moment to itself, so copies are recognised, reported and
not joined. Clips that share only a part are joined, because a transition there leads to another continuation.
Two criteria identify copies. A motion saved again, at another rate or cut, costs almost nothing along one
diagonal of the cost matrix. A motion converted to another skeleton always has a cost, because the bones
differ, but its body parts still rise and fall alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints, Positions
from segue.costs.protocol import Cloud, Prepared
from segue.maths.planar import fit
from segue.transitions.lags import Signal, at_rest, best_lag, signal

LIMIT = 0.35
"""Copies cost less than this many next-frame costs; a copy offset by half a frame costs a quarter of one."""
POSTURE_LIMIT = 0.02
"""Largest posture residual of copies. Converters leave up to 0.010; two takes of one action differ by 0.038 up."""
PATH_LIMIT = 0.06
"""Largest distance of copies' paths on the ground, as a share of the path's extent. Converters leave up to 0.023."""
SECONDS = 1.0
"""Shortest shared stretch that counts, in seconds."""
WHOLE = 0.8
"""Two clips are complete copies if they share at least this much of the shorter one."""

STILL_GAP = 0.001
"""Largest distance in metres between the body parts of copies that stand still."""
_CELLS = 1 << 17
"""Cells searched for runs in one pass: few, so that they fit a core's own cache."""
_ROWS = 16
"""Fewest rows searched for runs in one pass, however long they are."""

Run = tuple[int, int, int]
"""First row and column of a diagonal line, and its length."""
_HEIGHTS: WeakKeyDictionary[Cloud, Signal] = WeakKeyDictionary()


@dataclass(frozen=True)
class SharedMotion:
    """A stretch that two clips share: rows ``a ... a + length - 1`` are columns ``b ... b + length - 1``.

    ``share`` is its share of the shorter clip's rows; ``seconds`` its duration.
    """

    a: int
    b: int
    length: int
    share: float
    seconds: float

    @property
    def whole(self) -> bool:
        """Whether the two clips are complete copies rather than share only a part."""
        return self.share >= WHOLE


def shared_motion(
    values: Costs, *, next_frame_a: Floats, next_frame_b: Floats, rate: float, limit: float = LIMIT
) -> SharedMotion | None:
    """Find the longest stretch that two clips share according to its costs, or None.

    Parameters
    ----------
    values
        (N, M) costs of the two clips.
    next_frame_a, next_frame_b
        (N-1,) and (M-1,) cost of each row's moment against the next one of the same clip.
    rate
        Frames a second of rows and columns.
    limit
        Share of the next-frame costs; see `LIMIT`.

    Notes
    -----
    Every cell of the stretch costs at most ``limit`` times the next-frame cost there or its median, whichever is
    larger, and the stretch's mean is at most ``limit`` times its mean next-frame cost, so that two people who stand
    still are not copies. A stretch counts from `SECONDS` on, or when it covers `WHOLE` of the shorter clip.

    Examples
    --------
    >>> import numpy as np
    >>> frames = np.arange(60.0)
    >>> steps = np.ones(59)
    >>> one = (frames[:, None] - frames[None, 10:]) ** 2
    >>> shared_motion(one, next_frame_a=steps, next_frame_b=steps[10:], rate=30.0)
    SharedMotion(a=10, b=0, length=50, share=1.0, seconds=1.6333333333333333)
    """
    limits = limits_of(next_frame_a, next_frame_b, limit=limit)
    if min(values.shape) < 2 or limits is None:
        return None
    run = longest_run(values, limits)

    def diagonal(row: int, column: int, count: int) -> Costs:
        step = np.arange(count)
        return values[row + step, column + step]

    steps = next_frame_a, next_frame_b
    return shared_run(run, values.shape, steps, rate, diagonal, limit=limit)


def longest_run(values: Costs, limits: Floats) -> Run:
    """Row, column and length of the longest unbroken diagonal line of cells at or below their row's limit (N,).

    Among equally long lines that of the lowest diagonal, and there the first; length 0 if no cell is low enough.

    Examples
    --------
    >>> import numpy as np
    >>> longest_run(np.array([[9.0, 1.0, 9.0], [9.0, 9.0, 1.0]]), np.array([2.0, 2.0]))
    (0, 1, 2)
    """
    return longer_run(values, limits, 0, np.zeros(values.shape[1] + 1, dtype=np.int64), (0, 0, 0))


def longer_run(values: Costs, limits: Floats, first: int, before: Ints, best: Run) -> Run:
    """Continue the search of `longest_run` in further rows (R, M), the first of which is row ``first``.

    ``before`` (M + 1,) holds the length of the run that ends in each column of the previous row, shifted by
    one, and is updated to the last of these rows; ``best`` is the longest run so far.
    """
    n, m = values.shape
    height = max(_ROWS, _CELLS // max(m, 1))
    for top in range(0, n, height):
        under = values[top : top + height] <= limits[top : top + height, None]
        if under.any():
            best = _longer_in_band(under, first + top, before, best)
        else:
            before[:] = 0
    return best


def _longer_in_band(under: Bools, top: int, before: Ints, best: Run) -> Run:
    """`longer_run` in a band of rows whose flags (R, M) begin at row ``top``, at least one of them set."""
    n, m = under.shape
    first, last = under.copy(), under.copy()
    # ``greater`` of two flags is true where the first is set and the second is not.
    np.greater(under[1:, 1:], under[:-1, :-1], out=first[1:, 1:])
    np.greater(under[:-1, :-1], under[1:, 1:], out=last[:-1, :-1])

    def along(flags: Bools) -> Ints:
        """Indices of flagged cells, numbered along one diagonal after the other."""
        i, j = np.divmod(np.flatnonzero(flags), m)
        return np.sort((j - i + n) * n + i)

    begins, ends = along(first), along(last)
    lengths = ends - begins + 1
    going_on, reaching = np.flatnonzero(under[0]), np.flatnonzero(under[-1])
    lengths[np.searchsorted(begins, (going_on + n) * n)] += before[going_on]
    before[:] = 0
    before[reaching + 1] = lengths[np.searchsorted(ends, (reaching + 1) * n + n - 1)]
    longest = int(np.argmax(lengths))
    length = int(lengths[longest])
    line, row = divmod(int(ends[longest]), n)
    offset = line - n - top
    if length > best[2] or (length == best[2] and offset < best[1] - best[0]):
        start = top + row + 1 - length
        return start, start + offset, length
    return best


def limits_of(next_frame_a: Floats, next_frame_b: Floats, *, limit: float = LIMIT) -> Floats | None:
    """Highest cost (N,) of a cell of a shared stretch in each row; None if a clip has no next frame."""
    if not len(next_frame_a) or not len(next_frame_b):
        return None
    median = min(_median(next_frame_a), _median(next_frame_b))
    out: Floats = limit * np.maximum(np.append(next_frame_a, next_frame_a[-1]), median)
    return out


def _median(values: Floats) -> float:
    """Same as `numpy.median`, five times faster for short arrays."""
    line, middle = np.sort(values), len(values) // 2
    return float(line[middle] if len(values) % 2 else (line[middle - 1] + line[middle]) / 2)


def shared_run(
    run: tuple[int, int, int],
    shape: tuple[int, int],
    next_frame: tuple[Floats, Floats],
    rate: float,
    diagonal: Callable[[int, int, int], Costs],
    *,
    limit: float = LIMIT,
) -> SharedMotion | None:
    """Convert the longest run (row, column, length) to the result of `shared_motion`; None if it does not qualify.

    ``diagonal`` returns the costs of a number of cells along the diagonal from a row and column.
    """
    a, b, length = run
    if min(shape) < 2 or length < 2:
        return None
    share = length / min(shape)
    if (length - 1) / rate < SECONDS and share < WHOLE:
        return None
    here = float(np.mean(diagonal(a, b, length)))
    moving = float(np.mean(next_frame[0][a : a + length - 1]))
    if here > limit * moving:
        return None
    return SharedMotion(a, b, length, share, (length - 1) / rate)


def of_both_signs(a: Prepared, b: Prepared, shared: SharedMotion | None) -> SharedMotion | None:
    """Shared motion by cost if both clips follow the same path on it, else by posture."""
    if shared is None or not follows_same_path(a, b, shared):
        return same_postures(a, b)
    return shared


def same_postures(a: Prepared, b: Prepared) -> SharedMotion | None:
    """Return the shared stretch if two clips are complete copies by the heights of body parts, whatever the bones.

    The height of every body part above the body's mean height is compared over time. At the best shift that
    keeps at least `WHOLE` of the shorter clip overlapping, the squared difference of these curves about their
    means, as a share of their own squares, must be at most `POSTURE_LIMIT`; and the two ground paths, aligned
    and scaled to the same size, must agree within `PATH_LIMIT` of their extent. If no part of either clip
    rises or falls, all parts must be in the same places instead.
    """
    parts = sorted(set(a.cloud.parts) & set(b.cloud.parts))
    n, m = len(a.cloud.points), len(b.cloud.points)
    need = math.ceil(WHOLE * min(n, m))
    if not parts or min(a.n, b.n) < 2 or (need - 1) / a.rate < SECONDS:
        return None
    here, there = _heights(a.cloud, parts), _heights(b.cloud, parts)
    lag: int | None
    if at_rest(here) and at_rest(there):
        lag = 0 if _same_places(a.cloud, b.cloud, parts) else None
    else:
        lag = best_lag(here, there, first=need - n, last=m - need, limit=POSTURE_LIMIT)
    if lag is None:
        return None
    start_a, start_b = max(0, -lag), max(0, lag)
    both = min(n - start_a, m - start_b)
    paths = [
        _part_places(cloud, parts)[start : start + both].mean(axis=1)
        for cloud, start in ((a.cloud, start_a), (b.cloud, start_b))
    ]
    if not _same_path(*paths):
        return None
    length = min(a.n - start_a, b.n - start_b)
    return SharedMotion(start_a, start_b, length, length / min(a.n, b.n), (length - 1) / a.rate)


def follows_same_path(a: Prepared, b: Prepared, shared: SharedMotion) -> bool:
    """Return whether a stretch that two clips share in posture also follows the same path on the ground.

    A cost of single poses does not distinguish walking straight from walking in a circle.
    """
    parts = sorted(set(a.cloud.parts) & set(b.cloud.parts))
    paths = [
        _part_places(one.cloud, parts)[start + one.first : start + one.first + shared.length].mean(axis=1)
        for one, start in ((a, shared.a), (b, shared.b))
    ]
    return _same_path(paths[0], paths[1])


def _part_places(cloud: Cloud, parts: list[str]) -> Positions:
    """Positions (F, S, 3) of some parts of a body; not copied if they are all its parts."""
    if parts == list(cloud.parts):
        return cloud.part_places
    return cloud.part_places[:, [cloud.parts.index(part) for part in parts]]


def _heights(cloud: Cloud, parts: list[str]) -> Signal:
    """Heights of the parts above their mean; cached with the cloud if they are all its parts."""
    known = _HEIGHTS.get(cloud) if parts == list(cloud.parts) else None
    if known is None:
        height = _part_places(cloud, parts)[..., 1]
        known = signal(height - height.mean(axis=1, keepdims=True))
        if parts == list(cloud.parts):
            _HEIGHTS[cloud] = known
    return known


def _same_places(a: Cloud, b: Cloud, parts: list[str]) -> bool:
    """Whether the parts of two bodies stay in the same places, up to one alignment of position and heading."""
    both = min(len(a.points), len(b.points))
    one, other = (_part_places(cloud, parts)[:both].reshape(-1, 3) for cloud in (a, b))
    gap = one - fit(one, other, np.full(len(one), 1.0 / len(one))).apply(other)
    gap[:, 1] -= gap[:, 1].mean()
    return bool(np.max(np.sum(gap**2, axis=1)) <= STILL_GAP**2)


def _same_path(a: Positions, b: Positions) -> bool:
    """Whether two paths (F, 3) agree on the ground up to position, heading and scale."""
    ground = np.array([1.0, 0.0, 1.0])
    a, b = (a - a.mean(axis=0)) * ground, (b - b.mean(axis=0)) * ground
    extent, other = (float(np.sqrt(np.mean(np.sum(path**2, axis=1)))) for path in (a, b))
    if other > 0:
        b = b * (extent / other)
    weights = np.full(len(a), 1.0 / len(a))
    gap = np.sqrt(np.mean(np.sum((a - fit(a, b, weights).apply(b)) ** 2, axis=1)))
    # Add one centimetre, because a standing person has no path to compare.
    return bool(gap <= PATH_LIMIT * extent + 0.01)
