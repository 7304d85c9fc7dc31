"""Costs with settings in words: ``joint_angle:weights=optimised:nu=0``, as commands and files of studies name them."""

from __future__ import annotations

from typing import Any, Protocol

from segue.costs.protocol import Cost
from segue.costs.registry import cost
from segue.errors import SettingError


def setting_in_words(setting: str, value: str, default: Any) -> Any:
    """Value of the kind that the default is: a number, several with commas between them, or a word.

    Raises
    ------
    SettingError
        If the word is none of that kind.

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
        msg = f"--set {setting}={value}: {value!r} will not do; {setting} is something like {shown}"
        raise SettingError(msg) from None
    return value


class Weights(Protocol):
    """What finds weights by a name that the costs do not know."""

    def __call__(self, value: object, *, cost: str) -> object:
        """Weights that a word means."""
        ...


def cost_in_words(words: str, *, weights: Weights | None = None) -> Cost:
    """Cost of its name and, after colons, its settings.

    Parameters
    ----------
    words
        As ``joint_angle:weights=optimised``.
    weights
        Finds weights that are kept elsewhere.

    Raises
    ------
    SettingError
        If there is no such cost or setting, or a part behind a colon is no setting.

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
