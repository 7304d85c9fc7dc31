"""Mirroring: worked by hand, by reflected world positions, by a naive twin, on captured bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips
import segue
from naive.mirror import mirrored_places, mirrored_turns
from segue.errors import SettingError, SkeletonError
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import from_axis_angle, half_angle, to_matrix, yaw
from segue.motion.clip import Clip
from segue.motion.facing import heading, moved
from segue.motion.kinematics import world_positions
from segue.motion.mirror import MIRRORED, mirror, with_mirrored
from segue.motion.resample import cut
from segue.motion.roles import roles
from segue.motion.sides import across, is_symmetric, mirrored_skeleton, partners, unit
from segue.motion.skeleton import EndSite, Skeleton

NAMES = ("Hips", "Spine", "Head", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot")
PARENTS = [-1, 0, 1, 0, 3, 4, 0, 6, 7]
OFFSETS = [
    [0, 0.9, 0],
    [0, 0.3, 0],
    [0, 0.3, 0.02],
    [0.1, 0, 0],
    [0, -0.4, 0],
    [0, -0.4, 0],
    [-0.1, 0, 0],
    [0, -0.4, 0],
    [0, -0.4, 0],
]


def body(*, faces: float = 0.0, longer: float = 0.0) -> Skeleton:
    """Trunk and legs whose rest pose faces a heading; the left shank may be longer."""
    offsets = PlanarMotion(faces).apply(np.array(OFFSETS, dtype=float))
    offsets[5, 1] -= longer
    return Skeleton(NAMES, PARENTS, offsets)


def moving(rng: np.random.Generator, skeleton: Skeleton, frames: int = 6) -> Clip:
    """Random motion of a body."""
    return random_clips.clip(rng, skeleton, frames)


def walls(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Unit normals of the mirror plane in the world and of the one in the rest pose."""
    rest = across(clip.skeleton)
    turn = PlanarMotion(float(yaw(clip.rotations[0, 0])))
    return turn.apply(unit(rest * [1, 0, 1])), rest


def reflected_places(clip: Clip) -> np.ndarray:
    """The mirror image of every joint position, by the naive twin."""
    at, normal = world_positions(clip), walls(clip)[0].tolist()
    through = at[0, 0].tolist()
    return np.array([mirrored_places(places, through, normal) for places in at.tolist()])


def test_worked_by_hand() -> None:
    """Right hip bent 30 degrees forwards, root later turned by 20 about the vertical and moved 10 cm left.

    Facing +Z from the first frame on, the mirror is the plane x = 0: rotations about x stay, rotations about
    the vertical are reversed, x changes its sign, and the bent hip is the left one.
    """
    rotations = np.tile([1.0, 0, 0, 0], (2, 9, 1))
    rotations[:, 6] = from_axis_angle(np.array([1.0, 0, 0]), -np.pi / 6)
    rotations[1, 0] = from_axis_angle(np.array([0, 1.0, 0]), np.radians(20))
    clip = Clip(body(), rotations, [[0, 0.9, 0], [0.1, 0.9, 0.5]], 30, name="step")
    made = mirror(clip)
    sin, cos = 0.25881904510252074, 0.9659258262890683  # of 15 degrees
    assert np.allclose(made.rotations[:, 3], [cos, -sin, 0, 0], atol=1e-15)
    assert np.allclose(made.rotations[:, 6], [1, 0, 0, 0], atol=1e-15)
    assert np.allclose(
        made.rotations[1, 0], [0.984807753012208, 0, -0.17364817766693033, 0], atol=1e-15
    )  # 10 degrees
    assert np.allclose(made.root_positions, [[0, 0.9, 0], [-0.1, 0.9, 0.5]], atol=1e-15)
    # the left knee: 10 cm to the left of the hips, 0.4 m of thigh 30 degrees ahead of the plumb line
    assert np.allclose(world_positions(made)[0, 4], [0.1, 0.9 - 0.4 * 0.8660254037844386, 0.2], atol=1e-15)
    assert (made.name, made.origin.clips) == ("step (mirrored)", ("step (mirrored)",))
    assert made.source is not None
    assert made.source.extra[MIRRORED] == "step"


