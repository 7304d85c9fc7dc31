"""Several costs on the same clips: the transitions that each chooses, and how good those are.

Costs have different units, so each is divided by the median of its matrices. Minima closer than a quarter second on
both axes count once. The number T of best transitions is the knee of the sorted costs (dynamics-weighted point clouds,
sections 5 and 6).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from segue.app.skating import Skate, TransitionSkate, activity, transition_skate
from segue.arrays import Floats, Ints
from segue.costs.matrix import CostMatrix, matrix_between
from segue.costs.protocol import Cost, Prepared
from segue.costs.registry import COSTS
from segue.errors import NoTransitionError, SettingError, nearest
from segue.library.weights import cost_of_words
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.threads import Progress, silent
from segue.transitions.knee import SOURCE_RATE, knee_rank
from segue.transitions.minima import local_minima
from segue.transitions.pruning import SAME_SECONDS, merge_sweet_spots
from segue.transitions.transition import TransitionPoint

BLEND_SECONDS = 1.0 / 3.0
"""Length of the measured blends."""
_SAMPLED = 2_000_000  # most cells from which a median is computed, evenly spread
_WEIGHTED = {
    "dynamics": {"weighting": "dynamics"},
    "uniform": {"weighting": "uniform"},
    "hand_set": {"weighting": "hand_set"},
}


def compared_costs(words: str) -> dict[str, Cost]:
    """Return the costs named in a comma-separated list; ``"all"`` is three point cloud weightings and all other costs.

    A cost may have settings after colons, as ``joint_angle:weights=optimised``, which allows variants of one cost.

    Raises
    ------
    SettingError
        If a name is unknown or only one cost is named.

    Examples
    --------
    >>> list(compared_costs("dynamics,uniform"))
    ['dynamics', 'uniform']
    >>> list(compared_costs("joint_angle:weights=optimised,joint_angle"))
    ['joint_angle:weights=optimised', 'joint_angle']
    """
    others = [name for name in COSTS if name != "point_cloud"]
    known = [*_WEIGHTED, *others]
    names = known if words.strip() == "all" else _listed(words)
    for entry in names:
        name = entry.partition(":")[0]
        if name not in (*known, *COSTS):
            msg = f"no cost to compare is called {name!r}; known: all, {', '.join(known)}; {nearest(name, known)}"
            raise SettingError(msg)
    names = list(dict.fromkeys(names))
    if len(names) < 2:
        msg = f"{words!r} names {len(names)} cost; a comparison needs two or more of {', '.join(known)}"
        raise SettingError(msg)
    return {name: _named(name) for name in names}


def _listed(words: str) -> list[str]:
    """Split a list at commas; an entry that begins with no cost belongs to the setting before it."""
    out: list[str] = []
    for word in (part.strip() for part in words.split(",")):
        begins = word.partition(":")[0] in (*_WEIGHTED, *COSTS)
        if out and ":" in out[-1] and word and not begins and ":" not in word:
            out[-1] += f",{word}"
        elif word:
            out.append(word)
    return out


def _named(entry: str) -> Cost:
    name, _, rest = entry.partition(":")
    if name in _WEIGHTED:
        settings = ":".join(f"{key}={value}" for key, value in _WEIGHTED[name].items())
        return cost_of_words(":".join(["point_cloud", settings, *([rest] if rest else [])]))
    return cost_of_words(entry)


@dataclass(frozen=True)
class Choice:
    """One transition chosen by a cost: its pair of clips, its cell, and its cost over the median."""

    pair: int
    row: int
    column: int
    cost: float
    point: TransitionPoint


@dataclass(frozen=True, eq=False)
class CostFound:
    """Minima of one cost on a set of clip pairs.

    Parameters
    ----------
    label, cost
        Its name in the comparison and its settings.
    median
        Of all cells, in the cost's own unit.
    curve
        (K,) costs of the deduplicated minima over the median, rising.
    knee
        Rank at which the curve bends, from 1; None if it does not.
    cells
        (K, 3) pair, row and column of each, in that order.
    """

    label: str
    cost: Cost
    median: float
    curve: Floats
    knee: int | None
    cells: Ints


@dataclass(frozen=True, eq=False)
class Compared:
    """Several costs on the same pairs of clips.

    Parameters
    ----------
    pairs
        Clips left and arrived in.
    found
        The minima of each cost.
    best_count
        T, the number of best transitions compared: the median of the knees.
    chosen
        The T best of each cost, lowest cost first, by label.
    skates
        Foot skate of each of them, by label.
    active
        Share of the T best that lie in phases more active than their clips' median, by label.
    """

    pairs: tuple[tuple[Clip, Clip], ...]
    found: tuple[CostFound, ...]
    best_count: int
    chosen: Mapping[str, tuple[Choice, ...]]
    skates: Mapping[str, tuple[TransitionSkate, ...]]
    active: Mapping[str, float]

    def skate(self, label: str) -> Skate:
        """Return the mean foot skate of a cost's best transitions."""
        return Skate.mean(self.skates[label])


