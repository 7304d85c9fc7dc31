"""Control characters in names are escaped by every command, and every reading command takes --encoding."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segue.io import save
from segue.io.markers import Markers, write_trc
from segue.motion.samples import sample

Call = Callable[..., Any]
ESCAPE = "e\x1b[31mred"


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Clips whose names hold an escape code, a newline and invalid text."""
    folder = tmp_path / "odd"
    folder.mkdir()
    names = [f"{ESCAPE}.bvh", "a\nb.bvh"]
    if sys.platform == "linux":
        names.append(os.fsdecode(b"w\xff.bvh"))
    for name in names:
        save(sample("walk", 30.0), folder / name)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("info", "odd"),
        ("convert", "odd", "-o", "out", "--to", "glb"),
        ("convert", "odd", "-o", "out", "--to", "fbx"),
        ("convert", "odd", "-o", "out", "--to", "vrma"),
        ("library", "add", "a.segue", "odd"),
        ("wander", "odd", "sample:run", "--quality", "0.5", "--seconds", "3", "-o", "out.bvh"),
        ("film", f"odd/{ESCAPE}.bvh", "-o", "out.png"),
        ("measure", f"odd/{ESCAPE}.bvh"),
        ("compare", f"odd/{ESCAPE}.bvh", "sample:run"),
    ],
)
def test_no_escape_code_reaches_the_terminal(segue: Call, odd: Path, words: tuple[str, ...]) -> None:
    """The command works or prints an error."""
    result = segue(*words)
    assert result.code in {0, 1, 2}
    assert "\x1b" not in result.out + result.err
    assert "red" in result.out + result.err or words[0] in {"library", "wander", "measure"}


def test_a_missing_file_is_named_escaped(segue: Call) -> None:
    result = segue("info", f"{ESCAPE}.bvh")
    advice = "segue samples -o clips/ writes some to begin with"
    assert result.code == 2
    assert result.err == f"segue: e\\x1b[31mred.bvh: there is no such file or folder; {advice}\n"


def test_a_library_lists_what_it_holds(segue: Call, odd: Path) -> None:
    """Names are escaped in the list and portable after conversion, and the clips are found again."""
    segue("library", "add", "a.segue", "odd")
    result = segue("library", "list", "a.segue")
    assert "\x1b" not in result.out
    assert segue("convert", "a.segue", "-o", "out").code == 0
    assert "0 of them new" in segue("library", "add", "a.segue", "odd").out


def test_json_holds_the_names_as_they_are(segue: Call, odd: Path) -> None:
    """Programs get the path that opens the file."""
    paths = [clip["path"] for clip in segue("info", "odd", "--json").document["clips"]]
    assert all(os.path.exists(path) for path in paths)  # noqa: PTH110  (a name whose bytes are not text)


def test_every_reading_command_takes_an_encoding(segue: Call, tmp_path: Path) -> None:
    """Motion and markers in cp1252 are read with --encoding, and the error without it names that option."""
    save(sample("walk", 30.0), tmp_path / "a.bvh")
    text = (tmp_path / "a.bvh").read_text().replace("Hips", "Hüfte")
    (tmp_path / "a.bvh").write_bytes(text.encode("cp1252"))
    write_trc(Markers(["Hüfte"], np.ones((3, 1, 3)), 10.0), tmp_path / "m.trc")
    (tmp_path / "m.trc").write_bytes((tmp_path / "m.trc").read_text("utf-8").encode("cp1252"))
    for words in (
        ("info", "a.bvh"),
        ("info", "m.trc"),
        ("convert", "a.bvh", "-o", "b.glb"),
        ("film", "a.bvh", "-o", "a.png"),
        ("measure", "a.bvh"),
        ("mirror", "a.bvh", "-o", "c.bvh"),
        ("library", "add", "a.segue", "a.bvh"),
    ):
        refused = segue(*words)
        assert "--encoding cp1252" in refused.err, words
        assert segue(*words, "--encoding", "cp1252").code == 0, words
    assert segue("info", "a.bvh").code == 2, "one command's encoding is not the next one's"


def test_an_unknown_encoding_is_a_sentence(segue: Call) -> None:
    """The encoding is checked before anything is read."""
    result = segue("info", "sample:walk", "--encoding", "klingon")
    assert (result.code, result.out) == (2, "")
    assert "'klingon' is unknown" in result.err
