"""Messages about values in a document that do not fit their type: the place, the expected type, the value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from segue.errors import FileError, SegueError, SettingError

_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "null",
    "bytes": "bytes",
}

_SHOWN = 40
_OURS = {
    "Object missing required field": "it lacks the key",
    "Object contains unknown field": "no key is called",
}


def unfit(
    error: str, value: Any, kind: Any, place: str | Path | None, *, what: str = "", hint: str = ""
) -> SegueError:
    """Return the error for a msgspec validation error: the place, the expected type, the value."""
    words, _, path = error.partition(" - at `")
    where, value, kind = _place(path.rstrip("`"), value, kind)
    where = where.removeprefix(".")
    known = get_args(_without_none(kind)) if words.startswith("Invalid enum") else ()
    words = re.sub(r"`([^`]+)`", lambda found: _named(found[1]), words)
    for word, ours in _OURS.items():
        words = words.replace(word, ours)
    words = words[:1].lower() + words[1:]
    if known:
        words = f"{value!r} is not known; it can be {', '.join(map(repr, known))}"
    elif words.startswith("expected") and isinstance(value, str | int | float | bool | None) and value != "":
        words = words.partition(", got")[0] + f", got {json.dumps(value)[:_SHOWN]}"
    sentence = what + ended(f"{where}: {words}" if where else words, hint)
    return SettingError(sentence) if place is None else FileError(place, sentence)


def _named(word: str) -> str:
    parts = [_WORDS.get(part, "") for part in word.split(" | ")]
    return " or ".join(parts) if all(parts) else repr(word)


def ended(sentence: str, hint: str) -> str:
    return f"{sentence}; {hint}" if hint else sentence


def _place(path: str, value: Any, kind: Any) -> tuple[str, Any, Any]:
    """Return the place of a value, such as ``segments[3].frames``, the value, and its expected type.

    msgspec's path does not name the keys of tables; the first key whose value does not fit is taken.
    """
    where = ""
    for part in re.findall(r"\.[^.\[\]]+|\[[^\]]*\]", path):
        key: Any = part[1:] if part.startswith(".") else None
        if key is not None:
            kind = get_type_hints(_without_none(kind), include_extras=True).get(key, Any)
        elif part == "[...]":
            kind = _inner(kind, -1)
            members = value.items() if isinstance(value, Mapping) else enumerate(value)
            key = next((key for key, inner in members if not _fits(inner, kind)), None)
        else:
            key = int(part[1:-1])
            kind = _inner(kind, key)
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):  # the key, not its value, has the wrong type
            return where, None, kind
        where += f"[{key}]" if isinstance(key, int) else f".{_shown(str(key))}"
    return where, value, kind


def _shown(key: str) -> str:
    return key[:_SHOWN] if key[:_SHOWN].isprintable() else json.dumps(key[:_SHOWN])


def _fits(value: Any, kind: Any) -> bool:
    import msgspec

    try:
        msgspec.convert(value, kind, strict=True)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return False
    return True


def _without_none(kind: Any) -> Any:
    """Return a type without its annotations and without None."""
    while hasattr(kind, "__metadata__"):
        kind = kind.__origin__
    if type(None) in get_args(kind):
        return next(_without_none(one) for one in get_args(kind) if one is not type(None))
    return kind


def _inner(kind: Any, index: int) -> Any:
    """Return the type of the members of a list or table, or of the member ``index`` of a tuple; -1 for the last."""
    kind = _without_none(kind)
    inner = get_args(kind)
    if get_origin(kind) is tuple and Ellipsis not in inner:
        return inner[index] if index < len(inner) else Any
    return inner[-1 if index < 0 else 0] if inner else Any
