"""Costs by name, with settings in words, and as documents that can be stored.

In words a cost is ``joint_angle:weights=optimised:nu=0``, as in commands and files of studies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Protocol

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
"""Every cost by name. Register a new one here and in `segue.settings.words`."""


def cost(name: str, **settings: Any) -> Cost:
    """Return the cost called ``name`` with its settings.

    Raises
    ------
    SettingError
        If no cost has that name or the cost lacks the setting; the message lists the existing ones.

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
    """Return the cost named in the settings of a motion.

    Raises
    ------
    SettingError
        If the cost does not have these settings.

    Examples
    --------
    >>> cost_of(Settings(cost="joint_angle")).name
    'joint_angle'
    """
    return cost(settings.cost, **settings.cost_settings)


def as_document(cost: Cost) -> dict[str, Any]:
    """Return name and all settings of a cost as JSON types, to be stored with a result.

    Settings read from a file are included in the document, not the file's name.

    Examples
    --------
    >>> as_document(cost("joint_angle", nu=0.0))["settings"]["nu"]
    0.0
    """
    settings = {field.name: _plain(getattr(cost, field.name)) for field in fields(cost)}  # type: ignore[arg-type]
    return {"name": cost.name, "settings": settings}


def cost_from(document: Mapping[str, Any]) -> Cost:
    """Return the cost described by a document; missing settings take their defaults.

    Raises
    ------
    SettingError
        If it is not such a document, or describes an invalid cost.

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
    """Convert tuples to lists, and numpy scalars to Python numbers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def setting_in_words(setting: str, value: str, default: Any) -> Any:
    """Parse a value of the default's type: a number, several separated by commas, or a word.

    Raises
    ------
    SettingError
        If the word is not of that type.

    Examples
    --------
    >>> setting_in_words("nu", "0.5", 1.0), setting_in_words("weights", "optimised", "original")
    (0.5, 'optimised')
    """
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[value.lower()]
        if isinstance(default, int):
            return int(value)
        if isinstance(default, float):
            return float(value)
        if isinstance(default, tuple):
            return tuple(float(part) for part in value.split(","))
    except (ValueError, KeyError):
        shown = ",".join(map(str, default)) if isinstance(default, tuple) else str(default).lower()
        msg = f"--set {setting}={value}: invalid value {value!r}; example: {setting}={shown}"
        raise SettingError(msg) from None
    return value


class Weights(Protocol):
    """A function that finds weights by a name unknown to the costs."""

    def __call__(self, value: object, *, cost: str) -> object:
        """Return the weights for a word."""
        ...


def cost_in_words(words: str, *, weights: Weights | None = None) -> Cost:
    """Parse a cost from its name and, after colons, its settings.

    Parameters
    ----------
    words
        As ``joint_angle:weights=optimised``.
    weights
        Finds weights stored elsewhere.

    Raises
    ------
    SettingError
        If the cost or setting does not exist, or a part after a colon is not a setting.

    Examples
    --------
    >>> cost_in_words("joint_angle:weights=optimised:nu=0").nu
    0.0
    """
    name, *parts = words.strip().split(":")
    whole: list[str] = []
    for part in parts:
        if "=" in part or not whole:
            whole.append(part)
        else:
            whole[-1] += f":{part}"  # a colon within a path
    defaults = cost(name.strip())
    settings: dict[str, Any] = {}
    for part in whole:
        setting, equals, value = part.partition("=")
        if not (equals and setting and value):
            msg = f"{words!r}: {part!r} is no setting; write joint_angle:weights=optimised:nu=0.5"
            raise SettingError(msg)
        settings[setting] = setting_in_words(setting, value, getattr(defaults, setting, None))
        if setting == "weights" and weights is not None:
            settings[setting] = weights(settings[setting], cost=name.strip())
    return cost(name.strip(), **settings)
