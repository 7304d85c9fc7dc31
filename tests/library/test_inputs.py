"""Arguments that name clips, in libraries as in files and folders, and how a record stores them."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

import segue
from segue.app import convert, info, measuring, stages
from segue.app.record import read_record
from segue.app.replay import found_source, replay
from segue.errors import FileError, SettingError
from segue.library.inputs import in_library, kept_in, word_of
from segue.motion.samples import sample
from segue.settings import Settings


@pytest.fixture
def moves(tmp_path):
    """A library of three clips, not added in alphabetical order, and their folder."""
    (tmp_path / "clips").mkdir()
    with segue.Library.open(tmp_path / "moves.segue") as library:
        for name in ("walk", "stop", "start"):
            path = tmp_path / "clips" / f"{name}.bvh"
            segue.save(sample(name, fps=30.0), path)
            library.add(path)
    return tmp_path / "moves.segue"


def turned(clip):
    """The same clip slightly rotated."""
    return clip.with_motion(root_positions=clip.root_positions + np.array([0.0, 0.01, 0.0]))


def test_a_library_stands_for_its_clips_in_the_order_they_were_added(moves):
    """A library gives clips in the order they were added; a new version of a clip keeps its place."""
    names = ["walk", "stop", "start"]
    assert [clip.name for clip in stages.read([str(moves)]).clips] == names
    path = moves.parent / "clips" / "walk.bvh"
    segue.save(turned(sample("walk", fps=30.0)), path)
    with segue.Library.open(moves) as library:
        assert library.add(path).changed == ("walk",)
    assert [clip.name for clip in stages.read([str(moves)]).clips] == names


def test_clips_of_a_library_are_those_of_its_files(moves):
    """Frames, body, rate, name and format agree; each clip knows where it is stored."""
    files = stages.read([str(moves.parent / "clips" / f"{name}.bvh") for name in ("walk", "stop", "start")])
    for ours, theirs in zip(stages.read([str(moves)]).clips, files.clips, strict=True):
        np.testing.assert_array_equal(ours.rotations, theirs.rotations)
        np.testing.assert_array_equal(ours.root_positions, theirs.root_positions)
        assert (ours.name, ours.fps, ours.origin.clips) == (theirs.name, theirs.fps, (theirs.name,))
        assert ours.skeleton.same_as(theirs.skeleton)
        assert ours.source.path == f"{moves.resolve()}#{ours.name}"
        assert kept_in(ours).clip == ours.name
        assert kept_in(theirs) is None


def test_one_clip_of_a_library_and_one_version(moves):
    """``moves.segue#walk`` and ``moves.segue#walk@1`` name them."""
    path = moves.parent / "clips" / "walk.bvh"
    segue.save(turned(sample("walk", fps=30.0)), path)
    with segue.Library.open(moves) as library:
        library.add(path)
    now, before = stages.read([f"{moves}#walk"]).clips[0], stages.read([f"{moves}#walk@1"]).clips[0]
    assert now.root_positions[0, 1] - before.root_positions[0, 1] == pytest.approx(0.01, abs=1e-6)
    both = stages.read([f"{moves}#walk@1", f"{moves}#walk"]).clips
    assert [clip.name for clip in both] == ["walk", "walk (2)"]
    with pytest.raises(SettingError, match="no version 9"):
        stages.read([f"{moves}#walk@9"])


def test_clips_of_one_name_from_several_inputs_are_told_apart(moves):
    """A library, a file and an embedded clip are all called walk; the embedded one keeps its name."""
    words = [str(moves), str(moves.parent / "clips" / "walk.bvh"), "sample:walk"]
    names = [clip.name for clip in stages.read(words).clips]
    assert names == ["walk (2)", "stop", "start", "walk (3)", "walk"]
    in_order = stages.read_in_order([f"{moves}#walk", "sample:walk", f"{moves}#walk"]).clips
    assert [clip.name for clip in in_order] == ["walk (2)", "walk", "walk (2)"]
    assert in_order[0] is in_order[2]


def test_a_file_called_like_a_library_says_what_it_is(tmp_path):
    """The error does not call its extension unknown."""
    (tmp_path / "x.segue").write_text("hello")
    with pytest.raises(FileError, match="is not a segue library"):
        in_library(tmp_path / "x.segue")
    with pytest.raises(FileError, match="is not a segue library"):
        in_library(f"{tmp_path}/x.segue#walk")
    assert in_library(tmp_path / "missing.segue") is None


def test_a_library_is_told_by_its_bytes(moves):
    """Its name does not matter, even with the character that separates a clip's name from it."""
    other = moves.rename(moves.parent / "my#moves.db")
    assert in_library(other).clip is None
    assert in_library(f"{other}#walk").clip == "walk"
    assert in_library(f"{other}#walk").path == other


def test_unknown_clips_and_empty_libraries(moves, tmp_path):
    """The error gives the nearest name, or how to begin."""
    with pytest.raises(SettingError, match="'wolk'; nearest: walk"):
        stages.read([f"{moves}#wolk"])
    segue.Library.open(tmp_path / "empty.segue").close()
    with pytest.raises(FileError, match="holds no clips yet"):
        stages.read([str(tmp_path / "empty.segue")])


