"""Partial walks of a search as growing columns, and their extension by one edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.graph.goals import Goals
from segue.graph.search._kernels import follow
from segue.graph.search.maze import Maze
from segue.maths.paths import evenly
from segue.maths.planar import wrapped
from segue.motion.clip import Clip
from segue.motion.facing import heading

STEP = 0.05
"""Metres between the sampled points of a path."""
SLACK = 0.3
"""Most metres that a walk may catch up with the path at once, after its root swayed."""
ALONE = 0.1
"""Least seconds that a clip plays alone between two blends."""
OFF = 1.0
"""Cost of a second one metre off the path."""
TIME = 0.01
"""Cost of a second, the same as 10 cm off, so that a walk does not linger near the path."""
SEAM = 0.02
"""Cost of the graph's highest-cost transition; the lowest-cost one has half of that, others are between."""
WRONG = 0.5
"""Cost of a second that shows another label than the requested one."""
MISSED = 2.0
"""Cost of passing a point one metre off; it grows with the square."""
_TURNS = np.radians([0.0, -10.0, 10.0, -25.0, 25.0, -45.0, 45.0])
_LEAD = 0.5  # metres of path that determine the starting direction


class States:
    """Partial walks, each one edge longer than its parent.

    ``place`` (N, 5) turn, x, z of the clip being played, and place on the path and spare in steps; ``frames``
    so far, frames ``alone`` since the last blend, ``cost``, ``node`` reached; ``parent`` and ``edge`` that
    led there, -1 at a start. ``root`` (N, 2) is on the ground; ``least`` and ``key`` are used by the layers.
    """

    columns = ("place", "cost", "frames", "alone", "node", "parent", "edge", "root", "least", "key")

    def __init__(self) -> None:
        self.count = 0
        self.place = np.empty((1024, 5))
        self.root = np.empty((1024, 2))
        self.cost, self.least = np.empty(1024), np.empty(1024)
        self.frames, self.alone, self.node, self.parent, self.edge, self.key = (
            np.empty(1024, dtype=np.int64) for _ in range(6)
        )

    def add(
        self,
        maze: Maze,
        place: Floats,
        cost: Floats,
        frames: Ints,
        alone: Ints,
        node: Ints,
        *,
        parent: Ints,
        edge: Ints,
    ) -> Ints:
        """Append states; return their numbers."""
        first, self.count = self.count, self.count + len(cost)
        if self.count > len(self.cost):
            room = max(2 * len(self.cost), self.count)
            for name in self.columns:
                old = getattr(self, name)
                new = np.empty((room, *old.shape[1:]), dtype=old.dtype)
                new[:first] = old[:first]
                setattr(self, name, new)
        mine = slice(first, self.count)
        self.place[mine], self.cost[mine], self.frames[mine] = place, cost, frames
        self.alone[mine], self.node[mine], self.parent[mine], self.edge[mine] = alone, node, parent, edge
        own = maze.roots[node]
        c, s = np.cos(place[:, 0]), np.sin(place[:, 0])
        self.root[mine, 0] = c * own[:, 0] + s * own[:, 1] + place[:, 1]
        self.root[mine, 1] = -s * own[:, 0] + c * own[:, 1] + place[:, 2]
        return np.arange(first, self.count)

    def history_of(self, state: int) -> tuple[int, list[int]]:
        """Return the first state of a walk and the edges from there to a state."""
        edges: list[int] = []
        while self.parent[state] >= 0:
            edges.append(int(self.edge[state]))
            state = int(self.parent[state])
        return state, edges[::-1]


@dataclass(frozen=True, eq=False)
class Task:
    """Goals in the units of a search.

    ``ground`` (L, 2) points of the path ``step`` metres apart, none without a path; ``wanted`` (L,) and ``wanted_at``
    (T,) bits of labels requested along it and at each frame; ``passes`` (K, 3) x, z, frame, sorted by frame; ``length``
    frames of the walk if given, else 0; ``last`` frame before which it may not end.
    """

    maze: Maze
    ground: Floats
    step: float
    wanted: Ints
    wanted_at: Ints
    passes: Floats
    length: int
    last: int
    samples: Floats
    fastest: float
    to_end: Floats
    seams: Floats

    @property
    def has_path(self) -> bool:
        """Whether there is a path to follow."""
        return len(self.ground) > 0

    @property
    def least_frames(self) -> int:
        """Fewest frames of a complete walk."""
        return max(self.length, self.last + (self.last > 0))

    @property
    def placed(self) -> bool:
        """Whether the goals depend on the walk's position on the ground."""
        return self.has_path or len(self.passes) > 0


