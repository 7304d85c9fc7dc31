"""The graph itself: choice points as nodes, clip pieces and transitions as edges."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.blending.methods import Blend
from segue.motion.clip import Clip
from segue.synthesis.seam_check import JoinArrays

if TYPE_CHECKING:
    from segue.costs.protocol import Cost
    from segue.graph.walk import Walk
    from segue.transitions.threshold import Threshold


@dataclass(frozen=True, eq=False)
class Report:
    """How a graph came about: counts after each step, and what was left outside and why.

    ``steps`` maps a step's name to the number of transition points after it; ``dropped_clips`` maps a clip's name to
    the reason it is not in the graph, ``short_clips`` those too short to be compared; ``notes`` are
    sentences for people.
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

    @property
    def share(self) -> float:
        """Share of all frames that the graph's largest strongly connected component holds."""
        return self.kept_frames / max(self.frames, 1)

    @property
    def dropped_frames(self) -> int:
        """Frames outside that component."""
        return self.frames - self.kept_frames


@dataclass(frozen=True, eq=False)
class MotionGraph:
    """Clips of one skeleton at one rate and the transitions between them.

    Nodes are frames of clips: where a transition leaves or arrives, sorted by clip and frame. Forward edges join
    successive nodes of a clip; a transition joins the node it leaves to the node it arrives at. Only the largest
    strongly connected component is walked, so no walk meets a dead end.

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
        (V,) node is in the largest strongly connected component.
    blend, cost
        Settings the transitions were found and checked with.
    report
        What happened on the way.
    node_part
        (V,) stretch of sound frames each node lies in; the clip itself by default. Forward edges stay inside.
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

    @staticmethod
    def build(clips: Sequence[Clip], **settings: Any) -> MotionGraph:
        """Build a graph from clips; settings as in `segue.graph.build.build_graph`.

        Examples
        --------
        >>> import segue
        >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("stop"), segue.sample("start")])
        >>> graph.wander(seconds=5, seed=1).n_frames
        301
        """
        from segue.graph.build import build_graph

        return build_graph(clips, **settings)

    def wander(
        self,
        *,
        seconds: float = 60.0,
        seed: int = 0,
        by: Literal["cost", "probability"] = "cost",
        start: str | None = None,
    ) -> Walk:
        """Walk at random, exactly as long as asked; see `segue.graph.walk.wander`."""
        from segue.graph.walk import wander

        return wander(self, seconds=seconds, seed=seed, by=by, start=start)

    @property
    def fps(self) -> float:
        """Frame rate of every clip of the graph."""
        return self.clips[0].fps

    @cached_property
    def next_node(self) -> Ints:
        """(V,) next kept node of the same clip with sound frames on the way, or -1."""
        out = np.full(len(self.node_clip), -1, dtype=np.int64)
        part = self.node_clip if self.node_part is None else self.node_part
        same = part[1:] == part[:-1]
        both = same & self.kept[1:] & self.kept[:-1]
        out[:-1][both] = np.flatnonzero(both) + 1
        return out

    @cached_property
    def ways_out(self) -> tuple[Ints, ...]:
        """Transitions (indices) leaving each node that stay inside the component."""
        inside = np.flatnonzero(self.kept[self.leaves] & self.kept[self.arrives])
        order = inside[np.argsort(self.leaves[inside], kind="stable")]
        edges = np.searchsorted(self.leaves[order], np.arange(len(self.node_clip) + 1))
        return tuple(order[a:b] for a, b in itertools.pairwise(edges))

    @property
    def obstacle(self) -> str:
        """Why no motion can go on for ever, with the best cost, the threshold and what to change; empty if it can."""
        if any(len(ways) for ways in self.ways_out):
            return ""
        count = "this clip" if len(self.clips) == 1 else f"these {len(self.clips)} clips"
        return f"no motion can go on for ever with {count}: {self._why_not()}"

    def _why_not(self) -> str:
        told, threshold = self.report, self.report.threshold
        if not np.isfinite(told.best_cost):
            if len(self.clips) == len(told.short_clips):
                why = "; ".join(list(told.short_clips.values())[:3]) + "; use longer clips"
            elif told.copies:
                why = "they are copies of one motion, which are not joined to each other; add other clips"
            else:
                blend = f"no blend of {self.blend.seconds:.3g} s fits into them"
                why = f"{blend}; shorten it with --blend, or use longer clips"
            return why
        facts = (
            f"the best transition costs {told.best_cost:.3g}, the threshold is {threshold.value:.3g} "
            f"({threshold.sentence})"
        )
        if told.best_cost > threshold.value:
            return f"{facts}. Raise --threshold, add clips that look alike somewhere, or shorten --blend"
        if told.steps.get("seam within bounds", 1) == 0:
            return f"{facts}, but no blend stays within what a seam may do. Try another --blend, or add clips"
        return f"{facts}, but no way leads back. Raise --threshold, or add clips that look alike somewhere"

    @property
    def clips_reached(self) -> tuple[str, ...]:
        """Names of clips with at least one frame in the component."""
        return tuple(self.clips[k].name for k in np.unique(self.node_clip[self.kept]))
