"""Directed walks compared with slow twins, laws, and rendered frames."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from naive import follow as naive
from segue.errors import NoTransitionError, SettingError
from segue.graph.goals import Goals, Pass, Show
from segue.graph.search import states as units
from segue.graph.search._kernels import follow
from segue.graph.search.directed import Directed, SoFar, direct, walk_of
from segue.graph.search.maze import Maze, maze_of
from segue.graph.search.rounds import search
from segue.maths.paths import GroundPath
from segue.maths.planar import PlanarMotion

LINE = GroundPath.through([[0, 0], [0, 4]])


def test_pieces_follow_a_path_as_the_twin_says(rng: np.random.Generator) -> None:
    """Two pieces from three states along a wavy path with labels match the twin."""
    ground = np.column_stack([np.sin(np.arange(40) / 6), np.arange(40) / 20])
    wanted = np.repeat([0, 1, 2, 3], 10)
    rows = np.array([0, 4, 9])
    samples = np.column_stack([rng.normal(0, 1, (9, 2)), rng.uniform(0.01, 0.1, 9), rng.uniform(0, 6, 9)])
    bits = rng.integers(0, 4, 9)
    states = np.column_stack([rng.normal(0, 1, (3, 3)), [0, 11, 39], [0.0, 2.5, 1.0]])
    pairs = np.array([(s, e) for s in range(3) for e in range(2)])
    made = follow(pairs, states, rows, samples, bits, ground, wanted, 6.0)
    for (s, e), row in zip(pairs, made, strict=True):
        mine = slice(rows[e], rows[e + 1])
        given_values = naive.follow_path(
            states[s].tolist(),
            samples[mine].tolist(),
            bits[mine].tolist(),
            ground.tolist(),
            wanted.tolist(),
            6.0,
        )
        assert row == pytest.approx(given_values, abs=1e-12)


def _edges(maze: Maze, task: units.Task) -> list[tuple[int, int, int, float, bool]]:
    columns = (maze.tail, maze.head, maze.frames, task.seams, maze.transition >= 0)
    return [(int(a), int(b), int(n), float(c), bool(j)) for a, b, n, c, j in zip(*columns, strict=True)]


@pytest.mark.parametrize(("start", "end"), [("walk", "stop"), ("start", "walk_turn_left"), ("start", "stop")])
def test_the_way_between_two_clips_is_the_cheapest(small: segue.MotionGraph, start: str, end: str) -> None:
    """Trying every path gives the same cost, and the search proves that none is lower."""
    goals = Goals(start=(start, 10), end=(end, 40))
    maze = maze_of(small, goals)
    task = units.task_of(maze, goals)
    found = search(task)
    least = int(task.to_end[maze.start])
    given_values = naive.cheapest_walk(
        _edges(maze, task),
        maze.start,
        maze.end,
        units.TIME / small.fps,
        2 * int(units.ALONE * small.fps) // 2,
        least + 100,
    )
    assert found.cost == pytest.approx(given_values, abs=1e-9)
    assert found.proven


def test_a_walk_begins_and_ends_with_the_frames_asked_for(small: segue.MotionGraph) -> None:
    """The rendered motion's first and last frames are the given ones."""
    made = direct(small, Goals(start=("start", 5), end=("stop", 70)))
    motion = segue.render(made.walk, feet="free")
    names = [motion.origin.clips[k] for k in motion.origin.clip[[0, -1], 0]]
    assert names == ["start", "stop"]
    assert motion.origin.frame[[0, -1], 0].tolist() == [5.0, 70.0]


@pytest.mark.slow
@pytest.mark.parametrize("root", ["position", "displacement"])
def test_the_search_knows_where_the_rendered_root_is(root: str) -> None:
    """Root positions of the search match the frames piece by piece, however the root is blended."""
    clips = [segue.sample(name) for name in ("walk", "walk_turn_left")]
    graph = segue.MotionGraph.build(clips, blend=segue.Blend(root=root))  # type: ignore[arg-type]
    goals = Goals(path=GroundPath.through([[1, 2], [3, 4], [1, 6]]))
    maze = maze_of(graph, goals)
    found = search(units.task_of(maze, goals), widths=(100,))
    walk = walk_of(maze, found.node, found.edges, frames=found.frames, placed=PlanarMotion(*found.placed))
    roots = segue.render(walk, feet="free").root_positions[:, [0, 2]]
    assert roots[0] == pytest.approx([1.0, 2.0], abs=1e-9)
    placed, at = PlanarMotion(*found.placed), 0
    for edge in found.edges:
        for row in range(maze.rows[edge], maze.rows[edge + 1]):
            frame = at + maze.offset[row]
            there = placed.apply(np.array([maze.samples[row, 0], 0.0, maze.samples[row, 1]]))
            if frame < len(roots):
                assert roots[frame] == pytest.approx(there[[0, 2]], abs=5e-4)  # metres
        at += maze.frames[edge]
        placed = PlanarMotion(*maze.alignment[edge]).then(placed)
    assert len(walk.plan.joins) > 0
    assert walk.n_frames == at


