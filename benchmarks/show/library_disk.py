"""Disk faults of a library: full, read-only, removed. Each gives one sentence, and no data is lost.

A full disk is a small file system in memory where this user may mount one, and a limit on file size everywhere. A
read-only disk is a file system mounted read-only where possible, else a folder without write permission. After each
fault the library is opened again and must hold every clip that was reported as added, as read.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from _data import require_data, subject_16
from _verdict import Verdicts

import segue
from segue.errors import SegueError


@contextmanager
def mounted(place: Path, *options: str) -> Iterator[bool]:
    """Mount a file system in memory, if this user may."""
    place.mkdir(exist_ok=True)
    try:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", *options, "tmpfs", str(place)], capture_output=True, check=False
        )
    except OSError:
        yield False
        return
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "-l", str(place)], check=True)


def error_of(job: Callable[[], object]) -> str:
    """Return the message of the error that a job ends with."""
    try:
        job()
    except SegueError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  # any other exception must not reach the user
        return f"not one of segue's errors: {error!r}"
    return ""


def one_sentence(text: str, *words: str) -> bool:
    """Return whether an error is one line of segue's and contains some words."""
    return (
        bool(text) and "\n" not in text and "not one of" not in text and all(word in text for word in words)
    )


def lost(path: Path, wanted: set[str], clips: dict[str, segue.Clip]) -> int:
    """Return the number of clips missing from a library or changed; plus one if the library is damaged."""
    with segue.Library.open(path, mode="r") as library:
        there = {
            entry.name
            for entry in library.clips()
            if library.clip(entry.name).rotations.tobytes() == clips[entry.name].rotations.tobytes()
        }
        return len(wanted - there) + (not library.check().sound)


def check_sentence(verdicts: Verdicts, label: str, sentence: str, *words: str) -> None:
    """Check for one sentence, and the right one."""
    verdicts.note(sentence)
    verdicts.check(f"{label}: one sentence", bool(sentence), "with the cause", one_sentence(sentence, *words))


def none_lost(
    verdicts: Verdicts, label: str, path: Path, wanted: set[str], clips: dict[str, segue.Clip]
) -> None:
    """Check that every expected clip is there."""
    count = lost(path, wanted, clips)
    verdicts.check(label, count, f"0 of {len(wanted)}", wanted and not count)


def fill(path: Path) -> tuple[str, set[str]]:
    """Add clips until the disk is full; return the message, and the clips reported as added before."""
    reported: set[str] = set()
    files = sorted(Path(subject_16()[0]).glob("*.amc"))

    def job() -> None:
        with segue.Library.open(path) as library:
            for file in files:
                reported.update(library.add(file).new)

    return error_of(job), reported