def test_a_damaged_clip_is_left_out_and_said(moves):
    """The others are read; requested by its name it is an error."""
    with segue.Library.open(moves) as library, library.store.writing() as db:
        db.execute("UPDATE frames SET rotations = zeroblob(length(rotations)) WHERE clip_id = 2")
    found = stages.read([str(moves)])
    assert [clip.name for clip in found.clips] == ["walk", "start"]
    assert "'stop' is damaged" in found.skipped[0][1]
    with pytest.raises(FileError, match="'stop' is damaged"):
        stages.read([f"{moves}#stop"])


def test_a_record_names_library_clip_and_content(moves):
    """The clip is found again if library or clip are renamed, or as an older version; otherwise an error says so."""
    settings = Settings()
    collection = stages.read_in_order([f"{moves}#walk", f"{moves}#stop"])
    _, motion = stages.make_stitch(collection, settings)
    out = moves.parent / "made.bvh"
    made = {"make": {"threshold": "auto", "feet": settings.feet, "way": settings.way}}
    stages.write(motion, out, collection=collection, command="stitch", settings=made)
    record = read_record(moves.parent / "made.origin.json")
    walk = record.sources[0]
    assert (walk.name, walk.path, walk.clip) == ("walk", str(moves.resolve()), "walk")
    assert replay(moves.parent / "made.origin.json")[3]
    with segue.Library.open(moves, mode="r") as library:
        assert library.entry("walk").digest == walk.sha256
    path = moves.parent / "clips" / "walk.bvh"
    segue.save(turned(sample("walk", fps=30.0)), path)
    with segue.Library.open(moves) as library:
        library.add(path)
    assert found_source(walk, None) == f"{moves.resolve()}#walk@1"
    assert replay(moves.parent / "made.origin.json")[3]
    (moves.parent / "elsewhere").mkdir()
    shutil.move(moves, moves.parent / "elsewhere" / "moves.segue")
    with pytest.raises(FileError, match="--sources"):
        replay(moves.parent / "made.origin.json")
    assert replay(moves.parent / "made.origin.json", sources=moves.parent / "elsewhere")[3]
    with segue.Library.open(moves.parent / "elsewhere" / "moves.segue") as library:
        library.remove("walk", old=True)
        assert word_of(library, "walk", walk.sha256) is None
    with pytest.raises(FileError, match="'walk' has changed since the motion was made, or is gone"):
        replay(moves.parent / "made.origin.json", sources=moves.parent / "elsewhere")


def test_the_measure_of_a_motion_finds_its_sources_in_the_library(moves):
    """Seams are known, not only skating."""
    collection = stages.read_in_order([f"{moves}#walk", f"{moves}#stop"])
    _, motion = stages.make_stitch(collection, Settings())
    out = moves.parent / "made.bvh"
    stages.write(motion, out, collection=collection, command="stitch", settings={"make": {}})
    found = measuring.measure_file(out)
    assert [clip.name for clip in found.sources] == ["walk", "stop"]
    assert len(found.measures.seams) == 1


def test_measures_take_one_clip_of_a_library(moves):
    """A complete library is refused with a valid alternative."""
    assert measuring.measure_file(f"{moves}#walk").motion.name == "walk"
    assert measuring.motion_and_sources(f"{moves}#walk")[0].name == "walk"
    with pytest.raises(FileError, match="is a library; name one clip in it"):
        measuring.measure_file(str(moves))


def test_info_of_a_library_is_that_of_its_files(moves):
    """Everything but the path agrees."""
    ours, files = (
        info.inspect([str(moves)], copies=False),
        info.inspect([str(moves.parent / "clips")], copies=False),
    )
    by_name = {clip.name: clip for clip in files.clips}
    for clip in ours.clips:
        assert replace(clip, path="") == replace(by_name[clip.name], path="")
        assert clip.path == f"{moves.resolve()}#{clip.name}"


def test_a_library_is_converted_clip_by_clip(moves, tmp_path):
    """Each clip gets its own file; settings of reading are refused as too late."""
    out = tmp_path / "out"
    done = convert.convert(convert.plan([str(moves)], out, to="npz"), convert.Changes(fps=24.0))
    assert [one.target.name for one in done] == ["walk.npz", "stop.npz", "start.npz"]
    assert {one.clip.fps for one in done} == {24.0}
    one = convert.convert(convert.plan([f"{moves}#walk"], tmp_path / "w.bvh"), convert.Changes())
    assert one[0].error == ""
    late = convert.convert(
        convert.plan([f"{moves}#walk"], out, to="csv"), convert.Changes(), settings={"fps": 10}
    )
    assert "are read already; give fps when a clip is added" in late[0].error
    body = convert.body_of(f"{moves}#stop", [])
    assert body.name == convert.body_of("stop", [str(moves)]).name == "stop"
    with pytest.raises(FileError, match="name the clip whose body is meant"):
        convert.body_of(str(moves), [])


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("walk", "walk"),
        ("16/16_01", "16/16_01"),
        ("../../etc/passwd", "etc/passwd"),
        ("/a", "a"),
        ("a:b*", "a_b_"),
        ("..", "clip"),
        (" ", "clip"),
        ("歩く", "歩く"),
    ],
)
def test_names_of_clips_become_files_below_the_folder(name, path):
    """Whatever the name of a clip, its file stays inside the folder."""
    folder, stem = convert.file_of(name)
    assert (folder / stem).as_posix() == path