def compare_costs(
    left: Sequence[Clip],
    right: Sequence[Clip],
    costs: Mapping[str, Cost],
    *,
    best: int | None = None,
    progress: Progress = silent,
) -> Compared:
    """Compare costs on every pair of a clip left and a clip arrived in.

    Parameters
    ----------
    left, right
        Clips of one skeleton. A clip in both is compared with itself: jumps ahead by more than window and blend.
    costs
        By label.
    best
        How many best transitions are compared; by default the knee of the sorted costs.

    Raises
    ------
    NoTransitionError
        If a cost has no minimum around which a blend fits.
    """
    pairs = tuple((a, b) for a in left for b in right)
    found = []
    prepared: dict[str, dict[int, Prepared]] = {}
    for done, (label, how) in enumerate(costs.items()):
        progress("comparing by each cost", done, len(costs))
        prepared[label] = {id(clip): how.prepare(clip) for pair in pairs for clip in pair}
        found.append(_search(label, how, pairs, prepared[label]))
    progress("comparing by each cost", len(costs), len(costs))
    shortest = min(item.curve.size for item in found)
    if not shortest:
        empty = next(item.label for item in found if not item.curve.size)
        msg = f"by {empty} there is no transition to compare: no blend fits around any minimum; use longer clips"
        raise NoTransitionError(msg)
    count = min(shortest, _best_count(found, pairs) if best is None else best)
    chosen, skates, active = {}, {}, {}
    for done, item in enumerate(found):
        progress("blending the best of each cost", done, len(found))
        chosen[item.label] = tuple(_choices(item, count, pairs, prepared[item.label]))
        points = [(pairs[choice.pair], choice.point) for choice in chosen[item.label]]
        skates[item.label] = tuple(
            transition_skate(*pair, point, seconds=BLEND_SECONDS) for pair, point in points
        )
        active[item.label] = float(np.mean([_is_active(pair, point) for pair, point in points]))
    progress("blending the best of each cost", len(found), len(found))
    return Compared(pairs, tuple(found), count, chosen, skates, active)


def matrix_of(compared: Compared, label: str, pair: int) -> CostMatrix:
    """Return the matrix of one pair by one cost, divided by the cost's median."""
    item = next(item for item in compared.found if item.label == label)
    a, b = compared.pairs[pair]
    one = item.cost.prepare(a)
    found = matrix_between(one, one if b is a else item.cost.prepare(b), cost=item.cost)
    return CostMatrix(found.values / item.median, found.a_frames, found.b_frames, *_rest(found))


def _rest(found: CostMatrix) -> tuple[float, Cost, str, str]:
    return found.rate, found.cost, found.a_name, found.b_name


def only_in(compared: Compared, label: str, other: str) -> tuple[Choice, ...]:
    """Return the best transitions of one cost that connect motions which no best transition of the other connects.

    Two transitions connect the same motions if they lie within a quarter second of each other in both clips.
    """
    return tuple(
        choice
        for choice in compared.chosen[label]
        if not any(_near(compared, choice, known) for known in compared.chosen[other])
    )


