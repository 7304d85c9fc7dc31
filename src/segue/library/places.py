"""Where clips come from: what a file on the disk is to the library, and the names its clips get."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from segue.documents import as_kind, decode_json
from segue.errors import SettingError, nearest
from segue.io.animation_names import as_kept, in_full, split_fragment, with_suffix
from segue.io.digests import file_digest
from segue.io.gltf_document import buffer_digests
from segue.io.readers import skeleton_file
from segue.library.clips import ClipEntry, Place, change_row, entry
from segue.library.connection import Store
from segue.library.documents import as_bytes, digest, from_column, to_column, to_json
from segue.motion.roles import ROLES, roles_in_toml
from segue.texts import well_formed


@dataclass(frozen=True)
class Plan:
    """What one file is to the library: its place, its fate, and the entry that stands for it already.

    ``fate`` is ``"new"``, ``"same"``, ``"changed"``, ``"renamed"`` or ``"skipped"``; ``given`` the settings that were
    told now, ``settings`` those it is to be read with, told earlier ones among them.
    """

    place: Place
    fate: str
    known: ClipEntry | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""


SETTINGS = ("fps", "encoding", "unit", "up", "root_position", "skeleton")
"""Settings of `segue.load` that may be told, besides roles."""


@dataclass(frozen=True)
class _Told:
    """What may be told of a file (`SETTINGS` and roles)."""

    fps: float | None = None
    encoding: str | None = None
    unit: float | None = None
    up: str | None = None
    root_position: str | None = None
    skeleton: str | None = None
    roles: dict[str, str] | None = None


def told_of(store: Store, known: ClipEntry) -> dict[str, Any]:
    """Settings that a person gave for the file of a clip.

    Raises
    ------
    FileError
        If its row holds others.
    """
    what = f"the row of clip {known.name!r}"
    told = decode_json(as_bytes(known.told), dict[str, Any], store.path, what=what)
    kept = as_kind(told, _Told, store.path, what=what)
    return {name: getattr(kept, name) for name in told if name in _Told.__dataclass_fields__}


def settings_told(
    roles: str | Path | Mapping[str, str] | None, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings that a person gave for reading, as they are kept.

    Raises
    ------
    SettingError
        For a setting or a role that does not exist; names the nearest.
    """
    told = {name: value for name, value in settings.items() if value is not None}
    unknown = next((name for name in settings if name not in SETTINGS), None)
    if unknown is not None:
        msg = f"{unknown!r} is no setting of reading a file; {nearest(unknown, [*SETTINGS, 'roles'])}"
        raise SettingError(msg)
    if told.get("skeleton") is not None:
        told["skeleton"] = str(Path(told["skeleton"]).resolve())
    if roles:
        told["roles"] = dict(roles_in_toml(roles) if isinstance(roles, (str, Path)) else roles)
        unknown = next((role for role in told["roles"] if role not in ROLES), None)
        if unknown is not None:
            msg = f"{unknown!r} is no role; {nearest(unknown, ROLES)}"
            raise SettingError(msg)
    return told


def file_place(store: Store, path: Path, told: Mapping[str, Any]) -> Place:
    """Place of a file, with the digests of its bytes and of those of the file that holds its skeleton or buffers."""
    return Place(
        path=str(path),
        beside=_beside(path, store.path),
        file_sha256=file_digest(path),
        skeleton_file_sha256=_companion_digest(path, told),
        told=to_json(dict(told)),
    )


def _beside(path: Path, library: Path) -> str:
    """Path from the library's folder, which stays true when both are moved together."""
    try:
        return Path(os.path.relpath(path, library.resolve().parent)).as_posix()
    except ValueError:  # another drive
        return ""


def _companion_digest(path: Path, told: Mapping[str, Any]) -> str:
    """Digest of the files that a motion file needs: an AMC file's skeleton, a model, a glTF document's buffers."""
    suffix = split_fragment(path)[0].suffix.lower()
    if told.get("skeleton"):
        return file_digest(Path(told["skeleton"]))
    beside = skeleton_file(split_fragment(path)[0])
    if beside is not None:
        return file_digest(beside)
    if suffix == ".gltf":
        return digest(*buffer_digests(split_fragment(path)[0]))
    return ""


