"""Comparison of files with the clips of a library, names for new clips, and mapping of labels to a changed clip.

**Rule.** Two frames agree if all joint rotations are equal within 0.1 degrees and the root positions within 1 mm (with
each skeleton scaled to 10 m of bone). Agreeing frames are collected in runs: the longest first, then the longest before
and after it, so that frames cut off, cut out or inserted only shift the others. Runs under four frames count only if a
clip is that short. Frames that are equal up to rounding take precedence over frames that only agree, because in slow
motion neighbours agree too. If there is no run, as for a clip that was moved or turned as a unit, only the joints below
the root are compared. A label is mapped to the frames from its first to its last agreeing one; a label without any
stays with its version. Tags are copied.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from segue.arrays import Floats, Ints, sealed
from segue.documents import as_kind, decode_json
from segue.errors import SettingError, nearest
from segue.io.animation_names import split_fragment, with_suffix
from segue.io.digests import file_digest
from segue.io.formats import as_kept, in_full, skeleton_file
from segue.io.gltf_document import buffer_digests
from segue.library.clips import ClipEntry, ClipPlace, change_row, entry
from segue.library.connection import Store
from segue.library.documents import as_bytes, digest, from_column, to_column, to_json
from segue.library.labels import Label, labels_of, tags_of, write_label, write_tag
from segue.maths.quaternions import to_matrix
from segue.motion.clip import Clip
from segue.motion.roles import ROLES, roles_in_toml
from segue.motion.skeleton import Skeleton
from segue.texts import well_formed


@dataclass(frozen=True)
class FilePlan:
    """Plan for one file: its place, its fate, and the entry of its clip if the library has one.

    ``fate`` is ``"new"``, ``"same"``, ``"changed"``, ``"renamed"`` or ``"skipped"``; ``given`` are the user's settings
    of this call, ``settings`` those for reading the file, including ones given earlier.
    """

    place: ClipPlace
    fate: str
    known: ClipEntry | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""


SETTINGS = ("fps", "encoding", "unit", "up", "root_position", "skeleton")
"""Settings of `segue.load` that the user may set, in addition to roles."""


@dataclass(frozen=True)
class _GivenSettings:
    """User-set settings for reading a file (`SETTINGS` and roles)."""

    fps: float | None = None
    encoding: str | None = None
    unit: float | None = None
    up: str | None = None
    root_position: str | None = None
    skeleton: str | None = None
    roles: dict[str, str] | None = None


def given_settings(store: Store, known: ClipEntry) -> dict[str, Any]:
    """Return the user's settings for the file of a clip.

    Raises
    ------
    FileError
        If those in its row are not valid.
    """
    what = f"the row of clip {known.name!r}"
    document = decode_json(as_bytes(known.told), dict[str, Any], store.path, what=what)
    kept = as_kind(document, _GivenSettings, store.path, what=what)
    return {name: getattr(kept, name) for name in document if name in _GivenSettings.__dataclass_fields__}


def settings_given(
    roles: str | Path | Mapping[str, str] | None, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the user's settings for reading files, as stored.

    Raises
    ------
    SettingError
        If a setting or a role is unknown; names the nearest.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    unknown = next((name for name in settings if name not in SETTINGS), None)
    if unknown is not None:
        msg = f"{unknown!r} is no setting of reading a file; {nearest(unknown, [*SETTINGS, 'roles'])}"
        raise SettingError(msg)
    if given.get("skeleton") is not None:
        given["skeleton"] = str(Path(given["skeleton"]).resolve())
    if roles:
        given["roles"] = dict(roles_in_toml(roles) if isinstance(roles, (str, Path)) else roles)
        unknown = next((role for role in given["roles"] if role not in ROLES), None)
        if unknown is not None:
            msg = f"{unknown!r} is no role; {nearest(unknown, ROLES)}"
            raise SettingError(msg)
    return given


def file_place(store: Store, path: Path, document: Mapping[str, Any]) -> ClipPlace:
    """Return the place of a file, with digests of its bytes and of those of its skeleton or buffer files."""
    return ClipPlace(
        path=str(path),
        beside=_beside(path, store.path),
        file_sha256=file_digest(path),
        skeleton_file_sha256=_companion_digest(path, document),
        told=to_json(dict(document)),
    )


def _beside(path: Path, library: Path) -> str:
    """Return the path relative to the library's folder, which stays valid if both are moved together."""
    try:
        return Path(os.path.relpath(path, library.resolve().parent)).as_posix()
    except ValueError:  # another drive
        return ""


def _companion_digest(path: Path, document: Mapping[str, Any]) -> str:
    """Return the digest of files that a motion file needs: an AMC file's skeleton, a model, a glTF file's buffers."""
    suffix = split_fragment(path)[0].suffix.lower()
    if document.get("skeleton"):
        return file_digest(Path(document["skeleton"]))
    beside = skeleton_file(split_fragment(path)[0])
    if beside is not None:
        return file_digest(beside)
    if suffix == ".gltf":
        return digest(*buffer_digests(split_fragment(path)[0]))
    return ""


