"""Clips of a library: entries without frames, facts measured from clips, and their rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from segue.documents import as_kind
from segue.errors import FileError, SettingError, SkeletonError, nearest
from segue.io.animation_names import split_fragment
from segue.library.connection import REMEDY, Store
from segue.library.documents import (
    Content,
    clip_of_content,
    content_of,
    digest,
    from_column,
    seal,
    skeleton_of,
    to_column,
    to_json,
)
from segue.library.labels import Label, labels_of, tags_of
from segue.motion.clip import Clip
from segue.motion.roles import roles

if TYPE_CHECKING:
    from segue.motion.contacts import Plant
    from segue.motion.fault import Fault


@dataclass(frozen=True)
class Facts:
    """Faults, plants of the feet, and the number of unusable frames."""

    faults: tuple[Fault, ...] = ()
    plants: tuple[Plant, ...] = ()
    unusable: int = 0

    def write(self, db: sqlite3.Connection, clip_id: int) -> None:
        """Write the rows of these facts in the caller's transaction."""
        db.executemany(
            "INSERT INTO fault (clip_id, kind, start_frame, stop_frame, joints, sentence, severity) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (clip_id, f.kind, f.start, f.stop, to_json(f.joints), f.sentence, f.severity)
                for f in self.faults
            ],
        )
        db.executemany(
            "INSERT INTO contact VALUES (?, ?, ?, ?)",
            [(clip_id, plant.foot_part, plant.start, plant.stop) for plant in self.plants],
        )


def facts_of(clip: Clip) -> Facts:
    """Find the facts of a clip; a body without legs has no plants."""
    from segue.motion.faults import find_faults
    from segue.motion.stance import stance

    plants: tuple[Plant, ...] = ()
    faults = find_faults(clip)
    with suppress(SkeletonError):
        plants = tuple(stance(clip).plants)
    return Facts(faults.found, plants, int(faults.unusable.sum()))


CONTACTS_SET = "contacts set "
"""Prefix of the key in `meta` of a clip with user-set contacts; the clip's id follows."""
COLUMNS = (
    "name, version, current, skeleton_id, n_frames, fps, unusable, path, beside, file_sha256, "
    "skeleton_file_sha256, content_sha256, told, added_at"
)
"""Columns of a clip's row, in the order that its seal covers."""


@dataclass(frozen=True)
class ClipEntry:
    """Description of one clip, without its frames.

    ``unusable`` counts frames that hold no motion; ``path`` is the file it was read from, or empty; ``told`` the
    user's settings for reading it, as JSON; ``digest`` the SHA-256 of its content.
    """

    id: int
    name: str
    version: int
    current: bool
    n_frames: Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]
    fps: Annotated[float, msgspec.Meta(gt=0.0, le=1e6)]
    unusable: int
    path: str
    file_sha256: str
    skeleton_file_sha256: str
    digest: str
    told: str
    added_at: str
    labels: tuple[Label, ...] = ()
    tags: tuple[str, ...] = ()

    def __repr__(self) -> str:
        words = f", {', '.join(self.tags)}" if self.tags else ""
        return f"<ClipEntry {self.name!r} version {self.version}, {self.n_frames} frames, {self.fps:g} fps{words}>"

    @property
    def seconds(self) -> float:
        """Duration: n frames span (n - 1)/fps seconds."""
        return (self.n_frames - 1) / self.fps


class _Row(NamedTuple):
    body: str
    source: str
    origin: bytes | None
    fps: float
    roots: bytes
    rotations: bytes


@dataclass(frozen=True)
class ClipPlace:
    """Source of a clip: its path, the path relative to the library, digests of its files, the user's settings."""

    path: str = ""
    beside: str = ""
    file_sha256: str = ""
    skeleton_file_sha256: str = ""
    told: str = "{}"
    facts: Facts = field(default_factory=Facts)

    @property
    def key(self) -> str:
        """Key that is equal for files of the same bytes."""
        return f"{self.file_sha256} {self.skeleton_file_sha256} {split_fragment(self.path)[1]}"

    def with_facts(self, facts: Facts) -> ClipPlace:
        """Return the place with the facts of its clip."""
        return replace(self, facts=facts)

    def with_settings(self, text: str) -> ClipPlace:
        """Return the place with other settings."""
        return replace(self, told=text)


