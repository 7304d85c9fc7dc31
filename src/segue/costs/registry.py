"""Costs by name, and as documents that can be stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from segue.costs.features import FeatureCost
from segue.costs.joint_angle.cost import JointAngleCost
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost
from segue.costs.relative_distance import RelativeDistanceCost
from segue.errors import SettingError, nearest
from segue.settings import Settings

COSTS: dict[str, type[Any]] = {
    kind.name: kind for kind in (PointCloudCost, JointAngleCost, RelativeDistanceCost, FeatureCost)
}
"""Every cost by name. A new one is named here and in `segue.settings.words`."""


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
    known = tuple(field.name for field in fields(kind))
    for word in settings:
        if word not in known:
            msg = f"cost {name!r} has no setting {word!r}; it has {', '.join(known)}"
            raise SettingError(msg)
    try:
        made: Cost = kind(**settings)
    except (TypeError, ValueError) as error:
        msg = f"cost {name!r} has no such settings as {settings}: {error}"
        raise SettingError(msg) from None
    return made


def cost_of(settings: Settings) -> Cost:
    """Return the cost that the settings of a motion name.

    Raises
    ------
    SettingError
        If it has no such settings.

    Examples
    --------
    >>> cost_of(Settings(cost="joint_angle")).name
    'joint_angle'
    """
    return cost(settings.cost, **settings.cost_settings)


def as_document(cost: Cost) -> dict[str, Any]:
    """Name and every setting of a cost, as JSON knows them: what is stored with a result.

    Settings that were read from a file are in the document themselves, not the file's name.

    Examples
    --------
    >>> as_document(cost("joint_angle", nu=0.0))["settings"]["nu"]
    0.0
    """
    settings = {field.name: _plain(getattr(cost, field.name)) for field in fields(cost)}  # type: ignore[arg-type]
    return {"name": cost.name, "settings": settings}


def cost_from(document: Mapping[str, Any]) -> Cost:
    """Return the cost that a document describes; settings it does not name are the defaults.

    Raises
    ------
    SettingError
        If it is no such document, or describes no cost that can be.

    Examples
    --------
    >>> made = cost("features", rate=15.0)
    >>> cost_from(as_document(made)) == made
    True
    """
    name, settings = document.get("name"), document.get("settings", {})
    if not isinstance(name, str) or not isinstance(settings, Mapping):
        msg = f'{dict(document)!r} describes no cost; it must be {{"name": ..., "settings": {{...}}}}'
        raise SettingError(msg)
    return cost(name, **settings)


def _plain(value: Any) -> Any:
    """Tuples as lists, numbers of numpy as Python's."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value
