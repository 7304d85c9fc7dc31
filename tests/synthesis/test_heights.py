"""Feet on the floor: planted parts at its height, nothing below it, and no more change than needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.heights as naive
import segue
from segue.errors import SettingError
from segue.io import load
from segue.maths.quaternions import half_angle
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.synthesis.feet.heights import _beyond, _clear, filled, lower_course
from segue.synthesis.feet.planting import plant_feet


def lifted(clip: Clip, heights: object) -> Clip:
    """The clip with its root raised."""
    roots = np.array(clip.root_positions)
    roots[:, 1] += heights
    return clip.with_motion(root_positions=roots)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(4, 30), st.floats(0.1, 50.0))
def test_the_lower_course_equals_its_twin(seed: int, n: int, stiffness: float) -> None:
    """Dense normal equations give the same."""
    rng = np.random.default_rng(seed)
    rows, values = rng.integers(0, n, 2 * n), rng.normal(size=2 * n)
    expected = naive.lower_course(rows.tolist(), values.tolist(), n, stiffness)
    assert lower_course(rows, values, n, stiffness=stiffness) == pytest.approx(expected, abs=1e-6)


@given(st.floats(-0.1, 0.1))
def test_steps_equal_their_twins(off: float) -> None:
    """The part beyond the tolerance, and the lift that clears a part of the floor and never leaves it below."""
    assert _beyond(np.array([off]), 0.002)[0] == pytest.approx(naive.beyond(off, 0.002), abs=1e-15)
    up = float(_clear(np.array([off]), 1.0)[0])
    assert up == pytest.approx(naive.clear(off, 0.0035), abs=1e-15)
    assert off + up >= 0


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 9)), min_size=1, max_size=4), st.integers(1, 8))
def test_fades_equal_their_twin(parts: list[tuple[int, int]], ease: int) -> None:
    """Fades are cubics between spans and to zero around them."""
    spans, at = [], 0
    for gap, length in parts:
        spans.append((at + gap, at + gap + length))
        at += gap + length
    values = np.sin(np.arange(at + 10.0))
    assert filled(values, spans, ease=ease) == pytest.approx(
        naive.filled(values.tolist(), spans, ease), abs=1e-12
    )


@settings(max_examples=12)
@given(st.floats(-0.07, 0.07), st.sampled_from(["walk", "run", "stop", "walk_turn_left"]))
def test_any_height_ends_on_the_floor(height: float, name: str) -> None:
    """A clip shifted up or down: planted parts end within 2 mm, the body moves as one, its pose hardly changes."""
    sound = segue.sample(name, 30)
    found = plant_feet(lifted(sound, height), floor=0.0)
    assert found.grounding is not None
    assert found.grounding.off[1] < 0.002
    upper = [k for k, word in enumerate(sound.skeleton.names) if "Leg" not in word and "Foot" not in word]
    assert half_angle(found.clip.rotations[:, upper], sound.rotations[:, upper]).max() < 1e-6
    assert np.abs(found.clip.root_positions - sound.root_positions)[:, 1].max() < 0.01


def test_doing_it_again_changes_next_to_nothing() -> None:
    """A motion on its floor stays there."""
    once = plant_feet(lifted(segue.sample("walk"), -0.05), floor=0.0).clip
    again = plant_feet(once, floor=0.0).clip
    assert np.abs(again.root_positions - once.root_positions).max() < 0.002
    assert np.degrees(2 * half_angle(again.rotations, once.rotations)).max() < 0.7


def test_heights_as_captured_stay_available() -> None:
    """Only sliding is then corrected; an unknown word is refused."""
    deep = lifted(segue.sample("walk"), -0.05)
    found = plant_feet(deep, floor=0.0, heights="captured")
    assert found.grounding is None
    heights = [foot_positions(c.skeleton, world(c))[..., 1] for c in (deep, found.clip)]
    assert np.abs(heights[1] - heights[0])[found.contacts].max() < 0.004
    with pytest.raises(SettingError, match="choose 'floor'"):
        plant_feet(deep, floor=0.0, heights="low")  # type: ignore[arg-type]


def test_without_a_floor_heights_stay() -> None:
    deep = lifted(segue.sample("walk"), -0.05)
    assert plant_feet(deep).grounding is None


def test_captured_clips_stand_on_the_floor_they_are_given(data: Path) -> None:
    """Planted parts are within 3 mm of the floor; the trunk is as steady as before."""
    for name in ("16/16_15", "16/16_17", "127/127_04"):
        clip = load(data / "asf_amc" / f"{name}.amc")
        found = plant_feet(clip, floor=0.0)
        assert found.grounding is not None
        assert found.grounding.off[1] < 0.003
        root = [np.abs(np.diff(c.root_positions, 2, axis=0)).max() * c.fps**2 for c in (clip, found.clip)]
        assert root[1] < 1.2 * root[0] + 1.0


def test_a_floor_is_found_among_two_rests_far_apart() -> None:
    """A foot that rests at two far places gives a plane with finite values."""
    stand = segue.sample("stand", 30)
    lying = np.array(stand.rotations)
    lying[:, 0] = [np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0]
    found = plant_feet(stand.with_motion(lying), floor="found")
    assert np.isfinite(found.clip.root_positions).all()
