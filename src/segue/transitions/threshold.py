"""Thresholds: the highest cost of admitted jumps between clips.

`auto_threshold` finds how low the threshold may be while most of the motion stays within reach. It works on
plain arrays, as does `largest_component`, which finds the frames within reach.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints, frozen
from segue.settings import DEFAULTS, parse_threshold
from segue.settings.motion import check_share

CAP = 3.0
"""The automatic threshold never exceeds this many median next-frame costs."""


@dataclass(frozen=True)
class Threshold:
    """A threshold and how it was found.

    Parameters
    ----------
    value
        Jumps at or below this cost are allowed; in the cost's own unit.
    method
        ``"number"``, ``"knee"`` or ``"auto"``.
    sentence
        Explanation in words, with the numbers.
    share_reached
        For ``"auto"``: frames held at this threshold as a share of those held without one; else NaN.
    share_of_all
        For ``"auto"``: frames held at this threshold as a share of all frames; else NaN.
    capped
        Whether the search stopped at the highest cost worth blending.
    """

    value: float
    method: str
    sentence: str
    share_reached: float = float("nan")
    share_of_all: float = float("nan")
    capped: bool = False

    def __repr__(self) -> str:
        return f"<Threshold {self.value:.4g}, {self.method}>"


def given_threshold(value: float) -> Threshold:
    """Return a number as a `Threshold`.

    Raises
    ------
    SettingError
        If it is negative or not a number.
    """
    number = float(parse_threshold(value, words=()))
    return Threshold(number, "number", f"the threshold {number:.4g} was given")


@dataclass(frozen=True, eq=False)
class Jumps:
    """Jumps from clip to clip: leave ``from_clip`` at ``from_frame``, arrive in ``to_clip`` at ``to_frame``.

    The blend lies between the two, so a centred blend of 2h + 1 frames around (i, j) leaves at i - h and
    arrives at j + h. All arrays are (K,); ``cost`` is the lowest threshold that allows the jump.
    """

    from_clip: Ints
    from_frame: Ints
    to_clip: Ints
    to_frame: Ints
    cost: Floats


@dataclass(frozen=True, eq=False)
class ChoiceGraph:
    """Choice frames of all clips and the jumps between them.

    Parameters
    ----------
    clip, frame
        (V,) of each node, sorted by clip, then frame.
    piece_from, piece_to, piece_frames
        (E,) pieces of clip between consecutive nodes of one clip, and the number of frames in them.
    jump_from, jump_to
        (K,) node left and node reached by each jump, in the order of the jumps.
    """

    clip: Ints
    frame: Ints
    piece_from: Ints
    piece_to: Ints
    piece_frames: Ints
    jump_from: Ints
    jump_to: Ints


def choice_graph(jumps: Jumps) -> ChoiceGraph:
    """Build the graph whose nodes are the frames where jumps leave and arrive.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.array([0]), np.array([50]), np.array([0]), np.array([20]), np.array([0.1])
    >>> graph = choice_graph(Jumps(*one))
    >>> graph.frame.tolist(), graph.piece_frames.tolist()
    ([20, 50], [30])
    """
    low = int(min(jumps.from_frame.min(initial=0), jumps.to_frame.min(initial=0)))
    stride = int(max(jumps.from_frame.max(initial=0), jumps.to_frame.max(initial=0))) - low + 1
    ends = [jumps.from_clip * stride + jumps.from_frame - low, jumps.to_clip * stride + jumps.to_frame - low]
    keys, index = np.unique(np.concatenate(ends), return_inverse=True)
    clip, frame = keys // stride, keys % stride + low
    pieces = np.flatnonzero(clip[1:] == clip[:-1])
    count = len(jumps.from_clip)
    return ChoiceGraph(
        clip, frame, pieces, pieces + 1, frame[pieces + 1] - frame[pieces], index[:count], index[count:]
    )


@dataclass(frozen=True, eq=False)
class StrongComponent:
    """A strongly connected component: flags (V,) of its nodes, and the frames of the pieces inside it."""

    kept: Bools
    frames: int


def largest_component(
    n_nodes: int,
    pieces: tuple[Ints, Ints, Ints],
    jumps: tuple[Ints, Ints],
) -> StrongComponent:
    """Find the strongly connected component that holds most frames.

    Every node can be reached from every other one, so a walk inside it never ends.

    Parameters
    ----------
    n_nodes
        Number of nodes V.
    pieces
        (E,) from, to and frames of clip pieces.
    jumps
        (K,) from and to of jumps.

    Returns
    -------
    `StrongComponent`; among equals the one with the first node. Without any cycle no node is kept and 0
    frames are held.

    Examples
    --------
    >>> import numpy as np
    >>> forward = np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([10, 10, 10])
    >>> largest_component(4, forward, (np.array([2]), np.array([0]))).kept.tolist()
    [True, True, True, False]
    """
    heads = np.concatenate([pieces[0], jumps[0]])
    tails = np.concatenate([pieces[1], jumps[1]])
    if not n_nodes or not len(heads):
        return StrongComponent(frozen(np.zeros(n_nodes), np.bool_), 0)
    n_parts, part = _strong_parts(n_nodes, heads, tails)
    inside = part[pieces[0]] == part[pieces[1]]
    held = np.bincount(part[pieces[0][inside]], weights=pieces[2][inside], minlength=n_parts)
    most = held.max()
    if most <= 0:
        return StrongComponent(frozen(np.zeros(n_nodes), np.bool_), 0)
    # The solver's numbering is arbitrary: among equals choose the component that holds the first node.
    winner = part[np.flatnonzero(held[part] == most)[0]]
    return StrongComponent(frozen(part == winner, np.bool_), round(float(most)))


def _strong_parts(n_nodes: int, heads: Ints, tails: Ints) -> tuple[int, Ints]:
    """Number of strongly connected components of a graph, and the component (V,) of each node."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(heads), dtype=np.int8), (heads, tails)), shape=(n_nodes, n_nodes))
    count, part = connected_components(links.tocsr(), directed=True, connection="strong")
    return int(count), np.asarray(part, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Components:
    """Every component of a graph in which a motion can continue for ever, the largest first.

    Parameters
    ----------
    node
        (V,) number of the component of each node, or -1.
    frames
        (C,) frames of the pieces inside each.
    weight
        (C,) the same with frames of one clip counted up to a limit: distinct clips count, one long clip does not.
    """

    node: Ints
    frames: Ints
    weight: Ints

    def __len__(self) -> int:
        return len(self.frames)


def components(graph: ChoiceGraph, jumps: Bools, *, clip: Ints, most: float) -> Components:
    """Find the strongly connected components of a choice graph.

    Parameters
    ----------
    graph
        Choice points, pieces of clip and jumps.
    jumps
        (K,) flags of the jumps that are allowed.
    clip
        (V,) clip of each node; parts of one clip count as one.
    most
        Most frames counted for one clip.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.array([0]), np.array([50]), np.array([0]), np.array([20]), np.array([0.1])
    >>> graph = choice_graph(Jumps(*one))
    >>> found = components(graph, np.array([True]), clip=graph.clip, most=20)
    >>> found.node.tolist(), found.frames.tolist(), found.weight.tolist()
    ([0, 0], [30], [20])
    """
    count = len(graph.clip)
    heads = np.concatenate([graph.piece_from, graph.jump_from[jumps]])
    tails = np.concatenate([graph.piece_to, graph.jump_to[jumps]])
    if not count or not len(heads):
        nothing = frozen(np.zeros(0), np.int64)
        return Components(frozen(np.full(count, -1), np.int64), nothing, nothing)
    n_parts, part = _strong_parts(count, heads, tails)
    inside = part[graph.piece_from] == part[graph.piece_to]
    owner, frames = part[graph.piece_from[inside]], graph.piece_frames[inside]
    pairs, row = np.unique(
        np.column_stack([owner, clip[graph.piece_from[inside]]]), axis=0, return_inverse=True
    )
    held = np.bincount(row.ravel(), weights=frames, minlength=len(pairs))
    weight = np.bincount(pairs[:, 0], weights=np.minimum(held, most), minlength=n_parts)
    total = np.bincount(owner, weights=frames, minlength=n_parts)
    first = np.full(n_parts, count)
    np.minimum.at(first, part, np.arange(count))
    # The solver's numbering is arbitrary: among equals the component that holds the first node comes first.
    order = np.lexsort([first, -total, -weight])
    order = order[total[order] > 0]
    number = np.full(n_parts, -1)
    number[order] = np.arange(len(order))
    return Components(
        frozen(number[part], np.int64), frozen(total[order], np.int64), frozen(weight[order], np.int64)
    )


def _held(graph: ChoiceGraph, allowed: Bools) -> int:
    """Return the frames held by the largest component with only the allowed jumps."""
    pieces = graph.piece_from, graph.piece_to, graph.piece_frames
    jumps = graph.jump_from[allowed], graph.jump_to[allowed]
    return largest_component(len(graph.clip), pieces, jumps).frames


def held_frames(jumps: Jumps, value: float) -> int:
    """Frames held by the largest component, using only jumps that cost at most ``value``.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.array([0]), np.array([50]), np.array([0]), np.array([20]), np.array([0.1])
    >>> held_frames(Jumps(*one), 0.2), held_frames(Jumps(*one), 0.05)
    (30, 0)
    """
    return _held(choice_graph(jumps), np.isfinite(jumps.cost) & (jumps.cost <= value))


def auto_threshold(
    jumps: Jumps,
    *,
    clip_frames: Ints,
    next_frame_cost: float,
    share: float = DEFAULTS.share,
    cap: float = CAP,
    usable: Bools | None = None,
) -> Threshold:
    """Find the lowest cost at which most of the reachable motion is reached.

    The frames held by the largest strongly connected component can only grow with the threshold, because
    jumps are only added; so the lowest threshold is found by bisection over the sorted costs.

    Parameters
    ----------
    jumps
        Every jump between the clips, at any cost.
    clip_frames
        (C,) frames of each clip at the rate of the costs.
    next_frame_cost
        Median cost between consecutive frames of one clip. A jump that costs many times as much is visible.
    share
        Share (0, 1] of the frames held without a threshold.
    cap
        The search stops at this many next-frame costs.
    usable
        (K,) jumps that passed checks other than cost; all by default. The frames held without a threshold
        count every jump, so that a check that rejects many lowers the share reached.

    Returns
    -------
    `Threshold`

    Raises
    ------
    SettingError
        If the share is not in (0, 1].
    """
    check_share(share)
    limit = cap * next_frame_cost
    total = int(np.sum(clip_frames))
    possible = np.isfinite(jumps.cost)
    graph = choice_graph(jumps)
    most = _held(graph, possible)
    if most == 0:
        sentence = (
            f"no threshold lets any motion go on for ever; it stays at {cap:g} x the median next-frame cost"
        )
        return Threshold(limit, "auto", sentence, 0.0, 0.0, capped=True)
    open_to = possible if usable is None else possible & usable
    costs = np.unique(jumps.cost[open_to])
    if costs.size == 0:
        sentence = f"no jump passes the checks; the threshold stays at {cap:g} x the median next-frame cost"
        return Threshold(limit, "auto", sentence, 0.0, 0.0, capped=True)
    low, high = 0, len(costs) - 1
    while low < high:
        middle = (low + high) // 2
        if _held(graph, open_to & (jumps.cost <= costs[middle])) >= share * most:
            high = middle
        else:
            low = middle + 1
    # Checks may already have rejected all expensive jumps: if the last open cost is not enough, the limit applies too.
    capped = bool(costs[low] > limit) or _held(graph, open_to & (jumps.cost <= costs[low])) < share * most
    value = limit if capped else float(costs[low])
    held = _held(graph, open_to & (jumps.cost <= value))
    sentence = (
        f"at {value:.4g} the largest component holds {held} of the {most} frames it holds with no threshold "
        f"({held / most:.0%}; {held / total:.0%} of all {total})"
    )
    if capped:
        sentence += (
            f"; {share:.0%} would need more than {cap:g} x the median next-frame cost "
            f"({next_frame_cost:.4g}), so it stops there"
        )
    return Threshold(value, "auto", sentence, held / most, held / total, capped)
