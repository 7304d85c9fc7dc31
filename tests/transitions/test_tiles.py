"""Many pairs in tiles, long pairs in bands: the candidates of each pair alone, bit for bit.

The naive answer is the pair's complete matrix; the law is that no plan, size or budget changes a bit; captured
clips, two of them copies of one motion, are checked as well.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.costs.engine import array_api
from segue.costs.engine.array_api import numpy_place
from segue.costs.matrix import next_frame_costs
from segue.costs.registry import COSTS, cost
from segue.errors import SettingError
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.settings import SearchSettings
from segue.transitions import tiles
from segue.transitions.candidates import candidates
from segue.transitions.tiles import Tile, plan_tiles, tile_candidates

SEARCHES = [SearchSettings(), SearchSettings(method="sectors", mode="source", sector_seconds=0.5)]
CASES = [(name, {}) for name in sorted(COSTS)] + [
    ("point_cloud", {"align": "centre", "window_seconds": 0.1}),
]


def same(one, other):
    """Assert that two sets of candidates are bit-identical."""
    for name in ("cells", "cost", "diagonal", "once"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in ("minima", "copies", "shared"):
        assert getattr(one, name) == getattr(other, name)


class Set:
    """Prepared clips, and the candidates of each pair by its complete matrix."""

    def __init__(self, clips, made):
        self.cost = made
        self.prepared = dict(enumerate(made.prepare(clip) for clip in clips))
        self.steps = {k: next_frame_costs(one, made) for k, one in self.prepared.items()}
        self.sizes = [one.n for one in self.prepared.values()]
        self.pairs = [(a, b) for a in self.prepared for b in self.prepared if a <= b]

    def alone(self, a, b, search):
        """The candidates of one pair."""
        steps = self.steps[a], self.steps[b]
        one, other = self.prepared[a], self.prepared[b]
        return candidates(one, other, cost=self.cost, settings=search, next_frame=steps)

    def tiled(self, tile, search, **how):
        """The candidates of one tile."""
        return tile_candidates(
            tile, self.prepared, cost=self.cost, settings=search, next_frame=self.steps, **how
        )


@pytest.fixture(scope="module", params=CASES, ids=str)
def few(request):
    """A walk, part of it again, a stop and a clip shorter than most windows."""
    walk = sample("walk", 30.0)
    clips = [cut(walk, 0, 61), cut(walk, 20, 70), cut(sample("stop", 30.0), 0, 45), cut(walk, 0, 3)]
    name, how = request.param
    return Set(clips, cost(name, **how))


@pytest.mark.parametrize("search", SEARCHES, ids=["local", "sectors"])
def test_tiles_and_bands_find_what_each_pair_finds(few, search, monkeypatch):
    """One tile for all, one tile per pair, and bands of a few rows give the same, including copies."""
    alone = {pair: few.alone(*pair, search) for pair in few.pairs}
    assert alone[0, 1].shared is not None
    assert sum(map(len, alone.values())) > 0
    for cells in (1, 4000, tiles.CELLS):
        for tile in plan_tiles(few.pairs, few.sizes, cells=cells):
            for pair, found in zip(tile.pairs, few.tiled(tile, search), strict=True):
                same(found, alone[pair])
    monkeypatch.setattr(tiles._TileMeeting, "fits", lambda meeting, budget: False)
    monkeypatch.setattr(tiles._TileMeeting, "rows_within", lambda meeting, budget, around: 7)
    for pair, found in zip(few.pairs, few.tiled(Tile(tuple(few.pairs)), search), strict=True):
        same(found, alone[pair])


def test_on_a_device_tiles_hold_the_same_costs_but_for_last_digits(few, monkeypatch):
    """CPU and device give the same number of candidates at nearly the same costs."""
    monkeypatch.setattr(array_api, "place_for", lambda device: None if device == "cpu" else numpy_place())
    tile = Tile(tuple(few.pairs))
    here, there = (few.tiled(tile, SEARCHES[1], device=device) for device in ("cpu", "gpu"))
    assert sum(map(len, here)) > 0
    for one, other in zip(here, there, strict=True):
        np.testing.assert_allclose(other.cost, one.cost, rtol=0, atol=1e-5)


@pytest.mark.data
def test_captured_clips_in_tiles(data):
    """Walks, a turn and the same motion in another format give the pairs and copies of the separate search."""
    files = [data / f"asf_amc/16/{name}.amc" for name in ("16_11", "16_31", "16_47")]
    known = Set([*map(load, files), load(data / "cmu/from_amc/16_31.bvh")], cost("point_cloud"))
    plan = plan_tiles(known.pairs, known.sizes, cells=20_000)
    assert len(plan) > 2
    found = {}
    for tile in plan:
        found.update(zip(tile.pairs, known.tiled(tile, SEARCHES[0]), strict=True))
    for pair in known.pairs:
        same(found[pair], known.alone(*pair, SEARCHES[0]))
    assert found[1, 3].copies


@given(
    sizes=st.lists(st.integers(0, 40), min_size=1, max_size=12),
    cells=st.integers(1, 2000),
    keep=st.integers(0, 2**32),
)
def test_a_plan_holds_every_pair_once_within_the_size(sizes, cells, keep):
    """The law holds for any subset of pairs; a tile exceeds the size only where a single clip does."""
    rng = np.random.default_rng(keep)
    pairs = [(a, b) for a in range(len(sizes)) for b in range(a, len(sizes)) if rng.random() < 0.7]
    plan = plan_tiles(pairs, sizes, cells=cells)
    assert sorted(pair for tile in plan for pair in tile.pairs) == pairs
    assert plan == plan_tiles(pairs[::-1], sizes, cells=cells)
    for tile in plan:
        down, across = (sum(sizes[k] for k in part) for part in (tile.rows, tile.columns))
        assert down * across <= cells or 1 in (len(tile.rows), len(tile.columns))
        assert tile.clips == tuple(sorted({*tile.rows, *tile.columns}))


def test_a_long_pair_keeps_to_its_budget():
    """A clip of 60 s against itself in 8 MB is computed in bands; with less the error states the memory needed."""
    walk = sample("walk", 30.0)
    rotations, places = np.tile(walk.rotations, (10, 1, 1)), np.tile(walk.root_positions, (10, 1))
    long = Clip(walk.skeleton, rotations, places, walk.fps, name="walk")
    known = Set([long], cost("relative_distance"))
    counted = []
    tile, budget = Tile(((0, 0),)), 8_000_000
    assert known.sizes[0] ** 2 * 4 > budget
    (found,) = known.tiled(tile, SEARCHES[0], memory_budget=budget, count=counted.append)
    same(found, known.alone(0, 0, SEARCHES[0]))
    assert len(counted) > 10
    with pytest.raises(SettingError, match=r"narrowest bands of .walk. against .walk. take"):
        known.tiled(tile, SEARCHES[0], memory_budget=6_000_000)
