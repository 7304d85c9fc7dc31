"""Libraries of every layout ever written open, are migrated, and keep their contents."""

from __future__ import annotations

import re
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.errors import FileError
from segue.library import schema
from segue.library.labels import Label
from segue.sequencing.proposing import ElementRange

FORMATS = Path(__file__).resolve().parents[1] / "formats"
FILES = sorted(FORMATS.glob("v*.segue"))


def layout(path: Path) -> list[tuple[str, str, str]]:
    """Tables, indexes and triggers of a library as they were created."""
    database = sqlite3.connect(path)
    try:
        rows = database.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
        return sorted((kind, name, " ".join(sql.split())) for kind, name, sql in rows)
    finally:
        database.close()


def test_there_is_a_file_of_every_layout() -> None:
    """There is one for each number up to the newest."""
    assert [path.stem for path in FILES] == [f"v{number}" for number in range(1, schema.VERSION + 1)]


def test_the_newest_file_has_the_layout_that_is_written_today(tmp_path: Path) -> None:
    """A table that changes without a new number and a migration would break existing libraries."""
    segue.Library.open(tmp_path / "new.segue").close()
    assert layout(tmp_path / "new.segue") == layout(FILES[-1])


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_what_was_put_there_is_found(file: Path, tmp_path: Path) -> None:
    """Clips, versions, labels, tags, given roles and verdicts are found; afterwards the layout is the newest."""
    path = tmp_path / file.name
    shutil.copy(file, path)
    with segue.Library.open(path) as library:
        assert [(entry.name, entry.version) for entry in library.clips()] == [
            ("made", 1),
            ("run", 1),
            ("walk", 2),
        ]
        assert library.entry("walk").labels == (Label(1, 7, "steady"),)
        assert library.entry("walk", version=1).labels[0] == Label(0, 2, "first", "somebody")
        assert library.entry("walk").tags == ("neutral",)
        walk = library.clip("walk")
        assert walk.skeleton.roles_given == (("head", ""),)
        # The first has the sample clip's digits in a BVH file, the second is the clip itself.
        assert np.allclose(walk.root_positions, segue.sample("walk").root_positions[3:12], atol=1e-6)
        assert np.array_equal(library.clip("made").rotations, segue.sample("stand").rotations[:4])
        assert library.store.value("SELECT count(*) FROM verdict") == 1
        assert library.check().sound
        known = int(file.stem[1:])
        held = [ElementRange("step", "walk", 0, 9, 2, 6, ("left",))] if known >= 3 else []
        assert list(library.elements()) == held
        assert [one.name for one in library.sequences()] == (["twice"] if known >= 3 else [])
    segue.Library.open(tmp_path / "new.segue").close()
    assert layout(path) == layout(tmp_path / "new.segue")


@pytest.fixture
def next_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the layout by one, with one more table and one more column."""

    def step(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE more (id INTEGER PRIMARY KEY)")
        db.execute("ALTER TABLE tag ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'")

    monkeypatch.setattr(schema, "MIGRATIONS", {**schema.MIGRATIONS, schema.VERSION: step})
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    more = "CREATE TABLE more (id INTEGER PRIMARY KEY);\n"
    before = "text TEXT NOT NULL, seal TEXT NOT NULL,\n  PRIMARY KEY (clip_id, text)"
    assert before in schema.TABLES
    after = before.replace("seal TEXT NOT NULL", "seal TEXT NOT NULL, colour TEXT NOT NULL DEFAULT 'red'")
    tables = schema.TABLES.replace(before, after)
    monkeypatch.setattr(schema, "TABLES", tables + more)


@pytest.mark.usefixtures("next_layout")
def test_an_older_layout_is_brought_up_to_date_when_opened_for_writing(tmp_path: Path) -> None:
    """It is migrated once, in one step; a reader reports what to do."""
    path = tmp_path / "old.segue"
    shutil.copy(FILES[-1], path)
    with pytest.raises(FileError, match=r"is of an older layout .*; open it once for writing"):
        segue.Library.open(path, mode="r")
    for _ in range(2):
        with segue.Library.open(path) as library:
            assert library.store.db.execute("SELECT text, colour FROM tag").fetchall() == [
                ("neutral", "red"),
                ("neutral", "red"),
            ]
            assert library.store.value("PRAGMA user_version") == schema.VERSION
    assert any(name == "more" for _, name, _ in layout(path))


@pytest.mark.usefixtures("next_layout")
def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is unchanged, and the next attempt finds it so."""

    def broken(db: sqlite3.Connection) -> None:
        step(db)
        db.execute("SELECT nonsense FROM nothing")

    step = schema.MIGRATIONS[schema.VERSION - 1]
    path = tmp_path / "old.segue"
    shutil.copy(FILES[-1], path)
    before = layout(path)
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", {schema.VERSION - 1: broken})
        with pytest.raises(FileError, match="nothing"):
            segue.Library.open(path)
    assert layout(path) == before
    segue.Library.open(path).close()
    assert layout(path) != before


def test_every_table_is_named() -> None:
    """These tables are copied out of a damaged library one by one."""
    assert len(schema.tables()) == len(re.findall(r"CREATE TABLE", schema.TABLES))
