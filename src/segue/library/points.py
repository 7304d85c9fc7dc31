"""Transition points of a library: reading them, adding given ones, and a person's verdicts.

A verdict applies to two frames of two clips, in one direction, for every cost; matching never changes it. It is carried
over to changed clips and into other libraries.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from segue.arrays import Ints
from segue.errors import FileError, SettingError
from segue.library.checking import read_clip
from segue.library.clips import entry
from segue.library.connection import Store
from segue.library.rows import (
    LAST,
    chosen_setting,
    given_points_document,
    has_comparisons,
    hear_verdicts,
    setting_id,
    write_setting,
)
from segue.library.versions import agreeing
from segue.maths.planar import PlanarMotion
from segue.settings import Blend
from segue.transitions.transition import TransitionPoint

COLUMNS = "a.name, b.name, a_frame, b_frame, cost, kind, turn, x, z, diagonal, verified"
"""Columns that `point_of` takes."""
JOINED = "point JOIN clip a ON a.id = a_clip AND a.current JOIN clip b ON b.id = b_clip AND b.current"
"""Join of points with the current versions of their clips."""


def point_of(row: Sequence[Any]) -> TransitionPoint:
    """Return the point of its columns."""
    a_clip, b_clip, a_frame, b_frame, cost, kind, turn, x, z, diagonal, verified = row
    return TransitionPoint(
        a_clip,
        b_clip,
        a_frame,
        b_frame,
        math.nan if cost is None else cost,
        kind,
        PlanarMotion(turn, x, z),
        math.nan if diagonal is None else diagonal,
        verified == 1,
    )


def points(
    store: Store,
    a: str | None = None,
    b: str | None = None,
    *,
    verified: bool | None = True,
    told: bool | None = None,
    setting: str | None = None,
) -> tuple[TransitionPoint, ...]:
    """Return the points from clip ``a`` to clip ``b``, None for any clip, in order of rising cost.

    Parameters
    ----------
    store
        The open library.
    a, b
        Names of clips.
    verified
        True for verified points, False for others, None for both.
    told
        True for points given by a person or another program, False for computed ones, None for both.
    setting
        Beginning of the digest of the setting of computed points; by default the one matched last.

    Raises
    ------
    SettingError
        If there is no such clip or setting.
    """
    with store.reading() as db:
        for name in (a, b):
            if name is not None:
                entry(store, name)
        settings = [setting_id(store, given_points_document())] if told is not False else []
        if told is False or (told is None and (setting is not None or has_comparisons(store))):
            settings.append(chosen_setting(store, setting).id)
        where = [f"setting_id IN ({', '.join('?' * len(settings))})"]
        values: list[Any] = [*settings]
        for column, wanted in (("a.name", a), ("b.name", b), ("verified", verified)):
            if wanted is not None:
                where.append(f"{column} = ?")
                values.append(wanted)
        rows = db.execute(
            f"SELECT {COLUMNS} FROM {JOINED} WHERE {' AND '.join(where)} "
            "ORDER BY cost IS NULL, cost, a.name, b.name, a_frame, b_frame, point.id",
            values,
        ).fetchall()
    return tuple(point_of(row) for row in rows)


def point(store: Store, a: str, a_frame: int, b: str, b_frame: int) -> TransitionPoint:
    """Return the point at two frames; if several settings have it, that of the one matched last.

    Raises
    ------
    SettingError
        If there is none; names the nearest.
    """
    clips = [checked(store, a, a_frame), checked(store, b, b_frame)]
    with store.reading() as db:
        row = db.execute(
            f"SELECT {COLUMNS} FROM {JOINED} JOIN setting ON setting.id = setting_id WHERE a_clip = ? AND b_clip = ? "
            "AND a_frame = ? AND b_frame = ? ORDER BY setting.digest = (SELECT value FROM meta WHERE key = ?) DESC, "
            "point.id",
            (*clips, a_frame, b_frame, LAST),
        ).fetchone()
        if row is None:
            raise SettingError(no_such_point(store, (a, a_frame, b, b_frame), clips))
    return point_of(row)


def tell(
    store: Store, given: Sequence[TransitionPoint], *, by: str, blend_seconds: float = Blend.seconds
) -> int:
    """Store points given by a person or another program, in addition to computed ones; return how many are new.

    A point given before is overwritten: cost, alignment and ``verified`` are the last ones given, unless there is a
    verdict on it (`verify`).

    Parameters
    ----------
    store
        The open library.
    given
        The points, with names of clips. ``verified`` is stored as given; unknown costs are NaN.
    by
        Author: a person, or the program that wrote the file.
    blend_seconds
        Length of the blend for which they are meant.

    Raises
    ------
    SettingError
        If a clip is not in the library or does not have the frame.
    """
    with store.writing() as db:
        setting = write_setting(store, given_points_document())
        sizes: dict[str, tuple[int, int]] = {}
        known: dict[tuple[int, int], tuple[int, dict[tuple[int, int], int]]] = {}
        new: list[tuple[Any, ...]] = []
        for point in given:
            a, b = (checked(store, *end, sizes) for end in ends(point))
            if (a, b) not in known:
                known[a, b] = _given_pair(store, setting, (a, b))
            pair, rows = known[a, b]
            at = point.a_frame, point.b_frame
            reported = _columns(point, blend_seconds, by)
            if at in rows:
                db.execute(f"{_UPDATE_POINT} WHERE pair_id = ? AND row = ?", (*reported, pair, rows[at]))
            else:
                rows[at] = len(rows)
                db.execute(_INSERT_POINT, (pair, setting, rows[at], a, b, *at, *reported))
                new.append(at)
        hear_verdicts(db, "setting_id", setting)
    return len(new)


_INSERT_POINT = (
    "INSERT INTO point (pair_id, setting_id, row, a_clip, b_clip, a_frame, b_frame, cost, diagonal, kind, turn, x, z, "
    "blend_seconds, verified, by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_UPDATE_POINT = (
    "UPDATE point SET cost = ?, diagonal = ?, kind = ?, turn = ?, x = ?, z = ?, blend_seconds = ?, verified = ?, "
    "by = ?"
)


def ends(point: TransitionPoint) -> tuple[tuple[str, int], tuple[str, int]]:
    """Return clip and frame left, and clip and frame arrived at."""
    return (point.a_clip, point.a_frame), (point.b_clip, point.b_frame)


def _columns(point: TransitionPoint, blend_seconds: float, by: str) -> tuple[Any, ...]:
    place = point.alignment
    numbers = _number(point.cost), _number(point.diagonal_cost)
    return (*numbers, point.kind, place.turn, place.x, place.z, blend_seconds, point.verified, by)


def checked(store: Store, name: str, frame: int, sizes: dict[str, tuple[int, int]] | None = None) -> int:
    """Return the id of a clip, if it has the frame; ``sizes`` caches id and number of frames by clip."""
    sizes = {} if sizes is None else sizes
    if name not in sizes:
        found = entry(store, name)
        sizes[name] = found.id, found.n_frames
    row, n_frames = sizes[name]
    if not 0 <= frame < n_frames:
        msg = f"clip {name!r} has frames 0 to {n_frames - 1}, not {frame}"
        raise SettingError(msg)
    return row


def _given_pair(store: Store, setting: int, clips: tuple[int, int]) -> tuple[int, dict[tuple[int, int], int]]:
    """Return the row of the given points of two clips, which has no candidates, and the row numbers by frames."""
    store.db.execute(
        "INSERT INTO pair (setting_id, a_clip, b_clip, minima, copies, cells, costs, diagonal, once) "
        "VALUES (?, ?, ?, 0, 0, x'', x'', x'', x'') ON CONFLICT DO NOTHING",
        (setting, *clips),
    )
    where = "setting_id = ? AND a_clip = ? AND b_clip = ?"
    pair = int(store.value(f"SELECT id FROM pair WHERE {where}", setting, *clips))
    rows = store.db.execute("SELECT a_frame, b_frame, row FROM point WHERE pair_id = ?", (pair,)).fetchall()
    return pair, {(a_frame, b_frame): row for a_frame, b_frame, row in rows}


def _number(value: float) -> float | None:
    """Return a number for SQLite: NaN as NULL."""
    return None if math.isnan(value) else float(value)


def no_such_point(store: Store, wanted: tuple[str, int, str, int], clips: Sequence[int]) -> str:
    """Return the message for a point that does not exist; names the nearest."""
    a, a_frame, b, b_frame = wanted
    row = store.db.execute(
        "SELECT a_frame, b_frame FROM point WHERE a_clip = ? AND b_clip = ? "
        "ORDER BY abs(a_frame - ?) + abs(b_frame - ?), a_frame LIMIT 1",
        (*clips, a_frame, b_frame),
    ).fetchone()
    nearest = "there is none between these clips" if row is None else f"nearest: frame {row[0]} to {row[1]}"
    return (
        f"{store.path.name} has no point from frame {a_frame} of {a!r} to frame {b_frame} of {b!r}; {nearest}"
    )


Verdict = Literal["good", "bad"]


def verify(store: Store, point: TransitionPoint, verdict: Verdict, *, by: str = "person") -> None:
    """Store a person's verdict on a point, which matching never changes.

    A bad point is in no graph built from the library and is not found by `nearest`; a good one is verified regardless
    of the check of its seam. A verdict applies to these frames of these clips for every cost, in one direction only.

    Raises
    ------
    SettingError
        If the library has no such point, or the verdict is neither ``"good"`` nor ``"bad"``.
    """
    if verdict not in ("good", "bad"):
        msg = f"a point is called 'good' or 'bad', not {verdict!r}"
        raise SettingError(msg)
    with store.writing() as db:
        clips = [checked(store, *end) for end in ends(point)]
        key = (*clips, point.a_frame, point.b_frame)
        where = "a_clip = ? AND b_clip = ? AND a_frame = ? AND b_frame = ?"
        if store.value(f"SELECT id FROM point WHERE {where}", *key) is None:
            raise SettingError(no_such_point(store, (*ends(point)[0], *ends(point)[1]), clips))
        db.execute("INSERT OR REPLACE INTO verdict VALUES (?, ?, ?, ?, ?, ?)", (*key, verdict == "good", by))
        db.execute(f"UPDATE point SET verified = ?, by = ? WHERE {where}", (verdict == "good", by, *key))


def take_verdicts(store: Store, other: Store, names: Mapping[str, str]) -> int:
    """Import the verdicts of another library on clips that are in this one; verdicts of this one take precedence.

    ``names`` maps the other library's clips to those of this one. Return the number of new verdicts.
    """
    with other.reading() as db:
        rows = db.execute(
            "SELECT a.name, b.name, a_frame, b_frame, good, by FROM verdict "
            "JOIN clip a ON a.id = a_clip AND a.current JOIN clip b ON b.id = b_clip AND b.current"
        ).fetchall()
    new = 0
    with store.writing() as db:
        for a, b, *note in rows:
            if a in names and b in names:
                clips = entry(store, names[a]).id, entry(store, names[b]).id
                new += db.execute(
                    "INSERT INTO verdict VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", (*clips, *note)
                ).rowcount
        for (setting,) in db.execute("SELECT id FROM setting").fetchall() if new else ():
            hear_verdicts(db, "setting_id", setting)
    return new


def carry_verdicts(store: Store) -> int:
    """Copy verdicts on earlier versions of clips to the current ones where the frames agree.

    Returns
    -------
    int
        Number of new verdicts. A verdict whose frames have no agreeing frame stays with the earlier version only.
    """
    stale = store.db.execute(
        "SELECT a.name, a.version, b.name, b.version, a_frame, b_frame, good, by FROM verdict "
        "JOIN clip a ON a.id = a_clip JOIN clip b ON b.id = b_clip WHERE NOT (a.current AND b.current)"
    ).fetchall()
    if not stale:
        return 0
    maps: dict[tuple[str, int], Ints] = {}
    carried = 0
    with store.writing() as db:
        for a, a_version, b, b_version, a_frame, b_frame, good, by in stale:
            frames = [
                _new_frame(store, maps, *end) for end in ((a, a_version, a_frame), (b, b_version, b_frame))
            ]
            if -1 not in frames:
                key = (entry(store, a).id, entry(store, b).id, *frames)
                carried += db.execute(
                    "INSERT INTO verdict VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", (*key, good, by)
                ).rowcount
    return carried


def _new_frame(store: Store, maps: dict[tuple[str, int], Ints], name: str, version: int, frame: int) -> int:
    """Return the frame of the current version that agrees with a frame of an earlier one; -1 if there is none."""
    if (name, version) not in maps:
        maps[name, version] = _agreeing(store, name, version)
    became = maps[name, version]
    return int(became[frame]) if frame < len(became) else -1


def _agreeing(store: Store, name: str, version: int) -> Ints:
    """Return the agreeing frame of the current version for each frame of a version; empty if one cannot be read."""
    if not store.value("SELECT EXISTS (SELECT 1 FROM clip WHERE name = ? AND current)", name):
        return np.empty(0, dtype=np.int64)
    try:
        return agreeing(read_clip(store, name, version=version), read_clip(store, name))
    except FileError:
        return np.empty(0, dtype=np.int64)
