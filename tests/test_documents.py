"""Documents: bounds before decoding, types, and sentences that name the place."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.documents import JSON, TOML, as_kind, decode_json, decode_toml, read_json, read_toml
from segue.errors import FileError

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=3), inner, max_size=3),
    max_leaves=20,
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    """A part of a document."""

    name: str | None = None
    numbers: dict[str, float] | None = None


@given(plain)
def test_what_json_writes_comes_back(value: Any) -> None:
    """Any value that the standard library writes is decoded to the same value."""
    assert decode_json(json.dumps(value).encode(), Any, "a.json") == value  # type: ignore[arg-type]


@given(st.binary(max_size=60) | st.text('[]{}",:.\\u0dD8eEn-1 ', max_size=60).map(str.encode))
def test_no_bytes_end_in_another_error(content: bytes) -> None:
    """Any bytes are decoded as a document or refused in one sentence."""
    for decode in (decode_json, decode_toml):
        with suppress(FileError):
            decode(content, dict[str, Part], "a")


@pytest.mark.parametrize(
    ("content", "kind", "where"),
    [
        ({"x": {"name": 3}}, dict[str, Part], "x.name: expected text or null, got 3"),
        ({"y": {}, "x": {"numbers": {"a": 1, "b": "x"}}}, dict[str, Part], "x.numbers.b: expected a number"),
        ([[1, 2], [1, "x"]], list[tuple[int, int]], '[1][1]: expected a whole number, got "x"'),
        ([[1, 2], [1]], list[tuple[int, int]], "[1]: expected a list of length 2"),
        ({"a": True}, dict[str, float], "a: expected a number, got true"),
        ({"a\n\x1b": "x"}, dict[str, float], r'"a\n\u001b": expected a number'),
        ("z", Literal["x", "y"], "'z' is not known; it can be 'x', 'y'"),
        ([1], dict[str, float], "expected a table, got a list"),
    ],
)
def test_the_place_is_named(content: Any, kind: Any, where: str) -> None:
    """A sentence names the place in the document and the expected value."""
    with pytest.raises(FileError) as refused:
        decode_json(json.dumps(content).encode(), kind, "a.json", hint="try b")
    assert str(refused.value).startswith("a.json: ")
    assert where in str(refused.value)
    assert str(refused.value).endswith("; try b")
    with pytest.raises(FileError) as other:
        as_kind(content, kind, "a.json", hint="try b")
    assert where in str(other.value)


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 65 + "1" + "}" * 65,
        "9" * 5000,
        "1." + "0" * 400,
        "1e999",
        "[NaN]",
        "[-Infinity]",
        r'"\ud800x"',
        r'{"a\u0000b": 1}',
        "",
        "{",
        '{"a": 1,}',
    ],
)
def test_json_beyond_bounds_is_refused(content: str) -> None:
    """Depth, digits, infinite numbers, lone surrogates and broken text are refused."""
    with pytest.raises(FileError, match=r"^a\.json"):
        decode_json(content.encode(), Any, "a.json")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content",
    [
        "a = " + "[" * 1200 + "]" * 1200,
        "a = " + "9" * 5000,
        "a = 0x" + "f" * 4000,
        "a = 9223372036854775808",
        "a = 1e999",
        "a = nan",
        ".".join("a" * 100_000) + " = 1",
        ".".join(['"a"'] * 1000) + " = 1",
        'a = "\\u0000"',
        "a = 1\na = 2",
        "a",
    ],
)
def test_toml_beyond_bounds_is_refused(content: str) -> None:
    """Depth, digits, infinite numbers, endless keys and broken text are refused immediately."""
    start = time.monotonic()
    with pytest.raises(FileError, match=r"^a\.toml"):
        decode_toml(content.encode(), dict[str, Any], "a.toml")
    assert time.monotonic() - start < 2


def test_strings_may_hold_what_looks_deep_or_long() -> None:
    """Brackets and digits inside strings are neither depth nor numbers."""
    for text in ("[" * 1000, "1" * 1000, '\\"' * 100_000, "{{" * 100, r"\ud800"):
        assert decode_json(json.dumps(text).encode(), str, "a.json") == text


def test_what_python_writes_is_read_where_it_is_asked_for() -> None:
    """Lone surrogates, NaN and NUL come back if they are allowed."""
    assert decode_json(b'["\\udcff"]', list[str], "a", lone=True) == ["\udcff"]
    (value,) = decode_json(b"[NaN]", list[float], "a", nan=True)
    assert value != value
    assert decode_json(rb'["\u0000"]', list[str], "a", nul=True) == ["\0"]
    with pytest.raises(FileError, match="NaN"):
        decode_json(b'["\\udcff", NaN]', list[Any], "a", lone=True)


def test_files_are_read_up_to_their_bound(tmp_path: Path) -> None:
    """A file that is missing, a folder, or larger than any document is refused."""
    path = tmp_path / "large.toml"
    with path.open("wb") as stream:
        stream.truncate(TOML.size + 1)
    with pytest.raises(FileError, match="larger than 8 MB"):
        read_toml(path, dict[str, Any])
    with path.open("wb") as stream:
        stream.truncate(JSON.size + 1)
    with pytest.raises(FileError, match="larger than 256 MB"):
        read_json(path, dict[str, Any])
    for place in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(FileError, match=r"cannot be read|is a folder"):
            read_json(place, dict[str, Any])


def test_lines_are_counted() -> None:
    """Invalid JSON or UTF-8 is reported with its line."""
    for decode, content in ((decode_json, b'{"a":\n1,\n]'), (decode_toml, b"a = 1\nb = 2\n\xff = 3")):
        with pytest.raises(FileError) as refused:
            decode(content, dict[str, Any], "a")
        assert refused.value.line == 3


def test_a_byte_order_mark_is_no_text() -> None:
    """Files that begin with a byte order mark are read."""
    assert decode_json(b"\xef\xbb\xbf[1]", list[int], "a") == [1]
    assert decode_toml(b"\xef\xbb\xbfa = 1\r\nb = 2", dict[str, int], "a") == {"a": 1, "b": 2}
