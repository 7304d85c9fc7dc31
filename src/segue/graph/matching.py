"""Comparison of every pair of clips: the possible jumps of a graph, at most those that a threshold admits.

With a threshold, lower bounds exclude pairs that need not be compared (`segue.costs.pruned`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.blending.methods import Kind
from segue.costs.engine.plan import Run
from segue.costs.matrix import median_next_frame_cost
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost
from segue.costs.pruned.near import WORTHWHILE, low_pairs, prunable
from segue.graph.jumps import JumpGatherer
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
from segue.settings import Blend, SearchSettings
from segue.synthesis.feet.alignment import feet_met
from segue.synthesis.joins import JoinArrays
from segue.threads import Progress, silent
from segue.transitions.pruning import merge_sweet_spots, sweet_spot_keys
from segue.transitions.threshold import Threshold
from segue.transitions.tiles import plan_tiles

__all__ = ["RULED_OUT", "Matches", "match"]
RULED_OUT = "pairs ruled out"
"""Step of a report: pairs of clips that were not compared, because they have no point at or below the threshold."""


@dataclass(frozen=True, eq=False)
class Matches:
    """All possible jumps as columns, one row per direction; with a threshold those of points at or below it.

    ``cost`` (P,) is the cost at the point, ``diagonal`` (P,) the mean along the blend's own diagonal,
    ``lowest`` (P,) the lowest threshold that admits the jump (the larger of both); infinite where the blend
    does not fit into the clips. ``cells`` (P, 2) are rows and columns of the pair's matrix, from the clip
    left to the clip arrived in; ``once`` are the costs of the minima, those within a quarter second of one
    another counted once, empty with a threshold.

    ``parts`` holds the usable frames. Rows ``starts[k]`` to ``starts[k + 1]`` are those of ``pairs[k]``, which has
    ``points[k]`` points; ``number`` (P,) is the index of each among all jumps of its pair: first all there, then all
    back. ``fits`` (C,) flags the clips into which a blend fits, and ``best`` is the lowest threshold of any jump.
    """

    joins: JoinArrays
    cost: Floats
    diagonal: Floats
    lowest: Floats
    a_frames: Ints
    b_frames: Ints
    cells: Ints
    number: Ints
    once: Floats
    next_frame_cost: float
    steps: dict[str, int]
    copies: tuple[tuple[str, str], ...]
    short: dict[str, str]
    prepared: Preparing
    parts: Parts
    pairs: tuple[tuple[int, int], ...]
    starts: Ints
    points: Ints
    fits: Bools
    best: float


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

    Two copies of one motion (another format, another rate) are recognised and not joined to each other;
    within one clip, jumps to within window and blend length of the same moment are left out. No jump's blend
    or window touches an unusable frame.

    Parameters
    ----------
    clips
        On one skeleton at one rate.
    cost, blend, search
        Settings.
    parts
        Usable frames; all by default.
    pairs
        Pairs of clip numbers (a <= b) to compare; all by default.
    below
        Highest cost of requested points: pairs without any may then be skipped, if finding them takes less
        time than comparing them (`segue.graph.matching`). Points at or below it are the same.
    kept
        Stored results of earlier comparisons; new pairs are added. The result is the same without it.
    workers
        Execution of comparisons, tile by tile; by default one thread per core. The result is the same.
    """
    kept = NothingKept() if kept is None else kept
    prepared = Preparing(clips, cost)
    known = [look_at_clip(number, prepared, cost, kept) for number in range(len(clips))]
    search = replace(search, blend_seconds=blend.seconds) if blend.seconds > 0 else search
    work = Work(clips, prepared, known, cost, search)
    workers = workers or Threads()
    left = None
    if below is not None and pairs is None:
        left = pairs_left(work, kept, below=below, run=workers.run, progress=progress)
    wanted = _live(pairs, known) if left is None else left
    parts = Parts.all_sound(clips) if parts is None else parts
    found = JumpGatherer(work, blend, parts, wanted, below)
    _compare(wanted, found, work, workers, kept, progress)
    ruled_out = {}
    if below is not None and left is not None:
        keep_ruled_out(work, kept, below=below)
        ruled_out = {RULED_OUT: _all_pairs(known) - len(left)}
    columns = found.columns()
    joins, a_frames, b_frames = found.placed(columns)
    return Matches(
        joins=joins,
        cost=columns.cost,
        diagonal=columns.diagonal,
        lowest=columns.lowest,
        a_frames=a_frames,
        b_frames=b_frames,
        cells=np.column_stack([columns.a_row, columns.b_row]),
        number=columns.number,
        once=found.once,
        next_frame_cost=median_next_frame_cost([one.next_frame for one in known]),
        steps=ruled_out | found.counts,
        copies=tuple((clips[a].name, clips[b].name) for a, b in found.copies),
        short={
            clips[number].name: prepared[number].too_short() or ""
            for number, one in enumerate(known)
            if not len(one.frames)
        },
        prepared=prepared,
        parts=parts,
        pairs=tuple(wanted),
        starts=np.searchsorted(columns.pair, np.arange(len(wanted) + 1)),
        points=found.points,
        fits=found.fits,
        best=found.best,
    )


