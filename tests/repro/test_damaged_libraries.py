"""Libraries with foreign tables or invalid rows give one sentence, even if their seals were recomputed to fit."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segue
from refused import DEEP, refused
from segue.io import save
from segue.library.clips import COLUMNS
from segue.library.documents import Content, seal

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two clips with a label and a tag, with their pairs compared."""
    path = tmp_path_factory.mktemp("library") / "moves.segue"
    with segue.Library.open(path) as made:
        for name in ("walk", "stop"):
            made.add(segue.sample(name).with_motion(name=name))
        made.label("walk", "stride", start_frame=1, stop_frame=5)
        made.tag("walk", "calm")
        made.match()
    return path


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) "
FILL = f"SELECT x, x FROM ({ENDLESS} SELECT x FROM c)"
STRANGERS = {
    "version 0": ("PRAGMA user_version = 0",),
    "version -1": ("PRAGMA user_version = -1",),
    "no table of clips": ("DROP TABLE clip",),
    "a view in place of a table": (
        "ALTER TABLE verdict RENAME TO verdict0",
        f"CREATE VIEW verdict AS {ENDLESS} SELECT x AS a_clip, x AS b_clip, x AS a_frame, x AS b_frame FROM c",
    ),
    "a view more": (f"CREATE VIEW more AS {ENDLESS} SELECT x FROM c",),
    "a trigger": (
        f"CREATE TRIGGER slow AFTER INSERT ON clip BEGIN INSERT INTO meta {FILL}; END",
    ),
    "another trigger under a known name": (
        "DROP TRIGGER clip_superseded",
        "CREATE TRIGGER clip_superseded AFTER UPDATE OF current ON clip BEGIN DELETE FROM clip; END",
    ),
    "a table more": ("CREATE TABLE more (x)",),
    "a computed column": ("ALTER TABLE tag ADD COLUMN y AS (zeroblob(1000000000))",),
    "an index that computes": ("CREATE INDEX more ON clip (length(zeroblob(1000000000)))",),
    "a virtual table": ("CREATE VIRTUAL TABLE more USING fts5(x)",),
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGERS)
@pytest.mark.parametrize("mode", ["r", "w"])
def test_a_database_with_what_no_library_has_is_not_read(
    library: Path, tmp_path: Path, name: str, mode: Any
) -> None:
    """Foreign views, triggers and tables are named and never run."""
    path = tmp_path / "moves.segue"
    shutil.copy(library, path)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("PRAGMA legacy_alter_table = ON")
    try:
        for sql in STRANGERS[name]:
            db.execute(sql)
    except sqlite3.OperationalError:
        pytest.skip("this SQLite cannot make that")
    finally:
        db.close()
    assert "no " in refused(lambda: segue.Library.open(path, mode=mode))


def test_indexes_that_are_gone_are_no_matter(library: Path, tmp_path: Path) -> None:
    """A library without its indexes is sound."""
    path = tmp_path / "moves.segue"
    shutil.copy(library, path)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP INDEX clip_path")
    db.close()
    with segue.Library.open(path) as opened:
        assert [entry.name for entry in opened.clips()] == ["stop", "walk"]


