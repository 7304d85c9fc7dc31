"""Labels on frame ranges, tags of entire clips, and tables of labels as comma-separated values.

The head of a table states the unit: ``clip,start_frame,stop_frame,label`` counts frames from 0, at each clip's own
rate; ``clip,start_seconds,stop_seconds,label`` is in seconds. Ranges are half-open: frame k is at k/fps seconds, and a
range holds the frames with start <= frame < stop. An empty start or stop is the start or end of the clip. Semicolons
and tabs are accepted as separators, since spreadsheets write them.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from segue.documents import as_kind
from segue.errors import FileError, SettingError, nearest
from segue.io.text import write_whole
from segue.library.connection import REMEDY, Store
from segue.library.documents import seal
from segue.motion.resample import ON_A_FRAME
from segue.tables import Column, mark_of, rows_of, table_text, typed


@dataclass(frozen=True, order=True)
class Label:
    """A word for frames ``start_frame`` to ``stop_frame`` (half open) of a clip; ``by`` is its author."""

    start_frame: int
    stop_frame: int
    text: str
    by: str = ""


def labels_of(store: Store, clip_id: int | None = None) -> dict[int, tuple[Label, ...]]:
    """Return labels by clip id, in the order of frames; of one clip or of all."""
    out: dict[int, list[Label]] = {}
    where, asked = ("", ()) if clip_id is None else ("WHERE clip_id = ?", (clip_id,))
    rows = store.db.execute(
        f"SELECT clip_id, start_frame, stop_frame, text, by, seal FROM label {where} "
        "ORDER BY clip_id, start_frame, stop_frame, text",
        asked,
    )
    for owner, *values, stamp in rows:
        if stamp != seal(owner, *values):
            raise FileError(store.path, f"is damaged: a label does not fit its seal. {REMEDY}")
        row = dict(zip(("start_frame", "stop_frame", "text", "by"), values, strict=True))
        out.setdefault(owner, []).append(as_kind(row, Label, store.path, what="the row of a label"))
    return {owner: tuple(found) for owner, found in out.items()}


def tags_of(store: Store, clip_id: int | None = None) -> dict[int, tuple[str, ...]]:
    """Return tags by clip id, sorted; of one clip or of all."""
    out: dict[int, list[str]] = {}
    where, asked = ("", ()) if clip_id is None else ("WHERE clip_id = ?", (clip_id,))
    rows = store.db.execute(f"SELECT clip_id, text, seal FROM tag {where} ORDER BY clip_id, text", asked)
    for owner, text, stamp in rows:
        if stamp != seal(owner, text):
            raise FileError(store.path, f"is damaged: a tag does not fit its seal. {REMEDY}")
        out.setdefault(owner, []).append(as_kind(text, str, store.path, what="the row of a tag"))
    return {owner: tuple(found) for owner, found in out.items()}


def write_label(store: Store, clip_id: int, label: Label) -> bool:
    """Write a label and return whether it is new; the caller holds a transaction."""
    stamp = seal(clip_id, label.start_frame, label.stop_frame, label.text, label.by)
    done = store.db.execute(
        "INSERT INTO label (clip_id, start_frame, stop_frame, text, by, seal) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        (clip_id, label.start_frame, label.stop_frame, label.text, label.by, stamp),
    )
    return done.rowcount > 0


def write_tag(store: Store, clip_id: int, text: str) -> bool:
    """Write a tag and return whether it is new; the caller holds a transaction."""
    done = store.db.execute(
        "INSERT INTO tag VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (clip_id, text, seal(clip_id, text))
    )
    return done.rowcount > 0


def checked_label(
    name: str, n_frames: int, *, text: str, start_frame: int, stop_frame: int | None, by: str
) -> Label:
    """Return a checked label for a clip of that name and length.

    Raises
    ------
    SettingError
        If the text is empty or has several lines, or the range is outside the clip.
    """
    stop = n_frames if stop_frame is None else stop_frame
    if not 0 <= start_frame < stop <= n_frames:
        msg = (
            f"frames {start_frame} to {stop} (half open) are no range of clip {name!r}, "
            f"which has frames 0 to {n_frames - 1}"
        )
        raise SettingError(msg)
    return Label(int(start_frame), int(stop), worded(text, "label"), by)


def worded(text: str, what: str) -> str:
    """Return a text without surrounding blanks; refuse one that is empty or has several lines."""
    plain = text.strip()
    if not plain or "\n" in plain or "\r" in plain:
        msg = f"{text!r} is no {what}: a {what} is some words on one line"
        raise SettingError(msg)
    return plain


def remove_labels(
    store: Store, clip_id: int, *, name: str, text: str, start_frame: int | None, stop_frame: int | None
) -> int:
    """Remove labels of one text, all of them or the one with exactly this range; return the number removed.

    Raises
    ------
    SettingError
        If there is none; names the nearest of the clip.
    """
    gone = store.db.execute(
        "DELETE FROM label WHERE clip_id = ? AND text = ? AND start_frame = coalesce(?, start_frame) "
        "AND stop_frame = coalesce(?, stop_frame)",
        (clip_id, worded(text, "label"), start_frame, stop_frame),
    ).rowcount
    if not gone:
        there = [
            f"{one.text} {one.start_frame}:{one.stop_frame}"
            for one in labels_of(store, clip_id).get(clip_id, ())
        ]
        span = "" if start_frame is None and stop_frame is None else f" on frames {start_frame}:{stop_frame}"
        msg = f"clip {name!r} has no label {text!r}{span}; {nearest(text, there)}"
        raise SettingError(msg)
    return gone


def remove_tag(store: Store, clip_id: int, *, name: str, text: str) -> None:
    """Remove a tag.

    Raises
    ------
    SettingError
        If the clip does not have it; names the nearest of the clip.
    """
    gone = store.db.execute(
        "DELETE FROM tag WHERE clip_id = ? AND text = ?", (clip_id, worded(text, "tag"))
    ).rowcount
    if not gone:
        msg = f"clip {name!r} has no tag {text!r}; {nearest(text, tags_of(store, clip_id).get(clip_id, ()))}"
        raise SettingError(msg)


FRAME_HEAD = ("clip", "start_frame", "stop_frame", "label")
SECOND_HEAD = ("clip", "start_seconds", "stop_seconds", "label")
_MARKS = ",;\t"
_LAST = 1e9  # highest frame or second in a table
_DIGITS = 9  # decimals of written seconds: a millionth of a frame at 1000 fps


class Extent(NamedTuple):
    """Length of a clip: its number of frames and its rate."""

    n_frames: int
    fps: float


@dataclass(frozen=True)
class FileLabel:
    """A word for a range of a clip; frames from 0, half-open. ``line`` is its line in a file, 0 if it has none."""

    clip: str
    text: str
    start_frame: int
    stop_frame: int
    line: int = field(default=0, compare=False, repr=False)


def frames_between(start: float | None, stop: float | None, extent: Extent) -> tuple[int, int]:
    """Return the frames of a half-open range of seconds: those at ``start`` or later and before ``stop``.

    None is the start or end of the clip. Adjoining ranges have no frame in common.

    Raises
    ------
    SettingError
        If a time is outside the clip (0 to F/fps, where its last frame ends), or no frame lies between them.

    Examples
    --------
    >>> frames_between(0.5, 1.0, Extent(120, 30.0)), frames_between(1.0, None, Extent(120, 30.0))
    ((15, 30), (30, 120))
    """
    ends = (start or 0.0, extent.n_frames / extent.fps if stop is None else stop)
    for time in ends:
        if not -ON_A_FRAME <= time * extent.fps <= extent.n_frames + ON_A_FRAME:
            msg = f"{time:g} s lies outside the clip, which ends at {extent.n_frames / extent.fps:.6g} s"
            raise SettingError(msg)
    first, last = (max(math.ceil(time * extent.fps - ON_A_FRAME), 0) for time in ends)
    if first >= last:
        apart = f"frames are {1 / extent.fps:.4g} s apart"
        msg = f"no frame lies at or after {ends[0]:g} s and before {ends[1]:g} s; {apart}"
        raise SettingError(msg)
    return first, last


def checked_frames(start: int | None, stop: int | None, n_frames: int) -> tuple[int, int]:
    """Return a checked half-open range of frames; None is the start or end of the clip.

    Raises
    ------
    SettingError
        If it is empty or reaches outside the clip.
    """
    first, last = 0 if start is None else start, n_frames if stop is None else stop
    if not 0 <= first < last <= n_frames:
        msg = (
            f"frames {first} up to {last} are no range in a clip of {n_frames} frames; it goes from 0 or later "
            f"to a later frame, {n_frames} at most, which is not in it"
        )
        raise SettingError(msg)
    return first, last


def read_labels(path: str | Path, clips: Mapping[str, Extent]) -> tuple[FileLabel, ...]:
    r"""Read a table of labels.

    Parameters
    ----------
    path
        The file: UTF-8, with the head as first line (see this module).
    clips
        The known clips. The file may also use file names (``walk.bvh`` for ``walk``).

    Returns
    -------
    Labels in the order of the file, equal ones once.

    Raises
    ------
    FileError
        With the line: if the head is wrong, a clip is unknown (names the nearest), a range is outside its clip, or a
        cell is not a number.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("clip,start_seconds,stop_seconds,label\nwalk,0.5,1,start\nwalk,1,,stride\n")
    >>> read_labels(path, {"walk": Extent(120, 30.0)})[1]
    FileLabel(clip='walk', text='stride', start_frame=30, stop_frame=120)
    """
    path = Path(path)
    text = table_text(path)
    rows = rows_of(text, path, marks=_MARKS, comments=False)
    head = next(rows, None)
    if head is None:
        raise FileError(path, f"is empty; a table of labels begins with {','.join(FRAME_HEAD)}")
    seconds = _in_seconds(path, *head)
    point = "." if mark_of(text, _MARKS, comments=False) == "," else ","
    start, stop = (
        Column(name, "number" if seconds else "whole", least=0.0, most=_LAST, empty=True)
        for name in (SECOND_HEAD if seconds else FRAME_HEAD)[1:3]
    )
    table = typed(rows, path, (Column("clip", "text"), start, stop, Column("label", "text")), point=point)
    ends = zip(*(table.numbers[column.name].tolist() for column in (start, stop)), strict=True)
    out: dict[FileLabel, FileLabel] = {}
    for row, (clip, label, (first, last)) in enumerate(
        zip(table.texts["clip"], table.texts["label"], ends, strict=True)
    ):
        try:
            one = _label(clip, label, first, last, clips, seconds=seconds, line=int(table.lines[row]))
        except SettingError as error:
            raise table.error(row, str(error)) from None
        out.setdefault(one, one)
    return tuple(out)


def _in_seconds(path: Path, line: int, head: Sequence[str]) -> bool:
    """Return whether ranges are in seconds; refuse any other head."""
    words = tuple(word.lower() for word in head)
    if words in {FRAME_HEAD, SECOND_HEAD}:
        return words == SECOND_HEAD
    message = (
        f"begins with {','.join(head)[:60]!r}; the first line must be {','.join(FRAME_HEAD)} or "
        f"{','.join(SECOND_HEAD)}, which states whether the numbers are frames or seconds"
    )
    raise FileError(path, message, line=line)


def _label(
    word: str,
    text: str,
    start: float,
    stop: float,
    clips: Mapping[str, Extent],
    *,
    seconds: bool,
    line: int,
) -> FileLabel:
    name = next((name for name in (word, Path(word).stem) if name in clips), None)
    if name is None:
        msg = f"no clip is called {word!r}; {nearest(word, clips)}"
        raise SettingError(msg)
    try:
        if seconds:
            times = [None if math.isnan(end) else end for end in (start, stop)]
            first, last = frames_between(times[0], times[1], clips[name])
        else:
            frames = [None if end < 0 else int(end) for end in (start, stop)]
            first, last = checked_frames(frames[0], frames[1], clips[name].n_frames)
    except SettingError as error:
        msg = f"clip {name!r}: {error}"
        raise SettingError(msg) from None
    return FileLabel(name, checked_text(text), first, last, line)


def checked_text(text: str) -> str:
    """Return the text of a label without surrounding blanks.

    Raises
    ------
    SettingError
        If it is empty, longer than 200 characters, or has characters that cannot be printed, such as line ends.
    """
    out = text.strip()
    if not out or len(out) > 200 or any(not letter.isprintable() for letter in out):
        msg = f"{text[:40]!r} is no label; it is one line of 1 to 200 letters"
        raise SettingError(msg)
    return out


def labels_text(
    labels: Iterable[FileLabel], clips: Mapping[str, Extent] | None = None, *, seconds: bool = False
) -> str:
    """Return the text of a table of labels, in frames or, with the rates of ``clips``, in seconds.

    Examples
    --------
    >>> print(labels_text([FileLabel("walk", "run, fast", 15, 30)]), end="")
    clip,start_frame,stop_frame,label
    walk,15,30,"run, fast"
    """
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(SECOND_HEAD if seconds else FRAME_HEAD)
    for one in labels:
        ends: tuple[int | str, int | str] = (one.start_frame, one.stop_frame)
        if seconds:
            if clips is None or one.clip not in clips:
                msg = f"clip {one.clip!r}: seconds need its rate"
                raise SettingError(msg)
            fps = clips[one.clip].fps
            ends = _in_digits(one.start_frame / fps), _in_digits(one.stop_frame / fps)
        table.writerow([one.clip, *ends, one.text])
    return stream.getvalue()


def _in_digits(seconds: float) -> str:
    return f"{seconds:.{_DIGITS}f}".rstrip("0").rstrip(".")


def write_labels(
    labels: Iterable[FileLabel],
    path: str | Path,
    *,
    clips: Mapping[str, Extent] | None = None,
    seconds: bool = False,
    overwrite: bool = True,
) -> int:
    """Write a table of labels, completely or not at all; return their number.

    Raises
    ------
    FileError
        If it exists and must not be replaced, or cannot be written.
    """
    rows = tuple(labels)
    write_whole(Path(path), labels_text(rows, clips, seconds=seconds).encode("utf-8"), overwrite=overwrite)
    return len(rows)
