"""Sloping floors, and floors that rise or sink during a take, are reported by info and levelled by convert."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from segue import contacts, load, save
from segue.cli import app
from segue.maths.quaternions import from_axis_angle, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.faults import find_faults
from segue.motion.samples import SAMPLES, sample
from segue.motion.tilt import find_tilt, made_level


def drifting(clip: Clip, cm_per_second: float) -> Clip:
    """Raise a motion over time."""
    seconds = np.arange(clip.n_frames)[:, None] / clip.fps
    return clip.with_motion(root_positions=clip.root_positions + seconds * [0.0, cm_per_second / 100, 0.0])


def sloping(clip: Clip, degrees: float, towards: float) -> Clip:
    """Tilt a motion so that it climbs towards a heading in degrees."""
    heading = np.radians(towards)
    turn = from_axis_angle(np.array([np.cos(heading), 0.0, -np.sin(heading)]), -np.radians(degrees))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    return clip.with_motion(rotations, rotate(turn, clip.root_positions))


@pytest.mark.parametrize("rate", [-8.0, -2.0, 2.0, 4.0, 20.0])
@pytest.mark.parametrize("name", ["walk", "walk_left", "run", "walk_turn_left", "stand"])
def test_a_drifting_floor_is_found_and_taken_out(name: str, rate: float) -> None:
    """A height drift is found to a millimetre a second in any direction of travel, and removed."""
    plain = sample(name)
    clip = drifting(plain, rate)
    found = find_tilt(clip)
    assert found is not None
    assert 100 * found.drift == pytest.approx(rate, abs=0.1)
    assert [fault.kind for fault in find_faults(clip).of("drift", "slope")] == ["drift"]
    level = made_level(clip, found)
    assert np.abs(level.root_positions - plain.root_positions).max() < 0.02
    assert (contacts(level).flags == contacts(plain).flags).mean() > 0.98


@pytest.mark.parametrize(("degrees", "towards"), [(2, 0), (3, 180), (5, 20), (8, 0), (8, -160), (25, 0)])
@pytest.mark.parametrize("name", ["walk", "walk_left", "run", "walk_turn_left", "walk_bend_right"])
def test_a_sloping_floor_is_found_and_laid_level(name: str, degrees: float, towards: float) -> None:
    """A slope is found along the direction of travel, and levelled so that feet stand as on level ground."""
    plain = sample(name)
    found = find_tilt(sloping(plain, degrees, towards))
    assert found is not None
    assert found.drift == 0.0
    along = 1.0 if name != "walk" and name != "run" else np.cos(np.radians(towards))
    assert np.degrees(found.floor.slope) == pytest.approx(degrees * abs(along), abs=0.15)
    level = made_level(sloping(plain, degrees, towards), found)
    assert (contacts(level).flags == contacts(plain).flags).mean() > 0.97
    assert not find_faults(level).of("drift", "slope")


def test_level_floors_are_no_faults() -> None:
    """No embedded clip slopes or drifts, at any height and heading."""
    for name in SAMPLES:
        clip = sample(name)
        high = clip.with_motion(root_positions=clip.root_positions + np.array([0.0, 0.4, 0.0]))
        assert not find_faults(high).of("drift", "slope", "never_upright"), name
        found = find_tilt(high)
        assert found is not None
        assert (found.drift, found.floor.slope) == (0.0, 0.0)
        assert found.floor.height == pytest.approx(0.4, abs=0.01)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda walk: drifting(walk, 4.0), "the floor rises by 4 cm a second"),
        (lambda walk: drifting(walk, -6.0), "the floor sinks by 6 cm a second"),
        (lambda walk: sloping(walk, 8.0, 0.0), "the floor slopes by 8.0 degrees, up towards 0"),
        (lambda walk: sloping(walk, 25.0, 180.0), "the floor slopes by 25.0 degrees, up towards"),
    ],
)
def test_info_says_it_and_convert_levels_it(tmp_path: Path, make, words: str) -> None:  # type: ignore[no-untyped-def]
    """The command reports slope and drift in words and numbers, and writes a levelled motion on request."""
    walk = sample("walk")
    save(make(walk), tmp_path / "walk.bvh")
    run = CliRunner()
    result = run.invoke(app, ["info", str(tmp_path / "walk.bvh"), "--json"])
    clip = json.loads(result.stdout)["clips"][0]
    assert words in " ".join(fault["sentence"] for fault in clip["faults"])
    assert max(abs(100 * clip["drift"]), clip["slope"]) > 3.9
    made = run.invoke(
        app, ["convert", str(tmp_path / "walk.bvh"), "-o", str(tmp_path / "level.bvh"), "--level", "--json"]
    )
    assert made.exit_code == 0, made.output
    assert "the motion was" in json.loads(made.stdout)["written"][0]["level"]
    level = load(tmp_path / "level.bvh")
    assert np.abs(level.root_positions[:, 1] - walk.root_positions[:, 1]).max() < 0.03
    plain = run.invoke(
        app, ["convert", str(tmp_path / "walk.bvh"), "-o", str(tmp_path / "as_is.bvh"), "--json"]
    )
    assert "level" not in json.loads(plain.stdout)["written"][0]


def test_what_has_no_floor_stays_as_it_is(tmp_path: Path) -> None:
    """A body whose feet never rest is written unchanged, and this is reported."""
    walk = sample("walk")
    shaken = np.sin(np.arange(walk.n_frames) / walk.fps * 2.0 * np.pi * 5.0)
    fast = walk.with_motion(root_positions=walk.root_positions + 0.5 * shaken[:, None] * [1.0, 1.0, 0.5])
    save(fast, tmp_path / "fast.bvh")
    args = ["convert", str(tmp_path / "fast.bvh"), "-o", str(tmp_path / "out.bvh"), "--level", "--json"]
    made = CliRunner().invoke(app, args)
    assert "unchanged" in json.loads(made.stdout)["written"][0]["level"]
    assert np.abs(load(tmp_path / "out.bvh").root_positions - fast.root_positions).max() < 1e-6
