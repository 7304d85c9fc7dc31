"""Adding files as clips; files that are the same or renamed are recognised without parsing them.

Clips are written in the order of the files while other threads read ahead. A transaction takes about a quarter of a
second and holds complete clips only. An interrupted addition continues where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from segue.errors import FileError, SegueError
from segue.io.animation_names import split_fragment
from segue.io.files import load, motion_files
from segue.io.formats import in_full
from segue.library.clips import ClipEntry, ClipPlace, clip_of, entry, facts_of, write_clip
from segue.library.connection import Store
from segue.library.contacts import are_set, carry_contacts
from segue.library.documents import Content, content_of, to_column
from segue.library.elements import CarriedElements, carry_elements, elements
from segue.library.versions import Carried, FilePlan, agreeing, carry, file_place, free_name, move, plan_of
from segue.motion.clip import Clip
from segue.motion.reference import with_roles
from segue.motion.samples import SAMPLE_PREFIX, SAMPLES, sample
from segue.threads import Progress, each, silent, usable_cores

BATCH = 0.25
"""Seconds of work in a transaction: the most that a killed process loses and that another writer waits."""
GAP = 0.02
"""Seconds between two transactions, in which another process can write; reading continues meanwhile."""
_READERS = 4
"""Most threads that read files: more would wait for the disk."""


@dataclass(frozen=True)
class Added:
    """Result of adding files.

    Names of clips that are ``new``, the ``same`` as before, ``changed`` (a new version) or ``renamed`` (old and new
    name, equal if only the file moved); ``skipped`` files with the reason; ``labels`` and ``elements`` report, for each
    changed clip, which labels and elementary motions were carried over.
    """

    new: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[Carried, ...] = ()
    elements: tuple[CarriedElements, ...] = ()


class AddingReport:
    """Mutable lists from which `Added` is made."""

    def __init__(self) -> None:
        self.new: list[str] = []
        self.same: list[str] = []
        self.changed: list[str] = []
        self.renamed: list[tuple[str, str]] = []
        self.skipped: dict[str, str] = {}
        self.labels: list[Carried] = []
        self.elements: list[CarriedElements] = []

    def done(self) -> Added:
        """Return the result as an immutable `Added`."""
        return Added(
            new=tuple(self.new),
            same=tuple(self.same),
            changed=tuple(self.changed),
            renamed=tuple(self.renamed),
            skipped=dict(self.skipped),
            labels=tuple(self.labels),
            elements=tuple(self.elements),
        )


Read = tuple[Clip, ClipPlace] | SegueError | None


def add_files(
    store: Store,
    paths: Sequence[str | Path],
    *,
    given: Mapping[str, Any],
    report: AddingReport,
    progress: Progress = silent,
) -> None:
    """Add every motion file among files and folders; ``given`` are the user's settings of `load`."""
    files = list(dict.fromkeys(_resolved(path) for path in motion_files(paths)))
    began, failed = None, dict[str, str]()
    try:
        for number, (plan, read) in enumerate(_read_beside(store, files, given)):
            progress("adding clips", number, len(files))
            if began is None:
                store.begin()
                began = time.monotonic()
            with store.errors():
                _settle(store, plan, read, report, failed)
            if time.monotonic() - began > BATCH:
                store.commit()
                began = None
                time.sleep(GAP)
        if began is not None:
            store.commit()
    except BaseException:
        store.rollback()
        raise
    progress("adding clips", len(files), len(files))


def _resolved(path: Path) -> Path:
    """Return the absolute path of a file, or of one animation in it."""
    file, fragment = split_fragment(in_full(path))
    return file.resolve() if fragment is None else Path(f"{file.resolve()}#{fragment}")


def _read_beside(
    store: Store, files: Sequence[Path], document: Mapping[str, Any]
) -> Iterator[tuple[FilePlan, Read]]:
    """Yield plans in the order of the files, with the clips of files that must be parsed; other threads parse them."""
    reading: dict[str, int] = {}

    def jobs() -> Iterator[Callable[[], tuple[FilePlan, Read, bool]]]:
        for file in files:
            plan = _planned(store, file, document)
            twin = plan.fate == "new" and reading.get(plan.place.key, 0)
            read = plan.fate in {"new", "changed"} and not twin
            reading[plan.place.key] = reading.get(plan.place.key, 0) + int(read)
            yield partial(_read_if, plan, read=read)

    for plan, result, read in each(jobs(), threads=min(usable_cores(), _READERS)):
        reading[plan.place.key] -= int(read)
        yield plan, result


def _read_if(plan: FilePlan, *, read: bool) -> tuple[FilePlan, Read, bool]:
    return plan, _read(plan) if read else None, read


def _planned(store: Store, file: Path, document: Mapping[str, Any]) -> FilePlan:
    try:
        return plan_of(store, file_place(store, file, document), document)
    except SegueError as error:
        return FilePlan(ClipPlace(path=str(file)), "skipped", why=str(error))


