"""Replay from a record: the same digest, and an error if a source has changed."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from segue.app import stages
from segue.app.replay import found_source, replay
from segue.errors import FileError
from segue.io import load, save
from segue.motion.samples import sample
from segue.settings import Settings


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"blend_seconds": 0.2, "threshold": 0.003},
        {"root": "displacement", "fps": 24.0, "share": 0.4},
        {"feet": "locked"},
        {"feet": "captured"},
    ],
)
def test_a_motion_comes_again(folder, tmp_path, maker, settings):
    """With the same seed, settings and sources, digest and file content are the same."""
    record = maker(tmp_path / "made.bvh", [str(folder)], **settings)
    motion, collection, given, same = replay(record)
    assert same
    assert given.command == "wander"
    assert len(collection.clips) == 4
    again = tmp_path / "again.bvh"
    save(motion, again)
    assert again.read_text().splitlines() == (tmp_path / "made.bvh").read_text().splitlines()


def test_another_seed_is_not_the_same(record):
    """The digest shows that the motion is a different one."""
    document = json.loads(record.read_text("utf-8"))
    document["settings"]["walk"]["seed"] = 4
    record.write_text(json.dumps(document))
    assert replay(record)[3] is False


def stitched(out, inputs):
    """Write a stitched motion; return the path of its record."""
    settings = Settings()
    collection = stages.read_in_order(inputs)
    _, motion = stages.make_stitch(collection, settings)
    recorded = {"make": settings.document()}
    return stages.write(motion, out, collection=collection, command="stitch", settings=recorded)


def test_a_stitched_motion_comes_again(folder, tmp_path):
    """Files and samples are in any order, and one file occurs twice."""
    inputs = [
        str(folder / "stop.bvh"),
        "sample:walk_slow",
        str(folder / "walk.bvh"),
        str(folder / "stop.bvh"),
    ]
    record = stitched(tmp_path / "made.bvh", inputs)
    motion, collection, _, same = replay(record)
    assert same
    assert [clip.name for clip in collection.clips] == ["stop", "walk_slow", "walk", "stop"]
    assert motion.n_frames == load(tmp_path / "made.bvh").n_frames


def test_captured_motion_comes_again(data, tmp_path, maker):
    """AMC files with their skeleton and a sample are replayed."""
    inputs = [str(data / f"asf_amc/16/{n}.amc") for n in ("16_31", "16_47")]
    record = maker(tmp_path / "made.bvh", [inputs[0], "sample:walk", inputs[1]], fps=30.0, seconds=4.0)
    assert replay(record)[3]


def test_a_changed_source_is_refused(record, folder):
    """A source with one more byte is refused."""
    with (folder / "stop.bvh").open("a") as file:
        file.write("\n")
    with pytest.raises(FileError, match=r"stop\.bvh: has changed since the motion was made"):
        replay(record)


def test_a_changed_skeleton_is_refused(data, tmp_path, maker):
    """The .asf is part of the source."""
    folder = tmp_path / "clips"
    folder.mkdir()
    for name in ("16.asf", "16_47.amc"):
        shutil.copyfile(data / "asf_amc/16" / name, folder / name)
    record = maker(tmp_path / "made.bvh", [str(folder)], fps=30.0, seconds=3.0)
    (folder / "16.asf").write_text((folder / "16.asf").read_text() + "\n# touched\n")
    with pytest.raises(FileError, match=r"16\.asf: this skeleton of 16_47\.amc has changed"):
        replay(record)


def test_moved_sources_are_found(record, folder, tmp_path):
    """Sources are found in the named folder and below it; without one, the error names the option."""
    elsewhere = tmp_path / "else" / "where"
    elsewhere.parent.mkdir()
    folder.rename(elsewhere)
    with pytest.raises(FileError, match="not there any more; name the folder it moved to with --sources"):
        replay(record)
    assert replay(record, sources=elsewhere)[3]
    assert replay(record, sources=tmp_path / "else")[3]
    with pytest.raises(FileError, match="no such folder"):
        replay(record, sources=tmp_path / "nowhere")


def test_of_files_with_one_name_the_right_one_is_found(tmp_path, maker):
    """Two sources named walk.bvh in two folders, both moved, are distinguished by their digests."""
    for name, place in (("walk", "one"), ("stop", "two")):
        (tmp_path / "old" / place).mkdir(parents=True)
        save(sample(name, fps=30.0), tmp_path / "old" / place / "walk.bvh")
    record = maker(tmp_path / "made.bvh", [str(tmp_path / "old")], seconds=4.0)
    (tmp_path / "old").rename(tmp_path / "new")
    motion, collection, _, same = replay(record, sources=tmp_path / "new")
    assert same
    assert [clip.name for clip in collection.clips] == ["one/walk", "two/walk"]
    assert set(motion.origin.clips) == {"one/walk", "two/walk"}


def test_a_sample_that_changed_is_refused(tmp_path, maker):
    """Another version may generate a sample differently."""
    record = maker(tmp_path / "made.bvh", ["sample:walk", "sample:stop"], seconds=3.0)
    document = json.loads(record.read_text("utf-8"))
    document["sources"][0]["sha256"] = "0" * 64
    record.write_text(json.dumps(document))
    with pytest.raises(FileError, match="sample:walk: is not the recorded sample"):
        replay(record)
    del document["libraries"]
    record.write_text(json.dumps(document))
    with pytest.raises(
        FileError, match="sample:walk: another version of segue or numpy made the sample differ"
    ):
        replay(record)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda settings: settings["make"].update(colour="red"),
        lambda settings: settings.pop("make"),
        lambda settings: settings.pop("walk"),
        lambda settings: settings.update(make=3),
    ],
)
def test_settings_of_another_version_are_refused(record, spoil):
    """The error states that this version does not know the settings."""
    document = json.loads(record.read_text("utf-8"))
    spoil(document["settings"])
    record.write_text(json.dumps(document))
    with pytest.raises(FileError, match="holds settings this version does not know"):
        replay(record)


def test_a_sources_folder_of_other_files_does_not_help(record, folder, tmp_path):
    """A file of the same name with another motion is not the source."""
    (folder / "stop.bvh").unlink()
    other = tmp_path / "other"
    other.mkdir()
    save(sample("run", fps=30.0), other / "stop.bvh")
    from segue.app.record import read_record

    source = next(s for s in read_record(record).sources if s.name == "stop")
    with pytest.raises(FileError, match="has changed"):
        found_source(source, other)


def test_origins_of_a_replay_are_those_of_the_record(record):
    motion, _, given, _ = replay(record)
    np.testing.assert_array_equal(motion.origin.clip, given.origin.clip)
    np.testing.assert_array_equal(motion.origin.frame, given.origin.frame)
