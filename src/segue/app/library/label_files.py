"""Labels of clips as tables of comma-separated values: clip, start, stop, label.

The head says what start and stop are: ``clip,start_frame,stop_frame,label`` counts frames from 0, at each clip's own
rate; ``clip,start_seconds,stop_seconds,label`` is in seconds. Either way a range is half-open: frame k stands at k/fps
seconds, and a range holds the frames from start on and before stop. An empty start or stop is the clip's own end.
Semicolons and tabs part columns too, for spreadsheets that write them.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from segue.errors import FileError, SettingError, nearest
from segue.io.text import read_text, write_whole

FRAME_HEAD = ("clip", "start_frame", "stop_frame", "label")
SECOND_HEAD = ("clip", "start_seconds", "stop_seconds", "label")
_ON_A_FRAME = 1e-6  # frames; a time this near to a frame is that frame's
_DIGITS = 9  # behind the point of seconds that are written: a millionth of a frame at 1000 frames a second


class Extent(NamedTuple):
    """How long a clip is: its frames and its rate."""

    n_frames: int
    fps: float


@dataclass(frozen=True)
class ToldLabel:
    """A word for a stretch of a clip; frames from 0, half-open. ``line`` is where it stands in a file, 0 if nowhere."""

    clip: str
    text: str
    start_frame: int
    stop_frame: int
    line: int = field(default=0, compare=False, repr=False)


def frames_between(start: float | None, stop: float | None, extent: Extent) -> tuple[int, int]:
    """Frames of a half-open range of seconds: those that stand at ``start`` or later and before ``stop``.

    None is the clip's own start or end. Ranges may touch and share no frame.

    Raises
    ------
    SettingError
        If a time lies outside the clip (0 to F/fps, where its last frame ends), or no frame between them.

    Examples
    --------
    >>> frames_between(0.5, 1.0, Extent(120, 30.0)), frames_between(1.0, None, Extent(120, 30.0))
    ((15, 30), (30, 120))
    """
    ends = (start or 0.0, extent.n_frames / extent.fps if stop is None else stop)
    for time in ends:
        if not -_ON_A_FRAME <= time * extent.fps <= extent.n_frames + _ON_A_FRAME:
            msg = f"{time:g} s lies outside the clip, which ends at {extent.n_frames / extent.fps:.6g} s"
            raise SettingError(msg)
    first, last = (max(math.ceil(time * extent.fps - _ON_A_FRAME), 0) for time in ends)
    if first >= last:
        msg = f"no frame stands from {ends[0]:g} s on and before {ends[1]:g} s; frames are {1 / extent.fps:.4g} s apart"
        raise SettingError(msg)
    return first, last


def checked_frames(start: int | None, stop: int | None, n_frames: int) -> tuple[int, int]:
    """Half-open range of frames; None is the clip's own start or end.

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


def read_labels(path: str | Path, clips: Mapping[str, Extent]) -> tuple[ToldLabel, ...]:
    r"""Read a table of labels.

    Parameters
    ----------
    path
        The file: UTF-8, its first line the head (see this module).
    clips
        The clips that are known. A file's name may stand for its clip (``walk.bvh`` for ``walk``).

    Returns
    -------
    Labels in the order of the file, equal ones once.

    Raises
    ------
    FileError
        With the line: another head, a clip that is not known (with the nearest names), a range outside its clip, or
        what is no number.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("clip,start_seconds,stop_seconds,label\nwalk,0.5,1,start\nwalk,1,,stride\n")
    >>> read_labels(path, {"walk": Extent(120, 30.0)})[1]
    ToldLabel(clip='walk', text='stride', start_frame=30, stop_frame=120)
    """
    file = read_text(Path(path))
    text = file.content.decode("utf-8", errors="surrogatepass")
    table = _rows(file.path, text)
    head = next(table, None)
    if head is None:
        raise FileError(file.path, f"is empty; a table of labels begins with {','.join(FRAME_HEAD)}")
    seconds = _in_seconds(file.path, *head)
    point = "," if _delimiter(text) != "," else "."
    out: dict[ToldLabel, ToldLabel] = {}
    for line, row in table:
        if len(row) != len(FRAME_HEAD):
            message = f"has {len(row)} columns where the head has 4; texts with commas stand in double quotes"
            raise FileError(file.path, message, line=line)
        try:
            one = _label(row, clips, seconds=seconds, point=point, line=line)
        except SettingError as error:
            raise FileError(file.path, str(error), line=line) from None
        out.setdefault(one, one)
    return tuple(out)


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with its first line; columns without blanks around them."""
    reader = csv.reader(io.StringIO(text), delimiter=_delimiter(text), strict=True, skipinitialspace=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FileError(path, f"is no table: {error}", line=line) from None
        words = [word.strip() for word in row]
        if any(words):
            yield line, words


def _delimiter(text: str) -> str:
    """What parts the columns of the head."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    return next((mark for mark in ",;\t" if mark in head), ",")


