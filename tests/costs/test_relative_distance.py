"""Joint relative distance: twin, rigid invariance, weights, missing joints."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.costs import relative_distance
from segue.costs.matrix import cost_matrix, next_frame_costs, prepare_all
from segue.costs.relative_distance import (
    JOINTS,
    RelativeDistanceCost,
    columns,
    mirrored,
    pair_weights,
    symmetric_pairs,
)
from segue.errors import SettingError, SkeletonError
from segue.io import load
from segue.learning.pose_pairs import pose_pairs
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import exp, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.resample import resampled
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.motion.standard_body import standard_body

FLOAT32 = 1e-6
FLOAT64 = 1e-12


def poses(clip: Clip) -> list[dict[str, np.ndarray]]:
    """Positions of the mean body's joints, scaled to 1.75 m."""
    body = standard_body(resampled(clip, 30.0))
    return [
        {role: places[f] * 1.75 / body.stature for role, places in body.joints.items()}
        for f in range(body.starts.shape[0])
    ]


@pytest.mark.data
def test_matrix_is_the_twin_on_real_clips(data):
    """Cells of the matrix of two subjects equal plain loops over eq. 4.2 to 4.4."""
    clips = load(data / "asf_amc/05/05_03.amc"), load(data / "asf_amc/16/16_35.amc")
    exact, single = RelativeDistanceCost(dtype="float64"), RelativeDistanceCost()
    values, rough = (cost_matrix(*clips, cost=cost).values for cost in (exact, single))
    a, b = (poses(clip) for clip in clips)
    pairs = pair_weights("default")
    for i, j in itertools.product((0, 7, 50, len(a) - 1), (0, 11, len(b) - 1)):
        twin = relative_distance(a[i], b[j], pairs)
        assert values[i, j] == pytest.approx(twin, abs=FLOAT64)
        assert rough[i, j] == pytest.approx(twin, abs=FLOAT32)


@pytest.mark.data
def test_ground_motion_keeps_every_error_to_1e_9(data):
    """Turning a real clip and moving it by 1 km changes no cost by more than 1e-9 relative in float64."""
    a, b = load(data / "asf_amc/02/02_02.amc"), load(data / "asf_amc/16/16_16.amc")
    cost = RelativeDistanceCost(dtype="float64")
    before = cost_matrix(a, b, cost=cost).values
    after = cost_matrix(a, moved(b, PlanarMotion(0.9, 1000.0, -400.0)), cost=cost).values
    np.testing.assert_allclose(after, before, rtol=1e-9)


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3), st.floats(-50, 50))
def test_any_rigid_motion_changes_nothing(turn, lift):
    """Rotating a body about any axis changes no cost."""
    cost = RelativeDistanceCost(dtype="float64")
    walk, run = sample("walk", 30.0), sample("run", 30.0)
    q = exp(np.array(turn))
    rotations = np.array(run.rotations)
    rotations[:, 0] = multiply(q, rotations[:, 0])
    tumbled = run.with_motion(rotations, rotate(q, run.root_positions) + np.array([lift, lift, 0]))
    np.testing.assert_allclose(
        cost_matrix(walk, tumbled, cost=cost).values, cost_matrix(walk, run, cost=cost).values, atol=1e-11
    )


def test_self_cost_symmetry_and_triangle():
    """The cost is zero against itself, symmetric, and obeys the triangle inequality."""
    cost = RelativeDistanceCost(dtype="float64")
    a, b, c = prepare_all([sample("walk"), sample("run"), sample("step_touch")], cost)
    assert np.all(cost.matrix(a, a).diagonal() == 0)
    np.testing.assert_allclose(cost.matrix(a, b), cost.matrix(b, a).T, atol=FLOAT64)
    detour = (cost.matrix(a, c)[:, None, :] + cost.matrix(b, c)[None, :, :]).min(axis=2)
    assert np.all(cost.matrix(a, b) <= detour + FLOAT64)


