"""The messages as TypeScript, so that page and server share one declaration.

`scripts/wire_types.py` writes the result of `declarations` to ``client/studio/src/wire.ts``; a test compares the two.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from segue.studio import (
    messages,
    motion_messages,
    pair_messages,
    run_messages,
    sequence_messages,
    socket_messages,
    study_messages,
)
from segue.studio.calls import CALLS, PACKED_CALLS
from segue.studio.messages import Message

_PLAIN: dict[Any, str] = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}
_HEAD = """// Written by scripts/wire_types.py from {}; do not edit.
"""


def declarations() -> str:
    """Return every message, the two unions of the socket, and the tables of calls as TypeScript.

    Examples
    --------
    >>> "export interface ClipCard {" in declarations()
    True
    """
    kinds: dict[str, type[Message]] = {}
    for module in (
        messages,
        motion_messages,
        pair_messages,
        run_messages,
        sequence_messages,
        study_messages,
        socket_messages,
    ):
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, Message) and value is not Message:
                kinds.setdefault(name, value)
    unions = {name: getattr(socket_messages, name) for name in ("ToServer", "ToPage")}
    calls, packed = (
        {name: (call.ask, call.answer) for name, call in some.items()} for some in (CALLS, PACKED_CALLS)
    )
    place = "segue.studio.messages and its neighbours"
    return declared(place, kinds.values(), calls, packed=packed, unions=unions)


def declared(
    source: str,
    kinds: Iterable[type[Message]],
    calls: Mapping[str, tuple[type[Message], type[Message]]],
    *,
    packed: Mapping[str, tuple[type[Message], type[Message]]] | None = None,
    unions: Mapping[str, Any] | None = None,
) -> str:
    """Return messages, unions of them, and tables of calls, as TypeScript.

    Parameters
    ----------
    source
        Module of the messages.
    kinds
        The messages.
    calls
        Request and answer of each call, by its name.
    packed
        The same for calls answered with packed arrays behind a header.
    unions
        Unions of messages by name; the page sends the members of ``ToServer``.
    """
    named = unions or {}
    asked = {ask.__name__ for ask, _ in (*calls.values(), *(packed or {}).values())}
    asked |= {kind.__name__ for kind in get_args(named.get("ToServer"))}
    parts = [_HEAD.format(source), *(_interface(kind, asked) for kind in kinds)]
    parts += [f"export type {name} = {_word(union)};\n" for name, union in named.items()]
    parts.append(_table("Calls", calls, "What each call takes and answers."))
    if packed:
        what = "What calls take that are answered with packed arrays, and the header of these."
        parts.append(_table("PackedCalls", packed, what))
    return "\n".join(parts)


def _table(name: str, calls: Mapping[str, tuple[type[Message], type[Message]]], doc: str) -> str:
    rows = [f"  {word}: [{ask.__name__}, {answer.__name__}];" for word, (ask, answer) in calls.items()]
    return "\n".join([f"/** {doc} */", f"export interface {name} {{", *rows, "}\n"])


def _interface(kind: type[Message], of_page: AbstractSet[str]) -> str:
    tag = kind.__struct_config__.tag
    hints = get_type_hints(kind)
    doc = " ".join((kind.__doc__ or "").split())
    lines = [f"/** {doc} */", f"export interface {kind.__name__} {{"]
    if tag:
        lines.append(f'  readonly type: "{tag}";')
    required = {field.name for field in msgspec.structs.fields(kind) if field.required}
    asked = kind.__name__ in of_page
    for name, hint in hints.items():
        if name.startswith("__"):
            continue
        mark = "?" if asked and name not in required else ""
        lines.append(f"  readonly {name}{mark}: {_word(hint)};")
    return "\n".join([*lines, "}\n"])


def _word(hint: Any) -> str:
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, parts = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Message):
        return hint.__name__
    if origin in {Union, types.UnionType}:
        return " | ".join(_word(part) for part in parts)
    if origin is Literal:
        return " | ".join(f'"{part}"' for part in parts)
    return _of_several(origin, parts)


def _of_several(origin: Any, parts: tuple[Any, ...]) -> str:
    if origin is list:
        return f"{_bracketed(parts[0])}[]"
    if origin is tuple:
        return f"[{_listed(parts)}]"
    if origin is dict:
        return f"Record<{_word(parts[0])}, {_word(parts[1])}>"
    raise TypeError(origin)  # a type without a TypeScript counterpart


def _bracketed(hint: Any) -> str:
    word = _word(hint)
    return f"({word})" if " | " in word else word


def _listed(parts: Iterable[Any]) -> str:
    return ", ".join(_word(part) for part in parts)
