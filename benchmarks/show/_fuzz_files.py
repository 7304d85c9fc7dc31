"""Mutations of file contents: the document of a glTF, the arrays of an archive, the rows of a library.

Lengths, checksums and seals of a mutated file are valid, so that a reader gets past them.
"""

from __future__ import annotations

import io
import json
import sqlite3
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _fuzz_mutations import (
    NUMBERS,
    STRINGS,
    binary_mutant,
    chosen,
    json_bytes,
    odd_value,
    rounds,
    toml_bytes,
    tree_mutant,
)

from segue.library.clips import COLUMNS
from segue.library.documents import seal

Rng = np.random.Generator


def json_mutant(rng: Rng, content: bytes) -> bytes:
    """Return a JSON document with another tree; with other bytes where an earlier change made it unreadable."""
    try:
        tree = json.loads(content)
    except (ValueError, RecursionError):
        return binary_mutant(rng, content)
    return json_bytes(rng, tree_mutant(rng, tree))


def toml_mutant(rng: Rng, content: bytes) -> bytes:
    """Return a TOML document with another tree."""
    return toml_bytes(rng, tree_mutant(rng, tomllib.loads(content.decode())))


def glb_mutant(rng: Rng, content: bytes) -> bytes:
    """Return a binary glTF with another document, or another block of numbers, of consistent lengths."""
    size = int.from_bytes(content[12:16], "little")
    document, block = content[20 : 20 + size], content[28 + size :]
    if rng.random() < 0.8:
        document = json_mutant(rng, document)
    else:
        block = binary_mutant(rng, block)
    document += b" " * (-len(document) % 4)
    block += bytes(-len(block) % 4)
    parts = [
        len(document).to_bytes(4, "little"),
        b"JSON",
        document,
        len(block).to_bytes(4, "little"),
        b"BIN\0",
        block,
    ]
    body = b"".join(parts)
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body


# -- archives of arrays ------------------------------------------------------------------------------------------


def npz_mutant(rng: Rng, content: bytes) -> bytes:
    """Return an archive with other arrays: types, shapes, numbers, names; sometimes one with a wrong header."""
    with np.load(io.BytesIO(content)) as archive:
        arrays: dict[str, Any] = dict(archive)
    lies: dict[str, bytes] = {}
    for _ in rounds(rng):
        key = chosen(rng, list(arrays) or [""])
        kind, array = int(rng.integers(9)), arrays.get(key, np.zeros(3))
        if kind == 0:
            arrays.pop(key, None)
        elif kind == 1:
            arrays[key] = _retyped(rng, array)
        elif kind in {2, 3}:
            arrays[key] = _reshaped(rng, array)
        elif kind in {4, 5}:
            arrays[key] = _renumbered(rng, array)
        elif kind == 6:
            arrays[
                chosen(rng, (*list(arrays), "poses", "trans", "betas", "fps", "a/../b", "segue_format"))
            ] = array
        elif kind == 7:
            arrays[key] = np.array(chosen(rng, ("x", b"x", 3, -1, 1e300, True, [[1]], ["a", "a"], [])))
        else:
            lies[key] = _lying(rng, array)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for key, array in arrays.items():
            stream = io.BytesIO()
            np.lib.format.write_array(stream, np.asarray(array), allow_pickle=False)
            made.writestr(f"{key.replace(chr(0), '')}.npy", lies.get(key) or stream.getvalue())
    return out.getvalue()


def _retyped(rng: Rng, array: Any) -> Any:
    kind = chosen(rng, ("f4", "f2", "i8", "u1", "U8", "S4", "?", "c16", ">f8", "M8[s]"))
    try:
        with np.errstate(all="ignore"):
            return np.asarray(array).astype(kind)
    except (ValueError, TypeError, OverflowError, RuntimeError):
        return np.zeros(np.shape(array), dtype=kind)


def _reshaped(rng: Rng, array: Any) -> Any:
    array = np.asarray(array)
    mutations: tuple[Callable[[], Any], ...] = (
        lambda: array[:0],
        lambda: array[: max(len(array) - 1, 0)],
        array.ravel,
        lambda: array[..., :-1],
        lambda: array[..., None],
        lambda: array[None],
        lambda: np.repeat(array, 2, axis=0),
        lambda: np.repeat(array, 2, axis=-1),
        lambda: array.T,
        lambda: array.reshape(-1)[0],
        lambda: np.zeros((0, *array.shape[1:])),
        lambda: np.zeros(2_000_000),
    )
    try:
        return chosen(rng, mutations)()
    except (IndexError, ValueError, TypeError):
        return np.zeros((2, 0, 3))


def _renumbered(rng: Rng, array: Any) -> Any:
    array = np.array(array)
    if array.dtype.kind not in "fiu":
        return np.array([chosen(rng, STRINGS[4:]).replace("\0", "") or "x" for _ in range(array.size or 1)])
    with np.errstate(all="ignore"):
        value = np.array(float(chosen(rng, [n for n in NUMBERS if n != 10**400]))).astype(array.dtype)
    if rng.random() < 0.3:
        with np.errstate(all="ignore"):
            return chosen(rng, (array * 1.01, np.flip(array), array + 1, -array, array * 100)).astype(
                array.dtype
            )
    if array.size and rng.random() < 0.6:
        array.reshape(-1)[int(rng.integers(array.size))] = value
    else:
        array[...] = value
    return array


def _lying(rng: Rng, array: Any) -> bytes:
    """Bytes of an array whose header states another shape or type."""
    given = {
        "descr": chosen(rng, ("<f8", "|O", "<f4", "<U4", "|V8", "<c16")),
        "fortran_order": bool(rng.random() < 0.3),
        "shape": chosen(rng, ((10**12,), (2**31, 2**31), (-1,), (0,), (10**9, 0), (3, 3, 3), (50_000_000,))),
    }
    header = repr(given).encode() + b" " * 16 + b"\n"
    return (
        b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + np.asarray(array).tobytes()[:64]
    )