def _in_seconds(path: Path, line: int, head: Sequence[str]) -> bool:
    """Tell whether ranges are in seconds; refuse a head that does not say."""
    words = tuple(word.lower() for word in head)
    if words in {FRAME_HEAD, SECOND_HEAD}:
        return words == SECOND_HEAD
    message = (
        f"begins with {','.join(head)[:60]!r}; the first line must be {','.join(FRAME_HEAD)} or "
        f"{','.join(SECOND_HEAD)}, which says what the numbers are"
    )
    raise FileError(path, message, line=line)


def _label(
    row: Sequence[str], clips: Mapping[str, Extent], *, seconds: bool, point: str, line: int
) -> ToldLabel:
    word, start, stop, text = row
    name = next((name for name in (word, Path(word).stem) if name in clips), None)
    if name is None:
        msg = f"no clip is called {word!r}; {nearest(word, clips)}"
        raise SettingError(msg)
    try:
        if seconds:
            times = [_seconds(part.replace(point, ".")) for part in (start, stop)]
            first, last = frames_between(times[0], times[1], clips[name])
        else:
            ends = [_frame(part) for part in (start, stop)]
            first, last = checked_frames(ends[0], ends[1], clips[name].n_frames)
    except SettingError as error:
        msg = f"clip {name!r}: {error}"
        raise SettingError(msg) from None
    return ToldLabel(name, checked_text(text), first, last, line)


def _seconds(word: str) -> float | None:
    if not word:
        return None
    if not re.fullmatch(r"\d+\.?\d*(e[-+]?\d+)?|\.\d+", word, re.IGNORECASE | re.ASCII):
        msg = f"{word[:40]!r} is no time; give seconds from 0"
        raise SettingError(msg)
    return float(word)


def _frame(word: str) -> int | None:
    if not word:
        return None
    if not (word.isascii() and word.isdigit() and len(word) <= 15):
        msg = f"{word[:40]!r} is no frame; give a whole number from 0"
        raise SettingError(msg)
    return int(word)


def checked_text(text: str) -> str:
    """Return a label's or a tag's words without blanks around them.

    Raises
    ------
    SettingError
        If nothing is left, or it does not fit on one line.
    """
    out = text.strip()
    if not out or len(out) > 200 or any(not letter.isprintable() for letter in out):
        msg = f"{text[:40]!r} is no label; it is one line of 1 to 200 letters"
        raise SettingError(msg)
    return out


def labels_text(
    labels: Iterable[ToldLabel], clips: Mapping[str, Extent] | None = None, *, seconds: bool = False
) -> str:
    """Text of a table of labels, in frames, or in seconds of the ``clips``.

    Examples
    --------
    >>> print(labels_text([ToldLabel("walk", "run, fast", 15, 30)]), end="")
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
    labels: Iterable[ToldLabel],
    path: str | Path,
    *,
    clips: Mapping[str, Extent] | None = None,
    seconds: bool = False,
    overwrite: bool = True,
) -> int:
    """Write a table of labels, whole or not at all; return how many stand in it.

    Raises
    ------
    FileError
        If it exists and must not be replaced, or cannot be written.
    """
    rows = tuple(labels)
    write_whole(Path(path), labels_text(rows, clips, seconds=seconds).encode("utf-8"), overwrite=overwrite)
    return len(rows)
