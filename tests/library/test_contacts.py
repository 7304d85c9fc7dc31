"""Contacts set by the user are stored with the clip and replace those found in its motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.errors import FileError, SettingError
from segue.library.connection import Store
from segue.motion.resample import cut, resampled
from segue.motion.stance import stance


@pytest.fixture
def moves(tmp_path: Path) -> Path:
    """A library of two walks."""
    path = tmp_path / "moves.segue"
    segue.save(segue.sample("walk"), tmp_path / "walk.bvh")
    with segue.Library.open(path) as library:
        library.add([tmp_path / "walk.bvh", segue.sample("walk_fast")])
    return path


def test_contacts_are_found_until_a_person_sets_them(moves) -> None:
    """A library first returns the plants found in a clip, then those set by the user, then again those found."""
    with segue.Library.open(moves) as library:
        found, by_person = library.contacts("walk")
        assert not by_person
        assert set(found) == set(stance(library.clip("walk")).plants)
        library.set_contacts("walk", [("left_toe", 30, 40), ("left_toe", 20, 30)])
        assert library.contacts("walk") == ((("left_toe", 20, 40),), True)
        library.set_contacts("walk", None)
        assert library.contacts("walk") == (found, False)


def test_what_is_set_is_what_every_room_sees(moves) -> None:
    """Contacts of a clip read from the library, at another rate and cut, are those that were set."""
    with segue.Library.open(moves) as library:
        library.set_contacts("walk", [("right_heel", 60, 120)])
        clip = library.clip("walk")
    assert np.flatnonzero(segue.contacts(clip).flags[:, 2]).tolist() == list(range(60, 120))
    assert np.array_equal(stance(clip).flags, segue.contacts(clip).flags)
    half = segue.contacts(resampled(clip, clip.fps / 2)).flags
    assert np.flatnonzero(half[:, 2]).tolist() == list(range(30, 60))
    assert segue.contacts(cut(clip, 100, 130)).flags[:, 2].tolist() == [True] * 20 + [False] * 10
    assert clip.with_motion(root_positions=clip.root_positions + 0.1).planted is None


def test_a_plant_that_is_none_is_refused(moves) -> None:
    """An unknown part of a foot and frames outside the clip are named, and nothing is changed."""
    with segue.Library.open(moves) as library:
        before = library.contacts("walk")
        for wrong in (("left_knee", 0, 5), ("left_toe", 5, 5), ("left_toe", 0, 9999), ("left_toe", -1, 4)):
            with pytest.raises(SettingError, match=r"foot|frames"):
                library.set_contacts("walk", [wrong])
        assert library.contacts("walk") == before


def test_contacts_go_with_a_changed_file_where_frames_agree(moves, tmp_path) -> None:
    """A clip read again with 20 frames cut off at its start keeps the contacts set, 20 frames earlier."""
    with segue.Library.open(moves) as library:
        library.set_contacts("walk", [("left_heel", 100, 150), ("left_toe", 5, 15)])
        segue.save(cut(segue.load(tmp_path / "walk.bvh"), 20, 361), tmp_path / "walk.bvh")
        library.add(tmp_path / "walk.bvh")
        plants, by_person = library.contacts("walk")
    assert by_person
    assert [tuple(plant) for plant in plants] == [("left_heel", 80, 130)]


def test_contacts_that_were_changed_on_the_disk_are_not_believed(moves, tmp_path) -> None:
    """Rows that do not fit their seal are ignored with a note; a removed clip removes its seal."""
    with segue.Library.open(moves) as library:
        library.set_contacts("walk", [("left_heel", 100, 150)])
        library.set_contacts("walk_fast", [])
    store = Store(moves, "w", create=False, patience=1.0)
    with store.writing() as db:
        db.execute("UPDATE contact SET stop_frame = 151 WHERE start_frame = 100 AND foot = 'left_heel'")
    store.close()
    with segue.Library.open(moves) as library:
        with pytest.raises(FileError, match="seal"):
            library.contacts("walk")
        clip = library.clip("walk")
        assert clip.planted is None
        assert "contacts that were set are damaged" in clip.notes[-1]
        library.remove("walk")
        assert library.contacts("walk_fast") == ((), True)
        kept = library.store.db.execute("SELECT count(*) FROM meta WHERE key GLOB 'contacts set *'")
        assert kept.fetchone()[0] == 1
