"""Which transitions enter a graph: the twin's, none beyond the limit, and all clips that can be reached."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import segue
from naive import transitions as naive
from segue.graph.admission import CheckedCandidates, Reach, best_first
from segue.graph.build import MotionGraph, build_graph
from segue.graph.checking import Checked
from segue.graph.parts import Parts
from segue.motion.clip import Clip
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays
from segue.transitions.threshold import Jumps, choice_graph, components

SEEDS = st.integers(0, 100_000)
FPS, LENGTH = 30.0, 5
Rows = list[tuple[int, int, int, int]]


def chance(seed: int) -> tuple[CheckedCandidates, list[Any], Rows, list[float]]:
    """Random jumps between four clips, a few or more than ten seconds long, and their shares."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    frames = rng.integers(60, 420, 4)
    clips = [SimpleNamespace(n_frames=int(n), fps=FPS) for n in frames]
    a, b = rng.integers(0, 4, (2, count))
    a_start, b_start = (rng.integers(0, frames[k] - LENGTH) for k in (a, b))
    share = rng.integers(0, 30, count) / 20
    joins = JoinArrays(a, a_start, b, b_start, np.zeros((count, 3)), LENGTH)
    nobody = np.zeros(count, dtype=bool)
    parts = Parts.from_flags([np.zeros(n, dtype=bool) for n in frames], fps=FPS)
    matches = cast("Any", SimpleNamespace(parts=parts))
    arrives = b_start + LENGTH + JOIN_MARGIN
    rows = list(zip(a.tolist(), a_start.tolist(), b.tolist(), arrives.tolist(), strict=True))
    return (
        CheckedCandidates(matches, np.arange(count), Checked(joins, share, nobody, nobody)),
        clips,
        rows,
        share.tolist(),
    )


@given(SEEDS)
def test_components_are_those_of_the_twin(seed: int) -> None:
    """Nodes, frames and weights of every component, in the twin's order, where parts of one clip count together."""
    checked, _, rows, _ = chance(seed)
    graph = choice_graph(checked.jumps(alone=JOIN_MARGIN))
    owner = [0, 1, 1, 2]
    found = components(graph, np.ones(len(rows), dtype=bool), clip=np.array(owner)[graph.clip], most=300.0)
    expected = naive.weighted_components(rows, most=300.0, owner=owner)
    nodes = list(zip(graph.clip.tolist(), graph.frame.tolist(), strict=True))
    assert len(found) == len(expected)
    for k, (where, total, weight) in enumerate(expected):
        assert {nodes[n] for n in np.flatnonzero(found.node == k)} == where
        assert (found.frames[k], found.weight[k]) == (total, weight)


@given(SEEDS, st.sampled_from([0.3, 0.6, 1.0]), st.sampled_from([0.5, 1.0, 2.0]))
def test_the_best_are_admitted_first_as_the_twin_does(seed: int, share: float, limit: float) -> None:
    """The same jumps as brute force, wherever more jumps do not reduce the choice."""
    checked, clips, rows, shown = chance(seed)
    admitted = best_first(checked, clips, limit=limit, share=share)
    expected, steady = naive.best_first(rows, shown, limit=limit, share=share, fps=FPS)
    assume(steady)
    assert set(np.flatnonzero(admitted).tolist()) == expected


@given(SEEDS, st.sampled_from([0.1, 0.6, 1.0]))
def test_what_is_admitted_passes_and_reaches_what_can_be_reached(seed: int, share: float) -> None:
    """None is beyond the limit, every reachable clip is reached; ``share=1`` reaches as much as all jumps do."""
    checked, clips, _, _ = chance(seed)
    usable = checked.seen.passes(1.0)
    admitted = best_first(checked, clips, limit=1.0, share=share)
    reach = Reach(checked, clips)
    assert (admitted <= usable).all()
    assert ((reach.spans(usable)[1] >= 0) <= (reach.spans(admitted)[1] >= 0)).all()
    if share == 1.0:
        assert reach.weight(admitted) == reach.weight(usable)


