"""Quaternions: laws, a naive twin, scipy as the external reference."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from naive import quaternions as naive
from segue.maths import quaternions as quat

ANGLES = st.one_of(
    st.floats(-np.pi, np.pi),
    st.sampled_from([0.0, 1e-300, 1e-12, 1e-8, 1e-4, np.pi, np.pi - 1e-12, np.pi - 1e-8, -np.pi + 1e-4]),
)
UNIT = st.floats(-1.0, 1.0).map(lambda x: round(x, 6))
AXES = (
    st.tuples(UNIT, UNIT, UNIT)
    .filter(lambda v: np.linalg.norm(v) > 0.01)
    .map(lambda v: np.array(v) / np.linalg.norm(v))
)
SIGNS = st.sampled_from([1.0, -1.0])
ROTATIONS = st.builds(lambda axis, angle, sign: sign * quat.from_axis_angle(axis, angle), AXES, ANGLES, SIGNS)
VECTORS = st.tuples(*[st.floats(-10.0, 10.0)] * 3).map(np.array)


def scipy(q: np.ndarray) -> Rotation:
    """The same rotations in scipy, which writes the scalar last."""
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


def same(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-12) -> bool:
    """Equal as rotations: q and -q are the same."""
    return bool(np.all(np.minimum(np.abs(a - b).max(-1), np.abs(a + b).max(-1)) < tolerance))


def random_rotations(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Uniform over all rotations."""
    return quat.normalise(rng.normal(size=(*shape, 4)))


@given(ROTATIONS, ROTATIONS)
def test_multiply_is_the_table_and_scipy(a: np.ndarray, b: np.ndarray) -> None:
    """The product equals the unit table, and composes as scipy composes."""
    ours = quat.multiply(a, b)
    assert np.allclose(ours, naive.product(list(a), list(b)), atol=1e-15)
    assert np.allclose(scipy(ours).as_matrix(), (scipy(a) * scipy(b)).as_matrix(), atol=1e-14)


@given(ROTATIONS, ROTATIONS, VECTORS)
def test_products_apply_right_to_left(a: np.ndarray, b: np.ndarray, v: np.ndarray) -> None:
    """Rotating by a product is rotating by b, then by a."""
    assert np.allclose(quat.rotate(quat.multiply(a, b), v), quat.rotate(a, quat.rotate(b, v)), atol=1e-13)


@given(ROTATIONS, VECTORS)
def test_rotate_is_the_sandwich(q: np.ndarray, v: np.ndarray) -> None:
    """Rotating equals q v q* and keeps lengths."""
    assert np.allclose(quat.rotate(q, v), naive.rotated(list(q), list(v)), atol=1e-13)
    assert np.isclose(np.linalg.norm(quat.rotate(q, v)), np.linalg.norm(v), atol=1e-13)


@given(ROTATIONS)
def test_conjugate_is_the_inverse(q: np.ndarray) -> None:
    """A rotation followed by its conjugate is the identity."""
    assert np.allclose(quat.multiply(q, quat.conjugate(q)), quat.IDENTITY, atol=1e-14)


@given(ROTATIONS)
def test_exp_undoes_log(q: np.ndarray) -> None:
    """The exponential of the logarithm is the same rotation, near the identity and near pi too."""
    half = quat.log(q)
    assert np.linalg.norm(half) <= np.pi / 2 + 1e-12
    assert same(quat.exp(half), q)


@given(AXES, st.floats(-np.pi / 2 + 1e-9, np.pi / 2 - 1e-9))
def test_log_undoes_exp(axis: np.ndarray, half: float) -> None:
    """Half rotation vectors shorter than pi/2 are recovered, down to the smallest."""
    assert np.allclose(quat.log(quat.exp(axis * half)), axis * half, rtol=1e-12, atol=1e-15)


@given(ROTATIONS, ROTATIONS)
def test_half_angle_is_half_of_scipys(a: np.ndarray, b: np.ndarray) -> None:
    """The geodesic distance is half the angle, symmetric, independent of signs."""
    expected = (scipy(a).inv() * scipy(b)).magnitude() / 2
    assert np.isclose(quat.half_angle(a, b), expected, atol=1e-12)
    assert np.isclose(quat.half_angle(a, b), quat.half_angle(-b, a), atol=1e-12)
    assert quat.half_angle(a, a) == quat.half_angle(a, -a) == 0


