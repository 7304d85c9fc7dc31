"""Text encoding: bytes to UTF-8 by byte order mark or encoding; names made safe to print and to store.

Names of files, joints and clips are untrusted. They may hold line ends, control codes of a terminal, and bytes that
are not text (lone surrogates in Python). Code that prints a name applies `shown`; code that writes one into a UTF-8
file applies `well_formed`.
"""

from __future__ import annotations

import codecs
import re

ADVICE = "give the encoding, as --encoding cp1252 or cp932 (in Python encoding='cp1252')"
"""Advice for files that are not UTF-8."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks and encodings; UTF-32 precedes UTF-16, since its little-endian mark begins with that of UTF-16."""
_SURROGATES = "\ud800-\udfff"
_UNHELD = re.compile(f"[\\x00{_SURROGATES}]")  # UTF-8 cannot hold surrogates; numpy strips trailing NULs
# Control codes, marks of writing direction, separators of lines and paragraphs, lone surrogates.
_UNSHOWN = re.compile(
    f"[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff{_SURROGATES}]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED_BYTE = 0xDC00
_usual: list[str | None] = [None]


def _escape(found: re.Match[str]) -> str:
    letter = found[0]
    code = ord(letter)
    if 0 < code - _ESCAPED_BYTE < 0x100:  # a byte of a file name that is not text
        return f"\\x{code - _ESCAPED_BYTE:02x}"
    return _SHORT.get(letter) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def shown(text: str, *, lines: bool = False) -> str:
    r"""Return text for display, with characters escaped that control a terminal or cannot be shown.

    Parameters
    ----------
    text
        A name, or a text with names in it.
    lines
        Whether line feeds and tabs are kept.

    Examples
    --------
    >>> shown("walk\x1b[31m\udcff")
    'walk\\x1b[31m\\xff'
    """
    if text.isprintable():
        return text
    if not lines:
        return _UNSHOWN.sub(_escape, text)
    return _UNSHOWN.sub(lambda found: found[0] if found[0] in "\n\t" else _escape(found), text)


def well_formed(text: str) -> str:
    r"""Return text that every format can hold: lone surrogates and NUL are escaped.

    Examples
    --------
    >>> well_formed("w\udcff"), well_formed("Hüfte")
    ('w\\xff', 'Hüfte')
    >>> well_formed("hip\0")
    'hip\\x00'
    """
    return _UNHELD.sub(_escape, text)


def set_usual_encoding(encoding: str | None) -> None:
    """Set the default encoding of text files, in all threads; None for UTF-8.

    The command line sets it once, by its option ``--encoding``; a call from Python passes the encoding of its file.

    Raises
    ------
    LookupError, ValueError
        If there is no such encoding.
    """
    if encoding is not None:
        "".encode(encoding)
    _usual[0] = encoding


def usual_encoding() -> str | None:
    """Return the default encoding of text files; None for UTF-8."""
    return _usual[0]


def marked(content: bytes) -> tuple[str, int] | None:
    """Return the encoding that a byte order mark indicates, and the mark's length; None without a mark.

    Examples
    --------
    >>> marked("HIERARCHY".encode("utf-16")) is None, marked(b"HIERARCHY") is None
    (False, True)
    """
    return next(((name, len(mark)) for mark, name in _MARKS if content.startswith(mark)), None)


def as_utf8(content: bytes, encoding: str | None = None) -> bytes:
    """Return the text of a file as UTF-8 bytes without byte order mark.

    Parameters
    ----------
    content
        Bytes of the file. A byte order mark indicates UTF-8, UTF-16 or UTF-32.
    encoding
        Encoding of bytes without a mark; by default `usual_encoding`, else UTF-8.

    Raises
    ------
    UnicodeDecodeError
        If the bytes are not text in that encoding.
    LookupError, ValueError
        If there is no such encoding of text.

    Examples
    --------
    >>> as_utf8("Hüfte".encode("utf-16")).decode(), as_utf8("Hüfte".encode("cp1252"), "cp1252").decode()
    ('Hüfte', 'Hüfte')
    """
    encoding = usual_encoding() if encoding is None else encoding
    found = marked(content)
    if found is not None and found[0] != "utf-8":
        return content[found[1] :].decode(found[0]).encode("utf-8")
    if found is not None:
        content = content[found[1] :]
    elif encoding is not None:
        # bytes.decode raises LookupError also for codecs that return no text (base64, zip).
        return content.decode(encoding).encode("utf-8", errors="surrogatepass")
    if not content.isascii():
        content.decode()  # raises if it is not UTF-8
    return content


def refusal(error: Exception, encoding: str | None = None) -> tuple[str, int | None]:
    """Return the message and the line (from 1) for an error that `as_utf8` raised."""
    encoding = usual_encoding() if encoding is None else encoding
    if not isinstance(error, UnicodeDecodeError):
        return f"encoding {encoding!r} is unknown; try 'cp1252', 'cp932', 'latin-1' or 'utf-8'", None
    name = "UTF-8" if error.encoding in {"utf-8", "utf8"} else error.encoding
    feed = b"\n\0" if name == "utf-16-le" else b"\n"
    line = error.object.count(feed, 0, error.start) + 1
    return f"byte 0x{error.object[error.start]:02x} is not {name}; {ADVICE}", line
