"""Ground, jerk, knees, limbs: against their definitions, on motions with known faults."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from segue.maths.quaternions import from_axis_angle, multiply
from segue.measures.ground import ground_fit
from segue.measures.intersection import beyond_sources, intersections, segment_distance
from segue.measures.quality import quality
from segue.measures.smoothness import jerks, knee_bends, seam_smoothness
from segue.motion.contacts import contacts
from segue.motion.roles import roles

seeds = st.integers(0, 10_000)


@given(seeds)
def test_segments_are_as_near_as_a_fine_search_finds(seed: int) -> None:
    """No two points of both segments are nearer, and some two are that near."""
    p0, p1, q0, q1 = np.random.default_rng(seed).normal(size=(4, 1, 3))
    found = float(segment_distance(p0, p1, q0, q1)[0])
    s = np.linspace(0, 1, 201)[:, None]
    p, q = p0 + s * (p1 - p0), q0 + s * (q1 - q0)
    searched = np.linalg.norm(p[:, None] - q[None], axis=-1).min()
    reach = (np.linalg.norm(p1 - p0) + np.linalg.norm(q1 - q0)) / 400
    assert found - 1e-9 <= searched <= found + 2 * reach


@given(seeds)
def test_segments_that_are_points_or_parallel(seed: int) -> None:
    """A segment of zero length is a point; the distance of facing parallel segments is that of their lines."""
    rng = np.random.default_rng(seed)
    p, q, u = rng.normal(size=(3, 1, 3))
    assert segment_distance(p, p, q, q)[0] == pytest.approx(np.linalg.norm(p - q))
    side = np.cross(u, rng.normal(size=3))
    assert segment_distance(p, p + u, p + side, p + side + u)[0] == pytest.approx(np.linalg.norm(side))


def test_an_arm_through_the_body_is_found() -> None:
    """An arm rotated into the trunk overlaps it by more than the source does."""
    walk = segue.sample("walk")
    shoulder = roles(walk.skeleton)["left_shoulder"]
    rotations = np.array(walk.rotations)
    rotations[100:120, shoulder] = multiply(
        from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(-60.0)), rotations[100:120, shoulder]
    )
    wrong = walk.with_motion(rotations)
    turned_in = max(
        float(beyond_sources(c, [walk])[100:120].max()) for c in (wrong, mirrored(wrong, shoulder, walk))
    )
    assert turned_in > 0.03
    assert beyond_sources(walk, [walk]).max() == 0.0
    assert beyond_sources(wrong, [walk])[:100].max() == 0.0


def mirrored(wrong: segue.Clip, shoulder: int, walk: segue.Clip) -> segue.Clip:
    """The same with the arm rotated the other way."""
    rotations = np.array(walk.rotations)
    rotations[100:120, shoulder] = multiply(
        from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(60.0)), rotations[100:120, shoulder]
    )
    return walk.with_motion(rotations)


@given(st.floats(-3, 3), st.floats(-50, 50))
def test_limbs_do_not_see_the_ground_plan(turn: float, x: float) -> None:
    """The position of a motion on the ground does not matter."""
    walk = segue.sample("walk", fps=24)
    placing = segue.PlanarMotion(turn, x, -x)
    rotations = np.array(walk.rotations)
    rotations[:, 0] = placing.rotate(rotations[:, 0])
    moved = walk.with_motion(rotations, placing.apply(walk.root_positions))
    assert intersections(moved).deepest == pytest.approx(intersections(walk).deepest, abs=1e-9)


def test_a_sunken_stretch_is_penetration_and_a_lifted_one_floats() -> None:
    """The depth is the distance by which the root was moved."""
    walk = segue.sample("walk")
    planted = contacts(walk).flags
    for by in (-0.03, 0.04):
        roots = np.array(walk.root_positions)
        roots[150:170, 1] += by
        found = ground_fit(walk.with_motion(root_positions=roots), planted=planted)
        deep, high = found.penetration, found.floating
        wrong, other = (deep, high) if by < 0 else (high, deep)
        assert wrong[150:170].max() == pytest.approx(abs(by), abs=0.005)
        assert other[150:170].max() < 0.005
        assert wrong[:150].max() < 0.005


def test_jerk_is_the_third_difference() -> None:
    walk = segue.sample("walk", fps=30)
    at = segue.world_positions(walk)
    found = jerks(walk)
    for frame in (0, 17, len(found) - 1):
        for joint in (0, 5):
            a, b, c, d = at[frame : frame + 4, joint]
            expected = np.linalg.norm(d - 3 * c + 3 * b - a) * 30**3
            assert found[frame, joint] == pytest.approx(expected)


def test_knee_bends_are_angles_between_bones() -> None:
    """A straight knee has angle zero, and a knee rotated about its lateral axis bends by that angle."""
    stand = segue.sample("stand")
    found = roles(stand.skeleton)
    assert knee_bends(stand).max() < 0.6
    rotations = np.tile([1.0, 0, 0, 0], (5, stand.skeleton.n_joints, 1))
    rotations[:, found["left_knee"]] = from_axis_angle(np.array([1.0, 0, 0]), np.linspace(0, 1.2, 5))
    bent = segue.Clip(stand.skeleton, rotations, stand.root_positions[:5], 30)
    rest = knee_bends(bent)[0]
    assert np.abs(knee_bends(bent)[:, 0] - rest[0]) == pytest.approx(np.linspace(0, 1.2, 5), abs=0.1)
    assert knee_bends(bent)[:, 1] == pytest.approx(rest[1])


def test_a_hard_cut_is_rougher_than_a_blend() -> None:
    """A hard cut has more jerk and harder knees, at its seam."""
    walk, run = segue.sample("walk"), segue.sample("run")
    point = segue.transition_points(walk, run, threshold=1e9)[0]
    cut, blend = (
        seam_smoothness(segue.splice(walk, run, point, length=length), [walk, run])
        for length in ("cut", "fixed")
    )
    assert len(cut) == len(blend) == 1
    assert cut[0].jerk > 2 * blend[0].jerk
    assert cut[0].knee > blend[0].knee


def test_quality_of_a_captured_like_clip() -> None:
    """A clip has its skeleton's bone lengths, and nothing is compared without sources."""
    found = quality(segue.sample("run"))
    assert found.bone_error < 1e-9
    assert found.seams == ()
    assert found.jerk.shape == (segue.sample("run").n_frames - 3,)
