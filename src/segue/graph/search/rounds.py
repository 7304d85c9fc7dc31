"""Rounds of a search, each with a wider frontier than the previous: branch and bound with the best walk so far."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from segue.arrays import Floats, Ints
from segue.graph.search.states import ALONE, States, Task, at_least, expand, started

WIDTHS = (100, 400, 1500, 5000, 15000)
"""States kept per layer, by round."""
_COARSE_WIDTH = 60  # of the coarse first round on a long path
_COARSE_LAYERS = 600  # most layers of that round; none is longer than a metre
_LONG_PATH = 150.0  # metres
_CELLS = (0.2, 0.15, 0.1, 0.07, 0.05)  # metres; among states of one node in the same cell one is kept
_ANGLES = 30, 36, 48, 60, 60  # number of heading cells
_LAYER = 0.1  # metres of path, or seconds: states are compared within a layer
_OFTEN = 20000  # states expanded between two progress reports
_MOST = 40  # states expanded at most in the last layer, as a multiple of the width


@dataclass
class SearchState:
    """State of a search: the best walk's first node, turn, x, z and edges, its cost, and the bound.

    ``bound``: no walk from the starts tried costs less. ``expanded`` counts states, ``rounds`` finished
    rounds; ``best_at`` is the number of states expanded when the best walk was found. ``furthest`` is the
    farthest progress of any state, in steps of the path or frames.
    """

    cost: float = np.inf
    node: int = -1
    placed: tuple[float, float, float] = (0.0, 0.0, 0.0)
    edges: list[int] = field(default_factory=list)
    frames: int = 0
    bound: float = 0.0
    expanded: int = 0
    rounds: int = 0
    best_at: int = 0
    furthest: float = 0.0
    stopped: bool = False

    @property
    def proven(self) -> bool:
        """Whether no walk from the starts tried costs less."""
        return self.bound >= self.cost - 1e-12


Tell = Callable[[SearchState], None]


def search(
    task: Task,
    *,
    budget: float = np.inf,
    most_states: float = np.inf,
    widths: tuple[int, ...] = WIDTHS,
    tell: Tell | None = None,
) -> SearchState:
    """Search until the best walk is proven, the rounds are done, or the time is up and a walk was found.

    With ``most_states`` it ends after that many expanded states, to reproduce another search. Ctrl-C ends the
    search too; a walk found so far is kept, without one the interrupt is raised again.
    """
    found = SearchState()
    until = time.monotonic() + budget
    try:
        for number, width, layer in _rounds(task, widths):
            _round(task, found, (number, width, layer), until, most_states, tell)
            late = time.monotonic() > until and (np.isfinite(found.cost) or layer == _LAYER)
            if found.stopped or found.proven or late:
                break
    except KeyboardInterrupt:
        if not np.isfinite(found.cost):
            raise
        found.stopped = True
    return found


def _rounds(task: Task, widths: tuple[int, ...]) -> list[tuple[int, int, float]]:
    """Number, width and layer length of each round; on a long path a coarse round reaches the end early."""
    rounds = [(number, width, _LAYER) for number, width in enumerate(widths)]
    length = len(task.ground) * task.step
    if length > _LONG_PATH:
        rounds.insert(0, (0, _COARSE_WIDTH, min(length / _COARSE_LAYERS, 1.0)))
    return rounds


def _round(
    task: Task,
    found: SearchState,
    kind: tuple[int, int, float],
    until: float,
    most_states: float,
    tell: Tell | None,
) -> None:
    """Run one pass over all layers; ``kind`` is an item of `_rounds`."""
    number, width, length = kind
    states = States()
    layers = _Layers(task, states, number, width, length)
    first = started(task, states)
    layers.put(first, found)
    found.bound = max(found.bound, min(float(states.least[first].min()), found.cost))
    opened = 0
    while (layer := layers.next()) is not None:
        if time.monotonic() > until and np.isfinite(found.cost):
            found.stopped = True
            return
        last, most = layers.is_last(layer), 0
        while most < (_MOST if last else 2) * width or (layer == 0 and not most):
            chosen = layers.take(layer, found, everything=layer == 0 and not most)
            if not len(chosen):
                break
            most += len(chosen)
            opened += len(chosen)
            new = expand(task, states, chosen)
            found.expanded += len(chosen)
            _complete(task, states, new, found)
            layers.put(new, found)
            if found.expanded >= most_states:
                found.stopped = True
                return
        layers.close(layer)
        if tell is not None and opened > _OFTEN:
            opened = 0
            tell(found)
    found.rounds = number + 1
    found.bound = max(found.bound, min(layers.lost, found.cost))
    if tell is not None:
        tell(found)


def _complete(task: Task, states: States, new: Ints, found: SearchState) -> None:
    """Record the best of the new states that meet every goal."""
    done = states.frames[new] >= task.least_frames
    if task.maze.end < 0:  # at a just finished blend the seam could be checked on one side only
        done &= states.alone[new] >= ALONE * task.maze.graph.fps
    if task.has_path:
        done &= states.place[new, 3] >= len(task.ground) - 1
    if task.maze.end >= 0:
        done &= states.node[new] == task.maze.end
    mine = new[done]
    if not len(mine):
        return
    best = int(mine[np.argmin(states.cost[mine])])
    if states.cost[best] < found.cost - 1e-12:
        first, edges = states.history_of(best)
        turn, x, z = (float(v) for v in states.place[first, :3])
        found.cost, found.node, found.edges = float(states.cost[best]), int(states.node[first]), edges
        found.placed, found.best_at = (turn, x, z), found.expanded
        found.frames = task.length or int(states.frames[best])


class _Layers:
    """States waiting to be expanded, by progress."""

    def __init__(self, task: Task, states: States, number: int, width: int, length: float) -> None:
        self.task, self.states, self.width = task, states, width
        self.cell, self.angles = _CELLS[min(number, len(_CELLS) - 1)], _ANGLES[min(number, len(_CELLS) - 1)]
        self.waiting: dict[int, list[Ints]] = {}
        self.seen: tuple[Ints, Floats] = (np.zeros(0, dtype=np.int64), np.zeros(0))
        self.lost = np.inf
        self.per = (
            max(round(length / task.step), 1)
            if task.has_path
            else max(round(_LAYER * task.maze.graph.fps), 1)
        )
        self.end = (len(task.ground) - 1) // self.per if task.has_path else np.inf

    def is_last(self, layer: int) -> bool:
        """Whether states stay in this layer until they reach their end."""
        return layer >= self.end

    def put(self, new: Ints, found: SearchState) -> None:
        """Sort new states into layers; drop those that cannot beat the best walk."""
        if not len(new):
            return
        least = at_least(self.task, self.states, new)
        far = self.states.place[new, 3] if self.task.has_path else self.states.frames[new]
        found.furthest = max(found.furthest, float(far.max()))
        good = np.isfinite(least) & (least < found.cost)
        if self.task.has_path and self.task.maze.end < 0:
            fps = self.task.maze.graph.fps
            good &= (
                (far < len(self.task.ground) - 1)
                | (self.states.frames[new] < self.task.least_frames)
                | (self.states.alone[new] < ALONE * fps)
            )
        elif self.task.length:
            good &= self.states.frames[new] < self.task.length
        self.states.least[new] = least
        new, layer = new[good], far[good].astype(np.int64) // self.per
        self.states.key[new] = self._keys(new)
        order = np.argsort(layer, kind="stable")
        edges = np.flatnonzero(np.diff(layer[order], prepend=-1, append=-1))
        for a, b in itertools.pairwise(edges):
            self.waiting.setdefault(int(layer[order[a]]), []).append(new[order[a:b]])

    def next(self) -> int | None:
        """Lowest layer in which states wait."""
        self.seen = (np.zeros(0, dtype=np.int64), np.zeros(0))
        return min(self.waiting, default=None)

    def close(self, layer: int) -> None:
        """Leave a layer; states still waiting there are dropped."""
        for rows in self.waiting.pop(layer, []):
            self.lost = min(self.lost, float(np.min(self.states.least[rows], initial=np.inf)))

    def take(self, layer: int, found: SearchState, *, everything: bool) -> Ints:
        """Take the best waiting states of a layer, one per cell; the others keep waiting."""
        given = self.waiting.pop(layer, [])
        if not given:
            return np.zeros(0, dtype=np.int64)
        rows = np.concatenate(given)
        rows = rows[self.states.least[rows] < found.cost]
        least, keys = self.states.least[rows], self.states.key[rows]
        every, costs = np.concatenate([self.seen[0], keys]), np.concatenate([self.seen[1], least])
        number = np.concatenate([np.full(len(self.seen[0]), -1), np.arange(len(rows))])
        order = np.lexsort((number, costs, every))  # among equals, states expanded before come first
        first = np.r_[True, np.diff(every[order]) != 0][: len(order)]
        once = order[first]
        kept = number[once][number[once] >= 0]
        if self.task.placed:
            self._lose(least, kept)
        kept = kept[np.argsort(least[kept], kind="stable")]
        count = len(kept) if everything else max(self.width // 3, 1)
        now, later = kept[:count], kept[count:]
        if len(later):
            self.waiting[layer] = [rows[later]]
        self.seen = (
            np.concatenate([self.seen[0], keys[now]]),
            np.concatenate([self.seen[1], least[now]]),
        )
        out: Ints = rows[now]
        return out

    def _lose(self, least: Floats, kept: Ints) -> None:
        out = np.ones(len(least), dtype=bool)
        out[kept] = False
        if out.any():
            self.lost = min(self.lost, float(least[out].min()))

    def _keys(self, rows: Ints) -> Ints:
        """Key (K,) that is the same for states so similar that one of them is enough."""
        states, task = self.states, self.task
        fps = task.maze.graph.fps
        alone = np.minimum(states.alone[rows], int(np.ceil(ALONE * fps)))
        if not task.placed:  # states with equal keys have exactly the same continuations
            out: Ints = states.node[rows] * 1024 + alone
            if task.length or task.last:
                out = out * 1024 + states.frames[rows] % self.per
            return out
        out = np.asarray(2 * states.node[rows] + (alone < ALONE * fps), dtype=np.int64)
        ix, iz = (np.floor(states.root[rows] / self.cell).astype(np.int64) % 4096).T
        turn = np.floor(states.place[rows, 0] * self.angles / (2 * np.pi)).astype(np.int64) % self.angles
        out = ((out * 4096 + ix) * 4096 + iz) * 64 + turn
        if task.has_path and (len(task.passes) or task.wanted_at.any()):
            quarter = (4 * states.frames[rows] / fps).astype(np.int64)
            out = out * 512 + quarter % 512
        return out
