"""Options of every command: the encoding of text files, and how much is printed."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from segue.cli import output
from segue.errors import SettingError
from segue.texts import set_usual_encoding

ENCODING_HELP = (
    "Encoding of text files, e.g. cp1252, cp932; by default UTF-8, or UTF-16 with its byte order mark."
)


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


def add_common(group: TyperGroup, options: list[Any] | None = None) -> None:
    """Give ``--encoding``, ``-v`` and ``-q`` to every command of a group that has no such option of its own."""
    options = _options() if options is None else options
    for command in group.commands.values():
        if isinstance(command, TyperGroup):
            add_common(command, options)
            continue
        own = {one.name for one in command.params}
        command.params += [one for one in options if one.name not in own]


def _options() -> list[Any]:
    """Options as typer makes them of a command that has them."""
    alone = typer.Typer(add_completion=False)
    alone.command()(_alone)
    options = [one for one in typer.main.get_command(alone).params if one.name in _alone.__annotations__]
    for one in options:
        one.expose_value = False  # commands do not take them: they are set for all that is read and printed
    return options


def _alone(
    encoding: Annotated[str | None, typer.Option(help=ENCODING_HELP, callback=use_encoding)] = None,
    verbose: Annotated[
        bool,
        typer.Option("-v", "--verbose", help="Print all details.", callback=output.set_verbose),
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option(
            "-q",
            "--quiet",
            help="No progress and no notes: results, warnings, errors.",
            callback=output.set_quiet,
        ),
    ] = False,
) -> None:
    del encoding, verbose, quiet
