"""Feet at seams stand as in their sources, and no seam exceeds its bounds or its own blend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips as chance
import segue
from segue.errors import SettingError
from segue.graph.build import MotionGraph, build_graph
from segue.maths.quaternions import from_axis_angle, multiply
from segue.measures.seams import seam_ranges, seams
from segue.motion.clip import Clip
from segue.settings import SeamBounds, SeamFeet
from segue.synthesis.feet.levels import FREE, LEVELS, SOFT
from segue.synthesis.feet.planting import touching
from segue.synthesis.feet.seam_moves import SeamMoves
from segue.synthesis.feet.seams import _soft_enough, settle_feet, with_feet
from segue.synthesis.feet.softening import joints_over, limits_of
from segue.synthesis.feet.steps import NATURAL, source_steps

BOUNDS = SeamBounds()


def loose(clips: list[Clip], fps: float | None = None) -> MotionGraph:
    """Every possible transition, whatever its quality."""
    return build_graph(clips, fps=fps, threshold=np.inf, check_seams=False)


@pytest.fixture(scope="module")
def sample_walks() -> MotionGraph:
    return loose([segue.sample(name, 30.0) for name in ("walk", "walk_slow", "stop", "start", "stand")])


def worst(motion: Clip, graph: MotionGraph, bounds: SeamBounds, made: Clip) -> np.ndarray:
    """Each seam's largest excess, at the seams of the motion as blended."""
    found = seams(motion, graph.clips, ranges=seam_ranges(made.origin))
    return np.array([float(seam.excess(bounds).max()) for seam in found])


def assert_within(graph: MotionGraph, seed: int, seconds: float, feet: SeamFeet, bounds: SeamBounds) -> None:
    """No seam of the finished motion exceeds its bounds, or what its blend shows where that is more."""
    made = segue.render(graph.wander(seconds=seconds, seed=seed), feet="free")
    done = with_feet(made, graph.clips, feet, bounds=bounds)
    limit = limits_of(worst(made, graph, bounds, made))
    assert (worst(done.clip, graph, bounds, made) <= limit + 1e-6).all()
    assert sum(done.counts.values()) == 2 * len(done.treatment)


@settings(max_examples=8)
@given(
    seed=st.integers(0, 1000),
    feet=st.sampled_from(["natural", "locked", "captured"]),
    factor=st.sampled_from([1.1, 1.5]),
)
def test_no_seam_shows_more_than_it_may(
    sample_walks: MotionGraph, seed: int, feet: SeamFeet, factor: float
) -> None:
    """This holds for randomly joined samples, within the usual bounds and within tight ones."""
    assert_within(sample_walks, seed, 8.0, feet, SeamBounds(factor, 0.05, factor))


def test_no_seam_of_captures_shows_more_than_it_may(data: Path) -> None:
    """This holds for randomly joined captures: lowering the root for one foot affects the other leg, which is free."""
    paths = sorted((data / "asf_amc/127").glob("*.amc"))
    graph = loose([segue.load(path) for path in paths], 30.0)
    for seed, feet in ((0, "natural"), (2, "locked"), (2, "captured"), (5, "natural")):
        assert_within(graph, seed, 25.0, feet, BOUNDS)


def test_with_every_foot_let_go_the_motion_is_as_it_was_blended(sample_walks: MotionGraph) -> None:
    """Always over the bounds, every bit is as blended; never over them, all feet are kept near their steps."""
    made = segue.render(sample_walks.wander(seconds=8, seed=3), feet="free")
    ranges = seam_ranges(made.origin)
    steps, firm = source_steps(made, sample_walks.clips)
    work = SeamMoves(made, steps, firm, ranges, NATURAL)
    joints = made.skeleton.n_joints
    never = settle_feet(work, lambda _: np.ones((len(ranges), joints), dtype=bool))[0]
    assert {word for both in never.treatment for word in both} <= {"let go", "as blended"}
    assert never.counts["let go"] > 0
    assert never.clip is made
    always = settle_feet(work, lambda _: np.zeros((len(ranges), joints), dtype=bool))[0]
    assert always.counts["softened"] == always.counts["let go"] == 0
    assert always.counts["in the blend"] + always.counts["near the blend"] > 0


def test_a_leg_that_shows_is_treated_more_softly(sample_walks: MotionGraph) -> None:
    """A left knee that is over its bounds at first changes the treatment of left feet only."""
    made = segue.render(sample_walks.wander(seconds=8, seed=3), feet="free")
    ranges = seam_ranges(made.origin)
    steps, firm = source_steps(made, sample_walks.clips)
    work = SeamMoves(made, steps, firm, ranges, NATURAL)
    knee, calls = made.skeleton.names.index("LeftLeg"), []

    def over(_: Clip) -> np.ndarray:
        out = np.zeros((len(ranges), made.skeleton.n_joints), dtype=bool)
        out[:, knee] = not calls
        calls.append(1)
        return out

    calm, _ = settle_feet(work, lambda _: np.zeros((len(ranges), made.skeleton.n_joints), dtype=bool))
    found, _ = settle_feet(work, over)
    both = list(zip(calm.treatment, found.treatment, strict=True))
    assert any(before[0] != after[0] for before, after in both)
    for before, after in both:
        if before[0] != "as blended":
            assert before[1] == after[1]


