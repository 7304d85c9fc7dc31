"""Commands for words on clips of a library: label for ranges of frames, tag for complete clips."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import existing
from segue.cli.library import LibraryFile, entry_document, few, label_words, opened
from segue.cli.options import Json
from segue.cli.output import counted, result, table
from segue.cli.verbs import verb
from segue.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segue.library.clips import ClipEntry
    from segue.library.library import Library

_RANGE = re.compile(r"\s*(?P<start>\d+\.?\d*|\.\d+)?\s*:\s*(?P<stop>\d+\.?\d*|\.\d+)?\s*", re.ASCII)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    verb(
        app,
        "label",
        label_command,
        "Label stretches of clips; list or remove labels.",
        examples=("segue library label moves.segue speed_up 5.0:8.0 run", "segue library label moves.segue"),
    )
    verb(
        app,
        "tag",
        tag_command,
        "Tag whole clips; list or remove tags.",
        examples=(
            "segue library tag moves.segue walk outdoors",
            "segue library tag moves.segue walk outdoors --remove",
        ),
    )


def label_command(
    library: LibraryFile,
    clip: Annotated[
        str | None, typer.Argument(metavar="CLIP", help="Name of a clip, or a pattern ('16_*').")
    ] = None,
    span: Annotated[
        str | None,
        typer.Argument(
            metavar="START:STOP",
            help="Seconds from START on and before STOP; 1.5: or :2 for the clip's own end.",
        ),
    ] = None,
    text: Annotated[str | None, typer.Argument(metavar="WORD", help="The label.")] = None,
    frames: Annotated[bool, typer.Option("--frames", help="START:STOP counts frames from 0.")] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove labels: all of this word, or those of this range.")
    ] = False,
    csv: Annotated[
        Path | None, existing("--csv", help="Table of labels to read: clip,start_seconds,stop_seconds,label.")
    ] = None,
    by: Annotated[str, typer.Option(help="Who labels or judges.")] = "",
    as_json: Json = False,
) -> None:
    """Words for stretches of clips.

    segue library label moves.segue walk 1.0:2.5 run labels that stretch, without the range the whole clip. With a clip
    alone, or nothing, the labels that are there are listed.
    """
    from segue.library.exchange import import_labels
    from segue.library.library import chosen

    if csv is not None:
        if clip is not None or remove:
            raise SettingError("--csv takes every label from the table; leave out CLIP, WORD and --remove")
        with opened(library, write=True) as store:
            taken = import_labels(store, csv)
        document: dict[str, Any] = {
            "library": str(library),
            "new": list(taken.new),
            "same": list(taken.same),
        }
        words = f"{library}: {counted(len(taken.new), 'label')} new, {len(taken.same)} the same"
        result(document, words, as_json=as_json)
        return
    span, text = _words(span, text)
    if text is None:
        if remove:
            raise SettingError("--remove needs the word to remove")
        with opened(library) as store:
            _list_labels(library, chosen(store, [clip] if clip else []), as_json=as_json)
        return
    with opened(library, write=True) as store:
        entries = chosen(store, [clip] if clip else [])
        if remove:
            entries = tuple(_with_word(entries, text, "label"))
        with store.store.writing():
            done = [_say(store, entry, span, text, frames=frames, remove=remove, by=by) for entry in entries]
        names = [entry.name for entry in entries]
        entries = chosen(store, names)
    document = {"library": str(library), "changed": sum(done), "clips": [entry_document(e) for e in entries]}
    result(document, _text(library, entries, sum(done), text, remove=remove), as_json=as_json)


def _words(span: str | None, text: str | None) -> tuple[str | None, str | None]:
    """Return range and word, given in either order; reject a range without a word."""
    if span is None:
        return span, text
    if text is not None:
        swapped = _RANGE.fullmatch(text) is not None and _RANGE.fullmatch(span) is None
        return (text, span) if swapped else (span, text)
    if _RANGE.fullmatch(span):
        msg = f"{span} is a range without a word; add one, as in: label moves.segue CLIP {span} run"
        raise SettingError(msg)
    return None, span


def _say(
    store: Library, entry: ClipEntry, span: str | None, text: str, *, frames: bool, remove: bool, by: str
) -> int:
    """Label a clip, or remove labels; return how many labels changed."""
    if span is None and remove:
        return store.unlabel(entry.name, text)
    start, stop = frames_of(span, entry, frames=frames)
    if remove:
        return store.unlabel(entry.name, text, start_frame=start, stop_frame=stop)
    return int(store.label(entry.name, text, start_frame=start, stop_frame=stop, by=by))


def _with_word(entries: Sequence[ClipEntry], word: str, what: str) -> Sequence[ClipEntry]:
    """Return the clips that have a word to remove; a single clip is not checked, as the library reports on it."""
    if len(entries) == 1:
        return entries
    found = [e for e in entries if word in e.tags or any(word == label.text for label in e.labels)]
    if not found:
        msg = f"none of {counted(len(entries), 'clip')} has the {what} {word!r}"
        raise SettingError(msg)
    return found


def frames_of(span: str | None, entry: ClipEntry, *, frames: bool) -> tuple[int, int]:
    """Return start and stop frame of START:STOP, or of the complete clip if there is no range.

    Seconds are half-open like frames, but a stop at the clip's length, as `segue library list` shows it, includes the
    last frame.
    """
    from segue.library.labels import Extent, checked_frames, frames_between

    if span is None:
        return 0, entry.n_frames
    match = _RANGE.fullmatch(span)
    if match is None or (frames and "." in span):
        example = "30:75, 30: or :75" if frames else "1.0:2.5, 1.5: or :2"
        msg = f"{span!r} is no range; give {'frames' if frames else 'seconds'} as {example}"
        raise SettingError(msg)
    try:
        if frames:
            ends = [int(word) if word else None for word in match.group("start", "stop")]
            return checked_frames(ends[0], ends[1], entry.n_frames)
        start, stop = (float(word) if word else None for word in match.group("start", "stop"))
        if stop is not None and entry.seconds - 1e-9 <= stop <= entry.seconds + 0.005 + 1 / entry.fps:
            stop = None
        return frames_between(start, stop, Extent(entry.n_frames, entry.fps))
    except SettingError as error:
        msg = f"clip {entry.name!r}: {error}"
        raise SettingError(msg) from None


def _text(library: Path, entries: Sequence[ClipEntry], changed: int, text: str, *, remove: bool) -> str:
    if remove:
        return f"{library}: {counted(changed, 'label')} {text!r} removed"
    rows = [(entry.name, ", ".join(label_words(entry))) for entry in entries[:20]]
    head = f"{library}: {counted(changed, 'label')} {text!r} new"
    if changed < len(entries):
        head += f", {len(entries) - changed} there before"
    return "\n".join([head, table(rows)])


def _list_labels(library: Path, entries: Sequence[ClipEntry], *, as_json: bool) -> None:
    rows: list[tuple[str, ...]] = [("clip", "seconds", "frames", "label", "by")]
    for entry in entries:
        for label in entry.labels:
            span = f"{label.start_frame / entry.fps:.2f}:{label.stop_frame / entry.fps:.2f}"
            rows.append((entry.name, span, f"{label.start_frame}:{label.stop_frame}", label.text, label.by))
    if not any(row[4] for row in rows[1:]):
        rows = [row[:4] for row in rows]
    head = f"{library}: {counted(len(rows) - 1, 'label')} in {counted(len({row[0] for row in rows[1:]}), 'clip')}"
    document: dict[str, Any] = {
        "library": str(library),
        "clips": [entry_document(entry) for entry in entries if entry.labels],
    }
    if len(rows) == 1:
        head += "; segue library label LIBRARY CLIP 1.0:2.5 run adds one"
    result(document, head if len(rows) == 1 else "\n".join([head, table(rows)]), as_json=as_json)


def tag_command(
    library: LibraryFile,
    clip: Annotated[
        str | None, typer.Argument(metavar="CLIP", help="Name of a clip, or a pattern ('16_*').")
    ] = None,
    words: Annotated[list[str] | None, typer.Argument(metavar="WORDS", help="The tags.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove these tags.")] = False,
    as_json: Json = False,
) -> None:
    """Words for whole clips, as in: segue library tag moves.segue '16_*' cmu walks.

    Without words, those that are there are listed.
    """
    from segue.library.library import chosen

    if not words:
        if remove:
            raise SettingError("--remove needs the words to remove")
        with opened(library) as store:
            _list_tags(library, chosen(store, [clip] if clip else []), as_json=as_json)
        return
    with opened(library, write=True) as store:
        entries = chosen(store, [clip] if clip else [])
        changed = 0
        with store.store.writing():
            for word in words:
                for entry in _with_word(entries, word, "tag") if remove else entries:
                    if remove:
                        store.untag(entry.name, word)
                    changed += 1 if remove else int(store.tag(entry.name, word))
        entries = chosen(store, [entry.name for entry in entries])
    document = {"library": str(library), "changed": changed, "clips": [entry_document(e) for e in entries]}
    names = few([entry.name for entry in entries])
    what = (
        f"{', '.join(words)} removed" if remove else f"{', '.join(words)} on {counted(len(entries), 'clip')}"
    )
    count = f"{counted(changed, 'tag')} {'gone' if remove else 'new'}"
    result(document, f"{library}: {what}, {count} ({names})", as_json=as_json)


def _list_tags(library: Path, entries: Sequence[ClipEntry], *, as_json: bool) -> None:
    counts = Counter(tag for entry in entries for tag in entry.tags)
    clips = {tag: [entry.name for entry in entries if tag in entry.tags] for tag in sorted(counts)}
    document = {"library": str(library), "tags": clips}
    head = f"{library}: {counted(len(clips), 'tag')}"
    if not clips:
        head += "; segue library tag LIBRARY CLIP WORD adds one"
    rows = [(tag, counted(len(names), "clip"), few(names)) for tag, names in clips.items()]
    result(document, "\n".join([head, table(rows)]) if rows else head, as_json=as_json)
