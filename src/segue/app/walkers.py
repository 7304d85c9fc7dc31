"""Walkers in files: build them from clips, store them in a library, report on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.called import called
from segue.app.stages import Collection, read
from segue.documents import read_toml
from segue.errors import FileError, SegueError, SettingError
from segue.library.connection import Store
from segue.library.walkers import read_walker, walker_names, write_walker
from segue.locomotion.build import BuildSettings, build_locomotion, find_examples
from segue.locomotion.edits import Edits, as_toml, clip_of
from segue.locomotion.examples import Example
from segue.locomotion.model import Locomotion, Node
from segue.threads import Progress, silent


@dataclass(frozen=True, eq=False)
class BuiltWalker:
    """A walker, and the clips it was built from."""

    model: Locomotion
    collection: Collection


def build_walker(
    inputs: Sequence[str],
    *,
    settings: BuildSettings | None = None,
    skeleton: str | None = None,
    edits: Path | None = None,
    progress: Progress = silent,
) -> BuiltWalker:
    """Read clips and build a walker from those that have legs.

    Raises
    ------
    FileError
        If nothing can be read, or the edits are not understood.
    SettingError
        If the clips hold no type of locomotion, or no clip has the name of the skeleton.
    """
    collection = _with_legs(read(inputs, progress=progress))
    body = None
    if skeleton is not None:
        names, skeleton = [clip.name for clip in collection.clips], called(skeleton, collection.clips)
        if skeleton not in names:
            msg = f"no clip is called {skeleton!r}; there are {', '.join(names[:5])}"
            raise SettingError(msg)
        body = collection.clip(skeleton).skeleton
    given = None if edits is None else read_edits(edits)

    def edited(examples: Sequence[Example]) -> Sequence[Example]:
        try:
            return examples if given is None else given(examples)
        except SettingError as error:
            raise FileError(edits or "", str(error)) from None

    model = build_locomotion(collection.clips, settings=settings, skeleton=body, edit=edited)
    return BuiltWalker(model, collection)


def _with_legs(collection: Collection) -> Collection:
    """Clips with known legs; the others are added to the skipped ones, with the reason."""
    from segue.motion.roles import require_legs

    kept, skipped = [], list(collection.skipped)
    for clip in collection.clips:
        try:
            require_legs([clip])
        except SegueError as error:
            skipped.append((clip.name, str(error)))
        else:
            kept.append(clip)
    return Collection(tuple(kept), tuple(skipped))


def read_edits(path: Path) -> Edits:
    """Read a person's edits of examples from a TOML file.

    Raises
    ------
    FileError
        If it cannot be read or is not understood.
    """
    return Edits.of(read_toml(path, dict[str, Any]), file=path)


def examples_toml(collection: Collection, *, mirror: bool = True) -> str:
    """Every example found, as a file of edits that changes nothing yet."""
    return as_toml(find_examples(collection.clips, mirror_too=mirror).examples)


def keep_walker(path: Path, model: Locomotion, *, name: str, force: bool = False) -> None:
    """Store a walker in a library file, which is created if missing.

    Raises
    ------
    FileError
        If the file is no library, or holds a walker of that name and ``force`` is False.
    """
    check_place(path, name=name, force=force)
    store = Store(path, "w", create=True, patience=30.0)
    try:
        write_walker(store, model, name=name)
    finally:
        store.close()


def check_place(path: Path, *, name: str, force: bool) -> None:
    """Refuse an empty name, or the name of a stored walker, before any work is done."""
    if not name.strip():
        msg = "a walker has a name; give one with --name, or leave that out"
        raise SettingError(msg)
    if not path.exists() or force:
        return
    store = Store(path, "w", create=False, patience=30.0)
    try:
        if name in walker_names(store):
            raise FileError(path, f"holds a walker {name!r} already; --force replaces it")
    finally:
        store.close()


def walkers_in(path: Path) -> dict[str, Locomotion]:
    """Every walker of a library file."""
    store = Store(path, "r", create=False, patience=5.0)
    try:
        return {name: read_walker(store, name=name) for name in walker_names(store)}
    finally:
        store.close()


def facts(model: Locomotion) -> dict[str, Any]:
    """Report of a walker: examples per type, transitions per pair of types (also to itself), what was left out."""
    kinds = [node.kind for node in model.nodes]
    transitions: dict[str, dict[str, Any]] = {}
    for one in model.transitions:
        word = f"{kinds[one.source]} to {kinds[one.target]}"
        entry = transitions.setdefault(
            word, {"sets": 0, "examples": 0, "made": one.made, "seconds": [], "names": []}
        )
        entry["sets"] += 1
        entry["examples"] += one.set.n_examples
        entry["names"] += one.set.names
        entry["seconds"] += [round(float(s), 2) for s in (1.0 / one.set.rates).sum(axis=0)]
    return {
        "parameters": list(model.parameters),
        "joints": model.skeleton.n_joints,
        "types": {node.kind: _node_facts(node) for node in model.nodes},
        "ways": transitions,
        "missing_ways": [
            f"{a} to {b}" for i, a in enumerate(kinds) for j, b in enumerate(kinds)
            if i != j and f"{a} to {b}" not in transitions
        ],
        "left_out": [{"name": entry.name, "type": entry.kind, "reason": entry.reason} for entry in model.left_out],
    }  # fmt: skip


def _node_facts(node: Node) -> dict[str, Any]:
    """Report of a type; its transition to itself goes from the end of a cycle to the start of any cycle."""
    names, parameters = node.set.names, node.set.parameters
    speed, turn = parameters[:, 0], np.degrees(parameters[:, 1])
    return {
        "examples": len(names),
        "found": node.tally.found,
        "clips": len({clip_of(name) for name in names}),
        "mirrored": sum("(mirrored)" in name for name in names),
        "speed": [round(float(speed.min()), 2), round(float(speed.max()), 2)],
        "turn_degrees": [round(float(turn.min()), 1), round(float(turn.max()), 1)],
        "self_transition": {
            "captured": node.tally.followed,
            "closure_degrees": round(float(np.degrees(node.tally.closure)), 1),
        },
        "names": list(names),
    }
