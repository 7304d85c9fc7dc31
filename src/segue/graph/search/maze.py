"""A graph prepared for search: pieces between choice points, each with precomputed ground motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from segue.arrays import Floats, Ints, frozen
from segue.errors import SettingError
from segue.graph.build import MotionGraph
from segue.graph.goals import Goals, Ranges, frame_of
from segue.maths.easing import ease_out
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import yaw
from segue.motion.cyclic import in_first_round
from segue.motion.faults import unusable_frames
from segue.settings.words import CROSSFADES
from segue.synthesis.assemble import Join, Plan, assemble

_SAMPLES = 15.0  # per second: at walking speed one every 10 cm


@dataclass(frozen=True, eq=False)
class Maze:
    """Nodes and edges of a graph, including those outside its component.

    A finite walk may begin before a component and end after it, so that every sound frame is included: ends
    of clips and the requested start and end are nodes too.

    Parameters
    ----------
    graph
        The graph.
    clip, frame
        (V,) clip and next frame to play at each node.
    tail, head, transition, frames
        (E,) nodes joined by an edge, its transition (-1: the clip continues), its number of frames. Sorted by tail.
    first
        (V + 1,) first edge of each node.
    alignment
        (E, 3) turn, x, z: placement of the clip arrived in relative to the clip left.
    rows
        (E + 1,) samples of each edge.
    samples
        (S, 4) x, z of the root in the clip left, seconds and metres travelled since the previous sample.
    offset
        (S,) frames from the edge's start.
    bits
        (S,) labels of the sample, one bit each, in the order of ``words``.
    start, end
        Requested nodes, -1 for any.
    """

    graph: MotionGraph
    clip: Ints
    frame: Ints
    tail: Ints
    head: Ints
    transition: Ints
    frames: Ints
    first: Ints
    alignment: Floats
    rows: Ints
    samples: Floats
    offset: Ints
    bits: Ints
    words: tuple[str, ...]
    start: int
    end: int

    @property
    def fastest(self) -> float:
        """Upper bound of the mean speed in metres a second of every edge, and therefore of every walk."""
        arcs = np.add.reduceat(np.append(self.samples[:, 3], 0.0), self.rows[:-1])
        return float(np.max(arcs * self.graph.fps / np.maximum(self.frames, 1), initial=0.0))

    @cached_property
    def roots(self) -> Floats:
        """Root (V, 2) x, z in its clip at each node."""
        out = [
            _ground(self.graph, clip, frame, frame)[0]
            for clip, frame in zip(self.clip.tolist(), self.frame.tolist(), strict=True)
        ]
        return np.array(out)

    def frames_to(self, node: int) -> Floats:
        """Fewest frames (V,) from each node to one; infinite where it cannot be reached."""
        return self._fewest(self.tail, self.head, node)

    def frames_from(self, node: int) -> Floats:
        """Fewest frames (V,) from one node to each."""
        return self._fewest(self.head, self.tail, node)

    def _fewest(self, tail: Ints, head: Ints, node: int) -> Floats:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import dijkstra

        order = np.lexsort((self.frames, tail, head))
        h, t, f = head[order], tail[order], self.frames[order]
        once = np.r_[True, (np.diff(h) != 0) | (np.diff(t) != 0)][: len(h)]
        count = len(self.clip)
        weights = f[once].astype(np.float64)
        matrix = coo_array((weights, (h[once], t[once])), shape=(count, count)).tocsr()
        out: Floats = dijkstra(matrix, indices=[node])[0]
        return out


def maze_of(graph: MotionGraph, goals: Goals) -> Maze:
    """Prepare a graph for a search.

    Raises
    ------
    SettingError
        If the start or the end is not in any clip, or is a faulty frame.
    """
    bounds = _sound(graph)
    starts = _wanted(graph, goals)
    part, clip, frame = _nodes(graph, bounds, starts)
    keys = part * _STRIDE + frame
    edges, traces = _edges(graph, keys, clip, frame)
    tail, head, transition, frames = edges
    order = np.argsort(tail, kind="stable")
    words, carried = _carried(graph, goals.labels, [show.label for show in goals.shows])
    columns = [_sampled(graph, traces[e], int(frames[e]), carried) for e in order]
    counts = [len(one[0]) for one in columns]
    alignment = np.array([traces[e].alignment for e in order]).reshape(-1, 3)
    found = [_node_at(keys, bounds, one, graph) for one in starts]
    return Maze(
        graph,
        frozen(clip, np.int64),
        frozen(frame, np.int64),
        frozen(tail[order], np.int64),
        frozen(head[order], np.int64),
        frozen(transition[order], np.int64),
        frozen(frames[order], np.int64),
        frozen(np.searchsorted(tail[order], np.arange(len(clip) + 1)), np.int64),
        frozen(alignment),
        frozen(np.concatenate([[0], np.cumsum(counts)]), np.int64),
        frozen(np.concatenate([one[0] for one in columns]) if columns else np.zeros((0, 4))),
        frozen(np.concatenate([one[1] for one in columns]) if columns else np.zeros(0), np.int64),
        frozen(np.concatenate([one[2] for one in columns]) if columns else np.zeros(0), np.int64),
        words,
        *found,
    )


_STRIDE = 10**9  # more than any clip's frames: one number encodes part and frame


@dataclass(frozen=True, eq=False)
class _Trace:
    """Root path (n + 1, 2) of an edge in the clip left, frames shown, and alignment of the clip arrived in."""

    ground: Floats
    shown: tuple[tuple[int, int, int], ...]  # clip, first frame, number of frames, in order
    alignment: tuple[float, float, float] = (0.0, 0.0, 0.0)


def _sound(graph: MotionGraph) -> dict[int, tuple[int, int, int]]:
    """Part to clip, first frame, frame after the last: sound frames around its nodes, and clips without nodes."""
    part = graph.node_clip if graph.node_part is None else graph.node_part
    out: dict[int, tuple[int, int, int]] = {}
    bad = [unusable_frames(clip) for clip in graph.clips]
    for number in np.unique(part):
        mine = np.flatnonzero(part == number)
        clip = int(graph.node_clip[mine[0]])
        low, high = int(graph.node_frame[mine].min()), int(graph.node_frame[mine].max())
        before, after = np.flatnonzero(bad[clip][:low]), np.flatnonzero(bad[clip][high:])
        first = int(before[-1]) + 1 if before.size else 0
        stop = high + int(after[0]) if after.size else graph.clips[clip].n_frames
        out[int(number)] = (clip, first, stop)
    free = int(part.max(initial=-1)) + 1
    for clip in np.setdiff1d(np.arange(len(graph.clips)), graph.node_clip).tolist():
        if not bad[clip].any():
            out[free + clip] = (clip, 0, graph.clips[clip].n_frames)
    return out


def _wanted(graph: MotionGraph, goals: Goals) -> list[tuple[int, int] | None]:
    """Clip and frame of the start and end nodes; a walk ends one frame after the last one shown."""
    start = None if goals.start is None else frame_of(graph, goals.start, last=False)
    end = None if goals.end is None else frame_of(graph, goals.end, last=True)
    return [start, None if end is None else (end[0], end[1] + 1)]


def _nodes(
    graph: MotionGraph, bounds: dict[int, tuple[int, int, int]], more: Sequence[tuple[int, int] | None]
) -> tuple[Ints, Ints, Ints]:
    part = graph.node_clip if graph.node_part is None else graph.node_part
    rows = {(int(p), int(f)) for p, f in zip(part, graph.node_frame, strict=True)}
    for number, (clip, first, stop) in bounds.items():
        rows |= {(number, first), (number, stop)}
        rows |= {
            (number, one[1]) for one in more if one is not None and one[0] == clip and first <= one[1] <= stop
        }
    parts, frames = (np.array(column, dtype=np.int64) for column in zip(*sorted(rows), strict=True))
    return parts, np.array([bounds[int(p)][0] for p in parts], dtype=np.int64), frames


def _node_at(
    keys: Ints, bounds: dict[int, tuple[int, int, int]], one: tuple[int, int] | None, graph: MotionGraph
) -> int:
    """Node of a clip's frame; -1 if none is requested."""
    if one is None:
        return -1
    for number, (clip, first, stop) in bounds.items():
        if clip == one[0] and first <= one[1] <= stop:
            return int(np.searchsorted(keys, number * _STRIDE + one[1]))
    msg = f"frame {one[1]} of {graph.clips[one[0]].name!r} is faulty or has no sound frames next to it; choose another"
    raise SettingError(msg)