# -- libraries ---------------------------------------------------------------------------------------------------


def library_mutant(rng: Rng, content: bytes) -> bytes:
    """Return a library with other row values, other tables or another layout number, with valid seals."""
    return _in_database(content, lambda db: [_change(rng, db) for _ in rounds(rng)])


def walker_mutant(rng: Rng, content: bytes) -> bytes:
    """Return a library with a changed walker: its document, or its block of numbers."""
    return _in_database(content, lambda db: _walker(rng, db))


def _in_database(content: bytes, change: Callable[[sqlite3.Connection], object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.segue"
        path.write_bytes(content)
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("PRAGMA synchronous = OFF")
        try:
            change(db)
        except (sqlite3.Error, OverflowError, UnicodeError):
            pass  # values that SQLite rejects cannot be in a file
        finally:
            db.close()
        return path.read_bytes()


def _change(rng: Rng, db: sqlite3.Connection) -> None:
    tables = [
        name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    ]
    filled = [one for one in tables if db.execute(f'SELECT EXISTS (SELECT 1 FROM "{one}")').fetchone()[0]]
    if not filled or rng.random() < 0.12:
        _layout(rng, db, chosen(rng, tables or ["clip"]))
        return
    table = chosen(rng, filled)
    columns = [(row[1], row[2], row[5]) for row in db.execute(f'PRAGMA table_info("{table}")')]
    name = chosen(rng, columns)[0]
    keys = [key for key, _, primary in columns if primary] or [columns[0][0]]
    row = chosen(rng, db.execute(f'SELECT {", ".join(keys)}, "{name}" FROM "{table}"').fetchall())
    where = " AND ".join(f'"{key}" = ?' for key in keys)
    if rng.random() < 0.1:
        db.execute(f'DELETE FROM "{table}" WHERE {where}', row[:-1])
    else:
        db.execute(f'UPDATE "{table}" SET "{name}" = ? WHERE {where}', (_value(rng, row[-1]), *row[:-1]))
    _reseal(db)


def _value(rng: Rng, value: Any) -> Any:
    """Another value of a cell: by its own structure where it has one."""
    if isinstance(value, bytes):
        return (
            binary_mutant(rng, value) if rng.random() < 0.8 else chosen(rng, (b"", None, 3, "x", bytes(100)))
        )
    if isinstance(value, str) and value[:1] in {"{", "["} and rng.random() < 0.8:
        return json_mutant(rng, value.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
    odd = odd_value(rng)
    if isinstance(odd, list | dict):
        return json.dumps(odd)
    return odd if not isinstance(odd, int) or abs(odd) < 2**63 else 2**62


def _layout(rng: Rng, db: sqlite3.Connection, table: str) -> None:
    """Other tables, or another number of the layout."""
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    db.execute(
        chosen(
            rng,
            (
                f"PRAGMA user_version = {chosen(rng, (0, -1, 1, 3, 99, 2**31 - 1))}",
                f"PRAGMA application_id = {chosen(rng, (0, 1, -1))}",
                f'DROP TABLE "{table}"',
                f'ALTER TABLE "{table}" RENAME TO other',
                f'ALTER TABLE "{table}" ADD COLUMN more',
                f"CREATE TRIGGER t AFTER INSERT ON clip BEGIN INSERT INTO meta SELECT x, x FROM ({endless}); END",
                f"CREATE VIEW v AS {endless}",
                "DELETE FROM meta",
                f'DELETE FROM "{table}"',
            ),
        )
    )


def _reseal(db: sqlite3.Connection) -> None:
    """Recompute the seals: they have no key, and do not identify who wrote a row."""
    for number, *values in db.execute(f"SELECT id, {COLUMNS} FROM clip").fetchall():
        db.execute("UPDATE clip SET seal = ? WHERE id = ?", (seal(*values), number))
    for number, *values in db.execute(
        "SELECT id, clip_id, start_frame, stop_frame, text, by FROM label"
    ).fetchall():
        db.execute("UPDATE label SET seal = ? WHERE id = ?", (seal(*values), number))
    for row in db.execute("SELECT clip_id, text FROM tag").fetchall():
        db.execute("UPDATE tag SET seal = ? WHERE clip_id = ? AND text = ?", (seal(*row), *row))
    for name, document, arrays in db.execute("SELECT name, document, arrays FROM walker").fetchall():
        db.execute("UPDATE walker SET seal = ? WHERE name = ?", (seal(name, document, arrays), name))


def _walker(rng: Rng, db: sqlite3.Connection) -> None:
    document, arrays = db.execute("SELECT document, arrays FROM walker").fetchone()
    tree = json.loads(document)
    if rng.random() < 0.8:
        if isinstance(tree.get("skeleton"), str) and rng.random() < 0.15:
            tree["skeleton"] = json_mutant(rng, tree["skeleton"].encode()).decode("utf-8", "replace")
            document = json.dumps(tree)
        else:
            document = json_mutant(rng, document.encode()).decode("utf-8", "replace")
    elif rng.random() < 0.5:
        arrays = zlib.compress(binary_mutant(rng, zlib.decompress(arrays)), 1)
    else:
        arrays = chosen(
            rng, (binary_mutant(rng, arrays), b"", zlib.compress(b"\0" * 100_000_000, 9), "text", None)
        )
    db.execute("UPDATE walker SET document = ?, arrays = ?", (document, arrays))
    _reseal(db)
