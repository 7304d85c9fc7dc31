"""Feet at neighbouring seams: their levels are searched together, and no foot or joint is worse for it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue.graph.build import MotionGraph, build_graph
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip
from segue.settings import SeamBounds
from segue.synthesis.feet import near_seams
from segue.synthesis.feet.levels import AFTER, FREE
from segue.synthesis.feet.seam_moves import SeamMoves
from segue.synthesis.feet.seams import with_feet
from segue.synthesis.feet.softening import joints_over
from segue.synthesis.feet.steps import NATURAL, source_steps


def loose(clips: list[Clip], fps: float = 30.0) -> MotionGraph:
    """Every possible transition, whatever its quality."""
    return build_graph(clips, fps=fps, threshold=np.inf, check_seams=False)


@pytest.fixture(scope="module")
def sample_walks() -> MotionGraph:
    return loose([segue.sample(name, 30.0) for name in ("walk", "walk_slow", "stop", "start", "stand")])


NEAR = {0: [0, 1], 1: [0, 1, 2], 2: [1, 2]}
"""Seams near each of three, itself among them."""


class Table:
    """Slips and creeps of three neighbouring seams by level, in place of a motion; a foot depends on its neighbours."""

    most = 0.011

    def __init__(self, rng: np.random.Generator) -> None:
        self.own = rng.uniform(0.0, 0.04, (2, 3, FREE + 1, 2))
        self.other = rng.uniform(0.0, 0.02, (2, 3, FREE + 1, 2))
        self.shows = rng.random((3, FREE + 1, 2)) < 0.3

    def measured(self, level: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        every = np.arange(3)[:, None], level, np.arange(2)
        slips, creeps = self.own[:, *every] + np.roll(self.other[:, *every], 1, axis=1)
        return slips, creeps

    def made(self, level: np.ndarray) -> np.ndarray:
        return level

    def over(self, level: Any) -> np.ndarray:
        return np.asarray(self.shows[np.arange(3)[:, None], level, np.arange(2)])


def by_loops(table: Table, level: np.ndarray, seam: int) -> np.ndarray:
    """The same search, one foot and one pair of levels after the other."""

    def beyond(levels: np.ndarray, seam: int, foot: int) -> float:
        slip, creep = (float(each[seam, foot]) for each in table.measured(levels))
        return max(slip - 0.02, creep - table.most, 0.0) if creep > 0.0 else 0.0

    def price(levels: np.ndarray, foot: int) -> int:
        slips, creeps = (each[:, foot].tolist() for each in table.measured(levels))
        slides = sum(max(slip - 0.005, 0.0) for slip in slips)
        return round(1e4 * (slides + sum(max(creep - table.most, 0.0) for creep in creeps)))

    level, near = level.copy(), [k for k in NEAR[seam] if k != seam]
    allowed = table.over(level)
    for foot in [foot for foot in (0, 1) if beyond(level, seam, foot) > 0.0]:
        best, best_price = level, price(level, foot)
        pairs = [(own, None, 0) for own in range(1, FREE + 1)]
        pairs += [(own, k, other) for k in near for own in AFTER for other in AFTER]
        for own, k, other in pairs:
            one = level.copy()
            one[seam, foot] = own
            if k is not None:
                one[k, foot] = other
            if price(one, foot) < best_price and not (table.over(one) & ~allowed).any():
                best, best_price = one, price(one, foot)
        level = best
    return level


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), seam=st.integers(0, 2))
def test_the_best_levels_are_found(seed: int, seam: int) -> None:
    """Loops find the same on tables of slips, creeps and joints over their bounds."""
    rng = np.random.default_rng(seed)
    table, level = Table(rng), rng.integers(0, FREE + 1, (3, 2))
    near = slice(NEAR[seam][0], NEAR[seam][-1] + 1)
    found = near_seams._searched(table, level, table.over, seam=seam, near=near)
    np.testing.assert_array_equal(found, by_loops(table, level, seam))


@given(gaps=st.lists(st.integers(1, 60), max_size=8), apart=st.integers(1, 40), data_=st.data())
def test_seams_within_reach_are_those_whose_gap_is_no_wider(
    gaps: list[int], apart: int, data_: st.DataObject
) -> None:
    """A loop over all seams finds the same."""
    ranges = [(0, 10)]
    for gap in gaps:
        ranges.append((ranges[-1][1] + gap, ranges[-1][1] + gap + 10))
    seam = data_.draw(st.integers(0, len(ranges) - 1))
    first, last = near_seams._within(np.array(ranges), seam, seam, apart)
    near = [k for k, (a, b) in enumerate(ranges) if max(a - ranges[seam][1], ranges[seam][0] - b) <= apart]
    assert list(range(first, last)) == near


def test_levels_that_show_in_the_whole_motion_are_given_up() -> None:
    """Only levels near the seam over its bounds are given up; all of them where none is near."""

    class Work:
        ranges, motion = [(0, 10), (15, 25), (300, 310)], SimpleNamespace(fps=30.0)

        def made(self, level: np.ndarray) -> np.ndarray:
            return level

    level, better = np.zeros((3, 2), dtype=int), np.ones((3, 2), dtype=int)

    def shows(seam: int, often: bool) -> Any:
        return lambda made: np.arange(3)[:, None] == (seam if often or made[seam].any() else -1)

    found = near_seams._shown(cast(SeamMoves, Work()), level, better.copy(), shows(1, often=False))
    np.testing.assert_array_equal(found, [[0, 0], [0, 0], [1, 1]])
    found = near_seams._shown(cast(SeamMoves, Work()), level, better.copy(), shows(2, often=True))
    np.testing.assert_array_equal(found, level)


def excess(motion: Clip, graph: MotionGraph) -> tuple[float, float, int]:
    """Metres beyond the limits of feet, softened seam by seam and searched together; joints over their bounds."""
    ranges = seam_ranges(motion.origin)
    work = SeamMoves(motion, *source_steps(motion, graph.clips), ranges, NATURAL)
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    def kept(*given_: Any) -> np.ndarray:
        seen.append((given_[1], near_seams.improved(*given_)))
        return seen[-1][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("segue.synthesis.feet.seams.improved", kept)
        made = with_feet(motion, graph.clips, "natural").clip
    one, both = (near_seams._excess(work, *work.measured(level)).sum() for level in seen[0])
    shows = joints_over(motion, graph.clips, ranges, SeamBounds())(made)
    return float(one), float(both), int(shows.sum())


def test_feet_are_no_worse_for_being_searched_together(sample_walks: MotionGraph) -> None:
    """In randomly joined samples some seams improve much, none gets worse, and no joint exceeds its bounds."""
    found = [
        excess(segue.render(sample_walks.wander(seconds=8, seed=seed), feet="free"), sample_walks)
        for seed in range(8)
    ]
    assert all(both <= one + 1e-9 for one, both, _ in found)
    assert sum(both < one - 0.05 for one, both, _ in found) >= 2
    assert not any(shows for *_, shows in found)


def test_feet_of_captures_are_better_off(data: Path) -> None:
    """The same holds for randomly joined captures."""
    graph = loose([segue.load(path) for path in sorted((data / "asf_amc/127").glob("*.amc"))])
    found = [
        excess(segue.render(graph.wander(seconds=25, seed=seed), feet="free"), graph) for seed in range(4)
    ]
    assert all(both <= one + 1e-9 and not shows for one, both, shows in found)
    assert sum(both < one - 0.05 for one, both, _ in found) >= 2