class Table:
    """Slips and creeps by level, seam and foot, in place of a motion."""

    most = 0.011

    def __init__(self, rng: np.random.Generator, seams: int) -> None:
        self.values = rng.uniform(0.0, 0.03, (2, len(LEVELS), seams, 2))

    def measured(self, level: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slips, creeps = np.take_along_axis(self.values, level[None, None], axis=1)[:, 0]
        return slips, creeps


@given(seed=st.integers(0, 10_000))
def test_a_softened_foot_is_better_off_than_as_it_was_blended(seed: int) -> None:
    """It gets the first level at which it stays near its place and slips no more than as blended; checked by loops."""
    rng = np.random.default_rng(seed)
    table, level = Table(rng, 5), rng.integers(0, FREE + 1, (5, 2))
    softer = rng.random((5, 2)) < 0.7
    found = _soft_enough(table, level, softer)
    for seam, foot in np.ndindex(5, 2):
        own = int(level[seam, foot])
        if not softer[seam, foot] or not SOFT <= own < FREE:
            assert found[seam, foot] == own
            continue
        slips, creeps = table.values[:, :, seam, foot]
        good = [
            k for k in range(own, FREE + 1) if creeps[k] <= Table.most and slips[k] <= max(slips[FREE], 0.005)
        ]
        least = min(range(own, FREE + 1), key=lambda k: max(slips[k] - 0.005, creeps[k] - Table.most))
        assert found[seam, foot] == (good[0] if good else least)


def test_knees_are_judged_as_far_as_feet_are_moved(sample_walks: MotionGraph) -> None:
    """A knee bent for a frame near a blend is over the bounds at its seam; one farther away at none."""
    made = segue.render(sample_walks.wander(seconds=8, seed=3), feet="free")
    ranges = seam_ranges(made.origin)
    over = joints_over(made, sample_walks.clips, ranges, BOUNDS)
    assert not over(made).any()
    knee = segue.roles(made.skeleton)["left_knee"]
    near = {frame for start, stop in ranges for frame in range(start - 12, stop + 12)}
    away = next(frame for frame in range(10, made.n_frames - 10) if frame not in near)
    for frame, shows in ((ranges[0][1] + 5, True), (away, False)):
        rotations = np.array(made.rotations)
        rotations[frame, knee] = multiply(
            rotations[frame, knee], from_axis_angle(np.array([1.0, 0.0, 0.0]), 0.6)
        )
        found = over(made.with_motion(rotations))
        assert found[:, knee].any() == shows


def test_frames_away_from_seams_are_the_same_bits(sample_walks: MotionGraph) -> None:
    """Frames farther than a third of a second from every blend do not change."""
    made = segue.render(sample_walks.wander(seconds=12, seed=5), feet="free")
    done = with_feet(made, sample_walks.clips, "natural").clip
    near = np.zeros(made.n_frames, dtype=bool)
    for start, stop in seam_ranges(made.origin):
        near[max(start - 10, 0) : stop + 10] = True
    assert (done.rotations[~near] == made.rotations[~near]).all()
    assert (done.root_positions[~near] == made.root_positions[~near]).all()
    assert not (done.rotations == made.rotations).all()


def test_motions_without_plants_are_left_alone() -> None:
    """Bodies without legs, motions without seams and feet set to be free do not change."""
    rng = np.random.default_rng(0)
    clip = chance.clip(rng, chance.body(rng, 4), 40)
    assert with_feet(clip, [clip], "natural").clip is clip
    walk = segue.sample("walk", 30.0)
    assert with_feet(walk, [walk], "natural").clip is walk
    with pytest.raises(SettingError, match="'natural'"):
        with_feet(walk, [walk], "glued")  # type: ignore[arg-type]
    ranges = [(10, 20)]
    work = SeamMoves(walk, np.zeros((walk.n_frames, 4, 2)), np.zeros((walk.n_frames, 4)), ranges, NATURAL)
    found, _ = settle_feet(work, lambda _: np.ones((1, walk.skeleton.n_joints), dtype=bool))
    assert found.clip is walk
    assert found.counts["as blended"] == 2


@given(seed=st.integers(0, 100_000))
def test_spans_touch_ranges_as_every_pair_says(seed: int) -> None:
    """Checking every pair gives the same, in any order, with overlaps and empty ranges."""
    rng = np.random.default_rng(seed)
    spans, ranges = (
        [
            (int(start), int(start + length))
            for start, length in rng.integers(least, 12, (int(rng.integers(0, 7)), 2))
        ]
        for least in (1, 0)
    )
    expected = [
        (start, stop) for start, stop in spans if any(start < last and first < stop for first, last in ranges)
    ]
    assert touching(spans, ranges) == expected


@pytest.mark.parametrize("feet", ["natural", "captured"])
def test_frames_far_from_a_seam_decide_nothing_at_it(feet: SeamFeet, monkeypatch: pytest.MonkeyPatch) -> None:
    """A spliced motion is bit for bit the same whether feet are examined around the seam or everywhere."""
    walk, fast = segue.sample("walk"), segue.sample("walk_fast")
    point = segue.transition_points(walk, fast)[0]
    near = segue.splice(walk, fast, point, feet=feet)
    monkeypatch.setattr("segue.synthesis.feet.seams.LOOK", 1e3)
    whole = segue.splice(walk, fast, point, feet=feet)
    free = segue.splice(walk, fast, point, feet="free")
    assert np.array_equal(near.rotations, whole.rotations)
    assert np.array_equal(near.root_positions, whole.root_positions)
    assert not np.array_equal(near.rotations, free.rotations)
