"""Commands that copy between libraries and files: export, import."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.library import Clips, LibraryFile, few, opened
from segue.cli.options import Force, Json
from segue.cli.output import counted, progress, result, skipped_notes, table, warn
from segue.cli.verbs import verb
from segue.errors import FileError, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from segue.library.library import Imported, Library
    from segue.library.salvaging import Salvaged

    Tell = Callable[[str, int, int], None]

_CSV, _TRANSITIONS, _LIBRARY, _TOML = ".csv", ".transitions", ".segue", ".toml"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    verb(
        app,
        "export",
        export_command,
        "Write clips back to files, or labels, transitions, another library.",
        examples=(
            "segue library export moves.segue -o files/",
            "segue library export moves.segue walk run -o glb/ --format glb",
        ),
    )
    verb(
        app,
        "import",
        import_command,
        "Read labels, transitions or another library into this one.",
        examples=(
            "segue library import moves.segue labels.csv",
            "segue library import moves.segue other.segue",
        ),
    )


def export_command(
    library: LibraryFile,
    clips: Clips = None,
    out: Annotated[
        Path,
        typer.Option(
            "-o",
            "--out",
            help="A folder for motion files; or a .csv for labels, a .transitions for transitions, a .toml for "
            "elementary motions and sequences, a .segue for another library.",
        ),
    ] = Path("export"),
    to: Annotated[
        str | None,
        typer.Option(
            "--format", "--to", help="Format of the motion files; by default the one they came in, else BVH."
        ),
    ] = None,
    seconds: Annotated[
        bool, typer.Option("--seconds", help="Write labels in seconds instead of frames.")
    ] = False,
    whole: Annotated[
        bool,
        typer.Option("--whole", help="From a damaged library: export all that is intact and name the rest."),
    ] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Clips back to files, with their labels and given transitions beside them. The name of OUT decides the format.

    The library is only read. A clip that is damaged or cannot be written stops no other; the exit status is then 2.
    """
    from segue.io.formats import WRITABLE

    if to is not None and f".{to.lower().removeprefix('.')}" not in WRITABLE:
        msg = f"--format {to!r} cannot be written; formats that can: {', '.join(WRITABLE)}"
        raise SettingError(msg)
    kind = _target(out, force=force)
    with opened(library) as store, progress(quiet=as_json) as tell:
        if kind == _CSV:
            document, text = _labels(store, out, clips or (), seconds=seconds)
        elif kind == _TRANSITIONS:
            document, text = _transitions(store, out, clips or ())
        elif kind == _TOML:
            document, text = _elements(store, out, clips or ())
        elif kind == _LIBRARY:
            document, text = _library(store, out, clips or (), whole=whole, tell=tell)
        elif whole:
            document, text = _whole_clips(store, out, clips or (), to, force=force, tell=tell)
        else:
            document, text = _clips(store, out, clips or (), to, force=force, tell=tell)
    for one in document.get("failed", []):
        warn(f"segue: {one['why']}")
    result({"library": str(library), **document}, text, as_json=as_json)
    if document.get("failed"):
        warn(f"segue: {counted(len(document['failed']), 'clip')} could not be written")
        raise typer.Exit(2)


def _target(out: Path, *, force: bool) -> str:
    """Return the extension of a target, empty for a folder; reject a target that cannot be written."""
    kind = out.suffix.lower() if not out.is_dir() else ""
    if kind and kind not in {_CSV, _TRANSITIONS, _LIBRARY, _TOML}:
        msg = (
            f"{out}: name a folder, or a file that ends in {_CSV} (labels), {_TRANSITIONS}, {_TOML} (elementary "
            f"motions) or {_LIBRARY} (a library)"
        )
        raise SettingError(msg)
    if kind and out.exists() and not (force and kind != _LIBRARY):
        hint = "import takes clips into it" if kind == _LIBRARY else "--force overwrites it"
        raise FileError(out, f"exists already; {hint}")
    if kind and not out.parent.is_dir():
        raise FileError(out, f"the folder {out.parent} does not exist")
    if out.is_file() and not kind:
        raise FileError(out, "is a file; name a folder")
    return kind


