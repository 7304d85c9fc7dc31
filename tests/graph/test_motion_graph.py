"""Nodes, edges and components: every kept node reaches every other, and no walk ever stops."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import graph as naive
from segue.errors import NoTransitionError
from segue.graph.build import MotionGraph
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.transitions.threshold import largest_component

SEEDS = st.integers(0, 100_000)


def random_graph(hand, loose, seed, *, length=None):
    """A few jumps between three clips of 60 to 90 frames."""
    rng = np.random.default_rng(seed)
    length = int(rng.integers(0, 5)) if length is None else length
    clips = [loose(name, int(rng.integers(60, 90))) for name in "abc"]
    jumps = []
    for _ in range(int(rng.integers(2, 16))):
        a, b = (int(k) for k in rng.integers(0, 3, 2))
        starts = [int(rng.integers(0, clips[k].n_frames - length - 1)) for k in (a, b)]
        jumps.append((a, starts[0], b, starts[1]))
    return hand(clips, jumps, costs=rng.random(len(jumps)), length=length)


def edges_inside(graph):
    """Edges (from, to) of the component: along the clips and across."""
    forward = [(k, int(n)) for k, n in enumerate(graph.next_node) if n >= 0]
    across = [
        (int(graph.leaves[transition]), int(graph.arrives[transition]))
        for out in graph.transitions_out
        for transition in out
    ]
    return forward + across


@given(SEEDS)
def test_every_kept_node_reaches_every_other(hand, loose, seed):
    """Depth-first search from each kept node finds all the others, and nothing leads out of them."""
    graph = random_graph(hand, loose, seed)
    kept = set(np.flatnonzero(graph.kept).tolist())
    edges = edges_inside(graph)
    assert all(a in kept and b in kept for a, b in edges)
    assert naive.all_reach_all(kept, edges)
    assert bool(graph.obstacle) == (not kept)


@given(SEEDS)
def test_nodes_are_where_jumps_leave_and_arrive(hand, loose, seed):
    """Each jump leaves at its first blended frame and arrives after its last; nodes are sorted and unique."""
    graph = random_graph(hand, loose, seed)
    nodes = list(zip(graph.node_clip.tolist(), graph.node_frame.tolist(), strict=True))
    assert nodes == sorted(set(nodes))
    for transition in range(len(graph.joins)):
        join = graph.joins.join(transition)
        assert nodes[graph.leaves[transition]] == (join.a_clip, join.a_start)
        assert nodes[graph.arrives[transition]] == (join.b_clip, join.arrival)


def test_graphs_of_clips_keep_the_same_laws(sample_graph, real_graph):
    """Samples and captured walks keep them; forward edges stay in their clip and go forward."""
    for graph in (sample_graph, real_graph):
        kept = set(np.flatnonzero(graph.kept).tolist())
        assert kept
        assert naive.all_reach_all(kept, edges_inside(graph))
        for node in np.flatnonzero(graph.next_node >= 0):
            after = graph.next_node[node]
            assert graph.node_clip[after] == graph.node_clip[node]
            assert graph.node_frame[after] > graph.node_frame[node]


def test_a_dead_end_is_cut_off(cases):
    """Of a cycle with a way out to an end only the cycle stays, and 500 steps from any seed never stop."""
    case = json.loads((cases / "case119-motion-graph-dead-end.json").read_text())
    edges = case["inputs"]["edges"]
    pieces = tuple(np.array(column) for column in (*zip(*edges, strict=True), [1] * len(edges)))
    none = np.empty(0, dtype=np.int64)
    kept = largest_component(5, pieces, (none, none)).kept
    assert np.flatnonzero(kept).tolist() == case["expect"]["kept"]
    assert np.flatnonzero(~kept).tolist() == case["expect"]["dropped"]
    leads = {k: [b for a, b in edges if a == k and kept[b]] for k in case["expect"]["kept"]}
    for seed in range(10):
        rng, node = np.random.default_rng(seed), 0
        for _ in range(500):
            node = int(rng.choice(leads[node]))


def test_a_clip_that_leads_nowhere_is_never_entered(hand, loose):
    """A jump into a clip without a way back is never taken."""
    clips = [loose("loop", 80), loose("end", 80)]
    graph = hand(clips, [(0, 50, 0, 10), (0, 40, 1, 10)])
    assert graph.clips_reached == ("loop",)
    for seed in range(10):
        walk = graph.wander(seconds=50, seed=seed)
        assert walk.n_frames == 501
        assert walk.clips_played == ("loop",)


def test_frames_kept_and_dropped_are_all_frames(hand, loose):
    """Two of ten clips connect: frames inside and outside in the report are all frames."""
    clips = [loose(f"clip {k}", 60) for k in range(10)]
    graph = hand(clips, [(0, 58, 1, 0), (1, 58, 0, 0)], length=0)
    assert graph.report.frames == 600
    assert graph.report.kept_frames == 116
    assert graph.report.kept_frames + graph.report.dropped_frames == graph.report.frames
    assert graph.report.share == 116 / 600
    assert graph.clips_reached == ("clip 0", "clip 1")


def test_without_a_component_the_obstacle_says_cost_and_threshold(hand, loose):
    """Each cause has its sentence: threshold too low, nothing comparable, clips too short."""
    walk, run = sample("walk", fps=30.0), sample("run", fps=30.0)
    low = MotionGraph.build([walk, run], threshold=0.0)
    assert "below the threshold 0" in low.obstacle
    assert "the lowest cost is" in low.obstacle
    assert "Omit --threshold" in low.obstacle
    with pytest.raises(NoTransitionError, match="these 2 clips"):
        low.wander(seconds=5)
    short = MotionGraph.build([cut(walk, 0, 7)])
    assert "this clip" in short.obstacle
    assert "use longer clips" in short.obstacle
    assert "nan" not in short.obstacle
    dead_end = hand([loose("a", 60), loose("b", 60)], [(0, 40, 1, 10)])
    dead_end = replace(
        dead_end, report=replace(dead_end.report, steps={"made and measured": 1, "within bounds": 1})
    )
    assert "1 transitions were made at quality 1 and 1 passed, but none leads back" in dead_end.obstacle