def test_the_root_trace_of_another_walk_is_found_again(small: segue.MotionGraph) -> None:
    """The root path of another walk is followed within 5 cm on average."""
    trace = segue.render(small.wander(seconds=8, seed=3), feet="free").root_positions[:, [0, 2]]
    made = direct(small, Goals(path=GroundPath.through(trace)), most_states=30000, budget=None)
    assert made.off.mean() < 0.05
    assert made.along[-1] == pytest.approx(GroundPath.through(trace).length, abs=0.1)


def test_more_time_costs_no_more_and_bounds_hold(small: segue.MotionGraph) -> None:
    """Costs fall with time, bounds rise and stay below; the same number of states finds the best walk again."""
    goals = Goals(path=GroundPath.through([[0, 0], [0, 2], [2, 4]]))
    given_values: list[SoFar] = []
    made = direct(small, goals, most_states=30000, budget=None, progress=given_values.append)
    costs, bounds = [one.cost for one in given_values], [one.bound for one in given_values]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert 0 < made.bound <= made.cost
    again = direct(small, goals, most_states=made.best_at, budget=None)
    assert again.walk.plan == made.walk.plan
    assert again.walk.placed == made.walk.placed


@settings(max_examples=6)
@given(st.floats(-np.pi, np.pi), st.floats(-100, 100), st.floats(-100, 100))
def test_a_path_turned_and_moved_is_walked_as_well(
    small: segue.MotionGraph, turn: float, x: float, z: float
) -> None:
    """The result does not depend on the path's place or heading."""
    points = np.array([[0.0, 0, 0], [0.3, 0, 1.5]])
    moved = PlanarMotion(turn, x, z).apply(points)
    costs = [
        search(units.task_of(maze_of(small, goals), goals), widths=(20,)).cost
        for goals in (Goals(path=GroundPath.through(p[:, [0, 2]])) for p in (points, moved))
    ]
    # Cells with another placement keep other states.
    assert costs[1] == pytest.approx(costs[0], rel=0.5)


def _both(made: Directed, labels: dict[str, list[tuple[str, int, int]]]) -> set[str]:
    motion = segue.render(made.walk, feet="free")
    names = np.array(motion.origin.clips)[motion.origin.clip[:, 0]]
    return {word for word, ranges in labels.items() for name, _, _ in ranges if (names == name).any()}


def test_labels_are_shown_when_asked_for(small: segue.MotionGraph) -> None:
    """Walking first, stopping then: other labels are rarely shown."""
    labels = {"go": [("walk", 0, 10**6)], "halt": [("stop", 60, 10**6)]}
    goals = Goals(seconds=4.0, shows=(Show("go", 0, 2), Show("halt", 3, 4)), labels=labels)
    made = direct(small, goals)
    assert made.walk.n_frames == round(4 * small.fps) + 1
    assert _both(made, labels) == {"go", "halt"}
    assert made.wrong_seconds < 0.3


def test_a_point_is_passed_in_time(small: segue.MotionGraph) -> None:
    """The rendered root is at the point at the given time."""
    goals = Goals(passes=(Pass(1.5, 2.0, 3.0),))
    made = direct(small, goals, most_states=60000, budget=None)
    frame = round(3 * small.fps)
    root = segue.render(made.walk, feet="free").root_positions[min(frame, made.walk.n_frames - 1), [0, 2]]
    assert made.missed[0] == pytest.approx(np.hypot(*(root - (1.5, 2.0))), abs=1e-9)
    assert made.missed[0] < 0.3


def test_what_cannot_be_done_is_said_with_the_way_out(small: segue.MotionGraph) -> None:
    """Too fast, not reachable, or without a label: each error gives the reason."""
    with pytest.raises(NoTransitionError, match=r"10,0 at 1 s cannot be passed.*Give it .* s or later"):
        direct(small, Goals(passes=(Pass(10, 0, 1.0),)))
    with pytest.raises(SettingError, match="no clip is called 'wlak'; nearest: walk"):
        direct(small, Goals(start=("wlak", None), seconds=2))
    with pytest.raises(SettingError, match="no frame is labelled 'dance'"):
        direct(small, Goals(seconds=2, shows=(Show("dance", 0, 1),)))
    with pytest.raises(SettingError, match="the end of the walk is undetermined"):
        direct(small, Goals())
    with pytest.raises(SettingError, match="leave one of the two out"):
        direct(small, Goals(path=LINE, seconds=3))


def test_a_clip_that_nothing_leads_to_is_named() -> None:
    """For two clips without a transition the error names the start, the end, and what would connect them."""
    graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("stop")], threshold=1e-9)
    with pytest.raises(NoTransitionError, match=r"frame 0 of 'walk'.*'stop'.*(add a clip|join at --quality)"):
        direct(graph, Goals(start=("walk", None), end=("stop", None)))


def test_an_interrupt_keeps_the_best_so_far(small: segue.MotionGraph) -> None:
    """Ctrl-C after the first walk returns that walk; before it, the interrupt propagates."""

    def stop(at: SoFar) -> None:
        if np.isfinite(at.cost):
            raise KeyboardInterrupt

    made = direct(small, Goals(path=LINE), progress=stop)
    assert made.walk.n_frames > 1

    task = units.task_of(maze_of(small, Goals(path=LINE)), Goals(path=LINE))

    def at_once(_: object) -> None:
        raise KeyboardInterrupt

    far = dataclasses.replace(task, last=10**6)  # never done
    with pytest.raises(KeyboardInterrupt):
        search(far, widths=(3,), tell=at_once)
