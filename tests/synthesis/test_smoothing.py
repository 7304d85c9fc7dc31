"""A zero-phase filter removes jitter and keeps slow movement and planted feet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.smoothing as naive
import segue
from segue.errors import SettingError
from segue.io import load
from segue.maths.quaternions import exp, from_yaw, half_angle, multiply, rotate
from segue.measures.foot_skate import foot_skate
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.kinematics import world_positions
from segue.synthesis.smoothing import low_pass, smooth


def shaken(clip: Clip, seed: int = 1, degrees: float = 0.8, metres: float = 0.003) -> Clip:
    """The clip with noise on every joint and on the root, as in video capture."""
    rng = np.random.default_rng(seed)
    noise = exp(np.radians(degrees) / 2 * rng.normal(size=(*clip.rotations.shape[:2], 3)))
    places = clip.root_positions + metres * rng.normal(size=clip.root_positions.shape)
    return clip.with_motion(multiply(clip.rotations, noise), places)


def trembling(clip: Clip) -> float:
    """Median acceleration of all joints in m/s^2."""
    return float(np.median(np.linalg.norm(np.diff(world_positions(clip), 2, axis=0), axis=-1)) * clip.fps**2)


@settings(max_examples=25)
@given(st.integers(4, 60), st.floats(1.0, 10.0), st.integers(0, 10**6))
def test_the_filter_equals_its_twin(n: int, cutoff: float, seed: int) -> None:
    """Filtering sample by sample, forwards and backwards with continued ends, gives the same."""
    values = np.random.default_rng(seed).normal(size=n)
    expected = naive.low_pass(values.tolist(), cutoff, 30.0)
    assert low_pass(values, cutoff=cutoff, fps=30.0) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("frequency", [0.5, 3.0, 6.0, 12.0])
def test_a_sine_keeps_its_place_and_the_stated_share(frequency: float) -> None:
    """Half of the power passes at the cut-off, without delay."""
    t = np.arange(1200) / 120.0
    wave = np.sin(2 * np.pi * frequency * t)
    inside = slice(300, 900)
    expected = naive.gain(frequency, 6.0, 120.0) * wave
    assert low_pass(wave, cutoff=6.0, fps=120.0)[inside] == pytest.approx(expected[inside], abs=1e-4)


@settings(max_examples=10)
@given(st.floats(-3, 3), st.integers(0, 100))
def test_turning_and_smoothing_commute(yaw: float, seed: int) -> None:
    """A turned motion is smoothed to the turned result."""
    clip = shaken(segue.sample("walk", 30), seed)
    turn = from_yaw(yaw)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    turned = clip.with_motion(rotations, rotate(turn, clip.root_positions))
    expected, found = smooth(clip, feet="free"), smooth(turned, feet="free")
    assert found.root_positions == pytest.approx(rotate(turn, expected.root_positions), abs=1e-9)
    assert half_angle(found.rotations[:, 0], multiply(turn, expected.rotations[:, 0])) == pytest.approx(
        0, abs=1e-7
    )


@pytest.mark.parametrize("name", ["walk", "run", "walk_turn_left", "stop", "stand"])
def test_jitter_goes_and_the_motion_stays(name: str) -> None:
    """A shaken sample gets closer to the original in position and acceleration, and its feet stand."""
    sound = segue.sample(name, 60)
    shaky = shaken(sound)
    calm = smooth(shaky)
    away = [
        np.linalg.norm(world_positions(c) - world_positions(sound), axis=-1).mean() for c in (shaky, calm)
    ]
    assert away[1] < 0.75 * away[0]
    assert trembling(calm) - trembling(sound) < 0.2 * (trembling(shaky) - trembling(sound))
    down = contacts(smooth(shaky, feet="free")).flags
    slides = [plant.along_path / (plant.stop - plant.start) for plant in foot_skate(calm, planted=down)]
    assert np.median(slides) * 60 < 0.01


def test_faulty_frames_stay_and_reach_nobody() -> None:
    """A glitch is neither smoothed nor smeared: its neighbours are as without it."""
    walk = segue.sample("walk", 60)
    broken = np.array(walk.rotations)
    broken[100, walk.skeleton.index("LeftArm")] = [0, 1, 0, 0]
    found = smooth(walk.with_motion(broken), feet="free")
    assert np.array_equal(found.rotations[99:102], broken[99:102])
    arm = walk.skeleton.index("LeftArm")
    assert (
        half_angle(found.rotations[[90, 98, 102, 110], arm], walk.rotations[[90, 98, 102, 110], arm]).max()
        < 0.01
    )


def test_cut_offs_that_the_rate_does_not_allow_are_refused() -> None:
    """The error gives the allowed range."""
    with pytest.raises(SettingError, match=r"does not suit 30 frames a second; choose 0\.1 to 13\.5"):
        smooth(segue.sample("walk", 30), cutoff=14.0)


def test_captured_motion_keeps_its_movement(data: Path) -> None:
    """A capture at 120 frames a second changes by millimetres, and its acceleration falls."""
    clip = load(data / "cmu" / "max_friendly" / "131_03.bvh")
    calm = smooth(clip, feet="free")
    away = np.linalg.norm(world_positions(calm) - world_positions(clip), axis=-1)
    assert np.median(away) < 0.002
    assert np.percentile(away, 99) < 0.03
    assert trembling(calm) < trembling(clip)
