"""Commands for the state of a library: stats prints its size, check verifies its integrity."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from segue.cli.library import LibraryFile, opened
from segue.cli.options import Json
from segue.cli.output import counted, progress, result, table
from segue.cli.verbs import verb
from segue.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segue.library.clips import ClipEntry

_MOST = 10  # most findings of a check that are printed; --json has all


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    verb(
        app,
        "stats",
        stats_command,
        "Show how much a library holds.",
        examples=("segue library stats moves.segue", "segue library stats moves.segue --json"),
    )
    verb(
        app,
        "check",
        check_command,
        "Check that no byte of a library has changed.",
        examples=("segue library check moves.segue", "segue library check moves.segue --json"),
    )


def stats_command(library: LibraryFile, as_json: Json = False) -> None:
    """How much is in a library: clips, seconds, bodies, rates, labels and their seconds, transitions, size."""
    with opened(library) as store:
        found, entries = store.stats(), store.clips()
    rates = Counter(entry.fps for entry in entries)
    words = _seconds_of_labels(entries)
    tags = Counter(tag for entry in entries for tag in entry.tags)
    document = {
        "library": str(library),
        **asdict(found),
        "rates": [{"fps": fps, "clips": count} for fps, count in sorted(rates.items())],
        "label_seconds": words,
        "tag_clips": dict(sorted(tags.items())),
    }
    result(document, _stats_text(library, document), as_json=as_json)


def _seconds_of_labels(entries: Sequence[ClipEntry]) -> dict[str, float]:
    """Return the seconds under each label; frames under the same label twice count once."""
    import numpy as np

    out: dict[str, float] = {}
    for entry in entries:
        for text in dict.fromkeys(label.text for label in entry.labels):
            under = np.zeros(entry.n_frames, dtype=bool)
            for label in entry.labels:
                if label.text == text:
                    under[label.start_frame : label.stop_frame] = True
            out[text] = out.get(text, 0.0) + float(under.sum()) / entry.fps
    return dict(sorted(out.items()))


def _stats_text(library: Path, document: dict[str, Any]) -> str:
    rates = [f"{rate['fps']:.6g} fps ({rate['clips']})" for rate in document["rates"]]
    labels = [f"{text} {seconds:.1f} s" for text, seconds in document["label_seconds"].items()]
    tags = [f"{tag} ({count})" for tag, count in document["tag_clips"].items()]
    older = f", {counted(document['older'], 'earlier version')} kept" if document["older"] else ""
    faulty = f", {counted(document['unusable'], 'faulty frame')} not played" if document["unusable"] else ""
    free = f", {document['free'] / 1e6:.1f} MB of it free" if document["free"] > 1e5 else ""
    rows = [
        ("clips", f"{document['clips']}{older}"),
        ("motion", f"{document['seconds']:.1f} s, {counted(document['frames'], 'frame')}{faulty}"),
        ("bodies", counted(document["skeletons"], "skeleton")),
        ("rates", ", ".join(rates) or "none"),
        ("labels", f"{document['labels']}" + (f": {', '.join(labels)}" if labels else "")),
        ("tags", f"{document['tags']}" + (f": {', '.join(tags)}" if tags else "")),
        (
            "moves",
            f"{counted(document['elements'], 'elementary motion')}, {counted(document['sequences'], 'sequence')}",
        ),
        (
            "matched",
            f"{counted(document['pairs'], 'pair')}, {counted(document['points'], 'transition point')}",
        ),
        *([("answers", f"{document['answers']} of studies")] if document["answers"] else []),
        ("size", f"{document['bytes'] / 1e6:.1f} MB{free}"),
    ]
    return f"{library}\n{table(rows)}"


def check_command(library: LibraryFile, as_json: Json = False) -> None:
    """Whether every byte is still what was written; if not, which clips are whole and how to take them out."""
    with opened(library) as store, progress(quiet=as_json) as tell:
        found = store.check(progress=tell)
    document = {
        "library": str(library),
        "sound": found.sound,
        "whole": list(found.whole),
        "broken": dict(found.broken),
        "words": dict(found.words),
        "pages": list(found.pages),
        "old_broken": list(found.old_broken),
        "sequences": dict(found.sequences),
        "studies": dict(found.studies),
    }
    rows = [
        *(("broken", f"{name}: {why}") for name, why in list(found.broken.items())[:_MOST]),
        *(("labels", f"{name}: {why}") for name, why in list(found.words.items())[:_MOST]),
        *(("sequences", f"{name}: {why}") for name, why in list(found.sequences.items())[:_MOST]),
        *(("pages", sentence) for sentence in found.pages[:_MOST]),
        *(("answers", f"{name}: {why}") for name, why in list(found.studies.items())[:_MOST]),
        *(("earlier", name) for name in found.old_broken[:_MOST]),
    ]
    result(document, f"{library}: {found.sentence}" + ("\n" + table(rows) if rows else ""), as_json=as_json)
    if not found.sound:
        remedy = f"segue library export {library} --whole -o whole{library.suffix or '.segue'}"
        raise FileError(library, f"is damaged; {remedy} exports the undamaged clips")
