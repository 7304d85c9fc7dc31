"""Contents of files as data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue.app.info import clip_info, fault_document, inspect, samples
from segue.errors import FileError
from segue.io import load, save
from segue.io.markers import Markers, write_trc
from segue.motion.clip import Clip
from segue.motion.fault import Fault
from segue.motion.resample import resampled
from segue.motion.samples import SAMPLES, ground_truth, sample
from segue.motion.skeleton import Skeleton


def test_an_embedded_clip_is_told_whole() -> None:
    walk = clip_info(sample("walk"))
    assert (walk.frames, walk.fps, walk.seconds) == (361, 60.0, 6.0)
    assert walk.format == "embedded"
    assert walk.roles["left_knee"] == "LeftLeg"
    assert walk.unknown_roles == ()
    assert walk.height == pytest.approx(1.72, abs=0.1)
    assert walk.floor == pytest.approx(0.0, abs=0.02)
    assert walk.speed == pytest.approx(1.3, abs=0.1)
    assert walk.on_feet == 1.0
    assert (walk.faults, walk.faulty_frames) == ((), 0)


def test_a_skeleton_without_legs_is_told_without_what_legs_tell() -> None:
    """A tentacle has no height, floor or feet."""
    body = Skeleton(("a", "b", "c"), [-1, 0, 1], np.array([[0, 0, 0], [0, 0.3, 0], [0, 0.3, 0]]))
    rotations = np.zeros((20, 3, 4))
    rotations[..., 0] = 1.0
    given = clip_info(Clip(body, rotations, np.zeros((20, 3)), 30.0))
    assert (given.height, given.floor, given.on_feet, given.speed) == (None, None, None, 0.0)
    assert given.unknown_roles


def test_one_frame_can_be_told(tmp_path: Path) -> None:
    """A pose is a clip of one frame."""
    stand = sample("stand")
    pose = Clip(stand.skeleton, stand.rotations[:1], stand.root_positions[:1], 60.0)
    assert clip_info(pose).seconds == 0.0


def test_copies_in_another_format_and_rate_are_found(tmp_path: Path) -> None:
    """The same walk is found as BVH at 60 and at 24 frames a second, next to another motion."""
    save(sample("walk_left"), tmp_path / "a.bvh")
    save(resampled(sample("walk_left"), 24.0), tmp_path / "b.bvh")
    save(sample("step_touch"), tmp_path / "c.bvh")
    found = inspect([str(tmp_path)])
    assert [(pair.a, pair.b) for pair in found.copies] == [("a", "b")]
    assert found.copies[0].seconds > 5
    assert not inspect([str(tmp_path)], copies=False).copies
    assert (len(found.clips), found.frames) == (3, sum(clip.frames for clip in found.clips))


def test_what_cannot_be_read_is_told_with_the_reason(tmp_path: Path) -> None:
    """A malformed file next to a good one is skipped; alone it is an error."""
    save(sample("walk"), tmp_path / "good.bvh")
    (tmp_path / "bad.bvh").write_text("HIERARCHY\nnothing")
    found = inspect([str(tmp_path)])
    assert [clip.name for clip in found.clips] == ["good"]
    ((path, why),) = found.skipped
    assert path.endswith("bad.bvh")
    assert "2: 'nothing' is not understood; expected a joint, OFFSET, CHANNELS or MOTION" in why
    with pytest.raises(FileError, match=r"2: 'nothing' is not understood"):
        inspect([str(tmp_path / "bad.bvh")])
    with pytest.raises(FileError):
        inspect([str(tmp_path / "missing.bvh")])


def test_marker_files_are_told_as_markers(tmp_path: Path) -> None:
    """Marker files have no skeleton; a malformed one is reported as well."""
    places = np.tile([[0.1, 1.0, 0.0], [-0.1, 1.0, 0.0]], (5, 1, 1))
    write_trc(Markers(("LASI", "RASI"), places, 100.0), tmp_path / "two.trc")
    for found in (inspect([str(tmp_path / "two.trc")]), inspect([str(tmp_path)])):
        assert found.clips == ()
        (one,) = found.markers
        assert (one.markers, one.frames, one.fps, one.format) == (2, 5, 100.0, "trc")
    (tmp_path / "bad.trc").write_text("no")
    assert [path for path, _ in inspect([str(tmp_path)]).skipped] == [str(tmp_path / "bad.trc")]
    with pytest.raises(FileError):
        inspect([str(tmp_path / "bad.trc")])


def test_the_rate_says_where_it_comes_from(tmp_path: Path, data: Path) -> None:
    """The rate is exact, from the digits in the file, or nominal."""
    save(sample("walk"), tmp_path / "a.bvh")
    assert clip_info(sample("walk")).rate_from == "made at this rate"
    assert "0.01666667" in clip_info(load(tmp_path / "a.bvh")).rate_from
    given = clip_info(load(data / "asf_amc/16/16_15.amc"))
    assert "nominal" in given.rate_from
    assert given.unit == pytest.approx(0.0564444, abs=1e-6)
    assert [fault.kind for fault in given.faults] == ["dropout"]
    assert given.faulty_frames == 7


def test_faults_are_written_for_programs() -> None:
    """A fault has frames and seconds."""
    given = fault_document(Fault("glitch", 30, 32, ("Hips",), "Hips jumps"), 60.0)
    assert given["start_seconds"] == 0.5
    assert (given["start_frame"], given["stop_frame"], given["joints"]) == (30, 32, ["Hips"])


def test_samples_are_told_with_their_truth() -> None:
    """Speed and turning rate are those of the ground truth, at any frame rate."""
    given = {one.name: one for one in samples(30.0)}
    assert tuple(given) == SAMPLES
    assert (given["walk_left"].speed, given["walk_left"].fps) == (1.3, 30.0)
    assert given["walk_left"].turning == pytest.approx(np.degrees(0.3), abs=1e-5)
    truth = ground_truth("start", 30.0)
    assert given["start"].speed_range == pytest.approx((truth.speed.min(), truth.speed.max()))
    assert given["run"].on_feet < 1.0
