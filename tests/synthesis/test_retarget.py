"""Retargeting to another body: limb directions are kept, travel scales, feet stay on the floor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import conjugate, exp, from_yaw, multiply, rotate
from segue.measures.foot_skate import foot_skate
from segue.motion.clip import Clip
from segue.motion.facing import heading, moved
from segue.motion.feet import foot_points, foot_positions, leg_length, shin_tilt
from segue.motion.kinematics import world, world_positions
from segue.motion.resample import cut
from segue.motion.roles import roles
from segue.motion.skeleton import EndSite, Skeleton
from segue.synthesis.feet.planting import plant_feet

BONES = [
    (f"{side}_{above}", f"{side}_{below}")
    for side in ("left", "right")
    for above, below in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))
]


def directions(clip: Clip, above: str, below: str) -> np.ndarray:
    """World directions from role to role."""
    found, places = roles(clip.skeleton), world_positions(clip)
    along = places[:, found[below]] - places[:, found[above]]
    return along / np.linalg.norm(along, axis=-1, keepdims=True)


def degrees_apart(a: np.ndarray, b: np.ndarray) -> float:
    """Largest angle between unit vectors."""
    return float(np.degrees(2 * np.arcsin(np.clip(np.linalg.norm(a - b, axis=-1) / 2, 0, 1))).max())


def scaled(skeleton: Skeleton, factor: float) -> Skeleton:
    """The same body, larger or smaller."""
    sites = [EndSite(site.joint, factor * site.offset) for site in skeleton.end_sites]
    return Skeleton(skeleton.names, skeleton.parents, factor * skeleton.offsets, sites)


def rested_otherwise(clip: Clip, turns: np.ndarray) -> Clip:
    """The same motion with another rest pose: each joint's frame rotated by (J, 4), the root's by the identity."""
    body = clip.skeleton
    offsets = np.array(body.offsets)
    offsets[1:] = rotate(conjugate(turns[body.parents[1:]]), body.offsets[1:])
    sites = [
        EndSite(site.joint, rotate(conjugate(turns[site.joint]), site.offset)) for site in body.end_sites
    ]
    above = turns[np.maximum(body.parents, 0)]
    above[0] = [1.0, 0.0, 0.0, 0.0]
    rotations = multiply(multiply(conjugate(above), clip.rotations), turns)
    return Clip(Skeleton(body.names, body.parents, offsets, sites), rotations, clip.root_positions, clip.fps)


@pytest.fixture(scope="module")
def walk() -> Clip:
    """Two seconds of a walk."""
    return cut(segue.sample("walk", 30.0), 0, 61)


def test_the_same_body_gets_the_clip_itself(walk: Clip) -> None:
    """Retargeted to its own body, or to a copy of it, a clip is bit for bit the same."""
    assert segue.retarget(walk, walk.skeleton) is walk
    assert segue.retarget(walk, scaled(walk.skeleton, 1.0)) is walk


@given(factor=st.floats(0.4, 0.99) | st.floats(1.01, 2.5))
def test_larger_bodies_travel_farther(factor: float) -> None:
    """A body twice as large makes the same motion twice as large, about the same point on the floor."""
    walk = cut(segue.sample("walk_turn_left", 30.0), 0, 40)
    out = segue.retarget(walk, scaled(walk.skeleton, factor))
    assert leg_length(out.skeleton) == pytest.approx(factor * leg_length(walk.skeleton))
    np.testing.assert_allclose(world_positions(out), factor * world_positions(walk), atol=1e-9)
    assert (out.fps, out.n_frames, out.origin is walk.origin) == (walk.fps, walk.n_frames, True)


@given(seed=st.integers(0, 2**32 - 1))
def test_other_rest_poses_make_the_same_motion(seed: int) -> None:
    """A motion on a rest pose with rotated arms is retargeted to the usual rest pose joint by joint."""
    walk = cut(segue.sample("walk", 30.0), 0, 10)
    rng = np.random.default_rng(seed)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (walk.skeleton.n_joints, 1))
    found = roles(walk.skeleton)
    for side in ("left", "right"):
        # Arms of the rest pose point in any direction; the hand follows the forearm.
        upper, lower = exp(rng.normal(0.0, 0.4, (2, 3)))
        for role, turn in (("shoulder", upper), ("elbow", lower), ("wrist", lower)):
            turns[found[f"{side}_{role}"]] = turn
    other = rested_otherwise(walk, turns)
    np.testing.assert_allclose(world_positions(other), world_positions(walk), atol=1e-9)
    there = segue.retarget(walk, other.skeleton)
    assert all(degrees_apart(directions(walk, *bone), directions(there, *bone)) < 1e-5 for bone in BONES)
    back = segue.retarget(other, walk.skeleton)
    np.testing.assert_allclose(
        world_positions(back)[:, list(found.values())],
        world_positions(walk)[:, list(found.values())],
        atol=1e-6,
    )


@given(shin=st.floats(0.45, 1.2), foot=st.floats(-0.6, 0.6), facing=st.floats(-3.0, 3.0))
def test_a_rest_pose_that_is_a_frame_of_a_walk_does_not_tilt_feet(
    shin: float, foot: float, facing: float
) -> None:
    """With a bent knee and a bent foot in the rest pose, feet point as before but for the balls, which differ."""
    walk = cut(segue.sample("walk", 30.0), 0, 10)
    found = roles(walk.skeleton)
    turns = np.tile(from_yaw(facing), (walk.skeleton.n_joints, 1))
    for role, pitch in (("knee", shin), ("ankle", shin + foot), ("toe", shin + foot)):
        # Frames pitched down: relative to them the shin of the rest pose points backwards and the toes down.
        turn = exp(np.array([-pitch / 2, 0.0, 0.0]))
        turns[found[f"left_{role}"]] = multiply(turn, from_yaw(facing))
    other = rested_otherwise(walk, turns)
    np.testing.assert_allclose(world_positions(other), world_positions(walk), atol=1e-9)
    assert abs(shin_tilt(other.skeleton, "left")) == pytest.approx(shin, abs=0.1)
    out = segue.retarget(other, walk.skeleton, feet="free")
    for side in ("left", "right"):
        bone = (f"{side}_ankle", f"{side}_toe")
        assert degrees_apart(directions(walk, *bone), directions(out, *bone)) < 8.0


@given(angle=st.floats(-3.1, 3.1))
def test_bodies_that_rest_facing_elsewhere(angle: float) -> None:
    """A rest pose with another facing gives the same motion and heading, in both directions."""
    walk = cut(segue.sample("walk", 30.0), 0, 10)
    other = rested_otherwise(walk, np.tile(from_yaw(angle), (walk.skeleton.n_joints, 1)))
    np.testing.assert_allclose(world_positions(other), world_positions(walk), atol=1e-9)
    for clip, body in ((walk, other.skeleton), (other, walk.skeleton)):
        out = segue.retarget(clip, body)
        np.testing.assert_allclose(world_positions(out), world_positions(walk), atol=1e-9)
        assert np.abs(np.sin(heading(out) - heading(walk))).max() < 1e-9


@pytest.mark.parametrize("thicker", [0.0, 0.04, 0.08])
def test_thicker_soles_stand_on_the_same_floor(walk: Clip, thicker: float) -> None:
    """On a body with thicker soles the ankles are higher, and heels and toes keep their floor."""
    found = roles(walk.skeleton)
    offsets = np.array(walk.skeleton.offsets)
    offsets[[found["left_toe"], found["right_toe"]], 1] -= thicker
    body = Skeleton(walk.skeleton.names, walk.skeleton.parents, offsets, walk.skeleton.end_sites)
    out = segue.retarget(walk, body)
    planted = segue.contacts(walk).flags
    heights = foot_positions(body, world(out))[..., 1]
    before = foot_positions(walk.skeleton, world(walk))[..., 1]
    for part in range(4):
        rows = planted[:, part]
        assert abs(np.median(heights[rows, part]) - np.median(before[rows, part])) < 0.01
    ankle = found["left_ankle"]
    assert np.median((world_positions(out) - world_positions(walk))[:, ankle, 1]) == pytest.approx(
        thicker, abs=0.01
    )


@given(turn=st.floats(-3.0, 3.0), x=st.floats(-100, 100), z=st.floats(-100, 100))
def test_moving_the_clip_moves_the_result(turn: float, x: float, z: float) -> None:
    """A ground motion of the clip gives the same turn and the scaled shift of the result."""
    walk = cut(segue.sample("walk", 30.0), 0, 10)
    body = scaled(walk.skeleton, 1.3)
    out = segue.retarget(moved(walk, PlanarMotion(turn, x, z)), body)
    expected = moved(segue.retarget(walk, body), PlanarMotion(turn, 1.3 * x, 1.3 * z))
    np.testing.assert_allclose(world_positions(out), world_positions(expected), atol=1e-8)


REAL = [
    "asf_amc/127/127_04.amc",
    "asf_amc/127/127_16.amc",
    "cmu/max_friendly/131_01.bvh",
    "cmu/mb2/01_01.bvh",
    "asf_amc/14/14_21.amc",
]


@pytest.mark.parametrize("name", REAL)
def test_limbs_of_another_subject_point_the_same_way(data: Path, name: str) -> None:
    """On subject 16's body arms and legs of other subjects and formats keep their directions within one degree."""
    target = load(data / "asf_amc/16/16_15.amc").skeleton
    clip = load(data / name)
    out, free = (segue.retarget(clip, target, feet=feet) for feet in ("locked", "free"))
    assert out.skeleton is target
    for bone in BONES:
        assert degrees_apart(directions(clip, *bone), directions(free, *bone)) < 1.0
        legs = bone[0].endswith(("hip", "knee"))  # these adapt so that feet stand
        assert degrees_apart(directions(clip, *bone), directions(out, *bone)) < (25.0 if legs else 1.0)
    turned = np.abs((heading(clip) - heading(out) + np.pi) % (2 * np.pi) - np.pi)
    assert turned.max() < np.radians(1.0)