def sealed(path: Path, table: str, column: str, value: object) -> None:
    """Change a column in every row of a table, and recompute the digests and seals."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute(f"UPDATE {table} SET {column} = ?", (value,))
    sql = (
        "SELECT clip.id, document, source, origin, fps, root_positions, rotations FROM clip "
        "JOIN skeleton ON skeleton.id = skeleton_id JOIN frames ON clip_id = clip.id"
    )
    for number, *parts in db.execute(sql).fetchall():
        try:
            db.execute("UPDATE clip SET content_sha256 = ? WHERE id = ?", (Content(*parts).digest, number))
        except (TypeError, AttributeError):
            continue
    for number, *values in db.execute(f"SELECT id, {COLUMNS} FROM clip").fetchall():
        db.execute("UPDATE clip SET seal = ? WHERE id = ?", (seal(*values), number))
    for number, *values in db.execute(
        "SELECT id, clip_id, start_frame, stop_frame, text, by FROM label"
    ).fetchall():
        db.execute("UPDATE label SET seal = ? WHERE id = ?", (seal(*values), number))
    db.close()


BODY = '{"names":["a","b"],"parents":[-1,0],"offsets":[[0,1,0],[0,1,0]],"end_sites":[],"roles_given":[]}'
SOURCE = (
    '{"format":"bvh","metres_per_unit":0.01,"up":"Y","channels":[],"frame_time":"","digest":"",'
    '"notes":[],"extra":{}}'
)
ROWS = [
    *[("clip", "n_frames", value) for value in (0, -1, 3, 2**40, "x", b"x", 1.5)],
    *[("clip", "fps", value) for value in (0.0, -30.0, 1e300, "x")],
    ("clip", "version", "first"),
    ("clip", "path", b"x"),
    *[("frames", "rotations", value) for value in (b"", b"x" * 31, "text", np.full(100, np.nan).tobytes())],
    ("frames", "root_positions", b"\0" * 8),
    *[("frames", "origin", value) for value in (b"", b"\xff" * 40, (2).to_bytes(8, "little") + b"[]", "text")],
    *[("frames", "source", value) for value in ("", "{}", "[1]", DEEP, SOURCE.replace("0.01", "0"))],
    ("frames", "source", SOURCE.replace('"frame_time":""', '"frame_time":"0.0"')),
    ("frames", "source", SOURCE.replace('"channels":[]', '"channels":[["Wposition"]]')),
    ("frames", "source", SOURCE.replace('"extra":{}', '"extra":{"carried":{"joint":99}}')),
    *[("skeleton", "document", value) for value in ("", "[]", BODY, BODY.replace("[-1,0]", "[-1,5]"))],
    ("skeleton", "document", BODY.replace("[0,1,0]", "[0,1e300,0]")),
    ("skeleton", "document", BODY.replace('"a"', '"b"')),
    ("skeleton", "document", BODY.replace('"end_sites":[]', '"end_sites":[[9,[0,0,0]]]')),
]  # fmt: skip


@pytest.mark.parametrize(("table", "column", "value"), ROWS)
def test_rows_are_not_believed_because_a_seal_fits(
    library: Path, tmp_path: Path, table: str, column: str, value: object
) -> None:
    """A clip with an invalid row, skeleton, source or frames gives one sentence when read and when checked."""
    path = tmp_path / "moves.segue"
    shutil.copy(library, path)
    sealed(path, table, column, value)
    with segue.Library.open(path, mode="r") as opened:
        assert refused(lambda: opened.clip("walk")).startswith(str(path))
        assert not opened.check().sound


@pytest.mark.parametrize(("table", "column", "value"), [
    ("pair", "cells", b"\xff" * 7), ("pair", "cells", np.full(4000, 2**30, "<i4").tobytes()), ("pair", "costs", b"xyz"),
    ("pair", "diagonal", b""), ("pair", "once", np.array([np.nan]).tobytes()), ("pair", "minima", -1),
    ("pair", "copies", "x"), ("compared", "frames", np.array([5, 1, 99999], "<i4").tobytes()),
    ("compared", "frames", "text"), ("compared", "next_frame", b"1234567"),
])  # fmt: skip
def test_kept_pairs_that_are_none_are_compared_again(
    library: Path, tmp_path: Path, table: str, column: str, value: object
) -> None:
    """A graph does not depend on damaged stored pairs: indices are checked against the clips before use."""
    path = tmp_path / "moves.segue"
    shutil.copy(library, path)
    with segue.Library.open(path) as opened:
        before = opened.graph(threshold=0.01)
    shutil.copy(library, path)
    sealed(path, table, column, value)
    with segue.Library.open(path) as opened:
        after = opened.graph(threshold=0.01)
    assert np.array_equal(after.joins.a_start, before.joins.a_start)
    assert np.array_equal(after.joins.alignment, before.joins.alignment)


@pytest.mark.parametrize(("column", "value"), [
    ("row", "x"), ("row", -1), ("turn", "far"), ("turn", 1e300), ("blend_seconds", -1.0), ("blend_seconds", 1e9),
    ("badness", "bad"), ("x", b"x"),
])  # fmt: skip
def test_points_that_are_none_are_one_sentence(
    library: Path, tmp_path: Path, column: str, value: object
) -> None:
    """An invalid row of a point is reported and not played."""
    path = tmp_path / "moves.segue"
    shutil.copy(library, path)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"UPDATE point SET {column} = ? WHERE id = (SELECT min(id) FROM point)", (value,))
    db.close()
    with segue.Library.open(path) as opened:
        assert "transition point" in refused(opened.graph)


@pytest.mark.parametrize(
    "value", ["", "{}", "[]", DEEP, '{"kind": 3}', '{"kind": "matched", "cost": 3}', b"\xff", 7]
)
def test_settings_of_a_library_are_typed(library: Path, tmp_path: Path, value: object) -> None:
    """The stored settings of a comparison are decoded like any document."""
    path = tmp_path / "moves.segue"
    shutil.copy(library, path)
    sealed(path, "setting", "document", value)
    with segue.Library.open(path, mode="r") as opened:
        refused(lambda: opened.points("walk"))


@pytest.mark.parametrize("text", ["", "[]", '{"fps": "x"}', '{"roles": {"head": 1}}', '{"unit": [1]}', DEEP])
def test_settings_told_for_a_file_are_typed(tmp_path: Path, text: str) -> None:
    """Invalid stored settings for reading a file give one sentence."""
    save(segue.sample("walk"), tmp_path / "walk.bvh")
    path = tmp_path / "moves.segue"
    with segue.Library.open(path) as made:
        made.add(tmp_path / "walk.bvh")
    sealed(path, "clip", "told", text)
    with segue.Library.open(path) as opened:
        reported = opened.add(tmp_path / "walk.bvh", fps=60.0)
        assert reported.skipped if hasattr(reported, "skipped") else reported


def test_a_name_with_nul_is_one_sentence(library: Path, tmp_path: Path) -> None:
    """No file name can contain NUL."""
    path = tmp_path / "moves.segue"
    shutil.copy(library, path)
    db = sqlite3.connect(path, isolation_level=None)
    for number, *values in db.execute(f"SELECT id, {COLUMNS} FROM clip WHERE name = 'walk'").fetchall():
        row = ["a\0b", *values[1:]]
        db.execute("UPDATE clip SET name = ?, seal = ? WHERE id = ?", (row[0], seal(*row), number))
    db.close()
    with segue.Library.open(path, mode="r") as opened:
        assert "NUL" in refused(opened.clips)