def plan_of(store: Store, place: ClipPlace, document: Mapping[str, Any]) -> FilePlan:
    """Find the clip of a file in the library and its fate.

    The first that applies: a clip read from this path is the same or changed; a clip of the same bytes is the same if
    its file exists, or renamed if not; a clip whose file is missing and had the same path relative to the library was
    moved with it and changed; otherwise the file is new.
    """
    at = _row(store, "path = ?", place.path)
    if at is not None:
        return _held(store, at, place, document, moved=False)
    fragment = split_fragment(place.path)[1]
    gone = None
    for (name,) in store.db.execute(
        "SELECT name FROM clip WHERE current AND file_sha256 = ? AND skeleton_file_sha256 = ? ORDER BY id",
        (place.file_sha256, place.skeleton_file_sha256),
    ).fetchall():
        known = entry(store, name)
        file, other = split_fragment(known.path)
        if (
            other is None and fragment is not None
        ):  # added when a path without fragment meant the first animation
            other = split_fragment(in_full(Path(as_kept(split_fragment(place.path)[0]))))[1]
        if other != fragment:
            continue
        if file.exists():
            plan = _held(store, known, place, document, moved=False)
            if plan.fate == "same":
                return plan
        else:
            gone = gone or known
    if gone is not None:
        return _held(store, gone, place, document, moved=True)
    along = _row(store, "beside = ? AND beside <> '' AND path <> ''", place.beside)
    if along is not None and not split_fragment(along.path)[0].exists():
        return _held(store, along, place, document, moved=True)
    return FilePlan(place, "new", given=document, settings=document)


def _row(store: Store, where: str, value: str) -> ClipEntry | None:
    name = store.value(f"SELECT name FROM clip WHERE current AND {where} ORDER BY id", to_column(value))
    return None if name is None else entry(store, name)


def _held(
    store: Store, known: ClipEntry, place: ClipPlace, document: Mapping[str, Any], *, moved: bool
) -> FilePlan:
    """Return the plan for a file whose clip is in the library; settings given earlier still apply."""
    before = given_settings(store, known)
    settings = before | dict(document)
    if before.get("roles") and document.get("roles"):
        settings["roles"] = before["roles"] | dict(document["roles"])
    same = (
        known.file_sha256 == place.file_sha256
        and known.skeleton_file_sha256 == place.skeleton_file_sha256
        and to_json(settings) == known.told
    )
    fate = ("renamed" if moved else "same") if same else "changed"
    return FilePlan(place.with_settings(to_json(settings)), fate, known, document, settings)


