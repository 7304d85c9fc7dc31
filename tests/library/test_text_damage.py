"""Damaged texts of a library give one of segue's errors, and sound contents are salvaged."""

from __future__ import annotations

import pytest

from segue.errors import FileError
from segue.library.library import Library


@pytest.fixture
def moves(tmp_path):
    """A library of one clip with a given transition, so that there is a setting."""
    with Library.open(tmp_path / "moves.segue") as library:
        library.add(["sample:walk"])
        library.match()
    return tmp_path / "moves.segue"


@pytest.mark.parametrize("mode", ["r", "w"])
def test_tables_that_are_described_by_no_text(moves, mode):
    """SQLite quotes the description in its message, which is then not valid text either."""
    data = moves.read_bytes()
    assert data.count(b"CREATE TABLE tag (") == 1
    moves.write_bytes(data.replace(b"CREATE TABLE tag (", b"CREATE TABLE \xce(g ("))
    with pytest.raises(FileError, match="is damaged"), Library.open(moves, mode=mode) as library:
        library.clips()


def test_a_table_whose_text_is_none_is_dropped_by_salvage(moves, tmp_path):
    """The clips are salvaged; computed tables are computed again."""
    with Library.open(moves) as library, library.store.writing() as db:
        db.execute("UPDATE setting SET document = CAST(x'ce28' AS TEXT)")
    with Library.open(moves, mode="r") as library:
        saved = library.salvage(tmp_path / "whole.segue")
    assert saved.whole == ("walk",)
    assert "setting" in saved.dropped
    with Library.open(tmp_path / "whole.segue") as library:
        assert library.check().sound
        assert library.match().new_pairs == 1