Printed = tuple[dict[str, Any], str]


def _labels(store: Library, out: Path, names: Sequence[str], *, seconds: bool) -> Printed:
    from segue.library.exchange import export_labels

    count = export_labels(store, out, names=names, seconds=seconds)
    return {"written": [str(out)], "labels": count}, f"{out}: {counted(count, 'label')}"


def _transitions(store: Library, out: Path, names: Sequence[str]) -> Printed:
    from segue.library.transition_files import export_transitions

    count = export_transitions(store, out, names=names)
    return {"written": [str(out)], "transitions": count}, f"{out}: {counted(count, 'transition')}"


def _elements(store: Library, out: Path, names: Sequence[str]) -> Printed:
    from segue.library.exchange import export_elements

    count, sequences = export_elements(store, out, names=names)
    words = f"{counted(count, 'elementary motion')}, {counted(sequences, 'sequence')}"
    return {"written": [str(out)], "elements": count, "sequences": sequences}, f"{out}: {words}"


def _library(store: Library, out: Path, names: Sequence[str], *, whole: bool, tell: Tell) -> Printed:
    """Write another library: all of this one, chosen clips, or its undamaged content."""
    from segue.library.exchange import export_library

    if whole:
        if names:
            raise SettingError("--whole exports all undamaged clips; leave out CLIPS")
        saved = store.salvage(out, progress=tell)
        return {"written": [str(out)], **_salvaged(saved)}, f"{out}: {_salvaged_text(saved)}"
    if not names:
        store.copy(out)
        return {
            "written": [str(out)],
            "clips": len(store.clips()),
        }, f"{out}: {counted(len(store.clips()), 'clip')}"
    taken = export_library(store, out, names=names, progress=tell)
    failed = [{"clip": name, "why": why} for name, why in taken.skipped]
    document = {"written": [str(out)], "clips": len(taken.new), "failed": failed}
    return document, f"{out}: {counted(len(taken.new), 'clip')} ({few(taken.new)})"


def _salvaged(saved: Salvaged) -> dict[str, Any]:
    return {
        "whole": list(saved.whole),
        "healed": list(saved.healed),
        "lost": dict(saved.lost),
        "older": list(saved.older),
        "dropped": list(saved.dropped),
        "partly": list(saved.partly),
    }


def _salvaged_text(saved: Salvaged) -> str:
    rows = [
        ("read again from their files", few(saved.healed)),
        ("lost", few([f"{name} ({why})" for name, why in saved.lost.items()])),
        ("an earlier version", few(saved.older)),
        ("to be computed again", few(saved.dropped)),
        ("rows left behind of", few(saved.partly)),
    ]
    kept = [row for row in rows if row[1]]
    head = f"{counted(len(saved.whole), 'clip')} whole"
    return head + ("\n" + table(kept) if kept else "")


