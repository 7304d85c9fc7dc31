"""Every pair of clips compared: the jumps a graph could have, before any threshold.

Under a threshold, lower bounds rule out pairs that need not be compared (`segue.costs.pruned`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Floats, Ints
from segue.blending.methods import Kind, blend_starts
from segue.costs.engine.plan import Run
from segue.costs.matrix import median_next_frame_cost
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost, reach
from segue.costs.pruned.near import WORTHWHILE, low_pairs, prunable
from segue.graph.pairs import (
    ClipMatch,
    NothingKept,
    Preparing,
    StoredPairs,
    look_at_clip,
)
from segue.graph.parts import Parts
from segue.graph.workers import Threads, Work, Workers
from segue.motion.clip import Clip
from segue.motion.cyclic import in_first_round
from segue.settings import Blend, SearchSettings
from segue.synthesis.feet.alignment import feet_met
from segue.synthesis.joins import JoinArrays
from segue.threads import Progress, silent
from segue.transitions.pruning import Candidates, merge_sweet_spots, sweet_spot_keys
from segue.transitions.threshold import Threshold
from segue.transitions.tiles import plan_tiles

__all__ = ["RULED_OUT", "Matches", "match"]
RULED_OUT = "pairs ruled out"
"""Step of a report: pairs of clips that were not compared, because they have no point at or below the threshold."""


@dataclass(frozen=True, eq=False)
class Matches:
    """All possible jumps as columns, one row a direction.

    ``cost`` (P,) is the cost at the point, ``lowest`` (P,) the lowest threshold that lets the jump pass (cost and mean
    along the blend's own diagonal); infinite where the blend does not fit into the clips. ``cells`` (P, 2) rows and
    columns of the pair's matrix, from the clip left to the clip arrived in; ``once`` every minimum's cost once, minima
    within a quarter second of one another being one. ``parts`` tells which frames are usable. Rows ``starts[k]`` to
    ``starts[k + 1]`` are those of ``pairs[k]``: first all jumps there, then all jumps back.
    """

    joins: JoinArrays
    cost: Floats
    lowest: Floats
    a_frames: Ints
    b_frames: Ints
    cells: Ints
    once: Floats
    next_frame_cost: float
    steps: dict[str, int]
    copies: tuple[tuple[str, str], ...]
    short: dict[str, str]
    prepared: Preparing
    parts: Parts
    pairs: tuple[tuple[int, int], ...]
    starts: Ints


def match(
    clips: Sequence[Clip],
    *,
    cost: Cost,
    blend: Blend,
    search: SearchSettings,
    parts: Parts | None = None,
    pairs: Sequence[tuple[int, int]] | None = None,
    below: Threshold | None = None,
    kept: StoredPairs | None = None,
    workers: Workers | None = None,
    progress: Progress = silent,
) -> Matches:
    """Compare clips pair by pair, every clip with itself too, and list the jumps in both directions.

    Two copies of one motion (another format, another rate) are recognised and not joined to each other; within one
    clip, jumps to within window and blend length of the same moment are left out. No jump's blend or window touches
    an unusable frame.

    Parameters
    ----------
    clips
        On one skeleton at one rate.
    cost, blend, search
        Settings.
    parts
        Which frames are usable; all by default.
    pairs
        Pairs of clip numbers (a <= b) to compare; all by default.
    below
        Highest cost of a point that is asked for: pairs that have none may then be left out, where finding them out
        takes less time than comparing them (`segue.graph.matching`). Points at or below it are the same.
    kept
        What is known from before, where new pairs are kept too; the result is the same without it.
    workers
        Who compares new pairs, tile by tile; by default a thread a core. The result is the same whoever does.
    """
    kept = NothingKept() if kept is None else kept
    prepared = Preparing(clips, cost)
    known = [look_at_clip(number, prepared, cost, kept) for number in range(len(clips))]
    search = replace(search, blend_seconds=blend.seconds) if blend.seconds > 0 else search
    work = Work(clips, prepared, known, cost, search)
    wanted, found, ruled_out = _looked_for(work, pairs, below, kept, workers or Threads(), progress)
    a_clip, b_clip, i, j, price, lowest = _jumps(found, wanted)
    joins, a_frames, b_frames = _placed(a_clip, b_clip, (i, j), known, clips, blend, search)
    lowest = np.where(joins.fit(clips) & ~_same_moment(joins, (a_frames, b_frames), clips), lowest, np.inf)
    counts = {
        **ruled_out,
        "minima": sum(one.minima for one in found),
        "sweet spots": sum(len(one) for one in found),
        "ways there and back": len(a_clip),
        "blend fits into both clips": int(np.isfinite(lowest).sum()),
    }
    parts = Parts.all_sound(clips) if parts is None else parts
    if parts.unusable.any():
        before, after = reach(cost)
        sound = _sound(joins, (a_frames, b_frames), parts, (before / cost.rate, after / cost.rate))
        lowest = np.where(sound, lowest, np.inf)
        counts["away from faulty frames"] = int(np.isfinite(lowest).sum())
    return Matches(
        joins=joins,
        cost=price,
        lowest=lowest,
        a_frames=a_frames,
        b_frames=b_frames,
        cells=np.column_stack([i, j]),
        once=np.concatenate([np.zeros(0), *(one.once for one in found)]),
        next_frame_cost=median_next_frame_cost([one.next_frame for one in known]),
        steps=counts,
        copies=tuple(
            (clips[a].name, clips[b].name) for (a, b), one in zip(wanted, found, strict=True) if one.copies
        ),
        short={
            clips[number].name: prepared[number].too_short() or ""
            for number, one in enumerate(known)
            if not len(one.frames)
        },
        prepared=prepared,
        parts=parts,
        pairs=tuple(wanted),
        starts=np.cumsum([0, *(2 * len(one) for one in found)]),
    )


def _looked_for(
    work: Work,
    pairs: Sequence[tuple[int, int]] | None,
    below: Threshold | None,
    kept: StoredPairs,
    workers: Workers,
    progress: Progress,
) -> tuple[list[tuple[int, int]], list[Candidates], dict[str, int]]:
    """Pairs compared, the points of each, and the report's step of pairs ruled out, if any could be."""
    left = None
    if below is not None and pairs is None:
        left = pairs_left(work, kept, below=below, run=workers.run, progress=progress)
    wanted = _live(pairs, work.known) if left is None else left
    found = _compared(wanted, work, workers, kept, progress)
    if below is None or left is None:
        return wanted, found, {}
    keep_ruled_out(work, kept, below=below)
    return wanted, found, {RULED_OUT: _all_pairs(work.known) - len(left)}


def _live(pairs: Sequence[tuple[int, int]] | None, known: Sequence[ClipMatch]) -> list[tuple[int, int]]:
    """Pairs, all by default, of which both clips are long enough."""
    live = [number for number, one in enumerate(known) if len(one.frames)]
    if pairs is None:
        return [(a, b) for k, a in enumerate(live) for b in live[k:]]
    return [(a, b) for a, b in pairs if len(known[a].frames) and len(known[b].frames)]


def _all_pairs(known: Sequence[ClipMatch]) -> int:
    """Pairs there are of clips that are long enough."""
    live = sum(len(one.frames) > 0 for one in known)
    return live * (live + 1) // 2


def _compared(
    wanted: Sequence[tuple[int, int]], work: Work, workers: Workers, kept: StoredPairs, progress: Progress
) -> list[Candidates]:
    """Points of each pair, kept from before or found now, tile by tile."""
    found: dict[tuple[int, int], Candidates] = {}
    for a, b in wanted:
        one = kept.pair(a, b)
        if one is not None and one.fits(len(work.known[a].frames), len(work.known[b].frames)):
            found[a, b] = one
    new = [pair for pair in wanted if pair not in found]
    tiles = plan_tiles(new, [len(one.frames) for one in work.known])
    progress("comparing clips", len(found), len(wanted))
    for tile, points in workers.compare(work, tiles):
        kept.keep_pairs(list(zip(tile.pairs, points, strict=True)))
        found.update(zip(tile.pairs, points, strict=True))
        progress("comparing clips", len(found), len(wanted))
    return [found[pair] for pair in wanted]


_PHASE = 0.12
"""Seconds: moments of a cycle that are nearer than this are the same one."""


def _same_moment(joins: JoinArrays, points: tuple[Ints, Ints], clips: Sequence[Clip]) -> np.ndarray:
    """Flags (P,): a jump from one round of a cycle to the same moment of another, which is the clip playing on.

    The longest one back is left of each clip, so that a cycle alone can be played for ever.
    """
    out = np.zeros(len(joins), dtype=bool)
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


def _sound(
    joins: JoinArrays, points: tuple[Ints, Ints], parts: Parts, window: tuple[float, float]
) -> np.ndarray:
    """Flags (P,): neither the blend, two frames around it, nor the seconds around a point touch an unusable frame."""
    before, after = (round(seconds * parts.fps) for seconds in window)
    out = np.ones(len(joins), dtype=bool)
    for clip, start, stop, at in (
        (joins.a_clip, joins.a_start, joins.stops, points[0]),
        (joins.b_clip, joins.b_start, joins.arrivals, points[1]),
    ):
        first = np.minimum(start - 2, at - before)
        last = np.maximum(stop + 2, at + after + 1)
        out &= parts.clear(clip, first, last)
    return out


def _jumps(found: Sequence[Candidates], pairs: Sequence[tuple[int, int]]) -> tuple[np.ndarray, ...]:
    """Jumps of pairs, of each those there, then those back: from clip, to clip, row, column, cost, lowest threshold."""
    counts = np.array([len(one) for one in found], dtype=np.int64)
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2).repeat(counts, axis=0).T
    there = np.arange(ends.shape[1]) + (np.cumsum(counts) - counts).repeat(counts)
    back = there + counts.repeat(counts)
    cells = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(one.cells for one in found)]).T
    cost = np.concatenate([np.zeros(0), *(one.cost for one in found)])
    lowest = np.concatenate([np.zeros((2, 0)), *(one.lowest for one in found)], axis=1)

    def both(forth: np.ndarray, home: np.ndarray) -> np.ndarray:
        out = np.empty(2 * len(there), dtype=forth.dtype)
        out[there], out[back] = forth, home
        return out

    columns = (ends, ends[::-1], cells, cells[::-1], (cost, cost), lowest)
    return tuple(both(*column) for column in columns)


