"""Leg IK: every frame against a search for the bend, and the properties of a solution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive import feet as naive
from segue.errors import SettingError
from segue.maths.quaternions import half_angle, normalise
from segue.motion.kinematics import World, forward, world
from segue.motion.limb_ik import Leg, leg_reach, reach_ankle, reach_ankles
from segue.motion.skeleton import Skeleton

seeds = st.integers(0, 10_000)
TWISTED = Skeleton(
    ["root", "pelvis", "hip", "thigh twist", "knee", "shin twist", "ankle"],
    [-1, 0, 1, 2, 3, 4, 5],
    np.tile([0.0, -0.2, 0.0], (7, 1)),
)
LEG = Leg(2, 4, 6)


def any_world(rng: np.random.Generator, n: int) -> World:
    """Joints with random positions and orientations."""
    return World(normalise(rng.normal(size=(n, 7, 4))), rng.normal(size=(n, 7, 3)))


@given(seeds, st.integers(2, 5))
def test_legs_reach_as_their_twin(seed: int, n: int) -> None:
    """Local rotations of random legs are the twin's: one stretched, one sent the opposite way, most out of reach."""
    rng = np.random.default_rng(seed)
    at = any_world(rng, n)
    hip, knee, ankle = (at.positions[:, joint] for joint in (LEG.hip, LEG.knee, LEG.ankle))
    ankle[0] = knee[0] + 0.9 * (knee[0] - hip[0])
    goals, feet = rng.normal(size=(n, 3)), normalise(rng.normal(size=(n, 4)))
    goals[-1] = hip[-1] - ankle[-1]
    found = reach_ankle(TWISTED, at, LEG, hips=hip, ankles=hip + goals, feet=feet)
    thighs, shanks = (knee - hip).tolist(), (ankle - knee).tolist()
    axes = naive.hinge_axes(thighs, shanks, at.rotations[:, LEG.hip].tolist(), 0.05)
    for k in range(n):
        turns = [at.rotations[k, joint].tolist() for joint in (2, 4, 1, 3, 5)] + [feet[k].tolist()]
        local = naive.reach(thighs[k], shanks[k], axes[k], goals[k].tolist(), turns)
        assert half_angle(np.array([each[k] for each in found]), np.array(local)) == pytest.approx(
            0, abs=1e-6
        )


@given(seeds)
def test_ankles_lie_where_they_are_asked_for(seed: int) -> None:
    """Forward kinematics puts ankle and foot at their targets, and knees do not bend the other way."""
    rng = np.random.default_rng(seed)
    walk = segue.sample("walk")
    at, leg = world(walk), Leg.of(walk.skeleton, ("left", "right")[seed % 2])
    rows = np.sort(rng.choice(walk.n_frames, 12, replace=False))
    hips = at.positions[rows, leg.hip]
    asked = at.positions[rows, leg.ankle] + rng.normal(size=(12, 3)) * 0.03
    feet = normalise(rng.normal(size=(12, 4)))
    rotations = walk.rotations[rows]
    rotations[:, [leg.hip, leg.knee, leg.ankle]] = np.stack(
        reach_ankle(walk.skeleton, at, leg, hips=hips, ankles=asked, feet=feet, rows=rows), axis=1
    )
    made = forward(walk.skeleton, rotations, walk.root_positions[rows])
    far = np.linalg.norm(asked - hips, axis=-1)
    near = far < 0.999 * leg_reach(at, leg)[rows]
    assert made.positions[near, leg.ankle] == pytest.approx(asked[near], abs=1e-9)
    reached = made.positions[:, leg.ankle] - hips
    assert np.cross(reached, asked - hips) == pytest.approx(0, abs=1e-9)
    assert half_angle(made.rotations[:, leg.ankle], feet) == pytest.approx(0, abs=1e-7)
    bends = [
        np.cross(each[:, leg.knee] - each[:, leg.hip], each[:, leg.ankle] - each[:, leg.knee])
        for each in (at.positions[rows], made.positions)
    ]
    assert ((bends[0] * bends[1]).sum(axis=-1)[near] > 0).all()


