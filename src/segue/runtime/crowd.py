"""Many characters on one motion graph, stepped together in a few array operations; each follows its own endless walk.

A character is a row number in a block that holds every frame of every clip and of every blend met so far, a ground
motion that places it, and a count of decisions taken. Its next move depends on its seed, its number and that count
alone, so character 7 makes the same walk among twelve and among a thousand, and `GraphCrowd.walk` makes its walk ahead
of time.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions, frozen
from segue.blending.ways import way
from segue.errors import NoTransitionError, SettingError
from segue.graph.build import MotionGraph
from segue.graph.walk import Walk, check_walk
from segue.graph.walker import LEAST_ALONE, MEAN_STRETCH
from segue.maths.planar import PlanarMotion, turned
from segue.maths.quaternions import from_yaw, multiply, slerp
from segue.motion.resample import ON_A_FRAME
from segue.motion.skeleton import Skeleton
from segue.runtime.chance import Words, streams, uniform
from segue.runtime.protocol import check_step
from segue.settings.words import SEED
from segue.synthesis.assemble import Plan, Reel

MOST = 100_000
"""Characters. The state of more does not fit into memory."""
_NEW_AGAIN = 30.0
"""Seconds after which a clip counts as new to a character again."""
_EAGERNESS, _RESTLESSNESS = 4.0, 0.3


@dataclass(eq=False)
class _Now:
    """State of N characters: everything that changes."""

    row: Ints  # of the block
    stop: Ints  # row after the last of this piece
    node: Ints  # choice point at the end of this piece
    transition: Ints  # the one whose blend is being played, or -1
    alone: Ints  # frames of this clip shown since the last blend
    decisions: Ints
    frame: Ints  # frames shown so far
    asked: Ints  # frame at which it last had the chance to leave
    turn: Floats
    shift: Floats  # (N, 2) x and z
    seen: Floats  # (N, C) frame at which each clip was last shown

    def copy(self) -> _Now:
        """Copy every array."""
        return _Now(*(getattr(self, field.name).copy() for field in fields(self)))


class GraphCrowd:
    """N characters that wander over a motion graph, stepped together.

    Each leaves a clip as `segue.graph.walk.wander` by cost does, preferring transitions of low cost and clips it has
    not seen lately, but looks no farther ahead than its next transition.

    Parameters
    ----------
    graph
        The graph.
    count
        Number of characters.
    numbers
        Numbers of the characters within the seed; 0 to ``count - 1`` by default.

    Raises
    ------
    NoTransitionError
        If the graph allows no endless walk.
    SettingError
        If the count is not possible.

    Examples
    --------
    >>> import segue
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    >>> crowd = GraphCrowd(graph, 50)
    >>> rotations, roots = crowd.step(1 / 60)
    >>> rotations.shape == (50, crowd.skeleton.n_joints, 4), roots.shape
    (True, (50, 3))
    """

    def __init__(self, graph: MotionGraph, count: int, *, numbers: Ints | None = None) -> None:
        if not 1 <= count <= MOST:
            msg = f"a crowd of {count} is not possible; give 1 to {MOST}"
            raise SettingError(msg)
        if graph.obstacle:
            raise NoTransitionError(graph.obstacle)
        self.graph, self.count = graph, count
        self.numbers = np.arange(count) if numbers is None else np.asarray(numbers, dtype=np.int64)
        self._block = _FrameBlock(graph)
        self._transitions = np.concatenate([np.zeros(0, np.int64), *graph.transitions_out])
        self._first_transition = np.concatenate([[0], np.cumsum([len(out) for out in graph.transitions_out])])
        inside = graph.costs[self._transitions]
        self._price = np.exp(-inside / max(float(np.median(inside)), 1e-12)) + 1e-12
        self._leads_to = graph.joins.b_clip[self._transitions]
        self._dull = self._dull_transitions()
        self.reset()

    def __repr__(self) -> str:
        return f"<GraphCrowd of {self.count} characters, {self.fps:g} fps, on {self.graph!r}>"

    @property
    def skeleton(self) -> Skeleton:
        """Body of every character."""
        return self.graph.clips[0].skeleton

    @property
    def fps(self) -> float:
        """Frame rate of the graph's clips."""
        return self.graph.fps

    @property
    def sources(self) -> Ints:
        """Number (N,) of the clip with the largest weight in each character's pose."""
        return self._block.clip[self._now.row]

    def reset(self, seed: int = SEED) -> None:
        """Restart: each character at its own frame of the graph, at that frame's place on the ground."""
        check_walk(seconds=1.0, seed=seed, by="cost")
        graph, n, self.seed = self.graph, self.count, seed
        self._streams: Words = streams(seed, self.numbers)
        nodes = np.flatnonzero(graph.next_node >= 0)
        lengths = graph.node_frame[graph.next_node[nodes]] - graph.node_frame[nodes]
        ends = np.cumsum(lengths)
        at = np.floor(uniform(self._streams, np.zeros(n), 1) * ends[-1]).astype(np.int64)
        piece = np.searchsorted(ends, at, side="right")
        node = nodes[piece]
        row = self._block.start[graph.node_clip[node]] + graph.node_frame[node] + at - (ends - lengths)[piece]
        zero = np.zeros(n, dtype=np.int64)
        self._now = _Now(
            row,
            self._row(graph.next_node[node]),
            graph.next_node[node].copy(),
            zero - 1,
            zero.copy(),
            zero + 1,
            zero.copy(),
            zero.copy(),
            np.zeros(n),
            np.zeros((n, 2)),
            np.full((n, len(graph.clips)), -np.inf),
        )
        self._now.seen[np.arange(n), graph.node_clip[node]] = 0.0
        self._start = (graph.node_clip[node].copy(), row - self._block.start[graph.node_clip[node]])
        self._part = 0.0
        self._after: _Now | None = None

    def place(self, motions: list[PlanarMotion]) -> None:
        """Move each character along the ground by its own motion.

        Raises
        ------
        SettingError
            If the number of motions is not the number of characters.
        """
        if len(motions) != self.count:
            msg = f"{self.count} characters cannot be placed by {len(motions)} motions"
            raise SettingError(msg)
        self._after = None
        now = self._now
        turn, shift = np.array([m.turn for m in motions]), np.array([[m.x, m.z] for m in motions])
        now.shift = turned(turn, now.shift) + shift
        now.turn = now.turn + turn

    def step(self, dt: float) -> tuple[Quaternions, Positions]:
        """Advance by ``dt`` seconds; return local rotations (N, J, 4) and root positions (N, 3).

        Raises
        ------
        SettingError
            If the time is not possible.
        """
        check_step(dt)
        self._part += dt * self.fps
        if abs(self._part - round(self._part)) < ON_A_FRAME:
            self._part = float(round(self._part))
        while self._part >= 1.0:
            self._now = self._next() if self._after is None else self._after
            self._after = None
            self._part -= 1.0
        here = self._poses(self._now)
        if not self._part:
            return here
        if self._after is None:
            before = self._now.copy()
            self._after, self._now = self._next(), before
        there = self._poses(self._after)
        roots = (1.0 - self._part) * here[1] + self._part * there[1]
        return slerp(here[0], there[0], self._part), roots

    def save(self) -> dict[str, Any]:
        """Return the state for `restore` of a crowd of the same size on the same graph."""
        return {"now": self._now.copy(), "part": self._part, "seed": self.seed, "start": self._start}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state that `save` returned."""
        self._now, self._part, self._after = state["now"].copy(), state["part"], None
        self.seed, self._start = state["seed"], state["start"]
        self._streams = streams(self.seed, self.numbers)
        now, across = self._now, np.flatnonzero(self._now.transition >= 0)
        self._block.make(np.unique(transitions := now.transition[across]))
        shift = self._block.blend_row[transitions] + self.graph.joins.each[transitions] - now.stop[across]
        for rows in (now.row, now.stop):  # blends have other rows in this crowd's block
            rows[across] += shift

    def walk(self, which: int, *, seconds: float) -> Walk:
        """Return the walk of one character from its start, made ahead of time; `segue.render` makes its frames.

        Raises
        ------
        SettingError
            If there is no such character, or the length is not possible.
        """
        check_walk(seconds=seconds, seed=self.seed, by="cost", fps=self.fps)
        if not 0 <= which < self.count:
            msg = f"there is no character {which}; there are 0 to {self.count - 1}"
            raise SettingError(msg)
        alone = GraphCrowd(self.graph, 1, numbers=self.numbers[which : which + 1])
        alone._block = self._block
        alone.reset(self.seed)
        frames = round(seconds * self.fps) + 1
        taken: list[int] = []
        while int(alone._now.frame[0]) < frames:
            alone._now = alone._next(taken)
        clip, at = (int(part[0]) for part in alone._start)
        graph = self.graph
        joins = tuple(graph.joins.join(one) for one in taken)
        end = (
            joins[-1].arrival
            if alone._now.transition[0] >= 0
            else int(alone._now.row[0] - self._block.start[self._block.clip[alone._now.row[0]]]) + 1
        )
        plan = Plan(clip, at, joins, end)
        costs = frozen(graph.costs[np.array(taken, dtype=np.int64)])
        return Walk(graph.clips, plan, costs, frames, graph.blend.root, graph.blend.way)

    # -- advancing -------------------------------------------------------------------------------------------

    def _row(self, node: Ints) -> Ints:
        out: Ints = self._block.start[self.graph.node_clip[node]] + self.graph.node_frame[node]
        return out

    def _next(self, taken: list[int] | None = None) -> _Now:
        """Advance every character by one frame, in place; the previous `_Now` must not be used again."""
        now = self._now
        now.row = now.row + 1
        now.frame += 1
        now.alone += now.transition < 0
        while True:
            done = np.flatnonzero(now.row >= now.stop)
            if not done.size:
                return now
            self._arrive(now, done[now.transition[done] >= 0])
            self._choose(now, done, taken)

    def _arrive(self, now: _Now, who: Ints) -> None:
        """Put characters whose blend is over at the node it leads to."""
        graph, transitions = self.graph, now.transition[who]
        arrived = self._block.arrived[transitions]
        now.shift[who] = turned(now.turn[who], arrived[:, 1:]) + now.shift[who]
        now.turn[who] += arrived[:, 0]
        now.node[who] = graph.arrives[transitions]
        now.transition[who] = -1
        now.alone[who] = 0
        now.asked[who] = now.frame[who]
        now.row[who] = now.stop[who] = self._row(now.node[who])

    def _choose(self, now: _Now, who: Ints, taken: list[int] | None) -> None:
        """Let characters at a node continue their clip or take a transition."""
        if not who.size:
            return
        graph, nodes = self.graph, now.node[who]
        now.seen[who, graph.node_clip[nodes]] = now.frame[who]
        after = graph.next_node[nodes]
        chosen, newest = self._best_transitions(now, who, nodes)
        # The chance to leave grows with the novelty of the target and the time since the last chance.
        waited = (now.frame[who] - now.asked[who]) / self.fps
        rate = np.where(newest > 0, _EAGERNESS * newest + _RESTLESSNESS, 0.0) / MEAN_STRETCH
        leaves = uniform(self._streams[who], now.decisions[who], 2) > np.exp(-rate * waited)
        early = now.alone[who] < max(LEAST_ALONE * self.fps, 1)
        crosses = (chosen >= 0) & ((leaves & ~early) | (after < 0))
        now.decisions[who] += 1
        now.asked[who] = np.where((newest > 0) & ~early, now.frame[who], now.asked[who])
        on, off = who[~crosses], who[crosses]
        now.row[on] = self._row(now.node[on])
        now.node[on] = after[~crosses]
        now.stop[on] = self._row(now.node[on])
        transitions = chosen[crosses]
        self._block.make(np.unique(transitions))
        now.transition[off] = transitions
        now.row[off] = self._block.blend_row[transitions]
        now.stop[off] = now.row[off] + graph.joins.each[transitions]
        if taken is not None:
            taken += [int(one) for one in transitions]

    def _dull_transitions(self) -> Bools:
        """Flags of transitions back into the clip they leave, where that clip leads on anyway or they do not help.

        They are taken only where there is no other: otherwise characters could stay in one clip for ever.
        """
        graph = self.graph
        alone = graph.joins.a_clip[self._transitions] == self._leads_to
        leads_on = np.zeros(len(graph.node_clip), dtype=bool)
        leads_on[graph.leaves[self._transitions[~alone]]] = True
        for node in range(len(leads_on) - 1, -1, -1):
            after = graph.next_node[node]
            leads_on[node] |= after >= 0 and leads_on[after]
        here, there = leads_on[graph.leaves[self._transitions]], leads_on[graph.arrives[self._transitions]]
        dull: Bools = alone & (here | (~there & bool(leads_on.any())))
        return dull

    def _best_transitions(self, now: _Now, who: Ints, nodes: Ints) -> tuple[Ints, Floats]:
        """Transition (K,) drawn from those that leave each node, -1 for none, and the highest novelty among them."""
        first, last = self._first_transition[nodes], self._first_transition[nodes + 1]
        counts = last - first
        owner = np.repeat(np.arange(who.size), counts)
        at = (
            np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)
        )
        chosen, newest = np.full(who.size, -1, dtype=np.int64), np.zeros(who.size)
        if not at.size:
            return chosen, newest
        ago = now.frame[who[owner]] - now.seen[who[owner], self._leads_to[at]]
        new = np.clip(ago / (_NEW_AGAIN * self.fps), 0.01, 1.0)
        # Gumbel's trick: the largest of these keys falls on each transition in proportion to its weight.
        words = self._streams[who[owner]] ^ (at.astype(np.uint64) << np.uint64(32))
        chance = uniform(words, now.decisions[who[owner]], 3)
        dull = self._dull[at]
        key = np.log(self._price[at] * np.where(dull, 1e-18, new**3)) - np.log(-np.log(chance))
        full = np.flatnonzero(counts)
        starts = (np.cumsum(counts) - counts)[full]
        best = np.maximum.reduceat(key, starts)
        newest[full] = np.maximum.reduceat(np.where(dull, 0.0, new), starts)
        top = np.flatnonzero(key == np.repeat(best, counts[full]))
        chosen[owner[top]] = self._transitions[at[top]]
        return chosen, newest

    def _poses(self, now: _Now) -> tuple[Quaternions, Positions]:
        rotations = self._block.rotations[now.row]
        rotations[:, 0] = multiply(from_yaw(now.turn), rotations[:, 0])
        roots = self._block.roots[now.row]
        roots[:, [0, 2]] = turned(now.turn, roots[:, [0, 2]]) + now.shift
        return rotations, roots


class _FrameBlock:
    """Frames of all clips and of the blends met so far, in one array; blends in the coordinates of the clip left."""

    def __init__(self, graph: MotionGraph) -> None:
        self.graph = graph
        frames = [clip.n_frames for clip in graph.clips]
        self.start = np.concatenate([[0], np.cumsum(frames)])[:-1]
        self.rotations = np.concatenate([clip.rotations for clip in graph.clips])
        self.roots = np.concatenate([clip.root_positions for clip in graph.clips])
        self.clip = np.repeat(np.arange(len(frames)), frames)
        self.used = len(self.roots)
        count = len(graph.costs)
        self.blend_row = np.full(count, -1, dtype=np.int64)
        self.arrived = np.zeros((count, 3))

    def make(self, transitions: Ints) -> None:
        """Make the blends of these transitions that are missing."""
        new = transitions[self.blend_row[transitions] < 0]
        if not new.size:
            return
        graph = self.graph
        self._room(self.used + int(graph.joins.each[new].sum()))
        across = way(graph.blend.way)
        for one in new:
            join = graph.joins.join(int(one))
            length = join.length
            reel = Reel(graph.clips, graph.blend.root, across)
            arrived = reel.blend(join, PlanarMotion())
            rows = slice(self.used, self.used + length)
            self.blend_row[one] = self.used
            self.arrived[one] = arrived.turn, arrived.x, arrived.z
            if length:
                self.rotations[rows], self.roots[rows], _ = reel.taken()
                self.clip[rows] = np.where(np.arange(length) < length // 2, join.a_clip, join.b_clip)
            self.used += length

    def _room(self, wanted: int) -> None:
        if wanted <= len(self.roots):
            return
        more = max(wanted, len(self.roots) * 3 // 2) - len(self.roots)
        self.rotations = np.concatenate([self.rotations, np.empty((more, *self.rotations.shape[1:]))])
        self.roots = np.concatenate([self.roots, np.empty((more, 3))])
        self.clip = np.concatenate([self.clip, np.zeros(more, dtype=np.int64)])
