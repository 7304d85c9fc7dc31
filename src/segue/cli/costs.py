"""The options that say how moments are compared: ``--cost`` and ``--set``, the same in every command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import choice
from segue.errors import SettingError
from segue.settings.words import COSTS

if TYPE_CHECKING:
    from segue.costs.protocol import Cost


def cost_help() -> str:
    """One sentence naming every cost.

    Examples
    --------
    >>> cost_help()[:40]
    'How moments are compared: point_cloud (b'
    """
    named = [f"{name} ({line})" for name, line in COSTS.items()]
    return f"How moments are compared: {', '.join(named[:-1])} or {named[-1]}."


CostName = Annotated[str, choice("--cost", of=COSTS, check=False, metavar="NAME", help=cost_help())]
CostSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SETTING=VALUE",
        help="A setting of the cost, such as weights=optimised or weights=learnt.toml; again for another.",
    ),
]


def cost_of(name: str, told: list[str] | None = None) -> Cost:
    """Return the cost called ``name`` with the settings that ``--set`` gave.

    Raises
    ------
    SettingError
        If there is no such cost or setting, or a value cannot be.
    """
    from segue.costs.registry import cost

    defaults = cost(name)
    settings: dict[str, Any] = {}
    for words in told or ():
        setting, equals, value = words.partition("=")
        if not equals or not setting or not value:
            msg = f"--set {words!r}: give a setting and its value, such as weights=optimised"
            raise SettingError(msg)
        if setting in settings:
            msg = f"--set {setting} is given twice"
            raise SettingError(msg)
        settings[setting] = _read(setting, value, getattr(defaults, setting, None))
    return cost(name, **settings)


def settings_of(name: str, told: list[str] | None) -> dict[str, Any]:
    """Settings that ``--set`` gave, as they are stored with a result: what a file said stands in it, not its name."""
    from segue.costs.registry import as_document

    chosen = {words.partition("=")[0] for words in told or ()}
    document = as_document(cost_of(name, told))["settings"]
    return {setting: value for setting, value in document.items() if setting in chosen}


def _read(setting: str, value: str, default: Any) -> Any:
    """Value of the kind that the default is: a number, several with commas between them, or a word."""
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
