"""User-set contacts of a clip, which replace those found in its motion.

The plants of all clips are in the table ``contact``. If the user set them, `meta` holds a seal of these rows under the
clip's id; otherwise they were found when the clip was added.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from segue.arrays import Bools, Ints
from segue.errors import FileError, SettingError, nearest
from segue.library.clips import CONTACTS_SET
from segue.library.connection import REMEDY, Store
from segue.library.documents import seal
from segue.motion.clip import Clip
from segue.motion.contacts import Plant, plants_in
from segue.motion.feet import FOOT_PARTS


def plants_of(store: Store, clip_id: int) -> tuple[Plant, ...]:
    """Return the plants of a clip, sorted by foot part, then by time.

    Raises
    ------
    FileError
        If the user set them and they do not fit their seal.
    """
    rows = store.db.execute(
        "SELECT foot, start_frame, stop_frame FROM contact WHERE clip_id = ? ORDER BY foot, start_frame",
        (clip_id,),
    ).fetchall()
    stamp = _stamp(store, clip_id)
    if stamp is not None and stamp != seal(clip_id, *rows):
        raise FileError(store.path, f"is damaged: contacts that were set do not fit their seal. {REMEDY}")
    return tuple(Plant(*row) for row in rows)


def are_set(store: Store, clip_id: int) -> bool:
    """Return whether the user set the contacts of a clip."""
    return _stamp(store, clip_id) is not None


def _stamp(store: Store, clip_id: int) -> str | None:
    found: str | None = store.value("SELECT value FROM meta WHERE key = ?", f"{CONTACTS_SET}{clip_id}")
    return found


def with_contacts(store: Store, clip_id: int, clip: Clip) -> Clip:
    """Return the clip with its user-set contacts, if there are any.

    If these are damaged, the motion is still intact: contacts are found in it again, and a note reports that.
    """
    try:
        if not are_set(store, clip_id):
            return clip
    except sqlite3.DatabaseError:  # the page of `meta` is damaged; `Library.check` names the table
        return clip
    try:
        plants = plants_of(store, clip_id)
    except (FileError, sqlite3.DatabaseError):
        note = "contacts that were set are damaged in the library; they are found in the motion again"
        return clip.with_source(notes=(*clip.notes, note))
    return clip.with_contacts(flags_of(plants, clip.n_frames))


def flags_of(plants: Iterable[Plant], n_frames: int) -> Bools:
    """Return contact flags (F, 4) of plants.

    Examples
    --------
    >>> flags_of([Plant("left_toe", 1, 3)], 4)[:, 1].tolist()
    [False, True, True, False]
    """
    out = np.zeros((n_frames, len(FOOT_PARTS)), dtype=bool)
    for part, start, stop in plants:
        out[start:stop, FOOT_PARTS.index(part)] = True
    return out


def checked_plants(plants: Iterable[Sequence[object]], *, name: str, n_frames: int) -> tuple[Plant, ...]:
    """Return plants sorted by foot part and time, with adjoining ones of a part merged.

    Raises
    ------
    SettingError
        If a foot part is unknown, or a range is outside the clip.

    Examples
    --------
    >>> checked_plants([("left_toe", 5, 9), ("left_toe", 2, 5)], name="walk", n_frames=20)
    (Plant(foot_part='left_toe', start=2, stop=9),)
    """
    rows: list[Plant] = []
    for part, start, stop in plants:
        if part not in FOOT_PARTS:
            raise SettingError(f"{str(part)[:40]!r} is no part of a foot; {nearest(str(part), FOOT_PARTS)}")
        if not (isinstance(start, int) and isinstance(stop, int) and 0 <= start < stop <= n_frames):
            msg = f"frames {start} to {stop} (half open) are no contact in clip {name!r}, which has {n_frames} frames"
            raise SettingError(msg)
        rows.append(Plant(str(part), start, stop))
    out: list[Plant] = []
    for one in sorted(rows, key=lambda plant: (FOOT_PARTS.index(plant.foot_part), plant.start)):
        if out and out[-1].foot_part == one.foot_part and one.start <= out[-1].stop:
            out[-1] = out[-1]._replace(stop=max(out[-1].stop, one.stop))
        else:
            out.append(one)
    return tuple(out)


def write_contacts(store: Store, clip_id: int, plants: Sequence[Plant], *, by_person: bool) -> None:
    """Write the plants of a clip and delete pairs compared with other contacts; the caller holds a transaction."""
    db = store.db
    db.execute("DELETE FROM contact WHERE clip_id = ?", (clip_id,))
    db.executemany("INSERT INTO contact VALUES (?, ?, ?, ?)", [(clip_id, *plant) for plant in plants])
    db.execute("DELETE FROM pair WHERE a_clip = ? OR b_clip = ?", (clip_id, clip_id))
    db.execute("DELETE FROM compared WHERE clip_id = ?", (clip_id,))
    db.execute("DELETE FROM meta WHERE key = ?", (f"{CONTACTS_SET}{clip_id}",))
    if by_person:
        rows = sorted((plant.foot_part, plant.start, plant.stop) for plant in plants)
        db.execute("INSERT INTO meta VALUES (?, ?)", (f"{CONTACTS_SET}{clip_id}", seal(clip_id, *rows)))


def carry_contacts(
    store: Store, *, old_id: int, new_id: int, n_frames: tuple[int, int], frames: Ints
) -> None:
    """Carry user-set contacts to the next version of a clip; the caller holds a transaction.

    Parameters
    ----------
    old_id, new_id
        Ids of the two versions.
    n_frames
        Their numbers of frames.
    frames
        (F,) frame of the new version that agrees with each frame of the old one, -1 for none. Other frames of the new
        version keep the contacts found in them.
    """
    flags = flags_of(plants_of(store, new_id), n_frames[1])
    agree = np.flatnonzero(frames >= 0)
    flags[frames[agree]] = flags_of(plants_of(store, old_id), n_frames[0])[agree]
    write_contacts(store, new_id, plants_in(flags), by_person=True)
