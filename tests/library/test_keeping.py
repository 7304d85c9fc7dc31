"""Pairs of motions from a library are stored, and the motion equals that of the folder; verdicts are in the record."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from counted_calls import counted_calls
from segue.app import stages
from segue.app.record import read_record
from segue.app.replay import replay
from segue.errors import SettingError
from segue.graph.walk import render
from segue.io import save
from segue.library.library import Library
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.settings import Settings

WALK = {"seconds": 4.0, "seed": 3, "by": "cost", "start": None}


@pytest.fixture
def folder(tmp_path) -> Path:
    """Three clips, and a library of them."""
    (tmp_path / "clips").mkdir()
    for name in ("start", "walk", "walk_left"):
        save(cut(sample(name, fps=30.0), 0, 110), tmp_path / f"clips/{name}.bvh")
    with Library.open(tmp_path / "moves.segue") as library:
        library.add(tmp_path / "clips")
    return tmp_path


def wandered(place: Path, out: Path | None = None) -> tuple[Clip, Settings]:
    """Wander as `segue wander` does."""
    collection = stages.read([str(place)])
    made = stages.with_verdicts(Settings(threshold=0.05), collection)
    motion = render(stages.make_graph(collection, made).wander(**WALK))
    if out is not None:
        recorded = {"make": made.document(), "walk": WALK}
        stages.write(motion, out, collection=collection, command="wander", settings=recorded)
    return motion, made


def test_a_motion_from_a_library_is_that_of_its_folder_and_is_computed_once(folder, monkeypatch):
    """The second time nothing is compared, aligned or synthesised for a check."""
    plain, _ = wandered(folder / "clips")
    first, _ = wandered(folder / "moves.segue")
    calls = counted_calls(monkeypatch)
    second, _ = wandered(folder / "moves.segue")
    assert not calls
    for motion in (first, second):
        np.testing.assert_array_equal(motion.rotations, plain.rotations)
        np.testing.assert_array_equal(motion.root_positions, plain.root_positions)


def test_matching_and_wandering_share_their_pairs(folder):
    """A motion uses the pairs that `Library.match` compared, and the other way round."""
    wandered(folder / "moves.segue")
    with Library.open(folder / "moves.segue") as library:
        assert library.match(threshold=0.05).new_pairs == 0


def test_a_verdict_holds_in_the_motion_and_in_its_record(folder):
    """A refused point is not used; replayed after the verdict changed, the motion is the original one."""
    first, _ = wandered(folder / "moves.segue", folder / "a.bvh")
    with Library.open(folder / "moves.segue") as library:
        library.match(threshold=0.05)
        points = library.points()
        for point in points[: len(points) // 2]:
            library.verify(point, "bad")
    second, made = wandered(folder / "moves.segue", folder / "b.bvh")
    assert len(made.verdicts) == len(points) // 2
    assert not np.array_equal(first.rotations, second.rotations)
    for name, verdicts in (("a", 0), ("b", len(points) // 2)):
        record = read_record(folder / f"{name}.origin.json")
        assert len(record.settings["make"]["verdicts"]) == verdicts
        assert replay(folder / f"{name}.origin.json")[3]


def test_a_library_that_cannot_be_written_still_gives_the_motion(folder, monkeypatch, caplog):
    """With another process writing all the time, or a read-only file, a log entry says that nothing was stored."""
    plain, _ = wandered(folder / "clips")
    monkeypatch.setattr("segue.library.inputs.PATIENCE", 0.05)
    with Library.open(folder / "moves.segue") as library, library.store.writing():
        busy, _ = wandered(folder / "moves.segue")
    np.testing.assert_array_equal(busy.rotations, plain.rotations)
    assert "what was compared now is not kept" in caplog.text


def test_a_verdict_that_is_none_is_refused():
    """An invalid verdict in an edited record is refused."""
    with pytest.raises(SettingError, match=r"verdicts: .* is not a verdict"):
        Settings(verdicts=[["walk", 1, "run", 2]])
