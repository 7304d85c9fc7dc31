"""Transition points of a library: looked at, given by others, and called good or bad by a person.

A verdict is about two frames of two clips, in one direction, whatever the cost: no matching ever changes it. It goes
along when a clip changes, and into other libraries.
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
"""What `point_of` takes."""
JOINED = "point JOIN clip a ON a.id = a_clip AND a.current JOIN clip b ON b.id = b_clip AND b.current"
"""Points between clips as they are now."""


def point_of(row: Sequence[Any]) -> TransitionPoint:
    """Point of its columns."""
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
    """Points from clip ``a`` to clip ``b``, from or to any where one is None; cheapest first.

    Parameters
    ----------
    store
        The open library.
    a, b
        Names of clips.
    verified
        True for points that passed, False for those that did not, None for both.
    told
        True for points that a person or another program told, False for computed ones, None for both.
    setting
        Beginning of the digest of the setting of computed points; the one matched last by default.

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
    """One point by clips and frames, of the setting that was matched last if several have it.

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
    """Keep points that a person or another program told, beside the computed ones; return how many are new.

    A point told before is told anew: its cost, place and ``verified`` are the last ones told, unless a person called
    it good or bad with `verify`.

    Parameters
    ----------
    store
        The open library.
    given
        The points; clips by their names. ``verified`` is kept as it is; what is not known is not a number.
    by
        Who says so: a name, or the program whose file they come from.
    blend_seconds
        Length of the blend they were meant for.

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
    """Clip and frame left, clip and frame arrived at."""
    return (point.a_clip, point.a_frame), (point.b_clip, point.b_frame)


def _columns(point: TransitionPoint, blend_seconds: float, by: str) -> tuple[Any, ...]:
    """What is told of a point, as columns."""
    place = point.alignment
    numbers = _number(point.cost), _number(point.diagonal_cost)
    return (*numbers, point.kind, place.turn, place.x, place.z, blend_seconds, point.verified, by)


def checked(store: Store, name: str, frame: int, sizes: dict[str, tuple[int, int]] | None = None) -> int:
    """Row of a clip that has a frame; ``sizes`` remembers rows and frames of clips."""
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
    """Row that holds the told points of two clips (no comparison, it has none of its own), and those there are."""
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
    """A number as SQLite knows them."""
    return None if math.isnan(value) else float(value)


def no_such_point(store: Store, wanted: tuple[str, int, str, int], clips: Sequence[int]) -> str:
    """Say which point comes nearest."""
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
    """Keep what a person says of a point: no matching ever changes it.

    A bad point is in no graph that is built from the library and is not found by `nearest`; a good one passes whatever
    the check of its seam says. It holds for these frames of these clips whatever the cost, and for one direction only.

    Raises
    ------
    SettingError
        If the library has no such point, or the word is neither ``"good"`` nor ``"bad"``.
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
    """Take what a person said in another library of clips that are here too; what was said here goes before.

    ``names`` maps the other library's clips to those of this one. Return how many verdicts are new.
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
    """Let what a person said of earlier versions of clips hold for the current ones where the frames agree.

    Returns
    -------
    int
        How many verdicts hold anew. Of a changed clip those stay with the earlier version whose frames are other now.
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
    """Frame of the current version of a clip that shows what an earlier version did; -1 if there is none."""
    if (name, version) not in maps:
        maps[name, version] = _agreeing(store, name, version)
    became = maps[name, version]
    return int(became[frame]) if frame < len(became) else -1


def _agreeing(store: Store, name: str, version: int) -> Ints:
    """What frames of a version became in the current one; of a version that cannot be read any more nothing."""
    if not store.value("SELECT EXISTS (SELECT 1 FROM clip WHERE name = ? AND current)", name):
        return np.empty(0, dtype=np.int64)
    try:
        return agreeing(read_clip(store, name, version=version), read_clip(store, name))
    except FileError:
        return np.empty(0, dtype=np.int64)
