"""Salvage of a damaged library: copies every intact clip into a new one, with its id, labels, tags and facts.

Labels, tags, elementary motions and sequences are copied if their rows fit their seals.

A clip whose frames are damaged is read again from its file, if that exists and has the same content. Results computed
from clips are copied if SQLite finds their table intact; otherwise they are computed again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segue.errors import SegueError
from segue.io.files import load
from segue.io.formats import as_kept
from segue.io.fresh import fresh
from segue.library import schema
from segue.library.answers import SEALED, copy_sealed
from segue.library.checking import CheckedClip, each_clip, is_whole, one_view, plain
from segue.library.clips import ClipEntry, set_current
from segue.library.connection import Store
from segue.library.documents import Content, content_of, seal
from segue.library.versions import file_place, given_settings
from segue.motion.reference import with_roles
from segue.threads import Progress, silent

_OF_A_CLIP = ("frames", "contact", "fault", "label", "tag", "element")
"""Tables with rows of one clip each, by ``clip_id``."""
_WITH_CLIPS = {"skeleton", "role", "clip", *_OF_A_CLIP}


@dataclass(frozen=True)
class Salvaged:
    """Result of a salvage.

    Names of clips that were ``whole``, and of those ``healed`` from their files; ``lost`` clips with the reason, and
    the ``older`` among them, of which an earlier version is now current; ``dropped`` tables, which are computed again;
    ``partly`` names tables of studies and weights of which rows were lost.
    """

    path: Path
    whole: tuple[str, ...]
    healed: tuple[str, ...]
    lost: Mapping[str, str]
    older: tuple[str, ...]
    dropped: tuple[str, ...]
    partly: tuple[str, ...] = ()


def salvage(store: Store, path: Path, *, progress: Progress = silent) -> Salvaged:
    """Write the intact contents of a library to a new one; the damaged one is not changed.

    Raises
    ------
    FileError
        If the new file exists already or cannot be written.
    """
    with one_view(store), fresh(path, overwrite=False) as part:
        found = each_clip(store, progress=progress)
        target = Store(part, "w", create=True, patience=store.patience)
        try:
            done = _fill(store, target, found)
        finally:
            target.close()
    return Salvaged(path, **done)


def _fill(store: Store, target: Store, found: Sequence[CheckedClip]) -> dict[str, Any]:
    whole: list[str] = []
    healed: list[str] = []
    lost: dict[str, str] = {}
    for one in found:
        content = None
        if one.why:
            content = _from_file(store, one.entry) if one.entry is not None else None
            if content is None:
                if one.current:
                    lost[one.name] = one.why
                continue
        try:
            with target.writing():
                _copy_clip(store, target, one.id, content)
        except (SegueError, sqlite3.Error) as error:
            lost[one.name] = plain(store, error)
            continue
        if one.current:
            (whole if content is None else healed).append(one.name)
    older = [name for name in sorted(lost) if _make_current(target, name)]
    partly = _copy_answers(store, target)
    dropped = _copy_rest(store, target)
    return {
        "whole": tuple(sorted(whole)),
        "healed": tuple(sorted(healed)),
        "lost": lost,
        "older": tuple(older),
        "dropped": tuple(dropped),
        "partly": tuple(partly),
    }


def _from_file(store: Store, known: ClipEntry) -> Content | None:
    """Return the content of a clip read again from its file; None if it differs from what was added."""
    if not known.file_sha256:
        return None
    try:
        given = given_settings(store, known)
        place = file_place(store, Path(known.path), given)
        roles = given.pop("roles", None)
        (clip,) = with_roles([load(as_kept(known.path), **given)], roles, needed=False)
    except SegueError:
        return None
    content = content_of(clip, from_file=True)
    same = (place.file_sha256, content.digest) == (known.file_sha256, known.digest)
    return content if same else None


def _copy_clip(store: Store, target: Store, clip_id: int, content: Content | None) -> None:
    body = store.value("SELECT skeleton_id FROM clip WHERE id = ?", clip_id)
    if target.value("SELECT 1 FROM skeleton WHERE id = ?", body) is None:
        _copy_rows(store, target, "skeleton", "id", body)
        _copy_rows(store, target, "role", "skeleton_id", body)
    _copy_rows(store, target, "clip", "id", clip_id)
    for table in _OF_A_CLIP:
        if table == "frames" and content is not None:
            values = (clip_id, content.source, content.origin, content.roots, content.rotations)
            target.db.execute("INSERT INTO frames VALUES (?, ?, ?, ?, ?)", values)
            continue
        try:
            _copy_rows(store, target, table, "clip_id", clip_id)
        except sqlite3.DatabaseError:
            if table == "frames":
                raise


def _copy_rows(store: Store, target: Store, table: str, key: str, value: int) -> None:
    """Copy the rows of a table that have a key; sealed rows only if their seals fit."""
    rows = store.db.execute(f"SELECT * FROM {table} WHERE {key} = ?", (value,))
    for row in rows:
        if table == "label" and row[-1] != seal(row[1], row[3], row[4], row[2], row[5]):
            continue
        if table == "tag" and row[-1] != seal(*row[:-1]):
            continue
        if table == "element" and row[-1] != seal(*row[1:-1]):
            continue
        target.db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def _make_current(target: Store, name: str) -> bool:
    """Make the newest remaining version of a clip current; return False if there is none."""
    with target.writing():
        if target.value("SELECT 1 FROM clip WHERE name = ?", name) is None:
            return False
        set_current(target, name, current=True)
    return True


def _copy_answers(store: Store, target: Store) -> list[str]:
    """Copy studies and weights row by row; return the tables of which a row was lost."""
    partly = []
    for table in SEALED:
        with target.writing():
            if not copy_sealed(store.db, target.db, table):
                partly.append(table)
    return partly


def _copy_rest(store: Store, target: Store) -> list[str]:
    """Copy every other intact table, without rows of missing clips; return the names of the damaged ones."""
    dropped = []
    for table in schema.tables():
        if table in _WITH_CLIPS or table in SEALED:
            continue
        try:
            rows = store.db.execute(f"SELECT * FROM {table}").fetchall() if is_whole(store, table) else None
        except sqlite3.Error:  # its pages are intact, but its text is not
            rows = None
        if rows is None:
            dropped.append(table)
            continue
        if table == "sequence":
            rows = [row for row in rows if row[-1] == seal(*row[1:-1])]
        with target.writing():
            for row in rows:
                with suppress(sqlite3.IntegrityError):
                    target.db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    return dropped


def copy(store: Store, path: Path) -> None:
    """Copy the current state of a library to a new file, even if its own was removed meanwhile."""
    try:
        with fresh(path, overwrite=False) as part, store.errors():
            store.db.execute("PRAGMA query_only = OFF")
            store.db.execute("VACUUM INTO ?", (str(part.absolute()),))
    finally:
        if store.mode == "r":
            store.db.execute("PRAGMA query_only = ON")