@given(SEEDS)
def test_a_lower_quality_never_reaches_less(seed: int) -> None:
    """The best component only grows with the limit, and a transition judged bad is never admitted."""
    checked, clips, _, _ = chance(seed)
    reach = Reach(checked, clips)
    limits = (0.25, 0.5, 1.0, 2.0)
    held = [reach.weight(best_first(checked, clips, limit=limit, share=1.0)) for limit in limits]
    assert held == sorted(held)
    bad = np.random.default_rng(seed).random(len(checked.rows)) < 0.3
    good = ~bad & (np.random.default_rng(seed + 1).random(len(bad)) < 0.3)
    judged = CheckedCandidates(
        checked.matches, checked.rows, Checked(checked.seen.joins, checked.seen.share, good, bad)
    )
    admitted = best_first(judged, clips, limit=0.5, share=1.0)
    assert not (admitted & bad).any()
    assert (judged.seen.share[admitted & ~good] <= 0.5).all()


def test_a_clip_is_reached_whose_way_back_grows_little() -> None:
    """A way out of a clip, a tenth of a second after the last, is admitted where only it leads back."""
    rows = [*[(0, 200 - k, 0, 95 + k) for k in range(8)], (0, 150, 1, 15), (1, 100, 0, 198), (0, 205, 0, 115)]
    a, leaves, b, starts = np.array(rows).T
    joins = JoinArrays(a, leaves, b, starts, np.zeros((11, 3)), LENGTH)
    nobody = np.zeros(11, dtype=bool)
    share = np.array([*[0.1] * 8, 0.2, 0.2, 0.9])
    matches = cast("Any", SimpleNamespace(parts=Parts.from_flags([np.zeros(300, dtype=bool)] * 2, fps=FPS)))
    clips = cast("Any", [SimpleNamespace(n_frames=300, fps=FPS)] * 2)
    checked = CheckedCandidates(matches, np.arange(11), Checked(joins, share, nobody, nobody))
    assert best_first(checked, clips, limit=1.0, share=0.1).all()


SAMPLES = ("walk", "walk_slow", "walk_left", "run", "start", "stop", "stand")


@pytest.fixture(scope="module")
def by_quality() -> dict[float, MotionGraph]:
    """Samples at several qualities."""
    clips = [segue.sample(name, 30.0) for name in SAMPLES]
    return {quality: build_graph(clips, quality=quality) for quality in (3.0, 1.0, 0.5)}


def test_samples_reach_no_fewer_clips_at_a_lower_quality(by_quality: dict[float, MotionGraph]) -> None:
    """Nor does any admitted transition use more than the quality allows."""
    counts = [len(by_quality[quality].clips_reached) for quality in (3.0, 1.0, 0.5)]
    assert counts == sorted(counts)
    for quality, graph in by_quality.items():
        assert graph.shares is not None
        assert (graph.shares <= 1.0 / quality).all()
        assert graph.report.quality == quality


def test_clips_whose_frames_rest_are_looked_at() -> None:
    """A long rest makes the median next-frame cost zero; every candidate is made nevertheless."""
    stand = segue.sample("stand", 30.0)
    still = Clip(
        stand.skeleton,
        np.repeat(stand.rotations[:1], 900, axis=0),
        np.repeat(stand.root_positions[:1], 900, axis=0),
        30.0,
        name="still",
    )
    graph = build_graph([still, segue.sample("walk", 30.0)])
    assert graph.report.next_frame_cost == 0.0
    assert graph.report.steps["made and measured"] > 0
    assert "walk" in graph.clips_reached


def test_jumps_join_parts_of_clips() -> None:
    """A clip with an unusable frame is two parts, and no piece leads across."""
    joins = JoinArrays(np.array([0]), np.array([80]), np.array([0]), np.array([15]), np.zeros((1, 3)), LENGTH)
    flags = np.zeros(100, dtype=bool)
    nobody = np.zeros(1, dtype=bool)
    seen = Checked(joins, np.zeros(1), nobody, nobody)
    clips = cast("Any", [SimpleNamespace(n_frames=100, fps=FPS)])
    for broken in (False, True):
        flags[50] = broken
        matches = cast("Any", SimpleNamespace(parts=Parts.from_flags([flags], fps=FPS)))
        checked = CheckedCandidates(matches, np.zeros(1, dtype=np.int64), seen)
        jumps: Jumps = checked.jumps(alone=JOIN_MARGIN)
        assert (jumps.from_clip[0] != jumps.to_clip[0]) == broken
        assert Reach(checked, clips).weight(np.array([True])) == (0 if broken else 58)