def full(verdicts: Verdicts, folder: Path, clips: dict[str, segue.Clip]) -> None:
    """Check a disk that fills up, and one that is already full."""
    with mounted(folder / "small", "-o", "size=6m") as is_mounted:
        if is_mounted:
            path = folder / "small" / "moves.segue"
            sentence, reported = fill(path)
            verdicts.note(sentence)
            words = ("disk is full", "free some space")
            check_sentence(verdicts, "a disk of 6 MB filled up", sentence, *words)
            none_lost(verdicts, "clips reported as added that are lost", path, reported, clips)
            again = error_of(lambda: segue.Library.open(path).add(subject_16()))
            check_sentence(verdicts, "adding on a disk that is full", again, *words)
            none_lost(verdicts, "clips that are lost by that", path, reported, clips)
            for file in path.parent.iterdir():  # on a full disk the log cannot be merged
                shutil.copy(file, folder)
            with segue.Library.open(folder / path.name) as library:
                added = library.add(subject_16())
            whole = len(added.new) + len(added.same)
            verdicts.check(
                "clips after it was moved to a disk with free space and added to", whole, "58", whole == 58
            )
        else:
            verdicts.note("this user may not mount a file system: a limit on file size replaces a full disk")
    path = folder / "limited.segue"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, limits[1]))
    try:
        sentence, reported = fill(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    check_sentence(verdicts, "a file that may not grow beyond 4 MB", sentence, "last change was not saved")
    none_lost(verdicts, "clips reported as added that are lost", path, reported, clips)
    verdicts.check("clips that had been added by then", len(reported), ">= 5", len(reported) >= 5)


def read_only(verdicts: Verdicts, folder: Path, clips: dict[str, segue.Clip]) -> None:
    """Check a read-only folder: a library in it can be read, and writing to it gives one sentence."""
    source = folder / "source.segue"
    with segue.Library.open(source) as library:
        library.add(sorted(Path(subject_16()[0]).glob("*.amc"))[:5])
        names = {entry.name for entry in library.clips()}
    place = folder / "read only"
    with mounted(place) as is_mounted:
        shutil.copy(source, place / "moves.segue")
        if is_mounted:
            subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        else:
            place.chmod(0o555)
        if os.access(place, os.W_OK):
            verdicts.check("a read-only folder can be made here", "no", "yes", False)
            return
        path = place / "moves.segue"
        sentence = error_of(lambda: segue.Library.open(path))
        check_sentence(verdicts, "opened for writing", sentence, "read-only")
        none_lost(verdicts, "clips that a reader misses", path, names, clips)
        sentence = error_of(lambda: segue.Library.open(place / "new.segue"))
        check_sentence(verdicts, "a new library there", sentence, "read-only")
        place.chmod(0o755) if not is_mounted else None
    with segue.Library.open(source) as library:
        library.tag("16_01", "still there")
        for part in ("", "-wal", "-shm"):
            shutil.copy(f"{source}{part}", folder / f"left open.segue{part}")
    (folder / "copied").mkdir()
    with mounted(folder / "copied") as is_mounted:
        if is_mounted:
            for file in folder.glob("left open.segue*"):
                shutil.copy(file, folder / "copied")
            subprocess.run(["mount", "-o", "remount,ro", str(folder / "copied")], check=True)
            path = folder / "copied" / "left open.segue"

            def tags() -> tuple[str, ...]:
                with segue.Library.open(path, mode="r") as library:
                    return library.entry("16_01").tags

            sentence = error_of(tags)
            good = tags() == ("still there",) if not sentence else one_sentence(sentence, "-wal")
            verdicts.note(sentence or "a library that nobody closed is read with its log")
            verdicts.check("one that was not closed, in such a folder: read or reported", good, "yes", good)


def removed(verdicts: Verdicts, folder: Path, clips: dict[str, segue.Clip]) -> None:
    """Check a library whose file is removed while it is open."""
    path, saved = folder / "removed.segue", folder / "saved.segue"
    files = sorted(Path(subject_16()[0]).glob("*.amc"))
    library = segue.Library.open(path)
    names = set(library.add(files[:5]).new)
    path.unlink()
    sentence = error_of(lambda: library.add(files[5:10]))
    check_sentence(verdicts, "removed while it is open", sentence, "removed", "copy")
    library.copy(saved)
    library.close()
    none_lost(verdicts, "clips lost in the copy that can still be made", saved, names, clips)
    left = sorted(file.name for file in folder.glob("removed.segue*") if file.name == "removed.segue")
    verdicts.check("files made again under its name", len(left), "0", not left)
    library = segue.Library.open(path)
    names = set(library.add(files[:5]).new)
    done = []

    def progress(_: str, number: int, __: int) -> None:
        if number == 3 and not done:
            done.append(path.rename(folder / "moved.segue"))

    sentence = error_of(lambda: library.add(files[5:], progress=progress))
    verdicts.note(sentence)
    library.close()
    check_sentence(verdicts, "moved away in the middle of adding", sentence, "removed")
    none_lost(verdicts, "clips lost in the file that was moved", folder / "moved.segue", names, clips)


def main() -> None:
    require_data()
    verdicts = Verdicts("A library and its disk")
    clips = {path.stem: segue.load(path) for path in sorted(Path(subject_16()[0]).glob("*.amc"))}
    with tempfile.TemporaryDirectory() as folder:
        full(verdicts, Path(folder), clips)
        read_only(verdicts, Path(folder), clips)
        removed(verdicts, Path(folder), clips)
    verdicts.finish()


if __name__ == "__main__":
    main()
