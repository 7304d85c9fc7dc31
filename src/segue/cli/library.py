"""Commands of `segue library`, a single-file motion collection: add, list, remove."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.convert import Encoding, InFps, InUnit, InUp, RootPosition, load_settings
from segue.cli.options import Json, Roles, roles_of
from segue.cli.output import counted, note, progress, result, skipped_notes, table
from segue.cli.verbs import LIBRARY, family, new_family, verb
from segue.errors import FileError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from segue.library.adding import Added
    from segue.library.clips import ClipEntry
    from segue.library.library import Library

LibraryFile = Annotated[Path, typer.Argument(metavar="LIBRARY", help="The library file, e.g. moves.segue.")]
Clips = Annotated[
    list[str] | None,
    typer.Argument(metavar="CLIPS", help="Names of clips or patterns ('16_*'); all by default."),
]
_FEW = 5  # names listed; the rest is counted

library_app = new_family(
    "library",
    "One file that holds a motion collection: clips, labels, tags, transitions. Every other command takes it "
    "where it takes a folder: segue wander moves.segue.",
)


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    verb(
        library_app,
        "add",
        add_command,
        "Put motion files, or folders of them, into a library.",
        examples=(
            "segue library add moves.segue clips/",
            "segue library add moves.segue clips/walk.bvh --in-unit cm",
        ),
    )
    verb(
        library_app,
        "list",
        list_command,
        "List the clips of a library, with labels and tags.",
        examples=("segue library list moves.segue", "segue library list moves.segue 'walk*' --tag outdoors"),
    )
    verb(
        library_app,
        "remove",
        remove_command,
        "Take clips out of a library.",
        examples=(
            "segue library remove moves.segue step_touch",
            "segue library remove moves.segue 'walk*' --old",
        ),
    )
    family(app, library_app, "One file that holds a motion collection.", panel=LIBRARY)


@contextmanager
def opened(path: Path, *, write: bool = False, create: bool = False) -> Iterator[Library]:
    """Open a library; report on stderr when waiting for another process."""
    from segue.library.library import Library

    with Library.open(
        path, mode="w" if write else "r", create=create, say=lambda text: note(f"segue: {text}")
    ) as library:
        yield library


def add_command(
    library: LibraryFile,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="Motion files, folders of them, files of many animations or one of them (moves.glb#Walk), or embedded "
            "clips (sample:walk).",
        ),
    ],
    roles: Roles = None,
    in_fps: InFps = None,
    in_unit: InUnit = None,
    in_up: InUp = None,
    encoding: Encoding = None,
    root_position: RootPosition = None,
    as_json: Json = False,
) -> None:
    """Put motion files, or folders of them, into a library; the file is made if it is not there.

    What is in it already is left as it is, so the same command brings a library up to date: a changed file becomes a
    new version of its clip, and labels and elementary motions go along where frames agree. Each clip is added whole or
    not at all; after an interruption the same command goes on where it was.
    """
    given = roles_of(roles)
    settings = load_settings(in_fps, in_unit, in_up, encoding, root_position)
    _check_name(library)
    made = not library.exists()
    _check_inputs(library, inputs)
    try:
        with opened(library, write=True, create=True) as store, progress(quiet=as_json) as tell:
            added = store.add(inputs, roles=given, progress=tell, **settings)
            total = len(store.clips())
    finally:
        if made:
            _forget_if_empty(library)
    skipped_notes(tuple(added.skipped.items()))
    result(_added_document(added, library, total), _added_text(added, library, total), as_json=as_json)
    if added.skipped and not (added.new or added.same or added.changed or added.renamed):
        raise FileError(library, "nothing could be added")


def _check_name(path: Path) -> None:
    """Reject a folder, or a library named like a motion file: the two arguments were swapped."""
    from segue.io.formats import READABLE

    if path.is_dir():
        raise FileError(
            path, f"is a folder; a library is one file and named first: segue library add moves.segue {path}"
        )
    if path.suffix.lower() in READABLE and not path.exists():
        msg = f"{path}: a library is not called {path.suffix}; name one first: segue library add moves.segue {path}"
        raise SettingError(msg)


def _check_inputs(library: Path, inputs: Sequence[str]) -> None:
    """Check that there is something to add before a library is opened or created."""
    from segue.io.files import motion_files
    from segue.io.formats import READABLE
    from segue.library.inputs import in_library
    from segue.motion.samples import SAMPLE_PREFIX

    other = next((place.path for item in inputs if (place := in_library(item)) is not None), None)
    if other is not None:
        raise FileError(other, f"is a library; segue library import {library} {other} takes its clips")
    files = [item for item in inputs if not item.startswith(SAMPLE_PREFIX)]
    if len(files) == len(inputs) and not motion_files(files):
        raise FileError(", ".join(files), f"no motion files here; segue reads {', '.join(READABLE)}")


def _forget_if_empty(path: Path) -> None:
    """Delete a library that holds no clips."""
    if not path.exists():
        return
    with opened(path) as store:
        empty = not store.clips()
    if empty:
        path.unlink()


def _added_document(added: Added, library: Path, total: int) -> dict[str, Any]:
    return {
        "library": str(library),
        "new": list(added.new),
        "same": list(added.same),
        "changed": list(added.changed),
        "renamed": [list(pair) for pair in added.renamed],
        "skipped": [{"path": path, "why": why} for path, why in added.skipped.items()],
        "labels_left_behind": [
            {"clip": carried.clip, "labels": [label.text for label in carried.left]}
            for carried in added.labels
            if carried.left
        ],
        "elements_left_behind": [
            {"clip": carried.clip, "elements": [one.name for one in carried.left]}
            for carried in added.elements
            if carried.left
        ],
        "clips": total,
    }


def _added_text(added: Added, library: Path, total: int) -> str:
    rows = [("new", few(added.new)), ("the same", few(added.same)), ("changed", few(added.changed))]
    rows.append(("moved", few([f"{old} to {new}" if old != new else old for old, new in added.renamed])))
    for carried in added.labels:
        words = (
            f"{carried.clip}: {counted(len(carried.kept), 'label')} kept, {len(carried.moved)} moved along"
        )
        left = few([f"{label.text} {label.start_frame}:{label.stop_frame}" for label in carried.left])
        rows.append(("labels", words + (f"; left behind: {left}" if left else "")))
    for moved in added.elements:
        words = f"{moved.clip}: {counted(len(moved.kept), 'elementary motion')} kept, {len(moved.moved)} moved along"
        lost = few([one.name for one in moved.left])
        rows.append(("elements", words + (f"; left behind: {lost}" if lost else "")))
    head = f"{library}: {counted(total, 'clip')}, {len(added.new)} of them new"
    kept = [row for row in rows if row[1]]
    return head + ("\n" + table(kept) if kept else "")


def few(names: Sequence[str]) -> str:
    """Return the first names, and the count of the rest."""
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {more} more" if more > 0 else "")


# -- list --------------------------------------------------------------------------------------------------------


def list_command(
    library: LibraryFile,
    clips: Clips = None,
    tag: Annotated[str | None, typer.Option(help="Only clips with this tag.")] = None,
    label: Annotated[str | None, typer.Option(help="Only clips with this label.")] = None,
    old: Annotated[bool, typer.Option("--old", help="Earlier versions of changed clips too.")] = False,
    as_json: Json = False,
) -> None:
    """List the clips of a library, with labels and tags."""
    from segue.library.library import chosen

    with opened(library) as store:
        entries = chosen(store, clips or ())
        everything = store.clips(old=old)
        names = {entry.name for entry in entries}
    shown = [
        entry
        for entry in everything
        if entry.name in names
        and (tag is None or tag in entry.tags)
        and (label is None or any(label == one.text for one in entry.labels))
    ]
    result(
        {"library": str(library), "clips": [entry_document(e) for e in shown]},
        _list_text(shown, library),
        as_json=as_json,
    )


def entry_document(entry: ClipEntry) -> dict[str, Any]:
    """Return a clip for ``--json``."""
    return {
        "name": entry.name,
        "version": entry.version,
        "current": entry.current,
        "frames": entry.n_frames,
        "fps": entry.fps,
        "seconds": entry.seconds,
        "faulty_frames": entry.unusable,
        "labels": [
            {
                "text": label.text,
                "start_frame": label.start_frame,
                "stop_frame": label.stop_frame,
                "start_seconds": label.start_frame / entry.fps,
                "stop_seconds": label.stop_frame / entry.fps,
                "by": label.by,
            }
            for label in entry.labels
        ],
        "tags": list(entry.tags),
        "path": entry.path,
        "added_at": entry.added_at,
        "sha256": entry.digest,
    }


def _list_text(entries: Sequence[ClipEntry], library: Path) -> str:
    seconds = sum(entry.seconds for entry in entries if entry.current)
    current = sum(entry.current for entry in entries)
    head = f"{library}: {counted(current, 'clip')}, {seconds:.1f} s"
    if not entries:
        return head
    rows = [("clip", "seconds", "frames", "fps", "version", "labels", "tags")]
    rows += [
        (
            entry.name,
            f"{entry.seconds:.2f}",
            str(entry.n_frames),
            f"{entry.fps:.6g}",
            f"{entry.version}" + ("" if entry.current else " (old)"),
            ", ".join(label_words(entry)),
            ", ".join(entry.tags),
        )
        for entry in entries
    ]
    plain = [k for k in range(7) if k < 4 or any(_tells(row, k) for row in rows[1:])]
    return "\n".join([head, table([tuple(row[k] or "-" for k in plain) for row in rows])])


def _tells(row: tuple[str, ...], column: int) -> bool:
    """Return whether a cell holds information: neither empty nor the version 1 that every clip starts with."""
    return row[column] not in {"", "1"}


def label_words(entry: ClipEntry) -> list[str]:
    """Return the labels of a clip with their seconds; a label of the complete clip has no range."""
    return [
        label.text
        if (label.start_frame, label.stop_frame) == (0, entry.n_frames)
        else f"{label.text} {label.start_frame / entry.fps:.2f}:{label.stop_frame / entry.fps:.2f}"
        for label in entry.labels
    ]


# -- remove ----------------------------------------------------------------------------------------


def remove_command(
    library: LibraryFile,
    clips: Annotated[list[str], typer.Argument(metavar="CLIPS", help="Names of clips or patterns ('16_*').")],
    old: Annotated[
        bool, typer.Option("--old", help="Remove only earlier versions and keep the clips.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take clips out of a library, with their labels and transitions; the files they came from are not touched."""
    from segue.library.library import chosen

    with opened(library, write=True) as store:
        entries = chosen(store, clips)
        with store.store.writing():
            versions = sum(store.remove(entry.name, old=old) for entry in entries)
        left = len(store.clips())
    names = [entry.name for entry in entries]
    document = {
        "library": str(library),
        "removed": names if not old else [],
        "versions": versions,
        "clips": left,
    }
    what = f"{counted(versions, 'earlier version')} of" if old else f"{counted(len(names), 'clip')} removed:"
    result(
        document,
        f"{library}: {what} {few(names)}{' removed' if old else ''}; {counted(left, 'clip')} left",
        as_json=as_json,
    )
