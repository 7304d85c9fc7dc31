"""Pairs and points as rows: numbers to bytes and back, points written and held against a threshold."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from segue.arrays import Floats, Ints, frozen
from segue.documents import as_kind
from segue.errors import SettingError
from segue.graph.pairs import ClipMatch, Looked, PairMatch


class _Pair(NamedTuple):
    """Row of a pair."""

    minima: int
    copies: int
    cells: bytes
    costs: bytes
    diagonal: bytes
    once: bytes


class _ClipMatch(NamedTuple):
    """Row of what is known of a clip."""

    frames: bytes
    next_frame: bytes


def point_rows(points: PairMatch, frames: Ints, found: Looked) -> list[tuple[Any, ...]]:
    """Row, way, frames, cost, diagonal, alignment, blend length and badness of each point that was looked at."""
    rows = np.flatnonzero(~np.isnan(found.alignment[:, 0]))
    way, k = np.divmod(rows, max(len(points), 1))
    columns = (
        rows,
        way,
        frames[way, k],
        frames[1 - way, k],
        points.cost[k],
        points.diagonal[way, k],
        *found.alignment[rows].T,
        found.seconds[rows],
        found.share[rows],
    )
    return list(zip(*(column.tolist() for column in columns), strict=True))


def write_points(
    db: sqlite3.Connection,
    row: tuple[int, int],
    clips: tuple[int, int],
    points: Sequence[tuple[Any, ...]],
    kind: str,
) -> None:
    """Write points of one pair, whose row and setting are given; a seam that was not measured before is added."""
    db.executemany(
        "INSERT INTO point (pair_id, setting_id, row, a_clip, b_clip, a_frame, b_frame, cost, diagonal, turn, x, z, "
        "blend_seconds, badness, kind, verified, by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '') "
        "ON CONFLICT (pair_id, row) DO UPDATE SET badness = excluded.badness WHERE badness IS NULL",
        [
            (*row, number, clips[way], clips[1 - way], *values[:-1], _known(values[-1]), kind)
            for number, way, *values in points
        ],
    )


def hold_against(db: sqlite3.Connection, threshold: float | None, column: str, value: int) -> None:
    """Verify points of a pair or a setting: cost, blend and seam within bounds, unless a person said otherwise."""
    db.execute(
        "UPDATE point SET verified = ifnull(cost <= ?1 AND diagonal <= ?1 AND badness <= 1.0, 0), by = '' "
        f"WHERE {column} = ?2 "
        "AND (verified <> ifnull(cost <= ?1 AND diagonal <= ?1 AND badness <= 1.0, 0) OR by <> '')",
        (threshold, value),
    )
    hear_verdicts(db, column, value)


def hear_verdicts(db: sqlite3.Connection, column: str, value: int) -> None:
    """Let what a person said count for points of a pair or a setting."""
    db.execute(
        "UPDATE point SET verified = said.good, by = said.by FROM verdict said "
        f"WHERE point.{column} = ? AND point.a_clip = said.a_clip AND point.b_clip = said.b_clip "
        "AND point.a_frame = said.a_frame AND point.b_frame = said.b_frame",
        (value,),
    )


def pair_of(
    minima: int, copies: int, cells: bytes, costs: bytes, diagonal: bytes, once: bytes
) -> PairMatch | None:
    """Pair of its row; None where the row is none, so that the pair is compared again."""
    try:
        row = as_kind((minima, copies, cells, costs, diagonal, once), _Pair, None)
        price = np.frombuffer(row.costs, "<f8")
        return PairMatch(
            frozen(np.frombuffer(row.cells, "<i4").reshape(-1, 2), np.int64),
            frozen(price),
            frozen(np.frombuffer(row.diagonal, "<f8").reshape(2, len(price))),
            frozen(np.frombuffer(row.once, "<f8")),
            row.minima,
            bool(row.copies),
        )
    except (SettingError, ValueError):  # the latter of numpy: not a whole number of numbers
        return None


def clip_match_of(frames: bytes, steps: bytes) -> ClipMatch | None:
    """What is known of a clip, of its row; None where the row is none."""
    try:
        row = as_kind((frames, steps), _ClipMatch, None)
        rows, costs = np.frombuffer(row.frames, "<i4"), np.frombuffer(row.next_frame, "<f8")
    except (SettingError, ValueError):
        return None
    return ClipMatch(frozen(rows, np.int64), frozen(costs))


def ints(values: Ints) -> bytes:
    """Whole numbers as they are kept."""
    return values.astype("<i4").tobytes()


def floats(values: Floats) -> bytes:
    """Real numbers as they are kept."""
    return values.astype("<f8").tobytes()


def _known(value: float) -> float | None:
    """A number as SQLite knows them."""
    return None if np.isnan(value) else value
