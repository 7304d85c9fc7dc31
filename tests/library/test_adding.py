"""Adding clips: new, unchanged, changed, renamed or skipped, and the report of each."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import segue
from library_clips import same_clip
from segue.errors import FileError, SegueError, SettingError
from segue.library.labels import Label
from segue.library.library import Library


def write(path: Path, name: str, rows: object = slice(0, 80), *, shift: float = 0.0) -> Path:
    """Write some frames of a sample clip as a BVH file."""
    clip = segue.sample(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = segue.Clip(clip.skeleton, clip.rotations[rows], clip.root_positions[rows] + shift, clip.fps)
    segue.save(part, path)
    return path


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Folder of three files."""
    for name in ("walk", "run", "stand"):
        write(tmp_path / "clips" / f"{name}.bvh", name)
    return tmp_path / "clips"


@pytest.fixture
def library(clips: Path) -> Iterator[Library]:
    """Library of that folder, next to it."""
    with segue.Library.open(clips.parent / "moves.segue") as library:
        assert library.add(clips).new == ("run", "stand", "walk")
        yield library


def test_the_same_bytes_do_nothing(library: Library, clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is parsed, and no byte of the library changes."""
    library.close()
    before = library.path.read_bytes()
    monkeypatch.setattr("segue.library.adding.load", lambda *_, **__: pytest.fail("a file was parsed"))
    with segue.Library.open(library.path) as again:
        added = again.add([clips, clips / "walk.bvh"])
        assert (added.same, added.new, added.changed) == (("run", "stand", "walk"), (), ())
        write(clips / "copy of walk.bvh", "walk")
        assert again.add(clips / "copy of walk.bvh").same == ("walk",)
    assert library.path.read_bytes()[100:] == before[100:]


def test_a_changed_file_is_a_new_version_with_its_labels(library: Library, clips: Path) -> None:
    """Labels follow their frames; a label without any stays with the version before; tags are kept."""
    for start, stop, text in ((0, 5, "cut off"), (20, 40, "all there"), (60, 80, "end")):
        library.label("walk", text, start_frame=start, stop_frame=stop, by="me")
    library.tag("walk", "good")
    before = library.clip("walk")
    write(clips / "walk.bvh", "walk", slice(10, 70))
    added = library.add(clips)
    assert (added.changed, added.new, len(added.same)) == (("walk",), (), 2)
    now = library.entry("walk")
    assert (now.version, now.n_frames, now.tags) == (2, 60, ("good",))
    assert now.labels == (Label(10, 30, "all there", "me"), Label(50, 60, "end", "me"))
    (given,) = added.labels
    assert given.kept == ()
    assert [old.text for old, _ in given.moved] == ["all there", "end"]
    assert given.left == (Label(0, 5, "cut off", "me"),)
    old = library.entry("walk", version=1)
    assert not old.current
    assert given.left[0] in old.labels
    assert same_clip(library.clip("walk", version=1), before)
    assert same_clip(library.clip("walk"), segue.load(clips / "walk.bvh"))
    assert [entry.name for entry in library.clips()] == ["run", "stand", "walk"]
    assert [entry.version for entry in library.clips(old=True)] == [1, 1, 1, 2]
    assert library.remove("walk", old=True) == 1
    assert library.entry("walk").labels == now.labels
    with pytest.raises(SettingError, match="clip 'walk' has no version 1; it has 2"):
        library.clip("walk", version=1)


def test_a_renamed_file_takes_its_clip_along(library: Library, clips: Path) -> None:
    """Name, path and labels follow; the frames are not touched."""
    library.label("walk", "steady")
    was = library.entry("walk")
    (clips / "walk.bvh").rename(clips / "stroll.bvh")
    added = library.add(clips)
    assert (added.renamed, added.new, added.changed) == ((("walk", "stroll"),), (), ())
    now = library.entry("stroll")
    assert (now.id, now.digest, now.labels) == (was.id, was.digest, was.labels)
    assert same_clip(library.clip("stroll"), segue.load(clips / "stroll.bvh"))
    with pytest.raises(SettingError, match="no clip of"):
        library.entry("walk")


def test_a_folder_that_moved_takes_its_clips_along(library: Library, clips: Path) -> None:
    """A moved folder's files are known by their bytes; moved with the library, changed files are known by place too."""
    library.label("walk", "steady")
    moved = clips.rename(clips.with_name("archive"))
    added = library.add(moved)
    assert added.renamed == (("run", "run"), ("stand", "stand"), ("walk", "walk"))
    assert Path(library.entry("run").path) == moved / "run.bvh"
    library.close()
    shutil.move(moved.parent, new := moved.parent.with_name(moved.parent.name + " elsewhere"))
    write(new / "archive" / "walk.bvh", "walk", slice(10, 70))
    with segue.Library.open(new / "moves.segue") as library:
        added = library.add(new / "archive")
        assert (added.new, added.changed) == ((), ("walk",))
        assert library.entry("walk").labels[0].text == "steady"
        assert len(library.clips()) == 3


def test_one_name_from_two_places_is_two_clips(library: Library, clips: Path) -> None:
    """The second gets its folder's name as a prefix; a third of that name gets another folder in front."""
    write(clips.parent / "b" / "walk.bvh", "walk_fast")
    write(clips.parent / "c" / "b" / "walk.bvh", "walk_slow")
    assert library.add([clips.parent / "b", clips.parent / "c"]).new == ("b/walk", "c/b/walk")
    assert library.add([clips.parent]).new == ()
    assert library.clip("b/walk").name == "b/walk"
    assert library.clip("b/walk").origin.clips == ("b/walk",)


def test_what_cannot_be_read_is_skipped_with_the_reason(library: Library, clips: Path) -> None:
    """The rest is added; a broken file keeps its old clip; two broken files with the same bytes do too."""
    for name in ("broken.bvh", "broken too.bvh", "walk.bvh"):
        (clips / name).write_text("HIERARCHY\nROOT hips\n{\nnonsense\n", "utf-8")
    write(clips / "zero.bvh", "run_left")
    added = library.add(clips)
    assert added.new == ("zero",)
    assert sorted(Path(path).name for path in added.skipped) == ["broken too.bvh", "broken.bvh", "walk.bvh"]
    assert all("nonsense" in why for why in added.skipped.values())
    assert library.clip("walk").n_frames == 80
    with pytest.raises(FileError, match="there is no such file or folder"):
        library.add(clips / "none.bvh")


def test_settings_that_a_person_told_hold_on(library: Library, clips: Path) -> None:
    """Settings hold when the file is read again; other settings change the clip; no settings change nothing."""
    body = library.clip("walk").skeleton
    assert library.add(clips / "walk.bvh", roles={"left_toe": ""}).changed == ("walk",)
    assert library.clip("walk").skeleton.roles_given == (("left_toe", ""),)
    assert library.add(clips / "walk.bvh", roles={"left_toe": ""}).same == ("walk",)
    assert library.add(clips / "walk.bvh").same == ("walk",)
    write(clips / "walk.bvh", "walk", slice(5, 80))
    assert library.add(clips / "walk.bvh", fps=30).changed == ("walk",)
    clip = library.clip("walk")
    assert (clip.fps, clip.skeleton.roles_given) == (30, (("left_toe", ""),))
    assert same_clip(clip, segue.load(clips / "walk.bvh", fps=30, roles={"left_toe": ""}))
    assert body.roles_given == ()
    with pytest.raises(SegueError, match="'left_tow' is no role"):
        library.add(clips / "run.bvh", roles={"left_tow": "LeftFoot"})
    with pytest.raises(SegueError, match="'fsp' is no setting of reading a file; nearest: fps"):
        library.add(clips / "run.bvh", fsp=30)


def test_made_motions_and_embedded_clips_are_added_too(library: Library) -> None:
    """They keep their origin; adding the same again does nothing; a different clip of that name is its next version."""
    walk, run = segue.sample("walk"), segue.sample("run")
    made = segue.splice(walk, run, segue.transition_points(walk, run, threshold=10.0)[0])
    assert library.add(made).new == (made.name,)
    assert library.add([made, "sample:walk_slow"]).same == (made.name,)
    assert same_clip(library.clip(made.name), made)
    assert same_clip(library.clip("walk_slow"), segue.sample("walk_slow"))
    assert library.add("sample:walk_slow").same == ("walk_slow",)
    assert library.add(made.with_motion(root_positions=made.root_positions + 1.0)).changed == (made.name,)
    assert library.add(segue.sample("walk")).new == ("walk (2)",)
    assert library.add(segue.sample("walk")).same == ("walk (2)",)


def test_facts_are_kept_beside_the_clip(library: Library, clips: Path) -> None:
    """Faults, contacts and roles are found when a clip is added."""
    walk = segue.load(clips / "walk.bvh")
    turns = walk.rotations.copy()
    turns[40, walk.skeleton.index("LeftArm")] = [0, 1, 0, 0]
    segue.save(walk.with_motion(turns), clips / "glitch.bvh")
    library.add(clips)
    entry = library.entry("glitch")
    assert entry.unusable == int(segue.find_faults(library.clip("glitch")).unusable.sum()) > 0
    db = library.store.db
    kinds = db.execute("SELECT kind FROM fault WHERE clip_id = ?", (entry.id,)).fetchall()
    assert ("glitch",) in kinds
    plants = db.execute(
        "SELECT foot, start_frame, stop_frame FROM contact WHERE clip_id = ? ORDER BY 1, 2",
        (library.entry("walk").id,),
    ).fetchall()
    assert plants == sorted(tuple(plant) for plant in segue.contacts(walk).plants)
    rows = db.execute("SELECT role, joint FROM role").fetchall()
    assert dict(rows) == dict(segue.roles(walk.skeleton))


def test_adding_that_was_broken_off_goes_on(clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written clips stay, the clip in progress is absent, and the second call adds the rest."""
    monkeypatch.setattr("segue.library.adding.BATCH", 0.0)
    path = clips.parent / "moves.segue"

    def stop(_: str, done: int, __: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with segue.Library.open(path) as library:
        with pytest.raises(KeyboardInterrupt):
            library.add(clips, progress=stop)
        assert [entry.name for entry in library.clips()] == ["run", "stand"]
        assert library.add(clips).new == ("walk",)
        assert library.check().sound


def test_a_file_that_changes_while_it_is_read_is_left_for_next_time(
    library: Library, clips: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its digest would be that of other bytes."""
    path = write(clips / "late.bvh", "run_left")

    def slow(place: str, **_: object) -> segue.Clip:
        clip = segue.load(place)
        os.utime(place, ns=(1, 1))
        return clip

    monkeypatch.setattr("segue.library.adding.load", slow)
    assert "changed while it was read" in library.add(path).skipped[str(path)]
    monkeypatch.undo()
    assert library.add(path).new == ("late",)


def test_animations_of_one_file_are_clips_of_their_own(library: Library, clips: Path, cases: Path) -> None:
    """A glTF file of several animations gives a clip for each, equal to loading each by its name."""
    files = [path for path in sorted(cases.rglob("*.gl*")) if len(segue.io.motion_files([path.parent])) > 1]
    assert files
    for path in files[:1]:
        added = library.add(path.parent)
        assert added.new
        for name in added.new:
            entry = library.entry(name)
            assert same_clip(library.clip(name), segue.load(entry.path).with_motion(name=name))


def test_captured_clips_come_back_bit_for_bit(data: Path, tmp_path: Path) -> None:
    """AMC with its skeleton file, BVH of other programs, and NPZ of another body come back bit for bit."""
    files = [
        data / "asf_amc" / "16" / "16_01.amc",
        data / "cmu" / "from_amc" / "16_11.bvh",
        *sorted((data / "cmu").glob("*/*.bvh"))[::12],
    ]
    with segue.Library.open(tmp_path / "moves.segue") as library:
        assert not library.add(files).skipped
        for entry in library.clips():
            there = segue.load(entry.path)
            named = there.with_motion(name=entry.name, origin=library.clip(entry.name).origin)
            assert same_clip(library.clip(entry.name), named)
        assert library.entry("16_01").skeleton_file_sha256
        assert np.isclose(library.stats().seconds, sum(entry.seconds for entry in library.clips()))


def test_two_at_once_add_the_same_folder(clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file is one clip, whichever process is first; files already read by the other count as unchanged."""
    monkeypatch.setattr("segue.library.adding.BATCH", 0.0)
    monkeypatch.setattr("segue.library.adding.GAP", 0.001)
    path = clips.parent / "moves.segue"
    reports = []

    def job() -> None:
        with segue.Library.open(path) as library:
            reports.append(library.add(clips))

    segue.Library.open(path).close()
    threads = [threading.Thread(target=job) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reports) == 3
    assert sorted(name for report in reports for name in report.new) == ["run", "stand", "walk"]
    assert sum(len(report.same) for report in reports) == 6
    with segue.Library.open(path, mode="r") as library:
        assert [(entry.name, entry.version) for entry in library.clips(old=True)] == [
            ("run", 1),
            ("stand", 1),
            ("walk", 1),
        ]
        assert library.check().sound