def task_of(maze: Maze, goals: Goals) -> Task:
    """Convert goals to the units of a search."""
    fps = maze.graph.fps
    ground, step = (np.zeros((0, 2)), STEP) if goals.path is None else evenly(goals.path, STEP)
    wanted = np.zeros(len(ground), dtype=np.int64)
    timed = np.zeros(round(goals.last_time * fps) + 2, dtype=np.int64)
    for show in goals.shows:
        bit = 1 << maze.words.index(show.label)
        unit = step if show.along else 1.0 / fps
        range_of = slice(round(show.start / unit), round(show.stop / unit))
        (wanted if show.along else timed)[range_of] |= bit
    rows = sorted((round(one.seconds * fps), one.x, one.z) for one in goals.passes)
    passes = np.array([(x, z, frame) for frame, x, z in rows], dtype=np.float64).reshape(-1, 3)
    samples = np.array(maze.samples)
    samples[:, 3] /= step
    count = len(maze.clip)
    joined = maze.transition >= 0
    seams = np.zeros(len(maze.tail))
    costs = maze.graph.costs[maze.transition[joined]]
    seams[joined] = SEAM * (0.5 + 0.5 * costs / max(float(np.max(maze.graph.costs, initial=0.0)), 1e-12))
    return Task(
        maze,
        ground,
        step,
        wanted,
        timed,
        passes,
        0 if goals.seconds is None else round(goals.seconds * fps) + 1,
        round(goals.last_time * fps),
        samples,
        maze.fastest,
        np.zeros(count) if maze.end < 0 else maze.frames_to(maze.end),
        seams,
    )


def started(task: Task, states: States) -> Ints:
    """Add the possible first states: every node, or the requested one, in several directions."""
    maze = task.maze
    leaving = np.flatnonzero(np.diff(maze.first) > 0)
    nodes = leaving if maze.start < 0 else np.array([maze.start])
    rows, turns, goes = [], [], _target(task)
    for node in nodes.tolist():
        clip = maze.graph.clips[int(maze.clip[node])]
        roots = clip.root_positions[:, [0, 2]]
        frame = min(int(maze.frame[node]), clip.n_frames - 1)
        if goes is None:
            turned = np.arange(0, 2 * np.pi, np.pi / 12) if len(task.passes) else np.zeros(1)
        else:
            turned = goes - _going(clip, roots, frame) + _TURNS
        rows += [(node, *roots[frame])] * len(turned)
        turns += turned.tolist()
    given, turn = np.array(rows).reshape(-1, 3), wrapped(np.array(turns))
    at = task.ground[0] if task.has_path else np.zeros(2)
    c, s = np.cos(turn), np.sin(turn)
    x = at[0] - c * given[:, 1] - s * given[:, 2]
    z = at[1] + s * given[:, 1] - c * given[:, 2]
    count = len(given)
    nothing = np.zeros(count)
    place = np.column_stack([turn, x, z, nothing, nothing])
    nobody, whole = np.full(count, -1), np.zeros(count, dtype=np.int64)
    node = given[:, 0].astype(np.int64)
    return states.add(maze, place, nothing, whole, whole, node, parent=nobody, edge=nobody)


def _target(task: Task) -> float | None:
    """Direction in which the path begins, 0 along +Z."""
    if not task.has_path:
        return None
    ahead = task.ground[min(round(_LEAD / task.step), len(task.ground) - 1)] - task.ground[0]
    return float(np.arctan2(ahead[0], ahead[1]))


def _going(clip: Clip, roots: Floats, frame: int) -> float:
    """Direction in which a clip moves on from a frame; its heading if it stays in place."""
    away = roots[frame:] - roots[frame]
    far = np.hypot(*away.T)
    out = np.flatnonzero(far >= _LEAD)
    row = int(out[0]) if out.size else int(np.argmax(far))
    if far[row] < 0.1:
        return float(heading(clip)[frame])
    return float(np.arctan2(away[row, 0], away[row, 1]))


def expand(task: Task, states: States, chosen: Ints) -> Ints:
    """Add every state one edge after the chosen ones; return their numbers."""
    maze = task.maze
    node = states.node[chosen]
    counts = maze.first[node + 1] - maze.first[node]
    parent = np.repeat(chosen, counts)
    within = np.arange(len(parent)) - np.repeat(np.cumsum(counts) - counts, counts)
    edge = maze.first[states.node[parent]] + within
    allowed = _allowed(task, states, parent, edge)
    parent, edge = parent[allowed], edge[allowed]
    if not len(parent):
        return parent
    joins = maze.transition[edge] >= 0
    before = states.place[parent]
    place = before.copy()
    c, s = np.cos(before[:, 0]), np.sin(before[:, 0])
    turn, x, z = maze.alignment[edge].T
    place[:, 0] += turn
    place[:, 1] += c * x + s * z
    place[:, 2] += -s * x + c * z
    frames = maze.frames[edge]
    cost = states.cost[parent] + TIME * frames / maze.graph.fps + task.seams[edge]
    if task.has_path:
        pairs = np.column_stack([parent, edge])
        end = follow(
            pairs,
            states.place,
            maze.rows,
            task.samples,
            maze.bits,
            task.ground,
            task.wanted,
            SLACK / task.step,
        )
        place[:, 3:] = end[:, :2]
        cost += OFF * end[:, 2] + WRONG * end[:, 3]
    cost += _timed(task, states, parent, edge)
    alone = np.where(joins, 0, states.alone[parent] + frames)
    frames = states.frames[parent] + frames
    return states.add(maze, place, cost, frames, alone, maze.head[edge], parent=parent, edge=edge)