def _live(pairs: Sequence[tuple[int, int]] | None, known: Sequence[ClipMatch]) -> list[tuple[int, int]]:
    """Pairs, all by default, of which both clips are long enough."""
    live = [number for number, one in enumerate(known) if len(one.frames)]
    if pairs is None:
        return [(a, b) for k, a in enumerate(live) for b in live[k:]]
    return [(a, b) for a, b in pairs if len(known[a].frames) and len(known[b].frames)]


def _all_pairs(known: Sequence[ClipMatch]) -> int:
    live = sum(len(one.frames) > 0 for one in known)
    return live * (live + 1) // 2


def _compare(
    wanted: Sequence[tuple[int, int]],
    found: JumpGatherer,
    work: Work,
    workers: Workers,
    kept: StoredPairs,
    progress: Progress,
) -> None:
    """Collect the points of each pair, stored or newly computed, tile by tile."""
    new = []
    for a, b in wanted:
        one = kept.pair(a, b)
        if one is not None and one.fits(len(work.known[a].frames), len(work.known[b].frames)):
            found.add((a, b), one)
        else:
            new.append((a, b))
    tiles = plan_tiles(new, [len(one.frames) for one in work.known])
    progress("comparing clips", found.added, len(wanted))
    for tile, points in workers.compare(work, tiles):
        each = list(zip(tile.pairs, points, strict=True))
        kept.keep_pairs(each)
        for pair, one in each:
            found.add(pair, one)
        progress("comparing clips", found.added, len(wanted))


def one_per_sweet_spot(matches: Matches, rows: np.ndarray, search: SearchSettings, rate: float) -> np.ndarray:
    """Select rows as the source's mode does: one point of each sweet spot, after the threshold.

    Of minima within the blend's length on both axes the one with the smallest frame left and the largest frame arrived
    at is kept (joint-relative-distance motion graphs, §4.5, second prune). Centred points were merged before.
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


def with_alignments(
    matches: Matches,
    rows: np.ndarray,
    clips: Sequence[Clip],
    cost: Cost,
    *,
    kind: Kind,
    meet: bool = True,
) -> JoinArrays:
    """Align the joins of chosen rows on the ground, shifted slightly so that standing feet ``meet``.

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
    """Pairs (a <= b) that may have a point at or below a threshold, and all stored pairs; None: compare all pairs.

    Bounds save time if many frames are new and few pairs remain, which a sample estimates. Pairs excluded
    earlier under this threshold or a higher one are not checked again. A remaining pair is compared
    completely, so that its points do not depend on the bounds.
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
    """Whether enough frame pairs are missing for bounds to save time."""
    total, clips = float(rows.sum()) ** 2 / 2, np.count_nonzero(rows)
    missing = 1.0 - stored / max(clips * (clips + 1) / 2, 1)
    return total * missing > WORTHWHILE


def keep_ruled_out(work: Work, kept: StoredPairs, *, below: Threshold) -> None:
    """Store, after all remaining pairs are compared, that the other pairs have no point at or below a threshold."""
    _, limit = kept.ruled_out(below)
    kept.keep_ruled_out(limit, [number for number, one in enumerate(work.known) if len(one.frames)])
