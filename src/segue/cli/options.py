"""Options that commands share, each declared once, and the options that form the settings of a motion.

A command that makes motion takes a parameter ``settings`` and is decorated with `takes_settings`: each setting becomes
an option, and the command receives all of them, checked, as one `Settings`. To add an option of a motion, add a field
to `Settings` and an entry to `OPTIONS`.

``--cost`` and ``--set``, which choose how moments are compared, are the same in every command.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from segue.cli.checked import choice, number
from segue.errors import SettingError
from segue.settings import DEFAULTS, Settings, parse_threshold
from segue.settings.words import BLENDS, COSTS, EFFORTS, FEET

if TYPE_CHECKING:
    from segue.costs.protocol import Cost


def cost_help() -> str:
    """Return one sentence that names every cost.

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
    """Return the cost called ``name`` with the settings given with ``--set``.

    Raises
    ------
    SettingError
        If there is no such cost or setting, or a value is invalid.
    """
    from segue.costs.registry import cost, setting_in_words
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
    """Return the settings given with ``--set`` as stored with a result: the content of a file, not its name."""
    from segue.costs.registry import as_document

    chosen = {words.partition("=")[0] for words in names or ()}
    document = as_document(cost_of(name, names))["settings"]
    return {setting: value for setting, value in document.items() if setting in chosen}


Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Motion files, folders of them, files of many animations or one of them (moves.glb#Walk), a library "
        "(moves.segue) or clips in it (moves.segue#walk), or embedded clips (sample:walk; sample: for all).",
    ),
]
Out = Annotated[
    Path,
    typer.Option("-o", "--out", help="File: .bvh, .glb, .fbx, .usd, .vrma, .npz, .csv or .xml (MuJoCo)."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Feet = Annotated[
    str,
    choice(
        "--feet",
        of=FEET,
        check=False,
        help="natural: planted feet move as in the clips, within a centimetre; locked: not at all; captured: as in the "
        "clips; free: as blended.",
    ),
]
Creep = Annotated[
    float,
    typer.Option(
        "--creep",
        metavar="METRES",
        help="How far planted feet may creep with --feet natural: from their mean place in a blend, from end to end "
        "in clean.",
    ),
]
Mirror = Annotated[
    bool, typer.Option("--mirror", help="Use the mirror image of each clip too: twice the material.")
]
TryMirror = Annotated[
    bool | None,
    typer.Option(
        "--mirror/--no-mirror",
        help="Use the mirror image of each clip too; by default where that connects more clips.",
    ),
]
RootMotion = Annotated[
    bool,
    typer.Option(
        "--root-motion/--no-root-motion",
        help="Restore the root's motion in clips that walk or run on the spot.",
    ),
]
Roles = Annotated[
    Path | None,
    typer.Option(
        "--roles", help='Text file (.toml) of lines left_knee = "Joint7", where joints are misread.'
    ),
]


def roles_of(path: Path | None) -> dict[str, str] | None:
    """Read the file of role and joint names given with ``--roles``."""
    if path is None:
        return None
    from segue.motion.roles import roles_in_toml

    return roles_in_toml(path)


@dataclass(frozen=True)
class Option:
    """An option that sets part of a motion.

    Parameters
    ----------
    declared
        Annotated type of the option, for typer.
    default
        Value if the option is not given.
    read
        Converts the value given to settings.
    """

    declared: Any
    default: Any
    read: Callable[[Any], Mapping[str, Any]]


def option(kind: Any, words: str, setting: str, *, of: Iterable[str] = (), **declared: Any) -> Option:
    """Return an option that sets one setting to the value typed, one of the words ``of`` if given."""
    default = getattr(DEFAULTS, setting)
    typed = choice(words, of=of, check=False, **declared) if of else typer.Option(words, **declared)
    return Option(Annotated[kind, typed], default, lambda value: {setting: value})


def _blend(text: str) -> dict[str, Any]:
    """Parse ``--blend``: seconds, also as a fraction, or the method that finds each transition's length."""
    try:
        return {"blend_seconds": float(Fraction(text.strip()))}
    except (ValueError, ZeroDivisionError, OverflowError):
        return {"length": text}


SECONDS = str(Fraction(DEFAULTS.blend_seconds).limit_denominator(100))
"""Default seconds of a blend as typed, a fraction."""
OPTIONS: dict[str, Option] = {
    "quality": option(
        float,
        "--quality",
        "quality",
        help="Quality of the worst transition: 1 keeps every seam within bounds, 2 allows half of that, 0.5 twice "
        "as much.",
    ),
    "component": Option(
        Annotated[
            int,
            number(
                "--component",
                least=1,
                metavar="N",
                help="Component of the graph to walk in, as listed with -v; 1 holds most clips.",
            ),
        ],
        DEFAULTS.component,
        lambda value: {"component": value},
    ),
    "cost": Option(CostName, DEFAULTS.cost, lambda name: {"cost": name}),
    "cost_settings": Option(CostSettings, None, lambda words: {"cost_settings": words}),
    "threshold": option(
        str,
        "--threshold",
        "threshold",
        help="Highest cost of a transition: a number, auto, or knee.",
    ),
    "share": option(
        float,
        "--share",
        "share",
        help="Part of the reachable material that the best transitions alone must reach.",
    ),
    "blend": Option(
        Annotated[
            str,
            typer.Option(
                "--blend",
                help="Blend length in seconds (0 is a hard cut); auto, velocity, longest or periodic choose one for "
                "each transition.",
                show_default="0.33 s",
            ),
        ],
        SECONDS,
        _blend,
    ),
    "root": option(
        str,
        "--root",
        "root",
        of=("position", "displacement"),
        help="Blend positions of the root, or its displacements from frame to frame.",
    ),
    "skeleton": option(
        str | None,
        "--skeleton",
        "skeleton",
        help="Clip whose skeleton the result has; the first clip's by default.",
    ),
    "way": option(str, "--way", "way", of=BLENDS, help="Blend method."),
    "feet": Option(Feet, DEFAULTS.feet, lambda feet: {"feet": feet}),
    "creep": Option(Creep, DEFAULTS.creep, lambda creep: {"creep": creep}),
    "roles": Option(Roles, None, lambda path: {"roles": roles_of(path)}),
    "fps": option(
        float | None, "--fps", "fps", help="Frame rate of the result; the most common one by default."
    ),
    "bridges": option(
        bool,
        "--bridges/--no-bridges",
        "bridges",
        help="Connect clips that no direct transition connects, by longer blends with time warped.",
    ),
    "effort": option(
        str,
        "--effort",
        "effort",
        of=EFFORTS,
        help="high: choose place and length of each transition by measuring its seam, which takes up to three times as "
        "long; standard: keep the place found and the length of --blend.",
    ),
    "check": option(
        bool,
        "--check/--no-check",
        "check_seams",
        help="Leave out transitions whose blended frames turn or accelerate beyond bounds.",
    ),
}
"""All options that set part of a motion, by parameter name."""
ANY = Option(
    Annotated[str, typer.Option("--threshold", help="Highest cost of a transition: a number or any.")],
    "any",
    lambda text: {} if text == "any" else {"threshold": parse_threshold(text, words=("any",))},
)
"""The threshold option for clips in a given order, where any transition is accepted."""


def takes_settings(
    *names: str, without: tuple[str, ...] = (), **others: Option
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace the parameter ``settings`` of a command by options.

    Parameters
    ----------
    names
        Names in `OPTIONS`; all by default.
    without
        Names that the command does not use.
    others
        Options that replace the usual ones in this command.
    """
    chosen = {name: others.get(name, OPTIONS[name]) for name in names or OPTIONS if name not in without}

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def called(**given: Any) -> None:
            words = {name: given.pop(name) for name in chosen}
            command(**given, settings=_settings(words, chosen))

        hints = get_type_hints(command, include_extras=True)
        parameters: list[Parameter] = []
        for one in signature(command).parameters.values():
            if one.name == "settings":
                options = [(name, each.default, each.declared) for name, each in chosen.items()]
            else:
                options = [(one.name, one.default, hints[one.name])]
            parameters += [
                Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=declared)
                for name, default, declared in options
            ]
        del called.__wrapped__  # its parameters differ from those of the command line
        called.__signature__ = signature(command).replace(  # type: ignore[attr-defined]
            parameters=parameters, return_annotation=None
        )
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        return called

    return decorated


def _settings(words: Mapping[str, Any], options: Mapping[str, Option]) -> Settings:
    """Convert the values typed to settings; the cost reads its own settings."""
    given: dict[str, Any] = {}
    for name, value in words.items():
        given |= options[name].read(value)
    if "cost_settings" in given:
        given["cost_settings"] = settings_of(given["cost"], given["cost_settings"])
    return Settings(**given)
