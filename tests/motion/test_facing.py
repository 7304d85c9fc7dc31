"""Heading: sign, continuity, rest poses that face elsewhere, bodies that roll."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import from_axis_angle, from_yaw, multiply
from segue.motion.clip import Clip
from segue.motion.facing import heading, headings, moved, rest_heading, travel_heading
from segue.motion.skeleton import Skeleton

ANGLES = st.floats(-3.1, 3.1)


def body(faces: float = 0.0) -> Skeleton:
    """Hips and legs whose rest pose faces a heading; the left hip is on the left."""
    left = PlanarMotion(faces).apply(np.array([0.1, 0.0, 0.0]))
    down = [0, -0.4, 0]
    return Skeleton(
        ("Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot"),
        [-1, 0, 1, 2, 0, 4, 5],
        [[0, 0.9, 0], left, down, down, -left, down, down],
    )


def turning(skeleton: Skeleton, turns: np.ndarray) -> Clip:
    """A body that turns on the spot."""
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (len(turns), skeleton.n_joints, 1))
    rotations[:, 0] = from_yaw(turns)
    return Clip(skeleton, rotations, np.zeros((len(turns), 3)), 30)


@given(ANGLES)
def test_a_rest_pose_says_where_it_faces(faces: float) -> None:
    """The left-right line of the hips gives the facing of the rest pose."""
    assert np.isclose(np.cos(rest_heading(body(faces)) - faces), 1.0, atol=1e-12)


def test_without_hips_a_rest_pose_faces_ahead() -> None:
    """Where the hips are unknown or lie on one vertical, the heading is that of +Z."""
    assert rest_heading(Skeleton(("a", "b"), [-1, 0], np.zeros((2, 3)))) == 0.0
    flat = body()
    offsets = np.array(flat.offsets)
    offsets[[1, 4]] = 0.0
    assert rest_heading(Skeleton(flat.names, flat.parents, offsets)) == 0.0


def test_turning_on_and_on_never_jumps() -> None:
    """Three turns to the left increase the heading by three turns, for any rest pose."""
    turns = np.linspace(0.0, 6 * np.pi, 200)
    for faces in (0.0, 2.0):
        found = heading(turning(body(faces), turns))
        assert np.allclose(np.diff(found), np.diff(turns), atol=1e-12)
        assert np.isclose(np.cos(found[0] - faces), 1.0)


@given(ANGLES, ANGLES)
def test_moving_a_clip_turns_its_heading(turn: float, start: float) -> None:
    """A ground motion adds its turn to every heading."""
    clip = turning(body(), np.linspace(start, start + 1.0, 5))
    difference = heading(moved(clip, PlanarMotion(turn, 3.0, -4.0))) - heading(clip)
    assert np.allclose(np.cos(difference - turn), 1.0, atol=1e-12)


def test_headings_of_a_batch_are_not_unwrapped() -> None:
    """Only one motion over time is continuous: a batch with more axes stays in (-pi, pi] relative to the rest pose."""
    batch = headings(body(), from_yaw(np.array([[0.0, 3.0], [-3.0, 1.0]])))
    assert np.allclose(batch, [[0.0, 3.0], [-3.0, 1.0]])


def test_a_body_that_pitches_over_keeps_its_heading() -> None:
    """Rolling forwards from 0 to 170 degrees does not change the heading."""
    pitch = from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(np.linspace(0, 170, 18)))
    clip = turning(body(), np.full(18, np.radians(30)))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(rotations[:, 0], pitch)
    assert np.allclose(np.degrees(heading(clip.with_motion(rotations))), 30.0, atol=1e-9)


def test_heading_of_a_forward_roll_from_a_file(cases: Path) -> None:
    """A figure that rolls forwards at heading 30 degrees has that heading in every frame."""
    clip = load(next(cases.glob("case176-*.bvh")))
    assert np.allclose(np.degrees(heading(clip)), 30.0, atol=1.0)


@pytest.mark.parametrize("name", ["16_35", "16_11", "127_04"])
def test_captured_people_walk_where_they_face(data: Path, name: str) -> None:
    """In real walks and runs the root travels within 30 degrees of the heading in the median."""
    clip = load(data / "asf_amc" / name.split("_", maxsplit=1)[0] / f"{name}.amc")
    velocity = np.diff(clip.root_positions[:, [0, 2]], axis=0) * clip.fps
    fast = np.linalg.norm(velocity, axis=1) > 0.5
    course = np.arctan2(velocity[fast, 0], velocity[fast, 1])
    off = np.degrees(np.abs(np.angle(np.exp(1j * (course - heading(clip)[:-1][fast])))))
    assert np.median(off) < 30.0


def test_travel_is_where_a_root_goes() -> None:
    """A walk travels where it faces; the same walk played backwards travels half a turn from its facing."""
    walk = segue.sample("walk")
    assert np.allclose(travel_heading(walk), heading(walk), atol=0.35)
    back = walk.with_motion(walk.rotations[::-1], walk.root_positions[::-1])
    away = np.abs(np.cos(travel_heading(back) - heading(back)) + 1.0)
    assert away.max() < 0.06


def test_a_body_that_stands_travels_where_it_faces() -> None:
    """The travel heading of a root that never moves is the facing."""
    stand = segue.sample("stand")
    assert np.array_equal(travel_heading(stand), heading(stand))
