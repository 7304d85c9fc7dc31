"""Glitches, dropouts and held joints are repaired from the frames around them, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.repairing as naive
import segue
from segue.errors import SettingError
from segue.io import load
from segue.maths.quaternions import from_axis_angle, half_angle, multiply, unroll
from segue.motion.clip import Clip
from segue.motion.faults import find_faults
from segue.synthesis.repairing import bridged_places, bridged_turns, repair

X = np.array([1.0, 0.0, 0.0])


def broken(clip: Clip, joint: str, start: int, stop: int, turn: np.ndarray) -> Clip:
    """The clip with one joint's rotation replaced, or rotated further, over some frames."""
    rotations = np.array(clip.rotations)
    k = clip.skeleton.index(joint)
    further = multiply(rotations[start:stop, k], turn)
    rotations[start:stop, k] = (
        turn if turn[0] == 1 else further
    )  # zeros are set, other rotations are multiplied
    return clip.with_motion(rotations)


def smooth_turns(seed: int, n: int) -> np.ndarray:
    """Rotations about a wandering axis, a few degrees a frame."""
    rng = np.random.default_rng(seed)
    out = [np.array([1.0, 0, 0, 0])]
    for _ in range(n - 1):
        axis = rng.normal(size=3)
        out.append(multiply(out[-1], from_axis_angle(axis / np.linalg.norm(axis), rng.uniform(0.01, 0.1))))
    return np.array(out)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(6, 15))
def test_gaps_are_bridged_as_by_the_twin(seed: int, gap: int, start: int) -> None:
    """De Casteljau's construction gives the same, point by point."""
    turns = smooth_turns(seed, start + gap + 8)
    faulty = np.zeros(len(turns), dtype=bool)
    faulty[start : start + gap] = True
    expected = np.array(naive.bridged([tuple(q) for q in turns.tolist()], start, start + gap))
    assert half_angle(bridged_turns(turns, faulty), expected) == pytest.approx(0, abs=1e-7)


@settings(max_examples=30)
@given(st.floats(-0.2, 0.2), st.integers(1, 10))
def test_an_even_motion_comes_back(speed: float, gap: int) -> None:
    """A motion at constant speed and turning rate is restored exactly."""
    t = np.arange(30.0)
    turns, places = from_axis_angle(np.broadcast_to(X, (30, 3)), speed * t), np.outer(t, [0.01, 0.0, speed])
    faulty = (t >= 10) & (t < 10 + gap)
    spoilt = np.where(faulty[:, None], [0.0, 0.0, 1.0, 0.0], turns)
    assert half_angle(bridged_turns(spoilt, faulty), turns) == pytest.approx(0, abs=1e-7)
    assert bridged_places(np.where(faulty[:, None], 9.0, places), faulty) == pytest.approx(places, abs=1e-9)


@pytest.mark.parametrize(
    ("joint", "start", "stop", "turn"),
    [
        ("LeftArm", 100, 101, from_axis_angle(X, np.radians(170))),
        ("Hips", 90, 99, from_axis_angle(np.array([0.0, 1, 0]), np.radians(54))),
        ("RightUpLeg", 60, 63, from_axis_angle(X, np.radians(150))),
        ("LeftArm", 200, 206, np.array([1.0, 0, 0, 0])),
        ("Spine", 150, 158, from_axis_angle(np.array([0.0, 0, 1]), np.radians(70))),
        ("LeftForeArm", 250, 252, from_axis_angle(X, np.radians(-160))),
    ],
)
def test_what_was_broken_is_mended_and_no_other_number(
    joint: str, start: int, stop: int, turn: np.ndarray
) -> None:
    """The joint is restored within degrees, no fault is left, and everything else is bit for bit the same."""
    walk = segue.sample("walk", 60)
    spoilt = broken(walk, joint, start, stop, turn)
    done = repair(spoilt)
    assert done.mended
    assert not find_faults(done.clip).unusable.any()
    k = walk.skeleton.index(joint)
    assert np.degrees(2 * half_angle(done.clip.rotations[:, k], walk.rotations[:, k])).max() < 6.0
    same = np.ones(walk.rotations.shape[:2], dtype=bool)
    for fault in done.mended:
        same[fault.start : fault.stop, [walk.skeleton.index(name) for name in fault.joints]] = False
    assert np.array_equal(done.clip.rotations[same], spoilt.rotations[same])
    assert np.array_equal(done.clip.root_positions, spoilt.root_positions)
    assert np.sum(unroll(done.clip.rotations)[1:] * unroll(done.clip.rotations)[:-1], axis=-1).min() > 0.9


def test_a_root_that_is_carried_off_comes_back() -> None:
    """Five frames with the body three metres away are restored."""
    walk = segue.sample("walk", 60)
    roots = np.array(walk.root_positions)
    roots[120:125] += [3.0, 0.0, 0.0]
    done = repair(walk.with_motion(root_positions=roots))
    assert np.linalg.norm(done.clip.root_positions - walk.root_positions, axis=1).max() < 0.01


def test_what_no_neighbour_tells_is_left_and_said() -> None:
    """Frozen ends, long gaps and gaps at an end keep their frames, each with its reason."""
    walk = segue.sample("walk", 60)
    tail = np.minimum(np.arange(walk.n_frames), 200)
    frozen = Clip(walk.skeleton, walk.rotations[tail], walk.root_positions[tail], 60.0)
    done = repair(frozen)
    assert (done.clip, done.mended) == (frozen, ())
    assert [why for _, why in done.left] == ["is not a gap in the motion; cut these frames off"]
    long = repair(broken(walk, "LeftArm", 100, 220, np.array([1.0, 0, 0, 0])), longest=0.5)
    assert long.mended == ()
    assert any("cannot be repaired" in why for _, why in long.left)
    with pytest.raises(SettingError, match=r"choose 0\.01 to 10"):
        repair(walk, longest=0.0)


def test_a_sound_motion_is_the_same_object() -> None:
    walk = segue.sample("walk")
    assert repair(walk).clip is walk


def test_captured_faults_are_mended(data: Path) -> None:
    """An arm that does not move for 19 frames and legs that flip are repaired."""
    for name, kind in (("16/16_01", "held"), ("05/05_16", "glitch")):
        clip = load(data / "asf_amc" / f"{name}.amc")
        done = repair(clip)
        assert {fault.kind for fault in done.mended} == {kind}
        left = sum(fault.stop - fault.start for fault, _ in done.left)
        assert find_faults(done.clip).unusable.sum() <= left