@pytest.mark.parametrize("name", REAL)
def test_feet_of_another_subject_stay_on_the_floor(data: Path, name: str) -> None:
    """Planted heels and toes are within 1 cm of the ground and stay; free feet are as far off as in the capture."""
    target = load(data / "asf_amc/16/16_15.amc").skeleton
    clip = load(data / name)
    planted = segue.contacts(clip).flags
    out, free = (segue.retarget(clip, target, feet=feet) for feet in ("locked", "free"))
    before, after, loose = (foot_positions(c.skeleton, world(c))[..., 1] for c in (clip, out, free))
    scale = leg_length(target) / leg_length(clip.skeleton)
    rest = foot_points(target).rest_heights
    for part in range(4):
        rows = planted[:, part]
        if rows.any():
            assert abs(np.median(after[rows, part]) - rest[part]) < 0.01
            assert abs(np.median(loose[rows, part]) - scale * np.median(before[rows, part])) < 0.02
    slides, held = (
        [plant.along_path for plant in foot_skate(c, planted=planted)] for c in (out, plant_feet(clip).clip)
    )
    for share, bar in ((50, 0.003), (95, 0.008)):  # or at most as far as in the capture with its feet held
        assert np.percentile(slides, share) < max(bar, 1.1 * np.percentile(held, share))


