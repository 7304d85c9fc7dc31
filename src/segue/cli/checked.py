"""Options checked during parsing, before any file is read: choices, numbers in bounds, files that exist.

Each is declared like an option of typer, by its spellings and its help:

    view: Annotated[str, choice("--view", VIEWS, help="From where the figures are seen.")] = "auto"
    seam: Annotated[int | None, number("--seam", least=1, help="Every frame around this seam.")] = None
    labels: Annotated[Path | None, existing("--labels", help="Labels of clips.")] = None
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import typer

from segue.errors import FileError, SettingError, nearest

T = TypeVar("T")
_WIDE = 32  # characters of choices shown next to an option; a longer list goes into its help sentence


def choice(
    *spelled: str,
    of: Iterable[str],
    help: str,  # noqa: A002
    also: Iterable[str] = (),
    check: bool = True,
    **more: Any,
) -> Any:
    """Return an option that takes one of several words, with shell completion.

    Parameters
    ----------
    spelled
        ``--view``, and further spellings.
    of
        The words.
    help
        What the option does; a long list of words is appended.
    also
        Older words, accepted but not shown.
    check
        False where `segue.settings` rejects other words with its own message.
    """
    words, old = tuple(of), tuple(also)
    shown = more.get("metavar", "|".join(words))
    sentence = help
    if len(shown) > _WIDE:
        shown = long(spelled).lstrip("-").upper().replace("-", "_")
        sentence = f"{help} One of {', '.join(words)}."

    def checked(value: str | None) -> str | None:
        if value is not None and value not in words and value not in old:
            msg = f"{long(spelled)} {value!r} is not known; choose {listed(words)}; {nearest(value, words)}"
            raise SettingError(msg)
        return value

    more = {"metavar": shown, **({"callback": checked} if check else {}), **more}
    return typer.Option(*spelled, help=sentence, autocompletion=lambda: list(words), **more)


def number(
    *spelled: str,
    help: str,  # noqa: A002
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    **more: Any,
) -> Any:
    """Return an option for a finite number within bounds, ``least`` and ``most`` inclusive, ``above`` exclusive."""
    bounds = [
        *([f"above {above:g}"] if above is not None else []),
        *([f"{least:g} or more"] if least is not None and most is None else []),
        *([f"{least:g} to {most:g}"] if least is not None and most is not None else []),
        *([f"up to {most:g}"] if most is not None and least is None else []),
    ]

    def check(value: T) -> T:
        if isinstance(value, int | float) and not (
            math.isfinite(value)
            and (above is None or value > above)
            and (least is None or value >= least)
            and (most is None or value <= most)
        ):
            msg = f"{long(spelled)} {value:g} is not possible; give {' and '.join(bounds) or 'a number'}"
            raise SettingError(msg)
        return value

    return typer.Option(*spelled, help=help, callback=check, **more)


def existing(*spelled: str, help: str, folder: bool = False, **more: Any) -> Any:  # noqa: A002
    """Return an option that takes an existing file, or an existing folder."""

    def check(value: Path | None) -> Path | None:
        if value is not None and folder and not value.is_dir():
            raise FileError(value, f"{long(spelled)}: there is no such folder")
        if value is not None and not folder and not value.is_file():
            raise FileError(value, f"{long(spelled)}: there is no such file")
        return value

    more = {"metavar": "FOLDER" if folder else "FILE", **more}
    return typer.Option(*spelled, help=help, callback=check, **more)


def long(spelled: Iterable[str]) -> str:
    """Return the first long spelling of an option."""
    return next(word for word in spelled if word.startswith("--"))


def listed(words: Iterable[str] | Mapping[str, Any]) -> str:
    """Return quoted words separated by commas, with 'or' before the last.

    Examples
    --------
    >>> listed(["auto", "keep", "none"])
    "'auto', 'keep' or 'none'"
    """
    *first, last = [repr(word) for word in words]
    return f"{', '.join(first)} or {last}" if first else last