def _whole_clips(
    store: Library, out: Path, names: Sequence[str], to: str | None, *, force: bool, tell: Tell
) -> Printed:
    """Export the undamaged clips of a damaged library to files, by salvaging them into a temporary library first."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".segue-whole-") as folder:
        saved = store.salvage(Path(folder) / "whole.segue", progress=tell)
        with opened(saved.path) as sound:
            document, text = _clips(sound, out, names, to, force=force, tell=tell)
    return {**document, **_salvaged(saved)}, f"{text}\n{_salvaged_text(saved)}"


def _clips(
    store: Library, out: Path, names: Sequence[str], to: str | None, *, force: bool, tell: Tell
) -> Printed:
    from segue.app.convert import file_of
    from segue.library.exchange import ELEMENTS, LABELS, TRANSITIONS, export_clips, export_words

    for name in (LABELS, TRANSITIONS, ELEMENTS):
        if (out / name).exists() and not force:
            raise FileError(out / name, "exists already; --force overwrites it")
    done = export_clips(store, out, file_of=file_of, names=names, to=to, overwrite=force, progress=tell)
    written = [one for one in done if not one.error]
    words = export_words(store, out, [one.clip for one in written]) if written else {}
    document = {
        "written": [{"clip": one.clip, "to": str(one.target)} for one in written],
        "failed": [{"clip": one.clip, "why": one.error} for one in done if one.error],
        "beside": {str(path): count for path, count in words.items()},
    }
    kinds = Counter(one.target.suffix for one in written)
    head = f"{out}: {counted(len(written), 'clip')} ({', '.join(f'{n} {kind}' for kind, n in kinds.most_common())})"
    things = {LABELS: "label", TRANSITIONS: "transition", ELEMENTS: "elementary motion"}
    rows = [(str(path), counted(count, things[path.name])) for path, count in words.items()]
    other = Counter(one.note for one in written if one.note)
    rows += [("as BVH", f"{counted(count, 'clip')} of format {word}") for word, count in other.items()]
    return document, "\n".join(
        [head if written else f"{out}: no clip was written", *([table(rows)] if rows else [])]
    )


# -- import ------------------------------------------------------------------------------------------------------


def import_command(
    library: LibraryFile,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES",
            help="A .csv of labels, a .transitions file, a .toml of elementary motions and sequences, or another "
            "library.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Labels, transitions, elementary motions with sequences, or the clips of another library into this one.

    What a file holds is taken all or none. The transition back from a given one is added too and stays
    unverified until its own check passes.
    """
    kinds = [(path, _kind(path, library)) for path in files]
    given, lines = [], []
    with opened(library, write=True) as store, progress(quiet=as_json) as tell:
        for path, kind in kinds:
            taken = _taken(store, path, kind, tell)
            skipped_notes(taken.skipped)
            given.append(
                {
                    "from": str(path),
                    "what": kind,
                    "new": list(taken.new),
                    "same": list(taken.same),
                    "skipped": [{"clip": name, "why": why} for name, why in taken.skipped],
                }
            )
            lines.append(f"{path}: {counted(len(taken.new), kind)} new, {len(taken.same)} the same")
    result({"library": str(library), "imported": given}, "\n".join(lines), as_json=as_json)
    if any(one["skipped"] for one in given):
        raise typer.Exit(2)


def _kind(path: Path, library: Path) -> str:
    """Return the content of a file: label, transition, elementary motion or clip.

    Raises
    ------
    FileError
        If the file cannot be imported.
    """
    from segue.io.library_mark import is_library

    if path.is_dir() or not path.exists():
        what = "is a folder" if path.is_dir() else "there is no such file"
        takes = "import takes labels (.csv), transitions, elementary motions (.toml) or a library"
        raise FileError(path, f"{what}; {takes}, add takes motion files")
    if is_library(path):
        if library.exists() and path.samefile(library):
            raise FileError(path, "is this library itself")
        return "clip"
    if path.suffix.lower() == _CSV:
        return "label"
    if path.suffix.lower() == _TRANSITIONS:
        return "transition"
    if path.suffix.lower() == _TOML:
        return "elementary motion"
    what = f"is neither labels ({_CSV}), transitions ({_TRANSITIONS}), elementary motions ({_TOML}) nor a library"
    raise FileError(path, f"{what}; segue library add takes motion files")


def _taken(store: Library, path: Path, kind: str, tell: Tell) -> Imported:
    from segue.library.exchange import import_elements, import_labels, import_library
    from segue.library.transition_files import import_transitions

    if kind == "label":
        return import_labels(store, path)
    if kind == "transition":
        return import_transitions(store, path)
    if kind == "elementary motion":
        return import_elements(store, path)
    with opened(path) as other:
        return import_library(store, other, progress=tell)
