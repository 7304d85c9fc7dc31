"""Pairs and points as rows: numbers to bytes and back, points written and held against a threshold."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np

from segue.arrays import Floats, Ints, frozen
from segue.graph.pairs import Looked, PairMatch


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


def pair_of(minima: int, copies: int, cells: bytes, costs: bytes, diagonal: bytes, once: bytes) -> PairMatch:
    """Pair of its row."""
    price = np.frombuffer(costs, "<f8")
    return PairMatch(
        frozen(np.frombuffer(cells, "<i4").reshape(-1, 2), np.int64),
        frozen(price),
        frozen(np.frombuffer(diagonal, "<f8").reshape(2, len(price))),
        frozen(np.frombuffer(once, "<f8")),
        minima,
        bool(copies),
    )


def ints(values: Ints) -> bytes:
    """Whole numbers as they are kept."""
    return values.astype("<i4").tobytes()


def floats(values: Floats) -> bytes:
    """Real numbers as they are kept."""
    return values.astype("<f8").tobytes()


def _known(value: float) -> float | None:
    """A number as SQLite knows them."""
    return None if np.isnan(value) else value
