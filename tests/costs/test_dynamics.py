"""Dynamics and hand-set weights: twin, direct minimisation, laws of the weights, contacts of any part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from naive import dynamics as naive
from segue.costs.engine.tiles import lay
from segue.costs.matrix import cost_matrix, prepare_all
from segue.costs.point_cloud import PointCloudCost
from segue.costs.weightings import BRANCHES, DISPLACED, SUPPORTED, SUPPORTS, HandSet, part_weights
from segue.errors import SettingError, SkeletonError
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.motion.body import MASSES, SEGMENTS
from segue.motion.clip import Clip
from segue.motion.contacts import touching
from segue.motion.facing import moved
from segue.motion.resample import cut, resampled
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton

FLOAT32, FLOAT64 = 1e-5, 1e-11
OPTIONS = [
    {"weighting": "dynamics"},
    {"weighting": "dynamics", "align": "centre"},
    {"weighting": "dynamics", "weights_of": "source"},
    {"weighting": "dynamics", "cloud": "joints"},
    {"weighting": "dynamics", "cloud": "bodies"},
    {"weighting": "dynamics", "points_per_segment": 12},
    {"weighting": "dynamics", "lifting": 0.5},
    {"weighting": "hand_set"},
    {"weighting": "hand_set", "carrier": 0.0, "torso": 3.0},
    {"weighting": "hand_set", "weights_of": "source", "align": "centre"},
    {"weighting": "uniform", "lifting": 1.0},
    {"weighting": "uniform", "cloud": "joints"},
]
_FEW = [
    one if k in (0, 1, 6, 10) else pytest.param(one, marks=pytest.mark.slow) for k, one in enumerate(OPTIONS)
]
"""All options; those whose kernels are also run by others are marked slow."""


def twin_of(cost, a, b):
    """The naive cost of a cell, from the points and the ground contacts of two prepared clips."""
    h = cost.half_window
    pa, pb = a.cloud.points * a.cloud.scale, b.cloud.points * b.cloud.scale
    parts = tuple(dict.fromkeys(a.cloud.segments))
    both = cost.weights_of == "both"
    down = [p.features["weights"].friction for p in (a, b)]

    def on(side, frame):
        if down[side] is None:
            return set()
        return {part for part, f in zip(parts, down[side][frame], strict=True) if f > 0}

    def weight(part, s, t):
        if cost.weighting == "dynamics":
            # Parts that support are those on the ground and all inward of them; the twin spreads contacts itself.
            return naive.pair_weight(part, on(0, s), on(1, t), both=both)
        if cost.weighting == "hand_set":
            carrying = [
                next(iter(on(side, f)), None) if down[side] is not None else None
                for side, f in ((0, s), (1, t))
            ]
            return naive.hand_set_weight(part, *carrying, torso=cost.torso, carrier=cost.carrier, both=both)
        return 1.0 / len(parts)

    def value(i, j):
        window = {"half": h, "part_of": a.cloud.segments, "weight": weight}
        out = naive.dynamics(pa, pb, i + h, j + h, align=cost.align, **window)
        return (
            out + naive.rises(pa, pb, i + h, j + h, lifting=cost.lifting, **window) if cost.lifting else out
        )

    return value


@pytest.mark.parametrize("settings", _FEW, ids=lambda s: "-".join(str(v) for v in s.values()))
def test_matrix_and_pairs_are_the_twin(settings):
    """Cells equal plain loops over the paper's definition, minimised by searching the turn."""
    cost = PointCloudCost(dtype="float64", **settings)
    single = PointCloudCost(**settings)
    clips = [sample("run"), sample("step_touch")]
    a, b = prepare_all(clips, cost)
    values, rough = cost.matrix(a, b), single.matrix(*prepare_all(clips, single))
    twin = twin_of(cost, a, b)
    # Off the minimum the cost is linear in the turn, which the search finds to 1e-8; at the minimum it is quadratic.
    near = 1e-10 if cost.align == "window" else 1e-7
    for i, j in ((0, 0), (13, 20), (a.n - 1, b.n - 1)):
        expected = twin(i, j)
        direct = cost.pairs(a, b, np.array([i]), np.array([j]))[0]
        assert values[i, j] == pytest.approx(direct, abs=FLOAT64)
        assert direct == pytest.approx(expected, rel=near, abs=FLOAT64)
        assert rough[i, j] == pytest.approx(expected, abs=FLOAT32)


