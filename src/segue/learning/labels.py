"""Label files: transitions that a person called good or bad.

One line a transition: clip, frame, clip, frame, good or bad, with commas between. Frames count from 0 at the clip's own
rate. A first line of headings, blank lines, and lines that begin with ``#`` are passed over.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from segue.errors import FileError

HEADINGS = ("clip", "frame", "clip", "frame", "good|bad")
WORDS = {"good": True, "bad": False}


@dataclass(frozen=True)
class Label:
    """One transition and what a person said of it.

    Parameters
    ----------
    a_clip, a_frame
        Clip left, and its frame.
    b_clip, b_frame
        Clip arrived in, and its frame.
    good
        Whether the transition is good.
    line
        Line of the file it stands in, from 1; 0 if it was never in one.
    """

    a_clip: str
    a_frame: int
    b_clip: str
    b_frame: int
    good: bool
    line: int = 0


def read_labels(path: str | Path) -> tuple[Label, ...]:
    """Read a label file.

    Raises
    ------
    FileError
        If it cannot be read, or a line is no label: with the line and what it should be.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FileError(path, "is no text in UTF-8") from None
    labels = []
    seen: dict[tuple[str, int, str, int], Label] = {}
    first = True
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = [word.strip() for word in next(csv.reader([line]))]
        if first and not any(word.lstrip("-").isdigit() for word in words):
            first = False
            continue
        first = False
        label = _label(words, path, number)
        key = (label.a_clip, label.a_frame, label.b_clip, label.b_frame)
        if key in seen and seen[key].good != label.good:
            said = f"is called {_word(label.good)} here and {_word(seen[key].good)} in line {seen[key].line}"
            raise FileError(path, f"the transition {', '.join(map(str, key))} {said}", line=number)
        seen[key] = label
        labels.append(label)
    if not labels:
        raise FileError(path, f"holds no labels; each is a line {','.join(HEADINGS)}")
    return tuple(labels)


def label_text(labels: Iterable[Label]) -> str:
    """Labels as the text of a label file.

    Examples
    --------
    >>> print(label_text([Label("walk", 12, "run", 30, True)]), end="")
    clip,frame,clip,frame,good|bad
    walk,12,run,30,good
    """
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(HEADINGS)
    for label in labels:
        table.writerow([label.a_clip, label.a_frame, label.b_clip, label.b_frame, _word(label.good)])
    return out.getvalue()


def _word(good: bool) -> str:
    return "good" if good else "bad"


def _label(words: list[str], path: Path, line: int) -> Label:
    if len(words) != len(HEADINGS):
        msg = f"holds {len(words)} values where a label has five: {','.join(HEADINGS)}"
        raise FileError(path, msg, line=line)
    a_clip, a_frame, b_clip, b_frame, said = words
    frames = []
    for frame in (a_frame, b_frame):
        if not frame.isdigit():
            raise FileError(path, f"{frame!r} is no frame; frames are whole numbers from 0", line=line)
        frames.append(int(frame))
    if not a_clip or not b_clip:
        raise FileError(path, "a label names two clips", line=line)
    if said.lower() not in WORDS:
        raise FileError(path, f"{said!r} is neither good nor bad", line=line)
    return Label(a_clip, frames[0], b_clip, frames[1], WORDS[said.lower()], line)