def test_legs_together_reach_as_each_alone(rng: np.random.Generator) -> None:
    """Two legs solved in one batch give the same bits as each alone; without `rows` all frames are solved."""
    walk = segue.sample("walk")
    at, legs = world(walk), [Leg.of(walk.skeleton, side) for side in ("left", "right")]
    hips, ankles = (
        np.stack([at.positions[:, joint] for joint in joints])
        for joints in ([leg.hip for leg in legs], [leg.ankle for leg in legs])
    )
    ankles += 0.02 * rng.normal(size=ankles.shape)
    feet = np.stack([at.rotations[:, leg.ankle] for leg in legs])
    found = reach_ankles(walk.skeleton, at, legs, hips=hips, ankles=ankles, feet=feet)
    for k, leg in enumerate(legs):
        alone = reach_ankle(walk.skeleton, at, leg, hips=hips[k], ankles=ankles[k], feet=feet[k])
        assert np.array_equal(found[k], np.stack(alone, axis=1))


def test_a_leg_that_never_bends_stays_straight() -> None:
    """Without a bend axis the leg stays straight, points at targets out of reach, and gets unit quaternions."""
    at = forward(TWISTED, np.tile([1.0, 0, 0, 0], (3, 7, 1)), np.zeros((3, 3)))
    hips = at.positions[:, LEG.hip]
    asked = hips + np.array([[0, -0.5, 0], [0.5, 0, 0], [0, 0, 0]])
    found = np.stack(reach_ankle(TWISTED, at, LEG, hips=hips, ankles=asked, feet=at.rotations[:, 6]), axis=1)
    assert np.linalg.norm(found, axis=-1) == pytest.approx(1, abs=1e-12)
    assert found[:, 1] == pytest.approx(np.tile([1.0, 0, 0, 0], (3, 1)))
    rotations = np.tile([1.0, 0, 0, 0], (3, 7, 1))
    rotations[:, [2, 4, 6]] = found
    made = forward(TWISTED, rotations, np.zeros((3, 3))).positions[:, 6] - hips
    assert made == pytest.approx(np.array([[0, -0.8, 0], [0.8, 0, 0], [0, -0.8, 0]]), abs=1e-12)


@given(seeds)
def test_a_straight_leg_turned_any_way_gets_whole_turns(seed: int) -> None:
    """The cross product of its bones is rounding error only and is not used as a bend axis."""
    rng = np.random.default_rng(seed)
    rotations = np.tile([1.0, 0, 0, 0], (3, 7, 1))
    rotations[:, 0] = normalise(rng.normal(size=4))
    rotations[:, 2] = normalise(rng.normal(size=(3, 4)))
    at = forward(TWISTED, rotations, np.zeros((3, 3)))
    hips, feet = at.positions[:, LEG.hip], normalise(rng.normal(size=(3, 4)))
    asked = hips + rng.normal(size=(3, 3)) * 0.2
    found = np.stack(reach_ankle(TWISTED, at, LEG, hips=hips, ankles=asked, feet=feet), axis=1)
    assert np.linalg.norm(found, axis=-1) == pytest.approx(1, abs=1e-12)
    assert half_angle(found[:, 1], np.array([1.0, 0, 0, 0])) == pytest.approx(0, abs=1e-7)


def test_a_hip_may_be_the_root(rng: np.random.Generator) -> None:
    """A hip without a parent has a local rotation equal to its world rotation, and its leg reaches like any other."""
    body = Skeleton(["hip", "knee", "ankle"], [-1, 0, 1], np.array([[0.0, 0, 0], [0, -0.4, 0], [0, -0.4, 0]]))
    turns = normalise(np.array([1.0, 0, 0, 0]) + 0.3 * rng.normal(size=(4, 3, 4)))
    at = forward(body, turns, rng.normal(size=(4, 3)))
    hips, feet = at.positions[:, 0], at.rotations[:, 2]
    asked = hips + 0.9 * (at.positions[:, 2] - hips)
    found = np.stack(reach_ankle(body, at, Leg(0, 1, 2), hips=hips, ankles=asked, feet=feet), axis=1)
    made = forward(body, found, hips)
    assert made.positions[:, 2] == pytest.approx(asked, abs=1e-9)
    assert half_angle(made.rotations[:, 2], feet) == pytest.approx(0, abs=1e-7)


def test_legs_of_other_shapes_are_refused() -> None:
    """A single foot orientation for all frames is refused; each frame needs one."""
    walk = segue.sample("walk")
    at, leg = world(walk), Leg.of(walk.skeleton, "left")
    hips, ankles, feet = at.positions[:, leg.hip], at.positions[:, leg.ankle], at.rotations[:1, leg.ankle]
    with pytest.raises(SettingError, match="feet"):
        reach_ankle(walk.skeleton, at, leg, hips=hips, ankles=ankles, feet=feet)