def _near(compared: Compared, one: Choice, two: Choice) -> bool:
    if one.pair != two.pair:
        return False
    a, b = compared.pairs[one.pair]
    return (
        abs(one.point.a_frame - two.point.a_frame) <= SAME_SECONDS * a.fps
        and abs(one.point.b_frame - two.point.b_frame) <= SAME_SECONDS * b.fps
    )


def _search(
    label: str, how: Cost, pairs: tuple[tuple[Clip, Clip], ...], prepared: Mapping[int, Prepared]
) -> CostFound:
    """Find the minima of every pair, one per sweet spot, lowest cost first."""
    cells, costs, seen = [], [], []
    total = sum(prepared[id(a)].n * prepared[id(b)].n for a, b in pairs)
    stride = max(1, total // _SAMPLED)
    for index, (a, b) in enumerate(pairs):
        pa, pb = prepared[id(a)], prepared[id(b)]
        values = how.matrix(pa, pb)
        if not values.size:
            continue
        seen.append(np.asarray(values.ravel()[::stride], dtype=np.float64))
        reach = round(BLEND_SECONDS * how.rate / 2)
        least = 2 * pa.half_window + 2 * reach + 1 if a is b else None
        found = _fitting(local_minima(values, least=least), (pa, pb), reach)
        price = np.asarray(values[found[:, 0], found[:, 1]], dtype=np.float64)
        near = math.ceil(SAME_SECONDS * how.rate) - 1
        kept = merge_sweet_spots(found, price, reach=near, shape=values.shape)
        cells.append(np.column_stack([np.full(kept.sum(), index), found[kept]]))
        costs.append(price[kept])
    if not cells:
        return CostFound(label, how, 1.0, np.empty(0), None, np.empty((0, 3), dtype=np.int64))
    median = float(np.median(np.concatenate(seen))) or 1.0
    curve = np.concatenate(costs) / median
    order = np.argsort(curve, kind="stable")
    return CostFound(label, how, median, curve[order], knee_rank(curve), np.concatenate(cells)[order])


def _fitting(cells: Ints, pair: tuple[Prepared, Prepared], reach: int) -> Ints:
    """Keep the cells around which a blend and one more frame on either side fit into both clips."""
    kept = np.ones(len(cells), dtype=bool)
    for column, clip in enumerate(pair):
        frame = cells[:, column] + clip.first
        last = clip.cloud.points.shape[0] - 1
        kept &= (frame - reach - 1 >= 0) & (frame + reach + 1 <= last)
    out: Ints = cells[kept]
    return out


def _best_count(found: Sequence[CostFound], pairs: tuple[tuple[Clip, Clip], ...]) -> int:
    """Return the median of the knees; if no curve bends, the source's count scaled to the clips' seconds."""
    knees = [item.knee for item in found if item.knee is not None]
    if knees:
        return int(np.median(knees))
    seconds = sum({id(clip): clip.seconds for pair in pairs for clip in pair}.values())
    return max(1, round(SOURCE_RATE * seconds))


def _choices(
    item: CostFound,
    count: int,
    pairs: tuple[tuple[Clip, Clip], ...],
    prepared: Mapping[int, Prepared],
) -> Iterator[Choice]:
    for (index, row, column), price in zip(
        item.cells[:count].tolist(), item.curve[:count].tolist(), strict=True
    ):
        a, b = pairs[index]
        pa, pb = prepared[id(a)], prepared[id(b)]
        place: PlanarMotion = item.cost.alignment(pa, pb, row, column)
        frames = int(pa.frames[row]), int(pb.frames[column])
        point = TransitionPoint(a.name, b.name, *frames, price, "aligned", place, price, True)
        yield Choice(index, row, column, price, point)


def _is_active(pair: tuple[Clip, Clip], point: TransitionPoint) -> bool:
    """Return whether a transition lies in a phase more active than its clips' median moment."""
    a, b = pair
    return bool((activity(a)[point.a_frame] + activity(b)[point.b_frame]) / 2 > 1.0)
