"""The command that opens the studio."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import segue as api


def test_without_the_extra_it_says_so(segue, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the missing packages, and nothing is opened."""
    from segue.cli import studio

    monkeypatch.setattr(studio, "find_spec", lambda name: None if name == "uvicorn" else object())
    result = segue("studio")
    assert (result.code, result.out) == (2, "")
    needed = "starlette", "uvicorn", "websockets"
    assert result.err == f"segue: the studio needs {' and '.join(needed)}: pip install {' '.join(needed)}\n"


@pytest.mark.parametrize(
    ("name", "why"), [("none.segue", "no such library"), ("text.txt", "neither a library")]
)
def test_what_is_no_collection_is_refused(segue, tmp_path: Path, name: str, why: str) -> None:
    """A path that is neither a library nor a folder is an error."""
    pytest.importorskip("uvicorn")
    (tmp_path / "text.txt").write_text("hello")
    result = segue("studio", name)
    assert (result.code, result.out) == (2, "")
    assert why in result.err


def test_it_serves_until_it_is_stopped(tmp_path: Path) -> None:
    """The printed address is local and opens the page; Ctrl-C ends it with code 0 and leaves no file."""
    pytest.importorskip("uvicorn")
    api.save(api.sample("walk"), tmp_path / "walk.bvh")
    before = sorted(tmp_path.iterdir())
    process = subprocess.Popen(
        [sys.executable, "-m", "segue", "studio", str(tmp_path), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    host, rest = url.removeprefix("http://").split("/", 1)
    assert host.startswith("127.0.0.1:")
    connection = http.client.HTTPConnection(host, timeout=20)
    connection.request("GET", f"/{rest}")
    assert connection.getresponse().status == 303
    connection.close()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert "the studio is closed" in err
    assert sorted(tmp_path.iterdir()) == before
