"""The three prunes: sweet spots, threshold, and the mean along the blend's own diagonal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import minima as naive
from segue.errors import SettingError
from segue.transitions import minima
from segue.transitions.minima import local_minima, sector_minima
from segue.transitions.pruning import (
    BlendCells,
    blend_cells,
    blend_fits,
    find_candidates,
    means_along,
    merge_sweet_spots,
    prune,
)

SEEDS = st.integers(0, 10_000)


def matrix_of(seed, n=40, m=50):
    """A smooth random cost matrix."""
    noise = np.random.default_rng(seed).random((n + 4, m + 4))
    return sum(noise[r : r + n, c : c + m] for r in range(5) for c in range(5)) / 25


def candidates_of(values, mode="centre", length=6):
    cells = local_minima(values) if mode == "centre" else sector_minima(values, 8)
    n, m = values.shape
    return find_candidates(values, cells, mode=mode, length=length, rate=30.0, rows=(0, n), columns=(0, m))


@given(SEEDS, st.integers(0, 8), st.integers(1, 60))
def test_merging_keeps_what_the_twin_keeps(seed, reach, count):
    """Buckets and plain loops keep the same cells."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 30, (count, 2))
    keys = rng.integers(0, 10, count).astype(float)
    order = sorted(range(count), key=lambda k: (keys[k], *cells[k]))
    got = merge_sweet_spots(cells, keys, reach=reach, shape=(30, 30))
    assert got.tolist() == naive.keep_first(cells.tolist(), order, reach)


@given(SEEDS, st.integers(0, 8))
def test_every_dropped_minimum_has_a_better_one_nearby(seed, reach):
    """Merging loses no sweet spot and leaves one minimum in each."""
    rng = np.random.default_rng(seed)
    cells, keys = rng.integers(0, 30, (40, 2)), rng.random(40)
    kept = merge_sweet_spots(cells, keys, reach=reach, shape=(30, 30))
    gap = np.abs(cells[:, None] - cells[None, :]).max(axis=2)
    for k in range(40):
        near = kept & (gap[k] <= reach) & (keys <= keys[k])
        assert near[k] if kept[k] else near.any()
        assert not kept[k] or near.sum() == 1


@given(SEEDS, st.sampled_from(["centre", "source"]), st.integers(1, 12))
def test_means_are_those_of_the_twin(seed, mode, length):
    """Vectorised and plain loops average the same cells, in both directions, and at the borders."""
    values = matrix_of(seed, 20, 24)
    cells = np.random.default_rng(seed).integers(0, 20, (12, 2))
    blends, rows = blend_cells(mode, length), values.tolist()
    for blend, found in zip(blends, means_along(values, cells, *blends), strict=True):
        expected = [naive.path_mean(rows, cell, blend.first, blend.count) for cell in cells.tolist()]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode", ["centre", "source"])
def test_means_do_not_depend_on_how_many_are_taken_at_once(monkeypatch, mode, dtype):
    """In batches of any size, cells inside and at the borders have bit-identical means."""
    rng = np.random.default_rng(3)
    values = rng.random((90, 80)).astype(dtype)
    cells = np.stack([rng.integers(0, 90, 200), rng.integers(0, 80, 200)], axis=1)
    blends = blend_cells(mode, 40)
    expected = means_along(values, cells, *blends)
    single = [means_along(values, cell[None], *blends) for cell in cells]
    np.testing.assert_array_equal(np.concatenate(single, axis=1), expected)
    for costs in (1, 1000):
        monkeypatch.setattr(minima, "_COSTS", costs)
        np.testing.assert_array_equal(means_along(values, cells, *blends), expected)


def test_a_blend_that_leaves_its_clip_does_not_fit():
    """Frames before row 0 count when the clip has them."""
    cells = np.array([[2, 9], [0, 5], [9, 9]])
    blend = BlendCells((-2, -2), 5)
    assert blend_fits(cells, blend, rows=(0, 10), columns=(0, 12)).tolist() == [True, False, False]
    assert blend_fits(cells, blend, rows=(-2, 12), columns=(0, 12)).tolist() == [True, True, True]


