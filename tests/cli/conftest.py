"""The command line called in this process, and a folder of clips."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from segue.io import save
from segue.motion.samples import sample


class Result(NamedTuple):
    """Exit code, stdout and stderr of a command."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict:
        """The one JSON document on stdout; NaN and infinity are refused."""

        def refuse(word: str) -> None:
            raise AssertionError(f"{word} is no JSON")

        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def segue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Result]:
    """Call ``segue WORDS`` in an empty folder."""
    from segue.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*words: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["segue", *map(str, words)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        # The first test on a new machine gets a note that kernels are compiled.
        err = "".join(
            line for line in err.splitlines(True) if "compiling kernels for this machine" not in line
        )
        return Result(code, out, err)

    return call


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Three clips at 30 frames a second."""
    folder = tmp_path / "clips"
    folder.mkdir()
    for name in ("walk", "stop", "start"):
        save(sample(name, fps=30.0), folder / f"{name}.bvh")
    return folder


@pytest.fixture
def made(segue: Callable[..., Result], clips: Path) -> Path:
    """A motion made from them."""
    result = segue("wander", clips, "--seconds", 6, "-o", "made.bvh")
    assert result.code == 0, result.err
    return clips.parent / "made.bvh"
