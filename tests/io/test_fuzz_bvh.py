"""Corrupted BVH, ASF and AMC files: only `SegueError`, little memory, little time."""

from __future__ import annotations

import shutil
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from mutants import mutant
from segue.errors import SegueError
from segue.io import load

CORPUS = Path(__file__).parent / "corpus"
COUNT = 500
SEED = 20240613
SOURCES = sorted(path.name for path in CORPUS.iterdir())


def read(path: Path) -> bool:
    """Load a file within limits of memory and time; return whether it holds a motion."""
    size, wanted = path.stat().st_size, path if path.suffix != ".asf" else path.with_suffix(".amc")
    for last in (
        False,
        True,
    ):  # twice: loading and compiling for the first file of a kind do not count
        begun = time.process_time()
        good = holds_motion(wanted)
        spent = time.process_time() - begun
        if spent <= 2.0 + size / 1e6:
            break
        assert not last, f"{spent:.2f} s"
    tracemalloc.start()  # it makes reading several times slower, so memory is checked separately from time
    try:
        assert holds_motion(wanted) == good
        assert tracemalloc.get_traced_memory()[1] <= 64e6 + 30 * size
    finally:
        tracemalloc.stop()
    return good


def holds_motion(path: Path) -> bool:
    """Load; errors that a person can act on return False, others are raised."""
    try:
        return bool(np.isfinite(load(path).rotations).all())
    except SegueError:
        return False


@pytest.mark.parametrize("name", SOURCES)
def test_the_corpus_is_whole(name: str, tmp_path: Path) -> None:
    """Without corruption, every file of the corpus is a motion."""
    for path in CORPUS.iterdir():
        shutil.copy(path, tmp_path)
    assert read(tmp_path / name)


@pytest.mark.parametrize("name", SOURCES)
def test_mutants_end_in_a_clip_or_in_words(name: str, tmp_path: Path) -> None:
    """Corrupted files give motions, or errors that a person can act on."""
    for path in CORPUS.iterdir():
        shutil.copy(path, tmp_path)
    rng = np.random.default_rng(SEED)
    content, path = (CORPUS / name).read_bytes(), tmp_path / name
    good = 0
    for _ in range(COUNT // len(SOURCES) + 1):
        path.write_bytes(mutant(rng, content))
        good += read(path)
    assert 0 < good < COUNT // len(SOURCES)


def big(kind: str) -> str:
    """A file that strains the reader."""
    head = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    if kind == "one name":
        return (
            head
            + "JOINT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n" * 8_000
            + "}\nMOTION\nFrames: 1\nFrame Time: 1\n0\n"
        )
    if kind == "deep":
        chain = "JOINT j%d\n{\nOFFSET 0 1 0\nCHANNELS 0\n"
        inner = "".join(chain % k for k in range(8_000)) + "}\n" * 8_000
        return head + inner + "}\nMOTION\nFrames: 1\nFrame Time: 1\n0\n"
    if kind == "wide times long":
        inner = "".join(f"JOINT j{k}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n}}\n" for k in range(2000))
        return head + inner + "}\nMOTION\nFrames: 1\nFrame Time: 1\n" + "0\n" * 20_000
    if kind == "many frames told":
        return head + "}\nMOTION\nFrames: 999999999999999999999\nFrame Time: 1e-9\n0\n"
    if kind == "blank":
        return head + "}\nMOTION\nFrames: 1\nFrame Time: 1\n" + " \n" * 500_000
    if kind == "long row":
        return head + "}\nMOTION\nFrames: 1\nFrame Time: 1\n" + "0 " * 500_000
    if kind == "long numbers":
        return head + "}\nMOTION\nFrames: 1\nFrame Time: 1\n" + ("1." + "0" * 400 + "\n") * 2000
    if kind == "huge angles":
        return head + "}\nMOTION\nFrames: 1\nFrame Time: 1\n" + "1e300\n-1e308\n720e15\n"
    return "HIERARCHY\n" + "{" * 500_000


HURTS = (
    "one name",
    "deep",
    "wide times long",
    "many frames told",
    "blank",
    "long row",
    "long numbers",
    "huge angles",
    "braces",
)


@pytest.mark.parametrize("kind", HURTS)
def test_files_made_to_hurt(kind: str, tmp_path: Path) -> None:
    """Eight thousand joints, huge counts, half a million blank lines or values stay within limits, read or refused."""
    path = tmp_path / "hurt.bvh"
    path.write_text(big(kind))
    load(CORPUS / "walk.bvh")  # the compiler's own memory and time do not count
    read(path)
