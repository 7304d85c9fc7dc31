"""Files are opened in one place: pipes and devices are refused before a byte is read or written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import segue
from segue.cli import app
from segue.errors import FileError
from segue.file_bytes import file_bytes, is_ordinary, open_file
from segue.io.digests import file_digest
from segue.library.opening import check_file

NAMES = (
    "walk.bvh",
    "walk.glb",
    "walk.npz",
    "walk.npy",
    "walk.fbx",
    "walk.amc",
    "walk.txt",
    "walk.csv",
    "walk.trc",
)
COMMANDS = (
    ("info", "pipe.bvh"),
    ("info", "pipe.segue"),
    ("info", "sample:walk", "--roles", "pipe.toml"),
    ("replay", "pipe.origin.json", "-o", "out.bvh"),
    ("walk", "sample:walk", "--path", "pipe.svg", "-o", "out.bvh"),
    ("learn", "pipe.csv", "sample:", "-o", "out.toml"),
    ("convert", "sample:walk", "--skeleton", "pipe.bvh", "-o", "out.bvh"),
    ("library", "add", "new.segue", "pipe.bvh"),
    ("library", "add", "pipe.segue", "sample:walk"),
)


@pytest.fixture
def pipe(tmp_path):
    """Create pipes without a writer."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")

    def made(name):
        os.mkfifo(tmp_path / name)
        return tmp_path / name

    return made


def test_bytes_of_a_file_are_read_whole_or_in_part(tmp_path):
    """A file's bytes are returned, up to a bound if there is one."""
    (tmp_path / "a").write_bytes(b"abcdef")
    assert (file_bytes(tmp_path / "a"), file_bytes(tmp_path / "a", most=2)) == (b"abcdef", b"ab")
    with open_file(tmp_path / "a") as stream:
        assert stream.read() == b"abcdef"


@pytest.mark.parametrize("name", ["nothing", "a\0b", "."])
def test_what_is_no_file_is_one_sentence(tmp_path, name):
    """A missing file, an impossible name and a folder are each refused in one sentence."""
    with pytest.raises(FileError, match=r"no such file|no file has such a name|is a folder"):
        file_bytes(tmp_path / name)


@pytest.mark.parametrize("name", NAMES)
def test_motion_readers_wait_for_no_pipe(pipe, name):
    """A motion file that is a pipe is refused by the reader of every format, and by its digest."""
    path = pipe(name)
    reader = segue.load if name != "walk.trc" else _markers
    with pytest.raises(FileError, match=r"no ordinary file|no motion|cannot be read"):
        reader(path)
    with pytest.raises(FileError, match="no ordinary file"):
        file_digest(path)


def test_nothing_takes_the_place_of_a_pipe(pipe):
    """A motion is not written over a pipe, which stays."""
    path = pipe("walk.bvh")
    with pytest.raises(FileError, match="no ordinary file"):
        segue.save(segue.sample("walk"), path)
    assert not is_ordinary(path)


def _markers(path):
    from segue.io.markers import read_markers

    return read_markers(path)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_wait_for_no_pipe(pipe, tmp_path, monkeypatch, capsys, command):
    """A command with a pipe as file ends with one sentence and writes nothing."""
    monkeypatch.chdir(tmp_path)
    pipe(next(word for word in command if word.startswith("pipe.")))
    before = sorted(Path().iterdir())
    with pytest.raises((SystemExit, FileError)) as ended:
        app(list(command), standalone_mode=False)
    text = str(ended.value) + capsys.readouterr().err
    assert "Traceback" not in text
    assert sorted(Path().iterdir()) == before


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no such device")
def test_a_device_is_never_read(tmp_path):
    """An endless device is refused immediately, as a motion and as a library."""
    (tmp_path / "walk.bvh").symlink_to("/dev/zero")
    (tmp_path / "all.segue").symlink_to("/dev/zero")
    with pytest.raises(FileError, match="no ordinary file"):
        segue.load(tmp_path / "walk.bvh")
    with pytest.raises(FileError, match=r"no such library|no ordinary file"):
        check_file(tmp_path / "all.segue", "r", create=False)
