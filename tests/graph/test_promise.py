"""The promise of a graph of real clips: it reaches them, and no seam of the finished motion is visible."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import segue
from segue.graph.build import MotionGraph, build_graph
from segue.measures.seams import seams
from segue.motion.clip import Clip
from segue.settings import SeamBounds
from segue.synthesis.joins import JOIN_MARGIN


def loaded(data: Path, pattern: str) -> list[Clip]:
    return [segue.load(path) for path in sorted(data.glob(pattern))]


def assert_promise(graph: MotionGraph, *, seeds: tuple[int, ...] = (0, 1), seconds: float = 60.0) -> None:
    """Check that every transition passes, and every seam of finished motions."""
    assert graph.shares is not None
    assert (graph.shares <= 1.0).all()
    for seed in seeds:
        motion = segue.render(graph.wander(seconds=seconds, seed=seed))
        assert motion.seconds == pytest.approx(seconds)
        found = seams(motion, graph.clips)
        assert len(found) > seconds / 12
        assert max(seam.badness(SeamBounds()) for seam in found) <= 1.0


@pytest.mark.parametrize(
    ("pattern", "fps", "least"),
    [
        ("asf_amc/127/*.amc", 30.0, 19),
        ("asf_amc/127/*.amc", None, 17),
        ("misc/pymo/*.bvh", None, 1),
        ("misc/assimp/Boxing_Toes.bvh", None, 1),
    ],
)
def test_seams_of_finished_motions_are_within_bounds(
    data: Path, pattern: str, fps: float | None, least: int
) -> None:
    """Runs, jumps and ducks of many clips, a long walk and a boxer: a minute for each of two seeds."""
    graph = build_graph(loaded(data, pattern), fps=fps)
    assert len(graph.clips_reached) >= least
    assert_promise(graph)


@pytest.mark.parametrize("cost", ["relative_distance", "joint_angle"])
def test_other_costs_keep_the_promise_as_they_are(data: Path, cost: str) -> None:
    """Shares of transitions decide: no threshold is set for a cost of another unit."""
    graph = build_graph(loaded(data, "asf_amc/127/*.amc"), fps=30.0, cost=segue.cost(cost))
    assert len(graph.clips_reached) >= 15
    assert_promise(graph)


def test_a_folder_of_walks_and_runs_is_reached(data: Path) -> None:
    """At least 45 of the 58 clips of one person are reached."""
    graph = build_graph(loaded(data, "asf_amc/16/*.amc"), fps=30.0)
    assert len(graph.clips_reached) >= 45
    assert_promise(graph, seeds=(0,))


@pytest.mark.parametrize("length", ["auto", "velocity"])
def test_blends_of_their_own_length_keep_the_promise(data: Path, length: str) -> None:
    """Every blend and two frames around it lie inside both clips, in any band of candidates."""
    graph = build_graph(loaded(data, "asf_amc/127/*.amc"), fps=30.0, length=length)
    assert graph.joins.fit(graph.clips).all()
    assert graph.joins.length == graph.joins.each.max()
    assert len(graph.clips_reached) >= 15
    assert_promise(graph, seeds=(0,))


def test_each_clip_is_played_around_its_seams_as_they_were_measured(data: Path) -> None:
    """No blend begins within two frames of the one before, so that short blends keep the promise too."""
    graph = build_graph(loaded(data, "asf_amc/02/*.amc"), fps=30.0, length=0.2)
    for seed in (0, 1, 5):
        joins = graph.wander(seconds=60.0, seed=seed).plan.joins
        for before, after in itertools.pairwise(joins):
            assert after.a_start - before.arrival >= JOIN_MARGIN
    assert_promise(graph, seeds=(0, 1, 5))
