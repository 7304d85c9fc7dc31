"""A new library reused leftovers of a killed process, and a user's own file of that name was removed.

Replaced files lost their modes, and the umask of the process was changed for a moment.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import segue
from segue.errors import FileError
from segue.io.fresh import fresh
from segue.io.text import write_whole

posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="modes of POSIX")


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    """Private and read-only files keep their mode too."""
    path = tmp_path / "walk.bvh"
    path.write_bytes(b"old")
    path.chmod(mode)
    segue.save(segue.sample("walk"), path)
    assert path.stat().st_mode & 0o777 == mode
    assert path.read_bytes().startswith(b"HIERARCHY")


@posix
def test_the_mask_of_the_process_stays_as_it_is(tmp_path: Path) -> None:
    """Files that other threads create meanwhile have the usual mode."""
    modes, done = set(), threading.Event()

    def others() -> None:
        count = 0
        while not done.is_set():
            path = tmp_path / f"other-{(count := count + 1) % 40}"
            path.unlink(missing_ok=True)
            path.touch()
            modes.add(path.stat().st_mode & 0o777)

    thread = threading.Thread(target=others)
    thread.start()
    for _ in range(300):
        write_whole(tmp_path / "x", b"x")
    done.set()
    thread.join()
    assert len(modes) == 1
    assert modes == {(tmp_path / "x").stat().st_mode & 0o777}


@pytest.mark.parametrize("left", [".new.segue.part", "new.segue.part", "new.segue.part-wal"])
@pytest.mark.parametrize("how", ["export", "copy", "salvage"])
def test_a_new_library_holds_what_was_asked_for(tmp_path: Path, left: str, how: str) -> None:
    """Nothing of an earlier killed run is kept, and a file of the user's stays."""
    from segue.library.exchange import export_library

    with segue.Library.open(tmp_path / "all.segue") as library:
        library.add(["sample:walk", "sample:run"])
        (tmp_path / left).write_bytes((tmp_path / "all.segue").read_bytes())
        before = (tmp_path / left).read_bytes()
        names = ["run", "walk"]
        if how == "export":
            export_library(library, tmp_path / "new.segue", names=["run"])
            names = ["run"]
        elif how == "copy":
            library.copy(tmp_path / "new.segue")
        else:
            library.salvage(tmp_path / "new.segue")
    with segue.Library.open(tmp_path / "new.segue", mode="r") as new:
        assert [entry.name for entry in new.clips()] == names
    assert (tmp_path / left).read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["all.segue", "new.segue", left])


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    """A failure leaves no new file and no logs, and the old file is unchanged."""
    path = tmp_path / "old"
    path.write_bytes(b"old")

    def broken() -> None:
        with fresh(path) as part:
            part.write_bytes(b"new")
            part.with_name(part.name + "-wal").write_bytes(b"log")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert [file.name for file in tmp_path.iterdir()] == ["old"]
    assert path.read_bytes() == b"old"
    with pytest.raises(FileError, match="exists already"), fresh(path, overwrite=False):
        pass


def test_a_name_as_long_as_can_be_is_written(tmp_path: Path) -> None:
    """The temporary name is no longer than the file system allows."""
    path = tmp_path / ("w" * 251 + ".bvh")
    segue.save(segue.sample("walk"), path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_library_is_used_by_the_thread_that_opened_it(tmp_path: Path) -> None:
    """Another thread gets an error that says to open the library itself; closing also belongs to the opener."""
    reported: list[str] = []
    with segue.Library.open(tmp_path / "moves.segue") as library:
        library.add("sample:walk")

        def other(use: str) -> None:
            try:
                getattr(library, use)()
            except FileError as error:
                reported.append(str(error))

        def own() -> None:
            with segue.Library.open(tmp_path / "moves.segue") as mine:
                reported.append(str(len(mine.clips())))

        for thread in (
            *(threading.Thread(target=other, args=(use,)) for use in ("clips", "stats", "check", "close")),
            threading.Thread(target=own),
        ):
            thread.start()
            thread.join()
        assert [entry.name for entry in library.clips()] == ["walk"]
    assert len(reported) == 5
    assert all("open it in this one too, with Library.open" in words for words in reported[:4])
    assert reported[4] == "1"
    with pytest.raises(FileError, match="is closed"):
        library.clips()


def test_the_demo_overwrites_nothing_unasked(tmp_path: Path) -> None:
    """An existing file with the name of a file to write is not changed."""
    from segue.app import demo

    (tmp_path / "demo.glb").write_text("mine", "utf-8")
    with pytest.raises(FileError, match=r"demo\.glb: exists already"):
        demo.run(tmp_path, seconds=3, overwrite=False)
    assert (tmp_path / "demo.glb").read_text("utf-8") == "mine"
    assert [file.name for file in tmp_path.iterdir()] == ["demo.glb"]