@pytest.mark.parametrize("name", ["16_15", "16_33", "127_04", "02_01", "17_03"])
def test_the_same_motion_in_another_format_lands_in_the_same_place(data: Path, name: str) -> None:
    """A BVH file converted from AMC, retargeted to the AMC's body, has every joint where the AMC has it."""
    amc = load(data / f"asf_amc/{name[:-3]}/{name}.amc")
    bvh = segue.retarget(load(data / f"cmu/from_amc/{name}.bvh"), amc.skeleton)
    np.testing.assert_allclose(world_positions(bvh), world_positions(amc), atol=2e-5)


def test_there_and_back_limbs_have_not_turned(data: Path, walk: Clip) -> None:
    """A sample retargeted to a captured body and back keeps every limb direction."""
    other = load(data / "asf_amc/16/16_15.amc").skeleton
    back = segue.retarget(segue.retarget(walk, other, feet="free"), walk.skeleton, feet="free")
    for bone in BONES:
        assert degrees_apart(directions(walk, *bone), directions(back, *bone)) < 1e-5
    np.testing.assert_allclose(back.root_positions, walk.root_positions, atol=1e-9)


def test_what_is_carried_over_can_be_saved(data: Path, tmp_path: Path) -> None:
    """A retargeted clip is written and read back unchanged, although its source file declares another body."""
    target = load(data / "cmu/max_friendly/131_01.bvh").skeleton
    clip = cut(load(data / "asf_amc/127/127_04.amc"), 0, 20)
    out = segue.retarget(clip, target)
    segue.save(out, tmp_path / "out.bvh")
    again = load(tmp_path / "out.bvh")
    assert again.skeleton.names == target.names
    np.testing.assert_allclose(world_positions(again), world_positions(out), atol=1e-6)
