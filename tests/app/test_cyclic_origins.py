"""Periods of cyclic sources are kept in records, NPZ files and libraries."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.app.measuring import measure_file
from segue.app.record import Record, Source, read_record, write_record
from segue.app.replay import replay
from segue.app.stages import make_graph, read, write
from segue.graph.walk import render
from segue.io import load, save
from segue.library.library import Library
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip, Origin
from segue.motion.cyclic import unrolled
from segue.motion.resample import resampled
from segue.settings import Settings


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two single strides, each in its own file."""
    folder = tmp_path_factory.mktemp("cycles")
    for name in ("walk", "walk_left"):
        save(segue.loop(segue.sample(name)).clip, folder / f"{name}_cycle.bvh")
    return [str(path) for path in sorted(folder.glob("*.bvh"))]


@pytest.fixture(scope="module")
def rounds() -> Clip:
    """A stride repeated for 5 s."""
    clip = segue.loop(segue.sample("walk")).clip
    return unrolled(clip.with_motion(name="stride", origin=Origin.of("stride", clip.n_frames)), seconds=5)


@pytest.mark.parametrize("fps", [60.0, 25.0])
def test_a_record_gives_frames_and_periods_back(tmp_path: Path, rounds: Clip, fps: float) -> None:
    """Frames are restored modulo the period and periods by name; a range with many wraps is one segment."""
    motion = resampled(rounds, fps)
    path = tmp_path / "m.origin.json"
    write_record(path, Record("loop", {}, (Source("stride", "x", "0"),), "1", fps, motion.origin))
    document = json.loads(path.read_text())
    assert document["periods"] == {"stride": 66.0}
    assert len(document["segments"]) == 1
    assert document["segments"][0]["sources"][0]["frames"] == {"first": 0.0, "step": pytest.approx(60 / fps)}
    origin = read_record(path).origin
    assert origin.periods == (66.0,)
    assert np.abs(np.mod(origin.frame - motion.origin.frame + 33, 66)[:, 0] - 33).max() < 1e-5
    assert seam_ranges(origin) == []


def test_a_record_without_periods_is_read(tmp_path: Path) -> None:
    """Records of earlier versions have no periods."""
    walk = segue.sample("walk")
    path = tmp_path / "m.origin.json"
    write_record(path, Record("loop", {}, (Source("walk", "sample:walk", "0"),), "1", 60.0, walk.origin))
    assert "periods" not in json.loads(path.read_text())
    assert read_record(path).origin.periods == ()


def test_npz_gives_periods_back(tmp_path: Path, rounds: Clip) -> None:
    """An NPZ file stores the periods of its sources, and no such array without periods."""
    save(rounds, tmp_path / "r.npz")
    assert load(tmp_path / "r.npz").origin.periods == (66.0,)
    save(segue.sample("walk"), tmp_path / "w.npz")
    with np.load(tmp_path / "w.npz") as arrays:
        assert "origin_periods" not in arrays
    with np.load(tmp_path / "r.npz") as arrays:
        changed = {**arrays, "origin_periods": np.array([1.0, 2.0, 3.0])}
    np.savez(tmp_path / "bad.npz", **changed)
    with pytest.raises(segue.FileError, match="origin_periods"):
        load(tmp_path / "bad.npz")


def test_a_library_keeps_cycles_and_matches_them(tmp_path: Path, files: list[str]) -> None:
    """Strides of a second are matched; points name frames of the stride, in whichever round they were found."""
    with Library.open(tmp_path / "moves.segue") as library:
        library.add(files)
        library.match(threshold=0.05)
        sizes = {entry.name: entry.n_frames for entry in library.clips()}
        points = library.points()
        assert len(points) > 0
        assert all(
            point.a_frame < sizes[point.a_clip] and point.b_frame < sizes[point.b_clip] for point in points
        )


def test_a_walk_out_of_cycles_is_measured_and_made_again(tmp_path: Path, files: list[str]) -> None:
    """With its record, a motion of cycles is measured seam by seam and replayed bit for bit."""
    collection = read(files)
    settings = Settings(threshold=0.05)
    motion = render(make_graph(collection, settings).wander(seconds=8, seed=2))

    given = {"make": settings.document(), "walk": {"seconds": 8.0, "seed": 2, "by": "cost", "start": None}}
    write(motion, tmp_path / "w.bvh", collection=collection, command="wander", settings=given)
    measured = measure_file(tmp_path / "w.bvh")
    assert measured.motion.origin.periods
    assert len(measured.measures.seams) == len(seam_ranges(motion.origin))
    assert replay(tmp_path / "w.origin.json")[3]
