"""Transition points of a library: computed ones that were looked at, told ones beside them, and a person's word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from segue.app.library.clips import entry, read_clip
from segue.app.library.comparisons import (
    chosen_setting,
    has_comparisons,
    setting_id,
    told_document,
    write_setting,
)
from segue.app.library.connection import Store
from segue.app.library.versions import agreeing
from segue.arrays import Ints
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.transitions.transition import TransitionPoint

Verdict = Literal["good", "bad"]

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
        settings = [setting_id(store, told_document())] if told is not False else []
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


def tell(store: Store, told: Sequence[TransitionPoint], *, by: str, blend_seconds: float = 1.0 / 3.0) -> int:
    """Keep points that a person or another program told, beside the computed ones; return how many are new.

    A point told before is told anew: its cost, place and ``verified`` are the last ones told, unless a person called
    it good or bad with `verify`.

    Parameters
    ----------
    store
        The open library.
    told
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
    new = 0
    with store.writing() as db:
        setting = write_setting(store, told_document())
        for point in told:
            clips = [_checked(store, *end) for end in _ends(point)]
            pair = _told_pair(store, setting, clips)
            values = (*clips, point.a_frame, point.b_frame)
            known = store.value(
                "SELECT id FROM point WHERE pair_id = ? AND a_frame = ? AND b_frame = ?", pair, *values[2:]
            )
            row = store.value("SELECT ifnull(max(row) + 1, 0) FROM point WHERE pair_id = ?", pair)
            place = point.alignment
            said = (
                _number(point.cost), _number(point.diagonal_cost), point.kind, place.turn, place.x, place.z,
                blend_seconds, point.verified, by,
            )  # fmt: skip
            if known is None:
                new += 1
                db.execute(
                    "INSERT INTO point (pair_id, setting_id, row, a_clip, b_clip, a_frame, b_frame, cost, diagonal, "
                    f"kind, turn, x, z, blend_seconds, verified, by) VALUES ({', '.join('?' * 16)})",
                    (pair, setting, row, *values, *said),
                )
            else:
                db.execute(
                    "UPDATE point SET cost = ?, diagonal = ?, kind = ?, turn = ?, x = ?, z = ?, blend_seconds = ?, "
                    "verified = ?, by = ? WHERE id = ?",
                    (*said, known),
                )
        db.execute(f"{_JUDGE} AND point.setting_id = ?", (setting,))
    return new


_JUDGE = (
    "UPDATE point SET verified = said.good, by = said.by FROM verdict said WHERE point.a_clip = said.a_clip "
    "AND point.b_clip = said.b_clip AND point.a_frame = said.a_frame AND point.b_frame = said.b_frame"
)


def _ends(point: TransitionPoint) -> tuple[tuple[str, int], tuple[str, int]]:
    return (point.a_clip, point.a_frame), (point.b_clip, point.b_frame)


def _checked(store: Store, name: str, frame: int) -> int:
    """Row of a clip that has a frame."""
    found = entry(store, name)
    if not 0 <= frame < found.n_frames:
        msg = f"clip {name!r} has frames 0 to {found.n_frames - 1}, not {frame}"
        raise SettingError(msg)
    return found.id


def _told_pair(store: Store, setting: int, clips: Sequence[int]) -> int:
    """Row that holds the told points of two clips; it is no comparison and has none of its own."""
    store.db.execute(
        "INSERT INTO pair (setting_id, a_clip, b_clip, minima, copies, cells, costs, diagonal, once) "
        "VALUES (?, ?, ?, 0, 0, x'', x'', x'', x'') ON CONFLICT DO NOTHING",
        (setting, *clips),
    )
    return int(
        store.value("SELECT id FROM pair WHERE setting_id = ? AND a_clip = ? AND b_clip = ?", setting, *clips)
    )


def _number(value: float) -> float | None:
    """A number as SQLite knows them."""
    return None if math.isnan(value) else float(value)


def verify(store: Store, point: TransitionPoint, verdict: Verdict, *, by: str = "person") -> None:
    """Keep what a person says of a point: no matching ever changes it.

    A bad point is in no graph that is built from the library and is not found by `nearest`; a good one passes whatever
    the check of its seam says. It holds for these frames of these clips whatever the cost, and for one way only.

    Raises
    ------
    SettingError
        If the library has no such point, or the word is neither ``"good"`` nor ``"bad"``.
    """
    if verdict not in ("good", "bad"):
        msg = f"a point is called 'good' or 'bad', not {verdict!r}"
        raise SettingError(msg)
    with store.writing() as db:
        clips = [_checked(store, *end) for end in _ends(point)]
        key = (*clips, point.a_frame, point.b_frame)
        where = "a_clip = ? AND b_clip = ? AND a_frame = ? AND b_frame = ?"
        if store.value(f"SELECT id FROM point WHERE {where}", *key) is None:
            raise SettingError(_no_such_point(store, point, clips))
        db.execute("INSERT OR REPLACE INTO verdict VALUES (?, ?, ?, ?, ?, ?)", (*key, verdict == "good", by))
        db.execute(f"UPDATE point SET verified = ?, by = ? WHERE {where}", (verdict == "good", by, *key))


def _no_such_point(store: Store, point: TransitionPoint, clips: Sequence[int]) -> str:
    """Say which point comes nearest."""
    row = store.db.execute(
        "SELECT a_frame, b_frame FROM point WHERE a_clip = ? AND b_clip = ? "
        "ORDER BY abs(a_frame - ?) + abs(b_frame - ?), a_frame LIMIT 1",
        (*clips, point.a_frame, point.b_frame),
    ).fetchone()
    nearest = "there is none between these clips" if row is None else f"nearest: frame {row[0]} to {row[1]}"
    return (
        f"{store.path.name} has no point from frame {point.a_frame} of {point.a_clip!r} to frame {point.b_frame} of "
        f"{point.b_clip!r}; {nearest}"
    )


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
        there = store.value("SELECT EXISTS (SELECT 1 FROM clip WHERE name = ? AND current)", name)
        old = read_clip(store, name, version=version)
        maps[name, version] = agreeing(old, read_clip(store, name)) if there else np.full(old.n_frames, -1)
    return int(maps[name, version][frame])
