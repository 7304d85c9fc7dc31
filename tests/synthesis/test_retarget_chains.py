"""Joints between those with roles: different spine counts, forearm twist, limbs with additional joints."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive.retarget import chain
from segue.maths.quaternions import exp, from_axis_angle, multiply, rotate, slerp, to_matrix
from segue.motion.clip import Clip
from segue.motion.kinematics import world, world_positions
from segue.motion.resample import cut
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.synthesis.retarget.partners import partners


def split(clip: Clip, joint: str, *names: str, turn_last: np.ndarray | None = None) -> Clip:
    """The same body with a bone in pieces: new joints between a joint and its parent, at rest unless given."""
    body = clip.skeleton
    at = body.index(joint)
    count = len(names) + 1
    order = [*range(at), *[None] * len(names), *range(at, body.n_joints)]
    place = {old: new for new, old in enumerate(order) if old is not None}
    parents, offsets, labels = [], [], []
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (clip.n_frames, len(order), 1))
    for new, old in enumerate(order):
        piece = new - at
        if old is None or old == at:
            parents.append(place[int(body.parents[at])] if piece == 0 else new - 1)
            offsets.append(body.offsets[at] / count)
        else:
            parents.append(place[int(body.parents[old])] if old else -1)
            offsets.append(body.offsets[old])
        labels.append(names[piece] if old is None else body.names[old])
        if old is not None:
            rotations[:, new] = clip.rotations[:, old]
    if turn_last is not None:
        rotations[:, at + len(names) - 1] = turn_last
    sites = [type(site)(place[site.joint], site.offset) for site in body.end_sites]
    skeleton = Skeleton(labels, parents, offsets, sites)
    return Clip(skeleton, rotations, clip.root_positions, clip.fps, name=clip.name)


@pytest.fixture(scope="module")
def walk() -> Clip:
    """A third of a second of a walk."""
    return cut(segue.sample("walk", 30.0), 0, 10)


def test_more_spine_joints_share_the_turn_out(walk: Clip) -> None:
    """Two additional joints between lower back and chest rotate by one third and two thirds of the difference."""
    body = split(walk, "Spine1", "MiddleA", "MiddleB").skeleton
    bent = np.array(walk.rotations)
    bent[:, walk.skeleton.index("Spine1")] = exp(np.tile([0.3, 0.1, 0.0], (10, 1)))
    bent = walk.with_motion(bent)
    out = segue.retarget(bent, body)
    assert partners(walk.skeleton, body).shared == ("MiddleA", "MiddleB")
    theirs, ours = world(bent).rotations, world(out).rotations
    ends = [theirs[:, walk.skeleton.index(name)] for name in ("Spine", "Spine1")]
    for name, part in (("Spine", 0.0), ("MiddleA", 1 / 3), ("MiddleB", 2 / 3), ("Spine1", 1.0)):
        apart = np.abs(np.sum(ours[:, body.index(name)] * slerp(*ends, part), axis=-1))
        np.testing.assert_allclose(apart, 1.0, atol=1e-12)


def test_fewer_spine_joints_take_the_mean(walk: Clip) -> None:
    """One joint for two halves of a spine, of which one is bent forwards, bends half as far."""
    for angle in (0.0, 0.4):
        half = from_axis_angle(np.tile([1.0, 0.0, 0.0], (10, 1)), angle)
        source = split(walk, "Spine1", "Middle", turn_last=half)
        out = segue.retarget(source, walk.skeleton)
        mean = multiply(
            world(source).rotations[:, source.skeleton.index("Spine")],
            from_axis_angle(np.tile([1.0, 0.0, 0.0], (10, 1)), angle / 2),
        )
        lower = world(out).rotations[:, walk.skeleton.index("Spine")]
        np.testing.assert_allclose(np.abs(np.sum(lower * mean, axis=-1)), 1.0, atol=1e-12)
        chest = [world(c).rotations[:, c.skeleton.index("Spine1")] for c in (source, out)]
        np.testing.assert_allclose(np.abs(np.sum(chest[0] * chest[1], axis=-1)), 1.0, atol=1e-12)


def test_as_many_spine_joints_by_other_names_move_as_theirs(walk: Clip) -> None:
    """Joints without a role between the same two roles are paired by position."""
    source = split(walk, "Spine1", "Middle", turn_last=exp(np.tile([0.1, 0.2, 0.0], (10, 1))))
    body = split(walk, "Spine1", "Elsewhere").skeleton
    assert partners(source.skeleton, body).moved_by["Elsewhere"] == "Middle"
    np.testing.assert_allclose(
        world_positions(segue.retarget(source, body)), world_positions(source), atol=1e-9
    )


@given(angle=st.floats(-2.5, 2.5))
def test_twist_joints_take_their_part_of_the_hands_twist(angle: float) -> None:
    """A joint half way down the forearm twists half as far as the hand; the arm's joints stay in place."""
    walk = cut(segue.sample("walk", 30.0), 0, 3)
    body = split(walk, "LeftHand", "LeftForeArmTwist").skeleton
    hand = walk.skeleton.index("LeftHand")
    along = walk.skeleton.offsets[hand] / np.linalg.norm(walk.skeleton.offsets[hand])
    turned = np.array(walk.rotations)
    turned[:, hand] = from_axis_angle(np.tile(along, (3, 1)), angle)
    out = segue.retarget(walk.with_motion(turned), body)
    local = out.rotations[:, body.index("LeftForeArmTwist")]
    found = 2 * np.arctan2(local[:, 1:] @ along, local[:, 0])
    np.testing.assert_allclose((found - angle / 2 + np.pi) % (2 * np.pi) - np.pi, 0.0, atol=1e-9)
    kept = [body.index(name) for name in walk.skeleton.names]
    np.testing.assert_allclose(world_positions(out)[:, kept], world_positions(walk), atol=1e-9)


