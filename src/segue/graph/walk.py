"""Endless walks: random with a seed, exactly as long as requested, without repeating the same stretch.

`render` makes a clip of a walk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats
from segue.displays import Displayed
from segue.errors import NoTransitionError, SettingError, nearest
from segue.graph.motion_graph import GraphData
from segue.graph.walker import FORGET_SECONDS, LONGEST_STRETCH, REPEAT_SECONDS, By, Walker
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.resample import cut
from segue.settings import DEFAULTS, Blend, RootMode, SeamFeet
from segue.settings.words import SEED
from segue.summaries import listed
from segue.synthesis.assemble import Join, Plan, assemble
from segue.synthesis.feet.seams import FinishedFeet, with_feet

LONGEST_WALK = 36_000.0
"""Longest walk in seconds; more than ten hours is probably a typing error."""


_HERE = PlanarMotion()


@dataclass(frozen=True, eq=False)
class Walk(Displayed):
    """A path through a graph of clips, ready to be rendered.

    Parameters
    ----------
    clips
        The clips walked, on one skeleton at one rate.
    plan
        Start, joins and end.
    costs
        Cost of each join.
    n_frames
        Length in frames; ``seconds`` is the duration of ``n_frames - 1`` of them.
    root
        Blend mode of the root.
    way
        Blend method (`segue.blending.ways`).
    forced_repeats
        Number of times that a stretch longer than a second was repeated within ten because no other edge
        existed. A blend's first half shows the clip left, its second half the clip arrived in.
    forced_stretches
        Number of times that one clip played on beyond six seconds, including blends at both ends, because no
        other edge existed.
    placed
        Placement of the first clip on the ground, and with it of the entire motion.
    """

    clips: tuple[Clip, ...]
    plan: Plan
    costs: Floats
    n_frames: int
    root: RootMode = Blend.root
    way: str = Blend.way
    name: str = "walk"
    forced_repeats: int = 0
    forced_stretches: int = 0
    placed: PlanarMotion = _HERE

    def __repr__(self) -> str:
        return f"<Walk of {self.seconds:.2f} s through {listed(self.clips_played)}>"

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
    graph: GraphData,
    *,
    seconds: float = 60.0,
    seed: int = SEED,
    by: By = "cost",
    start: str | None = None,
) -> Walk:
    """Walk a graph at random.

    Parameters
    ----------
    graph
        Graph to walk; only one strongly connected component is used: that of ``start`` if given.
    seconds
        Exact length: the walk has ``round(seconds * fps) + 1`` frames.
    seed
        The same seed gives the same walk.
    by
        ``"cost"``: stay about two seconds in a clip, then leave, preferably by transitions of low cost and to clips not
        seen lately. ``"probability"``: at every choice point ``P(i -> j) ~ exp(-D(i, j-1) / sigma)`` with sigma the
        median cost of the graph's transitions, the clip's own next frame costing nothing (Wang, ch. IV).
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
    if start is not None:
        graph = graph.holding(start)
    walker = Walker(graph, np.random.default_rng(seed), by, first_node(graph, seed, start))
    wanted = round(seconds * graph.fps) + 1
    while walker.here.emitted < wanted:
        walker.step(wanted - walker.here.emitted)
    return walked(walker, wanted)


def walked(walker: Walker, n_frames: int) -> Walk:
    """Return the walk that a walker has made so far, cut to a number of frames."""
    graph = walker.graph
    plan = Plan(
        int(graph.node_clip[walker.first]),
        int(graph.node_frame[walker.first]),
        tuple(graph.joins.join(k) for k in walker.taken),
        int(graph.node_frame[walker.here.node]),
    )
    repeats, stretches = _over(plan, n_frames, graph)
    return Walk(
        graph.clips,
        plan,
        graph.costs[walker.taken],
        n_frames,
        graph.blend.root,
        graph.blend.way,
        forced_repeats=repeats,
        forced_stretches=stretches,
    )


def check_walk(*, seconds: float, seed: int, by: str, fps: float | None = None) -> None:
    """Refuse an impossible walk; callers check before long computations.

    Raises
    ------
    SettingError
        If the length is not positive, longer than `LONGEST_WALK`, or rounds to a single frame with a known
        ``fps``; the seed is negative, or ``by`` unknown.
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


def first_node(graph: GraphData, seed: int, start: str | None = None) -> int:
    """Find the node at which the walk of a seed begins, in the clip called ``start`` or anywhere.

    Raises
    ------
    NoTransitionError
        If the graph has no component to walk in.
    SettingError
        If the start clip is not in the component.
    """
    leaving = np.flatnonzero([len(out) > 0 for out in graph.transitions_out])
    nodes = leaving[graph.kept[leaving]]
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


def _over(plan: Plan, wanted: int, graph: GraphData) -> tuple[int, int]:
    """Number of stretches too long that were repeated too soon, and of clips that played on for too long."""
    fps = graph.fps
    blends: tuple[Join | None, ...] = (None, *plan.joins, None)
    played = [np.full(clip.n_frames, -np.inf) for clip in graph.clips]
    repeats = stretches = made = 0
    for k, (clip, start, stop) in enumerate(plan.pieces()):
        before, after = blends[k : k + 2]
        into, used = (0, 0) if before is None else (before.length, before.arrival - before.b_start)
        out, head = (0, 0) if after is None else (after.length, (after.a_stop - after.a_start) // 2)
        shown = min(stop - start + into + out, wanted - made + into // 2)
        stretches += shown > LONGEST_STRETCH * fps
        tail = used - used // 2
        first, last = start - tail, min(stop + head, start - into + shown)
        warped = (
            into - into // 2 - tail
        )  # frames by which the blend's second half exceeds the frames it shows
        now = made + warped + np.arange(last - first)
        lately = played[clip][first:last] > now - FORGET_SECONDS * fps
        edges = np.flatnonzero(np.diff(np.concatenate([[False], lately, [False]])))
        repeats += int(np.sum(edges[1::2] - edges[::2] > REPEAT_SECONDS * fps))
        played[clip][first:last] = now
        made += last - first + warped + out // 2 - head
    return repeats, stretches


def render(walk: Walk, *, feet: SeamFeet = DEFAULTS.feet, creep: float = DEFAULTS.creep) -> Clip:
    """Render the frames of a walk; position and heading continue through every join.

    Feet that are planted in the clips at the joins are treated according to ``feet``, and creep at most
    ``creep`` metres (`segue.synthesis.feet.seams.with_feet`).

    Examples
    --------
    >>> import segue
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    >>> segue.render(graph.wander(seconds=4, seed=2)).seconds
    4.0
    """
    return finished(walk, feet=feet, creep=creep).clip


def finished(walk: Walk, *, feet: SeamFeet = DEFAULTS.feet, creep: float = DEFAULTS.creep) -> FinishedFeet:
    """Render the frames of a walk, and report the treatment of each plant at a seam."""
    made = assemble(walk.clips, walk.plan, root=walk.root, way=walk.way, name=walk.name)
    motion = made if made.n_frames == walk.n_frames else cut(made, 0, walk.n_frames)
    if walk.placed != PlanarMotion():
        motion = moved(motion, walk.placed)
    return with_feet(motion, walk.clips, feet, creep=creep)
