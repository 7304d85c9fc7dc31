"""Feet at seams near each other: their levels are searched together, and no foot or joint is worse off for it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
    """Every transition there is, however it looks."""
    return build_graph(clips, fps=fps, threshold=np.inf, check_seams=False)


@pytest.fixture(scope="module")
def sample_walks() -> MotionGraph:
    """Samples that walk, start, stop and stand."""
    return loose([segue.sample(name, 30.0) for name in ("walk", "walk_slow", "stop", "start", "stand")])


class Table:
    """Slips and creeps of three near seams by levels, in place of a motion; a foot's neighbours weigh in."""

    most, ranges, motion = 0.011, [(0, 10), (14, 24), (40, 50)], SimpleNamespace(fps=30.0)

    def __init__(self, rng: np.random.Generator) -> None:
        self.own = rng.uniform(0.0, 0.04, (2, 3, FREE + 1, 2))
        self.other = rng.uniform(0.0, 0.02, (2, 3, FREE + 1, 2))
        self.shows = rng.random((3, FREE + 1, 2)) < 0.3

    def measured(self, level: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        every = np.arange(3)[:, None], level, np.arange(2)
        slips, creeps = self.own[:, *every] + np.roll(self.other[:, *every], 1, axis=1)
        return slips, creeps

    def made(self, level: np.ndarray, locked: np.ndarray) -> np.ndarray:
        assert not locked.any()
        return level

    def over(self, level: Any) -> np.ndarray:
        return np.asarray(self.shows[np.arange(3)[:, None], level, np.arange(2)])


def by_loops(table: Table, level: np.ndarray) -> np.ndarray:
    """The same search, one foot and one pair of levels after the other."""

    def beyond(levels: np.ndarray, seam: int, foot: int) -> float:
        slip, creep = (float(each[seam, foot]) for each in table.measured(levels))
        return max(slip - 0.02, creep - table.most, 0.0) if creep > 0.0 else 0.0

    def price(levels: np.ndarray, foot: int) -> int:
        slips, creeps = (each[:, foot].tolist() for each in table.measured(levels))
        slides = sum(max(slip - 0.005, 0.0) for slip in slips)
        return round(1e4 * (slides + sum(max(creep - table.most, 0.0) for creep in creeps)))

    level = level.copy()
    wrong = [(k, foot) for k in range(3) for foot in (0, 1) if beyond(level, k, foot) > 0.0]
    near = {0: [1], 1: [0], 2: []}  # ten frames are a third of a second
    for seam, foot in wrong:
        best, best_price = level, price(level, foot)
        pairs = [(own, None, 0) for own in range(1, FREE + 1)]
        pairs += [(own, k, other) for k in near[seam] for own in AFTER for other in AFTER]
        for own, k, other in pairs:
            one = level.copy()
            one[seam, foot] = own
            if k is not None:
                one[k, foot] = other
            if price(one, foot) < best_price and not table.over(one).any():
                best, best_price = one, price(one, foot)
        level = best
    return level


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_the_best_levels_are_found(seed: int) -> None:
    """Against loops, on tables of slips, creeps and joints that show."""
    rng = np.random.default_rng(seed)
    table, level = Table(rng), rng.integers(0, FREE + 1, (3, 2))
    found = near_seams._searched(table, level, table.over)
    np.testing.assert_array_equal(found, by_loops(table, level))


@given(
    gaps=st.lists(st.integers(1, 60), min_size=0, max_size=8),
    apart=st.integers(1, 40),
)
def test_groups_are_seams_in_turn_that_lie_near(gaps: list[int], apart: int) -> None:
    """Every seam is in one group, and a gap divides two groups where it is wide."""
    ranges, at = [(0, 10)], 10
    for gap in gaps:
        ranges.append((at + gap, at + gap + 10))
        at += gap + 10
    groups = list(near_seams._groups(ranges, apart))
    assert [k for first, last in groups for k in range(first, last)] == list(range(len(ranges)))
    assert [first for first, _ in groups[1:]] == [k + 1 for k, gap in enumerate(gaps) if gap > apart]


def excess(motion: Clip, graph: MotionGraph) -> tuple[float, float, int]:
    """Metres beyond what feet may do, softened one seam after the other and searched together; joints that show."""
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
    """Samples joined anyhow: at some seams much better, at none worse, and no joint shows more than it may."""
    found = [
        excess(segue.render(sample_walks.wander(seconds=8, seed=seed), feet="free"), sample_walks)
        for seed in range(8)
    ]
    assert all(both <= one + 1e-9 for one, both, _ in found)
    assert sum(both < one - 0.05 for one, both, _ in found) >= 3
    assert not any(shows for *_, shows in found)


def test_feet_of_captures_are_better_off(data: Path) -> None:
    """Captured motions joined anyhow."""
    graph = loose([segue.load(path) for path in sorted((data / "asf_amc/127").glob("*.amc"))])
    found = [
        excess(segue.render(graph.wander(seconds=25, seed=seed), feet="free"), graph) for seed in range(4)
    ]
    assert all(both <= one + 1e-9 and not shows for one, both, shows in found)
    assert sum(both < one - 0.05 for one, both, _ in found) >= 2
