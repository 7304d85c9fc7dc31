"""What the studio has open: libraries, folders, embedded clips."""

from __future__ import annotations

from pathlib import Path

import pytest

import segue
from segue.errors import FileError, SettingError
from segue.studio.messages import ClipAsk, LabelAsk, Nothing, RolesAsk, TagAsk
from segue.studio.project import Project
from segue.studio.state import Studio


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of one name, one beside it."""
    (tmp_path / "clips" / "more").mkdir(parents=True)
    segue.save(segue.sample("walk"), tmp_path / "clips" / "walk.bvh")
    segue.save(segue.sample("run"), tmp_path / "clips" / "more" / "walk.bvh")
    (tmp_path / "clips" / "broken.bvh").write_text("HIERARCHY\n")
    return tmp_path / "clips"


def test_a_folder_is_listed_unread_and_surveyed_behind(folder: Path, tmp_path: Path) -> None:
    """Names differ, lengths come when the survey has read the files, a broken file says why when it is asked for."""
    project = Project(folder, tmp_path / "out")
    names = [one.name for one in project.listed()]
    assert sorted(names) == ["broken", "walk", "walk (2)"]
    assert all(one.frames == 0 for one in project.listed())
    given: list[int] = []
    project.survey(lambda: given.append(1))
    lengths = {one.name: one.frames for one in project.listed()}
    assert set(lengths.values()) == {0, segue.sample("run").n_frames, segue.sample("walk").n_frames}
    assert given == [1]
    with pytest.raises(FileError, match="broken"):
        project.clip("broken")
    with pytest.raises(SettingError, match="walk"):
        project.clip("wlk")
    with pytest.raises(SettingError, match="segue library add"):
        project.library()


def test_a_library_keeps_labels_tags_and_roles_hold(tmp_path: Path) -> None:
    """Labels and tags are in the library when it is opened again; roles set by a person hold for the run."""
    from segue.studio import calls_of_clips as calls
    from segue.studio.calls_of_project import project as listed

    with segue.Library.open(tmp_path / "moves.segue") as library:
        library.add([segue.sample("walk"), segue.sample("run")])
    studio = Studio(Project(tmp_path / "moves.segue", tmp_path / "out"))
    calls.label(studio, LabelAsk("walk", "stride", 10, 40))
    view = calls.tag(studio, TagAsk("walk", "calm"))
    assert [(span.start, span.stop, span.text) for span in view.labels] == [(10, 40, "stride")]
    card = next(card for card in listed(studio, Nothing()).clips if card.name == "walk")
    assert (card.tags, card.labels) == (["calm"], ["stride"])
    calls.label(studio, LabelAsk("walk", "stride", 10, 40, remove=True))
    calls.tag(studio, TagAsk("walk", "calm", remove=True))
    view = calls.set_roles(studio, RolesAsk("walk", {"left_toe": ""}))
    assert "left_toe" in view.unknown_roles
    assert "left_toe" in calls.clip(studio, ClipAsk("walk")).unknown_roles
    with segue.Library.open(tmp_path / "moves.segue", mode="r") as library:
        assert library.entry("walk").labels == ()
    studio.close()


def test_old_motions_are_forgotten(tmp_path: Path) -> None:
    """What was made too long ago says that it has to be made again."""
    project = Project(None, tmp_path)
    with pytest.raises(SettingError, match="make it again"):
        project.motion("made:77")
    assert project.motion("clip:walk") is project.clip("walk")
