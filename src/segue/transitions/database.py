"""Minima of a whole set of clips at once, without ever holding a matrix."""

from __future__ import annotations

from collections.abc import Sequence

from segue.arrays import Bools
from segue.costs.engine.plan import Run
from segue.costs.engine.streaming import Found, local_minima, sector_minima
from segue.costs.matrix import prepare_all
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost, Prepared
from segue.costs.pruned.search import Way, minima, prunable
from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.motion.faults import carried_flags, unusable_frames

WORTHWHILE = 6_000_000
"""Frame pairs from which looking for bounds takes less time than it saves."""


def database_minima(
    clips: Sequence[Clip],
    *,
    cost: Cost,
    threshold: float | None = None,
    sector: int | None = None,
    band: int = 0,
    run: Run | None = None,
    prepared: Sequence[Prepared] | None = None,
) -> Found:
    """Low cells of every pair of clips: minima at or below a threshold, or the cheapest of every sector.

    Windows cross no border of a clip and touch no frame that holds no motion. Point clouds of uniform weights are
    searched with bounds (`segue.costs.pruned`), which decide in float64; all others as they stream by.

    Parameters
    ----------
    clips
        Each is compared with every later one and with itself.
    cost
        What they are compared by.
    threshold
        In the cost's unit; for cells that none of their eight neighbours undercuts.
    sector
        Side of a sector in cells, instead of a threshold.
    band
        Of a clip against itself cells up to so many frames from the diagonal are left out, beyond its window.
    run
        Threads, memory budget, progress and stopping.
    prepared
        The clips prepared by the cost, if they are at hand.

    Raises
    ------
    SettingError
        Unless exactly one of threshold and sector is given.
    StoppedError
        If the run was told to stop.

    Examples
    --------
    >>> import segue
    >>> clips = [segue.sample(name) for name in ("walk", "stop", "run")]
    >>> found = database_minima(clips, cost=segue.cost("relative_distance"), threshold=0.01, band=10)
    >>> len(found) > 0, bool(found.cost.max() <= 0.01)
    (True, True)
    """
    if (threshold is None) == (sector is None):
        msg = "give either a threshold, for local minima below it, or a sector, for the cheapest cell of each"
        raise SettingError(msg)
    ready = prepare_all(clips, cost) if prepared is None else tuple(prepared)
    usable = [_usable(clip, one) for clip, one in zip(clips, ready, strict=True)]
    least = 2 * cost.half_window + band + 1
    if sector is not None:
        return sector_minima(ready, cost=cost, sector=sector, least=least, usable=usable, run=run)
    threshold = 0.0 if threshold is None else threshold
    if isinstance(cost, PointCloudCost) and prunable(cost):
        frames = sum(one.n for one in ready)
        way: Way = "auto" if frames**2 > 2 * WORTHWHILE else "dense"
        return minima(ready, cost=cost, threshold=threshold, least=least, usable=usable, run=run, way=way)
    return local_minima(ready, cost=cost, threshold=threshold, least=least, usable=usable, run=run)


def _usable(clip: Clip, prepared: Prepared) -> Bools:
    """Flags of the clip's frames at the cost's rate that hold motion."""
    n_frames = prepared.n + prepared.needed_frames - 1 if prepared.n else 0
    return ~carried_flags(unusable_frames(clip), ratio=clip.fps / prepared.rate, n_frames=n_frames)