def entries(store: Store, *, old: bool = False) -> tuple[ClipEntry, ...]:
    """Return the entries of the current clips, sorted by name; with ``old``, those of earlier versions too."""
    where = "" if old else "WHERE current"
    with store.reading() as db:
        rows = db.execute(f"SELECT id, {COLUMNS}, seal FROM clip {where} ORDER BY name, version").fetchall()
        labels, tags = labels_of(store), tags_of(store)
    return tuple(_entry(store, row, labels.get(row[0], ()), tags.get(row[0], ())) for row in rows)


def entry(store: Store, name: str, *, version: int | None = None) -> ClipEntry:
    """Return the entry of one clip, of its current or an earlier version.

    Raises
    ------
    SettingError
        If there is none of that name or version; names the nearest.
    """
    with store.reading():
        found = row_of(store, name, version)
        labels, tags = labels_of(store, found.id), tags_of(store, found.id)
    return replace(found, labels=labels.get(found.id, ()), tags=tags.get(found.id, ()))


def row_of(store: Store, name: str, version: int | None) -> ClipEntry:
    """Return the entry of one clip without its labels and tags."""
    row = store.db.execute(
        f"SELECT id, {COLUMNS}, seal FROM clip WHERE name = ? AND (version = ? OR ? IS NULL AND current)",
        (name, version, version),
    ).fetchone()
    if row is None:
        raise SettingError(_unknown(store, name, version))
    return _entry(store, row, (), ())


def entry_by_id(store: Store, number: int, *, words: bool = True) -> ClipEntry | None:
    """Return the entry of the clip of an id, with or without its labels and tags; None if there is none."""
    with store.reading() as db:
        row = db.execute(f"SELECT id, {COLUMNS}, seal FROM clip WHERE id = ?", (number,)).fetchone()
        if row is None:
            return None
        labels = labels_of(store, number) if words else {}
        tags = tags_of(store, number) if words else {}
    return _entry(store, row, labels.get(number, ()), tags.get(number, ()))


def _unknown(store: Store, name: str, version: int | None) -> str:
    names = [
        row[0]
        for row in store.db.execute(
            "SELECT name FROM clip WHERE current AND typeof(name) = 'text' ORDER BY name"
        )
    ]
    if version is not None and name in names:
        known = store.db.execute("SELECT group_concat(version, ', ') FROM clip WHERE name = ?", (name,))
        return f"clip {name!r} has no version {version}; it has {known.fetchone()[0]}"
    hint = nearest(name, names) if names else "it is empty"
    return f"no clip of {store.path.name} is called {name!r}; {hint}"


def _entry(
    store: Store, row: Sequence[object], labels: tuple[Label, ...], tags: tuple[str, ...]
) -> ClipEntry:
    clip_id, *values, stamp = row
    if stamp != seal(*values):
        msg = f"is damaged: the row of clip {values[0]!r} does not fit its seal. {REMEDY}"
        raise FileError(store.path, msg)
    document: dict[str, object] = dict(zip(COLUMNS.split(", "), values, strict=True))
    del document["skeleton_id"], document["beside"]
    document["digest"] = document.pop("content_sha256")
    document["current"] = bool(document["current"])
    if isinstance(document["path"], str):
        document["path"] = from_column(document["path"])
    found = as_kind({"id": clip_id, **document}, ClipEntry, store.path, what="the row of a clip")
    if "\0" in found.name:
        raise FileError(
            store.path, f"holds a clip whose name {found.name!r} has the character NUL, as no name has"
        )
    return replace(found, labels=labels, tags=tags)


def clip_of(store: Store, found: ClipEntry) -> Clip:
    """Return the clip of an entry, checked against its digest."""
    try:
        with store.reading() as db:
            row = db.execute(
                "SELECT document, source, origin, fps, root_positions, rotations FROM clip "
                "JOIN skeleton ON skeleton.id = skeleton_id JOIN frames ON clip_id = clip.id WHERE clip.id = ?",
                (found.id,),
            ).fetchone()
    except FileError as error:
        why = str(error).removeprefix(f"{store.path}: ")
        raise FileError(store.path, f"clip {found.name!r} cannot be read: {why}") from error
    content = None if row is None else Content(*row)
    if content is None or not _fits(content, found):
        missing = "its frames are gone" if row is None else "its frames are not those that were added"
        raise FileError(store.path, f"clip {found.name!r} is damaged: {missing}. {REMEDY}")
    kept = Content(*as_kind(tuple(row), _Row, store.path, what=f"the rows of clip {found.name!r}"))
    return clip_of_content(kept, name=found.name, n_frames=found.n_frames, path=found.path, place=store.path)