def _placed(
    a_clip: np.ndarray,
    b_clip: np.ndarray,
    cells: tuple[np.ndarray, np.ndarray],
    known: Sequence[ClipMatch],
    clips: Sequence[Clip],
    blend: Blend,
    search: SearchSettings,
) -> tuple[JoinArrays, np.ndarray, np.ndarray]:
    """Joins without alignment yet, and the frames of both clips that meet."""
    frames = _frame_table(known)
    a_frames, b_frames = frames(a_clip, cells[0]), frames(b_clip, cells[1])
    length = blend.frames(clips[0].fps)
    offset_a, offset_b = blend_starts(0, 0, length=length, kind=kind_of(search))
    alignment = np.full((len(a_clip), 3), np.nan)
    return (
        JoinArrays(a_clip, a_frames + offset_a, b_clip, b_frames + offset_b, alignment, length),
        a_frames,
        b_frames,
    )


def kind_of(search: SearchSettings) -> Kind:
    """Kind of the points a search finds."""
    return "aligned" if search.mode == "centre" else "start_end"


def one_per_sweet_spot(matches: Matches, rows: np.ndarray, search: SearchSettings, rate: float) -> np.ndarray:
    """Rows that stay when the source's mode keeps one point of each sweet spot, after the threshold.

    Of minima within the blend's length on both axes the one with the smallest frame left and the largest arrived at
    stays (joint-relative-distance motion graphs, §4.5, second prune). Centred points were merged before.
    """
    if search.mode == "centre" or not len(rows):
        return rows
    pairs = matches.joins.a_clip[rows] * (int(matches.joins.b_clip.max()) + 1) + matches.joins.b_clip[rows]
    kept = []
    for pair in np.unique(pairs):
        mine = rows[pairs == pair]
        cells = matches.cells[mine]
        keys = sweet_spot_keys(cells, matches.cost[mine], search.mode)
        shape = (int(cells[:, 0].max()) + 1, int(cells[:, 1].max()) + 1)
        kept.append(mine[merge_sweet_spots(cells, keys, reach=search.length(rate), shape=shape)])
    return np.sort(np.concatenate(kept))


