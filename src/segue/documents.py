"""Decoding of all documents (JSON and TOML) into typed values.

The size, the nesting depth and the digits of numbers are checked before a document is decoded. It is then decoded into
the caller's type: a dataclass, a list or a dict, with ranges for numbers. A value that does not fit raises an error of
one sentence that names the file and the place in it, such as ``segments[3].frames``.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from segue._document_words import ended, unfit
from segue.errors import FileError
from segue.file_bytes import file_bytes

T = TypeVar("T")


@dataclass(frozen=True)
class DocumentLimits:
    """Largest size in bytes, depth of nested lists and tables, and digits in sequence of a number."""

    size: int
    depth: int = 64
    digits: int = 308


JSON = DocumentLimits(size=1 << 28)
TOML = DocumentLimits(size=1 << 23)
_KEYS = 32
"""Most parts of a dotted key in TOML: the standard library takes time quadratic in their number."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+', re.DOTALL)
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|(u0000)|.)",
    re.DOTALL,
)
"""An escape in JSON: a surrogate pair, a lone surrogate (first group), the character NUL (second group), any other."""
_PART = r"""(?:(?<![\w-])[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_LONG_KEY = re.compile(rf"{_PART}(?:[ \t]*\.[ \t]*(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')){{{_KEYS}}}")
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def read_toml(path: Path, kind: type[T], *, hint: str = "") -> T:
    """Decode a TOML file.

    Parameters
    ----------
    path
        The file.
    kind
        Type of the document: a dataclass, or a ``dict``.
    hint
        How to fix the document; ends every error message.

    Raises
    ------
    FileError
        If it cannot be read, is not TOML, is too large or too deep, or does not fit the type.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights.toml"
    >>> _ = path.write_text("hip = 1.0")
    >>> read_toml(path, dict[str, float])
    {'hip': 1.0}
    """
    return decode_toml(_content(path, TOML), kind, path, hint=hint)


def read_json(path: Path, kind: type[T], *, hint: str = "", lone: bool = False) -> T:
    """Decode a JSON file; see `decode_json`."""
    return decode_json(_content(path, JSON), kind, path, hint=hint, lone=lone)


def _content(path: Path, bounds: DocumentLimits) -> bytes:
    """Return the bytes of a file, at most one more than the limit."""
    with contextlib.suppress(OSError):
        if not path.exists():
            raise FileError(path, "cannot be read: there is no such file")
    return file_bytes(path, most=bounds.size + 1)


def decode_toml(content: bytes, kind: type[T], place: str | Path, *, hint: str = "") -> T:
    """Decode TOML; ``place`` is the file named in errors. See `read_toml`."""
    import tomllib

    _bounded(content, place, TOML)
    _shallow(content, place, TOML)
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
        if _LONG_KEY.search(text):
            raise FileError(place, f"has a key of more than {_KEYS} parts; no document that segue reads has")
        found = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(place, ended("is no UTF-8 text", hint), line=line) from None
    except (
        ValueError,
        RecursionError,
    ) as error:  # not every error of the standard library is a TOMLDecodeError
        raise FileError(place, ended(f"is no TOML: {error}", hint)) from None
    _plain(found, place)
    return as_kind(found, kind, place, hint=hint)


def decode_json(
    content: bytes,
    kind: type[T],
    place: str | Path,
    *,
    what: str = "",
    hint: str = "",
    lone: bool = False,
    nan: bool = False,
    nul: bool = False,
) -> T:
    """Decode JSON.

    Parameters
    ----------
    content
        UTF-8 text.
    kind
        Type of the document: a dataclass, a ``list``, a ``dict``.
    place
        File named in errors.
    what
        Name of the document, for errors, where the file holds more than it.
    hint
        How to fix the document; ends every error message.
    lone
        Whether lone surrogates are allowed: Python writes file names that are not text with them.
    nan
        Whether ``NaN`` and ``Infinity`` are allowed, as Python writes them.
    nul
        Whether the character NUL is allowed.

    Raises
    ------
    FileError
        If it is not JSON, is too large or too deep, or does not fit the type.

    Examples
    --------
    >>> decode_json(b'{"frames": [1, 2, "x"]}', dict[str, list[int]], "a.json")
    Traceback (most recent call last):
    segue.errors.FileError: a.json: frames[2]: expected a whole number, got "x"
    """
    import msgspec

    prefix = f"{what} " if what else ""
    _bounded(content, place, JSON, what=prefix)
    content = content.removeprefix(b"\xef\xbb\xbf")
    _shallow(_STRING.sub(b'""', content) if b'"' in content else content, place, JSON, what=prefix)
    halves = _halves(content, place, prefix, lone=lone, nul=nul)
    strict: dict[str, Any] = {} if nan else {"parse_constant": _no_constant, "parse_float": _in_range}
    try:
        if not halves and not nan:
            try:
                return msgspec.json.decode(content, type=kind, strict=True)
            except msgspec.ValidationError:
                pass  # decode again: the rest may not be JSON, and as_kind names the keys of tables
        plain = json.loads(content.decode(), **strict)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise _no_json(error, content, place, prefix, hint) from None
    return as_kind(plain, kind, place, what=what, hint=hint)


def _no_constant(word: str) -> float:
    msg = f"{word} is no number in JSON"
    raise ValueError(msg)


def _in_range(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        msg = f"{digits} is beyond any number"
        raise ValueError(msg)
    return value


def _no_json(error: Exception, content: bytes, place: str | Path, what: str, hint: str) -> FileError:
    line = None
    if isinstance(error, UnicodeDecodeError):
        return FileError(place, ended(f"{what}is not JSON: it is no UTF-8 text", hint))
    words = str(error).removeprefix("JSON is malformed: ")
    if isinstance(error, json.JSONDecodeError):
        words, line = error.msg, error.lineno
    elif found := re.search(r" \(byte (\d+)\)$", words):
        words = words[: found.start()]
        line = content.count(b"\n", 0, int(found[1])) + 1
    elif "truncated" in words:
        words, line = "it is cut short", content.count(b"\n") + 1
    return FileError(place, ended(f"{what}is not JSON: {words}", hint), line=None if what else line)


def as_kind(value: Any, kind: type[T], place: str | Path | None, *, what: str = "", hint: str = "") -> T:
    """Return a plain value (numbers, text, lists, tables) converted to a type; see `decode_json`.

    Raises
    ------
    FileError
        If it does not fit.
    SettingError
        The same if ``place`` is None: the value comes from no file.

    Examples
    --------
    >>> as_kind({"hip": "heavy"}, dict[str, float], "weights.toml", hint="hip = 1.0 would work")
    Traceback (most recent call last):
    segue.errors.FileError: weights.toml: hip: expected a number, got "heavy"; hip = 1.0 would work
    """
    import msgspec

    try:
        return msgspec.convert(value, kind, strict=True)
    except UnicodeEncodeError:
        value, error = None, "A key or a word holds half a character"
    except msgspec.ValidationError as wrong:
        error = str(wrong)
    raise unfit(error, value, kind, place, what=f"{what} " if what else "", hint=hint)


def toml_text(text: str) -> str:
    r"""Return text as a quoted TOML string; lone surrogates, which TOML cannot hold, become question marks.

    Examples
    --------
    >>> print(toml_text('say "hi"'))
    "say \"hi\""
    """
    whole = text.encode("utf-8", "replace").decode()
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")


# -- bounds ----------------------------------------------------------------------------------------------------


def _bounded(content: bytes, place: str | Path, bounds: DocumentLimits, *, what: str = "") -> None:
    if len(content) > bounds.size:
        raise FileError(
            place, f"{what}is larger than {bounds.size >> 20} MB; no document that segue reads is"
        )


def _shallow(content: bytes, place: str | Path, bounds: DocumentLimits, *, what: str = "") -> None:
    """Refuse long numbers and deep nesting; JSON is passed with its strings emptied."""
    if re.search(rb"[\d_]{%d}|0x[\da-fA-F_]{%d}" % (bounds.digits + 1, bounds.digits), content):
        raise FileError(place, f"{what}holds a number of more than {bounds.digits} digits")
    left = content.translate(_BRACKETS, _NO_BRACKETS)
    for _ in range(bounds.depth):
        inner = left.replace(b"[]", b"")
        if not inner or len(left) == len(inner) <= bounds.depth:  # latter: unbalanced, which decoders report
            return
        if len(left) == len(inner):
            break
        left = inner
    if left:
        raise FileError(place, f"{what}nests lists or tables more than {bounds.depth} deep")


def _halves(content: bytes, place: str | Path, what: str, *, lone: bool, nul: bool) -> bool:
    """Return whether JSON holds lone surrogates; refuse them, and NUL, unless they are allowed."""
    found = False
    if rb"\ud" in content or rb"\uD" in content or rb"\u0000" in content:
        for escape in _ESCAPE.finditer(content):
            if escape[2] and not nul:
                raise FileError(place, f"{what}holds the character NUL, which no name or text can have")
            if escape[1] and not lone:
                raise FileError(
                    place, f"{what}holds half a character ({escape[1].decode()}), which is no text"
                )
            found |= bool(escape[1])
    return found


def _plain(value: Any, place: str | Path) -> None:
    """Refuse decoded TOML that JSON could not hold; its depth too, since dotted keys nest without brackets."""
    left: list[tuple[Any, int]] = [(value, 0)]
    while left:
        part, depth = left.pop()
        if depth > TOML.depth:
            raise FileError(place, f"nests lists or tables more than {TOML.depth} deep")
        if isinstance(part, dict):
            left += [(key, depth) for key in part]
            left += [(inner, depth + 1) for inner in part.values()]
        elif isinstance(part, list):
            left += [(inner, depth + 1) for inner in part]
        elif isinstance(part, str) and "\0" in part:
            raise FileError(place, "holds the character NUL, which no name or text can have")
        elif isinstance(part, int) and abs(part) >= 1 << 63:
            raise FileError(place, f"holds the number {str(part)[:12]}…, which is beyond what TOML can hold")
        elif isinstance(part, float) and not math.isfinite(part):
            raise FileError(place, f"holds {part}; numbers are finite")