def _fits(content: Content, found: ClipEntry) -> bool:
    """Return whether content has the digest of its entry; data of a damaged page may have the wrong type."""
    try:
        return content.digest == found.digest
    except (TypeError, AttributeError):
        return False


def write_clip(
    store: Store, clip: Clip, place: ClipPlace, *, name: str, content: Content | None = None
) -> int:
    """Write a clip as the newest version of a name in the caller's transaction; return its id."""
    if content is None:
        content = content_of(clip, from_file=bool(place.path))
    db = store.db
    before = store.value("SELECT max(version) FROM clip WHERE name = ?", name) or 0
    set_current(store, name, current=False)
    values = (
        name,
        before + 1,
        1,
        _skeleton_id(db, content.body),
        clip.n_frames,
        content.fps,
        place.facts.unusable,
        to_column(place.path),
        to_column(place.beside),
        place.file_sha256,
        place.skeleton_file_sha256,
        content.digest,
        place.told,
        datetime.now(UTC).isoformat(timespec="seconds"),
    )
    marks = ", ".join("?" * (len(values) + 1))
    added = db.execute(f"INSERT INTO clip ({COLUMNS}, seal) VALUES ({marks})", (*values, seal(*values)))
    clip_id = int(added.lastrowid or 0)
    db.execute(
        "INSERT INTO frames VALUES (?, ?, ?, ?, ?)",
        (clip_id, content.source, content.origin, content.roots, content.rotations),
    )
    place.facts.write(db, clip_id)
    return clip_id


def set_current(store: Store, name: str, *, current: bool) -> None:
    """Mark the current version of a name as old, or, where none is current, the newest as current."""
    row = store.db.execute(
        "SELECT id FROM clip WHERE name = ? ORDER BY current DESC, version DESC", (name,)
    ).fetchone()
    if row is not None:
        change_row(store, row[0], current=int(current))


def change_row(store: Store, clip_id: int, **changes: object) -> None:
    """Change columns of a clip's row and renew its seal."""
    row = store.db.execute(f"SELECT {COLUMNS} FROM clip WHERE id = ?", (clip_id,)).fetchone()
    values = dict(zip(COLUMNS.split(", "), row, strict=True)) | changes
    sets = ", ".join(f"{column} = ?" for column in values)
    store.db.execute(
        f"UPDATE clip SET {sets}, seal = ? WHERE id = ?", (*values.values(), seal(*values.values()), clip_id)
    )


def _skeleton_id(db: sqlite3.Connection, document: str) -> int:
    key = digest(document)
    row = db.execute("SELECT id FROM skeleton WHERE digest = ?", (key,)).fetchone()
    if row is not None:
        return int(row[0])
    added = db.execute("INSERT INTO skeleton (digest, document) VALUES (?, ?)", (key, document))
    skeleton_id = int(added.lastrowid or 0)
    found = roles(skeleton_of(document))
    db.executemany(
        "INSERT INTO role VALUES (?, ?, ?, ?, ?)",
        [
            (skeleton_id, role, joint, found.how[role], found.confidence[role])
            for role, joint in found.items()
        ],
    )
    return skeleton_id


def remove_clip(store: Store, name: str, *, old: bool = False) -> int:
    """Remove a clip with all its versions, or only its earlier ones; return the number of removed versions."""
    with store.writing() as db:
        found = entry(store, name)
        gone = db.execute(
            "DELETE FROM clip WHERE name = ? AND (? OR id <> ?)", (name, not old, found.id)
        ).rowcount
        db.execute("DELETE FROM skeleton WHERE id NOT IN (SELECT skeleton_id FROM clip)")
        number = f"CAST(substr(key, {len(CONTACTS_SET) + 1}) AS INTEGER)"
        db.execute(
            f"DELETE FROM meta WHERE key GLOB ? AND {number} NOT IN (SELECT id FROM clip)",
            (f"{CONTACTS_SET}*",),
        )
    return gone
