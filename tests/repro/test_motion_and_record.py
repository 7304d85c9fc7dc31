"""A process killed between motion and record left a new motion next to an old record, and nothing noticed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from segue.app import stages
from segue.app.motion_file import beside, record_path
from segue.app.record import read_record, with_record
from segue.errors import FileError
from segue.io import load
from segue.io.files import motion_files
from segue.motion.clip import Clip
from segue.motion.resample import cut

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of POSIX")
OLD, NEW = 0.0, 5.0
"""Sideways offsets of the two motions in metres; both have the same number of frames."""


def motion(side: float) -> tuple[stages.Collection, Clip]:
    """The sample walk, and its first 20 frames moved to the side by ``side`` metres."""
    collection = stages.read(["sample:walk"])
    clip = cut(collection.clips[0], 0, 20)
    return collection, clip.with_motion(root_positions=clip.root_positions + np.array([side, 0.0, 0.0]))


def write(path: Path, side: float) -> None:
    """Write one of the two motions; its record stores which."""
    collection, clip = motion(side)
    stages.write(clip, path, collection=collection, command="wander", settings={"side": side})


def what_lies_there(path: Path) -> tuple[float, float]:
    """The side of the motion on disk, and the side that its record states."""
    clip, record = with_record(load(path), path)
    assert record is not None
    return float(np.round(clip.root_positions[0, 0] / NEW) * NEW), record.settings["side"]


def killed_at(path: Path, number: int) -> bool:
    """Write the new motion in a process killed at its ``number``-th file change; return whether it was killed."""
    child = os.fork()
    if not child:
        count = 0

        def counting(function):  # type: ignore[no-untyped-def]
            def changed(*words, **named):  # type: ignore[no-untyped-def]
                nonlocal count
                count += 1
                if count == number:
                    os.kill(os.getpid(), signal.SIGKILL)
                return function(*words, **named)

            return changed

        for name in ("replace", "write_bytes", "mkdir", "unlink", "chmod"):
            setattr(Path, name, counting(getattr(Path, name)))
        os.open, os.close = counting(os.open), counting(os.close)
        try:
            write(path, NEW)
        except BaseException:  # noqa: BLE001 - the parent sees that it was not killed
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        assert os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)


@posix
@pytest.mark.parametrize("suffix", [".bvh", ".npz", ".glb"])
def test_a_killed_process_leaves_the_old_pair_or_the_new_one(tmp_path: Path, suffix: str) -> None:
    """The process may be killed at any file change; the next one writes as if nothing had happened."""
    path, seen, number = tmp_path / f"made{suffix}", set(), 1
    write(path, OLD)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    while killed_at(path, number):
        side, given = what_lies_there(path)
        assert side == given
        seen.add(side)
        assert [file.name for file in motion_files([tmp_path])] == [path.name]
        for name, content in before.items():
            (tmp_path / name).write_bytes(content)
        number += 1
    assert seen == {OLD, NEW}
    assert number > 8
    assert what_lies_there(path) == (NEW, NEW)
    assert "before" not in json.loads(record_path(path).read_text("utf-8"))


@posix
@pytest.mark.parametrize("there", [True, False])
def test_three_files_of_a_model_are_never_mixed(tmp_path: Path, there: bool) -> None:
    """A model, its table and the record are all old or all new, also where none existed before."""
    path, number, seen = tmp_path / "made.xml", 1, set()
    if there:
        write(path, OLD)
    before = {file: file.read_bytes() if there else None for file in (path, *beside(path))}
    while killed_at(path, number):
        if there or any(file.exists() for file in (path, beside(path)[0])):
            side, given = what_lies_there(path)
            assert side == given
            assert there or side == NEW
            seen.add(side)
        for file, content in before.items():
            file.unlink(missing_ok=True) if content is None else file.write_bytes(content)
        for room in tmp_path.glob(".*.part"):  # each costs changes of files at the next write
            shutil.rmtree(room) if room.is_dir() else room.unlink()
        number += 1
    assert seen == ({OLD, NEW} if there else {NEW})
    write(path, NEW)
    assert what_lies_there(path) == (NEW, NEW)


@posix
@pytest.mark.parametrize("changed", [".xml", ".qpos.csv"])
def test_moves_are_not_finished_over_files_that_were_changed_since(tmp_path: Path, changed: str) -> None:
    """Leftovers of a killed process do not replace a file that was written since."""
    path, number = tmp_path / "made.xml", 1
    write(path, OLD)
    before = {file: file.read_bytes() for file in (path, *beside(path))}
    while killed_at(path, number) and path.read_bytes() == before[path]:
        for room in tmp_path.glob(".*.part"):
            shutil.rmtree(room) if room.is_dir() else room.unlink()
        number += 1
    file = path.with_suffix(changed)
    theirs = file.read_bytes() + (b"\n" if changed == ".xml" else b"")
    theirs = theirs if changed == ".xml" else theirs.replace(b"0.", b"0.5", 1)
    file.write_bytes(theirs)
    load(path)
    assert file.read_bytes() == theirs
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
@pytest.mark.parametrize("fails", ["record", "motion"])
def test_a_full_disk_keeps_the_old_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, fails: str
) -> None:
    """The old pair is kept whichever of the two files does not fit."""
    path = tmp_path / f"made{suffix}"
    write(path, OLD)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    write_bytes = Path.write_bytes

    def full(file: Path, content: bytes) -> int:
        if ("origin" in file.name) == (fails == "record"):
            raise OSError(28, "No space left on device")
        return write_bytes(file, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(FileError, match="No space left"):
        write(path, NEW)
    monkeypatch.undo()
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_an_interrupt_at_any_moment_keeps_a_pair(tmp_path: Path) -> None:
    """At every file move motion and record belong together, and no other file is left."""
    path = tmp_path / "made.bvh"
    write(path, OLD)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    replace = Path.replace
    for stop_at in (1, 2, 3, 4):
        count = 0

        def stopped(file: Path, target: Path) -> Path:
            nonlocal count
            count += 1
            if count == stop_at:  # noqa: B023 - of this round
                raise KeyboardInterrupt
            return replace(file, target)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "replace", stopped)
            with contextlib.suppress(KeyboardInterrupt):
                write(path, NEW)
        side, given = what_lies_there(path)
        assert side == given
        assert {file.name for file in tmp_path.iterdir()} == set(before)
        for name, content in before.items():
            (tmp_path / name).write_bytes(content)


def test_a_motion_that_was_changed_is_not_that_of_its_record(tmp_path: Path) -> None:
    """A change is found with an equal frame count too; records of earlier versions, without a digest, use the count."""
    path = tmp_path / "made.bvh"
    write(path, OLD)
    content = path.read_text("utf-8")
    path.write_text(content.replace("0.", "1.", 1), "utf-8")
    with pytest.raises(FileError, match="changed or replaced"):
        with_record(load(path), path)
    record = json.loads(record_path(path).read_text("utf-8"))
    del record["motion"]["file_sha256"]
    record_path(path).write_text(json.dumps(record), "utf-8")
    assert with_record(load(path), path)[1] is not None
    assert read_record(record_path(path)).file_sha256 == ""


def test_modes_are_kept(tmp_path: Path) -> None:
    """The modes of the motion and of its record are kept."""
    if sys.platform == "win32":
        pytest.skip("modes of POSIX")
    path = tmp_path / "made.bvh"
    write(path, OLD)
    for file in (path, record_path(path)):
        file.chmod(0o600)
    write(path, NEW)
    assert [file.stat().st_mode & 0o777 for file in (path, record_path(path))] == [0o600, 0o600]