def test_weights_of_the_body_are_the_twins():
    """Masses, the tree and the supporting parts agree with the twin for every part and contact."""
    assert sum(MASSES.values()) == pytest.approx(1)
    for k, part in enumerate(SEGMENTS):
        assert MASSES[part] == naive.MASS[part]
        assert DISPLACED[k] == pytest.approx(naive.mass_weight(part))
        for m, contact in enumerate(SEGMENTS):
            expected = naive.friction_weight(part, {contact})
            assert SUPPORTS[k, m] * SUPPORTED[k] == pytest.approx(expected)
    assert set(BRANCHES) == {"head", "left_arm", "right_arm", "left_leg", "right_leg"}


@given(seed=st.integers(0, 2**32 - 1))
def test_closed_form_is_the_direct_minimum(seed):
    """On random clouds with random weights, minimising over turn and shift finds nothing lower."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 20, 3)) * rng.uniform(0.1, 2.0)
    weights = rng.uniform(0.0, 2.0, 20)
    cloud = list(zip(weights, a.tolist(), b.tolist(), strict=True))
    closed = naive.cost_at(cloud, *naive.best_motion(cloud))
    direct = min(
        minimize(lambda t: naive.cost_at(cloud, *t), [start, 0.0, 0.0]).fun for start in (0.0, 2.1, 4.2)
    )
    assert closed == pytest.approx(direct, rel=1e-8)


def test_a_constrained_pair_costs_more_than_a_free_one():
    """The same displacement of the same poses costs more the more of both moments is on the ground."""
    cost = PointCloudCost(weighting="dynamics", window_seconds=0.0, dtype="float64")
    a = cost.prepare(cut(sample("walk"), 0, 1))
    b = cost.prepare(cut(sample("walk"), 30, 31))
    costs = {}
    for here in (False, True):
        for there in (False, True):
            pair = []
            for prepared, down in ((a, here), (b, there)):
                flags = np.zeros((1, len(SEGMENTS)), dtype=bool)
                flags[:, SEGMENTS.index("left_foot")] = flags[:, SEGMENTS.index("right_foot")] = down
                weights = part_weights("dynamics", prepared.cloud, flags, hand_set=HandSet())
                features = {**prepared.features, "weights": weights}
                pair.append(type(prepared)(**{**prepared.__dict__, "features": features}))
            costs[here, there] = float(cost.pairs(*pair, np.array([0]), np.array([0]))[0])
    assert costs[False, False] < costs[False, True] < costs[True, True]
    assert costs[False, False] < costs[True, False] < costs[True, True]


@pytest.mark.parametrize("weighting", ["dynamics", pytest.param("hand_set", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("dtype", "error"), [pytest.param("float32", FLOAT32, marks=pytest.mark.slow), ("float64", FLOAT64)]
)
def test_ground_motions_change_nothing(weighting, dtype, error):
    """Turning and moving a clip, also by 1 km, changes no cost beyond the stated float error."""
    cost = PointCloudCost(weighting=weighting, dtype=dtype)
    walk, turning = sample("walk"), sample("walk_turn_left")
    before = cost_matrix(walk, turning, cost=cost).values
    for away in (0.0, 1000.0):
        gone = moved(turning, PlanarMotion(2.3, away, -0.7 * away))
        assert np.abs(before - cost_matrix(walk, gone, cost=cost).values).max() < error * (10 if away else 1)


@pytest.mark.slow
def test_fast_travel_changes_nothing():
    """Clips that also travel at 5 m/s keep the stated float error."""

    def run_off(clip: Clip) -> Clip:
        ahead = np.arange(clip.n_frames)[:, None] * np.array([5.0 / clip.fps, 0.0, 0.0])
        return clip.with_motion(root_positions=clip.root_positions + ahead)

    clips = [run_off(sample(name, seconds=20.0)) for name in ("walk", "run")]
    exact = PointCloudCost(weighting="dynamics", dtype="float64")
    rough = PointCloudCost(weighting="dynamics")
    difference = cost_matrix(*clips, cost=rough).values - cost_matrix(*clips, cost=exact).values
    assert np.abs(difference).max() < FLOAT32


def cells_of(cost, a, b):
    """Every cell of two prepared clips, computed in strips and blocks of other sizes."""
    tiles, out = cost.tiles(lay([a]), lay([b])), np.empty((a.n + -a.n % 4, b.n + -b.n % 64), dtype=np.float32)
    for first in range(0, out.shape[1], 64):
        fill = tiles.strip(first, first + 64)
        for start in range(0, out.shape[0], 20):
            stop = min(start + 20, out.shape[0])
            part = np.empty((stop - start, 64), dtype=np.float32)
            fill(start, stop, part)
            out[start:stop, first : first + 64] = part
    return out[: a.n, : b.n]


_ALSO = [pytest.param(one, marks=pytest.mark.slow) for one in OPTIONS[2:6] + OPTIONS[7:8]]


@pytest.mark.parametrize("settings", [OPTIONS[0], *_ALSO], ids=str)
def test_a_cell_does_not_depend_on_where_strips_are_cut(settings):
    cost = PointCloudCost(**settings)
    a, b = prepare_all([sample("run"), sample("walk_turn_left")], cost)
    np.testing.assert_array_equal(cost.matrix(a, b), cells_of(cost, a, b))


@pytest.mark.slow
def test_windows_of_other_lengths_slide_too():
    """Windows longer than usual use the general sum; very long ones are computed directly."""
    walk, run = sample("walk"), sample("run")
    for seconds in (0.0, 0.2, 0.5, 1.2):
        rough, exact = (
            PointCloudCost(weighting="dynamics", window_seconds=seconds, dtype=dtype)
            for dtype in ("float32", "float64")
        )
        values = cost_matrix(walk, run, cost=rough).values - cost_matrix(walk, run, cost=exact).values
        assert np.abs(values).max() < FLOAT32


@pytest.mark.slow
def test_clips_on_another_floor_keep_their_precision():
    """Clips 30 m up cost the same as below to the stated error, and against one below to 1e-6 relative."""
    cost = PointCloudCost(weighting="dynamics")
    walk, run = sample("walk"), sample("run")
    up, above = (
        c.with_motion(root_positions=c.root_positions + np.array([0.0, 30.0, 0.0])) for c in (walk, run)
    )
    before = cost_matrix(walk, run, cost=cost).values
    assert np.abs(cost_matrix(up, above, cost=cost).values - before).max() < FLOAT32
    exact = PointCloudCost(weighting="dynamics", dtype="float64")
    apart = cost_matrix(walk, above, cost=exact).values
    np.testing.assert_allclose(cost_matrix(walk, above, cost=cost).values, apart, rtol=1e-6)


@pytest.mark.slow
def test_symmetric_unless_asked_otherwise():
    """With both contacts weighed, exchanging the clips transposes; with the source's only, or rises, it does not."""
    walk, run = sample("walk"), sample("run")
    for settings, same in (({}, True), ({"weights_of": "source"}, False), ({"lifting": 1.0}, False)):
        cost = PointCloudCost(weighting="dynamics", **settings)
        there, back = (cost_matrix(*pair, cost=cost).values for pair in ((walk, run), (run, walk)))
        assert np.allclose(there, back.T, atol=FLOAT32) is same


