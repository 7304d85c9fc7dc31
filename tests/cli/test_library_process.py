"""`segue library` in its own process: next to a writing process, interrupted, and with light imports."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from segue.io import save
from segue.library.library import Library
from segue.motion.samples import sample

SEGUE = [sys.executable, "-m", "segue"]


@pytest.fixture
def moves(tmp_path):
    with Library.open(tmp_path / "moves.segue") as library:
        library.add(["sample:walk"])
    return tmp_path / "moves.segue"


def begun(tmp_path, *words):
    """Start a command and return its process."""
    return subprocess.Popen(
        [*SEGUE, *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background processes with interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )


def test_readers_do_not_wait_and_a_writer_says_so(tmp_path, moves):
    """Another process is writing; the tag is written when it has finished."""
    with Library.open(moves) as library:
        with library.store.writing():
            library.tag("walk", "first")
            read = subprocess.run(
                [*SEGUE, "library", "list", "moves.segue", "--json"],
                cwd=tmp_path,
                capture_output=True,
                check=True,
            )
            assert b"first" not in read.stdout
            writer = begun(tmp_path, "library", "tag", "moves.segue", "walk", "second")
            assert writer.stderr is not None
            assert writer.stderr.readline() == "segue: another process is writing to moves.segue; waiting\n"
            assert writer.poll() is None
        out, err = writer.communicate(timeout=30)
        assert (writer.returncode, err) == (0, "")
        assert out.startswith("moves.segue: second on 1 clip, 1 tag new")
        assert library.entry("walk").tags == ("first", "second")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_while_waiting_changes_nothing(tmp_path, moves):
    """The command exits with 130, and the library is unchanged."""
    with Library.open(moves) as library, library.store.writing():
        writer = begun(tmp_path, "library", "label", "moves.segue", "walk", "1:2", "run")
        assert writer.stderr is not None
        assert "waiting" in writer.stderr.readline()
        writer.send_signal(signal.SIGINT)
        out, err = writer.communicate(timeout=30)
    assert (writer.returncode, out, err) == (130, "", "segue: stopped; nothing was left half-written\n")
    with Library.open(moves, mode="r") as library:
        assert library.entry("walk").labels == ()
        assert library.check().sound
    assert [path.name for path in tmp_path.iterdir()] == ["moves.segue"]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX")
def test_ctrl_c_while_adding_keeps_whole_clips(tmp_path, moves):
    """Clips added before the interrupt are complete; the same command again adds the rest."""
    clips = tmp_path / "clips"
    clips.mkdir()
    for name in ("a", "b"):
        save(sample("run" if name == "a" else "stop"), clips / f"{name}.bvh")
    program = (
        "import os, signal, sys\n"
        "from segue.io import text\n"
        "before = text.file_bytes\n"
        "def read(path):\n"
        "    if path.name == 'b.bvh':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return before(path)\n"
        "text.file_bytes = read\n"
        "sys.argv = ['segue', 'library', 'add', 'moves.segue', 'clips/a.bvh', 'clips/b.bvh']\n"
        "from segue.__main__ import main\n"
        "main()\n"
    )
    adding = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        check=False,
    )
    assert (adding.returncode, adding.stdout) == (130, "")
    assert adding.stderr == "segue: stopped; nothing was left half-written\n"
    with Library.open(moves, mode="r") as library:
        assert library.check().sound
        assert {entry.name for entry in library.clips()} in ({"walk"}, {"walk", "a"})
    (clips / "b.bvh").unlink()
    done = subprocess.run([*SEGUE, "library", "add", "moves.segue", "clips"], cwd=tmp_path, check=True)
    assert done.returncode == 0
    with Library.open(moves, mode="r") as library:
        assert {entry.name for entry in library.clips()} == {"walk", "a"}


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("tag", "walk", "good"),
        ("label", "walk", "1:2", "run"),
        ("stats",),
        ("export", "-o", "x.csv"),
    ],
    ids=lambda words: words[0],
)
def test_words_and_lists_load_nothing_heavy(tmp_path, moves, words):
    """Frequent commands load neither numba nor scipy nor matplotlib."""
    code = (
        "import sys\n"
        f"sys.argv = ['segue', 'library', {words[0]!r}, 'moves.segue', *{words[1:]!r}]\n"
        "from segue.cli import main\n"
        "try:\n    main()\nexcept SystemExit as leaving:\n    assert not leaving.code, leaving.code\n"
        "print([name for name in ('numba', 'scipy', 'matplotlib') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
