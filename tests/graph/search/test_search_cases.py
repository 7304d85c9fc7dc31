"""Graphs of awkward inputs, hard cuts, walks that end, and captured clips."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.errors import NoTransitionError
from segue.graph.goals import Goals
from segue.graph.search.directed import direct
from segue.maths.paths import GroundPath


def test_frames_outside_the_component_are_counted(cases, hand, loose):
    """Two of ten clips lead to one another: their frames are kept, all others are dropped."""
    case = json.loads((cases / "case190-motion-graph-pruned-report.json").read_text())
    count, frames = case["inputs"]["clips"], case["inputs"]["frames_each"]
    jumps = [(a, frames, b, 0) for a, b in case["inputs"]["edges"]]
    graph = hand([loose(str(k), frames, seed=k) for k in range(count)], jumps, length=0)
    assert graph.report.kept_frames == case["expect"]["kept_frames"]
    assert graph.report.dropped_frames == case["expect"]["dropped_frames"]


def test_a_walk_that_ends_may_leave_the_component(hand, loose):
    """A clip without a way out is excluded from endless walks, but a walk may end in it."""
    graph = hand([loose("loop", 80), loose("end", 80)], [(0, 50, 0, 10), (0, 40, 1, 10)])
    assert graph.clips_reached == ("loop",)
    made = direct(graph, Goals(start=("loop", 5), end=("end", None)))
    assert made.walk.clips_played == ("loop", "end")
    assert made.walk.n_frames == (40 - 5) + 2 + (80 - 12)
    with pytest.raises(
        NoTransitionError, match=r"from there no transition leaves 'end', and no other clip leads into 'loop'"
    ):
        direct(graph, Goals(start=("end", 5), end=("loop", 20)))


def test_hard_cuts_never_come_two_in_one_moment(hand, loose):
    """Between two cuts a clip plays at least one frame, and the frames are those of the plan."""
    graph = hand([loose("a", 40), loose("b", 40)], [(0, 20, 1, 10), (1, 10, 0, 20), (1, 30, 0, 5)], length=0)
    made = direct(graph, Goals(seconds=6.0))
    assert segue.render(made.walk, feet="free").n_frames == 61
    pieces = [stop - start for _, start, stop in made.walk.plan.pieces()]
    assert min(pieces) > 0


def test_captured_walks_follow_a_bend(data: Path):
    """A walk on three captured clips of one subject stays near a quarter circle of 3 m to its end."""
    clips = [segue.load(data / "asf_amc" / "16" / f"16_{n}.amc") for n in (11, 15, 22)]
    graph = segue.MotionGraph.build(clips, fps=30)
    t = np.linspace(0, np.pi / 2, 60)
    path = GroundPath.through(np.column_stack([3 - 3 * np.cos(t), 3 * np.sin(t)]))
    made = direct(graph, Goals(path=path), budget=None, most_states=40_000)
    assert made.off.mean() < 0.25
    assert made.along[-1] == pytest.approx(path.length, abs=0.1)
    seams = segue.measure(segue.render(made.walk, feet="free"), sources=graph.clips)
    assert all(seam.badness(seams.bounds) <= 1.0 for seam in seams.seams)
