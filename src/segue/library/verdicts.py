"""What a person says of a transition point, good or bad: no matching ever changes it.

A verdict is about two frames of two clips, one way, whatever the cost. It goes along when a clip changes, and into
other libraries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from segue.arrays import Ints
from segue.errors import FileError, SettingError
from segue.library.clips import entry, read_clip
from segue.library.connection import Store
from segue.library.point_rows import hear_verdicts
from segue.library.points import checked, ends, no_such_point
from segue.library.versions import agreeing
from segue.transitions.transition import TransitionPoint

Verdict = Literal["good", "bad"]


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
        for a, b, *said in rows:
            if a in names and b in names:
                clips = entry(store, names[a]).id, entry(store, names[b]).id
                new += db.execute(
                    "INSERT INTO verdict VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", (*clips, *said)
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
