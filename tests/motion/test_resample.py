"""Resampling, cutting, and the origin of each new frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import SettingError
from segue.io import load
from segue.maths.quaternions import from_yaw, half_angle, yaw
from segue.motion.clip import Clip, Origin
from segue.motion.facing import heading
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut, resampled
from segue.motion.skeleton import Skeleton

BODY = Skeleton(("Hips", "Spine"), [-1, 0], [[0, 0.9, 0], [0, 0.2, 0]])


def spinning(n_frames: int = 61, fps: float = 120.0, *, rate: float = 2.0) -> Clip:
    """A body that turns at ``rate`` rad/s and walks along +Z at 1 m/s."""
    t = np.arange(n_frames) / fps
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (n_frames, 2, 1))
    rotations[:, 0] = from_yaw(rate * t)
    roots = np.stack([0 * t, 0 * t + 0.9, t], axis=1)
    return Clip(BODY, rotations, roots, fps, name="spin")


@given(st.sampled_from([15.0, 24.0, 25.0, 29.97, 30.0, 50.0, 60.0, 90.0, 144.0, 240.0]), st.integers(1, 200))
def test_time_is_kept(fps: float, n_frames: int) -> None:
    """Frame k of the result shows the moment k/fps of the clip, and the end is reached within one frame."""
    clip = spinning(n_frames)
    out = resampled(clip, fps)
    t = np.arange(out.n_frames) / fps
    assert np.allclose(out.root_positions[:, 2], t, atol=1e-9)
    assert np.allclose(np.unwrap(yaw(out.rotations[:, 0])), 2 * t, atol=1e-7)
    assert out.seconds <= clip.seconds + 1e-9
    assert clip.seconds - out.seconds < 1 / fps
    assert np.allclose(out.origin.frame[:, 0], t * clip.fps, atol=1e-6)


def test_frames_that_coincide_are_copied_bit_for_bit() -> None:
    """Every fourth frame at 120 fps is exactly a frame at 30 fps."""
    clip = spinning()
    out = resampled(clip, 30)
    assert np.array_equal(out.rotations, clip.rotations[::4])
    assert np.array_equal(out.root_positions, clip.root_positions[::4])


def test_the_same_rate_is_the_same_clip() -> None:
    clip = spinning()
    assert resampled(clip, clip.fps) is clip


def test_there_and_back_remembers_the_first_source() -> None:
    """From 120 to 30 to 60 fps, origin frames still count the frames of the file at 120."""
    out = resampled(resampled(spinning(), 30), 60)
    assert out.origin.clips == ("spin",)
    assert np.allclose(out.origin.frame[:, 0], 2.0 * np.arange(out.n_frames), atol=1e-9)


def test_origins_do_not_run_across_a_cut() -> None:
    """Between the last frame before a cut and the first after it there is no frame of the source."""
    clip = spinning(40, 30.0)
    rows = np.concatenate([np.arange(10), np.arange(25, 35)])
    jumpy = clip.with_motion(clip.rotations[rows], clip.root_positions[rows], origin=clip.origin.take(rows))
    frames = resampled(jumpy, 60).origin.frame[:, 0]
    assert np.all((frames <= 9.0) | (frames >= 25.0))
    assert np.allclose(frames[:19], np.arange(19) / 2)


def test_blend_weights_are_followed_between_frames() -> None:
    """Halfway between weights 0.8 and 0.6 the weight is 0.7, for both sources, and weights still sum to one."""
    weight = np.array([0.8, 0.6, 0.4])
    origin = Origin(
        ("a", "b"),
        np.tile([0, 1], (3, 1)),
        np.array([[10.0, 50.0], [11.0, 51.0], [12.0, 52.0]]),
        np.stack([weight, 1 - weight], axis=1),
    )
    clip = spinning(3, 30.0).with_motion(origin=origin)
    out = resampled(clip, 60).origin
    assert np.allclose(out.weight[:, 0], [0.8, 0.7, 0.6, 0.5, 0.4])
    assert np.allclose(out.weight.sum(axis=1), 1.0)
    assert np.allclose(out.frame[1], [10.5, 50.5])


@pytest.mark.parametrize("fps", [0, -30, np.nan, np.inf])
def test_impossible_rates_are_refused(fps: float) -> None:
    with pytest.raises(SettingError, match="is not a frame rate"):
        resampled(spinning(), fps)


def test_a_cut_keeps_its_frames_and_their_origin() -> None:
    """Frames are half-open: start is included, stop is not."""
    clip = spinning()
    piece = cut(clip, 10, 15)
    assert piece.n_frames == 5
    assert np.array_equal(piece.rotations, clip.rotations[10:15])
    assert piece.origin.frame[:, 0].tolist() == [10, 11, 12, 13, 14]


@pytest.mark.parametrize(("start", "stop"), [(-1, 5), (5, 5), (6, 5), (0, 62)])
def test_cuts_outside_the_clip_are_refused(start: int, stop: int) -> None:
    """The error names the frames of the clip."""
    with pytest.raises(SettingError, match="has frames 0 to 60"):
        cut(spinning(), start, stop)


def test_turning_through_180_degrees_takes_the_short_way(cases: Path) -> None:
    """Between 179 and -177 degrees lies -179, not 1."""
    clip = resampled(load(next(cases.glob("case160-*.bvh"))), 60)
    found = np.degrees(heading(clip))[3]
    assert abs((found + 179 + 180) % 360 - 180) < 0.01


def test_cutting_by_time_and_resampling_commute(cases: Path) -> None:
    """0.5 s to 1.5 s are 31 frames at 30 fps and 61 at 60 fps, in either order."""
    clip = load(next(cases.glob("case142-*.bvh")))
    first_cut = cut(clip, 15, 46)
    assert first_cut.n_frames == 31
    a = resampled(first_cut, 60)
    b = cut(resampled(clip, 60), 30, 91)
    assert a.n_frames == b.n_frames == 61
    assert np.allclose(world_positions(a), world_positions(b), atol=1e-3)
    assert np.all(half_angle(a.rotations, b.rotations) < 1e-6)
