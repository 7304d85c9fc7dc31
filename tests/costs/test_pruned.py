"""Pruned search: bounds hold, and its minima are those of the whole float64 matrix."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import engine as naive
from random_clips import SEEDS, body
from random_clips import clip as random_clip
from segue._vector_squares import lowest_bit, near_bits
from segue._vectors import COLUMNS
from segue.costs.cloud_tiles.basis import weighted_basis
from segue.costs.clouds import window_weights
from segue.costs.engine.layout import lay
from segue.costs.engine.plan import Run
from segue.costs.point_cloud import PointCloudCost
from segue.costs.pruned import _kernels
from segue.costs.pruned.search import Stages, minima, prunable
from segue.costs.pruned.windows import GROUND, Basis, Short, exact_windows
from segue.errors import SettingError
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.transitions.minima import local_minima

BAND = 15
COST = PointCloudCost()


@pytest.fixture(scope="module")
def ready():
    """Sample clips prepared."""
    walk = sample("walk", 30.0)
    return [
        COST.prepare(clip) for clip in (cut(walk, 0, 90), sample("stop"), cut(sample("run", 30.0), 0, 61))
    ]


def whole(clips, threshold, *, cost=COST, least=BAND):
    """Minima of every pair's whole matrix in float64."""
    exact = PointCloudCost(**{**vars(cost), "dtype": "float64"})
    prepared = [exact.prepare(clip) for clip in clips]
    rows = []
    for a, one in enumerate(prepared):
        for b in range(a, len(prepared)):
            if not (one.n and prepared[b].n):
                continue
            values = exact.matrix(one, prepared[b])
            cells = local_minima(values, least=least if a == b else None)
            rows += [(a, b, int(i), int(j)) for i, j in cells if values[i, j] <= threshold]
    return rows


def listed(found):
    """Clip, clip, row and column of each cell."""
    columns = found.a_clip, found.b_clip, found.cells[:, 0], found.cells[:, 1]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def found_by(clips, way, threshold, *, cost=COST, threads=1, stages=None, least=BAND):
    """What a way of searching finds."""
    prepared = [cost.prepare(clip) for clip in clips]
    run = Run(threads=threads)
    return minima(prepared, cost=cost, threshold=threshold, least=least, run=run, way=way, stages=stages)


def test_exact_costs_are_the_definition(ready):
    """And plain loops over windows."""
    side = lay(ready)
    exact = exact_windows(side, COST, tuple(dict.fromkeys(ready[0].cloud.segments)))
    cells = np.array([[3, 10], [0, 0], [40, 30]])
    out = np.empty(len(cells))
    slots = cells + np.array([0, side.starts[2]])
    _kernels.exact_costs(exact.flat, exact.flat, exact.weights, slots, out)
    np.testing.assert_allclose(out, COST.pairs(ready[0], ready[2], cells[:, 0], cells[:, 1]), atol=1e-12)
    taps = window_weights(COST.half_window)
    windows = []
    for clip, row in ((ready[0], 3), (ready[2], 10)):
        points = clip.cloud.scale * clip.cloud.points[row : row + taps.size]
        middles = points.mean(axis=1)
        windows.append(((points - middles[:, None]).tolist(), middles.tolist()))
    assert naive.window_cost(*windows, taps.tolist()) == pytest.approx(out[0], abs=1e-12)


