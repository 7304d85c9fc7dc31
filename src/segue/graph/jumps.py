"""Jumps of compared pairs as columns, collected pair by pair; those above a threshold are counted and dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.blending.methods import Kind, blend_starts
from segue.costs.protocol import reach
from segue.graph.pairs import ClipMatch
from segue.graph.parts import Parts
from segue.graph.workers import Work
from segue.motion.clip import Clip
from segue.motion.cyclic import in_first_round
from segue.settings import Blend, SearchSettings
from segue.synthesis.joins import JoinArrays
from segue.transitions.pruning import Candidates
from segue.transitions.threshold import Threshold

_AT_ONCE = 1 << 17
"""Points whose jumps are converted to arrays in one batch."""
_PHASE = 0.12
"""Seconds within which two moments of a cycle count as the same."""


class JumpColumns(NamedTuple):
    """Jumps (P,), one row per direction of a point: pair number, and columns of `segue.graph.matching.Matches`."""

    pair: Ints
    number: Ints
    a_clip: Ints
    b_clip: Ints
    a_row: Ints
    b_row: Ints
    cost: Floats
    diagonal: Floats
    lowest: Floats

    def take(self, rows: Ints | Bools) -> JumpColumns:
        """Return the chosen rows."""
        return JumpColumns._make(column[rows] for column in self)


class JumpGatherer:
    """Collects the jumps of pairs, which are added in any order.

    Parameters
    ----------
    work, blend
        Clips and settings of their comparison, and blend settings.
    parts
        The usable frames.
    pairs
        The pairs, in the order in which their jumps are returned.
    below
        Jumps of points at or below it are returned; all others are only counted (decision 195).
    """

    def __init__(
        self,
        work: Work,
        blend: Blend,
        parts: Parts,
        pairs: Sequence[tuple[int, int]],
        below: Threshold | None = None,
    ) -> None:
        self.points = np.zeros(len(pairs), dtype=np.int64)
        self.fits = np.zeros(len(work.clips), dtype=bool)
        self.best = np.inf
        self.added = 0
        self._work, self._blend, self._parts, self._below = work, blend, parts, below
        self._ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        self._number = {pair: number for number, pair in enumerate(pairs)}
        self._frames = _frame_table(work.known)
        self._waiting: list[tuple[int, Candidates]] = []
        self._held: list[JumpColumns] = []
        self._once: dict[int, Floats] = {}
        self._copies: list[int] = []
        self._minima = self._fitting = self._sound = self._room = 0

    def add(self, pair: tuple[int, int], found: Candidates) -> None:
        """Add the points of a pair."""
        number = self._number[pair]
        self.added += 1
        self.points[number] = len(found)
        self._minima += found.minima
        if found.copies:
            self._copies.append(number)
        if self._below is None:
            self._once[number] = found.once
        if len(found):
            self._waiting.append((number, found))
        self._room += len(found)
        if self._room >= _AT_ONCE:
            self._make_columns()

    @property
    def copies(self) -> tuple[tuple[int, int], ...]:
        """Pairs of clips that are copies of one motion."""
        return tuple((int(a), int(b)) for a, b in self._ends[sorted(self._copies)])

    @property
    def once(self) -> Floats:
        """Cost of every minimum once; only if every jump is held."""
        return np.concatenate([np.zeros(0), *(self._once[number] for number in sorted(self._once))])

    @property
    def counts(self) -> dict[str, int]:
        """Counts after each step."""
        points = int(self.points.sum())
        steps = {
            "minima": self._minima,
            "sweet spots": points,
            "ways there and back": 2 * points,
            "blend fits into both clips": self._fitting,
        }
        return steps | ({"away from faulty frames": self._sound} if self._parts.unusable.any() else {})

    def columns(self) -> JumpColumns:
        """Jumps pair by pair."""
        self._make_columns()
        held, self._held = self._held, []
        columns = JumpColumns._make(np.concatenate(column) for column in zip(*held, strict=True))
        return columns.take(np.argsort(columns.pair, kind="stable"))

    def placed(self, columns: JumpColumns) -> tuple[JoinArrays, Ints, Ints]:
        """Joins without alignments, and the frames of both clips that meet."""
        a_frames = self._frames(columns.a_clip, columns.a_row)
        b_frames = self._frames(columns.b_clip, columns.b_row)
        length = self._blend.frames(self._parts.fps)
        offset_a, offset_b = blend_starts(0, 0, length=length, kind=kind_of(self._work.search))
        alignment = np.full((len(a_frames), 3), np.nan)
        joins = JoinArrays(
            columns.a_clip, a_frames + offset_a, columns.b_clip, b_frames + offset_b, alignment, length
        )
        return joins, a_frames, b_frames

    def _make_columns(self) -> None:
        """Convert waiting points to columns, count their jumps, and hold those of low enough cost."""
        clips, parts = self._work.clips, self._parts
        columns = _columns_of(self._waiting, self._ends)
        self._waiting, self._room = [], 0
        joins, *frames = self.placed(columns)
        usable = joins.fit(clips) & ~_same_moment(joins, (frames[0], frames[1]), clips)
        lowest = np.where(usable, columns.lowest, np.inf)
        self._fitting += int(np.isfinite(lowest).sum())
        if parts.unusable.any():
            before, after = reach(self._work.cost)
            rate = self._work.cost.rate
            sound = _sound(joins, (frames[0], frames[1]), parts, (before / rate, after / rate))
            lowest = np.where(sound, lowest, np.inf)
            self._sound += int(np.isfinite(lowest).sum())
        passes = np.isfinite(lowest)
        self.fits[columns.a_clip[passes]] = self.fits[columns.b_clip[passes]] = True
        self.best = min(self.best, float(lowest.min(initial=np.inf)))
        columns = columns._replace(lowest=lowest)
        self._held.append(columns if self._below is None else columns.take(columns.cost <= self._below.value))


def _columns_of(found: Sequence[tuple[int, Candidates]], ends: Ints) -> JumpColumns:
    """Jumps of pairs by number, whose clips are rows of ``ends``: per pair first those there, then those back."""
    each = np.array([number for number, _ in found], dtype=np.int64)
    points = np.array([len(one) for _, one in found], dtype=np.int64)
    pair = each.repeat(points)
    first = (np.cumsum(points) - points).repeat(points)
    place = np.arange(len(pair)) - first
    there = np.arange(len(pair)) + first
    back = there + points.repeat(points)
    clips = ends[pair].T
    cells = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(one.cells for _, one in found)]).T
    cost = np.concatenate([np.zeros(0), *(one.cost for _, one in found)])
    diagonal = np.concatenate([np.zeros((2, 0)), *(one.diagonal for _, one in found)], axis=1)

    def both(forth: np.ndarray, home: np.ndarray) -> np.ndarray:
        out = np.empty(2 * len(pair), dtype=forth.dtype)
        out[there], out[back] = forth, home
        return out

    numbers = both(place, place + points.repeat(points))
    two = (clips, clips[::-1], cells, cells[::-1], (cost, cost), diagonal, np.maximum(cost, diagonal))
    return JumpColumns(both(pair, pair), numbers, *(both(*column) for column in two))


def kind_of(search: SearchSettings) -> Kind:
    """Kind of the points found by a search."""
    return "aligned" if search.mode == "centre" else "start_end"


def _frame_table(known: Sequence[ClipMatch]) -> Callable[[Ints, Ints], Ints]:
    """Look-up function of clip frames by clip number and matrix row."""
    starts = np.concatenate([[0], np.cumsum([len(one.frames) for one in known])])
    block = np.concatenate([np.zeros(0, dtype=np.int64), *(one.frames for one in known)])
    return lambda clip, row: block[starts[clip] + row]


def _same_moment(joins: JoinArrays, points: tuple[Ints, Ints], clips: Sequence[Clip]) -> Bools:
    """Flags (P,): a jump from one repetition of a cycle to the same moment of another, equal to playing on.

    The longest jump back of each clip is not flagged, so that a single cycle can play for ever.
    """
    out: Bools = np.zeros(len(joins), dtype=bool)
    own = np.flatnonzero(joins.a_clip == joins.b_clip)
    for number in np.unique(joins.a_clip[own]):
        clip = clips[number]
        if not any(clip.origin.periods):
            continue
        rows = own[joins.a_clip[own] == number]
        phase = in_first_round(clip)
        length = int(phase.max()) + 1
        apart = np.mod(phase[points[0][rows]] - phase[points[1][rows]] + length // 2, length) - length // 2
        same = rows[np.abs(apart) <= _PHASE * clip.fps]
        back = points[0][same] - points[1][same]
        out[same] = True
        fits = np.where(joins.take(same).fit(clips), back, -1)
        if fits.size and fits.max() > 0:
            out[same[np.argmax(fits)]] = False
    return out


def _sound(joins: JoinArrays, points: tuple[Ints, Ints], parts: Parts, window: tuple[float, float]) -> Bools:
    """Flags (P,): neither the blend, two frames around it, nor the seconds around a point touch an unusable frame."""
    before, after = (round(seconds * parts.fps) for seconds in window)
    out: Bools = np.ones(len(joins), dtype=bool)
    for clip, start, stop, at in (
        (joins.a_clip, joins.a_start, joins.stops, points[0]),
        (joins.b_clip, joins.b_start, joins.arrivals, points[1]),
    ):
        first = np.minimum(start - 2, at - before)
        last = np.maximum(stop + 2, at + after + 1)
        out &= parts.clear(clip, first, last)
    return out
