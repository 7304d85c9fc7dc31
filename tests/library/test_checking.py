"""Damage to a library: sound clips are known and can be salvaged; nothing changed is salvaged."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import segue
from library_clips import same_clip
from segue.errors import FileError, SettingError

PAGE = 8192
NAMES = ("run", "stand", "start", "stop", "walk", "walk_fast", "walk_left", "walk_slow")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Library of eight clips from files, each with a label and a tag."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "clips").mkdir()
    for name in NAMES:
        segue.save(segue.sample(name), folder / "clips" / f"{name}.bvh")
    with segue.Library.open(folder / "moves.segue") as library:
        library.add(folder / "clips")
        for name in NAMES:
            library.label(name, f"label of {name}", start_frame=3, stop_frame=9)
            library.tag(name, f"tag of {name}")
    return folder / "moves.segue"


def damaged(whole: Path, tmp_path: Path, pages: list[int], rng: random.Random) -> Path:
    """Copy of a library with some pages (from 0) overwritten."""
    path = tmp_path / "damaged.segue"
    shutil.copy(whole, path)
    with path.open("r+b") as stream:
        for page in pages:
            stream.seek(page * PAGE)
            stream.write(rng.randbytes(PAGE) if rng.random() < 0.7 else bytes(PAGE))
    return path


def test_a_whole_library_is_sound(whole: Path) -> None:
    """The check finds nothing."""
    with segue.Library.open(whole, mode="r") as library:
        report = library.check()
    assert report.sound
    assert report.whole == NAMES
    assert report.sentence == "whole: all 8 clips are as they were added"


@pytest.mark.parametrize("seed", range(12))
def test_pages_overwritten_at_random(whole: Path, tmp_path: Path, seed: int) -> None:
    """Every clip reported sound is as it was added, every other one is an error, and the sound ones are salvaged."""
    rng = random.Random(seed)
    count = whole.stat().st_size // PAGE
    few = 1 if seed < 8 else 12
    pages = [rng.randrange(1, min(count, 40) if seed % 2 else count) for _ in range(few)]
    path = damaged(whole, tmp_path, pages, rng)
    with segue.Library.open(whole, mode="r") as sound, segue.Library.open(path, mode="r") as library:
        report = library.check()
        if report.sound:  # the pages were free, or held nothing yet
            assert set(pages) <= free_pages(whole)
        assert set(report.whole) | set(report.broken) >= set(NAMES) or any(
            name.startswith("clip number") for name in report.broken
        )
        for name in report.whole:
            assert same_clip(library.clip(name), sound.clip(name))
        for name in set(NAMES) - set(report.whole):
            with pytest.raises(FileError, match=r"damaged.*Library\.salvage"):
                library.clip(name)
        taken = library.salvage(tmp_path / "out.segue")
        assert set(taken.whole) == set(report.whole)
        with segue.Library.open(tmp_path / "out.segue") as out:
            assert out.check().sound
            assert {entry.name for entry in out.clips()} == {*taken.whole, *taken.healed}
            for entry in out.clips():
                assert same_clip(out.clip(entry.name), sound.clip(entry.name))
                known = sound.entry(entry.name)
                assert set(entry.labels) <= set(known.labels)
                assert set(entry.tags) <= set(known.tags)
                if entry.name not in report.words and not {"label", "tag"} & set(report.tables):
                    assert (entry.labels, entry.tags, entry.id) == (known.labels, known.tags, known.id)
            again = out.add(whole.parent / "clips")
            assert len(again.same) + len(again.new) == len(NAMES)
            assert set(again.new) == set(NAMES) - {*taken.whole, *taken.healed}


def free_pages(path: Path) -> set[int]:
    """Pages that no table uses (from 0), by asking SQLite."""
    import sqlite3

    database = sqlite3.connect(path)
    try:
        used = {row[0] - 1 for row in database.execute("SELECT pageno FROM dbstat")}
    except sqlite3.OperationalError:
        pytest.skip("this SQLite cannot tell which pages are used")
    finally:
        database.close()
    return set(range(path.stat().st_size // PAGE)) - used


def test_frames_of_one_clip_flipped_by_one_bit(whole: Path, tmp_path: Path) -> None:
    """That clip alone is broken; its file heals it, and without the file it is lost."""
    path = tmp_path / "damaged.segue"
    content = bytearray(whole.read_bytes())
    with segue.Library.open(whole, mode="r") as library:
        frames = library.clip("walk").rotations.tobytes()
    at = content.find(frames[40_000:40_064])
    assert at > 0
    content[at] ^= 1
    path.write_bytes(content)
    with segue.Library.open(path, mode="r") as library:
        report = library.check()
        assert report.broken == {"walk": "clip 'walk' is damaged: its frames are not those that were added"}
        assert report.pages == ()
        assert report.sentence == "damaged: 7 clips whole, 1 broken (walk)"
        assert library.salvage(tmp_path / "healed.segue").healed == ("walk",)
        walk = whole.parent / "clips" / "walk.bvh"
        hidden = walk.rename(walk.with_suffix(".hidden"))
        try:
            taken = library.salvage(tmp_path / "without.segue")
        finally:
            hidden.rename(walk)
        assert (taken.healed, list(taken.lost)) == ((), ["walk"])
        with pytest.raises(FileError, match="exists already"):
            library.salvage(tmp_path / "without.segue")


def test_an_earlier_version_stands_in_where_the_current_one_is_lost(whole: Path, tmp_path: Path) -> None:
    """The salvage report names those clips."""
    path = tmp_path / "versions.segue"
    walk = segue.sample("walk")
    with segue.Library.open(path) as library:
        library.add([walk, walk.with_motion(root_positions=walk.root_positions + 1.0)])
        library.store.db.execute("UPDATE frames SET rotations = zeroblob(8) WHERE clip_id = 2")
        taken = library.salvage(tmp_path / "out.segue")
    assert (taken.older, list(taken.lost)) == (("walk",), ["walk"])
    with segue.Library.open(tmp_path / "out.segue") as out:
        assert same_clip(out.clip("walk"), walk)


def test_a_row_written_by_somebody_else_does_not_fit_its_seal(whole: Path, tmp_path: Path) -> None:
    """This holds for labels and clips."""
    path = tmp_path / "moves.segue"
    shutil.copy(whole, path)
    with segue.Library.open(path) as library:
        library.store.db.execute("UPDATE label SET stop_frame = 8 WHERE text = 'label of run'")
        library.store.db.execute("UPDATE clip SET fps = 25 WHERE name = 'walk'")
        report = library.check()
    assert list(report.broken) == ["walk"]
    assert list(report.words) == ["run"]


def test_a_beginning_that_is_gone_is_one_sentence(whole: Path, tmp_path: Path) -> None:
    """Without the first page the file is no longer a library."""
    path = damaged(whole, tmp_path, [0], random.Random(0))
    with pytest.raises(FileError, match="its header is damaged"):
        segue.Library.open(path)
    path = tmp_path / "cut.segue"
    path.write_bytes(whole.read_bytes()[: 40 * PAGE])
    with segue.Library.open(path, mode="r") as library:
        report = library.check()
        assert not report.sound
        assert report.broken


def test_a_copy_is_the_library(whole: Path, tmp_path: Path) -> None:
    """A library open for reading can be copied too; an existing file is kept."""
    with segue.Library.open(whole, mode="r") as library:
        library.copy(tmp_path / "copy.segue")
        with pytest.raises(FileError, match="exists already"):
            library.copy(tmp_path / "copy.segue")
        with segue.Library.open(tmp_path / "copy.segue") as other:
            assert other.check().sound
            assert [e.labels for e in other.clips()] == [e.labels for e in library.clips()]


@pytest.mark.parametrize(
    "page", [bytes(PAGE), b"\x0a\0\0\0\0\x20\0\0" + bytes(PAGE - 8)], ids=["zeros", "empty"]
)
def test_an_index_that_is_gone_takes_no_clip_with_it(whole: Path, tmp_path: Path, page: bytes) -> None:
    """Names are found row by row if their index is missing or seems empty."""
    path = tmp_path / "damaged.segue"
    content = bytearray(whole.read_bytes())
    with segue.Library.open(whole, mode="r") as library:
        roots = library.store.db.execute(
            "SELECT rootpage FROM sqlite_master WHERE type = 'index' AND tbl_name = 'clip'"
        ).fetchall()
    assert len(roots) > 3
    for (root,) in roots:
        content[(root - 1) * PAGE : root * PAGE] = page
    path.write_bytes(content)
    with segue.Library.open(path, mode="r") as library, segue.Library.open(whole, mode="r") as sound:
        report = library.check()
        assert report.whole == NAMES
        assert not report.sound
        for name in NAMES:
            assert same_clip(library.clip(name), sound.clip(name))
        with pytest.raises((FileError, SettingError), match="wolk"):
            library.clip("wolk")
        assert set(library.salvage(tmp_path / "out.segue").whole) == set(NAMES)


def test_text_that_is_no_text_is_damage(whole: Path, tmp_path: Path) -> None:
    """With invalid UTF-8, or numbers in place of text, the clip is broken, and nothing else happens."""
    path = tmp_path / "damaged.segue"
    shutil.copy(whole, path)
    with segue.Library.open(path) as library:
        numbers = {entry.name: entry.id for entry in library.clips()}
        change = library.store.db.execute
        change("UPDATE frames SET source = CAST(x'ff' AS TEXT) WHERE clip_id = ?", (numbers["run"],))
        change("UPDATE frames SET rotations = 7 WHERE clip_id = ?", (numbers["stop"],))
        change("UPDATE clip SET path = CAST(x'fe' AS TEXT) WHERE id = ?", (numbers["walk"],))
        change("UPDATE label SET text = CAST(x'fd' AS TEXT) WHERE clip_id = ?", (numbers["start"],))
        report = library.check()
        assert list(report.broken) == ["run", "stop", "walk"]
        assert list(report.words) == ["start"]
        for ask in (library.clips, lambda: library.clip("run"), lambda: library.entry("start")):
            with pytest.raises(FileError, match=r"damaged.*Library\.salvage"):
                ask()
