"""Adding: files to clips. What is new, the same, changed or renamed is known before anything is parsed.

Clips are written in the order of the files while others are read beside it, a quarter second of them to a
transaction, each whole in one of them. Adding that was broken off goes on where it was.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from segue.app.library.clips import Place, write_clip
from segue.app.library.connection import Store
from segue.app.library.facts import facts_of
from segue.app.library.places import Plan, file_place, free_name, move, plan_of
from segue.app.told import with_roles
from segue.errors import FileError, SegueError
from segue.graph.matching import Progress, silent
from segue.io.files import load, motion_files
from segue.io.gltf_names import split_fragment
from segue.io.threads import workers
from segue.motion.clip import Clip

BATCH = 0.25
"""Seconds of clips to a transaction: what a killed process loses at most, and another writer waits."""
GAP = 0.02
"""Seconds between two transactions in which another writer gets its turn; reading goes on meanwhile."""


@dataclass(frozen=True)
class Added:
    """What became of each file.

    Names of clips that are ``new``, the ``same`` as before, ``changed`` (a new version) or ``renamed`` (old name and
    new one; equal where only the file moved); ``skipped`` files with the reason.
    """

    new: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)


class _Report:
    """An `Added` while it grows."""

    def __init__(self) -> None:
        self.new: list[str] = []
        self.same: list[str] = []
        self.changed: list[str] = []
        self.renamed: list[tuple[str, str]] = []
        self.skipped: dict[str, str] = {}

    def done(self) -> Added:
        return Added(
            tuple(self.new), tuple(self.same), tuple(self.changed), tuple(self.renamed), dict(self.skipped)
        )


Read = tuple[Clip, Place] | SegueError | None


def add_files(
    store: Store, paths: Sequence[str | Path], *, told: Mapping[str, Any], progress: Progress = silent
) -> Added:
    """Add every motion file of some files and folders; ``told`` are settings of `load` that a person gave."""
    files = list(dict.fromkeys(_resolved(path) for path in motion_files(paths)))
    report, began = _Report(), None
    try:
        for number, (plan, read) in enumerate(_read_beside(store, files, told)):
            progress("adding clips", number, len(files))
            if began is None:
                store.begin()
                began = time.monotonic()
            with store.errors():
                _settle(store, plan, read, report)
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
    return report.done()


def _resolved(path: Path) -> Path:
    """Path of a file, or of one animation in it, the same from everywhere."""
    file, fragment = split_fragment(path)
    return file.resolve() if fragment is None else Path(f"{file.resolve()}#{fragment}")


def _read_beside(store: Store, files: Sequence[Path], told: Mapping[str, Any]) -> Iterator[tuple[Plan, Read]]:
    """Plans in the order of the files, with the clips of those that must be read; other threads read them."""
    with ThreadPoolExecutor(max_workers=workers(), thread_name_prefix="segue-library") as pool:
        waiting: deque[tuple[Plan, Future[Read] | None]] = deque()
        reading: dict[str, int] = {}
        todo = iter(files)
        try:
            while True:
                while len(waiting) < 2 * workers() and (file := next(todo, None)) is not None:
                    plan = _planned(store, file, told)
                    twin = plan.fate == "new" and reading.get(plan.place.key, 0)
                    read = plan.fate in {"new", "changed"} and not twin
                    waiting.append((plan, pool.submit(_read, plan) if read else None))
                    reading[plan.place.key] = reading.get(plan.place.key, 0) + int(read)
                if not waiting:
                    return
                plan, future = waiting.popleft()
                result = None if future is None else future.result()
                reading[plan.place.key] -= int(future is not None)
                yield plan, result
        finally:
            for _, future in waiting:
                if future is not None:
                    future.cancel()


def _planned(store: Store, file: Path, told: Mapping[str, Any]) -> Plan:
    try:
        return plan_of(store, file_place(store, file, told), told)
    except SegueError as error:
        return Plan(Place(path=str(file)), "skipped", why=str(error))


def _read(plan: Plan) -> Read:
    """Clip of a file and what is found out about it; in another thread."""
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


def _settle(store: Store, plan: Plan, read: Read, report: _Report) -> None:
    """Write what became of a file; the caller holds a transaction."""
    path = plan.place.path
    if plan.fate == "skipped" or isinstance(read, SegueError):
        report.skipped[path] = plan.why or str(read)
        return
    now = plan_of(
        store, plan.place, plan.given
    )  # another process, or a twin of this file, may have been faster
    known = now.known
    if now.fate == "same" and known is not None:
        report.same.append(known.name)
        return
    if read is None and now.fate != "renamed":
        report.skipped[path] = "has the bytes of a file that was skipped"
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
    renamed = clip if clip.name == name else _renamed(clip, name)
    write_clip(store, renamed, place, name=name)


def _renamed(clip: Clip, name: str) -> Clip:
    """Clip under the name it has in the library; an origin that is the clip itself follows."""
    from segue.app.library.documents import origin_bytes
    from segue.motion.clip import Origin

    own = origin_bytes(clip) is None
    return clip.with_motion(name=name, origin=Origin.of(name, clip.n_frames) if own else clip.origin)
