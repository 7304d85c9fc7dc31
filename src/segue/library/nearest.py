"""Lookup of the nearest transition out of a clip in an index, fast enough for a live character."""

from __future__ import annotations

import operator
import sqlite3
from typing import Any

from segue.errors import SettingError
from segue.library.clips import entry
from segue.library.connection import Store
from segue.library.points import point_of
from segue.library.rows import chosen_setting, given_points_document, has_comparisons, setting_id
from segue.transitions.transition import TransitionPoint


def _sql(verified: bool, to: bool) -> str:
    """Return the SQL of a lookup; it names the index, which SQLite's planner would not choose."""
    index, more = ("point_next", " AND verified") if verified else ("point_frame", "")
    return (
        "SELECT a_frame, b_frame, b_clip, cost, kind, turn, x, z, diagonal, verified FROM point "
        f"INDEXED BY {index} WHERE setting_id = ? AND a_clip = ? AND a_frame >= ?{more}"
        f"{' AND b_clip = ?' if to else ''} ORDER BY a_frame, b_frame, cost, id LIMIT 1"
    )


_SQL = {(verified, to): _sql(verified, to) for verified in (True, False) for to in (True, False)}


_PAGES = 32 * 1024
"""Kilobytes of SQLite's page cache: enough for the index of a million points."""


class Nearest:
    """Lookup in one open library; ids of clips and settings are cached until the file changes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        with store.errors():
            store.db.execute(f"PRAGMA cache_size = {-_PAGES}")
        self._state: tuple[int, int] = (-1, -1)
        self._ids: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._settings: dict[str | None, tuple[int, ...]] = {}

    def __call__(
        self,
        clip: str,
        frame: int,
        *,
        to: str | None = None,
        verified: bool = True,
        setting: str | None = None,
    ) -> TransitionPoint | None:
        """Return the first point of a clip at or after a frame; see `segue.library.library.Library.nearest`."""
        db = self._store.db
        try:
            frame = operator.index(frame)
            state = db.execute("PRAGMA data_version").fetchone()[0], db.total_changes
            if state != self._state:
                self._remember(state)
            a_clip = self._ids.get(clip)
            values: tuple[int, ...] = (self._id(clip) if a_clip is None else a_clip, frame)
            if to is not None:
                values = (*values, self._id(to))
            settings = self._settings.get(setting)
            best: tuple[Any, ...] | None = None
            for one in self._chosen(setting) if settings is None else settings:
                row = db.execute(_SQL[verified, to is not None], (one, *values)).fetchone()
                if row is not None and (best is None or row[:2] < best[:2]):
                    best = row
        except sqlite3.Error as error:
            raise self._store.error(error) from error
        except TypeError:
            msg = f"frame {frame!r}: a frame is a whole number from 0"
            raise SettingError(msg) from None
        if best is None:
            return None
        a_frame, b_frame, b_clip, *rest = best
        return point_of((clip, self._names[b_clip], a_frame, b_frame, *rest))

    def _remember(self, state: tuple[int, int]) -> None:
        """Read the ids of clips again after the file changed."""
        rows = self._store.db.execute("SELECT name, id, current FROM clip").fetchall()
        self._ids = {name: number for name, number, current in rows if current}
        self._names = {number: name for name, number, _ in rows}
        self._settings = {}
        self._state = state

    def _id(self, name: str) -> int:
        known = self._ids.get(name)
        return entry(self._store, name).id if known is None else known

    def _chosen(self, setting: str | None) -> tuple[int, ...]:
        """Return the ids of the settings to search: of computed points and, if there are any, of given ones."""
        given = setting_id(self._store, given_points_document())
        chosen = () if given is None else (given,)
        if given is None or setting is not None or has_comparisons(self._store):
            chosen = (chosen_setting(self._store, setting).id, *chosen)
        self._settings[setting] = chosen
        return chosen
