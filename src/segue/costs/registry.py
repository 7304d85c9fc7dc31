"""Costs by name."""

from __future__ import annotations

from typing import Any

from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost
from segue.costs.relative_distance import RelativeDistanceCost
from segue.errors import SettingError, nearest

COSTS: dict[str, type[PointCloudCost | RelativeDistanceCost]] = {
    kind.name: kind for kind in (PointCloudCost, RelativeDistanceCost)
}
"""Every cost by name."""


def cost(name: str, **settings: Any) -> Cost:
    """Return the cost called ``name`` with its settings.

    Raises
    ------
    SettingError
        If no cost has that name or the cost has no such setting; the message lists those there are.

    Examples
    --------
    >>> cost("point_cloud", window_seconds=0.2).half_window
    3
    """
    if name not in COSTS:
        msg = f"no cost is called {name!r}; known: {', '.join(sorted(COSTS))}; {nearest(name, COSTS)}"
        raise SettingError(msg)
    kind = COSTS[name]
    known = tuple(kind.__dataclass_fields__)
    for word in settings:
        if word not in known:
            msg = f"cost {name!r} has no setting {word!r}; it has {', '.join(known)}"
            raise SettingError(msg)
    return kind(**settings)