def test_rising_costs_more_than_sinking():
    """From a low moment to a high one costs more than back, by the weighted squared rise."""
    cost = PointCloudCost(weighting="dynamics", lifting=0.5, dtype="float64")
    walk = sample("walk")
    up = walk.with_motion(root_positions=walk.root_positions + np.array([0.0, 0.2, 0.0]))
    plain = PointCloudCost(weighting="dynamics", dtype="float64")
    base = cost_matrix(walk, up, cost=plain).values.diagonal()
    assert cost_matrix(walk, up, cost=cost).values.diagonal() == pytest.approx(1.5 * base)
    assert cost_matrix(up, walk, cost=cost).values.diagonal() == pytest.approx(0.5 * base)


@pytest.mark.slow
def test_dense_clouds_converge():
    """More points on a rigid part only improve the approximation of its roundness."""
    walk, run = sample("walk"), sample("run")
    costs = [
        cost_matrix(walk, run, cost=PointCloudCost(weighting="dynamics", points_per_segment=n)).values
        for n in (16, 128)
    ]
    np.testing.assert_allclose(costs[0], costs[1], rtol=0.02, atol=1e-4)


@pytest.mark.data
def test_hands_back_and_thighs_touch_in_a_dive_and_a_fall(data):
    """In a dive over a roll a hand touches, then hip and leg; a boxer falls on his back and stays there."""
    roll = touching(load(data / "asf_amc/127/127_23.amc"))
    found = {SEGMENTS[s] for s in np.flatnonzero(roll.any(axis=0))}
    assert {"left_hand", "pelvis", "left_thigh", "left_foot", "right_foot"} <= found
    order = [np.flatnonzero(roll[:, SEGMENTS.index(part)])[0] for part in ("left_hand", "pelvis")]
    assert order == sorted(order)
    fall = touching(load(data / "misc/assimp/Boxing_Toes.bvh"))
    late = fall[2450:2750].mean(axis=0)
    assert all(late[SEGMENTS.index(part)] > 0.9 for part in ("pelvis", "trunk"))
    assert not fall[:2300, [SEGMENTS.index(part) for part in ("pelvis", "trunk", "left_hand")]].any()


