"""Mutations by structure and by bytes: of trees (JSON, TOML), of rows of words, of numbers in binary files.

All random numbers come from the given generator, so that a number identifies an input.
"""

from __future__ import annotations

import copy
import json
import re
import sys
from typing import Any

import numpy as np
from _data import ROOT

sys.path.insert(0, str(ROOT / "tests"))
from mutants import mutant

LONGEST = 200_000  # bytes of a mutated text; of a file four times as many, or twice its own size
STRINGS = (
    "", " ", "\0", "a\0b", "\ud800x", "²", "٣", "é" * 3, "../../escaped", "/dev/zero", "..", "a/b", "a\\b", "\n",
    "a\nb", '"', "'", "{", "}", "#", "nan", "Infinity", "-1", "1e999", "true", "CON", "\ufeff", "\u202e", "walk",
    "sample:walk", "x" * 300, "y" * 20_000, "%s%n", "$HOME", "__class__", "\x1b[31m",
)  # fmt: skip
NUMBERS = (
    0, -1, 1, 2, 3, 7, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63, -(2**63), 10**18, 10**30,
    10**400, 0.5, -0.0, 1e-300, 1e-9, 1e9, 1e30, 1e300, -1e308, 1.5, float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
WORDS = (
    "nan", "inf", "-inf", "1e999", "-1e308", "1e300", "1e9", "1e-320", "0", "-1", "1_0", "0x1F", "1,5", "²", "٣", "+",
    "-", ".", "--1", "1e", '"', "'", "#", "", " ", "x", "\0", "walk", "stand", "9" * 30, "9" * 5000, "1" + "0" * 400,
    "a" * 5000, "0.1", "1000", "3600", "1000000", "\t", ";", ",", "\r", "\x0b", "\x1c", "\u2028", "\ufeff", "good",
    "bad", "\U0001f483",
)  # fmt: skip
_DEEP, _DIGITS = "@@deep", "@@digits"  # placeholders for values that no library writes


def chosen(rng: np.random.Generator, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def rounds(rng: np.random.Generator) -> range:
    """Return the number of mutations: one, or up to four."""
    return range(int(rng.choice([1, 2, 3, 4], p=[0.6, 0.2, 0.1, 0.1])))


# -- trees -------------------------------------------------------------------------------------------------------


def odd_value(rng: np.random.Generator) -> Any:
    kind = int(rng.integers(10))
    if kind < 3:
        return chosen(rng, NUMBERS)
    if kind < 6:
        return chosen(rng, STRINGS)
    if kind == 6:
        return chosen(rng, (None, True, False, [], {}, [[]], [{}], {"": 0}))
    if kind == 7:
        return f"{_DEEP}{int(chosen(rng, (3, 50, 400, 1200, 20_000)))}@"
    if kind == 8:
        return f"{_DIGITS}{int(chosen(rng, (20, 400, 5000)))}@"
    return [odd_value(rng) for _ in range(int(rng.integers(1, 4)))]


def _places(tree: Any, most: int = 4000) -> list[tuple[Any, Any]]:
    """Container and key of every value of a tree, inner ones too."""
    out: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting and len(out) < most:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one))
        if len(keys) > 40 and isinstance(one, list):  # only a few of long lists
            keys = [0, 1, len(one) // 2, len(one) - 2, len(one) - 1]
        for key in keys:
            out.append((one, key))
            if isinstance(one[key], dict | list):
                waiting.append(one[key])
    return out


def tree_mutant(rng: np.random.Generator, tree: Any) -> Any:
    """Return a tree with one to four changes: types, keys, elements, order, numbers, depth, strings, lengths."""
    tree = {"": copy.deepcopy(tree)}
    for _ in rounds(rng):
        places = _places(tree)
        if not places:
            break
        # Leaves outnumber containers, but both matter equally.
        inner = [(where, key) for where, key in places if isinstance(where[key], dict | list)]
        where, key = chosen(rng, inner if inner and rng.random() < 0.35 else places)
        _change(rng, where, key, places)
    return tree.get("")


def _change(  # noqa: C901  # a branch for each kind of change
    rng: np.random.Generator, where: Any, key: Any, places: list[tuple[Any, Any]]
) -> None:
    kind, value = int(rng.integers(11)), where[key]
    if kind in {0, 1}:
        where[key] = odd_value(rng)
    elif kind == 2 and isinstance(value, int | float) and not isinstance(value, bool):
        finite = abs(value) < 1e300 or isinstance(value, float)  # a longer integer does not fit a float
        parts = (value * 1.01, value / 3) if finite else (value * 101 // 100, value // 3)
        near = (value + 1, value - 1, -value, parts[0], value * 1000, parts[1], str(value))
        where[key] = chosen(rng, near if rng.random() < 0.5 else NUMBERS)
    elif kind == 3:
        del where[key]
    elif kind == 4 and isinstance(where, dict):
        where[chosen(rng, STRINGS)] = where.pop(key)
    elif kind == 5 and isinstance(where, list):
        where[key:key] = [copy.deepcopy(value)] * int(
            chosen(rng, (1, 2, 100, 1000)) if len(places) < 500 else 1
        )
    elif kind == 6 and isinstance(value, list) and value:
        rng.shuffle(value) if rng.random() < 0.5 else value.reverse()
    elif kind == 7:
        other, name = chosen(rng, places)
        # Copies, to avoid reference cycles.
        where[key], other[name] = copy.deepcopy(other[name]), copy.deepcopy(value)
    elif kind == 8:
        where[key] = chosen(rng, ([value], {"a": value}, [value, value], str(value)[:1000]))
    elif kind == 9 and isinstance(value, list):
        del value[int(rng.integers(len(value) + 1)) :]
    elif isinstance(where, dict):
        where[chosen(rng, STRINGS)] = odd_value(rng)
    else:
        where[key] = odd_value(rng)


def _special(text: str) -> str:
    """Replace the placeholders by deep lists and long numbers."""
    text = re.sub(rf'"{_DEEP}(\d+)@"', lambda m: "[" * int(m[1]) + "]" * int(m[1]), text)
    return re.sub(rf'"{_DIGITS}(\d+)@"', lambda m: "9" * int(m[1]), text)


def json_bytes(rng: np.random.Generator, tree: Any) -> bytes:
    """Return JSON of a tree, sometimes with a duplicate key."""
    text = _special(json.dumps(tree, ensure_ascii=bool(rng.random() < 0.5)))
    keys = list(re.finditer(r'"(\w+)": ', text[:LONGEST]))
    if keys and rng.random() < 0.05:
        at = chosen(rng, keys)
        text = text[: at.start()] + f"{at[0]}{json.dumps(chosen(rng, STRINGS))}, " + text[at.start() :]
    return text.encode("utf-8", "surrogatepass")


def toml_bytes(rng: np.random.Generator, tree: Any) -> bytes:
    """Return TOML of a tree, its inner tables on one line, sometimes with a duplicate key."""
    if not isinstance(tree, dict):
        tree = {"a": tree}
    lines = [f"{_key(key)} = {_inline(value)}" for key, value in tree.items()]
    if lines and rng.random() < 0.05:
        lines.append(chosen(rng, lines))
    return _special("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_inline(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return '""' if value is None else json.dumps(value, ensure_ascii=False)


# -- rows of words -----------------------------------------------------------------------------------------------


def rows_mutant(  # noqa: C901  # a branch for each kind of change
    rng: np.random.Generator, content: bytes, mark: str = ","
) -> bytes:
    """Return text of rows with changed, lost, doubled, swapped or moved cells, rows and columns."""
    rows = [line.split(mark) for line in content.decode("utf-8").split("\n")]
    for _ in rounds(rng):
        at = int(rng.integers(len(rows)))
        row = rows[at]
        cell = int(rng.integers(len(row))) if row else 0
        kind = int(rng.integers(14))
        if kind < 3 and row:
            row[cell] = chosen(rng, WORDS)
        elif kind < 5 and row:
            row[cell] = _nudged(rng, row[cell])
        elif kind == 5 and row:
            del row[cell]
        elif kind == 6:
            row.insert(cell, chosen(rng, WORDS))
        elif kind == 7:
            del rows[at]
        elif kind == 8:
            rows[at:at] = [list(row)] * int(chosen(rng, (1, 2, 50, 2000)))
        elif kind == 9:
            other = int(rng.integers(len(rows)))
            rows[at], rows[other] = rows[other], rows[at]
        elif kind == 10 and row:
            other = int(rng.integers(len(row)))
            for one in rows:  # two columns
                if max(cell, other) < len(one):
                    one[cell], one[other] = one[other], one[cell]
        elif kind == 11:
            mark = chosen(rng, (";", "\t", ",", " ", ", "))
        elif kind == 12 and row:
            row[cell] = chosen(rng, ('"', "#", " ")) + row[cell]
        else:
            rows[at] = [chosen(rng, WORDS) for _ in range(int(chosen(rng, (0, 1, 4, 500))))]
        rows = rows or [[""]]
    return "\n".join(mark.join(row) for row in rows).encode("utf-8", "surrogatepass")[:LONGEST]


def _nudged(rng: np.random.Generator, cell: str) -> str:
    """A number near that of a cell; another word if it is not a number."""
    try:
        value = float(cell)
    except ValueError:
        return chosen(rng, (cell.upper(), f"{cell}x", cell[:-1], *WORDS[:10]))
    near = (value + 1, -value, value * 1.01, value * 10, value / 3, value + 1e-9, np.rint(value))
    return f"{chosen(rng, near):.12g}"


def drawing_mutant(rng: np.random.Generator, content: bytes) -> bytes:
    """Return an SVG drawing with a changed path or changed elements."""
    text = content.decode("utf-8")
    head, _, rest = text.partition(' d="')
    drawn, _, tail = rest.partition('"')
    words = re.findall(r"[A-Za-z]|[-+.\deE]+", drawn)
    for _ in rounds(rng):
        at = int(rng.integers(len(words))) if words else 0
        kind = int(rng.integers(9))
        if kind < 3 and words:
            words[at] = chosen(rng, (*"MmLlHhVvCcSsQqTtAaZz", *WORDS))
        elif kind == 3 and words:
            del words[at]
        elif kind == 4:
            words[at:at] = words[at : at + int(rng.integers(1, 9))] * int(chosen(rng, (1, 10, 2000)))
        elif kind == 5:
            head = head.replace(
                "<g", chosen(rng, ('<g transform="scale(2)"', "<g><g", "<g" * 3, "<g>" * 5000 + "<g")), 1
            )
        elif kind == 6:
            head = (
                chosen(
                    rng,
                    ('<!DOCTYPE s [<!ENTITY a "b">]>', "<?xml version='1.0' encoding='latin-1'?>", "<x/>"),
                )
                + head
            )
        elif kind == 7:
            tail = chosen(
                rng, ("", "/>", "/></svg></svg>", "/>" + "<path d='M0 0L1 1'/>" * 100 + "</g></svg>")
            )
        else:
            words += [chosen(rng, "MLHVCSQTAZ")] + [
                chosen(rng, WORDS[:12]) for _ in range(int(rng.integers(8)))
            ]
    return f'{head} d="{" ".join(words)}"{tail}'.encode("utf-8", "surrogatepass")[:LONGEST]


# -- bytes -------------------------------------------------------------------------------------------------------


def text_mutant(rng: np.random.Generator, content: bytes) -> bytes:
    """Return text with the mutations of `mutants`."""
    return mutant(rng, content)


def binary_mutant(rng: np.random.Generator, content: bytes) -> bytes:
    """Return bytes changed, lost, doubled, moved or cut off, or with extreme numbers of 2 to 8 bytes."""
    data = bytearray(content or b" ")
    for _ in rounds(rng):
        # Half of all mutations are near the beginning, where most formats state lengths.
        end = len(data) if rng.random() < 0.5 else min(len(data), 1024)
        at, span = int(rng.integers(0, max(end, 1))), int(rng.integers(1, 65))
        kind = int(rng.integers(7))
        if kind == 0:
            for k in rng.integers(0, len(data), int(rng.integers(1, 6))).tolist() if data else []:
                data[k] = int(rng.integers(256))
        elif kind == 1:
            del data[at : at + span]
        elif kind == 2:
            data[at:at] = data[at : at + span]
        elif kind == 3:
            del data[at:]
        elif kind == 4:
            data[at : at + span] = bytes(span)
        else:
            data[at : at + 8] = extreme(rng) + data[at : at + 8][8:]
        data = data or bytearray(b" ")
    return bytes(data[: max(4 * LONGEST, 2 * len(content))])


def extreme(rng: np.random.Generator) -> bytes:
    """Return an extreme number of 2, 4 or 8 bytes."""
    kind = chosen(rng, ("<i2", "<i4", "<i8", ">i4", "<f4", "<f8"))
    with np.errstate(over="ignore", invalid="ignore"):
        if kind[1] == "f":
            return np.array(chosen(rng, [float(n) for n in NUMBERS if n != 10**400])).astype(kind).tobytes()
        values = [
            0,
            1,
            -1,
            2,
            255,
            2**15 - 1,
            2**16,
            2**31 - 1,
            -(2**31),
            2**32,
            2**62,
            int(rng.integers(2**40)),
        ]
        return np.array(chosen(rng, values)).astype(kind).tobytes()