def test_a_limb_with_joints_of_its_own_points_from_role_to_role(walk: Clip) -> None:
    """Where the source's thigh bends between hip and knee, the target's thigh points at the knee."""
    swing = exp(np.tile([0.2, 0.1, 0.15], (10, 1)))
    source = split(walk, "LeftLeg", "LeftThighRoll", turn_last=swing)
    out = segue.retarget(source, walk.skeleton, feet="free")

    def thigh(clip: Clip) -> np.ndarray:
        at, found = world_positions(clip), roles(clip.skeleton)
        along = at[:, found["left_knee"]] - at[:, found["left_hip"]]
        return along / np.linalg.norm(along, axis=-1, keepdims=True)

    np.testing.assert_allclose(thigh(out), thigh(source), atol=1e-12)
    turns = [
        rotate(world(c).rotations[:, c.skeleton.index("LeftLeg")], np.array([0.0, 0.0, 1.0]))
        for c in (source, out)
    ]
    np.testing.assert_allclose(turns[0], turns[1], atol=1e-9)


@given(seed=st.integers(0, 2**32 - 1))
def test_limbs_are_where_the_naive_twin_puts_them(seed: int) -> None:
    """Arms of another build and rest pose match matrices computed joint by joint."""
    rng = np.random.default_rng(seed)
    walk = cut(segue.sample("walk", 30.0), 0, 2)
    walk = walk.with_motion(
        multiply(walk.rotations, exp(rng.normal(0.0, 0.2, (*walk.rotations.shape[:2], 3))))
    )
    offsets = np.array(walk.skeleton.offsets)
    arm = [walk.skeleton.index(name) for name in ("LeftArm", "LeftForeArm", "LeftHand")]
    for joint in arm[1:]:
        offsets[joint] = rotate(exp(rng.normal(0.0, 0.3, 3)), offsets[joint]) * rng.uniform(0.6, 1.5)
    body = Skeleton(walk.skeleton.names, walk.skeleton.parents, offsets, walk.skeleton.end_sites)
    out = segue.retarget(walk, body, feet="free")
    turns, places = to_matrix(world(walk).rotations[1]), world_positions(out)[1]
    bones, others = walk.skeleton.offsets[arm[1:]].tolist(), offsets[arm[1:]].tolist()
    naive = chain(turns[arm[:2]].tolist(), bones, others, places[arm[0]].tolist())
    np.testing.assert_allclose(places[arm], naive, atol=1e-9)


def test_a_chest_that_is_called_a_spine_carries_the_arms(data) -> None:
    """The only back joint of a body, which carries the arms, rotates as the source's chest, and vice versa."""
    single = segue.load(data / "misc/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh").skeleton
    full = segue.load(data / "asf_amc/16/16_15.amc").skeleton
    assert partners(full, single).moved_by["Spine"] == "thorax"
    assert partners(single, full).moved_by["thorax"] == "Spine"


def test_what_has_no_partner_is_said(data) -> None:
    """Head, toes and collar bones that one body lacks are named, in either direction."""
    small = segue.load(data / "misc/deepmimic/humanoid3d_walk.txt").skeleton
    full = segue.load(data / "asf_amc/16/16_15.amc").skeleton
    there, back = partners(full, small), partners(small, full)
    assert set(there.unused) == {"spine", "head", "left_clavicle", "right_clavicle", "left_toe", "right_toe"}
    assert "head (head)" in there.sentences()[0]
    assert back.resting[:3] == ("head", "lclavicle", "ltoes")
    assert back.shared == ("lowerback", "upperback")
    assert back.scale == pytest.approx(1 / there.scale)
