"""The text of ``--help``: usage, arguments, options in groups with their defaults, and examples.

Lines are wrapped at the width of the terminal. An option with several long spellings is shown by its first; the older
ones still work.
"""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path
from typing import Any

MAKE, LOOK, FILES, LIBRARY, CHARACTERS, STUDY = "Make", "Look", "Files", "Library", "Characters", "Study"
PANELS = {
    MAKE: "long motion from clips",
    LOOK: "judge and draw a motion",
    FILES: "read, repair and convert",
    LIBRARY: "keep a collection",
    CHARACTERS: "live and many",
    STUDY: "compare costs, ask people",
}
"""Panels of ``segue --help`` in order, each with a short description."""
NARROW, WIDE = 40, 120
"""Least and most columns at which help is wrapped; a narrower terminal breaks lines itself."""
_WORD = 28  # most columns of an option before its sentence begins, fewer on a narrow terminal
OWN = "Options"
GROUPS = {
    "Transitions": "quality component cost cost_settings threshold share bridges effort check",
    "Blends and feet": "blend root way feet creep",
    "Clips": "mirror root_motion roles sources in_fps in_unit in_up encoding root_position",
    "Output": "out force as_json film picture report verbose quiet help",
}
"""Option groups of all commands, with parameter names; other parameters belong to the command's own group."""
_GROUP_OF = {name: group for group, names in GROUPS.items() for name in names.split()}
VALUES = {
    "out": "FILE",
    "seconds": "SECONDS",
    "seed": "N",
    "fps": "FPS",
    "in_fps": "FPS",
    "in_unit": "UNIT",
    "in_up": "AXIS",
    "roles": "FILE",
    "sources": "FOLDER",
    "film": "FILE",
    "picture": "FILE",
    "to": "FORMAT",
    "kind": "FORMAT",
    "report": "FILE",
    "encoding": "NAME",
    "skeleton": "CLIP",
    "start": "CLIP",
    "quality": "NUMBER",
    "component": "N",
    "threshold": "COST",
    "share": "SHARE",
    "blend": "SECONDS",
    "shortest": "SECONDS",
    "longest": "SECONDS",
    "at": "A:B",
    "trim": "A:B",
    "part": "A:B",
    "against": "MOTION",
    "piece": "MOTION",
    "up": "AXIS",
    "exports": "FOLDER",
    "host": "ADDRESS",
    "study": "NAME",
    "by": "NAME",
    "best": "N",
    "count": "N",
    "random": "N",
    "dimensions": "N",
    "robots": "N",
    "workers": "N",
    "alpha": "LEVEL",
    "curve": "FILE",
    "script": "FILE",
    "examples": "FILE",
    "slopes": "LIST",
    "idle": "CLIP",
    "smoothness": "SHARE",
}
"""Placeholder for the value of an option without ``metavar``; by default N for an integer, else the option's name."""
_UNITS = {"SECONDS": "s", "METRES": "m", "HZ": "Hz", "FPS": "fps", "MB": "MB", "DEGREES": "degrees"}


def group_of(parameter: Any) -> str:
    """Return the group of an option: its own panel, else the group of its name."""
    return getattr(parameter, "rich_help_panel", None) or _GROUP_OF.get(parameter.name, OWN)


def value_of(parameter: Any) -> str:
    """Return the placeholder for the value of an option, empty for a flag."""
    if parameter.is_flag or parameter.count:
        return ""
    name = "N" if isinstance(parameter.default, int) else parameter.name.upper()
    return str(parameter.metavar or VALUES.get(parameter.name, name))


def spelled(parameter: Any) -> str:
    """Return an argument or option as it is typed: ``-o, --out FILE``."""
    if parameter.param_type_name == "argument":
        return argument_words(parameter).strip("[]").removesuffix("...")
    short = [word for word in parameter.opts if not word.startswith("--")]
    long = [word for word in parameter.opts if word.startswith("--")][:1]
    words = ", ".join([*short, *long])
    if parameter.secondary_opts:
        words += f" / {parameter.secondary_opts[0]}"
    return f"{words} {value_of(parameter)}".rstrip()


def argument_words(parameter: Any) -> str:
    """Return an argument as shown in the usage: ``FILES...``, in brackets if it may be left out."""
    words: str = parameter.metavar or parameter.name.upper()
    if parameter.nargs != 1 and not words.endswith("..."):
        words += "..."
    return words if parameter.required else f"[{words}]"


def sentence_of(parameter: Any) -> str:
    """Return the help of an argument or option, followed by its default."""
    words = (parameter.help or "").strip()
    default = default_of(parameter)
    return f"{words} {default}".strip()


