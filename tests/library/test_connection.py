"""One file, several processes: each failure is one sentence, and nothing is lost."""

from __future__ import annotations

import multiprocessing
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import segue
from segue.errors import FileError
from segue.io.library_mark import is_library
from segue.library.schema import VERSION

HOLD = """
import sys, time, segue
with segue.Library.open(sys.argv[1]) as library:
    with library.store.writing():
        library.tag("walk", "held")
        print("holding", flush=True)
        sys.stdin.readline()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed library of two clips."""
    path = tmp_path / "moves.segue"
    with segue.Library.open(path) as library:
        library.add(["sample:walk", "sample:stand"])
    return path


def holder(path: Path) -> subprocess.Popen[str]:
    """Another process that holds the write lock until `release`."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "holding\n"
    return process


def release(process: subprocess.Popen[str]) -> None:
    """Let it commit and end."""
    process.communicate("go on\n")
    assert process.returncode == 0


def test_readers_read_on_while_another_process_writes(path: Path) -> None:
    """They see the library as it was before that step, and then as it is after it."""
    other = holder(path)
    with segue.Library.open(path, mode="r") as library:
        begun = time.monotonic()
        assert library.entry("walk").tags == ()
        assert library.clip("walk").n_frames == 361
        assert time.monotonic() - begun < 0.5, "a reader waited"
        release(other)
        assert library.entry("walk").tags == ("held",)


def test_a_second_writer_waits_and_says_so(path: Path) -> None:
    """It reports once that it waits, and continues when the first is done."""
    messages: list[str] = []
    with segue.Library.open(path, say=messages.append) as library:
        other = holder(path)
        timer = threading.Timer(1.0, release, [other])
        timer.start()
        library.tag("walk", "second")
        timer.join()
        assert messages == ["another process is writing to moves.segue; waiting"]
        assert library.entry("walk").tags == ("held", "second")


def test_a_second_writer_gives_up_with_a_sentence(path: Path) -> None:
    """After its waiting time it changes nothing and can still be used."""
    with segue.Library.open(path, patience=0.2, say=lambda _: None) as library:
        other = holder(path)
        with pytest.raises(
            FileError, match=r"another process has been writing to it for 0\.2 s; nothing was changed"
        ):
            library.tag("walk", "second")
        assert library.entry("walk").tags == ()
        release(other)
        library.tag("walk", "second")
        assert library.entry("walk").tags == ("held", "second")


def _label(path: Path, first: int) -> None:
    with segue.Library.open(path) as library:
        for start in range(first, first + 20):
            library.label("walk", f"word {start}", start_frame=start, stop_frame=start + 1)


def test_two_processes_write_at_once_and_nothing_is_lost(path: Path) -> None:
    """Forty labels of two processes are all there, and one file is left."""
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=_label, args=(path, first)) for first in (0, 100)]
    for process in both:
        process.start()
    for process in both:
        process.join()
        assert process.exitcode == 0
    with segue.Library.open(path, mode="r") as library:
        assert [one.start_frame for one in library.entry("walk").labels] == [*range(20), *range(100, 120)]
        assert library.check().sound
    assert [item.name for item in path.parent.iterdir()] == ["moves.segue"]


def test_the_log_is_folded_in_by_whoever_closes_last(path: Path) -> None:
    """A reader that closes after the writer leaves one file too, with everything written."""
    reader = segue.Library.open(path, mode="r")
    with segue.Library.open(path) as writer:
        assert reader.entry("walk").tags == ()
        writer.tag("walk", "late")
    assert reader.entry("walk").tags == ("late",)
    reader.close()
    assert [item.name for item in path.parent.iterdir()] == ["moves.segue"]
    assert path.read_bytes()[18:20] == b"\x01\x01", "the file still asks for a log"


def test_a_step_that_fails_is_taken_back_whole(path: Path) -> None:
    """Half of a step is never stored."""
    with segue.Library.open(path) as library:
        with pytest.raises(KeyError), library.store.writing():
            raise KeyError(library.tag("walk", "first half"))
        assert library.entry("walk").tags == ()
        library.tag("walk", "whole")
        assert library.entry("walk").tags == ("whole",)


def test_a_library_removed_while_open_is_told_and_can_still_be_copied(path: Path, tmp_path: Path) -> None:
    """Nothing is written into a deleted file; its complete contents can be saved."""
    library = segue.Library.open(path)
    library.tag("walk", "before")
    path.unlink()
    with pytest.raises(
        FileError, match=r"was removed or replaced while it was open: .* Library.copy\(PATH\)"
    ):
        library.tag("walk", "after")
    library.copy(tmp_path / "saved.segue")
    library.close()
    with segue.Library.open(tmp_path / "saved.segue") as saved:
        assert saved.entry("walk").tags == ("before",)
        assert saved.check().sound
    assert not path.exists()


def test_a_library_replaced_while_open_keeps_its_successor_untouched(path: Path, tmp_path: Path) -> None:
    """Closing the old one does not write into the new one."""
    library = segue.Library.open(path)
    library.tag("walk", "old")
    other = tmp_path / "other.segue"
    with segue.Library.open(other) as new:
        new.add("sample:run")
    before = other.read_bytes()
    other.replace(path)
    with pytest.raises(FileError, match="was removed or replaced"):
        library.tag("walk", "after")
    library.close()
    assert path.read_bytes() == before


def test_a_file_that_may_not_grow_is_one_sentence_and_nothing_is_lost(tmp_path: Path) -> None:
    """A limit on file size simulates a full disk: everything added before is intact."""
    path = tmp_path / "moves.segue"
    with segue.Library.open(path) as library:
        library.add("sample:walk")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    library = segue.Library.open(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(
            FileError,
            match=r"the disk failed to read or write .* the last change was not saved, all earlier ones were",
        ):
            library.add("sample:walk_slow")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    library.add("sample:stand")
    library.close()
    with segue.Library.open(path, mode="r") as library:
        assert [entry.name for entry in library.clips()] == ["stand", "walk"]
        assert library.check().sound


def test_files_that_are_no_library_are_told_apart(path: Path, tmp_path: Path) -> None:
    """A motion, another program's database, a later library, a folder and a missing path have their own sentences."""
    segue.save(segue.sample("stand"), tmp_path / "stand.bvh")
    other, later = tmp_path / "other.db", tmp_path / "later.segue"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE clip (id)")
    database.close()
    shutil.copy(path, later)
    database = sqlite3.connect(later)
    database.execute(f"PRAGMA user_version = {VERSION + 1}")
    database.close()
    reported = {
        tmp_path / "stand.bvh": "is not a segue library: it is not a database",
        other: "is a database of another program",
        later: f"was written by a later segue .layout {VERSION + 1}",
        tmp_path: "is a folder",
        tmp_path / "none" / "moves.segue": "there is no folder",
    }
    for place, sentence in reported.items():
        before = place.read_bytes() if place.is_file() else b""
        for mode in ("r", "w") if place.exists() else ("w",):
            with pytest.raises(FileError, match=sentence):
                segue.Library.open(place, mode=mode)  # type: ignore[arg-type]
        assert (place.read_bytes() if place.is_file() else b"") == before
    with pytest.raises(FileError, match="there is no such library"):
        segue.Library.open(tmp_path / "none.segue", mode="r")
    with pytest.raises(FileError, match="there is no such library"):
        segue.Library.open(tmp_path / "none.segue", create=False)


