"""Text of files and for the terminal: bytes to UTF-8 by mark or encoding, names as they can be shown and stored.

Names of files, joints and clips come from outside. They may hold line ends, codes that a terminal obeys, and bytes
that are no text at all (Python keeps these as lone surrogates). Whatever prints one of them prints `shown` of it, and
whatever writes one into a file of UTF-8 writes `well_formed` of it.
"""

from __future__ import annotations

import codecs
import re

ADVICE = "give the encoding, as --encoding cp1252 or cp932 (in Python encoding='cp1252')"
"""What works where text is not UTF-8."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks; that of UTF-32 begins with that of UTF-16."""
_SURROGATES = "\ud800-\udfff"
_UNHELD = re.compile(f"[\\x00{_SURROGATES}]")  # by UTF-8, or at the end of a text in an array of numpy
# Control codes, marks that turn the direction of writing, separators of lines and paragraphs, lone surrogates.
_UNSHOWN = re.compile(
    f"[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff{_SURROGATES}]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED_BYTE = 0xDC00
_usual: list[str | None] = [None]


def _escape(found: re.Match[str]) -> str:
    letter = found[0]
    code = ord(letter)
    if 0 < code - _ESCAPED_BYTE < 0x100:  # a byte of a file's name that is no text
        return f"\\x{code - _ESCAPED_BYTE:02x}"
    return _SHORT.get(letter) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def shown(text: str, *, lines: bool = False) -> str:
    r"""Text as it is shown to people: what a terminal obeys or cannot show is escaped.

    Parameters
    ----------
    text
        A name, or a text with names in it.
    lines
        Whether line feeds and tabs are the text's own and stay.

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
    r"""Text that every format can hold: lone surrogates and NUL are escaped, all else stays.

    Examples
    --------
    >>> well_formed("w\udcff"), well_formed("Hüfte")
    ('w\\xff', 'Hüfte')
    >>> well_formed("hip\0")
    'hip\\x00'
    """
    return _UNHELD.sub(_escape, text)


def set_usual_encoding(encoding: str | None) -> None:
    """Set the encoding of text files for which none is given, in all threads; None for UTF-8.

    The command line sets it once, by its option ``--encoding``; a library call names the encoding of its own file.

    Raises
    ------
    LookupError, ValueError
        If there is no such encoding.
    """
    if encoding is not None:
        "".encode(encoding)
    _usual[0] = encoding


def usual_encoding() -> str | None:
    """Encoding of text files for which none is given; None for UTF-8."""
    return _usual[0]


def marked(content: bytes) -> tuple[str, int] | None:
    """Encoding that a byte order mark tells, and the mark's length; None where there is no mark.

    Examples
    --------
    >>> marked("HIERARCHY".encode("utf-16")) is None, marked(b"HIERARCHY") is None
    (False, True)
    """
    return next(((name, len(mark)) for mark, name in _MARKS if content.startswith(mark)), None)


def as_utf8(content: bytes, encoding: str | None = None) -> bytes:
    """UTF-8 bytes of a file's text without a mark.

    Parameters
    ----------
    content
        Bytes of the file. A byte order mark tells UTF-8, UTF-16 or UTF-32.
    encoding
        Of bytes without a mark; by default `usual_encoding`, else UTF-8.

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
        # bytes.decode refuses codecs that give no text (base64, zip) with the LookupError of an unknown one.
        return content.decode(encoding).encode("utf-8", errors="surrogatepass")
    if not content.isascii():
        content.decode()  # raises where it is no UTF-8
    return content


def refusal(error: Exception, encoding: str | None = None) -> tuple[str, int | None]:
    """Sentence and line (from 1) of what `as_utf8` raised."""
    encoding = usual_encoding() if encoding is None else encoding
    if not isinstance(error, UnicodeDecodeError):
        return f"encoding {encoding!r} is unknown; try 'cp1252', 'cp932', 'latin-1' or 'utf-8'", None
    name = "UTF-8" if error.encoding in {"utf-8", "utf8"} else error.encoding
    feed = b"\n\0" if name == "utf-16-le" else b"\n"
    line = error.object.count(feed, 0, error.start) + 1
    return f"byte 0x{error.object[error.start]:02x} is not {name}; {ADVICE}", line
