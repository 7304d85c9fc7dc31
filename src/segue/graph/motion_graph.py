"""The data of a graph: choice points as nodes, clip pieces and transitions as edges."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from segue.arrays import Bools, Floats, Ints, frozen
from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.settings import DEFAULTS, Blend
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays

if TYPE_CHECKING:
    from segue.costs.protocol import Cost
    from segue.transitions.threshold import Threshold


class Component(NamedTuple):
    """A component in which a motion can continue for ever: names of its clips, and the seconds it holds."""

    clips: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, eq=False)
class Report:
    """Report on building a graph: counts after each step, and the clips left out with the reason.

    ``steps`` maps a step's name to the number of transition points after it; ``dropped_clips`` maps a clip's
    name to the reason it is not in the graph, ``short_clips`` those too short to be compared; ``notes`` are
    sentences for the user. ``quality`` is the lowest admitted quality, ``components`` all components of the
    graph, the one that holds most first. ``would_join`` maps clips left out to the highest lower quality, of
    those tried, at which they join, ``reach_at`` those qualities to the number of clips reached.
    """

    steps: dict[str, int]
    threshold: Threshold
    next_frame_cost: float
    best_cost: float
    frames: int
    kept_frames: int
    dropped_clips: dict[str, str]
    copies: tuple[tuple[str, str], ...] = ()
    short_clips: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    quality: float = DEFAULTS.quality
    components: tuple[Component, ...] = ()
    would_join: dict[str, float] = field(default_factory=dict)
    reach_at: dict[float, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        out = f"{len(self.dropped_clips)} clips left out" if self.dropped_clips else "no clip left out"
        return f"<Report on {self.frames} frames: {self.share:.0%} kept, {out}, {self.threshold!r}>"

    @property
    def share(self) -> float:
        """Share of all frames in the walked component."""
        return self.kept_frames / max(self.frames, 1)

    @property
    def dropped_frames(self) -> int:
        """Frames outside that component."""
        return self.frames - self.kept_frames


@dataclass(frozen=True, eq=False)
class GraphData:
    """Clips of one skeleton at one rate and the transitions between them.

    Nodes are frames of clips where a transition leaves or arrives, sorted by clip and frame. Forward edges
    join successive nodes of a clip; a transition joins the node it leaves to the node it arrives at. Only one
    strongly connected component is walked, by default the one that holds most, so no walk meets a dead end.

    Parameters
    ----------
    clips
        The clips, all on one skeleton at the output rate.
    joins
        Transitions that passed every step, as columns.
    costs, a_frames, b_frames
        (P,) cost and the frames that meet, of each transition.
    node_clip, node_frame
        (V,) clip and frame of each node.
    leaves, arrives
        (P,) node each transition leaves from and arrives at.
    kept
        (V,) whether a node is in the component that is walked.
    blend, cost
        Settings with which the transitions were found and checked.
    report
        Counts of each step of the build.
    node_part
        (V,) stretch of sound frames of each node; the clip itself by default. Forward edges stay inside.
    shares
        (P,) share of the bounds that each transition uses; its inverse is the quality.
    node_component
        (V,) component of each node, the one that holds most first, or -1.
    """

    clips: tuple[Clip, ...]
    joins: JoinArrays
    costs: Floats
    a_frames: Ints
    b_frames: Ints
    node_clip: Ints
    node_frame: Ints
    leaves: Ints
    arrives: Ints
    kept: Bools
    blend: Blend
    cost: Cost
    report: Report = field(repr=False)
    node_part: Ints | None = None
    shares: Floats | None = None
    node_component: Ints | None = None

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of {len(self.clips)} clips, {self.fps:g} fps, {len(self.joins)} transitions, "
            f"{len(self.clips_reached)} clips reached>"
        )

    @property
    def fps(self) -> float:
        """Frame rate of every clip of the graph."""
        return self.clips[0].fps

    @property
    def bridges(self) -> Bools:
        """(P,) transitions that are bridges: longer blends with time warping (`segue.graph.bridges`)."""
        return self.joins.bridges

    @cached_property
    def next_node(self) -> Ints:
        """(V,) next kept node of the same clip with only sound frames between, or -1."""
        out = np.full(len(self.node_clip), -1, dtype=np.int64)
        part = self.node_clip if self.node_part is None else self.node_part
        same = part[1:] == part[:-1]
        both = same & self.kept[1:] & self.kept[:-1]
        out[:-1][both] = np.flatnonzero(both) + 1
        return out

    @cached_property
    def settled(self) -> Ints:
        """(P,) first node after each transition at which its clip may be left again, if it plays on that long.

        A seam was measured with two frames of one clip around it: these are played.
        """
        node = np.array(self.arrives)
        for _ in range(JOIN_MARGIN):
            after = self.next_node[node]
            early = (after >= 0) & (self.node_frame[node] < self.joins.arrivals + JOIN_MARGIN)
            node = np.where(early, after, node)
        return frozen(node, np.int64)

    @cached_property
    def transitions_out(self) -> tuple[Ints, ...]:
        """Transitions (indices) leaving each node that stay inside the component."""
        inside = np.flatnonzero(self.kept[self.leaves] & self.kept[self.arrives])
        order = inside[np.argsort(self.leaves[inside], kind="stable")]
        edges = np.searchsorted(self.leaves[order], np.arange(len(self.node_clip) + 1))
        return tuple(order[a:b] for a, b in itertools.pairwise(edges))

    @property
    def ways_out(self) -> tuple[Ints, ...]:
        """The older name of ``transitions_out``."""
        return self.transitions_out

    def component(self, number: int) -> Self:
        """Return the graph with another component to walk, where 1 is the largest.

        Raises
        ------
        SettingError
            If there is no such component; the message lists the existing ones.
        """
        parts = self.report.components
        if number == 1 and (not parts or self.node_component is None):
            return self
        if not 1 <= number <= len(parts) or self.node_component is None:
            held = "; ".join(
                f"{k}: {len(part.clips)} clips, {part.seconds:.3g} s"
                for k, part in enumerate(parts[:8], start=1)
            )
            msg = f"there is no component {number} of this graph; it has {held or 'none'}"
            raise SettingError(msg)
        kept = frozen(self.node_component == number - 1, np.bool_)
        frames = round(parts[number - 1].seconds * self.fps)
        inside = set(parts[number - 1].clips)
        elsewhere = {
            name: f"it is in component {k}"
            for k, part in reversed(list(enumerate(parts, start=1)))
            for name in part.clips
        }
        report = replace(
            self.report,
            kept_frames=frames,
            steps=self.report.steps
            | {"inside the component": int((kept[self.leaves] & kept[self.arrives]).sum())},
            dropped_clips={
                name: why
                for name, why in (elsewhere | self.report.dropped_clips).items()
                if name not in inside
            },
            would_join={name: level for name, level in self.report.would_join.items() if name not in inside},
        )
        return replace(self, kept=kept, report=report)

    def holding(self, clip: str) -> Self:
        """Return the graph that walks the largest component with a clip; itself if no component has it.

        Examples
        --------
        >>> import segue
        >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("run")])
        >>> "run" in graph.holding("run").clips_reached
        True
        """
        if clip in self.clips_reached:
            return self
        for number, part in enumerate(self.report.components, start=1):
            if clip in part.clips:
                return self.component(number)
        return self

    @property
    def obstacle(self) -> str:
        """Why no motion can continue for ever, and what may help; empty if one can."""
        if any(len(out) for out in self.transitions_out):
            return ""
        count = "this clip" if len(self.clips) == 1 else f"these {len(self.clips)} clips"
        return f"no motion can go on for ever with {count}: {self._why_not()}"

    def _why_not(self) -> str:
        report, total = self.report, len(self.clips)
        if not np.isfinite(report.best_cost):
            if total == len(report.short_clips):
                return "; ".join(list(report.short_clips.values())[:3]) + "; use longer clips"
            if report.copies:
                return "they are copies of one motion, which are not joined to each other; add other clips"
            blend = f"no blend of {self.blend.seconds:.3g} s fits into them"
            return f"{blend}; shorten it with --blend, or use longer clips"
        return self._refused()

    def _refused(self) -> str:
        """Reason why no transition was admitted: their costs, or the seam check of those that were made."""
        report, total = self.report, len(self.clips)
        at = next((level for level in sorted(report.reach_at, reverse=True) if report.reach_at[level]), None)
        count, within = report.steps.get("made and measured", 0), report.steps.get("within bounds", 0)
        chosen, limit = report.threshold.method != "auto", f"the threshold {report.threshold.value:.3g}"
        if chosen and not count:
            return (
                f"no transition is below {limit} (the lowest cost is {report.best_cost:.3g}). "
                "Omit --threshold to let measured quality decide"
            )
        facts = f"{count} transitions were made at quality {report.quality:g} and "
        facts += f"{within} passed, but none leads back" if within else "the seam check refused them all"
        facts += f" (all are below {limit})" if chosen else ""
        if at is not None:
            return f"{facts}. {report.reach_at[at]} of {total} clips join at --quality {at:g}"
        if chosen:
            return f"{facts}. Omit --threshold: more transitions are checked then"
        lowest = min(report.reach_at, default=report.quality)
        return f"{facts}, nor down to quality {lowest:g}. Add clips that look alike somewhere"

    @property
    def clips_reached(self) -> tuple[str, ...]:
        """Names of clips with at least one frame in the component."""
        return tuple(self.clips[k].name for k in np.unique(self.node_clip[self.kept]))
