"""Distance in frames from every choice point of a graph to a request."""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools, Floats
from segue.graph.build import MotionGraph
from segue.graph.walker import Ahead, NextStep, WalkPosition


class Toward:
    """Number of frames from every choice point to the first requested frame.

    Parameters
    ----------
    ahead
        The graph's edges, each with the one or two ranges of frames it shows.
    wanted
        Flags of the frames of all clips, concatenated.
    """

    def __init__(self, ahead: Ahead, wanted: Bools) -> None:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        self.starts = ahead.starts
        count = len(wanted)
        after = np.where(wanted, np.arange(count), count)
        self.after = np.minimum.accumulate(np.concatenate([after, [count]])[::-1])[::-1]  # next wanted frame
        self.total = np.concatenate([[0], np.cumsum(wanted)])
        hit = self._first_hit(ahead.first, ahead.last, ahead.shown_in)
        later = self._first_hit(ahead.second, ahead.second_last, ahead.second_shown_in)
        half = ahead.shown_in
        length = half + ahead.second_shown_in
        hit = np.minimum(hit, half + later)
        # Search backwards from a node behind everything wanted; a weight of 0 would count as no edge.
        tails = np.concatenate([ahead.heads, np.full(len(ahead.tails), ahead.count)])
        heads = np.concatenate([ahead.tails, ahead.tails])
        weights = np.concatenate([length, hit]) + 1e-6
        sound = np.isfinite(weights)
        order = np.flatnonzero(sound)[np.lexsort((weights[sound], heads[sound], tails[sound]))]
        once = order[np.r_[True, (np.diff(tails[order]) != 0) | (np.diff(heads[order]) != 0)]]
        backwards = csr_array((weights[once], (tails[once], heads[once])), shape=(ahead.count + 1,) * 2)
        self.left: Floats = dijkstra(backwards, indices=np.array([ahead.count]))[0, : ahead.count]

    def _first_hit(self, first: np.ndarray, last: np.ndarray, shown_in: np.ndarray) -> Floats:
        """Frames from the start of each range to the first wanted one in it; infinite where there is none."""
        found = self.after[first]
        return np.where(found < last, (found - first) * (shown_in / np.maximum(last - first, 1)), np.inf)

    def frames(self, graph: MotionGraph, here: WalkPosition, option: NextStep) -> float:
        """Return the number of frames until a requested frame is shown, if an option is taken now."""
        made = 0
        for first, last, shown_in in self._ranges(graph, here, option):
            if self.after[first] < last:
                return float(made + (self.after[first] - first) * (shown_in / (last - first)))
            made += shown_in
        return float(made + self.left[option.place.node])

    def share(self, graph: MotionGraph, here: WalkPosition, option: NextStep) -> float:
        """Return the share of requested frames among those that an option shows."""
        ranges = [(first, last) for first, last, _ in self._ranges(graph, here, option)]
        shown = sum(last - first for first, last in ranges)
        return float(sum(self.total[last] - self.total[first] for first, last in ranges)) / max(shown, 1)

    def _ranges(self, graph: MotionGraph, here: WalkPosition, option: NextStep) -> list[tuple[int, int, int]]:
        """Ranges of frames (of all clips, concatenated) that an option shows, and how long each is shown.

        Of a blend, these are the frames of the clip with the larger weight.
        """
        stop = int(graph.node_frame[option.place.node])
        base = int(self.starts[graph.node_clip[option.place.node]])
        if option.transition < 0:
            start = int(graph.node_frame[here.node])
            return [(base + start, base + stop, stop - start)]
        joins, transition = graph.joins, option.transition
        half = int(joins.each[transition]) // 2
        a = int(self.starts[joins.a_clip[transition]]) + int(joins.a_start[transition])
        arrival, tail = int(joins.arrivals[transition]), int(joins.tails[transition])
        later = int(joins.each[transition]) - half + stop - arrival
        return [(a, a + int(joins.heads[transition]), half), (base + arrival - tail, base + stop, later)]