def _frame_table(known: Sequence[ClipMatch]) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Look-up of clip frames by clip number and matrix row."""
    starts = np.concatenate([[0], np.cumsum([len(one.frames) for one in known])])
    block = np.concatenate([np.zeros(0, dtype=np.int64), *(one.frames for one in known)])
    return lambda clip, row: block[starts[clip] + row]


def with_alignments(
    matches: Matches,
    rows: np.ndarray,
    clips: Sequence[Clip],
    cost: Cost,
    *,
    kind: Kind,
    meet: bool = True,
) -> JoinArrays:
    """Joins of chosen rows with the ground alignment of each, moved a little so that standing feet ``meet``.

    An aligned point's alignment is taken where its two frames meet; a start-end point's in the middle of its blend.
    """
    joins = matches.joins.take(rows)
    alignment = np.empty((len(rows), 3))
    middle = 0.5 * (joins.each - 1) / (matches.parts.fps / cost.rate)
    shift = np.zeros(len(rows), dtype=np.int64) if kind == "aligned" else np.rint(middle).astype(np.int64)
    for k, row in enumerate(rows):
        a, b = (matches.prepared[int(clip[k])] for clip in (joins.a_clip, joins.b_clip))
        i, j = (int(v) for v in matches.cells[row])
        motion = cost.alignment(a, b, i + int(shift[k]), j - int(shift[k]))
        alignment[k] = motion.turn, motion.x, motion.z
    joins = replace(joins, alignment=alignment)
    return feet_met(clips, joins) if meet else joins


def pairs_left(
    work: Work, kept: StoredPairs, *, below: Threshold, run: Run, progress: Progress
) -> list[tuple[int, int]] | None:
    """Pairs (a <= b) that may have a point at or below a threshold, and all that are kept; None: compare all pairs.

    Bounds pay where many frames are new and few pairs are left; which that is, is found out from a sample. What was
    ruled out before under this threshold or a higher one is not looked at again. A pair that is left is compared whole,
    so that its points are those it always has.
    """
    if not isinstance(work.cost, PointCloudCost) or not prunable(work.cost):
        return None
    rows = np.array([len(one.frames) for one in work.known])
    live = np.flatnonzero(rows)
    done, limit = kept.ruled_out(below)
    old = [int(number) for number in live if number in done]
    fresh = [int(number) for number in live if number not in done]
    stored = {pair for pair in kept.pairs() if rows[list(pair)].all()}
    if not old and not _worthwhile(rows, len(stored)):
        return None
    left = {(number, number) for number in fresh} | stored
    if fresh:
        run = replace(run, progress=lambda cells, total: progress("ruling out pairs", cells, total))
        ready = [work.prepared[int(number)] for number in live]
        some = [k for k, number in enumerate(live) if number not in done] if old else None
        found = low_pairs(ready, cost=work.cost, threshold=limit.value, fresh=some, run=run)
        if found is None:
            return None
        left |= set(map(tuple, live[found].tolist()))
    return sorted(left)


def _worthwhile(rows: np.ndarray, stored: int) -> bool:
    """Whether so many frame pairs are missing that bounds save time."""
    total, clips = float(rows.sum()) ** 2 / 2, np.count_nonzero(rows)
    missing = 1.0 - stored / max(clips * (clips + 1) / 2, 1)
    return total * missing > WORTHWHILE


def keep_ruled_out(work: Work, kept: StoredPairs, *, below: Threshold) -> None:
    """Keep that pairs without points have none at or below a threshold, once all that were left are compared."""
    _, limit = kept.ruled_out(below)
    kept.keep_ruled_out(limit, [number for number, one in enumerate(work.known) if len(one.frames)])
