"""Settings of comparisons, and transition points, as rows of a library."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from segue.arrays import Floats, Ints, frozen
from segue.costs.protocol import Cost
from segue.costs.registry import as_document
from segue.documents import as_kind, decode_json
from segue.errors import FileError, SettingError
from segue.graph.pairs import ClipMatch, Comparison
from segue.library.connection import Store
from segue.library.documents import as_bytes, digest, skeleton_document, to_json
from segue.settings import Blend
from segue.transitions.pruning import Candidates

GIVEN = "told"  # the value stored in libraries
"""Kind of the setting of all points given by a person or another program."""
LAST = "setting"
"""Key in `meta` of the setting that was matched last."""
RULED_OUT = "ruled out "
"""Prefix of the key in `meta` of clips whose pairs without a row have no low point; the setting's digest follows."""


def cost_document(cost: Cost) -> dict[str, Any]:
    """Return name and settings of a cost.

    Raises
    ------
    SettingError
        If the cost is not a dataclass of its settings, so that its results could not be identified.

    Examples
    --------
    >>> import segue
    >>> cost_document(segue.cost("relative_distance"))["settings"]["rate"]
    30.0
    """
    settings: object = cost  # the protocol does not declare a dataclass
    if not is_dataclass(settings):
        msg = f"results of {cost!r} cannot be kept: a cost is a frozen dataclass of its settings"
        raise SettingError(msg)
    return as_document(cost)


def comparison_document(comparison: Comparison) -> str:
    """Return the JSON of everything that a comparison depends on; the body by its digest.

    A cost's floating-point type is one of its settings; ``results`` distinguishes versions of segue whose results
    differ.
    """
    return to_json(
        {
            "kind": "matched",
            "cost": cost_document(comparison.cost),
            "blend": blend_document(comparison.blend),
            "search": asdict(comparison.search),
            "bounds": asdict(comparison.seams.bounds),
            "body": digest(skeleton_document(comparison.body)),
            "fps": comparison.fps,
            "feet": comparison.seams.feet,
            "results": comparison.results,
        }
    )


def blend_document(blend: Blend) -> dict[str, Any]:
    """Return the settings of a blend; a fixed ``length`` is left out, as in documents older than that setting."""
    given = asdict(blend)
    if blend.length == "fixed":
        del given["length"]
    return given


@dataclass(frozen=True)
class _Cost:
    name: str


@dataclass(frozen=True)
class _Document:
    """Fields checked in the document of a setting."""

    kind: str
    cost: _Cost | None = None


@dataclass(frozen=True)
class SettingRow:
    """One setting of a library: its document, the threshold of its points, and how that was found."""

    id: int
    digest: str
    document: dict[str, Any]
    threshold: float | None
    threshold_found: str

    @property
    def cost(self) -> str:
        """Name of the cost."""
        return str((self.document.get("cost") or {}).get("name", self.document["kind"]))


def setting_id(store: Store, document: str) -> int | None:
    """Return the id of a setting; None if nothing was compared under it."""
    found: int | None = store.value("SELECT id FROM setting WHERE digest = ?", digest(document))
    return found


def write_setting(store: Store, document: str) -> int:
    """Return the id of a setting, written if it is new; the caller holds a transaction."""
    store.db.execute(
        "INSERT INTO setting (digest, document) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
        (digest(document), document),
    )
    return int(store.value("SELECT id FROM setting WHERE digest = ?", digest(document)))


@dataclass(frozen=True)
class _RuledOut:
    """Value in `meta` for pairs ruled out by lower bounds: highest threshold, and ids of clips."""

    below: float
    clips: list[int]


def ruled_out(store: Store, document: str) -> tuple[float, list[int]]:
    """Return a threshold, and ids of clips whose pairs without a row have no point at or below it; none if damaged."""
    text = store.value("SELECT value FROM meta WHERE key = ?", RULED_OUT + digest(document))
    try:
        kept = (
            None
            if text is None
            else decode_json(as_bytes(text), _RuledOut, store.path, what="what was ruled out")
        )
    except FileError:
        kept = None
    return (-math.inf, []) if kept is None else (kept.below, kept.clips)


def write_ruled_out(db: sqlite3.Connection, document: str, below: float, clips: Sequence[int]) -> None:
    """Store threshold and clips of ruled-out pairs, replacing those stored before."""
    kept = to_json({"below": below, "clips": list(clips)})
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (RULED_OUT + digest(document), kept))


def setting_row(store: Store, document: str) -> SettingRow:
    """Return the setting of a document, written if it is new; the caller holds a transaction."""
    number = write_setting(store, document)
    return next(row for row in setting_rows(store) if row.id == number)


def given_points_document() -> str:
    """Return the document of the setting of given points."""
    return to_json({"kind": GIVEN})


def setting_rows(store: Store) -> tuple[SettingRow, ...]:
    """Return the settings of comparisons in the order in which they were first used."""
    with store.reading() as db:
        rows = db.execute("SELECT id, digest, document, threshold, threshold_found FROM setting ORDER BY id")
        every = [_row(store, values) for values in rows]
    return tuple(row for row in every if row.document["kind"] != GIVEN)


def _row(store: Store, values: Sequence[Any]) -> SettingRow:
    number, stamp, document, *found = values
    what = "the row of a setting"
    content = decode_json(as_bytes(document), dict[str, Any], store.path, what=what, nan=True)
    as_kind(content, _Document, store.path, what=what)
    row = dict(zip(("threshold", "threshold_found"), found, strict=True))
    return as_kind(
        {"id": number, "digest": stamp, "document": content, **row}, SettingRow, store.path, what=what
    )


