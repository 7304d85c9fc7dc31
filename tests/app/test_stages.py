"""Reading inputs, refusing impossible settings before long work, and measuring made motions."""

from __future__ import annotations

import numpy as np
import pytest

from segue.app import demo, stages
from segue.app.measuring import measure_file, motion_and_sources
from segue.errors import FileError, NoTransitionError, SegueError, SettingError
from segue.io import save
from segue.motion.samples import SAMPLES, sample
from segue.settings import Settings


def test_clips_come_in_the_order_named(folder):
    """Files, folders and samples are read in the order named, each once."""
    inputs = [str(folder / "stop.bvh"), "sample:run", str(folder), "sample:run", str(folder / "stop.bvh")]
    names = [clip.name for clip in stages.read(inputs).clips]
    assert names == ["stop", "run", "start", "walk", "walk_left"]


def test_one_word_names_all_samples():
    assert [clip.name for clip in stages.read(["sample:"]).clips] == list(SAMPLES)


def test_files_that_cannot_be_read_are_told_and_left_out(folder):
    """The other files are read."""
    (folder / "notes.bvh").write_text("this is no motion\n")
    (folder / "notes.txt").write_text("nor this\n")
    found = stages.read([str(folder)])
    assert len(found.clips) == 4
    ((path, why),) = found.skipped
    assert path.endswith("notes.bvh")
    assert "notes.bvh:1: a BVH file starts with HIERARCHY" in why


def test_nothing_to_read_is_refused(tmp_path):
    """An empty or missing folder, malformed files and a misspelt sample are errors."""
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(FileError, match="no motion files here"):
        stages.read([str(empty)])
    with pytest.raises(FileError, match="no such file or folder"):
        stages.read([str(tmp_path / "missing")])
    (empty / "a.bvh").write_text("hello\n")
    with pytest.raises(FileError) as caught:
        stages.read([str(empty / "a.bvh")])
    assert str(caught.value).count("a.bvh") == 1
    assert caught.value.line == 1
    (empty / "b.bvh").write_text("")
    with pytest.raises(FileError, match=r"a\.bvh:1: .*; .*b\.bvh"):
        stages.read([str(empty)])
    with pytest.raises(SettingError, match="nearest: walk"):
        stages.read(["sample:wolk"])


def test_in_order_means_files_by_name(folder):
    """A file named again is used again; folders and `sample:` are refused."""
    walk, stop = str(folder / "walk.bvh"), str(folder / "stop.bvh")
    clips = stages.read_in_order([walk, stop, walk, "sample:run", walk]).clips
    assert [clip.name for clip in clips] == ["walk", "stop", "walk", "run", "walk"]
    assert clips[0] is clips[2]
    with pytest.raises(FileError, match="is a folder; name the files"):
        stages.read_in_order([walk, str(folder)])
    with pytest.raises(FileError, match="name them one by one"):
        stages.read_in_order([walk, "sample:"])
    (folder / "bad.bvh").write_text("hello\n")
    with pytest.raises(FileError, match="starts with HIERARCHY"):
        stages.read_in_order([walk, str(folder / "bad.bvh")])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cost": "money"}, "no cost is called 'money'"),
        ({"threshold": "low"}, "neither a number nor auto nor knee"),
        ({"threshold": -1.0}, "never negative"),
        ({"share": 1.5}, "up to 1"),
        ({"share": float("nan")}, "up to 1"),
        ({"blend_seconds": -0.1}, "0 .hard cut. to 2 s"),
        ({"root": "middle"}, "'position' or 'displacement'"),
        ({"fps": 0.0}, "1 to 1000"),
        ({"fps": float("nan")}, "1 to 1000"),
    ],
)
def test_impossible_settings_are_refused_at_once(settings, words):
    """The settings themselves refuse them, before a file is read."""
    with pytest.raises(SettingError, match=words):
        Settings(**settings)


def test_a_body_is_asked_for_by_a_clips_name(folder, data):
    """The graph has that clip's skeleton; an unknown name lists the nearest."""
    collection = stages.read([str(folder / "walk.bvh"), str(data / "asf_amc/16/16_47.amc")])
    graph = stages.make_graph(collection, Settings(skeleton="16_47", fps=30.0))
    assert graph.clips[0].skeleton is collection.clips[1].skeleton
    with pytest.raises(SettingError, match="no clip is called '16_46'; nearest: 16_47"):
        stages.make_graph(collection, Settings(skeleton="16_46"))


