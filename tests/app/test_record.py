"""The record of a motion: exact round trips, complete or absent, refused for another motion."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from segue.app import record as records
from segue.app import stages
from segue.app.record import Record, Source, read_record, source_of, with_record, write_record
from segue.app.replay import found_source
from segue.errors import FileError
from segue.graph.build import MotionGraph
from segue.graph.walk import render
from segue.io import load, save
from segue.motion.resample import resampled
from segue.motion.samples import sample


def made(clips, *, blend_seconds=1 / 3, seconds=12.0, fps=None, seed=2):
    """A rendered walk over clips."""
    from segue.settings import Blend

    graph = MotionGraph.build(
        clips, blend=Blend(seconds=blend_seconds), threshold=0.02, check_seams=False, fps=fps
    )
    return render(graph.wander(seconds=seconds, seed=seed))


def there_and_back(motion, path):
    """Write a motion's origin to a record and read it back."""
    sources = tuple(Source(name, f"sample:{name}", "0" * 64) for name in motion.origin.clips)
    write_record(path, Record("wander", {}, sources, "1" * 64, motion.fps, motion.origin))
    return read_record(path)


@pytest.mark.parametrize("blend_seconds", [0.0, 1 / 3, 0.5])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_origins_come_back_as_they_were(tmp_path, blend_seconds, seed):
    """Clips and frames are exact and weights have 9 digits, for hard cuts and blends."""
    clips = [sample(name, fps=30.0) for name in ("walk", "walk_left", "stop", "start")]
    motion = made(clips, blend_seconds=blend_seconds, seed=seed)
    origin = there_and_back(motion, tmp_path / "m.origin.json").origin
    assert origin.clips == motion.origin.clips
    np.testing.assert_array_equal(origin.clip, motion.origin.clip)
    np.testing.assert_array_equal(origin.frame, motion.origin.frame)
    np.testing.assert_allclose(origin.weight, motion.origin.weight, atol=1e-9)


@pytest.mark.parametrize("fps", [24.0, 30000 / 1001, 7.0])
def test_fractional_frames_come_back(tmp_path, fps):
    """At rates that fall between source frames, frames are exact to a millionth of a frame."""
    motion = made([sample("walk"), sample("stop")], fps=fps)
    record = there_and_back(motion, tmp_path / "m.origin.json")
    np.testing.assert_array_equal(record.origin.clip, motion.origin.clip)
    np.testing.assert_allclose(record.origin.frame, motion.origin.frame, rtol=0, atol=2e-6)
    assert record.fps == motion.fps


def test_uneven_frames_come_back(tmp_path):
    """A motion resampled after rendering stores each frame."""
    motion = resampled(made([sample("walk", fps=30.0), sample("stop", fps=30.0)]), 25.0)
    origin = there_and_back(motion, tmp_path / "m.origin.json").origin
    np.testing.assert_allclose(origin.frame[:, 0], motion.origin.frame[:, 0], rtol=0, atol=2e-6)


def test_segments_tell_a_person_where_frames_came_from(record):
    """Each segment has its start, length, clips and first source frames, and weights if two clips are blended."""
    document = json.loads(record.read_text("utf-8"))
    segments = document["segments"]
    assert segments[0]["start"] == 0
    ends = [s["start"] + s["frames"] for s in segments]
    assert ends[:-1] == [s["start"] for s in segments[1:]]
    assert ends[-1] == document["motion"]["frames"]
    for segment in segments:
        assert ("weights" in segment) == (len(segment["sources"]) == 2)
    assert document["command"] == "wander"
    assert document["settings"]["walk"]["seed"] == 3
    assert {s["path"] for s in document["sources"]} == {
        f"clips/{n}.bvh" for n in ("walk", "walk_left", "stop", "start")
    }


def test_a_motion_read_again_has_its_origin(record, tmp_path):
    """With its record a file has the origin of its frames; without, it has its own."""
    path = tmp_path / "made.bvh"
    clip, found = with_record(load(path), path)
    assert found is not None
    assert set(clip.origin.clips) == {"walk", "walk_left", "stop", "start"}
    record.rename(tmp_path / "other.origin.json")
    clip, found = with_record(load(path), path)
    assert found is None
    assert clip.origin.clips == ("made",)


