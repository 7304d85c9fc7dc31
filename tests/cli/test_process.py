"""The command line as a process of its own: module, exit code, interrupt, pipes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

SEGUE = [sys.executable, "-m", "segue"]


def test_the_module_is_the_command():
    """``python -m segue`` tells its version and its errors as ``segue`` does."""
    told = subprocess.run([*SEGUE, "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("segue ")
    wrong = subprocess.run([*SEGUE, "measure", "missing.bvh"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert wrong.stderr == "segue: missing.bvh: there is no such file\n"


def test_a_document_alone_on_stdout(tmp_path):
    """All that is printed is one JSON document, from a process without a terminal."""
    words = ["stitch", "sample:walk", "sample:stop", "-o", "x.bvh", "--json"]
    told = subprocess.run([*SEGUE, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(told.stdout)["written"] == ["x.bvh", "x.origin.json"]
    assert told.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_leaves_nothing(tmp_path):
    """Ctrl-C in the middle of a long walk: exit code 130, one sentence, an empty folder."""
    words = ["wander", "sample:walk", "sample:stop", "sample:start", "--seconds", "20000", "-o", "x.bvh"]
    with subprocess.Popen(
        [*SEGUE, *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as process:
        time.sleep(2.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, err) == ("", "segue: stopped; nothing was left half-written\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_closed_pipe_is_no_crash(tmp_path):
    """``segue ... | head -0`` ends without a word."""
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