def _read(plan: FilePlan) -> Read:
    """Return the clip of a file and its place with facts, or the error; runs in another thread."""
    file = split_fragment(plan.place.path)[0]
    settings = dict(plan.settings)
    roles = settings.pop("roles", None)
    try:
        before = file.stat()
        (clip,) = with_roles([load(plan.place.path, **settings)], roles, needed=False)
        after = file.stat()
        if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            return FileError(file, "changed while it was read; add it again")
        return clip, plan.place.with_facts(facts_of(clip))
    except SegueError as error:
        return error
    except OSError as error:
        return FileError(file, f"cannot be read: {error.strerror or error}")


def _settle(store: Store, plan: FilePlan, read: Read, report: AddingReport, failed: dict[str, str]) -> None:
    """Write the result for one file in the caller's transaction; ``failed`` maps keys of places to reading errors."""
    path = plan.place.path
    if plan.fate == "skipped" or isinstance(read, SegueError):
        report.skipped[path] = failed[plan.place.key] = plan.why or str(read)
        return
    now = plan_of(
        store, plan.place, plan.given
    )  # another process, or a file of the same bytes, may have been added since
    known = now.known
    if now.fate == "same" and known is not None:
        report.same.append(known.name)
        return
    if read is None and now.fate != "renamed":
        report.skipped[path] = failed.get(plan.place.key, "changed while it was read; add it again")
        return
    name = known.name if known is not None else ""
    if known is not None and known.path != path:
        name = move(store, known, plan.place)
        report.renamed.append((known.name, name))
    if read is None or now.fate == "renamed":
        return
    clip, place = read
    if known is None:
        name = free_name(store, clip.name, path)
        report.new.append(name)
    else:
        report.changed.append(name)
    _write(store, clip, place, name=name, known=known, report=report)


def _write(
    store: Store,
    clip: Clip,
    place: ClipPlace,
    *,
    name: str,
    known: ClipEntry | None,
    report: AddingReport,
    content: Content | None = None,
) -> None:
    """Write a clip under its name in the library; carry over labels, tags, elements and contacts of its old version."""
    new_id = write_clip(store, clip, place, name=name, content=content)
    if known is None:
        return
    held, planted = elements(store, clip_id=known.id), are_set(store, known.id)
    if not (known.labels or known.tags or held or planted):
        return
    try:
        frames = agreeing(clip_of(store, known), clip)
    except FileError:  # the old version is damaged: nothing to compare with
        frames = np.full(known.n_frames, -1)
    if known.labels or known.tags:
        report.labels.append(carry(store, name, old_id=known.id, new_id=new_id, frames=frames))
    if held:
        report.elements.append(carry_elements(store, name, held=held, new_id=new_id, frames=frames))
    if planted:
        lengths = known.n_frames, clip.n_frames
        carry_contacts(store, old_id=known.id, new_id=new_id, n_frames=lengths, frames=frames)


def add_clips(
    store: Store, clips: Sequence[tuple[Clip, str]], *, report: AddingReport, progress: Progress = silent
) -> None:
    """Add made or embedded motions, each with the word that identifies it in the library; if empty, its name does."""
    for number, (clip, word) in enumerate(clips):
        progress("adding clips", number, len(clips))
        place = ClipPlace(path=word, beside="" if word else clip.name, facts=facts_of(clip))
        content = content_of(clip, from_file=bool(word))
        with store.writing() as db:
            row = db.execute(
                "SELECT name FROM clip WHERE current AND path = ? "
                "AND (path <> '' OR beside = ? OR beside = '' AND name = ?) ORDER BY beside DESC",
                (to_column(word), clip.name, clip.name),
            ).fetchone()
            known = None if row is None else entry(store, row[0])
            if known is not None and known.digest == content.digest:
                report.same.append(known.name)
                continue
            name = free_name(store, clip.name, "") if known is None else known.name
            (report.new if known is None else report.changed).append(name)
            _write(store, clip, place, name=name, known=known, report=report, content=content)


def add(
    store: Store,
    inputs: str | Path | Clip | Sequence[str | Path | Clip],
    *,
    given: Mapping[str, Any],
    progress: Progress = silent,
) -> Added:
    """Add files, folders, embedded clips and motions, each kind in the order given."""
    items = [inputs] if isinstance(inputs, str | Path | Clip) else list(inputs)
    paths: list[str | Path] = []
    clips: list[tuple[Clip, str]] = []
    for item in items:
        if isinstance(item, Clip):
            clips.append((item, ""))
        elif str(item).startswith(SAMPLE_PREFIX):
            word = str(item).removeprefix(SAMPLE_PREFIX)
            clips += [(sample(name), SAMPLE_PREFIX + name) for name in ([word] if word else SAMPLES)]
        else:
            paths.append(item)
    report = AddingReport()
    if paths:
        add_files(store, paths, given=given, report=report, progress=progress)
    add_clips(store, clips, report=report, progress=progress)
    return report.done()
