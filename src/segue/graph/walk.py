"""Endless walks: at random with a seed, exactly as long as asked, without playing the same stretch over and over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from segue.arrays import Floats
from segue.blending.methods import RootMode
from segue.errors import NoTransitionError, SettingError, nearest
from segue.graph.ahead import Ahead
from segue.graph.motion_graph import MotionGraph
from segue.motion.clip import Clip
from segue.synthesis.assemble import Join, Plan

By = Literal["cost", "probability"]
REPEAT_SECONDS = 1.0
"""A stretch longer than this is not played again ..."""
FORGET_SECONDS = 10.0
"""... within this time, unless no other edge exists."""
LONGEST_STRETCH = 6.0
"""One clip is left after this many seconds unless no other edge exists."""
LONGEST_WALK = 36_000.0
"""Seconds; ten hours are a slip of the finger rather than a wish."""
MEAN_STRETCH = 1.5
"""Mean seconds in one clip, in the rough, when walking by cost."""
LEAST_ALONE = 0.25
"""A clip plays alone this many seconds between two blends when walking by cost, if it can."""
_EAGERNESS, _RESTLESSNESS = 4.0, 0.3
"""A clip is left this much sooner where a clip not seen lately is in reach, and where none is."""
_DULL = 0.5
"""Seconds that come again make a transition this many times less likely by a factor of e."""
_LOOK_AGAIN = 0.25
"""Seconds after which a walk looks ahead anew."""
_NEW_AGAIN = 30.0
"""Seconds after which a clip is as good as new."""


@dataclass(frozen=True, eq=False)
class Walk:
    """A way through clips, ready to be rendered.

    Parameters
    ----------
    clips
        The clips walked, on one skeleton at one rate.
    plan
        Start, joins and end.
    costs
        Cost of each join.
    n_frames
        Length in frames; ``seconds`` spans ``n_frames - 1`` of them.
    root
        How the root is blended.
    way
        How to get across (`segue.blending.ways`).
    forced_repeats
        How often a stretch longer than a second came again within ten because no other edge existed. A blend's first
        half shows the clip left, its second half the clip arrived in.
    forced_stretches
        How often one clip went on beyond six seconds, blends at both ends included, because no other edge existed.
    """

    clips: tuple[Clip, ...]
    plan: Plan
    costs: Floats
    n_frames: int
    root: RootMode = "position"
    way: str = "crossfade"
    name: str = "walk"
    forced_repeats: int = 0
    forced_stretches: int = 0

    @property
    def seconds(self) -> float:
        """Length of the motion."""
        return (self.n_frames - 1) / self.clips[0].fps

    @property
    def clips_played(self) -> tuple[str, ...]:
        """Names of the clips played, in the order of their first frame."""
        numbers = [clip for clip, start, stop in self.plan.pieces() if stop > start]
        numbers += [join.b_clip for join in self.plan.joins]
        return tuple(dict.fromkeys(self.clips[k].name for k in numbers))


def wander(
    graph: MotionGraph,
    *,
    seconds: float = 60.0,
    seed: int = 0,
    by: By = "cost",
    start: str | None = None,
) -> Walk:
    """Walk a graph at random.

    Parameters
    ----------
    graph
        Where to walk; only its largest strongly connected component is entered.
    seconds
        Exact length: the walk has ``round(seconds * fps) + 1`` frames.
    seed
        The same seed gives the same walk.
    by
        ``"cost"``: stay about two seconds in a clip, then leave, rather by cheap transitions and to clips not seen
        lately. ``"probability"``: at every choice point ``P(i -> j) ~ exp(-D(i, j-1) / sigma)`` with sigma the median
        cost of the graph's transitions, the clip's own next frame costing nothing (Wang, ch. IV).
    start
        Name of the clip to start in; by default any.

    Raises
    ------
    NoTransitionError
        If the graph has no component to walk in.
    SettingError
        If the length is not positive, or the start clip is not in the component.
    """
    check_walk(seconds=seconds, seed=seed, by=by, fps=graph.fps)
    walker = _Walker(graph, np.random.default_rng(seed), by, _first_node(graph, seed, start))
    wanted = round(seconds * graph.fps) + 1
    while walker.here.emitted < wanted:
        walker.step(wanted - walker.here.emitted)
    return walker.walk(wanted)


def check_walk(*, seconds: float, seed: int, by: str, fps: float | None = None) -> None:
    """Refuse an impossible walk; callers check before long work.

    Raises
    ------
    SettingError
        If the length is not positive, longer than `LONGEST_WALK`, or nearer to one frame than to two where ``fps`` is
        known; the seed negative, or ``by`` unknown.
    """
    if not 0 < seconds <= LONGEST_WALK:
        msg = f"a walk of {seconds} s is not possible; give a positive number of seconds, up to {LONGEST_WALK:g}"
        raise SettingError(msg)
    if fps is not None and round(seconds * fps) < 1:
        msg = f"a walk of {seconds:g} s is one frame at {fps:g} a second and no motion; give {1 / fps:.4g} s or more"
        raise SettingError(msg)
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        msg = f"seed {seed} is not possible; give a whole number from 0"
        raise SettingError(msg)
    if by not in ("cost", "probability"):
        msg = f"by={by!r} is not known; choose 'cost' or 'probability'"
        raise SettingError(msg)


def _first_node(graph: MotionGraph, seed: int, start: str | None) -> int:
    ways = np.flatnonzero([len(out) > 0 for out in graph.ways_out])
    nodes = ways[graph.kept[ways]]
    if nodes.size == 0:
        raise NoTransitionError(graph.obstacle)
    if start is None:
        return int(np.random.default_rng([seed, 1]).choice(nodes))
    names = [clip.name for clip in graph.clips]
    inside = nodes[[names[graph.node_clip[node]] == start for node in nodes]]
    if inside.size == 0:
        why = graph.report.dropped_clips.get(start)
        left_out = f"clip {start!r} is not in the graph: {why}" if why else f"the graph has no clip {start!r}"
        msg = f"{left_out}; {nearest(start, graph.clips_reached)}"
        raise SettingError(msg)
    return int(inside[0])


@dataclass(frozen=True)
class _Place:
    """Where a walk stands."""

    node: int  # choice point
    emitted: int = 0  # frames made so far
    run: int = 0  # unbroken frames played lately, up to here
    stretch: int = 0  # unbroken frames of this clip, the blend into it included, up to here


@dataclass(frozen=True)
class _Option:
    """One thing to do next: go forward to a choice point, or cross and then go forward to one."""

    way: int  # transition, or -1 to go forward
    place: _Place  # where it ends
    frames: int  # frames it makes
    repeat: int  # longest run of frames played lately


class _Walker:
    """State of a walk being made."""

    def __init__(self, graph: MotionGraph, rng: np.random.Generator, by: By, node: int) -> None:
        self.graph, self.rng, self.by = graph, rng, by
        self.first = node
        self.here = _Place(node)
        self.since_choice = 0
        self.taken: list[int] = []
        self.ahead = Ahead(graph)
        self.frames_played = np.full(int(self.ahead.starts[-1]), -np.inf)
        self.played = np.split(self.frames_played, self.ahead.starts[1:-1])  # views, one a clip
        self.dull, self.looked_at = np.zeros(len(graph.node_clip)), -np.inf
        self.clip_seen = np.full(len(graph.clips), -np.inf)
        inside = graph.costs[graph.kept[graph.leaves] & graph.kept[graph.arrives]]
        self.sigma = max(float(np.median(inside)), 1e-12)

    # -- looking ahead ---------------------------------------------------------------------------------------

    def _next_choice(self, node: int) -> int:
        """First node with a way out at or after a node; -1 where the component has none."""
        while node >= 0 and len(self.graph.ways_out[node]) == 0:
            node = int(self.graph.next_node[node])
        return node

    def _runs(self, clip: int, start: int, stop: int, run: int, at: int) -> tuple[int, int]:
        """Longest and last run of frames [start, stop) played lately, going on from a run; made at frame ``at``."""
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

    def _forward(self, here: _Place) -> _Option | None:
        after = int(self.graph.next_node[here.node])
        end = self._next_choice(after) if after >= 0 else -1
        if end < 0:
            return None
        clip, start = int(self.graph.node_clip[here.node]), int(self.graph.node_frame[here.node])
        stop = int(self.graph.node_frame[end])
        repeat, run = self._runs(clip, start, stop, here.run, here.emitted)
        place = _Place(end, here.emitted + stop - start, run, here.stretch + stop - start)
        return _Option(-1, place, stop - start, repeat)

    def _across(self, here: _Place, way: int) -> _Option | None:
        join = self.graph.joins
        end = self._next_choice(int(self.graph.arrives[way]))
        if end < 0:
            return None
        half = join.length // 2
        a, b = int(join.a_clip[way]), int(join.b_clip[way])
        a_start, b_start = int(join.a_start[way]), int(join.b_start[way])
        stop = int(self.graph.node_frame[end])
        first, _ = self._runs(a, a_start, a_start + half, here.run, here.emitted)
        second, run = self._runs(b, b_start + half, stop, 0, here.emitted + half)
        frames = stop - b_start
        place = _Place(end, here.emitted + frames, run, frames)
        return _Option(way, place, frames, max(first, second))

    def _options(self, here: _Place) -> list[_Option]:
        forward = self._forward(here)
        if here.emitted and here.stretch == 0 and forward is not None:
            return [forward]  # a hard cut has just arrived: at least one frame of the clip is played
        found = [option for way in self.graph.ways_out[here.node] if (option := self._across(here, int(way)))]
        if here.emitted and here.stretch == 0:
            found = [option for option in found if option.frames] or found  # no cut right after a cut
        return found if forward is None else [*found, forward]

    def _is_fresh(self, option: _Option) -> bool:
        return option.repeat <= REPEAT_SECONDS * self.graph.fps

    def _leads_on(self, option: _Option) -> bool:
        """Tell whether something fresh can be done after an option."""
        return any(self._is_fresh(following) for following in self._options(option.place))

    # -- choosing --------------------------------------------------------------------------------------------

    def step(self, left: int) -> None:
        """Choose and take one option."""
        everything = self._options(self.here)
        forward = [option for option in everything if option.way < 0]
        if left <= self.graph.joins.length and forward:
            everything = forward  # a blend would be cut off by the end
        fresh = [o for o in everything if self._is_fresh(o)]
        longest = LONGEST_STRETCH * self.graph.fps - self.graph.joins.length  # the blend out is still to come
        allowed = [o for o in fresh if o.place.stretch <= longest]
        if not allowed:  # rather leave for a clip that has to go on for long than stay in one that need not
            allowed = [o for o in fresh if o.way >= 0] or fresh
        leading = [o for o in allowed if self._leads_on(o)]
        self._take(self._pick(leading) if leading else self._soonest(everything))

    def _soonest(self, options: list[_Option]) -> _Option:
        """Option that shows least again, itself and what follows, before something fresh comes."""
        dull = self._dull([o.place.node for o in options])
        return options[
            int(np.argmin([o.repeat / self.graph.fps + d for o, d in zip(options, dull, strict=True)]))
        ]

    def _pick(self, allowed: list[_Option]) -> _Option:
        forward = [o for o in allowed if o.way < 0]
        across = [o for o in allowed if o.way >= 0]
        ways = np.array([o.way for o in across], dtype=np.int64)
        weights = np.exp(-self.graph.costs[ways] / self.sigma) + 1e-12
        if self.by == "probability":
            weights = np.concatenate([weights, np.ones(len(forward))])
            return (across + forward)[self.rng.choice(len(allowed), p=weights / weights.sum())]
        alone = self.here.stretch - self.graph.joins.length
        hurried = self.here.emitted and not self.here.run and alone < LEAST_ALONE * self.graph.fps
        if not across or (forward and hurried):
            return forward[0]
        dull = self._dull([o.place.node for o in (*across, *forward)])
        new = self._newness(ways)
        # Left sooner where something new is in reach, hardly ever for what was seen just now.
        eager = self.since_choice * (_EAGERNESS * float(new.max()) + _RESTLESSNESS) / self.graph.fps
        stuck = forward and dull[-1] - dull[: len(across)].min() > _DULL
        if forward and not stuck and self.rng.random() < np.exp(-eager / MEAN_STRETCH):
            return forward[0]
        weights *= new * np.exp((dull.min() - dull[: len(across)]) / _DULL)
        return across[self.rng.choice(len(across), p=weights / weights.sum())]

    def _dull(self, nodes: list[int]) -> Floats:
        """Seconds seen lately that come again after each node before something fresh does."""
        now, fps = self.here.emitted, self.graph.fps
        if now - self.looked_at > _LOOK_AGAIN * fps:
            self.dull = self.ahead.repeats(self.frames_played > now - FORGET_SECONDS * fps)
            self.looked_at = now
        out: Floats = np.minimum(self.dull[nodes], _NEW_AGAIN)
        return out

    def _newness(self, ways: np.ndarray) -> Floats:
        """Between nearly 0 and 1: how long ago the clip each transition leads to, and that very second, were seen."""
        joins, fps = self.graph.joins, self.graph.fps
        at = joins.b_start[ways] + joins.length // 2
        second = [
            self.played[b][start : start + round(fps)]
            for b, start in zip(joins.b_clip[ways], at, strict=True)
        ]
        ago = np.array([self.clip_seen[joins.b_clip[ways]], [np.max(s, initial=-np.inf) for s in second]])
        new = np.clip((self.here.emitted - ago) / (_NEW_AGAIN * fps), 0.01, 1.0)
        out: Floats = new[0] ** 3 * new[1]
        return out

    def _take(self, option: _Option) -> None:
        graph, at = self.graph, self.here.emitted
        clip, start = int(graph.node_clip[self.here.node]), int(graph.node_frame[self.here.node])
        stop = int(graph.node_frame[option.place.node])
        self.since_choice = option.frames
        if option.way >= 0:
            half = graph.joins.length // 2
            self._mark(clip, start, start + half, at)
            clip, start, at = (
                int(graph.joins.b_clip[option.way]),
                int(graph.joins.b_start[option.way]) + half,
                at + half,
            )
            self.taken.append(option.way)
            self.since_choice = stop - start
        self._mark(clip, start, stop, at)
        self.here = option.place

    def _mark(self, clip: int, start: int, stop: int, at: int) -> None:
        self.played[clip][start:stop] = at + np.arange(stop - start)
        self.clip_seen[clip] = at + stop - start

    # -- result ----------------------------------------------------------------------------------------------

    def walk(self, wanted: int) -> Walk:
        """Return the walk so far, to be cut to ``wanted`` frames."""
        graph = self.graph
        joins: tuple[Join, ...] = tuple(graph.joins.join(way) for way in self.taken)
        plan = Plan(
            int(graph.node_clip[self.first]),
            int(graph.node_frame[self.first]),
            joins,
            int(graph.node_frame[self.here.node]),
        )
        repeats, stretches = _over(plan, wanted, graph)
        return Walk(
            graph.clips,
            plan,
            graph.costs[self.taken],
            wanted,
            graph.blend.root,
            graph.blend.way,
            forced_repeats=repeats,
            forced_stretches=stretches,
        )


def _over(plan: Plan, wanted: int, graph: MotionGraph) -> tuple[int, int]:
    """How often a stretch too long came again too soon, and how often a clip went on for too long."""
    fps, length = graph.fps, graph.joins.length
    played = [np.full(clip.n_frames, -np.inf) for clip in graph.clips]
    repeats = stretches = made = 0
    for k, (clip, start, stop) in enumerate(plan.pieces()):
        into, out = length * (k > 0), length * (k < len(plan.joins))
        shown = min(stop - start + into + out, wanted - made + into // 2)
        stretches += shown > LONGEST_STRETCH * fps
        first, last = start - into + into // 2, min(stop + out // 2, start - into + shown)
        now = made + np.arange(last - first)
        lately = played[clip][first:last] > now - FORGET_SECONDS * fps
        edges = np.flatnonzero(np.diff(np.concatenate([[False], lately, [False]])))
        repeats += int(np.sum(edges[1::2] - edges[::2] > REPEAT_SECONDS * fps))
        played[clip][first:last] = now
        made += last - first
    return repeats, stretches
