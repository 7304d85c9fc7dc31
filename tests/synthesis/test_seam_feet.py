"""Feet at seams are held as still as the seams allow, and no seam shows more than its bounds or its own blend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips as chance
import segue
from segue.errors import SettingError
from segue.graph.build import build_graph
from segue.graph.motion_graph import MotionGraph
from segue.measures.foot_skate import carried_contacts
from segue.measures.seams import SeamBounds, seam_ranges, seams
from segue.motion.clip import Clip
from segue.synthesis.feet.planting import touching
from segue.synthesis.feet.seams import SeamFeet, SeamPlants, limits_of, settle_feet, with_feet

BOUNDS = SeamBounds()


def loose(clips: list[Clip], fps: float | None = None) -> MotionGraph:
    """Every transition there is, however it looks."""
    return build_graph(clips, fps=fps, threshold=np.inf, check_seams=False)


@pytest.fixture(scope="module")
def sample_walks() -> MotionGraph:
    """Samples that walk, start, stop and stand."""
    return loose([segue.sample(name, 30.0) for name in ("walk", "walk_slow", "stop", "start", "stand")])


def worst(motion: Clip, graph: MotionGraph, bounds: SeamBounds, made: Clip) -> np.ndarray:
    """Each seam's worst excess, at the seams of the motion as it was blended."""
    found = seams(motion, graph.clips, ranges=seam_ranges(made.origin))
    return np.array([float(seam.excess(bounds).max()) for seam in found])


def assert_within(graph: MotionGraph, seed: int, seconds: float, feet: SeamFeet, bounds: SeamBounds) -> None:
    """No seam of the finished motion is beyond its bounds, or beyond what its blend shows where that is more."""
    made = segue.render(graph.wander(seconds=seconds, seed=seed), feet="free")
    done = with_feet(made, graph.clips, feet, bounds=bounds)
    limit = limits_of(worst(made, graph, bounds, made))
    assert (worst(done.clip, graph, bounds, made) <= limit + 1e-6).all()
    assert sum(done.plants.counts.values()) == len(done.plants.foot)


@settings(max_examples=8)
@given(
    seed=st.integers(0, 1000),
    feet=st.sampled_from(["planted", "captured"]),
    factor=st.sampled_from([1.1, 1.5]),
)
def test_no_seam_shows_more_than_it_may(
    sample_walks: MotionGraph, seed: int, feet: SeamFeet, factor: float
) -> None:
    """Samples joined anyhow, within the usual bounds and within tight ones."""
    assert_within(sample_walks, seed, 8.0, feet, SeamBounds(factor, 0.05, factor))


def test_no_seam_of_captures_shows_more_than_it_may(data: Path) -> None:
    """Captured motions joined anyhow: a root that comes down for one foot shows in the leg that is free already."""
    paths = sorted((data / "asf_amc/127").glob("*.amc"))
    graph = loose([segue.load(path) for path in paths], 30.0)
    for seed, feet in ((0, "planted"), (2, "planted"), (2, "captured"), (5, "planted")):
        assert_within(graph, seed, 25.0, feet, BOUNDS)


def test_with_every_plant_let_go_the_motion_is_as_it_was_blended(sample_walks: MotionGraph) -> None:
    """A measure that is never content leaves all plants free and every bit as it was; one that is holds them all."""
    made = segue.render(sample_walks.wander(seconds=8, seed=3), feet="free")
    ranges = seam_ranges(made.origin)
    how = {
        "planted": carried_contacts(made, sample_walks.clips),
        "drift": np.zeros((made.n_frames, 4, 2)),
        "ranges": ranges,
        "limits": np.ones((len(ranges), 1)),
    }
    joints = made.skeleton.n_joints
    never = settle_feet(made, **how, excess=lambda _: np.full((len(ranges), joints), 2.0))
    assert never.plants.counts["free"] == len(never.plants.foot) > 0
    assert never.clip is made
    always = settle_feet(made, **how, excess=lambda _: np.zeros((len(ranges), joints)))
    assert always.plants.counts["held"] == len(always.plants.foot)
    once = settle_feet(made, **how, excess=lambda _: np.full((len(ranges), joints), 2.0), passes=1)
    np.testing.assert_array_equal(once.clip.rotations, always.clip.rotations)


def test_a_leg_that_shows_is_let_go_first(sample_walks: MotionGraph) -> None:
    """A left knee that shows at first frees left plants at its seam only; the drift of the source is tried before."""
    made = segue.render(sample_walks.wander(seconds=8, seed=3), feet="free")
    ranges = seam_ranges(made.origin)
    calls = []

    def excess(_: Clip) -> np.ndarray:
        out = np.zeros((len(ranges), made.skeleton.n_joints))
        if not calls:
            out[:, made.skeleton.names.index("LeftLeg")] = 2.0
        calls.append(1)
        return out

    found = settle_feet(
        made,
        planted=carried_contacts(made, sample_walks.clips),
        drift=np.zeros((made.n_frames, 4, 2)),
        ranges=ranges,
        limits=np.ones((len(ranges), 1)),
        excess=excess,
    ).plants
    touches = np.array(
        [
            any(start < last and first < stop for first, last in ranges)
            for start, stop in zip(found.start, found.stop, strict=True)
        ]
    )
    left = found.foot == 0
    assert 0 < left.sum() < len(left)
    assert (found.treatment[left & touches] == 1).all()
    assert (found.treatment[~left] == 0).sum() > 0
    assert found.counts["free"] == 0


def test_motions_without_plants_are_left_alone() -> None:
    """Bodies without legs, motions without seams, and feet that are to be free."""
    rng = np.random.default_rng(0)
    clip = chance.clip(rng, chance.body(rng, 4), 40)
    assert with_feet(clip, [clip], "planted").clip is clip
    walk = segue.sample("walk", 30.0)
    assert with_feet(walk, [walk], "planted").clip is walk
    with pytest.raises(SettingError, match="'planted'"):
        with_feet(walk, [walk], "glued")  # type: ignore[arg-type]
    ranges = [(10, 20)]
    found = settle_feet(
        walk,
        planted=np.zeros((walk.n_frames, 4), dtype=bool),
        drift=np.zeros((walk.n_frames, 4, 2)),
        ranges=ranges,
        limits=np.ones((1, 1)),
        excess=lambda _: np.full((1, walk.skeleton.n_joints), 5.0),
    )
    assert found.clip is walk
    assert len(found.plants.foot) == 0


def test_flags_cover_the_plants_of_one_treatment() -> None:
    """Heel and toe of the plants' own foot, in their frames alone."""
    plants = SeamPlants(np.array([0, 1]), np.array([2, 4]), np.array([4, 5]), np.array([0, 2]))
    held, free = plants.flags(6, 0), plants.flags(6, 2)
    assert np.argwhere(held).tolist() == [[2, 0], [2, 1], [3, 0], [3, 1]]
    assert np.argwhere(free).tolist() == [[4, 2], [4, 3]]
    assert plants.counts == {"held": 1, "captured": 0, "free": 1}


@given(seed=st.integers(0, 100_000))
def test_spans_touch_ranges_as_every_pair_says(seed: int) -> None:
    """In any order and overlapping, ranges without frames among them."""
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
