"""Frozen ends after an eased stop and trunks that flip are found; honest standing and spins are not."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.maths.quaternions import from_axis_angle, from_yaw, multiply
from segue.motion.clip import Clip
from segue.motion.fault import Fault
from segue.motion.faults import find_faults
from segue.motion.resample import resampled


def eased(clip: Clip, rows: int, *, stop: bool = True, slow: float = 1.0) -> Clip:
    """Clip slowed to a standstill over ``slow`` seconds, then frozen for some rows; or the reverse."""
    n = round(slow * clip.fps)
    speeds = np.concatenate([np.ones(150), np.linspace(1.0, 0.0, n, endpoint=False), np.zeros(rows)])
    at = np.concatenate([[0.0], np.cumsum(speeds)])
    if not stop:
        at = (at[-1] - at)[::-1]
    low = np.clip(np.floor(at + 1e-9).astype(int), 0, clip.n_frames - 2)
    share = (at - low)[:, None]
    from segue.maths.quaternions import slerp

    turns = slerp(clip.rotations[low], clip.rotations[low + 1], share)
    roots = clip.root_positions[low] * (1 - share) + clip.root_positions[low + 1] * share
    return Clip(clip.skeleton, turns, roots, clip.fps)


def frozen(clip: Clip) -> list[Fault]:
    """Frames reported as frozen."""
    return list(find_faults(clip).of("frozen"))


@pytest.mark.parametrize("rows", [30, 54, 84, 200])
@pytest.mark.parametrize("name", ["walk", "run"])
@pytest.mark.parametrize("stop", [True, False])
def test_an_eased_stop_then_dead_still_is_frozen(name: str, rows: int, stop: bool) -> None:
    """A frozen end or start is found however slowly the motion stops; only the repeated frames are excluded."""
    clip = eased(segue.sample(name, 60), rows, stop=stop)
    (fault,) = frozen(clip)
    assert fault.stop - fault.start == pytest.approx(rows, abs=1)
    assert (fault.stop == clip.n_frames) if stop else (fault.start == 0)


def test_honest_standing_is_not_frozen() -> None:
    """A standing person sways; a pose held throughout is a pose; a few repeats come from rounding."""
    stand, walk = segue.sample("stand", 60), segue.sample("walk", 60)
    assert not frozen(stand)
    assert not frozen(segue.sample("stop", 60))
    pose = Clip(walk.skeleton, walk.rotations[[9] * 99], walk.root_positions[[9] * 99], 60.0)
    assert not frozen(pose)
    assert not frozen(eased(walk, 7))
    swaying = np.array(eased(walk, 90).rotations)
    swaying[-90:, 1] = multiply(swaying[-90:, 1], from_yaw(1e-4 * np.sin(np.arange(90) / 9)))
    assert not frozen(eased(walk, 90).with_motion(swaying))


def flipped(clip: Clip, joint: str, degrees: float, start: int, stop: int, axis: int = 1) -> Clip:
    """Clip with a joint turned by some degrees for some frames, with a jump at both ends."""
    rotations, k = np.array(clip.rotations), clip.skeleton.index(joint)
    turn = from_axis_angle(np.eye(3)[axis], np.radians(degrees))
    rotations[start:stop, k] = multiply(rotations[start:stop, k], turn)
    return clip.with_motion(rotations)


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
@pytest.mark.parametrize(("joint", "axis"), [("Hips", 1), ("Hips", 0), ("Spine", 2), ("Spine1", 1)])
@pytest.mark.parametrize("degrees", [45.0, 54.0, 90.0])
def test_a_trunk_that_flips_is_a_glitch(fps: float, joint: str, axis: int, degrees: float) -> None:
    """Both jumps and the frames between them are excluded, at every rate."""
    first, last = round(1.5 * fps), round(1.5 * fps) + 4
    found = find_faults(flipped(segue.sample("walk", fps), joint, degrees, first, last, axis)).of("glitch")
    assert [(f.start, f.stop, f.joints) for f in found] == [(first - 1, last + 1, (joint,))]


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_fast_spins_are_none(fps: float) -> None:
    """A dancer who turns three times a second, starting and stopping within a tenth of a second, is no glitch."""
    walk = segue.sample("walk", fps)
    t = np.arange(walk.n_frames) / fps
    speed = 2 * np.pi * 3.0 * np.clip(np.minimum(t - 1.0, 3.0 - t) / 0.1, 0.0, 1.0)
    rotations = np.array(walk.rotations)
    rotations[:, 0] = multiply(from_yaw(np.cumsum(speed) / fps), rotations[:, 0])
    assert not find_faults(walk.with_motion(rotations)).of("glitch")


def test_a_flip_of_a_high_rate_is_seen_in_its_resampled_copy() -> None:
    """A flip of 54 degrees at 120 frames a second is found at 30 frames a second."""
    low = resampled(flipped(segue.sample("walk", 120), "Hips", 54.0, 200, 216), 30.0)
    assert find_faults(low).of("glitch")


@pytest.mark.parametrize("fps", [24.0, 30.0, 50.0])
@pytest.mark.parametrize(
    ("joint", "axis"), [("LeftLeg", 0), ("RightArm", 2), ("LeftHand", 1), ("RightUpLeg", 2)]
)
@pytest.mark.parametrize("degrees", [95.0, 130.0, 170.0])
def test_a_limb_that_flips_and_flips_back_is_a_glitch_at_low_rates(
    fps: float, joint: str, axis: int, degrees: float
) -> None:
    """No limb jumps that far and returns within a tenth of a second; the frames around it are kept."""
    first = round(1.5 * fps)
    for frames in range(1, max(int(0.1 * fps) - 1, 1) + 1):
        clip = flipped(segue.sample("walk", fps), joint, degrees, first, first + frames, axis)
        (fault,) = find_faults(clip).of("glitch")
        assert first - 1 <= fault.start <= first
        assert first + frames <= fault.stop <= first + frames + 1


@pytest.mark.parametrize("fps", [24.0, 30.0, 50.0])
def test_a_limb_that_is_fast_and_stays_or_comes_back_later_is_none(fps: float) -> None:
    """A fast limb continues, or returns later: 80 degrees in a frame may be real motion."""
    walk = segue.sample("walk", fps)
    first = round(1.5 * fps)
    for stop in (walk.n_frames, first + round(0.4 * fps)):
        clip = flipped(walk, "RightHand", 0.9 * max(60.0, 3600.0 / fps) - 15.0, first, stop, 2)
        assert not find_faults(clip).of("glitch")
    for name in ("run", "walk", "stop"):
        assert not find_faults(segue.sample(name, fps)).of("glitch")