@pytest.mark.parametrize("angle", [1e-12, 1e-9, 1e-6, 1e-3])
def test_half_angle_tells_the_smallest_turns(angle: float) -> None:
    """An angle computed from its cosine alone would be lost below 1e-8."""
    start = quat.from_axis_angle(np.array([0.6, 0.0, 0.8]), 1.0)
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), 2.0 * angle)
    for end in (quat.multiply(start, turn), -quat.multiply(start, turn)):
        assert np.isclose(quat.half_angle(start, end), angle, rtol=1e-3, atol=0)


@given(ROTATIONS, ROTATIONS, st.floats(0.0, 1.0))
def test_slerp_divides_the_arc(a: np.ndarray, b: np.ndarray, t: float) -> None:
    """The angle from a is the share t of the total, the rest is to b; length 1; equal to the naive arc."""
    q = quat.slerp(a, b, t)
    whole = quat.half_angle(a, b)
    assert np.isclose(np.linalg.norm(q), 1.0, atol=1e-14)
    assert np.isclose(quat.half_angle(a, q), t * whole, atol=1e-9)
    assert np.isclose(quat.half_angle(q, b), (1 - t) * whole, atol=1e-9)
    if abs(np.dot(a, b)) > 1e-12:  # at exactly 180 degrees either direction is right
        assert same(q, np.array(naive.slerp(list(a), list(b), t)), 1e-7)


@given(ROTATIONS, ROTATIONS)
def test_slerp_meets_its_ends(a: np.ndarray, b: np.ndarray) -> None:
    assert same(quat.slerp(a, b, 0.0), a, 1e-14)
    assert same(quat.slerp(a, b, 1.0), b, 1e-14)


@given(ROTATIONS, ROTATIONS, ROTATIONS, st.floats(0.0, 1.0))
def test_slerp_does_not_know_the_world(a: np.ndarray, b: np.ndarray, turn: np.ndarray, t: float) -> None:
    """Rotating both ends rotates the result."""
    if abs(np.dot(a, b)) < 1e-6:
        return
    there = quat.slerp(quat.multiply(turn, a), quat.multiply(turn, b), t)
    assert same(there, quat.multiply(turn, quat.slerp(a, b, t)), 1e-8)


def test_slerp_over_a_batch_is_slerp_of_each(rng: np.random.Generator) -> None:
    """Leading shapes broadcast, weights too."""
    a, b, t = random_rotations(rng, 5, 7), random_rotations(rng, 5, 7), rng.random((5, 1))
    batch = quat.slerp(a, b, t)
    for f in range(5):
        for j in range(7):
            assert np.allclose(batch[f, j], quat.slerp(a[f, j], b[f, j], t[f, 0]), atol=1e-15)


@given(AXES, ANGLES)
def test_axis_angle_is_scipys_rotation_vector(axis: np.ndarray, angle: float) -> None:
    expected = Rotation.from_rotvec(axis * angle).as_matrix()
    assert np.allclose(quat.to_matrix(quat.from_axis_angle(axis, angle)), expected, atol=1e-14)


def test_axis_angle_broadcasts_both_ways() -> None:
    """One angle for many axes, and many angles for one axis, broadcast."""
    assert quat.from_axis_angle(np.eye(3), 0.3).shape == (3, 4)
    assert quat.from_axis_angle(np.eye(3)[0], np.arange(5.0)).shape == (5, 4)


@given(ROTATIONS)
def test_matrices_there_and_back(q: np.ndarray) -> None:
    """The matrix equals the naive one and scipy's, and gives the rotation back."""
    m = quat.to_matrix(q)
    assert np.allclose(m, naive.matrix(list(q)), atol=1e-14)
    assert np.allclose(m, scipy(q).as_matrix(), atol=1e-14)
    assert same(quat.from_matrix(m), q, 1e-12)


@given(ANGLES)
def test_yaw_turns_ahead_towards_plus_x(angle: float) -> None:
    """A positive turn about the vertical carries +Z towards +X, and is read back."""
    q = quat.from_yaw(angle)
    assert np.allclose(
        quat.rotate(q, np.array([0.0, 0.0, 1.0])), [np.sin(angle), 0, np.cos(angle)], atol=1e-14
    )
    assert np.isclose(np.cos(quat.yaw(q) - angle), 1.0, atol=1e-14)