def test_without_a_way_the_sentence_says_cost_threshold_and_change():
    """The error states threshold, lowest cost and the option to change."""
    graph = stages.make_graph(stages.read(["sample:walk", "sample:run"]), Settings(threshold=0.0))
    with pytest.raises(NoTransitionError) as caught:
        stages.require_walkable(graph)
    for words in ("below the threshold 0", "the lowest cost is", "Omit --threshold"):
        assert words in str(caught.value)


def test_a_made_motion_is_measured_with_its_seams(record, tmp_path):
    """This needs the record and the sources in their places."""
    found = measure_file(tmp_path / "made.bvh")
    assert found.record is not None
    assert len(found.measures.seams) == found.measures.n_seams > 0
    assert not found.note
    assert {clip.name for clip in found.sources} <= {"walk", "walk_left", "stop", "start"}


def test_seams_are_those_of_the_motion_in_memory(record, tmp_path):
    """After writing and reading, each seam's measures are the same to the precision of BVH."""
    from segue.app.replay import replay
    from segue.measures import measure

    motion, collection, _, _ = replay(record)
    direct = measure(motion, sources=collection.clips).seams
    read = measure_file(tmp_path / "made.bvh").measures.seams
    assert [s.start for s in direct] == [s.start for s in read]
    for one, other in zip(direct, read, strict=True):
        assert (one.a_clip, one.b_clip) == (other.a_clip, other.b_clip)
        np.testing.assert_allclose(one.acceleration, other.acceleration, rtol=2e-3, atol=2e-2)
        np.testing.assert_allclose(one.source_speed, other.source_speed, rtol=1e-3, atol=1e-3)


def test_without_a_record_seams_are_not_known(record, folder, tmp_path):
    """A note states it; a sample needs no record."""
    record.unlink()
    found = measure_file(tmp_path / "made.bvh")
    assert "no record (made.origin.json)" in found.note
    assert not found.measures.seams
    from pathlib import Path

    assert measure_file(Path("sample:walk")).motion.name == "walk"


def test_measuring_refuses_changed_and_missing_sources(record, folder, tmp_path):
    """Measures need the right sources; pictures work without."""
    used = measure_file(tmp_path / "made.bvh").sources[0].name
    (folder / f"{used}.bvh").rename(folder / "gone.bvh")
    with pytest.raises(FileError, match="--sources"):
        measure_file(tmp_path / "made.bvh")
    clip, sources = motion_and_sources(str(tmp_path / "made.bvh"))
    assert sources == ()
    assert set(clip.origin.clips) == {"walk", "walk_left", "stop", "start"}
    (tmp_path / "new").mkdir()
    (folder / "gone.bvh").rename(tmp_path / "new" / f"{used}.bvh")
    assert measure_file(tmp_path / "made.bvh", sources=tmp_path / "new").measures.seams


def test_mixed_sources_keep_their_names(folder, tmp_path):
    """A stitched motion of a file, a sample and the file again is measured with the right sources."""
    settings = Settings()
    collection = stages.read_in_order([str(folder / "stop.bvh"), "sample:walk", str(folder / "stop.bvh")])
    made, motion = stages.make_stitch(collection, settings)
    out = tmp_path / "made.bvh"
    stages.write(motion, out, collection=collection, command="stitch", settings={"make": settings.document()})
    found = measure_file(out)
    assert [clip.name for clip in found.sources] == ["stop", "walk"]
    assert [(s.a_clip, s.b_clip) for s in found.measures.seams] == [("stop", "walk"), ("walk", "stop")]
    np.testing.assert_allclose(
        [s.badness(found.measures.bounds) for s in found.measures.seams], made.badness, rtol=0.02
    )


def test_the_demo_makes_everything_and_can_be_run_again(tmp_path, monkeypatch):
    """The demo writes BVH, GLB and the record; invalid settings are refused first."""
    monkeypatch.setattr(stages, "SAMPLES", ("walk", "stop"))
    for _ in range(2):
        made = demo.run(tmp_path / "out", seconds=3, seed=2)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"demo.bvh", "demo.glb", "demo.origin.json"} <= names
    assert any("Blender" in line for line in made.lines)
    with pytest.raises(SettingError, match="positive number of seconds"):
        demo.run(tmp_path / "none", seconds=-1)
    assert not (tmp_path / "none").exists()
    save(sample("walk"), tmp_path / "file.bvh")
    with pytest.raises(SegueError, match="cannot be made"):
        demo.run(tmp_path / "file.bvh", seconds=1)
