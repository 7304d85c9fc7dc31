"""The encoding of text files, an option of every command (`segue.cli.common`)."""

from __future__ import annotations

from segue.errors import SettingError
from segue.texts import set_usual_encoding

HELP = "Encoding of text files, e.g. cp1252, cp932; by default UTF-8, or UTF-16 with its byte order mark."


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
