"""The command line in its own process: module, exit code, interrupts and pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from segue.io import save
from segue.motion.samples import sample

SEGUE = [sys.executable, "-m", "segue"]


def test_the_module_is_the_command():
    """``python -m segue`` prints its version and errors like ``segue``."""
    process = subprocess.run([*SEGUE, "--version"], capture_output=True, text=True, check=True)
    assert process.stdout.startswith("segue ")
    wrong = subprocess.run([*SEGUE, "measure", "missing.bvh"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert wrong.stderr == "segue: missing.bvh: there is no such file\n"


def test_a_document_alone_on_stdout(tmp_path):
    """stdout holds one JSON document and nothing else, without a terminal."""
    words = ["stitch", "sample:walk", "sample:stop", "-o", "x.bvh", "--json"]
    process = subprocess.run([*SEGUE, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(process.stdout)["written"] == ["x.bvh", "x.origin.json"]
    assert process.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_is_one_sentence(tmp_path):
    """Ctrl-C while a file is read exits with 130 and leaves no file."""
    save(sample("stop"), tmp_path / "stop.bvh")
    program = (
        "import os, signal, sys\n"
        "from segue.io import text\n"
        "before = text.file_bytes\n"
        "def read(path):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return before(path)\n"
        "text.file_bytes = read\n"
        "sys.argv = ['segue', 'measure', 'stop.bvh']\n"
        "from segue.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=_from_a_terminal,
        check=False,
    )
    assert done.returncode == 130
    assert (done.stdout, done.stderr) == ("", "segue: stopped; nothing was left half-written\n")
    assert [path.name for path in tmp_path.iterdir()] == ["stop.bvh"]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_closed_pipe_is_no_crash(tmp_path):
    """``segue ... | head -0`` prints no error."""
    with subprocess.Popen(
        [*SEGUE, "compare", "sample:walk", "sample:stop", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert process.returncode == 1


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_letter_the_terminal_does_not_know_loses_no_result(tmp_path, encoding):
    """File names may hold any character; those that cannot be printed are escaped."""
    name = "歩く ü.npz"
    save(sample("walk"), tmp_path / name)

    def run_segue(*words):
        env = {**os.environ, "PYTHONIOENCODING": encoding}
        return subprocess.run([*SEGUE, *words], cwd=tmp_path, capture_output=True, env=env, check=False)

    assert json.loads(run_segue("measure", name, "--json").stdout)["seconds"] == sample("walk").seconds
    written = run_segue("convert", name, "-o", "歩く.bvh")
    assert written.returncode == 0
    assert "歩く.bvh".encode(encoding, "backslashreplace") in written.stdout
    refused = run_segue("film", "歩く.txt")
    assert refused.returncode == 2
    assert refused.stderr.startswith(b"segue: ")
    assert b"Traceback" not in refused.stderr


def _from_a_terminal():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_a_request_to_end_leaves_nothing_half_written(tmp_path, number, code):
    """Temporary files are removed, and the existing file is unchanged."""
    (tmp_path / "w.bvh").write_text("mine", encoding="utf-8")
    program = (
        "import os, signal, sys, pathlib\n"
        "before = pathlib.Path.write_bytes\n"
        "def write(path, content):\n"
        "    before(path, content[:100])\n"
        f"    os.kill(os.getpid(), signal.{number})\n"
        "    return before(path, content)\n"
        "pathlib.Path.write_bytes = write\n"
        "sys.argv = ['segue', 'convert', 'sample:walk', '-o', 'w.bvh', '--force']\n"
        "from segue.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_from_a_terminal,
    )
    assert (done.returncode, done.stderr) == (code, "segue: stopped; nothing was left half-written\n")
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("w.bvh", "mine")]


@pytest.mark.parametrize("place", ["typer", "segue.cli.wander"])
def test_an_interrupt_before_the_first_command_is_one_sentence(tmp_path, place):
    """This includes the time in which the command line itself is loaded, as with ``segue --help``."""
    (tmp_path / "early.py").write_text(
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {place!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
        "sys.argv = ['segue', '--help']\n"
        "from segue.__main__ import main\n"
        "main()\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "early.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "segue: stopped; nothing was left half-written\n")


@pytest.mark.parametrize(
    "cause",
    [
        "ImportError('numpy: libx.so: failed to map segment from shared object')",
        "OSError('libllvmlite.so cannot be loaded')",
        "MemoryError()",
    ],
)
def test_a_library_that_cannot_be_loaded_is_one_sentence(tmp_path, cause):
    """The message mentions memory as a possible cause."""
    program = (
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == 'numba': raise {cause}\n"
        "sys.meta_path.insert(0, Finder())\n"
        "sys.argv = ['segue', 'info', 'sample:walk']\n"
        "from segue.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("segue: ")
    assert done.stderr.count("\n") == 1
    assert "memory" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="streams of POSIX")
@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_neither_code_nor_files(tmp_path, closed):
    """Output to a closed stream is discarded and never goes into a file opened later."""
    command = f"{sys.executable} -m segue"
    wrong = subprocess.run(["bash", "-c", f"{command} info nothing.bvh {closed}"], cwd=tmp_path, check=False)
    assert wrong.returncode == 2
    right = subprocess.run(
        ["bash", "-c", f"{command} convert sample:walk -o w.bvh {closed}"], cwd=tmp_path, check=False
    )
    assert right.returncode == 0
    assert (tmp_path / "w.bvh").read_text("utf-8").startswith("HIERARCHY\n")
    assert [path.name for path in tmp_path.iterdir()] == ["w.bvh"]