def test_a_record_of_another_motion_is_refused(record, tmp_path):
    """A record is checked by the digest of the file, whatever its number of frames."""
    path = tmp_path / "made.bvh"
    save(sample("walk", fps=30.0), path)
    with pytest.raises(FileError, match=r"is not the record of made\.bvh"):
        with_record(load(path), path)


def test_a_folder_that_moves_keeps_its_records(record, tmp_path):
    """Source paths are relative to the record."""
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("clips", record.name):
        (tmp_path / name).rename(moved / name)
    sources = read_record(moved / record.name).sources
    assert all(source.path.startswith(str(moved.resolve())) for source in sources)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r":1: is not JSON"),
        ("hello", r":1: is not JSON"),
        ('{"format": 1,\n "x" }', r":2: is not JSON"),
        ("[]", "is not a record of segue"),
        ("{}", "is not a record of segue"),
        ('{"format": "one"}', "is not a record of segue"),
        ('{"format": 99, "segue": "9.0"}', "written by segue 9.0 in layout 99"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path, text, words):
    """The error names the line of malformed JSON."""
    path = tmp_path / "x.origin.json"
    path.write_text(text)
    with pytest.raises(FileError, match=words):
        read_record(path)
    with pytest.raises(FileError, match="cannot be read"):
        read_record(tmp_path / "missing.origin.json")


def test_a_binary_file_is_no_record(tmp_path):
    """Bytes that are not text raise an error."""
    path = tmp_path / "x.origin.json"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(FileError, match="is not a record"):
        read_record(path)


def test_digests_cover_the_skeleton_file(data):
    """An .amc file and its .asf have separate digests."""
    source = source_of(load(data / "asf_amc/16/16_35.amc"))
    assert len(source.sha256) == len(source.skeleton_sha256) == 64
    assert source.sha256 != source.skeleton_sha256
    assert source_of(sample("walk", fps=30.0)).path == "sample:walk"


def no_space(*_args, **_kwargs):
    """Fail like a full disk."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch, suffix):
    """Neither motion nor record nor temporary file remains."""
    collection = stages.read(["sample:walk"])
    monkeypatch.setattr("pathlib.Path.write_bytes", no_space)
    with pytest.raises(FileError, match="No space left"):
        stages.write(
            collection.clips[0], tmp_path / f"x{suffix}", collection=collection, command="wander", settings={}
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("stop", [no_space, None])
def test_a_motion_is_not_left_without_its_record(tmp_path, monkeypatch, stop):
    """This holds for a full disk and for an interrupt between the two files."""

    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    collection = stages.read(["sample:walk"])
    monkeypatch.setattr(records, "write_whole", stop or interrupted)
    with pytest.raises((OSError, KeyboardInterrupt)):
        stages.write(
            collection.clips[0], tmp_path / "x.bvh", collection=collection, command="wander", settings={}
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".bvh", ".npz", ".glb"])
@pytest.mark.parametrize("changed", [True, False])
def test_a_record_tells_of_the_bytes_that_were_read(tmp_path, suffix, changed):
    """The digest is that of the bytes read, even if the file has changed or gone since."""
    path = tmp_path / f"walk{suffix}"
    save(sample("walk", fps=30.0), path)
    wanted = hashlib.sha256(path.read_bytes()).hexdigest()
    clip = load(path)
    if changed:
        save(sample("run", fps=30.0), path)
    else:
        path.unlink()
    source = source_of(clip)
    assert source.sha256 == wanted
    with pytest.raises(FileError, match="has changed" if changed else "not there any more"):
        found_source(source, None)


def test_a_skeleton_that_vanished_is_named(tmp_path):
    """Nothing is written if the skeleton file cannot be digested any more."""
    for name in ("small.amc", "small.asf"):
        shutil.copy(Path(__file__).parents[1] / "io/corpus" / name, tmp_path)
    clip = load(tmp_path / "small.amc")
    (tmp_path / "small.asf").unlink()
    collection = stages.Collection((clip,), ())
    with pytest.raises(FileError, match=r"small\.asf: there is no such file"):
        stages.write(clip, tmp_path / "x.bvh", collection=collection, command="wander", settings={})
    assert [path.name for path in tmp_path.iterdir()] == ["small.amc"]
