"""The next step of a walk: options at every choice point, the repetition of each, and the choice.

`Ahead` computes how much recent motion is repeated before something fresh comes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from segue.arrays import Bools, Floats
from segue.graph.motion_graph import GraphData

By = Literal["cost", "probability"]
REPEAT_SECONDS = 1.0
"""A stretch longer than this is not played again ..."""
FORGET_SECONDS = 10.0
"""... within this time, unless no other edge exists."""
LONGEST_STRETCH = 6.0
"""One clip is left after this many seconds unless no other edge exists."""
MEAN_STRETCH = 1.5
"""Approximate mean of the seconds in one clip when walking by cost."""
LEAST_ALONE = 0.25
"""Least seconds that a clip plays alone between two blends when walking by cost, if possible."""
_EAGERNESS, _RESTLESSNESS = 4.0, 0.3
"""Rates at which a clip is left sooner, for a reachable clip not seen lately, and without one."""
_DULL = 0.5
"""Seconds of repetition that make a transition less likely by a factor of e."""
_LOOK_AGAIN = 0.25
"""Seconds after which a walk computes its look-ahead again."""
_NEW_AGAIN = 30.0
"""Seconds after which a clip counts as new again."""
_FEW_CLIPS = 7
"""If a walk has played fewer clips than this in that time, it heads for one not played in twice the time."""


@dataclass(frozen=True)
class WalkPosition:
    """Position of a walk in the graph."""

    node: int  # choice point
    emitted: int = 0  # frames made so far
    run: int = 0  # consecutive recently played frames up to here
    stretch: int = 0  # consecutive frames of this clip up to here, including the blend into it


@dataclass(frozen=True)
class NextStep:
    """An option for the next step: play on to a choice point, or take a transition and play on to one."""

    transition: int  # transition, or -1 to play on
    place: WalkPosition  # where it ends
    frames: int  # frames it makes
    repeat: int  # longest run of recently played frames


class Walker:
    """State of a walk in progress."""

    def __init__(self, graph: GraphData, rng: np.random.Generator, by: By, node: int) -> None:
        self.graph, self.rng, self.by = graph, rng, by
        self.first = node
        self.here = WalkPosition(node)
        self.since_choice = 0
        self.taken: list[int] = []
        self.ahead = Ahead(graph)
        self.usual = graph.joins.usual
        self.frames_played = np.full(int(self.ahead.starts[-1]), -np.inf)
        self.played = np.split(self.frames_played, self.ahead.starts[1:-1])  # views, one per clip
        self.dull, self.looked_at, self.few_clips = np.zeros(len(graph.node_clip)), -np.inf, False
        self.clip_of = np.repeat(np.arange(len(graph.clips)), np.diff(self.ahead.starts))  # of every frame
        self.clip_seen = np.full(len(graph.clips), -np.inf)
        inside = graph.costs[graph.kept[graph.leaves] & graph.kept[graph.arrives]]
        self.sigma = max(float(np.median(inside)), 1e-12)

    # -- looking ahead ---------------------------------------------------------------------------------------

    def _next_choice(self, node: int) -> int:
        """First node with a transition at or after a node; -1 where the component has none."""
        while node >= 0 and len(self.graph.transitions_out[node]) == 0:
            node = int(self.graph.next_node[node])
        return node

    def _runs(self, clip: int, start: int, stop: int, run: int, at: int) -> tuple[int, int]:
        """Longest and last run of recently played frames in [start, stop), continuing a run; made at frame ``at``."""
        if stop <= start:
            return run, run
        now = at + np.arange(stop - start)
        lately = self.played[clip][start:stop] > now - FORGET_SECONDS * self.graph.fps
        if lately.all():
            return run + lately.size, run + lately.size
        breaks = np.flatnonzero(~lately)
        inner = int(np.max(np.diff(breaks), initial=1)) - 1
        last = lately.size - 1 - int(breaks[-1])
        return max(run + int(breaks[0]), inner, last), last

    def _forward(self, here: WalkPosition) -> NextStep | None:
        after = int(self.graph.next_node[here.node])
        end = self._next_choice(after) if after >= 0 else -1
        if end < 0:
            return None
        clip, start = int(self.graph.node_clip[here.node]), int(self.graph.node_frame[here.node])
        stop = int(self.graph.node_frame[end])
        repeat, run = self._runs(clip, start, stop, here.run, here.emitted)
        made = stop - start
        place = WalkPosition(end, here.emitted + made, run, here.stretch + made)
        return NextStep(-1, place, made, repeat)

    def _across(self, here: WalkPosition, transition: int) -> NextStep | None:
        join = self.graph.joins
        end = self._next_choice(int(self.graph.settled[transition]))
        if end < 0:  # the clip does not play on that long
            end = self._next_choice(int(self.graph.arrives[transition]))
        if end < 0:
            return None
        a, b = int(join.a_clip[transition]), int(join.b_clip[transition])
        a_start, arrival, tail = (
            int(join.a_start[transition]),
            int(join.arrivals[transition]),
            int(join.tails[transition]),
        )
        stop, length = int(self.graph.node_frame[end]), int(join.each[transition])
        first, _ = self._runs(a, a_start, a_start + int(join.heads[transition]), here.run, here.emitted)
        second, run = self._runs(b, arrival - tail, stop, 0, here.emitted + length - tail)
        frames = length + stop - arrival
        place = WalkPosition(end, here.emitted + frames, run, frames)
        return NextStep(transition, place, frames, max(first, second))

    def _options(self, here: WalkPosition) -> list[NextStep]:
        forward = self._forward(here)
        if here.emitted and here.stretch == 0 and forward is not None:
            return [forward]  # just after a hard cut: at least one frame of the clip is played
        found = [
            option
            for transition in self.graph.transitions_out[here.node]
            if (option := self._across(here, int(transition)))
        ]
        if here.emitted and here.stretch == 0:
            found = [option for option in found if option.frames] or found  # no cut right after a cut
        return found if forward is None else [*found, forward]

    def _is_fresh(self, option: NextStep) -> bool:
        return option.repeat <= REPEAT_SECONDS * self.graph.fps

    def _leads_on(self, option: NextStep) -> bool:
        return any(self._is_fresh(following) for following in self._options(option.place))

    # -- choosing --------------------------------------------------------------------------------------------

    def options(self) -> list[NextStep]:
        """List the options for the next step; playing on comes last."""
        return self._options(self.here)

    def step(self, left: float = np.inf) -> NextStep:
        """Choose and take one option, given the number of frames left to make; return it."""
        everything = self.options()
        forward = [option for option in everything if option.transition < 0]
        if left <= self.usual and forward:
            everything = forward  # a blend would be cut off by the end
        elif forward:
            everything = [o for o in everything if o.transition < 0 or not self._too_long(o.transition, left)]
        fresh = [o for o in everything if self._is_fresh(o)]
        longest = LONGEST_STRETCH * self.graph.fps - self.usual  # reserve frames for the blend out
        allowed = [o for o in fresh if o.place.stretch <= longest]
        if not allowed:  # prefer a transition to a clip that must play long to staying too long
            allowed = [o for o in fresh if o.transition >= 0] or fresh
        leading = [o for o in allowed if self._leads_on(o)]
        return self.take(self._pick(leading) if leading else self._soonest(everything))

    def _too_long(self, transition: int, left: float) -> bool:
        joins = self.graph.joins
        return bool(joins.bridges[transition]) and left <= int(joins.each[transition])

    def _soonest(self, options: list[NextStep]) -> NextStep:
        """Option with the least repetition, its own and the following, before something fresh comes."""
        dull = self._dull([o.place.node for o in options])
        return options[
            int(np.argmin([o.repeat / self.graph.fps + d for o, d in zip(options, dull, strict=True)]))
        ]

    def _pick(self, allowed: list[NextStep]) -> NextStep:
        forward = [o for o in allowed if o.transition < 0]
        across = [o for o in allowed if o.transition >= 0]
        transitions = np.array([o.transition for o in across], dtype=np.int64)
        weights = np.exp(-self.graph.costs[transitions] / self.sigma) + 1e-12
        if self.by == "probability":
            weights = np.concatenate([weights, np.ones(len(forward))])
            return (across + forward)[self.rng.choice(len(allowed), p=weights / weights.sum())]
        joins = self.graph.joins
        alone = self.here.stretch - int(joins.each[self.taken[-1]] if self.taken else joins.length)
        hurried = self.here.emitted and not self.here.run and alone < LEAST_ALONE * self.graph.fps
        if not across or (forward and hurried):
            return forward[0]
        dull = self._dull([o.place.node for o in (*across, *forward)])
        if forward and self.few_clips and dull[: len(across)].min() - dull[-1] > _DULL:
            return forward[0]  # this clip leads to another one sooner
        new = self._newness(transitions)
        # Leave sooner if something new is reachable, rarely for what was just seen.
        eager = self.since_choice * (_EAGERNESS * float(new.max()) + _RESTLESSNESS) / self.graph.fps
        stuck = forward and dull[-1] - dull[: len(across)].min() > _DULL
        if forward and not stuck and self.rng.random() < np.exp(-eager / MEAN_STRETCH):
            return forward[0]
        weights *= new * np.exp((dull.min() - dull[: len(across)]) / _DULL)
        return across[self.rng.choice(len(across), p=weights / weights.sum())]

    def _dull(self, nodes: list[int]) -> Floats:
        """Seconds of recent motion repeated after each node before something fresh comes.

        If few clips were played lately, the seconds of these before another clip count as well (decision 192).
        """
        now, fps = self.here.emitted, self.graph.fps
        if now - self.looked_at > _LOOK_AGAIN * fps:
            self.dull = np.minimum(
                self.ahead.repeats(self.frames_played > now - FORGET_SECONDS * fps), _NEW_AGAIN
            )
            ago = now - self.clip_seen
            self.few_clips = now >= _NEW_AGAIN * fps and int((ago < _NEW_AGAIN * fps).sum()) < _FEW_CLIPS
            if self.few_clips:
                another = self.ahead.repeats((ago < 2 * _NEW_AGAIN * fps)[self.clip_of])
                self.few_clips = bool(np.isfinite(another[self.here.node]))
                self.dull = self.dull + np.minimum(another, _NEW_AGAIN) if self.few_clips else self.dull
            self.looked_at = now
        out: Floats = self.dull[nodes]
        return out

    def _newness(self, transitions: np.ndarray) -> Floats:
        """Weight between almost 0 and 1: time since each transition's target clip, and that very second, were seen."""
        joins, fps = self.graph.joins, self.graph.fps
        at = joins.arrivals[transitions] - joins.tails[transitions]
        second = [
            self.played[b][start : start + round(fps)]
            for b, start in zip(joins.b_clip[transitions], at, strict=True)
        ]
        ago = np.array(
            [self.clip_seen[joins.b_clip[transitions]], [np.max(s, initial=-np.inf) for s in second]]
        )
        new = np.clip((self.here.emitted - ago) / (_NEW_AGAIN * fps), 0.01, 1.0)
        out: Floats = new[0] ** 3 * new[1]
        return out

    def take(self, option: NextStep) -> NextStep:
        """Do one of the `options`; return it."""
        graph, at = self.graph, self.here.emitted
        clip, start = int(graph.node_clip[self.here.node]), int(graph.node_frame[self.here.node])
        stop = int(graph.node_frame[option.place.node])
        self.since_choice = option.frames
        if option.transition >= 0:
            joins, transition = graph.joins, option.transition
            self._mark(clip, start, start + int(joins.heads[transition]), at)
            tail = int(joins.tails[transition])
            clip, start, at = (
                int(joins.b_clip[transition]),
                int(joins.arrivals[transition]) - tail,
                at + int(joins.each[transition]) - tail,
            )
            self.taken.append(option.transition)
            self.since_choice = stop - start
        self._mark(clip, start, stop, at)
        self.here = option.place
        return option

    def _mark(self, clip: int, start: int, stop: int, at: int) -> None:
        self.played[clip][start:stop] = at + np.arange(stop - start)
        self.clip_seen[clip] = at + stop - start

    # -- coming back -----------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return a copy of the changing state."""
        return {
            "random": self.rng.bit_generator.state,
            "first": self.first,
            "here": self.here,
            "since_choice": self.since_choice,
            "taken": tuple(self.taken),
            "played": self.frames_played.copy(),
            "dull": self.dull,
            "looked_at": self.looked_at,
            "few_clips": self.few_clips,
            "seen": self.clip_seen.copy(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the state that `save` of a walk on this graph returned."""
        self.rng.bit_generator.state = state["random"]
        self.first, self.here, self.since_choice = state["first"], state["here"], state["since_choice"]
        self.taken = list(state["taken"])
        self.frames_played[:] = state["played"]
        self.dull, self.looked_at, self.few_clips = state["dull"], state["looked_at"], state["few_clips"]
        self.clip_seen = state["seen"].copy()


_FRESH = 0.2
"""A second of a clip counts as fresh if at most this share of it was played lately."""


class Ahead:
    """Look-ahead from every choice point of a graph in one pass.

    A loop that can be left only through itself has few costs to enter but many repetitions; counting the
    repetitions on the best path to something fresh distinguishes it from a long stretch of new motion.
    """

    def __init__(self, graph: GraphData) -> None:
        self.fps = graph.fps
        self.starts = np.concatenate([[0], np.cumsum([clip.n_frames for clip in graph.clips])])
        joins = graph.joins
        inside = np.flatnonzero(graph.kept[graph.leaves] & graph.kept[graph.arrives])
        nodes = np.flatnonzero(graph.next_node >= 0)
        after = graph.next_node[nodes]
        base = self.starts[graph.node_clip[nodes]]
        self.tails = np.concatenate([nodes, graph.leaves[inside]])
        settled = graph.settled[inside]
        alone = np.maximum(graph.node_frame[settled] - joins.arrivals[inside], 0)
        self.heads = np.concatenate([after, settled])
        a, b = self.starts[joins.a_clip[inside]], self.starts[joins.b_clip[inside]]
        # Each edge plays one or two ranges of frames; a clip piece plays one and an empty one.
        self.first = np.concatenate([base + graph.node_frame[nodes], a + joins.a_start[inside]])
        self.last = np.concatenate(
            [base + graph.node_frame[after], a + (joins.a_start + joins.heads)[inside]]
        )
        nothing = np.zeros(len(nodes), dtype=np.int64)
        self.second = np.concatenate([nothing, b + (joins.arrivals - joins.tails)[inside]])
        self.second_last = np.concatenate([nothing, b + joins.arrivals[inside] + alone])
        # Number of output frames of each range: different from its length if a bridge warps time.
        half = joins.each[inside] // 2
        self.shown_in = np.concatenate([(self.last - self.first)[: len(nodes)], half])
        self.second_shown_in = np.concatenate([nothing, joins.each[inside] - half + alone])
        self.nodes, self.count = nodes, len(graph.node_clip)
        ends = self.starts[graph.node_clip[nodes] + 1]
        self.seconds = (
            base + graph.node_frame[nodes],
            np.minimum(base + graph.node_frame[nodes] + round(self.fps), ends),
        )

    def repeats(self, lately: Bools) -> Floats:
        """Seconds (V,) of recently played frames that are repeated before something fresh, from each node.

        ``lately`` flags the recently played frames, over all clips in order.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        total = np.concatenate([[0], np.cumsum(lately)])
        again = total[self.last] - total[self.first] + total[self.second_last] - total[self.second]
        share = (total[self.seconds[1]] - total[self.seconds[0]]) / np.maximum(
            self.seconds[1] - self.seconds[0], 1
        )
        fresh = self.nodes[(share <= _FRESH) & (self.seconds[1] - self.seconds[0] >= 0.5 * self.fps)]
        # Search backwards from one node after all fresh ones; a weight of 0 would be no edge.
        tails = np.concatenate([self.heads, np.full(len(fresh), self.count)])
        heads = np.concatenate([self.tails, fresh])
        weights = np.concatenate([again / self.fps, np.zeros(len(fresh))]) + 1e-9
        order = np.lexsort((weights, heads, tails))
        once = order[np.r_[True, (np.diff(tails[order]) != 0) | (np.diff(heads[order]) != 0)]]
        backwards = csr_array(
            (weights[once], (tails[once], heads[once])), shape=(self.count + 1, self.count + 1)
        )
        out: Floats = dijkstra(backwards, indices=np.array([self.count]))[0, : self.count]
        return out
