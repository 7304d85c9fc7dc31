"""Lower bounds: they are at most the costs, and pairs they rule out have no low cell."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import engine as naive
from random_clips import SEEDS, body
from random_clips import clip as random_clip
from segue.accel.tiles import COLUMNS, lowest_bit, near_bits
from segue.costs._kernels import low_tiles, near_tiles
from segue.costs.engine.plan import Run
from segue.costs.engine.tiles import lay
from segue.costs.point_cloud import PointCloudCost
from segue.costs.pruned import near
from segue.costs.pruned.near import low_pairs, prunable
from segue.costs.pruned.windows import GROUND, Short, short_windows
from segue.errors import StoppedError
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton

COST = PointCloudCost()


@pytest.fixture(scope="module")
def ready():
    walk = sample("walk", 30.0)
    return [
        COST.prepare(clip) for clip in (cut(walk, 0, 90), sample("stop"), cut(sample("run", 30.0), 0, 61))
    ]


def low(prepared, threshold, cost=COST):
    """Pairs of different clips whose matrix has a cell at or below a threshold."""
    return [
        (a, b)
        for a, one in enumerate(prepared)
        for b, other in enumerate(prepared)
        if a < b and one.n and other.n and cost.matrix(one, other).min() <= threshold
    ]


def test_bounds_lie_below_costs_and_tiles_below_bounds(ready):
    """Every bound is at most the cost and close to it; a tile's heart and radius rule out no near cell."""
    side = lay(ready)
    short, _ = short_windows(side, COST, tuple(dict.fromkeys(ready[0].cloud.segments)))
    live = np.flatnonzero(side.live)[::7]
    u = short.ground[:, :GROUND] + 1j * short.ground[:, GROUND:]
    pairs = np.array([(i, j) for i in live for j in live])
    costs = np.array(
        [
            COST.pairs(ready[a], ready[b], [i - side.starts[a]], [j - side.starts[b]])[0]
            for (i, j), a, b in zip(pairs, side.owner[pairs[:, 0]], side.owner[pairs[:, 1]], strict=True)
        ]
    )
    bounds = np.array([naive.bound(u[i], short.height[i], u[j], short.height[j]) for i, j in pairs])
    assert np.all(bounds <= costs + 2e-6)
    assert np.corrcoef(bounds, costs)[0, 1] > 0.98
    for i, j in pairs[::11]:
        hearts = short.heart[[i // 4, j // 4]]
        between = naive.bound(u[hearts[0]], short.height[hearts[0]], u[hearts[1]], short.height[hearts[1]])
        reach = short.radius[i // 4] + short.radius[j // 4]
        mine = naive.bound(u[i], short.height[i], u[j], short.height[j])
        assert np.sqrt(max(between, 0)) <= np.sqrt(max(mine, 0)) + reach + 1e-3


def test_a_few_clips_at_a_time_give_the_same_vectors(ready, monkeypatch):
    """The vectors of a side are computed in parts with one shared basis."""
    side = lay(ready)
    segments = tuple(dict.fromkeys(ready[0].cloud.segments))
    whole, basis = short_windows(side, COST, segments)
    monkeypatch.setattr("segue.costs.pruned.windows._SAMPLE", 50)
    parts, _ = short_windows(side, COST, segments, basis=basis)
    for name in ("ground", "height", "energy"):
        one, other = (getattr(short, name)[side.live] for short in (whole, parts))
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(whole.radius, parts.radius, atol=1e-6)


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


def test_near_and_low_tiles_are_the_twins(rng):
    """The kernels for tiles and cells equal plain loops."""
    n, m, root = 7, 20, 0.6
    (a, b), (u, height) = shorts(rng, n, m)
    first = rng.integers(-2, 5, n)
    kept = np.empty(n * m, dtype=np.int32)
    ends = near_tiles(a.rows(root), b.columns, np.array([0, n, 0, m]), first, kept)
    between = [
        [max(naive.bound(u[4 * i], height[4 * i], u[j], height[j]), 0) for j in range(4 * n, 4 * (n + m), 4)]
        for i in range(n)
    ]
    twin = naive.near_tiles(between, a.radius.tolist(), b.radius.tolist(), root, first.tolist())
    assert [part.tolist() for part in np.split(kept[: ends[-1]], ends[:-1])] == twin
    found = np.empty((int(ends[-1]), 2), dtype=np.int64)
    count = low_tiles(a.tiles, b.tiles, np.array([0, 0]), (kept[: ends[-1]], ends), 0.25, found)

    def bound(i, j):
        return naive.bound(u[i], height[i], u[4 * n + j], height[4 * n + j])

    assert 5 < count < ends[-1]
    assert found[:count].tolist() == naive.low_tiles(twin, bound, 0.25)


def test_tiles_of_a_part_are_those_of_the_whole(rng):
    """Rows and columns may begin anywhere."""
    (a, b), _ = shorts(rng, 9, 70)
    parts = []
    for at in ([0, 9, 0, 70], [5, 8, 3, 70]):
        kept = np.empty(9 * 70, dtype=np.int32)
        first = np.full(at[1] - at[0], 0 if at[2] else 3)
        ends = near_tiles(a.rows(0.5), b.columns, np.array(at), first, kept)
        parts.append([part + at[2] for part in np.split(kept[: ends[-1]], ends[:-1])])
    assert sum(part.size for part in parts[1]) > 5
    assert [part.tolist() for part in parts[0][5:8]] == [part.tolist() for part in parts[1]]


def test_bits_are_the_roots(rng):
    """Compiled and plain, a sum and a root are compared with the limit without taking the root."""
    sums = rng.normal(size=(5, COLUMNS)).astype(np.float32)
    up = sums[4] + np.hypot(sums[0], sums[2])

    @numba.njit
    def compiled(sums, least):
        return near_bits(sums, 0, 2, least)

    @numba.njit
    def lowest(bits):
        return lowest_bit(bits)

    for bits_of in (lambda *given_values: near_bits(given_values[0], 0, 2, given_values[1]), compiled):
        for least in (-3.0, 0.0, 1.5, 9.0):
            bits = int(bits_of(sums, least))
            assert [(bits >> x) & 1 == 1 for x in range(COLUMNS)] == (up >= least).tolist()
    for number_of in (lowest_bit, lowest):
        assert [number_of(np.uint64(bits)) for bits in (1, 12, 2**63)] == [0, 2, 63]


@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "root", [0.02, *(pytest.param(root, marks=pytest.mark.slow) for root in (0.05, 0.2))]
)
def test_no_pair_with_a_low_cell_is_ruled_out(root, threads, monkeypatch):
    """Sample clips in small blocks, one of them too short for the window, keep every pair with a low cell."""
    monkeypatch.setattr(near, "_ROWS", 3)
    monkeypatch.setattr(near, "_COLUMNS", 9)
    monkeypatch.setattr(near, "_MOST_LEFT", 1.1)
    names = ("walk", "stop", "run", "walk_turn_left", "stand")
    clips = [cut(sample("walk", 30.0), 0, 90), cut(sample("walk", 30.0), 0, 6), *map(sample, names)]
    prepared = [COST.prepare(clip) for clip in clips]
    wanted = low(prepared, root**2)
    found = low_pairs(prepared, cost=COST, threshold=root**2, run=Run(threads=threads))
    assert set(wanted) <= set(map(tuple, found.tolist()))
    assert found.tolist() == sorted(found.tolist())
    fresh = low_pairs(prepared, cost=COST, threshold=root**2, fresh=[2, 5])
    assert fresh.tolist() == [pair for pair in found.tolist() if {2, 5} & set(pair)]


@settings(max_examples=12)
@given(st.integers(0, SEEDS), st.floats(0.05, 0.6))
def test_random_clips_too(seed, root):
    """Random motions of random bodies keep every pair with a low cell."""
    rng = np.random.default_rng(seed)
    cost = PointCloudCost(window_seconds=0.1, points_per_segment=1)
    skeleton = body(rng, 5)
    prepared = [cost.prepare(random_clip(rng, skeleton, int(rng.integers(8, 40)))) for _ in range(3)]
    found = low_pairs(prepared, cost=cost, threshold=root**2)
    assert set(low(prepared, root**2, cost)) <= set(map(tuple, found.tolist()))


def armless(clip: Clip) -> Clip:
    """The clip with a left arm that fills no role."""
    old = clip.skeleton
    names = [name.replace("LeftForeArm", "extra") for name in old.names]
    return Clip(Skeleton(names, old.parents, old.offsets), clip.rotations, clip.root_positions, clip.fps)


@pytest.mark.slow
def test_bodies_that_lack_a_part_are_held_against_what_they_share():
    """Clips of different kinds are on different sides."""
    clips = [cut(sample("walk", 30.0), 0, 70), armless(sample("walk")), armless(sample("walk_turn_left"))]
    prepared = [COST.prepare(clip) for clip in clips]
    found = low_pairs(prepared, cost=COST, threshold=0.03**2)
    assert set(low(prepared, 0.03**2)) <= set(map(tuple, found.tolist())) > set()


def test_where_bounds_save_nothing_all_pairs_are_left(ready, monkeypatch):
    """All pairs are kept if a sample of blocks is mostly kept or memory is too small; the work can be stopped."""
    assert low_pairs(ready, cost=COST, threshold=0.01, run=Run(memory_budget=1000)) is None
    monkeypatch.setattr(near, "_ROWS", 2)
    monkeypatch.setattr(near, "_COLUMNS", 2)
    assert low_pairs(ready, cost=COST, threshold=9.0) is None
    assert low_pairs(ready, cost=COST, threshold=1e-5).size == 0
    with pytest.raises(StoppedError):
        low_pairs(ready, cost=COST, threshold=1e-5, run=Run(stop=lambda: True))


@pytest.mark.data
def test_real_clips_are_mostly_ruled_out(data):
    """Of clips of three subjects, few pairs remain, and no low one is missing."""
    files = [*sorted((data / "asf_amc/16").glob("*.amc"))[::6], data / "asf_amc/02/02_05.amc"]
    prepared = [COST.prepare(load(file)) for file in files]
    found = low_pairs(prepared, cost=COST, threshold=0.03**2)
    wanted = low(prepared, 0.03**2)
    assert set(wanted) <= set(map(tuple, found.tolist()))
    assert len(found) <= 2 * len(wanted) + 2 < len(prepared) ** 2 / 4


def test_which_costs_can_be_pruned():
    """Only costs whose root obeys the triangle inequality can be pruned."""
    assert prunable(PointCloudCost())
    assert not prunable(PointCloudCost(weighting="dynamics"))
    assert not prunable(PointCloudCost(align="centre"))
