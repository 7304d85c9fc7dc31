"""The contents of the studio: libraries, folders, embedded clips."""

from __future__ import annotations

from pathlib import Path

import pytest

import segue
from segue.errors import FileError, SettingError
from segue.studio.calls_of_motions import measures
from segue.studio.messages import ClipAsk, ContactsAsk, LabelAsk, Nothing, RolesAsk, Span, TagAsk
from segue.studio.motion_messages import MotionAsk
from segue.studio.project import Project
from segue.studio.state import Studio
from shown import shown


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of one name, with another file."""
    (tmp_path / "clips" / "more").mkdir(parents=True)
    segue.save(segue.sample("walk"), tmp_path / "clips" / "walk.bvh")
    segue.save(segue.sample("run"), tmp_path / "clips" / "more" / "walk.bvh")
    (tmp_path / "clips" / "broken.bvh").write_text("HIERARCHY\n")
    return tmp_path / "clips"


def test_a_folder_is_listed_unread_and_surveyed_behind(folder: Path, tmp_path: Path) -> None:
    """Names differ, lengths appear after the survey has read the files, and a broken file gives its reason."""
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
    """Labels and tags are in the reopened library; roles set by the user hold for the run."""
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
    """The error says that an old motion has to be made again."""
    project = Project(None, tmp_path)
    with pytest.raises(SettingError, match="make it again"):
        project.motion("made:77")
    assert project.motion("clip:walk") is project.clip("walk")


def test_roles_and_contacts_that_a_person_sets_stay_with_the_library(tmp_path: Path) -> None:
    """A reopened library gives every role that was set, one after the other, and the contacts that were set."""
    from segue.studio import calls_of_clips as calls

    segue.save(segue.sample("walk"), tmp_path / "walk.bvh")
    with segue.Library.open(tmp_path / "moves.segue") as library:
        library.add(tmp_path / "walk.bvh")
        library.label("walk", "steady", start_frame=10, stop_frame=20)
    studio = Studio(Project(tmp_path / "moves.segue", tmp_path / "out"))
    calls.set_roles(studio, RolesAsk("walk", {"left_toe": ""}))
    calls.set_roles(studio, RolesAsk("walk", {"right_toe": ""}))
    view = calls.set_contacts(studio, ContactsAsk("walk", [Span(30, 60, "left_heel")]))
    assert view.contacts_set
    again = calls.clip(Studio(Project(tmp_path / "moves.segue", tmp_path / "out")), ClipAsk("walk"))
    assert {"left_toe", "right_toe"} <= set(again.unknown_roles)
    assert again.contacts == [Span(30, 60, "left_heel")]
    assert again.labels == [Span(10, 20, "steady")]
    assert not calls.set_contacts(studio, ContactsAsk("walk", found=True)).contacts_set


def test_contacts_of_an_embedded_clip_hold_for_the_run(tmp_path: Path) -> None:
    """Without a library the contacts set for a clip hold until the end, whatever is read meanwhile."""
    from segue.studio import calls_of_clips as calls

    studio = Studio(Project(None, tmp_path / "out"))
    calls.set_contacts(studio, ContactsAsk("walk", [Span(30, 60, "left_heel")]))
    calls.set_roles(studio, RolesAsk("walk", {"head": ""}))
    assert calls.clip(studio, ClipAsk("walk")).contacts == [Span(30, 60, "left_heel")]
    with pytest.raises(SettingError, match="left_hand"):
        calls.set_contacts(studio, ContactsAsk("walk", [Span(0, 5, "left_hand")]))


def test_a_body_without_legs_is_measured_as_far_as_it_can_be(tmp_path: Path) -> None:
    """Acceleration and jerk have lanes, feet have a sentence instead; calls that need legs say where to set roles."""
    shown("_states").write_tail(tmp_path / "tail")
    studio = Studio(Project(tmp_path / "tail", tmp_path / "out"))
    found = measures(studio, MotionAsk("clip:tail"))
    assert [lane.title for lane in found.lanes] == ["Peak acceleration", "Peak jerk"]
    assert found.lanes[0].peak > 0.1
    assert found.missing.startswith("feet are not measured: no joint fills the role 'left_hip'")
    assert found.missing.endswith("set the roles of its joints in the tab Clips")


def test_without_a_clip_nothing_is_made() -> None:
    """Without clips the error is one sentence that says what to do and names no file."""
    with pytest.raises(SettingError, match="there is no clip to make this of; import or drop"):
        Project(None, Path("out")).readable([])