@settings(max_examples=30)
@given(st.integers(0, random_clips.SEEDS), st.floats(-3, 3))
def test_a_symmetric_body_is_where_the_mirror_shows_it(seed: int, faces: float) -> None:
    """Each joint is at its partner's reflection for any facing of the rest pose; local rotations are the twin's."""
    clip = moving(np.random.default_rng(seed), body(faces=faces))
    made = mirror(clip)
    order = partners(clip.skeleton)
    assert made.skeleton is clip.skeleton
    assert np.allclose(world_positions(made), reflected_places(clip)[:, order], atol=1e-12)
    assert np.isclose(np.cos(heading(made)[0] - heading(clip)[0]), 1.0, atol=1e-12)
    naive = mirrored_turns(to_matrix(clip.rotations[2]).tolist(), order.tolist(), walls(clip)[1].tolist())
    assert np.allclose(to_matrix(made.rotations[2])[1:], np.array(naive)[1:], atol=1e-12)


@settings(max_examples=30)
@given(st.integers(0, random_clips.SEEDS))
def test_any_body_mirrored_itself_is_where_the_mirror_shows_it(seed: int) -> None:
    """A body with unrelated sides, mirrored together with its motion, is at the reflected positions."""
    rng = np.random.default_rng(seed)
    offsets = np.array(OFFSETS, dtype=float) + rng.normal(0, 0.1, (9, 3)) * (np.arange(9) > 0)[:, None]
    clip = moving(rng, Skeleton(NAMES, PARENTS, offsets))
    made = mirror(clip, body="mirrored")
    assert made.skeleton.names[3:6] == NAMES[6:9]
    assert np.allclose(world_positions(made), reflected_places(clip), atol=1e-12)


@settings(max_examples=30)
@given(st.integers(0, random_clips.SEEDS))
def test_mirrored_twice_it_is_the_motion_again(seed: int) -> None:
    """Mirroring twice restores the motion, and the name."""
    clip = moving(np.random.default_rng(seed), body())
    again = mirror(mirror(clip))
    assert random_clips.apart(again.rotations, clip.rotations) < 1e-12
    assert np.allclose(again.root_positions, clip.root_positions, atol=1e-12)
    assert (again.name, again.origin.clips) == (clip.name, clip.origin.clips)
    assert again.source is not None
    assert MIRRORED not in again.source.extra


@settings(max_examples=30)
@given(st.integers(0, random_clips.SEEDS))
def test_the_mirror_stands_with_the_body(seed: int) -> None:
    """Moving along the ground and mirroring commute."""
    rng = np.random.default_rng(seed)
    clip, motion = moving(rng, body()), random_clips.ground_motion(rng)
    a, b = mirror(moved(clip, motion)), moved(mirror(clip), motion)
    assert np.allclose(world_positions(a), world_positions(b), atol=1e-10)


@settings(max_examples=30)
@given(st.integers(0, random_clips.SEEDS))
def test_a_body_of_two_sides_points_where_the_mirror_image_points(seed: int) -> None:
    """On its own body, one leg longer and spread at rest, thighs and shanks have the reflection's directions."""
    rng = np.random.default_rng(seed)
    skeleton = body(longer=0.05)
    offsets = np.array(skeleton.offsets)
    offsets[4] = [0.2, -0.35, 0.05]  # the left leg rests astride
    clip = moving(rng, Skeleton(NAMES, PARENTS, offsets))
    assert not is_symmetric(clip.skeleton)
    at, seen = world_positions(mirror(clip)), reflected_places(clip)
    for ours, theirs in ((3, 6), (4, 7), (6, 3), (7, 4)):
        bone, image = at[:, ours + 1] - at[:, ours], seen[:, theirs + 1] - seen[:, theirs]
        cos = np.sum(bone * image, -1) / np.linalg.norm(bone, axis=-1) / np.linalg.norm(image, axis=-1)
        assert np.allclose(cos, 1.0, atol=1e-12)


