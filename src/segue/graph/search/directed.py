"""Directed walks: the walk through a graph that meets its goals best.

If none is possible, the error states the reason and a remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import NoTransitionError
from segue.graph.build import MotionGraph
from segue.graph.goals import LONGEST, Goals, check_goals
from segue.graph.search.maze import Maze, maze_of
from segue.graph.search.rounds import SearchState, search
from segue.graph.search.states import task_of
from segue.graph.walk import Walk, render
from segue.maths.paths import GroundPath, followed, sharpest
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.synthesis.assemble import Plan

BUDGET = 10.0
"""Default duration of a search in seconds."""


@dataclass(frozen=True)
class SoFar:
    """Progress of a search: cost of the best walk (infinite without one), bound, expanded states, finished rounds."""

    cost: float
    bound: float
    expanded: int
    rounds: int


@dataclass(frozen=True, eq=False)
class Directed:
    """A directed walk and its quality.

    Parameters
    ----------
    walk
        The walk, placed on the ground; `segue.render` makes its frames.
    cost
        Square metres times seconds off the path, plus the costs of time, transitions, wrong labels and missed
        points (`segue.graph.search.states`).
    bound
        Lower bound of the cost of any walk from the starts that were tried; equal to the cost if the walk is
        proven best.
    expanded, rounds
        Numbers of states expanded and of rounds finished.
    best_at
        States expanded when the walk was found: with ``most_states=best_at`` it is found again.
    off, along
        (F,) metres from the path at each frame, and the frame's arc length along it; empty without a path.
    missed
        (K,) metres by which each point was missed, in the order of the goals.
    wrong_seconds
        Seconds that show another label than the requested one.
    path
        The requested path.
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
    """Find the walk that meets goals best, within a time budget.

    The search expands partial walks layer by layer, a layer being 10 cm of the path or a tenth of a second. In each
    layer it keeps the best ones, one of several similar ones, and drops all whose cost must exceed that of the best
    walk known. It restarts with a wider frontier until nothing was dropped that could be better, or the time is up.

    The criterion of Kovar, Gleicher & Pighin 2002 is used: the distance of the root from the point of the
    path at its travelled arc length.

    Parameters
    ----------
    graph
        Graph to walk. A directed walk is finite, so that it may also use nodes outside the component.
    goals
        Goals of the walk.
    budget
        Seconds of search, extended until a first walk is found. None: all rounds.
    most_states
        Most states to expand.
    progress
        Called from time to time.

    Raises
    ------
    SettingError
        If the goals contradict each other or name something that does not exist.
    NoTransitionError
        If no walk can meet the goals; gives the reason and a remedy.

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
    """Return the walk that begins at a node and follows edges in order."""
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
    """Seconds that show another label than the requested one, sample by sample."""
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


_MOST_NAMES = 5
_NEAR_ENOUGH = 0.5  # metres; closer points count as passed


def require_possible(maze: Maze, goals: Goals) -> None:
    """Refuse goals that no walk can meet.

    Raises
    ------
    NoTransitionError
        If the end cannot be reached from the start, a label has no reachable frame, a point is too far away
        for the fastest motion in the given time, or the path is too long for the longest walk.
    """
    reached = np.zeros(len(maze.clip)) if maze.start < 0 else maze.frames_from(maze.start)
    if maze.end >= 0 and not np.isfinite(reached[maze.end]):
        raise NoTransitionError(_why_none(maze, reached))
    if maze.end >= 0 and maze.start < 0 and not np.isfinite(maze.frames_to(maze.end)).sum() > 1:
        raise NoTransitionError(
            f"{_named(maze, maze.end, last=True)} cannot be reached: nothing leads there. {_more(maze.graph)}"
        )
    _require_labels(maze, goals, reached)
    if goals.path is not None and goals.path.length > maze.fastest * LONGEST:
        msg = (
            f"the path is {goals.path.length:,.0f} m long: the fastest motion ({maze.fastest:.2f} m/s) needs "
            f"{goals.path.length / max(maze.fastest, 1e-9):,.0f} s for it, and a walk lasts up to {LONGEST:g}"
        )
        raise NoTransitionError(msg)
    at, before = (0.0, 0.0) if goals.path is None else tuple(goals.path.points[0]), 0.0
    for one in sorted(goals.passes, key=lambda point: point.seconds):
        far = float(np.hypot(one.x - at[0], one.z - at[1]))
        reach = maze.fastest * (one.seconds - before)
        if far - 2 * _NEAR_ENOUGH > reach:
            msg = (
                f"the point {one.x:g},{one.z:g} at {one.seconds:g} s cannot be passed: it is {far:.2f} m from the "
                f"walk's position at {before:g} s, and the fastest motion ({maze.fastest:.2f} m/s) covers "
                f"{reach:.2f} m by then. Give it {before + far / max(maze.fastest, 1e-9):.2f} s or later, "
                "or add faster clips"
            )
            raise NoTransitionError(msg)
        at, before = (one.x, one.z), one.seconds


def _why_none(maze: Maze, reached: np.ndarray) -> str:
    graph = maze.graph
    there = np.isfinite(reached)
    here = np.isfinite(maze.frames_to(maze.end))
    a, b = _names(graph, maze.clip[there]), _names(graph, maze.clip[here])
    if set(np.unique(maze.clip[there])) == {maze.clip[maze.start]}:
        first = f"from there no transition leaves {graph.clips[int(maze.clip[maze.start])].name!r}"
    else:
        first = f"from there one gets to {a}"
    if set(np.unique(maze.clip[here])) == {maze.clip[maze.end]}:
        second = f"no other clip leads into {graph.clips[int(maze.clip[maze.end])].name!r} before that frame"
    else:
        second = f"it can be reached from {b}"
    return (
        f"nothing leads from {_named(maze, maze.start, last=False)} to {_named(maze, maze.end, last=True)}: {first}, "
        f"and {second}. {_more(graph)}"
    )


def _require_labels(maze: Maze, goals: Goals, reached: np.ndarray) -> None:
    for bit, word in enumerate(maze.words):
        usable = np.zeros(len(maze.clip), dtype=bool)
        edges = np.repeat(np.arange(len(maze.tail)), np.diff(maze.rows))
        carrying = np.unique(edges[(maze.bits >> bit) & 1 == 1])
        usable[maze.tail[carrying]] = True
        if not np.isfinite(reached[usable]).any():
            clips = list(dict.fromkeys(name for name, _, _ in goals.labels.get(word, ())))
            known = {clip.name for clip in maze.graph.clips}
            why = [
                f"{name!r}: {reason}"
                for name, reason in maze.graph.report.dropped_clips.items()
                if name in clips
            ]
            gone = [name for name in clips if name not in known]
            text = "; ".join(why[:3]) or (
                f"not among the clips: {', '.join(gone[:3])}" if gone else "nothing leads there"
            )
            msg = f"motion labelled {word!r} cannot be reached ({text}). {_more(maze.graph)}"
            raise NoTransitionError(msg)


def why_none(maze: Maze, goals: Goals, furthest: float) -> str:
    """Return the reason why a search found no walk."""
    unit = "m along the path" if goals.path is not None else "s"
    return (
        f"no walk reaches the end: every walk that was tried ends by {furthest:.2f} {unit}, in clips that nothing "
        f"leads out of. {_more(maze.graph)}"
    )


def _more(graph: MotionGraph) -> str:
    """Suggest a tried quality that would reach more clips, or additional clips."""
    report = graph.report
    here = len(graph.clips_reached)
    better = next(
        (level for level in sorted(report.reach_at, reverse=True) if report.reach_at[level] > here), None
    )
    if better is not None:
        return (
            f"{report.reach_at[better]} of {len(graph.clips)} clips join at --quality {better:g}, here {here}"
        )
    return f"No lower quality reaches more than these {here} clips: add a clip that looks like both somewhere"


def _named(maze: Maze, node: int, *, last: bool) -> str:
    frame = int(maze.frame[node]) - last
    return f"frame {frame} of {maze.graph.clips[int(maze.clip[node])].name!r}"


def _names(graph: MotionGraph, numbers: np.ndarray) -> str:
    names = [repr(graph.clips[k].name) for k in np.unique(numbers)]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def why_off(clips: Sequence[Clip], path: GroundPath, off: np.ndarray, along: np.ndarray) -> str:
    """Describe in one sentence where a walk is farthest from its path, and whether the path turns too sharply there."""
    row = int(np.argmax(off))
    at = float(along[row])
    fine = np.linspace(0.0, path.length, max(int(path.length / 0.05), 2))
    points = np.stack([np.interp(fine, path.lengths, path.points[:, axis]) for axis in (0, 1)], axis=-1)
    near = (fine >= at - 2.0) & (fine <= at + 0.5)
    asked = float(np.degrees(np.max(sharpest(points, 0.5)[near], initial=0.0)))
    able = np.sort([_turning(clip.root_positions[:, [0, 2]]) for clip in clips])[-1]
    where = f"it is farthest from the path, {off[row]:.2f} m, {at:.1f} m along it"
    if asked > able + 1.0:
        return (
            f"{where}, where the path turns {asked:.0f} degrees within a metre; no clip turns more than {able:.0f}: "
            "round the corner, or add a clip that turns so"
        )
    if asked > 30.0:
        return (
            f"{where}, where the path turns {asked:.0f} degrees within a metre; a clip that turns so may help"
        )
    return f"{where}; a longer --budget or more clips may help"


def _turning(roots: np.ndarray) -> float:
    return float(np.degrees(np.max(sharpest(roots[::4], 0.5), initial=0.0)))
