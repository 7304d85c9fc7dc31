"""A walk looks ahead: loops that lead only to themselves are distinguished from paths to fresh frames."""

from __future__ import annotations

import heapq

import numpy as np

from segue.graph.build import build_graph
from segue.graph.walk import render
from segue.graph.walker import Ahead
from segue.motion.samples import SAMPLES, sample


def naive_repeats(graph, lately):
    """Dijkstra from every node over pieces and jumps to the nearest node with a fresh second ahead."""
    starts = np.concatenate([[0], np.cumsum([clip.n_frames for clip in graph.clips])])
    half, length = graph.joins.length // 2, graph.joins.length
    edges = {node: [] for node in range(len(graph.node_clip))}
    fresh = set()
    for node in range(len(graph.node_clip)):
        after = int(graph.next_node[node])
        base = starts[graph.node_clip[node]]
        if after >= 0:
            a, b = base + graph.node_frame[node], base + graph.node_frame[after]
            edges[node].append((after, int(lately[a:b].sum())))
            second = lately[a : min(a + round(graph.fps), starts[graph.node_clip[node] + 1])]
            if len(second) >= 0.5 * graph.fps and second.mean() <= 0.2:
                fresh.add(node)
        for k in graph.transitions_out[node]:
            a = starts[graph.joins.a_clip[k]] + graph.joins.a_start[k]
            b = starts[graph.joins.b_clip[k]] + graph.joins.b_start[k]
            again = lately[a : a + half].sum() + lately[b + half : b + length].sum()
            settled = int(graph.settled[k])
            stop = starts[graph.joins.b_clip[k]] + graph.node_frame[settled]
            edges[node].append((settled, int(again + lately[b + length : stop].sum())))
    out = np.full(len(graph.node_clip), np.inf)
    for source in np.flatnonzero(graph.kept):
        seen, queue = {}, [(0, int(source))]
        while queue:
            total, node = heapq.heappop(queue)
            if node in seen:
                continue
            seen[node] = total
            if node in fresh:
                out[source] = total / graph.fps
                break
            for other, more in edges[node]:
                heapq.heappush(queue, (total + more, other))
    return out


def test_what_comes_again_equals_the_search_by_hand(rng):
    """Both agree at every node of a small graph, with random frames played lately."""
    graph = build_graph([sample("walk"), sample("start"), sample("stop")])
    frames = sum(clip.n_frames for clip in graph.clips)
    for share in (0.3, 0.9):
        lately = np.repeat(rng.random(frames // 20 + 1) < share, 20)[:frames]
        found, wanted = Ahead(graph).repeats(lately), naive_repeats(graph, lately)
        kept = graph.kept
        assert np.allclose(np.minimum(found[kept], 1e6), np.minimum(wanted[kept], 1e6), atol=1e-6)


def test_a_minute_of_samples_does_not_tread_on_the_spot():
    """At most a third of a minute of the embedded clips repeats frames of the ten seconds before."""
    graph = build_graph([sample(name) for name in SAMPLES])
    for seed in range(1, 7):
        motion = render(graph.wander(seconds=60, seed=seed))
        origin, rows = motion.origin, np.arange(motion.n_frames)
        main = np.argmax(origin.weight, axis=1)
        keys = zip(
            origin.clip[rows, main].tolist(),
            np.rint(origin.frame[rows, main]).astype(int).tolist(),
            strict=True,
        )
        last, again = {}, 0
        for row, key in enumerate(keys):
            again += key in last and row - last[key] < 10 * motion.fps
            last[key] = row
        assert again <= motion.n_frames / 3, (seed, again / motion.n_frames)