def test_what_is_on_one_side_only_rests_in_its_parent() -> None:
    """A prop in the right hand has no partner, so it is at rest; a mirrored body has it in the left."""
    skeleton = Skeleton(
        (*NAMES, "prop"), [*PARENTS, 8], [*OFFSETS, [0, -0.1, 0]], [EndSite(9, np.array([0.1, 0, 0]))]
    )
    assert partners(skeleton).tolist() == [0, 1, 2, 6, 7, 8, 3, 4, 5, -1]
    rotations = np.tile([1.0, 0, 0, 0], (1, 10, 1))
    rotations[0, 9] = from_axis_angle(np.array([0, 0, 1.0]), 1.0)
    clip = Clip(skeleton, rotations, [[0, 0.9, 0]], 30)
    assert np.allclose(np.abs(mirror(clip).rotations[0, 9]), [1, 0, 0, 0])
    other = mirrored_skeleton(skeleton)
    assert other.parents[9] == 8
    assert other.names[8] == "LeftFoot"
    assert other.tip(9) is not None
    assert np.allclose(other.tip(9), [-0.1, 0, 0])  # type: ignore[arg-type]


def test_joints_without_telling_names_are_paired_by_place() -> None:
    """Fingers named by numbers are paired within their hands: same subtree size, nearest length."""
    names = [*NAMES, "j1", "j2", "j3", "j4"]
    offsets = [*OFFSETS, [0, 0, 0.1], [0, 0, 0.2], [0, 0, 0.2], [0, 0, 0.1]]
    skeleton = Skeleton(names, [*PARENTS, 5, 5, 8, 8], offsets)
    assert partners(skeleton)[9:].tolist() == [12, 11, 10, 9]


def test_what_cannot_be_mirrored_is_said() -> None:
    """Bodies without hips and an unknown `body` setting are refused."""
    rod = Clip(
        Skeleton(("a", "b"), [-1, 0], np.zeros((2, 3))),
        np.tile([1.0, 0, 0, 0], (2, 2, 1)),
        np.zeros((2, 3)),
        30,
    )
    with pytest.raises(SkeletonError, match="left_hip"):
        mirror(rod)
    with pytest.raises(SkeletonError, match=r"clip 'clip' cannot be mirrored: .*left_hip"):
        with_mirrored([rod])
    with pytest.raises(SettingError, match="'own' or 'mirrored'"):
        mirror(segue.sample("walk"), body="other")  # type: ignore[arg-type]


def test_contacts_change_sides() -> None:
    """The contacts of the left heel become those of the right heel, frame by frame."""
    walk = segue.sample("walk")
    assert np.array_equal(segue.contacts(mirror(walk)).flags, segue.contacts(walk).flags[:, [2, 3, 0, 1]])


@pytest.mark.parametrize(
    ("name", "within"), [("16_01.bvh", 0.01), ("scaled_131_01.bvh", 0.02), ("61_12_scaled.bvh", 0.01)]
)
def test_captured_bodies_stand_beside_their_reflection(data: Path, name: str, within: float) -> None:
    """On their own bones, which differ by millimetres from side to side, feet land where the mirror shows them."""
    clip = segue.load(next(data.rglob(name)))
    clip = cut(clip, 0, min(clip.n_frames, 300))
    order, found = partners(clip.skeleton), roles(clip.skeleton)
    assert np.all(order >= 0)
    feet = [found[f"{side}_{part}"] for side in ("left", "right") for part in ("knee", "ankle")]
    apart = np.linalg.norm(world_positions(mirror(clip)) - reflected_places(clip)[:, order], axis=-1)
    assert apart[:, feet].max() < within
    assert np.median(apart) < 0.03
    exact = mirror(clip, body="mirrored")
    assert np.allclose(world_positions(exact), reflected_places(clip), atol=1e-9)
    thigh, other = (found[f"{side}_hip"] for side in ("left", "right"))
    bend = [
        half_angle(c.rotations[:, j], c.rotations[:1, j]) for c, j in ((clip, other), (mirror(clip), thigh))
    ]
    assert np.allclose(*bend, atol=1e-9)
