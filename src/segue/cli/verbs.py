"""Registration of verbs: one call with the panel, a short help and two example commands.

    verb(app, "wander", wander_command, "Endless motion from a folder of clips.", panel=MAKE, examples=(...))
    family(app, library_app, "One file that holds a motion collection.", panel=LIBRARY)

Verbs of a family are added to it by the same call, without a panel.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import typer

from segue.cli.helps import CHARACTERS, FILES, LIBRARY, LOOK, MAKE, STUDY
from segue.cli.usage import FUNCTION, HelpCommand, HelpGroup

__all__ = ["CHARACTERS", "FILES", "LIBRARY", "LOOK", "MAKE", "STUDY", "family", "new_family", "verb"]


def verb(
    app: typer.Typer,
    name: str,
    command: Callable[..., None],
    short: str,
    *,
    examples: tuple[str, str],
    panel: str | None = None,
) -> None:
    """Add a verb.

    Parameters
    ----------
    app
        The command line, or a family made by `new_family`.
    name
        The word that is typed.
    command
        Function that typer calls; its docstring is the text of the help.
    short
        Line in the list of verbs.
    examples
        Two commands of at most 76 characters each, which run in a folder that holds ``clips/`` as written by
        ``segue samples -o clips/``; the second may need the first.
    panel
        One of `PANELS`; a verb of a family needs none.
    """

    def stand_in() -> None:
        """Represent the verb until its options are needed."""

    vars(stand_in)[FUNCTION] = command
    app.command(
        name,
        cls=HelpCommand,
        help=inspect.getdoc(command),
        short_help=short,
        rich_help_panel=panel,
        epilog="\n".join(examples),
    )(stand_in)


def new_family(name: str, described: str) -> typer.Typer:
    """Return a family of verbs, such as ``library``, to which `verb` adds."""
    return typer.Typer(name=name, cls=HelpGroup, help=described, no_args_is_help=True, rich_markup_mode=None)


def family(app: typer.Typer, verbs: typer.Typer, short: str, *, panel: str) -> None:
    """Add a family of verbs to the command line."""
    app.add_typer(verbs, short_help=short, rich_help_panel=panel)
