"""The messages as TypeScript, so that page and server cannot mean different things.

`scripts/wire_types.py` writes what `declarations` gives into ``client/studio/src/wire.ts``; a test compares the two.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from segue.studio import messages, motion_messages, pair_messages, run_messages, socket_messages
from segue.studio.calls import CALLS
from segue.studio.messages import Message

_PLAIN: dict[Any, str] = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}
_HEAD = """// Written by scripts/wire_types.py from segue.studio.messages and its neighbours; do not edit.
"""


def declarations() -> str:
    """Every message, the two unions of the socket, and the table of calls.

    Examples
    --------
    >>> "export interface ClipCard {" in declarations()
    True
    """
    kinds: dict[str, type[Message]] = {}
    for module in (messages, motion_messages, pair_messages, run_messages, socket_messages):
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, Message) and value is not Message:
                kinds.setdefault(name, value)
    parts = [_HEAD, *(_interface(kind) for kind in kinds.values())]
    unions = ("ToServer", "ToPage")
    parts += [f"export type {name} = {_word(getattr(socket_messages, name))};\n" for name in unions]
    rows = [f"  {name}: [{call.ask.__name__}, {call.answer.__name__}];" for name, call in CALLS.items()]
    parts.append(
        "\n".join(["/** What each call takes and answers. */", "export interface Calls {", *rows, "}\n"])
    )
    return "\n".join(parts)


def _interface(kind: type[Message]) -> str:
    tag = kind.__struct_config__.tag
    hints = get_type_hints(kind)
    doc = " ".join((kind.__doc__ or "").split())
    lines = [f"/** {doc} */", f"export interface {kind.__name__} {{"]
    if tag:
        lines.append(f'  readonly type: "{tag}";')
    required = {field.name for field in msgspec.structs.fields(kind) if field.required}
    asked = kind.__name__ in _asked()
    for name, hint in hints.items():
        if name.startswith("__"):
            continue
        mark = "?" if asked and name not in required else ""
        lines.append(f"  readonly {name}{mark}: {_word(hint)};")
    return "\n".join([*lines, "}\n"])


def _asked() -> set[str]:
    """Messages that the page sends: what has a default may be left out."""
    names = {call.ask.__name__ for call in CALLS.values()}
    return names | {kind.__name__ for kind in get_args(socket_messages.ToServer)}


def _word(hint: Any) -> str:
    """A type in the words of TypeScript."""
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
    raise TypeError(origin)  # a message of a kind that the page has no word for


def _bracketed(hint: Any) -> str:
    word = _word(hint)
    return f"({word})" if " | " in word else word


def _listed(parts: Iterable[Any]) -> str:
    return ", ".join(_word(part) for part in parts)