def _edges(
    graph: MotionGraph, keys: Ints, clip: Ints, frame: Ints
) -> tuple[tuple[Ints, Ints, Ints, Ints], list[_Trace]]:
    """Tail, head, transition and frames of each edge, and its trace: first clips playing on, then transitions."""
    same = np.flatnonzero(keys[1:] // _STRIDE == keys[:-1] // _STRIDE)
    traces = [_going_on(graph, int(clip[k]), int(frame[k]), int(frame[k + 1])) for k in same]
    part = graph.node_clip if graph.node_part is None else graph.node_part
    own = part * _STRIDE + graph.node_frame
    tails, heads = (np.searchsorted(keys, own[nodes]) for nodes in (graph.leaves, graph.arrives))
    across, cut_heads, lengths = [], [], []
    for k in range(len(graph.joins)):
        join, head = graph.joins.join(k), int(heads[k])
        trace = _across(graph, join)
        if join.length == 0:  # a hard cut continues to the next node, so that two cuts do not coincide
            if head + 1 == len(keys) or keys[head + 1] // _STRIDE != keys[head] // _STRIDE:
                continue
            trace = _cut_and_on(graph, join, trace, int(frame[head + 1]))
            head += 1
        across.append(k)
        cut_heads.append(head)
        lengths.append(len(trace.ground) - 1)
        traces.append(trace)
    taken = np.array(across, dtype=np.int64)
    tail = np.concatenate([same, tails[taken]])
    head_nodes = np.concatenate([same + 1, np.array(cut_heads, dtype=np.int64)])
    frames = np.concatenate([frame[same + 1] - frame[same], np.array(lengths, dtype=np.int64)])
    return (tail, head_nodes, np.concatenate([np.full(len(same), -1), taken]), frames), traces


def _ground(graph: MotionGraph, clip: int, start: int, stop: int) -> Floats:
    """Root (n + 1, 2) at frames start to stop; after the clip's last frame it stays in place."""
    roots = graph.clips[clip].root_positions
    return roots[np.minimum(np.arange(start, stop + 1), len(roots) - 1)][:, [0, 2]]


def _going_on(graph: MotionGraph, clip: int, start: int, stop: int) -> _Trace:
    return _Trace(_ground(graph, clip, start, stop), ((clip, start, stop - start),))


def _across(graph: MotionGraph, join: Join) -> _Trace:
    half = join.length // 2
    shown: tuple[tuple[int, int, int], ...] = (
        (join.a_clip, join.a_start, half),
        (join.b_clip, join.b_start + half, join.length - half),
    )
    # A blend that keeps a frequency band moves the root by millimetres, and not at its ends.
    if graph.blend.root == "position" and graph.blend.way in CROSSFADES and join.used is None:
        n = join.length
        a = _ground(graph, join.a_clip, join.a_start, join.a_start + n)
        b = _placed(join.alignment, _ground(graph, join.b_clip, join.b_start, join.b_start + n))
        weight = np.append(ease_out(n), 0.0)[:, None]
        at = join.alignment
        return _Trace(weight * a + (1.0 - weight) * b, shown, (at.turn, at.x, at.z))
    if join.used is not None:
        clips, starts = (join.a_clip, join.b_clip), (join.a_start, join.b_start)
        frames = [
            start + np.rint(np.linspace(0, used - 1, join.length)).astype(np.int64)
            for start, used in zip(starts, join.used, strict=True)
        ]
        shown = tuple((clips[k >= half], int(frames[k >= half][k]), 1) for k in range(join.length))
    return _made(graph, join, shown)


def _made(graph: MotionGraph, join: Join, shown: tuple[tuple[int, int, int], ...]) -> _Trace:
    """Trace of a blend of another kind, from its rendered frames."""
    b = graph.clips[join.b_clip]
    arrival = min(join.arrival, b.n_frames - 1)
    plan = Plan(join.a_clip, join.a_start, (join,), arrival + 1)
    made = assemble(graph.clips, plan, root=graph.blend.root, way=graph.blend.way)
    turn = float(yaw(made.rotations[-1, 0]) - yaw(b.rotations[arrival, 0]))
    moved = PlanarMotion(turn).apply(b.root_positions[arrival])
    shift = made.root_positions[-1] - moved
    return _Trace(made.root_positions[:, [0, 2]], shown, (turn, float(shift[0]), float(shift[2])))


def _cut_and_on(graph: MotionGraph, join: Join, trace: _Trace, stop: int) -> _Trace:
    on = _going_on(graph, join.b_clip, join.arrival, stop)
    placed = PlanarMotion(*trace.alignment)
    return replace(trace, ground=_placed(placed, on.ground), shown=on.shown)


def _placed(motion: PlanarMotion, ground: Floats) -> Floats:
    full = np.column_stack([ground[:, 0], np.zeros(len(ground)), ground[:, 1]])
    return motion.apply(full)[:, [0, 2]]


def _carried(graph: MotionGraph, labels: Ranges, asked: Sequence[str]) -> tuple[tuple[str, ...], list[Ints]]:
    """Requested labels, and the bits (F,) of each frame of each clip."""
    words = tuple(dict.fromkeys(asked))
    names = {clip.name: k for k, clip in enumerate(graph.clips)}
    carried = [np.zeros(clip.n_frames, dtype=np.int64) for clip in graph.clips]
    for bit, word in enumerate(words):
        for name, start, stop in labels.get(word, ()):
            if name in names:
                # A repeated cycle carries its labels in every repetition.
                frames = in_first_round(graph.clips[names[name]])
                carried[names[name]][(frames >= start) & (frames < stop)] |= 1 << bit
    return words, carried


def _sampled(
    graph: MotionGraph, trace: _Trace, frames: int, carried: list[Ints]
) -> tuple[Floats, Ints, Ints]:
    count = max(round(frames * _SAMPLES / graph.fps), min(frames, 1))
    at = np.round(np.linspace(0, frames, count + 1)).astype(np.int64)
    arcs = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(trace.ground, axis=0).T))])
    seconds = np.diff(at) / graph.fps
    samples = np.column_stack([trace.ground[at[1:]], seconds, np.diff(arcs[at])])
    every = np.concatenate([carried[clip][start : start + n] for clip, start, n in trace.shown])
    bits = every[np.minimum(at[1:], len(every)) - 1] if len(every) else np.zeros(count, dtype=np.int64)
    return samples, at[1:], bits
