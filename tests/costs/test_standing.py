"""Clips that stay in place and clips that travel use two algorithms: both agree with the definition."""

from __future__ import annotations

import os
from itertools import pairwise

import numpy as np
import pytest

from segue.costs._kernels import CHUNK
from segue.costs.engine.tiles import sides, tiles_of
from segue.costs.point_cloud import PointCloudCost
from segue.maths.planar import PlanarMotion
from segue.motion.facing import moved
from segue.motion.resample import cut
from segue.motion.samples import sample

COSTS = {
    "uniform": (PointCloudCost(), 1e-6),
    "dense": (PointCloudCost(points_per_segment=24), 1e-6),
    "dynamics": (PointCloudCost(weighting="dynamics"), 1e-5),
    "source": (PointCloudCost(weighting="dynamics", weights_of="source", cloud="joints"), 1e-5),
    "carrier": (PointCloudCost(weighting="hand_set", window_seconds=0.2), 1e-5),
    "one_frame": (PointCloudCost(weighting="dynamics", window_seconds=0.0), 1e-5),
}


@pytest.fixture(scope="module")
def clips():
    """One that stays in place a kilometre away, one that stays two metres up, one that travels."""
    away = moved(cut(sample("step_touch"), 0, 120), PlanarMotion(2.0, 700.0, -700.0))
    stand = cut(sample("stand"), 0, 100)
    high = stand.with_motion(root_positions=stand.root_positions + np.array([0.0, 2.0, 0.0]))
    return away, high, cut(sample("run"), 0, 150)


@pytest.mark.parametrize("name", COSTS)
def test_every_pair_of_ways_is_the_definition(name, clips):
    """The law holds for clips in place, at another height and travelling; with rows and columns exchanged."""
    made, most = COSTS[name]
    ready = [made.prepare(clip) for clip in clips]
    for a, b in [(0, 0), (0, 1), (1, 0), (0, 2), (2, 0), (2, 2)]:
        one, other = ready[a], ready[b]
        rows, columns = (part.ravel() for part in np.mgrid[0 : one.n : 7, 0 : other.n : 5])
        exact = made.pairs(one, other, rows, columns)
        seen = made.matrix(one, other)[rows, columns]
        # Two metres of height are squared and weighted: such costs, and so their rounding errors, are far larger.
        np.testing.assert_allclose(seen, exact, atol=most, rtol=1e-6, err_msg=f"{a} against {b}")


def test_which_way_is_taken(clips):
    """A clip that stays in place is recognised at any position, and one that travels is not."""
    made = PointCloudCost(weighting="dynamics")
    ready = [made.prepare(clip) for clip in clips]
    taken = [
        tiles_of(made, sides([a], made)[0], sides([b], made)[0]).how.stays
        for a, b in [(ready[0], ready[1]), (ready[0], ready[2]), (ready[2], ready[2])]
    ]
    assert taken == [True, False, False]


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="numpy rounds products by their shape")
def test_what_else_lies_on_a_side_changes_nothing(clips):
    """Other clips on a side, with other supporting parts, and the position on it change no bit of a cell."""
    made = PointCloudCost(weighting="hand_set")
    first = made.prepare(cut(sample("stand"), 0, 60))
    second = made.prepare(clips[0])
    (both,), (alone,) = sides([second, first], made), sides([first], made)
    wide, narrow = both.size + -both.size % 64, alone.size + -alone.size % 64
    out, single = np.zeros((both.size, wide), np.float32), np.zeros((alone.size, narrow), np.float32)
    tiles_of(made, both, both).strip(0, wide)(0, both.size, out)
    tiles_of(made, alone, alone).strip(0, narrow)(0, alone.size, single)
    start = both.starts[1]
    np.testing.assert_array_equal(
        out[start : start + first.n, start : start + first.n], single[: first.n, : first.n]
    )


@pytest.mark.parametrize(("weighting", "rows"), [("uniform", CHUNK), ("dynamics", CHUNK)])
def test_rows_asked_for_in_parts_are_those_of_the_whole(weighting, rows, clips):
    """The parts may end at the kernel's own chunks or not."""
    made = PointCloudCost(weighting=weighting)
    (side,) = sides([made.prepare(cut(clips[0], 0, 90))], made)
    wide = side.size + -side.size % 64
    whole, parts = np.zeros((2, side.size, wide), np.float32)
    tiles_of(made, side, side).strip(0, wide)(0, side.size, whole)
    fill = tiles_of(made, side, side).strip(0, wide)
    edges = [0, rows, 2 * rows + 4, side.size]
    for start, stop in pairwise(edges):
        fill(start, stop, parts[start:stop])
    live = side.live
    np.testing.assert_array_equal(parts[live][:, : side.size][:, live], whole[live][:, : side.size][:, live])
