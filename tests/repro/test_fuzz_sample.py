"""A small seeded sample of `benchmarks/show/fuzz.py`, in this process: only errors that a user can act on."""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from segue.errors import SegueError

SHOW = Path(__file__).resolve().parents[2] / "benchmarks" / "show"
SEED = 3
KINDS = {
    "bvh": 12, "amc": 12, "asf": 12, "trc": 25, "c3d": 25, "npz": 16, "npz-smpl": 16, "glb": 12, "gltf": 12, "vrma": 12,
    "deepmimic": 12, "path-table": 40, "drawing": 40, "script": 16, "steer-path": 8, "chase": 8, "ground": 40,
    "label-table": 40, "learn-labels": 40, "mogra": 40,
}  # fmt: skip
"""Number of inputs by kind; the other kinds start slowly or are documents."""


@pytest.fixture(scope="module")
def fuzz() -> Iterator[Any]:
    """The kinds of inputs, with their folder importable meanwhile."""
    sys.path.insert(0, str(SHOW))
    try:
        yield importlib.import_module("_fuzz_kinds")
    finally:
        sys.path.remove(str(SHOW))


@pytest.fixture(scope="module")
def seeds(fuzz: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files to mutate, without those that commands write."""
    folder = tmp_path_factory.mktemp("seeds")
    fuzz.make_files(folder)
    fuzz.make_walker(folder)
    return folder


@pytest.mark.parametrize("name", KINDS)
def test_mutated_inputs_end_in_a_result_or_a_sentence(
    name: str, fuzz: Any, seeds: Path, tmp_path: Path
) -> None:
    """Inputs are mutated by structure and by bytes; an accepted one is finite and comes back equal."""
    kind = fuzz.KINDS[name]
    for file in kind.files:
        kind.use(seeds / file, tmp_path)
    for number in range(KINDS[name]):
        file, content = kind.mutant(SEED, number, seeds)
        whole = (seeds / file).read_bytes()
        (seeds / file).write_bytes(content)
        begun = time.process_time()
        work = 0.0
        try:
            with contextlib.suppress(SegueError):
                work = kind.use(seeds / file, tmp_path)
        finally:
            (seeds / file).write_bytes(whole)
        assert time.process_time() - begun <= 4.0 + work
