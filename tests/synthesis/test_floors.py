"""Floors that slope: results are those of the level motion, tilted; floors are found from resting feet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue.errors import SettingError
from segue.io import load
from segue.maths.quaternions import conjugate, half_angle, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_positions
from segue.motion.floors import Floor, find_floor, levelled
from segue.motion.kinematics import world
from segue.motion.resample import cut
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.feet.steps import LOCKED

heights = st.floats(-2, 2)
slopes = st.floats(0, 0.5)
headings = st.floats(-3.1, 3.1)


def tilted(clip: Clip, floor: Floor) -> Clip:
    """The motion on another floor: the inverse of levelling it."""
    back = conjugate(floor.turn)
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(back, rotations[:, 0])
    return clip.with_motion(rotations, rotate(back, clip.root_positions) + np.array([0.0, floor.height, 0.0]))


def sliding(name: str = "walk") -> Clip:
    """A sample whose root travels a tenth too far."""
    clip = cut(segue.sample(name, 30), 0, 60)
    return clip.with_motion(root_positions=clip.root_positions * [1.0, 1.0, 1.1])


@settings(max_examples=15)
@given(heights, slopes, headings)
def test_a_tilted_motion_gives_the_tilted_result(height: float, slope: float, towards: float) -> None:
    """Plants, frames and slides are those of the level motion; the result is the level result tilted."""
    flat, floor = sliding(), Floor(height, slope, towards)
    expected = plant_feet(flat, floor=0.0)
    found = plant_feet(tilted(flat, floor), floor=floor)
    assert np.array_equal(found.held, expected.held)
    assert np.array_equal(found.changed, expected.changed)
    there = tilted(expected.clip, floor)
    assert half_angle(found.clip.rotations, there.rotations) == pytest.approx(0, abs=1e-7)
    assert found.clip.root_positions == pytest.approx(there.root_positions, abs=1e-9)
    slid = [plant.along_path for plant in found.after]
    assert slid == pytest.approx([plant.along_path for plant in expected.after], abs=1e-9)
    same = ~found.changed
    assert np.array_equal(found.clip.rotations[same], tilted(flat, floor).rotations[same])


@given(heights, slopes, headings)
def test_a_plane_is_its_definition(height: float, slope: float, towards: float) -> None:
    """Its points are perpendicular to the normal, it rises most towards its heading, and levelled it is at zero."""
    floor = Floor(height, slope, towards)
    ground = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 0.0, -2.0]])
    on = ground + floor.heights(ground)[:, None] * [0.0, 1.0, 0.0]
    assert (on - on[0]) @ floor.normal == pytest.approx(0, abs=1e-9)
    assert rotate(floor.turn, on - [0.0, height, 0.0])[:, 1] == pytest.approx(0, abs=1e-9)
    ahead = np.array([[np.sin(towards), 0.0, np.cos(towards)]])
    assert floor.heights(ahead)[0] - height == pytest.approx(np.tan(slope))


def test_feet_are_held_on_the_plane() -> None:
    """A planted heel stays at one point of the slope, not at one horizontal position."""
    floor = Floor(0.5, np.radians(20.0), 0.4)
    found = plant_feet(tilted(sliding(), floor), floor=floor, keep=LOCKED)
    places = foot_positions(found.clip.skeleton, world(found.clip))
    for plant in found.after:
        part = ["left heel", "left toe", "right heel", "right toe"].index(plant.part)
        at = places[plant.start : plant.stop, part]
        square = np.ptp((at - floor.heights(at)[:, None] * [0, 1, 0]) @ floor.normal)
        assert square < 0.05
    assert max(plant.along_path for plant in found.after) < 0.2 * max(p.along_path for p in found.before)


def test_a_height_chooses_among_floors() -> None:
    """A body stands on a box, then on the floor: only plants at the given floor height count."""
    stand = cut(segue.sample("stand", 30), 0, 30)
    roots = np.concatenate([stand.root_positions + np.array([0, 0.5, 0]), stand.root_positions])
    both = Clip(stand.skeleton, np.concatenate([stand.rotations] * 2), roots, 30.0)
    assert contacts(both, floor=0.0).flags[:28].sum() == 0
    assert contacts(both, floor=0.0).flags[32:].all()
    assert contacts(both, floor=0.5).flags[:28].all()
    assert contacts(both, floor=0.5).flags[32:].sum() == 0


@settings(max_examples=10)
@given(heights, slopes, headings)
def test_the_floor_of_a_turning_walk_is_found(height: float, slope: float, towards: float) -> None:
    """Feet that rest in all directions determine both slopes."""
    floor = Floor(height, slope, towards)
    found = find_floor(tilted(segue.sample("walk_turn_left", 30), floor))
    apart = np.degrees(np.arccos(min(float(found.normal @ floor.normal), 1.0)))
    assert apart < 1.5
    walked = levelled(tilted(segue.sample("walk", 30), floor), floor)
    assert walked.root_positions == pytest.approx(segue.sample("walk", 30).root_positions, abs=1e-9)


def test_nonsense_is_refused() -> None:
    """Floors that are too steep, unknown words and motions without a plant are refused."""
    walk = cut(segue.sample("walk", 30), 0, 3)
    with pytest.raises(SettingError, match="cannot slope 80 degrees; 60 at most"):
        Floor(slope=np.radians(80))
    with pytest.raises(SettingError, match="needs numbers"):
        Floor(height=float("nan"))
    with pytest.raises(SettingError, match="floor='lost' is not known; give a height"):
        plant_feet(walk, floor="lost")
    flying = sliding("run")
    flying = flying.with_motion(
        root_positions=flying.root_positions + np.arange(60)[:, None] * [0.0, 1.0, 0.0]
    )
    with pytest.raises(SettingError, match="no foot ever rests"):
        plant_feet(flying, floor="found")


@pytest.mark.data
@pytest.mark.parametrize(("name", "apart"), [("16/16_17", 0.5), ("16/16_15", 3.0)])
def test_captured_clips_on_a_ramp(data: Path, name: str, apart: float) -> None:
    """Turning finds the ramp within half a degree, a straight walk less well; feet slide as little as on the level."""
    flat = load(data / "asf_amc" / f"{name}.amc")
    ramp = Floor(0.4, np.radians(8.0), 0.3)
    there = tilted(flat, ramp)
    found = find_floor(there)
    assert np.degrees(np.arccos(found.normal @ ramp.normal)) < apart + np.degrees(find_floor(flat).slope)
    level, given_it = (plant_feet(c, floor=f, keep=LOCKED) for c, f in ((flat, 0.0), (there, ramp)))
    assert np.array_equal(level.held, given_it.held)
    expected = tilted(level.clip, ramp)
    assert half_angle(given_it.clip.rotations, expected.rotations) == pytest.approx(0, abs=1e-6)
    by_itself = plant_feet(there, floor="found", keep=LOCKED)
    assert len(by_itself.after) >= 0.9 * len(level.after)
    assert np.median([p.along_path for p in by_itself.after]) < 0.005