def free_name(store: Store, wanted: str, path: str) -> str:
    """Return an unused name: the wanted one, one with folders of its path prepended, or one with a number appended.

    If the clip of that name comes from the same folder, the file's extension is appended first.
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


def move(store: Store, known: ClipEntry, place: ClipPlace) -> str:
    """Set the new path of a renamed file, and a new name if the file's name changed; return the clip's name."""
    old, new = (split_fragment(path)[0].stem for path in (known.path, place.path))
    name = known.name if old == new else free_name(store, new, place.path)
    for (clip_id,) in store.db.execute("SELECT id FROM clip WHERE name = ?", (known.name,)).fetchall():
        change_row(store, clip_id, name=name)
    change_row(store, known.id, path=to_column(place.path), beside=to_column(place.beside))
    return name


TURN = float(np.radians(0.1))
"""Radians within which two joint rotations agree."""
PLACE = 1e-3
"""Metres within which two root positions agree."""
SHORTEST = 4
"""Frames of the shortest run that counts: still poses agree with many others."""
EQUAL = 1e-4
"""Fraction of `TURN` and `PLACE` within which frames are equal up to the rounding of a file."""


@dataclass(frozen=True)
class Carried:
    """Labels of a changed clip: ``kept`` unchanged, ``moved`` to other frames, or ``left`` with the old version."""

    clip: str
    kept: tuple[Label, ...] = ()
    moved: tuple[tuple[Label, Label], ...] = ()
    left: tuple[Label, ...] = ()


def agreeing(old: Clip, new: Clip) -> Ints:
    """Return the agreeing frame of the new clip for each frame of the old one (F,); -1 if there is none.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> later = segue.Clip(walk.skeleton, walk.rotations[100:], walk.root_positions[100:], walk.fps)
    >>> agreeing(walk, later)[[99, 100, 360]].tolist()
    [-1, 0, 260]
    """
    out = np.full(old.n_frames, -1, dtype=np.int64)
    a, b = old.skeleton, new.skeleton
    if a.names != b.names or not np.array_equal(a.parents, b.parents):
        return sealed(out)
    for root in (True, False):
        if not root and a.n_joints == 1:
            break
        for start, at, length in runs(_features(old, root=root), _features(new, root=root)):
            out[start : start + length] = np.arange(at, at + length)
        if np.any(out >= 0):
            break
    return sealed(out)


def _features(clip: Clip, *, root: bool) -> Floats:
    """Return (F, D) values that differ by at most 1 where frames agree: two axes of every joint, and the root position.

    The root position is scaled as if the skeleton's bones had a total length of 10 m.
    """
    axes = to_matrix(clip.rotations[:, 0 if root else 1 :])[..., :2]
    turns = axes.reshape(clip.n_frames, -1) / TURN
    if not root:
        return np.ascontiguousarray(turns)
    place = clip.root_positions * (_BONES / _bones(clip.skeleton)) / PLACE
    return np.ascontiguousarray(np.concatenate([place, turns], axis=1))


_BONES = 10.0
"""Total length of the bones of an average person in metres."""


def _bones(skeleton: Skeleton) -> float:
    """Return the total length of the bones in metres; `_BONES` if it is zero."""
    return float(np.linalg.norm(skeleton.offsets[1:], axis=1).sum()) or _BONES


def runs(a: Floats, b: Floats) -> list[tuple[int, int, int]]:
    """Return runs of agreeing rows of ``a`` (N, D) and ``b`` (M, D): first row in each and length, ascending in both.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.arange(20.0)[:, None] * 5
    >>> runs(a, np.delete(a, [8, 9], axis=0))
    [(0, 0, 8), (10, 8, 10)]
    """
    shortest = min(SHORTEST, len(a), len(b))
    found: list[tuple[int, int, int]] = []
    for scale in (EQUAL, 1.0):
        ends = [*found, (len(a), len(b), 0)]
        start = at = 0
        for first, other, length in ends:
            found += _between(a / scale, b / scale, (start, first, at, other), shortest)
            start, at = first + length, other + length
        found.sort()
    return found


def _between(
    a: Floats, b: Floats, gap: tuple[int, int, int, int], shortest: int
) -> Iterator[tuple[int, int, int]]:
    """Yield runs in a gap (first and last row of ``a``, then of ``b``, half open), the longest first."""
    todo = [gap]
    while todo:
        start, stop, at, end = todo.pop()
        if min(stop - start, end - at) < shortest:
            continue
        first, other, length = longest_run(a[start:stop], b[at:end])
        if length < shortest:
            continue
        first, other = start + first, at + other
        yield first, other, length
        todo += [(start, first, at, other), (first + length, stop, other + length, end)]


def longest_run(a: Floats, b: Floats) -> tuple[int, int, int]:
    """Return first rows and length of the longest run of rows of ``a`` (N, D) and ``b`` (M, D) that differ by up to 1.

    Among equals, the first in ``a``, then the first in ``b``.

    Examples
    --------
    >>> import numpy as np
    >>> longest_run(np.array([[0.0], [5.0], [9.0]]), np.array([[5.2], [9.1], [70.0]]))
    (1, 0, 2)
    """
    if a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1.0)):
        return 0, 0, len(a)
    length, before = np.zeros(len(b) + 1, dtype=np.int64), np.zeros(len(b) + 1, dtype=np.int64)
    first = np.ascontiguousarray(b[:, :3].T)
    best = (0, 0, 0)
    same = np.zeros(0, dtype=np.int64)
    for row, values in enumerate(a):
        if row == 0 or not np.array_equal(values, a[row - 1]):  # a held pose is searched once
            near = np.abs(first[0] - values[0]) <= 1.0
            for axis in range(1, len(first)):
                near &= np.abs(first[axis] - values[axis]) <= 1.0
            maybe = np.flatnonzero(near)
            same = maybe[np.all(np.abs(b[maybe] - values) <= 1.0, axis=1)]
        length[:] = 0
        length[same + 1] = before[same] + 1
        longest = int(length.max())
        if longest > best[2]:
            best = (row + 1 - longest, int(length.argmax()) - longest, longest)
        length, before = before, length
    return best


def carry(store: Store, name: str, *, old_id: int, new_id: int, frames: Ints) -> Carried:
    """Carry labels and tags over to the next version; the caller holds a transaction."""
    kept, moved, left = [], [], []
    for label in labels_of(store, old_id).get(old_id, ()):
        new = carried_label(label, frames)
        if new is None:
            left.append(label)
            continue
        write_label(store, new_id, new)
        if new == label:
            kept.append(label)
        else:
            moved.append((label, new))
    for text in tags_of(store, old_id).get(old_id, ()):
        write_tag(store, new_id, text)
    return Carried(name, tuple(kept), tuple(moved), tuple(left))


def carried_label(label: Label, frames: Ints) -> Label | None:
    """Return a label on the frames from its first to its last agreeing one; None if none agrees."""
    found = frames[label.start_frame : label.stop_frame]
    found = found[found >= 0]
    if not found.size:
        return None
    return replace(label, start_frame=int(found.min()), stop_frame=int(found.max()) + 1)