@pytest.mark.parametrize("name", ["moves.segue", "moves.bvh", "moves.npz", "moves"])
def test_a_library_loaded_as_a_motion_says_what_it_is(path: Path, name: str) -> None:
    """It is recognised by its bytes, whatever its name."""
    path = path.rename(path.with_name(name))
    assert is_library(path)
    with pytest.raises(FileError, match="is a library of clips and no motion file"):
        segue.load(path)


def test_odd_names_of_files_are_names_of_files(path: Path) -> None:
    """Characters with a meaning in an address have none in a file name."""
    for name in ("a b.segue", "what?mode=ro.segue", "100%.segue", "a#b.segue", "ä.segue"):
        copy = path.with_name(name)
        shutil.copy(path, copy)
        with segue.Library.open(copy) as library:
            library.tag("walk", "there")
        with segue.Library.open(copy, mode="r") as library:
            assert library.entry("walk").tags == ("there",)


def test_a_library_belongs_to_the_thread_that_opened_it_and_is_used_while_open(path: Path) -> None:
    """Use from another thread and use after closing each give a sentence."""
    errors: list[Exception] = []

    def elsewhere() -> None:
        try:
            library.clips()
        except FileError as error:
            errors.append(error)

    with segue.Library.open(path) as library:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert "open it in this one too" in str(errors[0])
    with pytest.raises(FileError, match="while it is open"):
        library.clips()


def test_a_library_that_got_another_name_while_open_holds_all_that_was_written(
    path: Path, tmp_path: Path
) -> None:
    """The log is merged, although nothing more is written."""
    library = segue.Library.open(path)
    library.tag("walk", "before")
    path.rename(tmp_path / "moved.segue")
    with pytest.raises(FileError, match="was removed or replaced"):
        library.tag("walk", "after")
    library.close()
    with segue.Library.open(tmp_path / "moved.segue") as moved:
        assert moved.entry("walk").tags == ("before",)
    for name in ("walk", "walk again"):
        library = segue.Library.open(tmp_path / "moved.segue")
        library.tag("walk", name)
        (tmp_path / "moved.segue").rename(path)
        library.close()  # no write noticed the rename
        path.rename(tmp_path / "moved.segue")
    with segue.Library.open(tmp_path / "moved.segue") as moved:
        assert moved.entry("walk").tags == ("before", "walk", "walk again")


def test_where_nothing_may_be_written_a_library_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No log, no lock and no other byte is written; writing is refused immediately."""
    before = path.read_bytes()
    monkeypatch.setattr("segue.library.opening.os.access", lambda *_: False)
    with segue.Library.open(path, mode="r") as library:
        assert library.check().sound
        assert [item.name for item in path.parent.iterdir()] == ["moves.segue"]
    assert path.read_bytes() == before
    with pytest.raises(FileError, match="read-only; mode='r' reads it"):
        segue.Library.open(path)
    with pytest.raises(FileError, match=r"cannot be made: the folder .* is read-only"):
        segue.Library.open(path.with_name("new.segue"))


def test_a_log_that_finds_no_room_is_said_to_belong_to_the_file(path: Path, tmp_path: Path) -> None:
    """Closed on a full disk, a library is two files; together they are complete."""
    messages: list[str] = []
    library = segue.Library.open(path, say=messages.append)
    library.add("sample:walk_slow")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size // 2, limits[1]))
    try:
        library.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    (sentence,) = messages
    assert sentence.startswith("the disk has no space to merge moves.segue-wal into moves.segue: keep both")
    with segue.Library.open(path) as library:
        assert len(library.clips()) == 3
        assert library.check().sound
    assert [item.name for item in path.parent.iterdir()] == ["moves.segue"]
