"""Components of a graph: disjoint, the heaviest first, each walked without leaving it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from naive import transitions as naive
from segue.costs.point_cloud import PointCloudCost
from segue.errors import SettingError
from segue.graph.admission import CheckedCandidates
from segue.graph.build import MotionGraph
from segue.graph.checking import Checked
from segue.graph.finish import Made, assembled
from segue.graph.matching import Matches
from segue.graph.pairs import Comparison
from segue.graph.parts import Parts
from segue.motion.clip import Clip
from segue.settings import Blend, SeamSettings, SearchSettings
from segue.synthesis.joins import JoinArrays
from segue.transitions.threshold import given_threshold

SEEDS = st.integers(0, 100_000)
LENGTH = 2
Row = tuple[int, int, int, int]


def graph_of(clips: list[Clip], rows: list[Row], shares: list[float] | None = None) -> MotionGraph:
    """A graph of jumps (clip left, first blended frame, clip entered, first blended frame), all that pass admitted."""
    count = len(rows)
    a, a_start, b, b_start = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    joins = JoinArrays(a, a_start, b, b_start, np.zeros((count, 3)), LENGTH)
    share = np.zeros(count) if shares is None else np.array(shares)
    nobody, costs = np.zeros(count, dtype=bool), np.linspace(0.1, 1.0, count)
    matches = Matches(
        joins=joins,
        cost=costs,
        diagonal=costs,
        lowest=costs,
        a_frames=a_start,
        b_frames=b_start,
        cells=np.column_stack([a_start, b_start]),
        number=np.arange(count),
        once=costs,
        next_frame_cost=1.0,
        steps={},
        copies=(),
        short={},
        prepared=None,  # type: ignore[arg-type]
        parts=Parts.all_sound(clips),
        pairs=(),
        starts=np.zeros(1, dtype=np.int64),
        points=np.zeros(0, dtype=np.int64),
        fits=np.isin(np.arange(len(clips)), [a, b]),
        best=0.1,
    )
    checked = CheckedCandidates(matches, np.arange(count), Checked(joins, share, nobody, nobody))
    how = Comparison(
        PointCloudCost(),
        SeamSettings(Blend(seconds=LENGTH / clips[0].fps)),
        SearchSettings(),
        clips[0].skeleton,
        clips[0].fps,
    )
    made = Made(tuple(clips), checked, share <= 1.0, given_threshold(1.0), 1.0, {})
    return MotionGraph.of(assembled(made, how))


def chance(loose, seed: int) -> tuple[MotionGraph, list[Row]]:
    """Random jumps between five clips, two of them longer than ten seconds."""
    rng = np.random.default_rng(seed)
    clips = [
        loose(name, int(rng.integers(*span)))
        for name, span in zip("abcde", [(40, 90)] * 3 + [(130, 180)] * 2, strict=True)
    ]
    rows = []
    for _ in range(int(rng.integers(1, 14))):
        a, b = (int(k) for k in rng.integers(0, 5, 2))
        if rng.random() < 0.6:
            b = a
        starts = [int(rng.integers(0, clips[k].n_frames - LENGTH)) for k in (a, b)]
        rows.append((a, starts[0], b, starts[1]))
    return graph_of(clips, rows), rows


@given(SEEDS)
def test_components_are_disjoint_and_numbered_by_weight(loose, seed):
    """Components match the twin in its order; no node is in two, and the first is walked."""
    graph, rows = chance(loose, seed)
    assume(len(graph.joins) == len(rows))  # otherwise some would leave a clip right after a blend
    jumps = [(a, start, b, arrive + LENGTH) for a, start, b, arrive in rows]
    expected = naive.weighted_components(jumps, most=100.0)
    nodes = list(zip(graph.node_clip.tolist(), graph.node_frame.tolist(), strict=True))
    parts = graph.report.components
    assert len(parts) == len(expected)
    seen = set()
    for number, (where, frames, _) in enumerate(expected, start=1):
        walked = graph.component(number)
        kept = {nodes[k] for k in np.flatnonzero(walked.kept)}
        assert kept == where
        assert not kept & seen
        seen |= kept
        assert walked.report.kept_frames == frames == round(parts[number - 1].seconds * graph.fps)
        assert walked.clips_reached == parts[number - 1].clips
        assert walked.report.steps["inside the component"] == sum(len(out) for out in walked.transitions_out)
    if parts:
        np.testing.assert_array_equal(graph.component(1).kept, graph.kept)


@given(SEEDS)
def test_a_walk_stays_in_its_component(loose, seed):
    """Every join of a walk leaves and arrives inside the walked component."""
    graph, _ = chance(loose, seed)
    for number in range(1, len(graph.report.components) + 1):
        walked = graph.component(number)
        inside = {(int(walked.node_clip[k]), int(walked.node_frame[k])) for k in np.flatnonzero(walked.kept)}
        walk = walked.wander(seconds=20, seed=seed)
        assert walk.n_frames == 201
        for join in walk.plan.joins:
            assert (join.a_clip, join.a_start) in inside
            assert (join.b_clip, join.arrival) in inside


@given(SEEDS)
def test_every_clip_outside_a_component_has_a_reason(loose, seed):
    """This holds in each component, in any order; back in the first, everything is as before."""
    graph, _ = chance(loose, seed)
    names = {clip.name for clip in graph.clips}
    walked = graph
    for number in [*range(1, len(graph.report.components) + 1), 1]:
        if not graph.report.components:
            break
        walked = walked.component(number)
        report = walked.report
        assert set(report.dropped_clips) == names - set(walked.clips_reached)
        assert all(report.dropped_clips.values())
        assert set(report.would_join) <= set(report.dropped_clips)
    np.testing.assert_array_equal(walked.kept, graph.kept)
    assert walked.clips_reached == graph.clips_reached


def test_clips_count_for_more_than_one_long_clip(loose):
    """Three clips of six seconds precede one of seventeen; no clip counts for more than ten seconds."""
    clips = [loose(name, 62) for name in "abc"] + [loose("long", 175)]
    ring = [(0, 58, 1, 0), (1, 58, 2, 0), (2, 58, 0, 0)]
    graph = graph_of(clips, [(3, 170, 3, 0), *ring])
    assert graph.clips_reached == ("a", "b", "c")
    assert [part.clips for part in graph.report.components] == [("a", "b", "c"), ("long",)]
    second = graph.component(2)
    assert second.clips_reached == ("long",)
    assert second.report.dropped_clips == dict.fromkeys("abc", "it is in component 1")
    first = second.component(1)
    assert first.clips_reached == ("a", "b", "c")
    assert first.report.dropped_clips["long"]
    assert graph.holding("long").clips_reached == ("long",)
    assert graph.holding("a") is graph
    assert graph.holding("nobody") is graph
    assert second.holding("b").clips_reached == ("a", "b", "c")
    assert graph.wander(seconds=5, start="long").clips_played == ("long",)


def test_a_component_that_is_not_there_is_refused_with_those_that_are(loose):
    """The error gives number, clips and seconds of each component; a graph without any says so."""
    graph = graph_of([loose("a", 60)], [(0, 50, 0, 8)])
    for number in (0, 2, -1):
        with pytest.raises(
            SettingError, match=rf"no component {number} of this graph; it has 1: 1 clips, 4 s"
        ):
            graph.component(number)
    empty = graph_of([loose("a", 60)], [(0, 8, 0, 50)])
    assert empty.component(1) is empty
    assert empty.obstacle
    with pytest.raises(SettingError, match="it has none"):
        empty.component(2)


def test_the_obstacle_names_the_quality_at_which_motion_goes_on(loose):
    """A way back that uses 1.6 times the limit connects two clips at quality 0.6."""
    clips = [loose("a", 60), loose("b", 60)]
    graph = graph_of(clips, [(0, 40, 1, 10), (0, 50, 0, 8)], [0.5, 1.6])
    assert graph.report.would_join == {"a": 0.6}
    assert graph.report.reach_at[0.7] == 0
    assert graph.report.dropped_clips == {
        "a": "it joins at quality 0.6",
        "b": "it can be entered but not left at this quality",
    }
    assert "2 transitions were made at quality 1 and 1 passed, but none leads back" in graph.obstacle
    assert "1 of 2 clips join at --quality 0.6" in graph.obstacle
