"""Clip, Origin and Pose: shapes, time, read-only arrays, errors."""

from __future__ import annotations

import numpy as np
import pytest

from segue.errors import SettingError
from segue.motion.clip import Clip, Origin
from segue.motion.skeleton import Skeleton

BODY = Skeleton(("Hips", "Spine"), [-1, 0], [[0, 0.9, 0], [0, 0.2, 0]])


def still(n_frames: int, fps: float = 30.0, **settings: object) -> Clip:
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (n_frames, 2, 1))
    return Clip(BODY, rotations, np.zeros((n_frames, 3)), fps, **settings)


@pytest.mark.parametrize(
    ("n_frames", "fps", "seconds"), [(1, 30, 0.0), (31, 30, 1.0), (1801, 30, 60.0), (2, 120, 1 / 120)]
)
def test_frames_span_one_interval_less(n_frames: int, fps: float, seconds: float) -> None:
    """n frames span (n-1)/fps seconds: 60 s at 30 fps are 1,801 frames."""
    assert still(n_frames, fps).seconds == pytest.approx(seconds, abs=1e-12)


def test_an_untouched_clip_is_its_own_origin() -> None:
    """Frame f comes from frame f of the clip, with the full weight on the first source."""
    origin = still(4, name="walk").origin
    assert origin.clips == ("walk",)
    assert origin.clip.tolist() == [[0, -1]] * 4
    assert origin.frame[:, 0].tolist() == [0, 1, 2, 3]
    assert np.allclose(origin.weight.sum(axis=1), 1.0)


def test_origins_are_taken_by_rows() -> None:
    """Selected frames keep their origin."""
    taken = Origin.of("walk", 10).take([7, 2])
    assert taken.frame[:, 0].tolist() == [7, 2]


def test_arrays_are_copies_that_cannot_be_written_to() -> None:
    """Changes to the caller's array do not change a clip, and a clip's arrays are read-only."""
    roots = np.zeros((3, 3))
    clip = Clip(BODY, np.tile([1.0, 0, 0, 0], (3, 2, 1)), roots, 30)
    roots[0] = 9.0
    assert clip.root_positions[0].tolist() == [0, 0, 0]
    for array in (
        clip.rotations,
        clip.root_positions,
        clip.origin.frame,
        clip.origin.clip,
        clip.origin.weight,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_pose_is_one_frame() -> None:
    """Negative frames count from the end; outside the clip the error names the frames it has."""
    clip = still(5, name="stand")
    assert clip.pose(-1).rotations.shape == (2, 4)
    assert clip.pose(0).root_position.shape == (3,)
    for frame in (5, -6):
        with pytest.raises(SettingError, match="'stand' has frames 0 to 4"):
            clip.pose(frame)


def test_other_motion_keeps_the_rest() -> None:
    """A copy with other frames keeps skeleton, name and source; a new length needs a new origin."""
    clip = still(5, name="stand").with_source(format="BVH", path="stand.bvh")
    raised = clip.with_motion(root_positions=clip.root_positions + 1.0, name="raised")
    assert (raised.skeleton, raised.name, raised.source) == (clip.skeleton, "raised", clip.source)
    assert raised.origin is clip.origin
    with pytest.raises(SettingError, match="3 frames need an origin of as many rows, not 5"):
        clip.with_motion(clip.rotations[:3], clip.root_positions[:3])
    assert (
        clip.with_motion(
            clip.rotations[:3], clip.root_positions[:3], origin=clip.origin.take(range(3))
        ).n_frames
        == 3
    )


def test_a_source_is_changed_field_by_field() -> None:
    clip = still(2).with_source(format="BVH", up="Z").with_source(up="Y")
    assert clip.source is not None
    assert (clip.source.format, clip.source.up) == ("BVH", "Y")


@pytest.mark.parametrize(
    ("rotations", "roots", "fps", "message"),
    [
        (np.zeros((3, 2, 3)), np.zeros((3, 3)), 30, r"rotations must be \(F, 2, 4\)"),
        (np.zeros((3, 1, 4)), np.zeros((3, 3)), 30, r"got \(3, 1, 4\)"),
        (np.zeros((3, 2, 4)), np.zeros((2, 3)), 30, r"got .* \(2, 3\)"),
        (np.zeros((0, 2, 4)), np.zeros((0, 3)), 30, "no frames"),
        (np.float64(1.0), np.zeros((0, 3)), 30, "rotations must be"),
        (np.zeros((3, 2, 4)), np.zeros((3, 3)), 0, "0 is not a frame rate"),
        (np.zeros((3, 2, 4)), np.zeros((3, 3)), np.nan, "nan is not a frame rate"),
        (
            np.zeros((3, 2, 4)),
            np.array([[0, 0, 0], [0, np.nan, 0], [0, 0, np.inf]]),
            30,
            r"frame 1 .*\(2 such frames\)",
        ),
    ],
)
def test_impossible_clips_are_refused(
    rotations: np.ndarray, roots: np.ndarray, fps: float, message: str
) -> None:
    """Wrong shapes, no frames, no rate and non-finite values are reported with the clip's name."""
    with pytest.raises(SettingError, match="clip 'odd'") as caught:
        Clip(BODY, rotations, roots, fps, name="odd")
    assert caught.match(message)