def has_comparisons(store: Store) -> bool:
    """Return whether pairs were compared under any setting."""
    return bool(
        store.value(
            "SELECT EXISTS (SELECT 1 FROM setting WHERE digest <> ?)", digest(given_points_document())
        )
    )


def chosen_setting(store: Store, beginning: str | None = None) -> SettingRow:
    """Return the setting whose digest begins with a text; by default the one matched last.

    Raises
    ------
    SettingError
        If nothing was matched yet, or not exactly one digest begins with it.
    """
    rows = setting_rows(store)
    if not rows:
        msg = (
            f"nothing in {store.path.name} was compared yet: Library.match() or `segue library match` does it"
        )
        raise SettingError(msg)
    if beginning is None:
        last = store.value("SELECT value FROM meta WHERE key = ?", LAST)
        return next((row for row in rows if row.digest == last), rows[-1])
    found = [row for row in rows if row.digest.startswith(beginning)]
    if len(found) != 1:
        known = ", ".join(f"{row.digest[:12]} ({row.cost})" for row in rows)
        msg = f"{'no' if not found else 'more than one'} setting begins with {beginning!r}; there are {known}"
        raise SettingError(msg)
    return found[0]


def in_order(store: Store) -> tuple[str, ...]:
    """Return the names of the clips in the order in which they were first added.

    Clips are compared on the body of the first; in this order, it stays the same when clips are added.
    """
    with store.reading() as db:
        rows = db.execute("SELECT name FROM clip GROUP BY name HAVING max(current) ORDER BY min(id)")
        return tuple(row[0] for row in rows)


class _Pair(NamedTuple):
    minima: int
    copies: int
    cells: bytes
    costs: bytes
    diagonal: bytes
    once: bytes


class _ClipMatch(NamedTuple):
    frames: bytes
    next_frame: bytes


def write_points(
    db: sqlite3.Connection, row: tuple[int, int], points: Sequence[tuple[Any, ...]], kind: str
) -> None:
    """Write points of one pair, ``row`` being ids of pair and setting; known points only get a missing ``badness``.

    Each point is its number, both clips, both frames, cost, mean along the blend, turn, x, z, seconds and badness.
    """
    db.executemany(
        "INSERT INTO point (pair_id, setting_id, row, a_clip, b_clip, a_frame, b_frame, cost, diagonal, turn, x, z, "
        "blend_seconds, badness, kind, verified, by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '') "
        "ON CONFLICT (pair_id, row) DO UPDATE SET badness = excluded.badness WHERE badness IS NULL",
        [(*row, *values, _known(badness), kind) for *values, badness in points],
    )


def hold_against(db: sqlite3.Connection, threshold: float | None, column: str, value: int) -> None:
    """Set ``verified`` of a pair's or a setting's points by cost, blend and seam; verdicts take precedence."""
    db.execute(
        "UPDATE point SET verified = ifnull(cost <= ?1 AND diagonal <= ?1 AND badness <= 1.0, 0), by = '' "
        f"WHERE {column} = ?2 "
        "AND (verified <> ifnull(cost <= ?1 AND diagonal <= ?1 AND badness <= 1.0, 0) OR by <> '')",
        (threshold, value),
    )
    hear_verdicts(db, column, value)


def hear_verdicts(db: sqlite3.Connection, column: str, value: int) -> None:
    """Apply a person's verdicts to the points of a pair or a setting."""
    db.execute(
        "UPDATE point SET verified = said.good, by = said.by FROM verdict said "
        f"WHERE point.{column} = ? AND point.a_clip = said.a_clip AND point.b_clip = said.b_clip "
        "AND point.a_frame = said.a_frame AND point.b_frame = said.b_frame",
        (value,),
    )


def pair_of(
    minima: int, copies: int, cells: bytes, costs: bytes, diagonal: bytes, once: bytes
) -> Candidates | None:
    """Return the points of a pair's row; None if it is damaged, so that the pair is compared again."""
    try:
        row = as_kind((minima, copies, cells, costs, diagonal, once), _Pair, None)
        price = np.frombuffer(row.costs, "<f8")
        return Candidates(
            frozen(np.frombuffer(row.cells, "<i4").reshape(-1, 2), np.int64),
            frozen(price),
            frozen(np.frombuffer(row.diagonal, "<f8").reshape(2, len(price))),
            frozen(np.frombuffer(row.once, "<f8")),
            row.minima,
            bool(row.copies),
        )
    except (SettingError, ValueError):  # numpy's: the bytes do not fit the type or shape
        return None


def clip_match_of(frames: bytes, steps: bytes) -> ClipMatch | None:
    """Return the data of a clip's row; None if it is damaged."""
    try:
        row = as_kind((frames, steps), _ClipMatch, None)
        rows, costs = np.frombuffer(row.frames, "<i4"), np.frombuffer(row.next_frame, "<f8")
    except (SettingError, ValueError):
        return None
    return ClipMatch(frozen(rows, np.int64), frozen(costs))


def ints(values: Ints) -> bytes:
    """Return integers as stored: little-endian int32."""
    return values.astype("<i4").tobytes()


def floats(values: Floats) -> bytes:
    """Return floats as stored: little-endian float64."""
    return values.astype("<f8").tobytes()


def _known(value: float) -> float | None:
    """Return a number for SQLite: NaN as NULL."""
    return None if np.isnan(value) else value
