"""Jumps of compared pairs as columns: those of a loop over the points, in any order and batch size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import segue
from segue.costs.point_cloud import PointCloudCost
from segue.graph import jumps
from segue.graph.matching import Matches, match
from segue.graph.pairs import NothingKept
from segue.graph.parts import Parts
from segue.graph.workers import Compared, Threads, Work
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.settings import Blend, SearchSettings
from segue.transitions.pruning import Candidates
from segue.transitions.threshold import given_threshold
from segue.transitions.tiles import Tile

COLUMNS = ("cost", "diagonal", "lowest", "a_frames", "b_frames", "cells", "number")
JOINS = ("a_clip", "a_start", "b_clip", "b_start")


class Remembering(NothingKept):
    def __init__(self) -> None:
        self.found: dict[tuple[int, int], Candidates] = {}

    def keep_pairs(self, found) -> None:
        """Keep the points of each pair."""
        self.found.update(found)


class LastFirst(Threads):
    """Workers that yield one pair at a time, the last first."""

    def compare(self, work: Work, tiles) -> Iterator[Compared]:
        each = [Tile((pair,)) for tile in tiles for pair in tile.pairs]
        yield from super().compare(work, each[::-1])


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    """Clips, one of them a copy of another and one too short for a blend."""
    some = [segue.sample(name, fps=30.0) for name in ("walk", "stop", "walk_left", "run")]
    short = cut(segue.sample("step_touch", fps=30.0), 10, 21).renamed("short")
    return [*some, some[1].renamed("copy"), short]


def matched(clips: list[Clip], **how) -> Matches:
    """Matches of clips, the first of which has a few faulty frames."""
    flags = [np.zeros(clip.n_frames, dtype=bool) for clip in clips]
    flags[0][30:33] = True
    settings = {"cost": PointCloudCost(), "blend": Blend(), "search": SearchSettings()} | how
    return match(clips, parts=Parts.from_flags(flags, fps=30.0), **settings)


@pytest.mark.parametrize("search", [SearchSettings(), SearchSettings(method="sectors", mode="source")])
def test_columns_are_those_of_a_loop(clips: list[Clip], search: SearchSettings) -> None:
    """Pair by pair, first the points from A to B, then those from B to A."""
    kept = Remembering()
    found = matched(clips, search=search, kept=kept)
    rows = []
    for pair in found.pairs:
        one = kept.found[pair]
        cells, cost, diagonal = one.cells.tolist(), one.cost.tolist(), one.diagonal.tolist()
        for k in range(2 * len(one)):
            back, point = divmod(k, len(one))
            ends = (*pair, *cells[point])
            a, b, i, j = (ends[1], ends[0], ends[3], ends[2]) if back else ends
            rows.append((a, b, i, j, cost[point], diagonal[back][point], k))
    columns = found.joins.a_clip, found.joins.b_clip, *found.cells.T, found.cost, found.diagonal, found.number
    assert rows == list(zip(*(column.tolist() for column in columns), strict=True))
    assert found.points.tolist() == [len(kept.found[pair]) for pair in found.pairs]
    np.testing.assert_array_equal(found.starts, np.cumsum([0, *(2 * found.points)]))
    np.testing.assert_array_equal(found.once, np.concatenate([kept.found[p].once for p in found.pairs]))
    assert found.copies == (("stop", "copy"),)


@pytest.mark.parametrize("at_once", [1, 50, 1 << 17])
def test_neither_order_nor_amount_matters(
    clips: list[Clip], at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs singly from last to first, or batches of any size, give the same columns and counts."""
    plain = matched(clips)
    monkeypatch.setattr(jumps, "_AT_ONCE", at_once)
    other = matched(clips, workers=LastFirst())
    for name in (*COLUMNS, "once", "starts", "points", "fits"):
        np.testing.assert_array_equal(getattr(other, name), getattr(plain, name), err_msg=name)
    for name in JOINS:
        np.testing.assert_array_equal(getattr(other.joins, name), getattr(plain.joins, name), err_msg=name)
    assert (other.steps, other.best, other.copies) == (plain.steps, plain.best, plain.copies)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_a_threshold_drops_what_is_dearer_and_counts_it(clips: list[Clip], share: float) -> None:
    """Rows at or below it are kept; counts, the lowest cost and the clips into which a blend fits do not change."""
    whole = matched(clips)
    limit = float(np.quantile(whole.cost, share))
    few = matched(clips, below=given_threshold(limit))
    cheap = whole.cost <= limit
    assert cheap.any()
    assert len(few.cost) == np.count_nonzero(cheap)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(few, name), getattr(whole, name)[cheap], err_msg=name)
    for name in JOINS:
        np.testing.assert_array_equal(
            getattr(few.joins, name), getattr(whole.joins, name)[cheap], err_msg=name
        )
    pair = np.searchsorted(whole.starts, np.flatnonzero(cheap), side="right") - 1
    np.testing.assert_array_equal(np.diff(few.starts), np.bincount(pair, minlength=len(whole.pairs)))
    np.testing.assert_array_equal(few.points, whole.points)
    assert not len(few.once)
    assert (few.steps, few.best, few.copies) == (whole.steps, whole.best, whole.copies)


def test_clips_into_which_a_blend_fits(clips: list[Clip]) -> None:
    """They are the clips of rows with a finite threshold; the short one is not among them."""
    found = matched(clips)
    passes = np.isfinite(found.lowest)
    inside = {*found.joins.a_clip[passes].tolist(), *found.joins.b_clip[passes].tolist()}
    assert set(np.flatnonzero(found.fits).tolist()) == inside
    assert not found.fits[5]
    assert found.best == found.lowest.min()
