"""Options of every command: the encoding of text files, and verbosity."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any

import typer

from segue.cli import output
from segue.errors import SettingError
from segue.texts import set_usual_encoding

ENCODING_HELP = (
    "Encoding of text files, e.g. cp1252, cp932; by default UTF-8, or UTF-16 with its byte order mark."
)


def use_encoding(encoding: str | None) -> str | None:
    """Set the encoding of text files without a byte order mark, and return it.

    Raises
    ------
    SettingError
        If no encoding has that name.
    """
    try:
        set_usual_encoding(encoding)
    except (LookupError, ValueError):
        msg = f"--encoding {encoding!r} is unknown; it is one as cp1252, cp932, latin-1, utf-16 or utf-8"
        raise SettingError(msg) from None
    return encoding


def common_options(own: Iterable[str]) -> list[Any]:
    """Return ``--encoding``, ``-v`` and ``-q`` as typer options, without those that the command declares itself.

    Parameters
    ----------
    own
        Names of the command's own parameters.
    """
    names = set(own)
    return [one for one in _options() if one.name not in names]


@cache
def _options() -> list[Any]:
    alone = typer.Typer(add_completion=False)
    alone.command()(_alone)
    options = [one for one in typer.main.get_command(alone).params if one.name in _alone.__annotations__]
    for one in options:
        one.expose_value = False  # not passed to commands: their callbacks set process-wide state
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