def test_each_way_blends_its_own_cells():
    """In source mode the way back uses other frames; in centre mode both are the same."""
    there, back = blend_cells("source", 4)
    assert (there.first, back.first, there.count) == ((0, -3), (-3, 0), 4)
    there, back = blend_cells("centre", 4)
    assert there == back == BlendCells((-2, -2), 5)
    assert there.middle == (0, 0)


@given(SEEDS, st.floats(0.3, 0.7), st.floats(0, 0.1))
def test_a_higher_threshold_only_adds_points(seed, threshold, more):
    """In centre mode the points under a threshold stay under every higher one."""
    candidates = candidates_of(matrix_of(seed))
    low, high = (prune(candidates, limit, mode="centre", length=6) for limit in (threshold, threshold + more))
    assert set(low.chosen) <= set(high.chosen)


@given(SEEDS, st.floats(0.3, 0.7))
def test_merging_before_the_threshold_changes_nothing(seed, threshold):
    """Cheapest-first merging commutes with the threshold."""
    values = matrix_of(seed)
    before = candidates_of(values)
    cells = local_minima(values)
    cost = values[cells[:, 0], cells[:, 1]]
    below = cells[cost <= threshold]
    kept = merge_sweet_spots(below, cost[cost <= threshold], reach=6, shape=values.shape)
    expected = {tuple(cell) for cell in below[kept].tolist()}
    assert {tuple(cell) for cell in before.cells[before.cost <= threshold].tolist()} == expected


@given(SEEDS, st.sampled_from(["centre", "source"]), st.floats(0.3, 0.7), st.booleans())
def test_what_is_left_passes_all_three_steps(seed, mode, threshold, back):
    """Counts fall step by step; cost and blend mean are under the threshold; points are apart."""
    candidates = candidates_of(matrix_of(seed), mode)
    left = prune(candidates, threshold, mode=mode, length=6, back=back)
    counts = list(left.counts.values())
    assert counts == sorted(counts, reverse=True)
    assert left.counts["verified"] == len(left.chosen)
    means = candidates.diagonal[int(back)]
    assert (candidates.cost[left.chosen] <= threshold).all()
    assert (means[left.chosen] <= threshold).all()
    cells = candidates.cells[left.chosen]
    gap = np.abs(cells[:, None] - cells[None, :]).max(axis=2) + 1000 * np.eye(len(cells))
    assert not len(cells) or gap.min() > 6


@given(SEEDS)
def test_swapping_the_clips_swaps_the_ways(seed):
    """The way back of (A, B) is the way there of (B, A)."""
    values = matrix_of(seed)
    ours = prune(candidates_of(values, "source"), 0.5, mode="source", length=6, back=True)
    theirs = prune(candidates_of(np.ascontiguousarray(values.T), "source"), 0.5, mode="source", length=6)
    there = candidates_of(np.ascontiguousarray(values.T), "source").cells[theirs.chosen]
    assert {tuple(cell) for cell in candidates_of(values, "source").cells[ours.chosen].tolist()} == {
        (i, j) for j, i in there.tolist()
    }


def test_the_source_keeps_the_corner_and_the_default_the_cheapest():
    """Of two minima of one sweet spot, either the smallest A and largest B frame or the lower cost is kept."""
    values = np.ones((40, 40))
    values[20, 20], values[17, 23] = 0.1, 0.2
    both = np.array([[20, 20], [17, 23]])
    for mode, cell in (("centre", [20, 20]), ("source", [17, 23])):
        found = find_candidates(values, both, mode=mode, length=5, rate=30.0, rows=(0, 40), columns=(0, 40))
        assert found.cells[prune(found, 1.0, mode=mode, length=5).chosen].tolist() == [cell]


def test_an_unknown_mode_names_the_modes():
    with pytest.raises(SettingError, match="centre"):
        blend_cells("center", 10)
    with pytest.raises(SettingError, match="1 frame"):
        blend_cells("centre", 0)