def plan_of(store: Store, place: Place, told: Mapping[str, Any]) -> Plan:
    """Tell what a file is to the library.

    A clip that was read from this path is the same or has changed. Else a clip of the same bytes whose own file is
    gone has been renamed, and one whose file is there is the same. Else a clip whose file is gone, and which lay at
    the same path as seen from the library, has moved along with it and changed. Else it is new.
    """
    at = _row(store, "path = ?", place.path)
    if at is not None:
        return _held(store, at, place, told, moved=False)
    fragment = split_fragment(place.path)[1]
    gone = None
    for (name,) in store.db.execute(
        "SELECT name FROM clip WHERE current AND file_sha256 = ? AND skeleton_file_sha256 = ? ORDER BY id",
        (place.file_sha256, place.skeleton_file_sha256),
    ).fetchall():
        known = entry(store, name)
        file, other = split_fragment(known.path)
        if other is None and fragment is not None:  # added when a file alone stood for its first animation
            other = split_fragment(in_full(Path(as_kept(split_fragment(place.path)[0]))))[1]
        if other != fragment:
            continue
        if file.exists():
            plan = _held(store, known, place, told, moved=False)
            if plan.fate == "same":
                return plan
        else:
            gone = gone or known
    if gone is not None:
        return _held(store, gone, place, told, moved=True)
    along = _row(store, "beside = ? AND beside <> '' AND path <> ''", place.beside)
    if along is not None and not split_fragment(along.path)[0].exists():
        return _held(store, along, place, told, moved=True)
    return Plan(place, "new", given=told, settings=told)


def _row(store: Store, where: str, value: str) -> ClipEntry | None:
    name = store.value(f"SELECT name FROM clip WHERE current AND {where} ORDER BY id", to_column(value))
    return None if name is None else entry(store, name)


def _held(store: Store, known: ClipEntry, place: Place, told: Mapping[str, Any], *, moved: bool) -> Plan:
    """Plan for a file that a clip stands for: what was told about it before holds on."""
    before = told_of(store, known)
    settings = before | dict(told)
    if before.get("roles") and told.get("roles"):
        settings["roles"] = before["roles"] | dict(told["roles"])
    same = (
        known.file_sha256 == place.file_sha256
        and known.skeleton_file_sha256 == place.skeleton_file_sha256
        and to_json(settings) == known.told
    )
    fate = ("renamed" if moved else "same") if same else "changed"
    return Plan(place.with_told(to_json(settings)), fate, known, told, settings)


def free_name(store: Store, wanted: str, path: str) -> str:
    """Name that no clip has: the wanted one, with folders of its path before it, or a number behind.

    Beside a file of the same name in the same folder it gets the file's extension.
    """
    wanted = well_formed(wanted)
    taken = {row[0]: row[1] for row in store.db.execute("SELECT name, path FROM clip ORDER BY current")}
    file = split_fragment(path)[0]
    if path and wanted in taken and split_fragment(from_column(taken[wanted]))[0].parent == file.parent:
        wanted = well_formed(with_suffix(wanted, file))
    folders = file.parent.parts[1:] if path else ()
    for depth in range(min(len(folders), 6) + 1):
        name = well_formed("/".join([*folders[len(folders) - depth :], wanted]))
        if name not in taken:
            return name
    number = 2
    while f"{wanted} ({number})" in taken:
        number += 1
    return f"{wanted} ({number})"


def move(store: Store, known: ClipEntry, place: Place) -> str:
    """Let a clip follow its file to another path, and to another name where the file has one; return the name."""
    old, new = (split_fragment(path)[0].stem for path in (known.path, place.path))
    name = known.name if old == new else free_name(store, new, place.path)
    for (clip_id,) in store.db.execute("SELECT id FROM clip WHERE name = ?", (known.name,)).fetchall():
        change_row(store, clip_id, name=name)
    change_row(store, known.id, path=to_column(place.path), beside=to_column(place.beside))
    return name