@pytest.mark.parametrize(("rows", "long"), [(1, 0.5), (2, 60.0), (3, 1.0), (5, 103.0)])
def test_blocks_of_any_size(rows, long):
    """Rows that are no multiple of four and columns beyond one block agree with the definition."""
    cost = RelativeDistanceCost(dtype="float64")
    turning = sample("walk_turn_left", 30.0, seconds=long)
    few = sample("walk", 30.0)
    few = few.with_motion(
        few.rotations[:rows], few.root_positions[:rows], origin=few.origin.take(range(rows))
    )
    a, b = prepare_all([few, turning], cost)
    values = cost.matrix(a, b)
    assert values.shape == (rows, turning.n_frames)
    j = np.array([0, b.n // 2, b.n - 1])
    for i in range(rows):
        np.testing.assert_allclose(values[i, j], cost.pairs(a, b, np.full(3, i), j), atol=FLOAT64)


def test_next_frame_costs_are_the_first_off_diagonal():
    """Costs of consecutive frames equal the cells next to the diagonal."""
    cost = RelativeDistanceCost(dtype="float64")
    walk = cost.prepare(sample("walk"))
    np.testing.assert_allclose(
        next_frame_costs(walk, cost), np.diagonal(cost.matrix(walk, walk), 1), atol=FLOAT64
    )


def test_pairs_and_mirror_images():
    """Every pair of roles occurs once, itself or as a mirror image; the two columns carry half the weight each."""
    pairs = symmetric_pairs()
    met = [frozenset(pair) for pair in pairs]
    met += [frozenset(map(mirrored, pair)) for pair in pairs]
    assert set(met) == {frozenset(pair) for pair in itertools.combinations(JOINTS, 2)}
    assert len(set(map(frozenset, pairs))) == len(pairs)
    assert sum(column.weight for column in columns(pair_weights("uniform"))) == pytest.approx(1)
    assert {c.weight for c in columns([("left_wrist", "right_wrist", 1.0)])} == {1.0}
    assert [c.weight for c in columns([("left_wrist", "head", 1.0)])] == [0.5, 0.5]


def test_default_weights_are_30_symmetric_pairs():
    """The default weights are 30 pairs, strongest first, sum 1, none twice."""
    chosen = pair_weights("default")
    weights = [weight for *_, weight in chosen]
    assert len(chosen) == 30
    assert weights == sorted(weights, reverse=True)
    assert min(weights) > 0
    assert sum(weights) == pytest.approx(1)
    known = set(symmetric_pairs())
    assert all((first, second) in known for first, second, _ in chosen)


@pytest.mark.data
def test_default_weights_tell_held_out_pairs_apart(data):
    """On held-out clips similar pairs cost less on average, for every kind of motion."""
    held = {"walk": ["16/16_32", "16/16_58"], "run": ["16/16_36", "127/127_06"], "dance": ["05/05_16"]}
    held["fight"] = ["17/17_10"]
    names = symmetric_pairs()
    weights = np.zeros(len(names))
    for first, second, weight in pair_weights("default"):
        weights[names.index((first, second))] = weight
    for kind, clips in held.items():
        loaded = [load(data / "asf_amc" / f"{clip}.amc") for clip in clips]
        pairs = pose_pairs([loaded], each=400, rng=np.random.default_rng(1))
        cost = pairs.differences @ weights
        assert cost[pairs.labels == 0].mean() < 0.6 * cost[pairs.labels == 1].mean(), kind


def without(clip: Clip, gone: str) -> Clip:
    """The clip without a joint and all beyond it; a renamed joint would still be recognised by its position."""
    old = clip.skeleton
    kept = [k for k in range(old.n_joints) if old.names[k] != gone]
    kept = [k for k in kept if k == 0 or old.parents[k] in kept]
    names = [old.names[k] for k in kept]
    parents = [-1, *(kept.index(old.parents[k]) for k in kept[1:])]
    return Clip(
        Skeleton(names, parents, old.offsets[kept]), clip.rotations[:, kept], clip.root_positions, 30.0
    )


def test_bodies_that_lack_joints_are_compared_on_shared_pairs():
    """Without an elbow, pairs with that arm are left out on both sides, and the remaining weights sum to 1."""
    cost = RelativeDistanceCost(dtype="float64")
    walk, run = sample("walk", 30.0), sample("run", 30.0)
    bare = without(run, "LeftForeArm")
    values = cost_matrix(walk, bare, cost=cost).values
    arm = ("shoulder", "elbow", "wrist")
    kept = [row for row in pair_weights("default") if not any(role.endswith(arm) for role in row[:2])]
    expected = cost_matrix(walk, run, cost=RelativeDistanceCost(weights=tuple(kept), dtype="float64")).values
    np.testing.assert_allclose(values, expected, atol=FLOAT64)
    np.testing.assert_allclose(cost_matrix(bare, walk, cost=cost).values, expected.T, atol=FLOAT64)


def test_refuses_what_it_cannot_weigh():
    """Unknown weights and bodies without known joints are refused with a hint."""
    with pytest.raises(SettingError, match="uniform"):
        RelativeDistanceCost(weights="best")
    with pytest.raises(SettingError, match="no pair of roles"):
        RelativeDistanceCost(weights=(("left_wing", "head", 1.0),))
    with pytest.raises(SettingError, match="0 or more"):
        RelativeDistanceCost(weights=(("left_wrist", "head", -1.0),))
    with pytest.raises(SettingError, match="all be zero"):
        RelativeDistanceCost(weights=(("left_wrist", "head", 0.0),))
    blob = Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 1, 0]])
    clip = Clip(blob, np.tile([1.0, 0, 0, 0], (5, 2, 1)), np.zeros((5, 3)), 30.0, name="blob")
    with pytest.raises(SkeletonError, match="blob"):
        RelativeDistanceCost().prepare(clip)
