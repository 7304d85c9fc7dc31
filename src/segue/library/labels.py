"""Labels on frame ranges, and tags of whole clips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from segue.documents import as_kind
from segue.errors import FileError, SettingError, nearest
from segue.library.connection import WAY_OUT, Store
from segue.library.documents import seal

if TYPE_CHECKING:
    from segue.library.clips import ClipEntry


@dataclass(frozen=True, order=True)
class Label:
    """A word for frames ``start_frame`` to ``stop_frame`` (half open) of a clip; ``by`` is who said it."""

    start_frame: int
    stop_frame: int
    text: str
    by: str = ""


def labels_of(store: Store, clip_id: int | None = None) -> dict[int, tuple[Label, ...]]:
    """Labels by clip id, in the order of frames; of one clip or of all."""
    out: dict[int, list[Label]] = {}
    where, asked = ("", ()) if clip_id is None else ("WHERE clip_id = ?", (clip_id,))
    rows = store.db.execute(
        f"SELECT clip_id, start_frame, stop_frame, text, by, seal FROM label {where} "
        "ORDER BY clip_id, start_frame, stop_frame, text",
        asked,
    )
    for owner, *values, stamp in rows:
        if stamp != seal(owner, *values):
            raise FileError(store.path, f"is damaged: a label does not fit its seal. {WAY_OUT}")
        row = dict(zip(("start_frame", "stop_frame", "text", "by"), values, strict=True))
        out.setdefault(owner, []).append(as_kind(row, Label, store.path, what="the row of a label"))
    return {owner: tuple(found) for owner, found in out.items()}


def tags_of(store: Store, clip_id: int | None = None) -> dict[int, tuple[str, ...]]:
    """Tags by clip id, sorted; of one clip or of all."""
    out: dict[int, list[str]] = {}
    where, asked = ("", ()) if clip_id is None else ("WHERE clip_id = ?", (clip_id,))
    rows = store.db.execute(f"SELECT clip_id, text, seal FROM tag {where} ORDER BY clip_id, text", asked)
    for owner, text, stamp in rows:
        if stamp != seal(owner, text):
            raise FileError(store.path, f"is damaged: a tag does not fit its seal. {WAY_OUT}")
        out.setdefault(owner, []).append(as_kind(text, str, store.path, what="the row of a tag"))
    return {owner: tuple(found) for owner, found in out.items()}


def write_label(store: Store, clip_id: int, label: Label) -> bool:
    """Write a label; tell whether it is new. The caller holds a transaction."""
    stamp = seal(clip_id, label.start_frame, label.stop_frame, label.text, label.by)
    done = store.db.execute(
        "INSERT INTO label (clip_id, start_frame, stop_frame, text, by, seal) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        (clip_id, label.start_frame, label.stop_frame, label.text, label.by, stamp),
    )
    return done.rowcount > 0


def write_tag(store: Store, clip_id: int, text: str) -> bool:
    """Write a tag; tell whether it is new. The caller holds a transaction."""
    done = store.db.execute(
        "INSERT INTO tag VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (clip_id, text, seal(clip_id, text))
    )
    return done.rowcount > 0


def checked_label(found: ClipEntry, text: str, *, start_frame: int, stop_frame: int | None, by: str) -> Label:
    """Label that fits a clip.

    Raises
    ------
    SettingError
        If the text is empty or the range is not one of the clip's.
    """
    stop = found.n_frames if stop_frame is None else stop_frame
    if not 0 <= start_frame < stop <= found.n_frames:
        msg = (
            f"frames {start_frame} to {stop} (half open) are no range of clip {found.name!r}, "
            f"which has frames 0 to {found.n_frames - 1}"
        )
        raise SettingError(msg)
    return Label(int(start_frame), int(stop), worded(text, "label"), by)


def worded(text: str, what: str) -> str:
    """Text of a label or tag without blanks around it; refuses an empty one or one of several lines."""
    plain = text.strip()
    if not plain or "\n" in plain or "\r" in plain:
        msg = f"{text!r} is no {what}: a {what} is some words on one line"
        raise SettingError(msg)
    return plain


def remove_labels(
    store: Store, found: ClipEntry, text: str, *, start_frame: int | None, stop_frame: int | None
) -> int:
    """Remove labels of one text, all of them or the one with exactly this range; return how many went.

    Raises
    ------
    SettingError
        If there is none; names those the clip has.
    """
    gone = store.db.execute(
        "DELETE FROM label WHERE clip_id = ? AND text = ? AND start_frame = coalesce(?, start_frame) "
        "AND stop_frame = coalesce(?, stop_frame)",
        (found.id, worded(text, "label"), start_frame, stop_frame),
    ).rowcount
    if not gone:
        there = [f"{one.text} {one.start_frame}:{one.stop_frame}" for one in found.labels]
        span = "" if start_frame is None and stop_frame is None else f" on frames {start_frame}:{stop_frame}"
        msg = f"clip {found.name!r} has no label {text!r}{span}; {nearest(text, there)}"
        raise SettingError(msg)
    return gone


def remove_tag(store: Store, found: ClipEntry, text: str) -> None:
    """Remove a tag.

    Raises
    ------
    SettingError
        If the clip does not have it; names those it has.
    """
    gone = store.db.execute(
        "DELETE FROM tag WHERE clip_id = ? AND text = ?", (found.id, worded(text, "tag"))
    ).rowcount
    if not gone:
        msg = f"clip {found.name!r} has no tag {text!r}; {nearest(text, found.tags)}"
        raise SettingError(msg)
