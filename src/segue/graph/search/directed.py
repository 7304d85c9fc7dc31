"""Directed walks: the walk through a graph that comes nearest to what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import NoTransitionError
from segue.graph.build import MotionGraph
from segue.graph.goals import Goals, check_goals
from segue.graph.render import render
from segue.graph.search.maze import Maze, maze_of
from segue.graph.search.obstacles import require_possible, why_none
from segue.graph.search.rounds import SearchState, search
from segue.graph.search.states import task_of
from segue.graph.walk import Walk
from segue.maths.paths import GroundPath, followed
from segue.maths.planar import PlanarMotion
from segue.synthesis.assemble import Plan

BUDGET = 10.0
"""Seconds a search takes unless told otherwise."""


@dataclass(frozen=True)
class SoFar:
    """How far a search is: cost of the best walk (infinite while there is none), bound, states opened, rounds done."""

    cost: float
    bound: float
    expanded: int
    rounds: int


@dataclass(frozen=True, eq=False)
class Directed:
    """A directed walk and how good it is.

    Parameters
    ----------
    walk
        The walk, placed on the ground; `segue.render` makes its frames.
    cost
        Square metres times seconds off the path, and what time, transitions, wrong labels and missed points cost
        (`segue.graph.search.states`).
    bound
        No walk from the starts that were tried costs less; equal to the cost where the walk is proven best.
    expanded, rounds
        States opened; rounds of the search that were finished.
    best_at
        States opened when the walk was found: with ``most_states=best_at`` it is found again.
    off, along
        (F,) metres from the path at each frame, and how far along it the frame is; empty without a path.
    missed
        (K,) metres by which each point was missed, in the order of the goals.
    wrong_seconds
        Seconds that show another label than the one asked for.
    path
        The path that was asked for.
    """

    walk: Walk
    cost: float
    bound: float
    expanded: int
    rounds: int
    best_at: int
    off: Floats
    along: Floats
    missed: Floats
    wrong_seconds: float
    path: GroundPath | None = None

    @property
    def proven(self) -> bool:
        """Whether no walk from the starts that were tried costs less."""
        return self.bound >= self.cost - 1e-12


def direct(
    graph: MotionGraph,
    goals: Goals,
    *,
    budget: float | None = BUDGET,
    most_states: float = np.inf,
    progress: Callable[[SoFar], None] | None = None,
) -> Directed:
    """Find the walk that comes nearest to goals, with what time there is.

    The search opens partial walks layer by layer, a layer being 10 cm of the path or a tenth of a second. Of those in
    a layer it keeps the best, one of those that are alike, and leaves out all whose cost can only exceed the best walk
    known. It begins anew with a wider frontier until nothing was left out that could be better, or the time is up.
    The distance of a root from its place on the path, by the arc length it travelled, is what Kovar, Gleicher & Pighin
    2002 search by.

    Parameters
    ----------
    graph
        Where to walk. A directed walk ends, so that it may also use what lies outside the component.
    goals
        What to do.
    budget
        Seconds of search; the first walk found is waited for. None: all rounds.
    most_states
        How many states to open at most.
    progress
        Called now and then.

    Raises
    ------
    SettingError
        If the goals contradict themselves or name what is not there.
    NoTransitionError
        If no walk can do what is asked for; names what prevents it and what would make it possible.

    Examples
    --------
    >>> import segue
    >>> from segue.graph.goals import Goals
    >>> from segue.graph.search.directed import direct
    >>> from segue.maths.paths import GroundPath
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_turn_left")])
    >>> made = direct(graph, Goals(path=GroundPath.through([[0, 0], [0, 3]])), budget=1.0)
    >>> bool(made.off.mean() < 0.25)
    True
    """
    check_goals(goals)
    maze = maze_of(graph, goals)
    require_possible(maze, goals)
    task = task_of(maze, goals)
    tell = None if progress is None else (lambda one: progress(_so_far(one)))
    found = search(task, budget=np.inf if budget is None else budget, most_states=most_states, tell=tell)
    if found.node < 0:
        raise NoTransitionError(
            why_none(maze, goals, found.furthest * (task.step if task.has_path else 1 / graph.fps))
        )
    return _directed(maze, goals, found)


def _so_far(found: SearchState) -> SoFar:
    return SoFar(found.cost, min(found.bound, found.cost), found.expanded, found.rounds)


def walk_of(maze: Maze, node: int, edges: list[int], *, frames: int, placed: PlanarMotion) -> Walk:
    """Walk that begins at a node and takes edges in turn."""
    graph = maze.graph
    taken = [int(maze.transition[e]) for e in edges if maze.transition[e] >= 0]
    last = int(maze.frame[maze.head[edges[-1]]])
    plan = Plan(int(maze.clip[node]), int(maze.frame[node]), tuple(graph.joins.join(k) for k in taken), last)
    blend = graph.blend
    return Walk(graph.clips, plan, graph.costs[taken], frames, blend.root, blend.way, placed=placed)


def _directed(maze: Maze, goals: Goals, found: SearchState) -> Directed:
    walk = walk_of(maze, found.node, found.edges, frames=found.frames, placed=PlanarMotion(*found.placed))
    roots = render(walk).root_positions[:, [0, 2]]
    off, along = (np.zeros(0), np.zeros(0)) if goals.path is None else followed(roots, goals.path)
    fps = maze.graph.fps
    missed = [
        float(np.hypot(*(roots[min(round(one.seconds * fps), len(roots) - 1)] - (one.x, one.z))))
        for one in goals.passes
    ]
    return Directed(
        walk,
        found.cost,
        min(found.bound, found.cost),
        found.expanded,
        found.rounds,
        found.best_at,
        frozen(off),
        frozen(along),
        frozen(np.array(missed)),
        _wrong(maze, goals, found, along),
        goals.path,
    )


def _wrong(maze: Maze, goals: Goals, found: SearchState, along: Floats) -> float:
    """Seconds that show another label than the one asked for, sample by sample."""
    wrong, at = 0.0, 0
    for edge in found.edges:
        for row in range(int(maze.rows[edge]), int(maze.rows[edge + 1])):
            frame = at + int(maze.offset[row]) - 1
            asked = 0
            for show in goals.shows:
                where = along[min(frame, len(along) - 1)] if show.along else frame / maze.graph.fps
                asked |= (1 << maze.words.index(show.label)) * bool(show.start <= where < show.stop)
            if asked and not asked & int(maze.bits[row]):
                wrong += float(maze.samples[row, 2])
        at += int(maze.frames[edge])
    return wrong