def default_of(parameter: Any) -> str:
    """Return the default of an argument or option as a sentence, empty if there is none."""
    default, shown = parameter.default, getattr(parameter, "show_default", True)
    if parameter.required:
        return "Required." if parameter.param_type_name == "option" else ""
    if isinstance(shown, str):
        return f"Default: {shown}."
    if default is None or shown is False or default in ("", (), []) or callable(default):
        return ""
    if isinstance(default, bool):
        return ("On by default." if default else "Off by default.") if parameter.secondary_opts else ""
    if isinstance(default, float):
        default = f"{default:.4g}"
    unit = _UNITS.get(value_of(parameter), "") if parameter.param_type_name == "option" else ""
    return f"Default: {default.as_posix() if isinstance(default, Path) else default}{unit and f' {unit}'}."


def examples_of(command: Any) -> list[str]:
    """Return the example commands of a verb."""
    return (command.epilog or "").splitlines()


def rows_of(command: Any, context: Any) -> dict[str, list[tuple[Any, str, str]]]:
    """Return arguments and options by group, each as parameter, spelling and help."""
    shown = [one for one in command.get_params(context) if not getattr(one, "hidden", False)]
    rows = {"Arguments": [one for one in shown if one.param_type_name == "argument"]}
    options = [one for one in shown if one.param_type_name == "option"]
    rows |= {name: [one for one in options if group_of(one) == name] for name in (OWN, *GROUPS)}
    for one in options:
        if group_of(one) not in rows:
            rows[group_of(one)] = [other for other in options if group_of(other) == group_of(one)]
    return {
        name: [(one, spelled(one), sentence_of(one)) for one in members]
        for name, members in rows.items()
        if members
    }


def verbs_of(group: Any) -> dict[str, list[tuple[str, str]]]:
    """Return the verbs of a group by panel, each with its short help."""
    rows: dict[str, list[tuple[str, str]]] = {name: [] for name in PANELS}
    for name, command in group.commands.items():
        if not command.hidden:
            panel = command.rich_help_panel
            rows.setdefault(panel if isinstance(panel, str) else "Verbs", []).append(
                (name, command.short_help or "")
            )
    return {name: members for name, members in rows.items() if members}


def width() -> int:
    """Return the columns to wrap at: the terminal's width, from `NARROW` to `WIDE`."""
    return max(NARROW, min(shutil.get_terminal_size().columns, WIDE))


def help_text(command: Any, context: Any, columns: int) -> str:
    """Return the help of a verb or a group of verbs; only a longer word makes a line exceed ``columns``."""
    parts = [_usage(command, context, columns), _paragraphs(command.help or "", columns)]
    if hasattr(command, "commands"):
        for name, verbs in verbs_of(command).items():
            head = f"{name}: {PANELS[name]}" if name in PANELS else name
            parts.append(_section(head, [(word, line) for word, line in verbs], columns))
    for name, rows in rows_of(command, context).items():
        parts.append(_section(name, [(words, sentence) for _, words, sentence in rows], columns))
    if examples := examples_of(command):
        parts.append("\n".join([_head("Examples"), *(f"  {line}" for line in examples)]))
    elif hasattr(command, "commands"):
        parts.append(f"{context.command_path} VERB --help shows the options of a verb and two examples.")
    return "\n\n".join(part for part in parts if part) + "\n"


def usage_pieces(command: Any) -> list[str]:
    """Return the words that follow the name of a command in its usage."""
    if hasattr(command, "commands"):
        return ["VERB ..."]
    return [
        *(argument_words(one) for one in command.params if one.param_type_name == "argument"),
        "[OPTIONS]",
    ]


def _usage(command: Any, context: Any, columns: int) -> str:
    lead = f"Usage: {context.command_path} "
    return textwrap.fill(
        " ".join(usage_pieces(command)), columns, initial_indent=lead, subsequent_indent=" " * len(lead)
    )


def _paragraphs(text: str, columns: int) -> str:
    parts = [" ".join(part.split()) for part in text.partition("\f")[0].strip().split("\n\n")]
    return "\n\n".join(_filled(part, columns, indent="  ") for part in parts)


def _head(name: str) -> str:
    import typer

    return typer.style(name if ": " in name else f"{name}:", bold=True)


def _section(name: str, rows: list[tuple[str, str]], columns: int) -> str:
    wide = min(max(len(words) for words, _ in rows), _WORD, max(columns // 2 - 12, 8))
    lines = [_head(name)]
    for words, sentence in rows:
        indent = " " * (wide + 4)
        text = _filled(sentence, columns, indent=indent)
        if len(words) <= wide:
            lines.append(f"  {words.ljust(wide)}  {text.lstrip()}".rstrip())
        else:
            lines += [f"  {words}", text] if text.strip() else [f"  {words}"]
    return "\n".join(lines)


def _filled(text: str, columns: int, *, indent: str) -> str:
    return textwrap.fill(
        text,
        columns,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
