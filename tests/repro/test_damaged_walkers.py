"""Damaged walkers never reach a kernel, even if their seals fit."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segue
from refused import refused
from segue.app.walkers import keep_walker
from segue.library.connection import Store
from segue.library.documents import seal
from segue.library.walkers import read_walker, walker_digest
from segue.locomotion.build import BuildSettings, build_locomotion

Change = Callable[[dict[str, Any]], object]


BODY = '{"names":["a","b"],"parents":[-1,0],"offsets":[[0,1,0],[0,1,0]],"end_sites":[],"roles_given":[]}'


@pytest.fixture(scope="module")
def walker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that holds a small walker."""
    path = tmp_path_factory.mktemp("walker") / "walker.segue"
    clips = [segue.sample(name) for name in ("walk", "walk_slow", "start", "stop")]
    keep_walker(path, build_locomotion(clips, settings=BuildSettings(most=3)), name="walker")
    return path


def changed_walker(
    walker: Path, path: Path, change: Change, arrays: Callable[[bytes], bytes] | None = None
) -> None:
    """Copy a walker with its document and its block of numbers changed; the seal fits."""
    shutil.copy(walker, path)
    db = sqlite3.connect(path, isolation_level=None)
    text, packed = db.execute("SELECT document, arrays FROM walker").fetchone()
    document = json.loads(text)
    change(document)
    if arrays is not None:
        packed = arrays(packed)
    text = json.dumps(document)
    stamp = seal("walker", text, packed)
    db.execute("UPDATE walker SET document = ?, arrays = ?, seal = ?", (text, packed, stamp))
    db.close()


def on_set(change: Change) -> Change:
    """A change to the blend set of the first path."""
    return lambda d: change(d["ways"][0]["set"])


WALKERS: dict[str, Change] = {
    "fewer numbers than kernels take": on_set(lambda s: s["rotations"][1].__setitem__(2, 1)),
    "fewer joints": on_set(lambda s: s["rotations"][1].__setitem__(3, 3)),
    "no samples": on_set(lambda s: s["rotations"][1].__setitem__(0, 0)),
    "a start behind the block": on_set(lambda s: s["rates"].__setitem__(0, 1 << 39)),
    "a start between numbers": on_set(lambda s: s["rotations"].__setitem__(0, s["rotations"][0] + 3)),
    "an endless shape": on_set(lambda s: s["beside"].__setitem__(1, [1 << 39] * 4)),
    "another example's rates": on_set(lambda s: s["rates"][1].__setitem__(1, 2)),
    "no scale": lambda d: d["nodes"][0]["set"].pop("scale"),
    "a scale more": on_set(lambda s: s["scale"].append(1.0)),
    "a scale of 0": on_set(lambda s: s["scale"].__setitem__(0, 0.0)),
    "no parameters": on_set(lambda s: s.update(parameters=[])),
    "rows of parameters that differ": on_set(lambda s: s.update(parameters=[[1.0], [1.0, 2.0]])),
    "a name more": on_set(lambda s: s["names"].append("x")),
    "no pieces of an example": on_set(lambda s: s.update(pieces=[[]])),
    "a piece that begins late": on_set(lambda s: s["pieces"][0][0].__setitem__(1, 5.0)),
    "a type that does not go round": lambda d: d["nodes"][1]["set"].update(cyclic=False),
    "a way from nowhere": lambda d: d["ways"][0].update(source=99),
    "a way to nowhere": lambda d: d["ways"][0].update(target=-1),
    "an interval that is not there": lambda d: d["ways"][0].update(to_interval=400),
    "more shared than there is": lambda d: d["ways"][0].update(before=400),
    "nothing shared": lambda d: d["ways"][0].update(after=0),
    "an event more": lambda d: d["nodes"][1]["events"].append("left strike"),
    "a parameter more": lambda d: d["parameters"].append("mood"),
    "no types": lambda d: d.update(nodes=[], ways=[]),
    "a skeleton that is none": lambda d: d.update(skeleton="{}"),
    "another skeleton": lambda d: d.update(skeleton=BODY),
    "a tally of words": lambda d: d["nodes"][0].update(tally=["x"]),
    "types in a table": lambda d: d.update(nodes={}),
}


@pytest.mark.parametrize("name", WALKERS)
def test_a_damaged_walker_never_reaches_a_kernel(walker: Path, tmp_path: Path, name: str) -> None:
    """Shapes, indices and numbers are checked against one another on reading."""
    path = tmp_path / "walker.segue"
    changed_walker(walker, path, WALKERS[name])
    store = Store(path, "r", create=False, patience=1.0)
    try:
        assert refused(lambda: read_walker(store)).startswith(str(path))
    finally:
        store.close()


BLOCKS: dict[str, Callable[[bytes], bytes]] = {
    "endless zeros": lambda _: zlib.compress(b"\0" * 200_000_000, 9),
    "cut": lambda packed: packed[: len(packed) // 2],
    "empty": lambda _: b"",
    "of fewer numbers": lambda packed: zlib.compress(zlib.decompress(packed)[:-800], 1),
    "of NaN": lambda packed: zlib.compress(np.full(len(zlib.decompress(packed)) // 8, np.nan).tobytes(), 1),
    "of 1e300": lambda packed: zlib.compress(np.full(len(zlib.decompress(packed)) // 8, 1e300).tobytes(), 1),
    "not packed": lambda packed: b"x" * len(packed),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_damaged_block_is_one_sentence(walker: Path, tmp_path: Path, name: str) -> None:
    """A walker's block unpacks to no more than its size allows, and holds numbers."""
    path = tmp_path / "walker.segue"
    changed_walker(walker, path, lambda _: None, BLOCKS[name])
    store = Store(path, "r", create=False, patience=1.0)
    try:
        refused(lambda: read_walker(store))
        if name in {"endless zeros", "cut", "empty", "not packed"}:
            refused(lambda: walker_digest(store, name="walker"))
    finally:
        store.close()


def test_a_walker_of_before_is_read(walker: Path, tmp_path: Path) -> None:
    """Walkers stored before types were counted and examples traced load without these."""
    path = tmp_path / "walker.segue"

    def older(document: dict[str, Any]) -> None:
        for part in [*document["nodes"], *document["ways"]]:
            part.pop("tally", None)
            part["set"].pop("pieces")

    changed_walker(walker, path, older)
    store = Store(path, "r", create=False, patience=1.0)
    try:
        model = read_walker(store)
    finally:
        store.close()
    assert model.nodes[0].tally.found == 0
    assert model.nodes[0].set.pieces == ()


@pytest.mark.parametrize("asked", [None, "walker"])
def test_a_walker_whose_name_is_no_text_is_none(walker: Path, tmp_path: Path, asked: str | None) -> None:
    """A walker with an invalid name gives one sentence, whether it is requested by name or not."""
    path = tmp_path / "named.segue"
    shutil.copy(walker, path)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("UPDATE walker SET name = x'77616c6b6572'")
    db.close()
    store = Store(path, "r", create=False, patience=5.0)
    try:
        assert "holds no walker" in refused(lambda: read_walker(store, name=asked))
    finally:
        store.close()
