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
        help="A setting of the cost, such as weights=optimised, weights=learnt.toml or "
        "weights=moves.segue#NAME; may be repeated.",
    ),
]


def cost_of(name: str, names: list[str] | None = None) -> Cost:
    """Return the cost called ``name`` with the settings that ``--set`` gave.

    Raises
    ------
    SettingError
        If there is no such cost or setting, or a value cannot be.
    """
    from segue.costs.in_words import setting_in_words
    from segue.costs.registry import cost
    from segue.library.weights import weights_named

    defaults = cost(name)
    settings: dict[str, Any] = {}
    for words in names or ():
        setting, equals, value = words.partition("=")
        if not equals or not setting or not value:
            msg = f"--set {words!r}: give a setting and its value, such as weights=optimised"
            raise SettingError(msg)
        if setting in settings:
            msg = f"--set {setting} is given twice"
            raise SettingError(msg)
        settings[setting] = setting_in_words(setting, value, getattr(defaults, setting, None))
        if setting == "weights":
            settings[setting] = weights_named(settings[setting], cost=name)
    return cost(name, **settings)


def settings_of(name: str, names: list[str] | None) -> dict[str, Any]:
    """Settings that ``--set`` gave, as they are stored with a result: what a file said stands in it, not its name."""
    from segue.costs.registry import as_document

    chosen = {words.partition("=")[0] for words in names or ()}
    document = as_document(cost_of(name, names))["settings"]
    return {setting: value for setting, value in document.items() if setting in chosen}