def test_bounds_lie_below_costs_and_tiles_below_bounds(ready):
    """Every bound is the twin's and at most the cost; a tile's heart and radius rule out nothing that is near."""
    side = lay(ready)
    exact = exact_windows(side, COST, tuple(dict.fromkeys(ready[0].cloud.segments)))
    short = Basis(exact, side.live).short(exact, side.live)
    live = np.flatnonzero(side.live)[::7]
    u = short.ground[:, :GROUND] + 1j * short.ground[:, GROUND:]
    pairs = np.array([(i, j) for i in live for j in live])
    costs = np.empty(len(pairs))
    _kernels.exact_costs(exact.flat, exact.flat, exact.weights, pairs, costs)
    bounds = np.array([naive.bound(u[i], short.height[i], u[j], short.height[j]) for i, j in pairs])
    assert np.all(bounds <= costs + 2e-6)
    assert np.corrcoef(bounds, costs)[0, 1] > 0.98
    for i, j in pairs[::11]:
        hearts = short.heart[[i // 4, j // 4]]
        between = naive.bound(u[hearts[0]], short.height[hearts[0]], u[hearts[1]], short.height[hearts[1]])
        reach = short.radius[i // 4] + short.radius[j // 4]
        mine = naive.bound(u[i], short.height[i], u[j], short.height[j])
        assert np.sqrt(max(between, 0)) <= np.sqrt(max(mine, 0)) + reach + 1e-3


def test_a_basis_of_poses_changes_no_cost():
    """Fewer numbers a frame, the same costs in float64."""
    cost = PointCloudCost(cloud="joints")
    clip = cost.prepare(sample("stop"))
    segments = tuple(dict.fromkeys(clip.cloud.segments))
    basis = weighted_basis(cost.cloud, cost.points_per_segment, (1.0,) * len(segments))
    cells = np.array([[i, j] for i in range(0, clip.n, 9) for j in range(0, clip.n, 7)])
    out = np.empty((2, len(cells)))
    plain, short = (exact_windows(lay([clip]), cost, segments, basis=some) for some in (None, basis))
    for row, exact in zip(out, (plain, short), strict=True):
        _kernels.exact_costs(exact.flat, exact.flat, exact.weights, cells, row)
    np.testing.assert_allclose(out[0], out[1], atol=1e-12)
    assert short.arrays[0].shape[1] < plain.arrays[0].shape[1]


def test_little_memory_cuts_the_set_into_parts_and_finds_the_same(ready):
    """Parts meet one another, clips keep their numbers; less than the longest clip takes is refused."""
    whole = minima(ready, cost=COST, threshold=0.05, least=BAND, run=Run(threads=1))
    least = 24 * 2**20 + 3 * 2800 * (max(clip.n for clip in ready) + 15)
    small = minima(ready, cost=COST, threshold=0.05, least=BAND, run=Run(threads=1, memory_budget=least))
    assert len(whole) > 10
    assert whole.pairs == small.pairs
    assert listed(whole) == listed(small)
    np.testing.assert_array_equal(whole.cost, small.cost)
    with pytest.raises(SettingError, match="give that much"):
        minima(ready, cost=COST, threshold=0.05, run=Run(threads=1, memory_budget=least - 2**20))


def shorts(rng, n, m):
    """Short vectors of n tiles and of m, and those of all slots: complex ground, heights."""
    ground = rng.normal(size=(4 * (n + m), 2 * GROUND)).astype(np.float32) * np.float32(0.1)
    height = rng.normal(size=(4 * (n + m), 8)).astype(np.float32) * np.float32(0.1)
    energy = np.sum(ground**2, axis=1) + np.sum(height**2, axis=1)
    radii = rng.random((2, max(n, m))) * 0.1
    whole = slice(0, 4 * n), slice(4 * n, None)
    sides = [
        Short(ground[part], height[part], energy[part], np.arange(0, 4 * k, 4), radius[:k])
        for part, k, radius in zip(whole, (n, m), radii, strict=True)
    ]
    return sides, (ground[:, :GROUND] + 1j * ground[:, GROUND:], height)


def test_near_tiles_and_low_bounds_are_the_twins(rng):
    """Kernels between tiles and cells against plain loops, and which of the cells are asked for."""
    n, m, root = 7, 20, 0.6
    (a, b), (u, height) = shorts(rng, n, m)
    first = rng.integers(-2, 5, n)
    kept = np.empty(n * m, dtype=np.int32)
    ends = _kernels.near_tiles(a.rows(root), b.columns, np.array([0, n, 0, m]), first, kept)
    between = [
        [max(naive.bound(u[4 * i], height[4 * i], u[j], height[j]), 0) for j in range(4 * n, 4 * (n + m), 4)]
        for i in range(n)
    ]
    twin = naive.near_tiles(between, a.radius.tolist(), b.radius.tolist(), root, first.tolist())
    assert [part.tolist() for part in np.split(kept[: ends[-1]], ends[:-1])] == twin
    room = 16 * int(ends[-1])
    hits, own = np.empty((room, 2), dtype=np.int64), np.empty(room, dtype=bool)
    least, at = rng.integers(0, 40, 4 * n), np.array([0, 0, 4, 20, 8, 60])
    near = kept[: ends[-1]], ends
    count = _kernels.low_bounds(a.tiles, b.tiles, at, least, near, root**2, hits, own)
    expected = [
        [i, 4 * tile + k]
        for i in range(4 * n)
        for tile in twin[i // 4]
        for k in range(4)
        if naive.bound(u[i], height[i], u[4 * (n + tile) + k], height[4 * (n + tile) + k]) <= root**2
    ]
    asked = [4 <= i < 20 and max(8, least[i]) <= j < 60 for i, j in expected]
    assert 10 < sum(asked) < count
    assert hits[:count].tolist() == expected
    assert own[:count].tolist() == asked


def test_tiles_of_a_part_are_those_of_the_whole(rng):
    """Rows and columns may begin anywhere."""
    (a, b), _ = shorts(rng, 9, 70)
    parts = []
    for at in ([0, 9, 0, 70], [5, 8, 3, 70]):
        kept = np.empty(9 * 70, dtype=np.int32)
        first = np.full(at[1] - at[0], 0 if at[2] else 3)
        ends = _kernels.near_tiles(a.rows(0.5), b.columns, np.array(at), first, kept)
        parts.append([part + at[2] for part in np.split(kept[: ends[-1]], ends[:-1])])
    assert sum(part.size for part in parts[1]) > 5
    assert [part.tolist() for part in parts[0][5:8]] == [part.tolist() for part in parts[1]]


def test_bits_are_the_roots(rng):
    """Compiled and plain, a sum and a root are held against the least without taking the root."""
    sums = rng.normal(size=(5, COLUMNS)).astype(np.float32)
    up = sums[4] + np.hypot(sums[0], sums[2])

    @numba.njit
    def compiled(sums, least):
        return near_bits(sums, 0, 2, least)

    @numba.njit
    def lowest(bits):
        return lowest_bit(bits)

    for near in (lambda *told: near_bits(told[0], 0, 2, told[1]), compiled):
        for least in (-3.0, 0.0, 1.5, 9.0):
            bits = int(near(sums, least))
            assert [(bits >> x) & 1 == 1 for x in range(COLUMNS)] == (up >= least).tolist()
    for number_of in (lowest_bit, lowest):
        assert [number_of(np.uint64(bits)) for bits in (1, 12, 2**63)] == [0, 2, 63]


def test_rough_costs_are_the_exact_ones_but_for_rounding(ready):
    """Cells in row order, wherever they lie."""
    side = lay(ready)
    exact = exact_windows(side, COST, tuple(dict.fromkeys(ready[0].cloud.segments)))
    live = np.flatnonzero(side.live)
    cells = np.array([(i, j) for i in live[:9:2] for j in live[::17]])
    out, rough = np.empty((2, len(cells)))
    _kernels.exact_costs(exact.flat, exact.flat, exact.weights, cells, out)
    _kernels.rough_costs(exact.rough, exact.rough, exact.rough_weights, cells, rough)
    np.testing.assert_allclose(rough, out, atol=1e-6)


def test_cells_that_may_be_low_are_the_twins(rng):
    """With room for rounding."""
    block = rng.integers(0, 6, (9, 130)).astype(np.float32)
    least = rng.integers(-2, 20, 9)
    found = np.empty((block.size, 2), dtype=np.int64)
    hits = _kernels.nearly_low(block, least, np.array([3.0, 1.0], dtype=np.float32), 1, found)
    assert found[:hits].tolist() == naive.nearly_low(block.tolist(), least.tolist(), 3.0, 1.0, 1)


def test_minima_of_hits_are_those_of_the_matrix(ready):
    """Whatever the rounding, as long as its room is told; where all is known by rounding little is computed."""
    side = lay(ready[:2])
    exact = exact_windows(side, COST, tuple(dict.fromkeys(ready[0].cloud.segments)))
    n, m = 24, 30
    cells = np.argwhere(np.ones((n, m), dtype=bool)) + np.array([0, side.starts[1]])
    costs = np.empty(len(cells))
    _kernels.exact_costs(exact.flat, exact.flat, exact.weights, cells, costs)
    limit = float(np.quantile(costs, 0.3))
    live = [True] * n, [True] * m
    twin = naive.lowest_exactly(costs.reshape(n, m).tolist(), limit, *live)
    computed = []
    for room in (1e-6, 1e-3, 1.0):
        wrong = room * np.where(np.arange(len(cells)) % 3, 0.99, -0.99)
        hits = costs <= limit
        values, own = np.full(int(hits.sum()), -1.0), np.ones(int(hits.sum()), dtype=bool)
        found = _kernels.lowest_of_hits(
            exact.flat,
            exact.flat,
            exact.weights,
            cells[hits],
            (costs + wrong)[hits],
            own,
            np.array([limit, room, 2 * room]),
            values,
        )
        assert (cells[hits][found] - np.array([0, side.starts[1]])).tolist() == twin
        np.testing.assert_array_equal(values[found], costs[hits][found])
        computed.append(int(np.sum(values >= 0)))
    assert len(twin) <= computed[0] < computed[1] < computed[2] <= values.size


def test_copies_are_found_alike_both_ways():
    """Where costs are nothing but rounding, who undercuts whom is decided by the same bits."""
    clips = [cut(sample("walk", 30.0), 0, 40), cut(sample("walk", 30.0), 0, 40)]
    prepared = [COST.prepare(clip) for clip in clips]
    found = [minima(prepared, cost=COST, threshold=0.01, least=BAND, way=way) for way in ("pruned", "dense")]
    assert listed(found[0]) == listed(found[1])
    np.testing.assert_array_equal(found[0].cost, found[1].cost)


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("root", "threads"),
    [
        (0.02, 1),
        *(
            pytest.param(root, threads, marks=SLOW)
            for root in (0.02, 0.05, 0.2)
            for threads in (1, 2)
            if root + threads > 1.02
        ),
    ],
)
def test_every_way_finds_the_minima_of_the_matrix(root, threads):
    """Of sample clips, one too short for the window among them."""
    clips = [
        cut(sample("walk", 30.0), 0, 90),
        sample("stop"),
        cut(sample("walk", 30.0), 0, 6),
        sample("walk_turn_left"),
    ]
    expected = whole(clips, root**2)
    for way in ("pruned", "dense", "auto"):
        assert listed(found_by(clips, way, root**2, threads=threads)) == expected
    assert root < 0.05 or len(expected) > 5


@settings(max_examples=12)
@given(st.integers(0, SEEDS), st.floats(0.05, 0.6))
def test_random_clips_too(seed, root):
    """Motions that no body makes, of bodies that are none."""
    rng = np.random.default_rng(seed)
    cost = PointCloudCost(window_seconds=0.1, points_per_segment=1)
    skeleton = body(rng, 5)
    clips = [random_clip(rng, skeleton, int(rng.integers(8, 40))) for _ in range(2)]
    expected = whole(clips, root**2, cost=cost, least=2)
    for way in ("pruned", "dense"):
        assert listed(found_by(clips, way, root**2, cost=cost, least=2)) == expected


def armless(clip: Clip) -> Clip:
    """The clip with a left arm that no role knows."""
    old = clip.skeleton
    names = [name.replace("LeftForeArm", "extra") for name in old.names]
    return Clip(Skeleton(names, old.parents, old.offsets), clip.rotations, clip.root_positions, clip.fps)


@pytest.mark.slow
def test_bodies_that_lack_a_part_are_searched_on_what_they_share():
    """Sides of different kinds, both ways the same."""
    walk = cut(sample("walk", 30.0), 0, 70)
    clips = [walk, armless(sample("walk_turn_left")), sample("stop")]
    found = [listed(found_by(clips, way, 0.06**2)) for way in ("pruned", "dense")]
    assert found[0] == found[1] == whole(clips, 0.06**2)


@pytest.mark.data
def test_real_clips_both_ways_the_same(data):
    """Clips of three subjects: the pruned search compares few of the pairs and finds the same."""
    files = [*sorted((data / "asf_amc/16").glob("*.amc"))[::6], data / "asf_amc/02/02_05.amc"]
    clips = [load(file) for file in files]
    stages = Stages()
    found = found_by(clips, "pruned", 0.05**2, stages=stages)
    assert listed(found) == whole(clips, 0.05**2)
    assert len(found) > 20
    assert stages.exact < 0.05 * stages.looked_at
    assert stages.looked_at == found.pairs


def test_which_costs_can_be_pruned():
    """Only those whose root obeys the triangle inequality."""
    assert prunable(PointCloudCost())
    assert not prunable(PointCloudCost(weighting="dynamics"))
    assert not prunable(PointCloudCost(align="centre"))
