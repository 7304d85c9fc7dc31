"""Root motion from planted feet: invariants, laws of ground motions, cycles, captured walks, unusual bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips
import segue
from segue.errors import SkeletonError
from segue.maths.planar import PlanarMotion
from segue.measures.foot_skate import foot_skate
from segue.motion.clip import Clip, SourceFormat
from segue.motion.contacts import contacts
from segue.motion.facing import moved
from segue.motion.feet import FOOT_PARTS, foot_positions
from segue.motion.kinematics import world
from segue.motion.resample import cut
from segue.synthesis.loop import loop
from segue.synthesis.root_motion import with_root_motion

SHIFTS = st.floats(-20.0, 20.0)


def spot(clip: Clip) -> Clip:
    """The clip with its root above the origin."""
    return clip.with_motion(root_positions=clip.root_positions * [0.0, 1.0, 0.0])


def carried(clip: Clip, x: float, z: float) -> Clip:
    """The clip with a constant velocity added to its root, in metres a second."""
    seconds = np.arange(clip.n_frames)[:, None] / clip.fps
    return clip.with_motion(root_positions=clip.root_positions + seconds * [x, 0.0, z])


WALK = spot(cut(segue.sample("walk"), 0, 150))


def test_only_the_way_along_the_ground_changes() -> None:
    """Rotations and heights are bit for bit those of the clip; name, origin, source and first frame are kept."""
    clip = WALK.with_source(SourceFormat(path="walk.bvh"))
    made = segue.with_root_motion(clip)
    assert np.array_equal(made.rotations, clip.rotations)
    assert np.array_equal(made.root_positions[:, 1], clip.root_positions[:, 1])
    assert np.array_equal(made.root_positions[0], clip.root_positions[0])
    assert (made.name, made.origin, made.source) == (clip.name, clip.origin, clip.source)


@settings(max_examples=20)
@given(st.floats(-3.0, 3.0), SHIFTS, SHIFTS)
def test_a_clip_turned_and_shifted_comes_back_turned_and_shifted(turn: float, x: float, z: float) -> None:
    """A ground motion applied to the clip is applied to the result, and nothing else changes."""
    motion = PlanarMotion(turn, x, z)
    before, after = moved(with_root_motion(WALK), motion), with_root_motion(moved(WALK, motion))
    assert np.allclose(before.root_positions, after.root_positions, atol=1e-6)


@settings(max_examples=20)
@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_however_the_root_was_carried_the_feet_tell(x: float, z: float) -> None:
    """A constant root velocity added to the clip does not change the result."""
    assert np.allclose(
        with_root_motion(carried(WALK, x, z)).root_positions, with_root_motion(WALK).root_positions, atol=1e-6
    )


@pytest.mark.parametrize(("name", "share"), [("walk", 0.02), ("run", 0.05), ("walk_turn_left", 0.05)])
def test_a_travel_taken_out_comes_back(name: str, share: float) -> None:
    """In every frame the root is where it was, within a share of its path length; planted feet stay."""
    clip = segue.sample(name)
    made = with_root_motion(spot(clip))
    wanted = clip.root_positions - clip.root_positions[0] * [1.0, 0.0, 1.0]
    path_length = np.linalg.norm(np.diff(wanted[:, [0, 2]], axis=0), axis=1).sum()
    assert np.abs(made.root_positions - wanted).max() < share * path_length
    slides = [plant.along_path for plant in foot_skate(made, planted=contacts(clip).flags)]
    assert np.median(slides) < 0.015


def test_rounds_of_a_cycle_join_smoothly() -> None:
    """A complete cycle ends as fast as it begins, and leaving out its last row changes no position."""
    stride = loop(segue.sample("walk"), in_place=True).clip
    made, short = with_root_motion(stride), with_root_motion(cut(stride, 0, stride.n_frames - 1))
    speeds = np.diff(made.root_positions[:, [0, 2]], axis=0) * made.fps
    steps = np.linalg.norm(np.diff(speeds, axis=0), axis=1)
    assert np.linalg.norm(speeds[0] - speeds[-1]) <= steps.max()
    assert np.abs(short.root_positions - made.root_positions[:-1]).max() < 0.01
    assert made.root_positions[-1, 2] - made.root_positions[0, 2] == pytest.approx(1.43, rel=0.03)


def test_what_stands_stays() -> None:
    """A standing clip does not travel."""
    clip = segue.sample("stand")
    assert np.abs(with_root_motion(clip).root_positions - clip.root_positions).max() < 0.02


def test_legs_are_needed() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(SkeletonError):
        with_root_motion(random_clips.clip(rng, random_clips.body(rng, 5), 20))


def test_short_clips_stay_as_they_are() -> None:
    """One to three frames give no velocity."""
    for frames in (1, 2, 3):
        clip = cut(WALK, 0, frames)
        assert np.array_equal(with_root_motion(clip).root_positions, clip.root_positions)


@pytest.mark.parametrize("name", ["02/02_01", "16/16_22", "16/16_58", "05/05_01"])
def test_captured_walks_come_back(data: Path, name: str) -> None:
    """A captured walk put in place travels as far as it did, within 7 %, and its plants slip less than 1 cm."""
    clip = segue.load(data / "asf_amc" / f"{name}.amc")
    made = with_root_motion(spot(clip))
    far = [np.linalg.norm((c.root_positions[-1] - c.root_positions[0])[[0, 2]]) for c in (clip, made)]
    assert far[1] == pytest.approx(far[0], rel=0.07)
    places = foot_positions(made.skeleton, world(made))[..., [0, 2]]
    slips = [
        np.linalg.norm(places[plant.stop - 1, part] - places[plant.start, part])
        for plant in contacts(clip).plants
        for part in [FOOT_PARTS.index(plant.foot_part)]
    ]
    assert np.median(slips) < 0.01
