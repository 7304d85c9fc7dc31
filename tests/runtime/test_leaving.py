"""The nearest transition, taken on a command: where a live walk leaves, and where it arrives."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from naive.leaving import nearest_transition
from segue.runtime.graph_player import ANOTHER, GraphPlayer, Request
from segue.runtime.protocol import Recorder, replay

FRAME = 1 / 30


def _transitions(graph: segue.MotionGraph) -> list[tuple[int, int, int, int, int]]:
    """Transitions that a walk may take, for the naive twin; those outside the component are never near."""
    out = []
    for k in range(len(graph.joins)):
        join = graph.joins.join(k)
        inside = graph.kept[graph.leaves[k]] and graph.kept[graph.arrives[k]]
        out.append((join.a_clip if inside else -1, join.a_start, join.b_clip, join.b_start, join.arrival))
    return out


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_next_way_to_another_stretch(graph: segue.MotionGraph, seed: int) -> None:
    """From where the walk is already made, the transition is the one that loops over all of them find."""
    player = GraphPlayer(graph)
    player.reset(seed)
    for _ in range(20 + 7 * seed):
        player.step(FRAME)
    walker = player._walker
    node = walker.here.node
    wanted = nearest_transition(
        _transitions(graph), int(graph.node_clip[node]), int(graph.node_frame[node]), ANOTHER * graph.fps
    )
    taken = len(walker.taken)
    player.step(FRAME, Request(leave=True))
    for _ in range(600):
        if len(walker.taken) > taken:
            break
        player.step(FRAME)
    assert wanted is not None
    assert walker.taken[taken] == wanted


def test_it_counts_once_and_the_walk_wanders_on(graph: segue.MotionGraph) -> None:
    """After the transition the walk goes on at random, and a recorded run with the command is repeatable."""
    live = Recorder(GraphPlayer(graph))
    live.reset(seed=3)
    keys = {30: Request(leave=True), 120: Request(leave=True)}
    seen = [live.step(k and FRAME, keys.get(k)).root_position for k in range(240)]
    again = [pose.root_position for pose in replay(GraphPlayer(graph), live.recording)]
    assert np.array_equal(seen, again)
    assert live.controller._request is None


def test_a_state_holds_the_command(graph: segue.MotionGraph) -> None:
    """Saved between the command and the transition, the walk leaves at the same place after it is restored."""
    player = GraphPlayer(graph)
    player.reset(5)
    player.step(0.2, Request(leave=True))
    state = player.save()
    first = [player.step(FRAME).root_position for _ in range(90)]
    player.restore(state)
    assert np.array_equal(first, [player.step(FRAME).root_position for _ in range(90)])
