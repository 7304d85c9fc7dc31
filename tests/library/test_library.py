"""A library returns its contents unchanged: clips bit for bit, labels, tags, names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import segue
from library_clips import same_clip
from segue.errors import FileError, SettingError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder of three small motion files."""
    (tmp_path / "clips").mkdir()
    for name in ("walk", "run", "stand"):
        clip = segue.sample(name)
        short = segue.Clip(clip.skeleton, clip.rotations[:60], clip.root_positions[:60], clip.fps, name=name)
        segue.save(short, tmp_path / "clips" / f"{name}.bvh")
    return tmp_path


@pytest.fixture
def library(folder: Path) -> Iterator[segue.Library]:
    """Library of these files."""
    with segue.Library.open(folder / "moves.segue") as library:
        library.add(folder / "clips")
        yield library


def test_a_clip_comes_back_as_it_was_read(library: segue.Library, folder: Path) -> None:
    """Rotations and roots agree bit for bit, and skeleton, rate and source format are kept."""
    assert [entry.name for entry in library.clips()] == ["run", "stand", "walk"]
    for entry in library.clips():
        assert same_clip(library.clip(entry.name), segue.load(folder / "clips" / f"{entry.name}.bvh"))


def test_one_file_is_left_when_a_library_is_closed(folder: Path) -> None:
    """No log is left, and a reader finds everything."""
    with segue.Library.open(folder / "moves.segue") as library:
        library.add(folder / "clips")
    assert sorted(path.name for path in folder.iterdir()) == ["clips", "moves.segue"]
    with segue.Library.open(folder / "moves.segue", mode="r") as library:
        assert len(library.clips()) == 3
        with pytest.raises(FileError, match="opened for reading"):
            library.tag("walk", "slow")


def test_unknown_clips_are_refused_with_the_nearest(library: segue.Library) -> None:
    """A typing error is answered with the nearest name."""
    with pytest.raises(SettingError, match=r"no clip of moves\.segue is called 'wolk'; nearest: walk"):
        library.clip("wolk")
