"""The best transition of two clips by a cost: the least cell of their cost matrix."""

from __future__ import annotations

import numpy as np

from segue.costs.matrix import least_cell
from segue.costs.protocol import Cost
from segue.costs.registry import cost as cost_named
from segue.errors import NoTransitionError
from segue.motion.clip import Clip
from segue.transitions.transition import TransitionPoint


def optimal_transition(
    a: Clip,
    b: Clip,
    *,
    cost: Cost | str = "joint_angle",
    before: float = 0.0,
    after: float = 0.0,
    apart: float = 1.0,
) -> TransitionPoint:
    """Find the transition of lowest cost between two clips (Wang, ch. IV.4: the global optimum).

    Unlike `segue.transition_points` it uses no threshold, blend or neighbours.

    Parameters
    ----------
    a, b
        Clips; for one clip given twice, only moments at least ``apart`` seconds from each other count.
    cost
        A cost, or its name.
    before, after
        Seconds that ``a`` must have before the point, and ``b`` after it.
    apart
        Smallest time between the two moments of one clip, in seconds.

    Returns
    -------
    TransitionPoint
        An aligned point, not verified.

    Raises
    ------
    NoTransitionError
        If no pair of moments has that much before and after it.

    Examples
    --------
    >>> import segue
    >>> point = segue.optimal_transition(segue.sample("walk"), segue.sample("stop"), before=2.0)
    >>> point.kind, point.a_frame >= 120
    ('aligned', True)
    """
    how = cost_named(cost) if isinstance(cost, str) else cost
    pa = how.prepare(a)
    pb = pa if b is a else how.prepare(b)
    values = how.matrix(pa, pb)
    a_seconds = np.asarray(pa.frames, dtype=np.float64) / a.fps
    b_left = (b.n_frames - 1 - np.asarray(pb.frames, dtype=np.float64)) / b.fps
    allowed = np.outer(a_seconds >= before - 1e-9, b_left >= after - 1e-9)
    if b is a:
        allowed &= np.abs(np.subtract.outer(a_seconds, a_seconds)) >= apart - 1e-9
    found = least_cell(values, allowed)
    if found is None:
        msg = (
            f"no moment of {a.name!r} has {before:g} s before it while one of {b.name!r} has {after:g} s after it; use "
            "longer clips or show less"
        )
        raise NoTransitionError(msg)
    row, column = found
    price = float(values[row, column])
    place = how.alignment(pa, pb, row, column)
    frames = int(pa.frames[row]), int(pb.frames[column])
    return TransitionPoint(a.name, b.name, *frames, price, "aligned", place, price, False)