@pytest.mark.data
def test_contacts_do_not_depend_on_the_heading(data):
    """A boxer turned and moved by 1 km touches the ground in the same frames."""
    boxer = resampled(load(data / "asf_amc/17/17_10.amc"), 30.0)
    for turn, away in ((2.1, 0.0), (-0.7, 1000.0)):
        np.testing.assert_array_equal(touching(boxer), touching(moved(boxer, PlanarMotion(turn, away, away))))


@pytest.mark.data
def test_upright_motion_touches_with_its_feet_only(data):
    """Walks, runs and boxing touch the ground with both feet and no other part."""
    for name in ("16/16_31", "16/16_35", "02/02_05", "17/17_10"):
        flags = touching(load(data / f"asf_amc/{name}.amc")).any(axis=0)
        assert {SEGMENTS[s] for s in np.flatnonzero(flags)} == {"left_foot", "right_foot"}


def test_flight_has_no_carrier_and_standing_has_the_foot_below():
    """Hand-set: the carrier is the touching part nearest below the centre of mass; in flight there is none."""
    cost = PointCloudCost(weighting="hand_set")
    run = cost.prepare(sample("run"))
    friction = run.features["weights"].friction
    feet = [SEGMENTS.index("left_foot"), SEGMENTS.index("right_foot")]
    assert set(np.flatnonzero(friction.any(axis=0))) == set(feet)
    assert ((friction > 0).sum(axis=1) <= 1).all()
    assert not friction.any(axis=1).all()


def test_bodies_without_legs_are_refused():
    """A snake has no known masses: the error names a weighting that works."""
    offsets = [[0.0, 0.0, 0.3 * (k > 0)] for k in range(3)]
    rotations = np.tile([1.0, 0, 0, 0], (30, 3, 1))
    snake = Clip(Skeleton(("a", "b", "c"), np.arange(3) - 1, offsets), rotations, np.zeros((30, 3)), 30.0)
    with pytest.raises(SkeletonError, match="uniform"):
        PointCloudCost(weighting="dynamics").prepare(snake)
    for cloud in ("joints", "bodies"):
        assert cost_matrix(snake, snake, cost=PointCloudCost(cloud=cloud)).values.diagonal().max() < 1e-6


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"weighting": "dynamic"}, "dynamics"),
        ({"cloud": "bones"}, "capsules"),
        ({"weights_of": "target"}, "source"),
        ({"lifting": 1.5}, "0 to 1"),
        ({"lifting": float("nan")}, "0 to 1"),
        ({"torso": -1.0}, "torso"),
        ({"carrier": float("inf")}, "carrier"),
    ],
)
def test_refuses_impossible_settings(settings, word):
    """The errors name the allowed values."""
    with pytest.raises(SettingError, match=word):
        PointCloudCost(**settings)
