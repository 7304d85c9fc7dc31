"""Feet of a retargeted motion: on the floor, in place, toes and hands not below it; hands in place."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue.measures.foot_skate import foot_skate
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_points, foot_positions, leg_length
from segue.motion.kinematics import world, world_positions
from segue.motion.resample import cut, resampled
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.synthesis.retarget.above import allowed_depth
from segue.synthesis.retarget.standing import floors, ground_height

BODIES = {
    "amc": "asf_amc/16/16_15.amc",
    "max": "cmu/max_friendly/131_01.bvh",
    "mixamo": "misc/bvhtoolbox/walk01.bvh",
    "makehuman": "misc/makehuman/walk1.bvh",
    "deepmimic": "misc/deepmimic/humanoid3d_walk.txt",
    "motionbuilder": "fbx/motionbuilder/pab_walk.fbx",
}
SOURCES = ("amc", "max", "mixamo", "deepmimic", "motionbuilder")


def other_legs(body: Skeleton, *, thigh: float, shin: float, foot: float = 1.0) -> Skeleton:
    """The same body with longer or shorter thighs, shins and feet."""
    offsets, found = np.array(body.offsets), roles(body)
    for side in ("left", "right"):
        for role, factor in (("knee", thigh), ("ankle", shin), ("toe", foot)):
            offsets[found[f"{side}_{role}"]] *= factor
    return Skeleton(body.names, body.parents, offsets, body.end_sites)


@pytest.fixture(scope="module")
def walk() -> Clip:
    """A second and a half of a walk whose feet do not slide."""
    return cut(segue.sample("walk", 30.0), 0, 45)


@settings(max_examples=15)
@given(thigh=st.floats(0.75, 1.3), shin=st.floats(0.75, 1.3), foot=st.floats(0.8, 1.2))
def test_planted_feet_of_other_legs_stay_on_the_floor(thigh: float, shin: float, foot: float) -> None:
    """For legs of any proportions planted parts are still and on the floor, nothing is below it, arms are unchanged."""
    walk = cut(segue.sample("walk", 30.0), 0, 45)
    body = other_legs(walk.skeleton, thigh=thigh, shin=shin, foot=foot)
    out = segue.retarget(walk, body)
    planted = contacts(walk).flags
    high = foot_positions(body, world(out))[..., 1] - foot_points(body).rest_heights
    assert np.abs(high[planted]).max() < 0.006
    assert high.min() > -0.006
    assert max(plant.along_path for plant in foot_skate(out, planted=planted)) < 0.005
    free = segue.retarget(walk, body, feet="free")
    above = [
        joint for role, joint in roles(body).items() if role.endswith(("shoulder", "elbow", "wrist", "head"))
    ]
    np.testing.assert_allclose(world(out).rotations[:, above], world(free).rotations[:, above], atol=1e-9)


def test_free_feet_slide_where_planted_ones_do_not(walk: Clip) -> None:
    """A motion with free feet exceeds the limits above."""
    body = other_legs(walk.skeleton, thigh=1.3, shin=0.8)
    planted = contacts(walk).flags
    slides = [
        max(plant.along_path for plant in foot_skate(segue.retarget(walk, body, feet=feet), planted=planted))
        for feet in ("free", "locked")
    ]
    assert slides[0] > 0.02 > 0.005 > slides[1]


def test_plants_measured_at_several_heights_stand_on_one_floor(walk: Clip) -> None:
    """In a capture whose height drifts by 3 cm, every plant on other legs is on the ground."""
    drift = 0.015 * (1.0 + np.sin(np.arange(walk.n_frames) / 12.0))
    drifting = walk.with_motion(
        root_positions=walk.root_positions + drift[:, None] * np.array([0.0, 1.0, 0.0])
    )
    body = other_legs(walk.skeleton, thigh=1.1, shin=0.95)
    planted = contacts(drifting).flags
    before = foot_positions(walk.skeleton, world(drifting))[..., 1] - foot_points(walk.skeleton).rest_heights
    after = (
        foot_positions(body, world(segue.retarget(drifting, body)))[..., 1] - foot_points(body).rest_heights
    )
    assert np.ptp(before[planted]) > 0.02
    assert np.percentile(np.abs(after[planted]), 90) < 0.003


def test_a_floor_well_off_the_files_ground_stays_off_it(walk: Clip) -> None:
    """Feet on a stage half a metre high keep that height, scaled; feet a few centimetres off are put on the ground."""
    body = other_legs(walk.skeleton, thigh=1.2, shin=1.1)
    scale = leg_length(body) / leg_length(walk.skeleton)
    planted = contacts(walk).flags
    for up, expected in ((0.5, 0.5 * scale), (0.03, 0.0), (-0.03, 0.0)):
        lifted = walk.with_motion(root_positions=walk.root_positions + np.array([0.0, up, 0.0]))
        assert ground_height(lifted) == pytest.approx(up if expected else 0.0, abs=1e-6)
        high = (
            foot_positions(body, world(segue.retarget(lifted, body)))[..., 1] - foot_points(body).rest_heights
        )
        np.testing.assert_allclose(np.median(high[planted]), expected, atol=0.004)


def test_the_floor_of_a_body_that_lies_down_is_not_where_its_feet_lie(data: Path) -> None:
    """The feet of a fallen body lie higher than when it stood; the floor is where they stood."""
    fall = segue.load(data / "gltf/kaykit/Med_General.glb#Rig_Medium|Death_A")
    stood = foot_positions(fall.skeleton, world(fall))[0, :, 1]
    assert (contacts(fall).floor - stood).max() > 0.05
    np.testing.assert_allclose(floors(fall), stood, atol=0.03)


@pytest.mark.parametrize(("source", "target"), [(a, b) for a in SOURCES for b in BODIES if a != b])
def test_every_body_walks_as_every_other(data: Path, source: str, target: str) -> None:
    """Plants slide under 3 mm (median) and 8 mm (95 %) within 1 cm of the floor; arms exact, knees keep their side."""
    clip, body = loaded(data / BODIES[source]), loaded(data / BODIES[target]).skeleton
    out = segue.retarget(clip, body, feet="locked")
    assert segue.retarget(out, body) is out
    planted = contacts(clip).flags
    slides = [plant.along_path for plant in foot_skate(out, planted=planted)]
    assert np.median(slides) < 0.003
    assert np.percentile(slides, 95) < 0.008
    high = foot_positions(body, world(out))[..., 1] - foot_points(body).rest_heights
    for part in range(4):
        if planted[:, part].any():
            assert abs(np.median(high[planted[:, part], part])) < 0.01
    deepest = world_positions(out)[..., 1].min(axis=1) - allowed_depth(clip, out, 0.0)
    assert deepest.min() > -0.01
    for side in ("left", "right"):
        for above, below in (("shoulder", "elbow"), ("elbow", "wrist")):
            assert np.abs(along(clip, side, above, below) - along(out, side, above, below)).max() < 1e-9
        hinges = [
            np.cross(along(c, side, "hip", "knee"), along(c, side, "knee", "ankle")) for c in (clip, out)
        ]
        bent = np.linalg.norm(hinges[0], axis=1) > 0.26
        assert ((hinges[0] * hinges[1]).sum(axis=1)[bent] > 0).all()


@lru_cache
def loaded(path: Path) -> Clip:
    """At most three seconds of a file, at no more than 60 frames a second."""
    clip = segue.load(path)
    clip = cut(clip, 0, min(clip.n_frames, round(3 * clip.fps)))
    return resampled(clip, 60.0) if clip.fps > 60 else clip


def along(clip: Clip, side: str, above: str, below: str) -> np.ndarray:
    """World directions (F, 3) of a bone."""
    at, found = world_positions(clip), roles(clip.skeleton)
    bone = at[:, found[f"{side}_{below}"]] - at[:, found[f"{side}_{above}"]]
    return bone / np.linalg.norm(bone, axis=1, keepdims=True)


@pytest.mark.parametrize(
    "name", ["misc/deepmimic/humanoid3d_roll.txt", "cmu/bvhacker/05_06.bvh", "misc/assimp/Boxing_Toes.bvh"]
)
def test_hands_and_backs_stay_out_of_the_floor(data: Path, name: str) -> None:
    """Rolling, on the hands or falling, nothing on a body with longer arms goes 1 cm deeper than in the source."""
    clip = segue.load(data / name)
    clip = cut(clip, max(0, clip.n_frames - 800), clip.n_frames) if clip.n_frames > 1000 else clip
    body = segue.load(data / "asf_amc/16/16_15.amc").skeleton
    low = [
        (world_positions(out)[..., 1].min(axis=1) - allowed_depth(clip, out, 0.0)).min()
        for out in (segue.retarget(clip, body, feet=feet) for feet in ("free", "locked"))
    ]
    assert low[0] < -0.02
    assert low[1] > -0.01


def test_hands_keep_their_place_by_each_other(walk: Clip) -> None:
    """Hands a few centimetres apart in front of a chest stay so on a body with long arms and broad shoulders."""
    body, found = walk.skeleton, roles(walk.skeleton)
    offsets = np.array(body.offsets)
    for side in ("left", "right"):
        offsets[found[f"{side}_shoulder"]] *= 1.2
        offsets[found[f"{side}_elbow"]] *= 1.25
    other = Skeleton(body.names, body.parents, offsets, body.end_sites)
    clap = clapping(walk)
    wrists = [found["left_wrist"], found["right_wrist"]]

    def apart(clip: Clip) -> float:
        at = world_positions(clip)[:, wrists]
        return float(np.linalg.norm(at[:, 0] - at[:, 1], axis=1).mean())

    assert apart(clap) < 0.12
    loose, held = (segue.retarget(clap, other, hands=weight) for weight in (0.0, 1.0))
    assert abs(apart(held) - apart(clap)) < 0.35 * abs(apart(loose) - apart(clap))
    elbow = along(held, "left", "shoulder", "elbow") - along(clap, "left", "shoulder", "elbow")
    assert np.abs(elbow).max() > 0.01


def clapping(clip: Clip) -> Clip:
    """The same walk with both hands in front of the chest."""
    from segue.motion.kinematics import World
    from segue.motion.limb_ik import Leg, reach_ankle

    found, at = roles(clip.skeleton), world(clip)
    rotations = np.array(clip.rotations)
    chest = at.positions[:, found["chest"]]
    for side in ("left", "right"):
        arm = Leg(*(found[f"{side}_{part}"] for part in ("shoulder", "elbow", "wrist")))
        away = at.positions[:, arm.hip] - chest
        goal = chest + 0.25 * away + 0.3 * np.array([0.0, 0.0, 1.0])
        local = reach_ankle(
            clip.skeleton,
            World(at.rotations, at.positions),
            arm,
            hips=at.positions[:, arm.hip],
            ankles=goal,
            feet=at.rotations[:, arm.ankle],
        )
        for joint, turn in zip((arm.hip, arm.knee, arm.ankle), local, strict=True):
            rotations[:, joint] = turn
    return clip.with_motion(rotations)


@settings(max_examples=15)
@given(weight=st.floats(0.0, 1.0), factor=st.floats(0.5, 2.0))
def test_hands_of_a_larger_body_need_no_moving(weight: float, factor: float) -> None:
    """On a uniformly scaled body the hands are already in place, whatever the weight."""
    walk = cut(segue.sample("walk", 30.0), 0, 10)
    body = walk.skeleton
    large = Skeleton(body.names, body.parents, body.offsets * factor)
    expected = world_positions(segue.retarget(walk, large))
    np.testing.assert_allclose(
        world_positions(segue.retarget(walk, large, hands=weight)), expected, atol=1e-6 * factor
    )


@pytest.mark.parametrize(
    ("asked", "words"), [({"feet": "glued"}, "feet='glued'"), ({"hands": 1.5}, "hands=1.5")]
)
def test_what_cannot_be_asked_for(walk: Clip, asked: dict, words: str) -> None:
    """The error lists the settings that work."""
    with pytest.raises(segue.SettingError, match=words):
        segue.retarget(walk, other_legs(walk.skeleton, thigh=1.1, shin=1.0), **asked)
    with pytest.raises(segue.SettingError, match=words):
        segue.retarget(walk, walk.skeleton, **asked)
