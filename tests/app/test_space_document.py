"""Spaces in files: exact round trips, and one error message for any malformed file."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest

import segue
from segue.app.space_document import SpaceFile, read_space, write_space
from segue.errors import FileError
from small_spaces import learn, walk_space

pytestmark = learn


@pytest.fixture
def written(tmp_path):
    write_space(tmp_path / "walk.segue", SpaceFile(walk_space(), (), {"by": "isomap"}))
    return tmp_path / "walk.segue"


def test_a_space_comes_back_bit_for_bit(written):
    """All numbers are exact, and with them every pose."""
    space, again = walk_space(), read_space(written).space
    for name in ("clip", "frame", "coordinates"):
        assert np.array_equal(getattr(space, name), getattr(again, name)), name
    assert np.array_equal(space.network(space.coordinates), again.network(again.coordinates))
    assert np.array_equal(space.code.means, again.code.means)
    assert (space.fits, space.held_out, space.skeleton.names) == (
        again.fits,
        again.held_out,
        again.skeleton.names,
    )


def _changed(path, change):
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.pop("network"), "network"),
        (lambda d: d.update(kind="walker"), "holds a 'walker'"),
        (lambda d: d.update(format=2), "in layout 2"),
        (lambda d: d.update(fps=-1.0), "fps"),
        (lambda d: d.update(by="umap"), "by"),
        (lambda d: d["poses"]["coordinates"][0].pop(), "rows of different lengths"),
        (lambda d: d["poses"]["coordinates"].pop(), "do not fit"),
        (lambda d: d["poses"]["clip"].__setitem__(0, 7), "none of the 1 clips"),
        (lambda d: d["network"]["weights"][0].pop(), "does not take 3 numbers"),
        (lambda d: d["network"].update(scale=0), "scale"),
        (lambda d: d["code"]["means"].pop(), "belong to one body"),
        (lambda d: d["fits"][0]["variances"].__setitem__(0, 2.0), "variances"),
        (lambda d: d["held_out"][0].update(by="chance"), "by"),
        (lambda d: d.update(skeleton="{}"), "skeleton"),
    ],
)
def test_what_does_not_fit_is_named(written, change, words):
    """The error begins with the file."""
    with pytest.raises(FileError, match=words) as caught:
        read_space(_changed(written, change))
    assert str(caught.value).startswith(str(written))


def test_bytes_cut_short_or_changed_are_refused_or_read(written, rng):
    """Nothing but `FileError` is raised."""
    content = written.read_bytes()
    for _ in range(40):
        broken = bytearray(content[: int(rng.integers(1, len(content)))])
        if rng.random() < 0.7:
            broken = bytearray(content)
            broken[int(rng.integers(len(broken)))] = int(rng.integers(256))
        written.write_bytes(broken)
        with contextlib.suppress(FileError):
            read_space(written)


def test_a_library_is_no_space(tmp_path):
    """The error explains how to make a space from it."""
    with segue.Library.open(tmp_path / "moves.segue") as library:
        library.add("sample:walk")
    with pytest.raises(FileError, match="segue manifold fit makes a space"):
        read_space(tmp_path / "moves.segue")
    with pytest.raises(FileError, match="cannot be read"):
        read_space(tmp_path / "nothing.segue")


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    """The size is checked before reading."""
    (tmp_path / "a.segue").write_bytes(b" " * 200)
    monkeypatch.setattr("segue.app.space_document._LARGEST", 100)
    with pytest.raises(FileError, match="no space is"):
        read_space(tmp_path / "a.segue")
