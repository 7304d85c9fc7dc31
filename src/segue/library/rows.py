"""Settings that pairs were compared under, and points of transition, as rows of a library."""

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

GIVEN = "told"  # the word that libraries hold
"""Kind of the one setting under which points lie that a person told or another program wrote."""
LAST = "setting"
"""Key in `meta` of the setting that was matched last."""
RULED_OUT = "ruled out "
"""Beginning of the key in `meta` of clips whose pairs without a row have no low point; a setting's digest follows."""


def cost_document(cost: Cost) -> dict[str, Any]:
    """Name and settings of a cost.

    Raises
    ------
    SettingError
        If the cost is no dataclass of settings, so that nobody could tell what it depends on.

    Examples
    --------
    >>> import segue
    >>> cost_document(segue.cost("relative_distance"))["settings"]["rate"]
    30.0
    """
    settings: object = cost  # a protocol tells nothing of how it is made
    if not is_dataclass(settings):
        msg = f"results of {cost!r} cannot be kept: a cost is a frozen dataclass of its settings"
        raise SettingError(msg)
    return as_document(cost)


def comparison_document(comparison: Comparison) -> str:
    """JSON of everything a comparison depends on; the body by its digest.

    The data type that a cost computes in is part of its settings, and ``results`` tells versions of segue apart that
    give other numbers.
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
    """Settings of a blend; lengths that are all the same are not mentioned, as before there were others."""
    given = asdict(blend)
    if blend.length == "fixed":
        del given["length"]
    return given


@dataclass(frozen=True)
class _Cost:
    name: str


@dataclass(frozen=True)
class _Document:
    """What is asked of the document of a setting."""

    kind: str
    cost: _Cost | None = None


@dataclass(frozen=True)
class SettingRow:
    """One setting of a library: its document, and the threshold its points were held against, as it was found."""

    id: int
    digest: str
    document: dict[str, Any]
    threshold: float | None
    threshold_found: str

    @property
    def cost(self) -> str:
        """Name of the cost that compared."""
        return str((self.document.get("cost") or {}).get("name", self.document["kind"]))


def setting_id(store: Store, document: str) -> int | None:
    """Row of a setting; None if nothing was compared under it."""
    found: int | None = store.value("SELECT id FROM setting WHERE digest = ?", digest(document))
    return found


def write_setting(store: Store, document: str) -> int:
    """Row of a setting, made if there is none; the caller holds a transaction."""
    store.db.execute(
        "INSERT INTO setting (digest, document) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
        (digest(document), document),
    )
    return int(store.value("SELECT id FROM setting WHERE digest = ?", digest(document)))


@dataclass(frozen=True)
class _RuledOut:
    """What `meta` holds of pairs that lower bounds ruled out: highest threshold, and rows of clips."""

    below: float
    clips: list[int]


def ruled_out(store: Store, document: str) -> tuple[float, list[int]]:
    """Threshold, and rows of clips whose pairs without a row have no point at or below it; nothing if damaged."""
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
    """Keep such a threshold and such clips in the place of those before."""
    kept = to_json({"below": below, "clips": list(clips)})
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (RULED_OUT + digest(document), kept))


def setting_row(store: Store, document: str) -> SettingRow:
    """Setting of a document, made if there is none; the caller holds a transaction."""
    number = write_setting(store, document)
    return next(row for row in setting_rows(store) if row.id == number)


def given_points_document() -> str:
    """Document of the setting of told points."""
    return to_json({"kind": GIVEN})


def setting_rows(store: Store) -> tuple[SettingRow, ...]:
    """Settings that pairs were compared under, in the order in which they came."""
    with store.reading() as db:
        rows = db.execute("SELECT id, digest, document, threshold, threshold_found FROM setting ORDER BY id")
        every = [_row(store, values) for values in rows]
    return tuple(row for row in every if row.document["kind"] != GIVEN)


def _row(store: Store, values: Sequence[Any]) -> SettingRow:
    """Row as it lies in the table."""
    number, stamp, document, *found = values
    what = "the row of a setting"
    content = decode_json(as_bytes(document), dict[str, Any], store.path, what=what, nan=True)
    as_kind(content, _Document, store.path, what=what)
    row = dict(zip(("threshold", "threshold_found"), found, strict=True))
    return as_kind(
        {"id": number, "digest": stamp, "document": content, **row}, SettingRow, store.path, what=what
    )


def has_comparisons(store: Store) -> bool:
    """Whether pairs were compared under any setting."""
    return bool(
        store.value(
            "SELECT EXISTS (SELECT 1 FROM setting WHERE digest <> ?)", digest(given_points_document())
        )
    )


def chosen_setting(store: Store, beginning: str | None = None) -> SettingRow:
    """Setting by the beginning of its digest; the one matched last by default.

    Raises
    ------
    SettingError
        If nothing was matched yet, or no setting or several begin so.
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
    """Names of the clips in the order in which they were first added.

    The first one's body is the body that clips are compared on: in this order it stays when clips are added.
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
    """Row of what is known of a clip."""

    frames: bytes
    next_frame: bytes


def write_points(
    db: sqlite3.Connection, row: tuple[int, int], points: Sequence[tuple[Any, ...]], kind: str
) -> None:
    """Write points of one pair, whose row and setting are given; a seam that was not measured before is added.

    Each point is its number, both clips, both frames, cost, mean along the blend, turn, x, z, seconds and badness.
    """
    db.executemany(
        "INSERT INTO point (pair_id, setting_id, row, a_clip, b_clip, a_frame, b_frame, cost, diagonal, turn, x, z, "
        "blend_seconds, badness, kind, verified, by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '') "
        "ON CONFLICT (pair_id, row) DO UPDATE SET badness = excluded.badness WHERE badness IS NULL",
        [(*row, *values, _known(badness), kind) for *values, badness in points],
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
) -> Candidates | None:
    """Pair of its row; None where the row is none, so that the pair is compared again."""
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