def _allowed(task: Task, states: States, parent: Ints, edge: Ints) -> Bools:
    """Flags (M,): no blend immediately follows another, none is cut off by the end of the walk."""
    maze = task.maze
    joins = maze.transition[edge] >= 0
    hurried = states.alone[parent] < ALONE * maze.graph.fps
    cut = (task.length > 0) & (states.frames[parent] + maze.frames[edge] > task.length)
    out: Bools = ~(joins & (hurried | cut))
    return out


def _timed(task: Task, states: States, parent: Ints, edge: Ints) -> Floats:
    """Cost (M,) of missed points and of wrong labels at given times."""
    maze, out = task.maze, np.zeros(len(parent))
    start = states.frames[parent]
    for x, z, frame in task.passes:
        mine = np.flatnonzero((start < frame) & (frame <= start + maze.frames[edge]))
        if not mine.size:
            continue
        e, place = edge[mine], states.place[parent[mine]]
        count = maze.rows[e + 1] - maze.rows[e]
        row = maze.rows[e] + np.minimum(
            np.ceil((frame - start[mine]) * count / maze.frames[e]).astype(np.int64) - 1, count - 1
        )
        sx, sz = maze.samples[row, 0], maze.samples[row, 1]
        c, s = np.cos(place[:, 0]), np.sin(place[:, 0])
        there = c * sx + s * sz + place[:, 1], -s * sx + c * sz + place[:, 2]
        out[mine] += MISSED * ((there[0] - x) ** 2 + (there[1] - z) ** 2)
    if task.wanted_at.any():
        count = maze.rows[edge + 1] - maze.rows[edge]
        pair = np.repeat(np.arange(len(edge)), count)
        row = maze.rows[edge][pair] + np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
        at = np.minimum(start[pair] + maze.offset[row] - 1, len(task.wanted_at) - 1)
        bits = task.wanted_at[at]
        wrong = (bits != 0) & ((bits & maze.bits[row]) == 0)
        out += WRONG * np.bincount(pair, weights=wrong * maze.samples[row, 2], minlength=len(edge))
    return out


def at_least(task: Task, states: States, chosen: Ints) -> Floats:
    """Lower bound (K,) of the cost of any completion of chosen states; infinite if there is none.

    The rest of the path, and the walk to the requested end, take a least time; a walk that is off the path,
    or far from a point to pass, approaches it no faster than the fastest edge.
    """
    maze, place = task.maze, states.place[chosen]
    fps, speed = maze.graph.fps, max(task.fastest, 1e-9)
    left = task.to_end[states.node[chosen]] / fps
    out = states.cost[chosen].copy()
    if task.has_path:
        ahead = np.maximum(len(task.ground) - 1 - place[:, 3], 0.0) * task.step
        still = np.maximum(ahead - SLACK - task.step, 0.0) / speed
        left = np.maximum(left, still)
        x, z = states.root[chosen].T
        at = task.ground[place[:, 3].astype(np.int64)]
        off = np.maximum(np.hypot(at[:, 0] - x, at[:, 1] - z) - SLACK - 2 * task.step, 0.0)
        while_off = np.minimum(np.maximum(still - 1.0 / 15, 0.0), off / (2 * speed))
        out += OFF * (off**3 - (off - 2 * speed * while_off) ** 3) / (6 * speed)
    frames = states.frames[chosen]
    left = np.maximum(left, (max(task.length - 1, task.last) - frames) / fps)
    for px, pz, frame in task.passes:
        coming = np.flatnonzero(frames < frame)
        x, z = states.root[chosen[coming]].T
        # The nearest sample represents the moment; it is up to a fifteenth of a second away.
        reach = speed * ((frame - frames[coming]) / fps + 2 / 15)
        out[coming] += MISSED * np.maximum(np.hypot(px - x, pz - z) - reach, 0.0) ** 2
    out += TIME * np.maximum(left, 0.0)
    return out
