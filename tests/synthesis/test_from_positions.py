"""Clips from joint positions on given skeletons: exact on the same body, feet on the floor on another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from random_clips import SEEDS
from segue.errors import SettingError, SkeletonError
from segue.io import load
from segue.maths.quaternions import exp, half_angle
from segue.measures.foot_skate import foot_skate
from segue.motion.contacts import contacts
from segue.motion.feet import foot_points, foot_positions, leg_length
from segue.motion.kinematics import forward, world, world_positions
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.synthesis.from_positions import on_same_body


@given(st.integers(0, SEEDS))
def test_any_pose_of_the_same_body_comes_back(seed: int) -> None:
    """Exact positions of a random pose give the same positions within 1e-6 m on the same skeleton."""
    rng = np.random.default_rng(seed)
    skeleton = sample("walk").skeleton
    rotations = exp(rng.normal(0.0, 0.5, (4, skeleton.n_joints, 3)))
    places = forward(skeleton, rotations, rng.normal(0.0, 2.0, (4, 3))).positions
    made = segue.from_positions(places, skeleton.names, skeleton=skeleton)
    assert made.skeleton is skeleton
    assert np.abs(world_positions(made) - places).max() < 1e-6


def test_noise_of_a_centimetre_leaves_less(data: Path, rng: np.random.Generator) -> None:
    """A captured walk with 1 cm of noise is fitted within 1.5 cm in the median, at 120 and at 30 frames a second."""
    walk = load(data / "asf_amc/16/16_15.amc")
    for step in (1, 4):
        places = world_positions(walk)[::step]
        noisy = places + rng.normal(0.0, 0.01, places.shape)
        made = segue.from_positions(noisy, walk.skeleton.names, fps=walk.fps / step, skeleton=walk.skeleton)
        away = np.linalg.norm(world_positions(made) - places, axis=-1)
        assert np.median(away) < 0.015
        assert made.source is not None
        assert any(note.startswith("noise: ") for note in made.source.notes)


@pytest.mark.parametrize("file", ["cmu/max_friendly/131_01.bvh", "misc/makehuman/walk1.bvh"])
def test_feet_stand_on_another_body(data: Path, file: str) -> None:
    """On a body of another size planted feet are within 1 cm of the floor and slide as little as when retargeted."""
    walk = load(data / "asf_amc/16/16_15.amc")
    skeleton = load(data / file).skeleton
    made = segue.from_positions(world_positions(walk), walk.skeleton.names, fps=walk.fps, skeleton=skeleton)
    assert made.skeleton is skeleton
    flags = contacts(walk).flags
    high = foot_positions(skeleton, world(made))[..., 1] - foot_points(skeleton).rest_heights
    assert abs(np.median(high[flags])) < 0.002
    assert np.percentile(np.abs(high[flags]), 95) < 0.01
    assert np.median([plant.along_path for plant in foot_skate(made, planted=flags)]) < 0.005


def test_the_same_body_under_other_names_is_met(data: Path) -> None:
    """Joints with other names are paired by their roles, and the limbs match the positions."""
    walk = load(data / "misc/bvhtoolbox/walk01.bvh")
    body = walk.skeleton
    renamed = {"Hips": "pelvis", "LeftUpLeg": "left_hip", "RightUpLeg": "right_hip", "LeftLeg": "left_knee"}
    other = Skeleton([renamed.get(n, n) for n in body.names], body.parents, body.offsets, body.end_sites)
    made = segue.from_positions(world_positions(walk), body.names, fps=walk.fps, skeleton=other)
    assert made.skeleton is other
    assert np.percentile(np.linalg.norm(world_positions(made) - world_positions(walk), axis=-1), 95) < 1e-4


def test_a_clip_read_from_positions_goes_onto_its_own_body(data: Path) -> None:
    """A clip grown from positions fits its own skeleton, and none of another size."""
    walk = load(data / "asf_amc/16/16_15.amc")
    grown = segue.from_positions(world_positions(walk), walk.skeleton.names, fps=walk.fps)
    made = on_same_body(grown, walk.skeleton)
    assert made is not None
    assert np.percentile(np.linalg.norm(world_positions(made) - world_positions(walk), axis=-1), 95) < 1e-3
    assert on_same_body(grown, load(data / "misc/deepmimic/humanoid3d_walk.txt").skeleton) is None


def test_a_body_of_nearly_the_same_size_stands_too(data: Path) -> None:
    """Another CMU subject, 2 % larger with the same names, stands on the floor instead of sinking into it."""
    run = load(data / "asf_amc/16/16_35.amc")
    body = load(data / "asf_amc/127/127_04.amc").skeleton
    made = segue.from_positions(world_positions(run), run.skeleton.names, fps=run.fps, skeleton=body)
    flags = contacts(run).flags
    high = foot_positions(body, world(made))[..., 1] - foot_points(body).rest_heights
    assert np.percentile(np.abs(high[flags]), 90) < 0.01


def test_much_noise_on_the_same_body_is_still_the_same_body(data: Path, rng: np.random.Generator) -> None:
    """With 3 cm of noise the given skeleton is fitted directly, within 2 cm in the median."""
    walk = load(data / "asf_amc/16/16_15.amc")
    places = world_positions(walk)
    noisy = places + rng.normal(0.0, 0.03, places.shape)
    made = segue.from_positions(noisy, walk.skeleton.names, fps=walk.fps, skeleton=walk.skeleton)
    assert np.median(np.linalg.norm(world_positions(made) - places, axis=-1)) < 0.02


def test_turns_are_as_smooth_as_captured(data: Path) -> None:
    """On the same skeleton 99.9 % of a captured dance rotate no faster than 1.5 times the capture."""
    dance = load(data / "asf_amc/05/05_16.amc")
    made = segue.from_positions(
        world_positions(dance), dance.skeleton.names, fps=dance.fps, skeleton=dance.skeleton
    )
    fast = [np.percentile(half_angle(q[1:], q[:-1]), 99.9) for q in (made.rotations, dance.rotations)]
    assert fast[0] < 1.5 * fast[1]


def test_gaps_and_lost_joints_are_said(data: Path, rng: np.random.Generator) -> None:
    """Removing a tenth of all positions leaves the others in place, and notes count the filled gaps."""
    walk = load(data / "asf_amc/16/16_15.amc")
    places = world_positions(walk)
    broken = np.array(places)
    broken[rng.random(places.shape[:2]) < 0.1] = np.nan
    broken[:, walk.skeleton.index("lthumb")] = np.nan
    made = segue.from_positions(broken, walk.skeleton.names, fps=walk.fps)
    order = [walk.skeleton.index(name) for name in made.skeleton.names]
    away = np.linalg.norm(world_positions(made) - places[:, order], axis=-1)
    seen = np.isfinite(broken[:, order]).all(axis=-1)
    assert np.percentile(away[seen], 95) < 0.005
    assert made.source is not None
    assert any("not seen, bridged" in note for note in made.source.notes)
    assert "never seen and left at rest: lthumb" in made.source.notes


def test_one_frame_is_a_pose() -> None:
    """A single frame of positions gives a clip of one frame with these positions."""
    walk = sample("walk")
    places = world_positions(walk)[:1]
    made = segue.from_positions(places, walk.skeleton.names)
    order = [walk.skeleton.index(name) for name in made.skeleton.names]
    assert made.n_frames == 1
    assert np.abs(world_positions(made) - places[:, order]).max() < 0.005


def test_grown_bodies_have_their_size(data: Path) -> None:
    """Legs of a grown body are as long as the captured ones; positions of a child give a child."""
    walk = load(data / "asf_amc/16/16_15.amc")
    for scale in (1.0, 0.45):
        made = segue.from_positions(scale * world_positions(walk), walk.skeleton.names, fps=walk.fps)
        assert leg_length(made.skeleton) == pytest.approx(scale * leg_length(walk.skeleton), rel=1e-6)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"positions": np.zeros((3, 22))}, SettingError, r"have the shape \(3, 22\)"),
        ({"positions": np.full((3, 15, 3), np.nan)}, SettingError, "no frame with a joint that is seen"),
        ({"names": None}, SettingError, "without names fit no layout"),
        ({"names": ("a", "b")}, SettingError, "2 names for 15 joints"),
        ({"names": tuple("abcdefghijklmno")}, SkeletonError, "no joint is named like a left hip"),
        ({"feet": "glued"}, SettingError, "glued"),
        ({"fps": 0.0}, SettingError, "0.0 is not a frame rate"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    data: Path, change: dict[str, object], error: type[Exception], words: str
) -> None:
    """The error says what would make a motion."""
    walk = load(data / "misc/deepmimic/humanoid3d_walk.txt")
    settings: dict[str, object] = {"positions": world_positions(walk), "names": walk.skeleton.names} | change
    positions, names = settings.pop("positions"), settings.pop("names")
    with pytest.raises(error, match=words):
        segue.from_positions(positions, names, **settings)