@given(ANGLES, ROTATIONS)
def test_turns_about_the_vertical_are_products(angle: float, q: np.ndarray) -> None:
    """Leaving out the zeros of the turn changes no bit of the result."""
    assert np.array_equal(quat.yawed(angle, q), quat.multiply(quat.from_yaw(angle), q))
    many = quat.yawed(np.array([angle, -angle]), np.stack([q, q]))
    assert np.array_equal(many, [quat.yawed(angle, q), quat.yawed(-angle, q)])


@given(st.floats(-3.1, 3.1), st.floats(-3.1, 3.1))
def test_yaw_does_not_see_pitch(turn: float, pitch: float) -> None:
    """The heading stays while a body pitches beyond 90 degrees."""
    q = quat.multiply(quat.from_yaw(turn), quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), pitch))
    assert np.isclose(np.cos(quat.yaw(q) - turn), 1.0, atol=1e-9)


@given(VECTORS, VECTORS)
def test_between_carries_one_direction_onto_the_other(a: np.ndarray, b: np.ndarray) -> None:
    """The shortest rotation takes a onto b and rotates by no more than the angle between them."""
    if min(np.linalg.norm(a), np.linalg.norm(b)) < 1e-3:
        return
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    q = quat.rotation_between(a, b)
    assert np.allclose(quat.rotate(q, a), b, atol=2e-4 if np.dot(a, b) < -1 + 1e-8 else 1e-7)
    angle = np.arctan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b))
    assert np.isclose(2 * quat.half_angle(q, quat.IDENTITY), angle, atol=1e-4)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_between_opposite_directions_is_half_a_turn(axis: int) -> None:
    """Exactly opposite directions have no unique shortest arc: half a turn about a perpendicular axis."""
    a = np.eye(3)[axis]
    q = quat.rotation_between(a, -2 * a)
    assert np.allclose(quat.rotate(q, a), -a, atol=1e-15)
    assert np.isclose(np.linalg.norm(q), 1.0)


def test_unroll_keeps_rotations_and_removes_flips(rng: np.random.Generator) -> None:
    """Signs become continuous, rotations do not change."""
    track = quat.exp(np.cumsum(rng.normal(scale=0.05, size=(200, 3, 3)), axis=0))
    flipped = track * rng.choice([-1.0, 1.0], size=(200, 3, 1))
    out = quat.unroll(flipped)
    assert same(out, track)
    assert np.all(np.sum(out[1:] * out[:-1], axis=-1) > 0)


def test_normalise_gives_the_identity_for_nothing() -> None:
    """A zero quaternion becomes the identity, any other gets length 1."""
    out = quat.normalise(np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 4.0]]))
    assert np.allclose(out, [[1, 0, 0, 0], [0, 0, 0.6, 0.8]])


def _case(cases: Path, name: str) -> tuple[dict, dict]:
    found = json.loads(next(cases.glob(f"{name}-*.json")).read_text("utf-8"))
    return found["inputs"], found["expect"]


def test_rotations_half_a_turn_apart_meet_in_the_middle(cases: Path) -> None:
    """At 180 degrees the middle is finite, of length 1, 90 degrees from both ends, and deterministic."""
    inputs, expect = _case(cases, "case079")
    a = np.array(inputs["a"], dtype=float)
    nearly = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(179.9999))
    for b in (np.array(inputs["b"], dtype=float), nearly):
        middle = quat.slerp(a, b, 0.5)
        assert np.isclose(np.linalg.norm(middle), 1.0)
        for end, angle in ((a, expect["angle_to_a"]), (b, expect["angle_to_b"])):
            assert abs(np.degrees(2 * quat.half_angle(middle, end)) - angle) < expect["tol"]
        assert np.array_equal(middle, quat.slerp(a, b, 0.5))


def test_both_signs_of_one_rotation_blend_to_itself(cases: Path) -> None:
    """Between q and -q the rotation is constant."""
    inputs, expect = _case(cases, "case098")
    a, b = np.array(inputs["a"]), np.array(inputs["b"])
    for t in (0.0, 0.25, 0.5, 1.0):
        assert same(quat.slerp(a, b, t), np.array(expect["result"]), 1e-7)


def test_headings_blend_across_180_degrees(cases: Path) -> None:
    """Between 170 and -170 degrees lies 180, never 0."""
    inputs, expect = _case(cases, "case130")
    a, b = quat.from_yaw(np.radians(inputs["a"])), quat.from_yaw(np.radians(inputs["b"]))
    for t, wanted in zip(inputs["t"], expect["result"], strict=True):
        found = np.degrees(quat.yaw(quat.slerp(a, b, t)))
        assert abs((found - wanted + 180) % 360 - 180) < 1e-9
