"""Messages that report the error, its place and a valid value; arrays that never change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue import errors
from segue.arrays import frozen


def test_every_error_is_one_family() -> None:
    """Catching SegueError catches everything raised on purpose."""
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and kind.__module__ == errors.__name__
    ]
    assert len(kinds) >= 6
    assert all(issubclass(kind, errors.SegueError) for kind in kinds)


def test_a_file_error_says_where() -> None:
    """Path and line come first, as compilers write them, and are attributes."""
    error = errors.FileError("walk.bvh", "no MOTION", line=12)
    assert str(error) == "walk.bvh:12: no MOTION"
    assert (error.path, error.line) == (Path("walk.bvh"), 12)
    assert str(errors.FileError("walk.bvh", "empty")) == "walk.bvh: empty"


def test_a_missing_extra_says_what_to_install() -> None:
    """The message is the command."""
    assert "pip install matplotlib" in str(errors.MissingExtraError("a filmstrip", "plot"))


@pytest.mark.parametrize(
    ("word", "known", "phrase"),
    [
        ("LeftKne", ["RightFoot", "LeftKnee", "Head"], "nearest: LeftKnee"),
        ("zzz", ["a", "b", "c", "d"], "nearest: a, b, c"),
        ("anything", [], "none are known"),
    ],
)
def test_nearest_words(word: str, known: list[str], phrase: str) -> None:
    """The nearest words come first; without a near one the first few are listed."""
    assert errors.nearest(word, known).startswith(phrase)


def test_frozen_arrays_are_contiguous_copies() -> None:
    """Any memory layout gives a read-only C-ordered copy of the requested type."""
    given = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    out = frozen(given)
    assert out.dtype == np.float64
    assert out.flags.c_contiguous
    assert not out.flags.writeable
    given[0, 0] = 9
    assert out[0, 0] == 0
