"""What lies ahead of a walk: how much of what was just played comes again before something fresh."""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools, Floats
from segue.graph.motion_graph import GraphData

_FRESH = 0.2
"""A second of a clip counts as fresh if at most this share of it was played lately."""


class Ahead:
    """Looks through a whole graph from every choice point at once.

    A loop that a walk can leave only through itself is cheap to enter and dull to be in; counting what comes again on
    the best path to something fresh tells it from a long stretch of new motion.
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
        # Frames of the motion in which each range is shown: other than its own where a bridge warps time.
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
        """Seconds (V,) of frames played lately that come again before something fresh, from each node.

        ``lately`` (frames of all clips in turn,) tells what was played lately.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        total = np.concatenate([[0], np.cumsum(lately)])
        again = total[self.last] - total[self.first] + total[self.second_last] - total[self.second]
        share = (total[self.seconds[1]] - total[self.seconds[0]]) / np.maximum(
            self.seconds[1] - self.seconds[0], 1
        )
        fresh = self.nodes[(share <= _FRESH) & (self.seconds[1] - self.seconds[0] >= 0.5 * self.fps)]
        # Backwards from one node behind all fresh ones; a weight of nought would be no edge.
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
