"""The windowed point-cloud cost: twin, direct minimisation, invariances, float error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from naive.costs import best_ground_motion, point_cloud, squared_distance
from segue.costs.clouds import REFERENCE_STATURE, point_weights, window_weights
from segue.costs.matrix import cost_matrix, next_frame_costs, prepare_all
from segue.costs.point_cloud import PointCloudCost
from segue.errors import SettingError, SkeletonError
from segue.io import load
from segue.maths.planar import PlanarMotion, fit
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton

FLOAT32 = 1e-6
FLOAT64 = 1e-12


@pytest.fixture(scope="module")
def real(data):
    """A boxer and a walker of two subjects."""
    return load(data / "asf_amc/02/02_05.amc"), load(data / "asf_amc/16/16_31.amc")


def scaled_clip(clip: Clip, factor: float) -> Clip:
    """The same motion of a body of another size."""
    old = clip.skeleton
    skeleton = Skeleton(old.names, old.parents, old.offsets * factor)
    return Clip(skeleton, clip.rotations, clip.root_positions * factor, clip.fps)


def plain(clip: Clip) -> Clip:
    """The clip without end sites, so that scaled copies agree."""
    return scaled_clip(clip, 1.0)


@pytest.mark.data
@pytest.mark.parametrize("align", ["window", "centre"])
def test_matrix_is_the_twin_on_real_clips(real, align):
    """Cells of the matrix of two subjects equal plain loops over the papers' formulas."""
    cost = PointCloudCost(align=align, dtype="float64")
    single = PointCloudCost(align=align)
    a, b = prepare_all(real, cost)
    values = cost.matrix(a, b)
    rough = single.matrix(*prepare_all(real, single))
    h = cost.half_window
    pa, pb = a.cloud.points * a.cloud.scale, b.cloud.points * b.cloud.scale
    for i in (0, 57, a.n // 2, 200, a.n - 1):
        for j in (0, 31, b.n - 1):
            twin = point_cloud(pa, pb, i + h, j + h, half=h, part_of=a.cloud.segments, align=align)
            assert values[i, j] == pytest.approx(twin, abs=FLOAT64)
            assert rough[i, j] == pytest.approx(twin, abs=FLOAT32)
            assert cost.pairs(a, b, np.array([i]), np.array([j]))[0] == pytest.approx(twin, abs=FLOAT64)


@given(seed=st.integers(0, 2**32 - 1))
def test_closed_form_is_the_direct_minimum(seed):
    """On random clouds and weights, no turn and shift found by direct minimisation is better than the closed form."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 20, 3)) * rng.uniform(0.1, 2.0)
    weights = rng.uniform(0.01, 1.0, 20)
    motion = fit(a, b, weights)
    cloud_a = [(w, *p) for w, p in zip(weights, a, strict=True)]
    cloud_b = [(w, *p) for w, p in zip(weights, b, strict=True)]
    closed = squared_distance(cloud_a, cloud_b, (motion.turn, motion.x, motion.z))
    assert (motion.turn, motion.x, motion.z) == pytest.approx(best_ground_motion(cloud_a, cloud_b), abs=1e-9)
    direct = min(
        minimize(
            lambda t: np.sum(weights[:, None] * (a - PlanarMotion(*t).apply(b)) ** 2), [start, 0.0, 0.0]
        ).fun
        for start in (0.0, 2.1, 4.2)
    )
    assert closed == pytest.approx(direct, rel=1e-8)


@pytest.mark.parametrize(("dtype", "error"), [("float32", FLOAT32), ("float64", FLOAT64)])
@pytest.mark.parametrize("away", [0.0, 1000.0])
def test_ground_motions_change_nothing(dtype, error, away):
    """Turning and moving a clip, also by 1 km, changes no cost beyond the stated float error."""
    cost = PointCloudCost(dtype=dtype)
    walk, turning = sample("walk"), sample("walk_turn_left")
    before = cost_matrix(walk, turning, cost=cost).values
    gone = moved(turning, PlanarMotion(2.3, away, -0.7 * away))
    after = cost_matrix(walk, gone, cost=cost).values
    # A kilometre away positions themselves are rounded to 1e-13 m.
    assert np.abs(before - after).max() < error * (1 if away == 0 or dtype == "float32" else 10)


def test_self_cost_is_zero_and_copies_lie_on_the_diagonal():
    """A clip against its turned and moved copy costs nothing on the diagonal and something off it."""
    cost = PointCloudCost()
    walk = sample("walk")
    values = cost_matrix(walk, moved(walk, PlanarMotion(1.0, 30.0, 4.0)), cost=cost).values
    assert values.diagonal().max() < FLOAT32
    assert values.min() >= 0.0
    assert np.diagonal(values, 4).min() > 1e-4


@pytest.mark.parametrize("align", ["window", "centre"])
def test_symmetric(align):
    """Exchanging the clips transposes the matrix."""
    cost = PointCloudCost(align=align)
    a, b = prepare_all([sample("walk"), sample("run")], cost)
    np.testing.assert_allclose(cost.matrix(a, b), cost.matrix(b, a).T, atol=FLOAT32)


@pytest.mark.parametrize("factor", [0.1, 0.8, 100.0])
def test_body_size_changes_nothing(factor):
    """The same motion of a body of another size has the same costs: heights are normalised."""
    cost = PointCloudCost(dtype="float64")
    walk, run = plain(sample("walk")), plain(sample("run"))
    before = cost_matrix(walk, run, cost=cost).values
    after = cost_matrix(scaled_clip(walk, factor), run, cost=cost).values
    np.testing.assert_allclose(before, after, atol=1e-9)


def test_lengths_of_limbs_do_not_count():
    """The same motion of a body with longer arms and a shorter trunk costs almost nothing."""
    walk = sample("walk")
    old = walk.skeleton
    factor = np.ones(old.n_joints)
    for joint, name in enumerate(old.names):
        if name.endswith(("ForeArm", "Hand")):
            factor[joint] = 1.3
        if name.startswith("Spine"):
            factor[joint] = 0.8
    other = Skeleton(old.names, old.parents, old.offsets * factor[:, None])
    odd = Clip(other, walk.rotations, walk.root_positions, walk.fps)
    values = cost_matrix(plain(walk), odd, cost=PointCloudCost()).values
    assert values.diagonal().max() < 0.02 * np.median(values)


def test_heights_above_ground_are_compared():
    """Lifting a clip by 0.1 body metres costs 0.01 square metres more at every equal moment."""
    cost = PointCloudCost(dtype="float64")
    walk = sample("walk")
    lifted = walk.with_motion(root_positions=walk.root_positions + np.array([0, 0.1, 0]))
    a, b = prepare_all([walk, lifted], cost)
    expected = (0.1 * a.cloud.scale) ** 2
    np.testing.assert_allclose(cost.matrix(a, b).diagonal(), expected, rtol=1e-9)


def test_alignment_places_one_clip_onto_the_other():
    """The alignment of a moved copy undoes the move, and the cost of the window it aligns is that of the cell."""
    cost = PointCloudCost(dtype="float64")
    walk = sample("walk_turn_left")
    move = PlanarMotion(-2.0, 3.0, 8.0)
    a, b = prepare_all([walk, moved(walk, move)], cost)
    back = cost.alignment(a, b, 20, 20).then(move)
    assert (np.sin(back.turn), back.x, back.z) == pytest.approx((0, 0, 0), abs=1e-9)

    run = cost.prepare(sample("run"))
    values = cost.matrix(a, run)
    i, j, h = 40, 17, cost.half_window
    here = a.cloud.points[i : i + 2 * h + 1] * a.cloud.scale
    there = cost.alignment(a, run, i, j).apply(run.cloud.points[j : j + 2 * h + 1]) * run.cloud.scale
    weights = window_weights(h)[:, None] * point_weights(a.cloud.segments)
    assert np.sum(weights * np.sum((here - there) ** 2, axis=2)) == pytest.approx(values[i, j], abs=1e-9)


def test_weights_and_window_follow_the_definition():
    """A third of a second at 30 fps is 11 frames; window and point weights sum to 1."""
    assert PointCloudCost().half_window == 5
    weights = window_weights(5)
    np.testing.assert_allclose(weights / weights[5], 1 - (np.arange(-5, 6) / 6) ** 2)
    assert weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(point_weights(("a", "a", "b")), [0.25, 0.25, 0.5])
    assert REFERENCE_STATURE == 1.75


@pytest.mark.parametrize("window", [0.0, 0.1, 0.5, 0.9])
def test_any_window_length(window):
    """Windows of one to many frames agree with the definition."""
    cost = PointCloudCost(window_seconds=window, dtype="float64")
    a, b = prepare_all([sample("walk", 30.0), sample("run", 30.0)], cost)
    rows, columns = np.meshgrid(np.arange(0, a.n, 9), np.arange(0, b.n, 7), indexing="ij")
    direct = cost.pairs(a, b, rows.ravel(), columns.ravel()).reshape(rows.shape)
    np.testing.assert_allclose(cost.matrix(a, b)[::9, ::7], direct, atol=FLOAT64)


@pytest.mark.parametrize(
    ("rows", "columns"),
    [(1, 1), (1, 50), (101, 3), (100, 1301), pytest.param(201, 1300, marks=pytest.mark.slow)],
)
def test_blocks_of_any_size(rows, columns):
    """Blocks agree with the definition for sizes around the block limits."""
    cost = PointCloudCost(dtype="float64")
    long = sample("walk_turn_left", 30.0, seconds=60.0)
    a, b = (cost.prepare(cut(long, 0, n + 10)) for n in (rows, columns))
    values = cost.matrix(a, b)
    assert values.shape == (rows, columns)
    i, j = np.array([0, rows - 1, rows // 2]), np.array([columns - 1, columns - 1, columns // 2])
    np.testing.assert_allclose(values[i, j], cost.pairs(a, b, i, j), atol=FLOAT64)


def test_next_frame_costs_are_the_first_off_diagonal():
    """Costs of consecutive frames equal the cells next to the diagonal."""
    cost = PointCloudCost(dtype="float64")
    walk = cost.prepare(sample("walk"))
    np.testing.assert_allclose(
        next_frame_costs(walk, cost), np.diagonal(cost.matrix(walk, walk), 1), atol=FLOAT64
    )


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"weighting": "unifrom"}, "uniform"),
        ({"align": "frame"}, "centre"),
        ({"dtype": "float16"}, "float32"),
        ({"rate": 0.0}, "positive"),
        ({"window_seconds": -1.0}, "window"),
        ({"points_per_segment": 0}, "at least 1"),
    ],
)
def test_refuses_impossible_settings(settings, word):
    """The errors name the allowed values."""
    with pytest.raises(SettingError, match=word):
        PointCloudCost(**settings)


def blob(*names: str, frames: int = 30) -> Clip:
    """A swinging chain of joints that no scheme recognises."""
    offsets = [[0.0, 0.0, 0.3 * (k > 0)] for k in range(len(names))]
    swing = 0.3 * np.sin(np.arange(frames) / 5)[:, None] * np.ones(len(names))
    rotations = np.stack([np.cos(swing), np.sin(swing), 0 * swing, 0 * swing], axis=-1)
    return Clip(Skeleton(names, np.arange(len(names)) - 1, offsets), rotations, np.zeros((frames, 3)), 30.0)


def test_bodies_that_are_no_humans_are_compared_bone_by_bone():
    """Two snakes share the bones of equal names; a snake and a human share none and are refused."""
    cost = PointCloudCost()
    snake, longer = blob("a", "b", "c"), blob("a", "b", "c", "d")
    assert cost_matrix(snake, snake, cost=cost).values.diagonal().max() < FLOAT32
    assert cost_matrix(snake, longer, cost=cost).values.shape == (20, 20)
    with pytest.raises(SkeletonError, match="share no segment"):
        cost_matrix(snake, sample("walk"), cost=cost)


def test_a_single_frame_can_be_prepared():
    """A clip of one frame has no window; with a window of one frame it has one row."""
    still = cut(sample("walk", 30.0), 0, 1)
    assert PointCloudCost().prepare(still).n == 0
    pose = PointCloudCost(window_seconds=0.0)
    assert cost_matrix(still, still, cost=pose).values.tolist() == [[0.0]]
