"""The encoding of text files, an option of every command."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from segue.errors import SettingError
from segue.texts import set_usual_encoding

HELP = "Encoding of text files, e.g. cp1252, cp932; UTF-8, or UTF-16 with its mark, by default."


def use_encoding(encoding: str | None) -> str | None:
    """Read text in this encoding from now on where a file has no mark; give it back.

    Raises
    ------
    SettingError
        If there is none of that name.
    """
    try:
        set_usual_encoding(encoding)
    except (LookupError, ValueError):
        msg = f"--encoding {encoding!r} is unknown; it is one as cp1252, cp932, latin-1, utf-16 or utf-8"
        raise SettingError(msg) from None
    return encoding


def add_encoding(group: TyperGroup, option: Any = None) -> None:
    """Give ``--encoding`` to every command of a group that has no such option of its own."""
    option = _option() if option is None else option
    for command in group.commands.values():
        if isinstance(command, TyperGroup):
            add_encoding(command, option)
        elif all(one.name != option.name for one in command.params):
            command.params.append(option)


def _option() -> Any:
    """Option as typer makes it of a command that has it."""
    alone = typer.Typer(add_completion=False)
    alone.command()(_alone)
    option = next(one for one in typer.main.get_command(alone).params if one.name == "encoding")
    option.expose_value = False  # commands do not take it: it is set for all that is read
    return option


def _alone(encoding: Annotated[str | None, typer.Option(help=HELP, callback=use_encoding)] = None) -> None:
    del encoding
