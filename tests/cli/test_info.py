"""The commands that describe files."""

from __future__ import annotations

import numpy as np
import pytest

from segue.io import load, save
from segue.motion.samples import SAMPLES, sample


@pytest.fixture
def broken(clips):
    """A walk whose left arm holds zeros in its first frames, next to the other clips."""
    walk = sample("walk_fast", fps=60.0)
    rotations = walk.rotations.copy()
    rotations[:3, walk.skeleton.index("LeftArm")] = [1.0, 0, 0, 0]
    save(walk.with_motion(rotations), clips / "broken.bvh")
    return clips


def test_info_says_what_a_folder_holds(segue, broken):
    """The text has one row for each clip, faults, notes on reading, and totals."""
    result = segue("info", broken)
    assert (result.code, result.err) == (0, "")
    rows = [line.split() for line in result.out.splitlines()]
    walk = sample("walk_fast")
    given = ["broken", str(walk.n_frames), "60", f"{walk.seconds:.2f}"]
    assert next(row for row in rows if row[0] == "broken")[:4] == given
    for words in (
        "dropout",
        "broken: LeftArm holds zeros in frames 0 to 2, next to a jump; not played",
        "frame time 0.03333333 in the file (start, stop, walk)",
        "all of them: format bvh, joints 21, ",
        "4 clips (4 bvh)",
        "3 faulty frames will not be played",
    ):
        assert words in result.out


def test_info_tells_programs_the_same(segue, broken):
    """The JSON document has faults, roles and totals."""
    (broken / "bad.bvh").write_text("no motion")
    result = segue("info", broken, "--json")
    document = result.document
    one = next(clip for clip in document["clips"] if clip["name"] == "broken")
    (fault,) = one["faults"]
    assert (fault["kind"], fault["start_frame"], fault["stop_frame"]) == ("dropout", 0, 3)
    assert fault["joints"] == ["LeftArm"]
    assert one["roles"]["left_knee"] == "LeftLeg"
    assert document["total"] == {
        "clips": 4,
        "frames": sum(clip["frames"] for clip in document["clips"]),
        "seconds": pytest.approx(sum(clip["seconds"] for clip in document["clips"])),
        "faulty_frames": 3,
    }
    assert "bad.bvh" in document["skipped"][0]["path"]


def test_info_names_copies(segue, tmp_path):
    """The copies are in two formats."""
    for name in ("one.bvh", "two.glb"):
        save(sample("walk_left"), tmp_path / name)
    result = segue("info", "one.bvh", "two.glb")
    assert "the same motion twice" in result.out
    assert "one and two for 6.0 s" in result.out or "one and two for 5." in result.out
    assert "twice" not in segue("info", "one.bvh", "two.glb", "--no-copies").out


def test_info_names_each_group_of_copies_once(segue, tmp_path):
    """Eight copies are 28 pairs and one line; copies of another motion have their own line."""
    for number in range(8):
        save(sample("walk_left"), tmp_path / f"copy_{number}.bvh")
    for name in ("stop_a", "stop_b", "stop_c"):
        save(sample("stop"), tmp_path / f"{name}.bvh")
    text = segue("info", ".").out
    rows = text.partition("the same motion twice")[2].splitlines()[1:3]
    assert "copy_0, copy_1, copy_2, copy_3, copy_4, copy_5 and 2 more (--json) for" in rows[0]
    assert "stop_a, stop_b and stop_c for" in rows[1]
    assert len(segue("info", ".", "--json").document["copies"]) == 31


def test_info_of_embedded_clips_and_of_nothing(segue):
    """Embedded clips are described; a missing file is an error."""
    result = segue("info", "sample:run")
    assert "embedded" in result.out
    assert "none" in result.out
    result = segue("info", "nowhere.bvh")
    assert result.code == 2
    assert "nowhere.bvh" in result.err


def test_info_of_markers(segue, tmp_path):
    """A TRC file is described in one sentence."""
    from segue.io.markers import Markers, write_trc

    write_trc(Markers(("A", "B"), np.ones((5, 2, 3)), 100.0), tmp_path / "m.trc")
    result = segue("info", "m.trc")
    assert result.code == 0
    assert "m.trc: 2 markers and no skeleton (trc), 5 frames at 100 fps" in result.out
    assert "clips" not in result.out


def test_info_fits_eighty_columns(segue, data):
    """Properties common to all clips are printed once, as are notes that differ only in numbers and names."""
    result = segue("info", data / "asf_amc/127")
    assert (
        "all of them: format amc, fps 120, joints 31, unit 5.644 cm, up Y, roles 21/21 CMU, height"
        in result.out
    )
    assert max(len(line) for line in result.out.splitlines() if line.startswith("  127_")) < 80
    result = segue("info", data / "gltf/kaykit", "--no-copies")
    notes = result.out[result.out.index("how it was read:") :].splitlines()
    assert len(notes) < 12
    assert any(note.startswith("  places of 'handslot.l'") and "like it (--json)" in note for note in notes)


def test_info_of_one_clip_is_a_list(segue):
    """Each property has its own line."""
    lines = [line.split(maxsplit=1) for line in segue("info", "sample:run").out.splitlines()]
    assert lines[0] == ["clip", "run"]
    assert ["joints", "21"] in lines


def test_samples_lists_the_embedded_clips(segue):
    result = segue("samples")
    assert result.code == 0
    for name in SAMPLES:
        assert f"  {name} " in result.out
    assert "1.3 m/s" in result.out
    document = segue("samples", "--json", "--fps", 30).document
    assert [one["name"] for one in document["samples"]] == list(SAMPLES)
    assert document["samples"][1]["fps"] == 30.0


def test_samples_can_be_written(segue, tmp_path):
    """Any format works; existing files are not overwritten without --force."""
    result = segue("samples", "-o", "made/here", "--fps", 30, "--to", "bvh")
    assert result.code == 0
    assert f"written: {len(SAMPLES)} files" in result.out
    again = load(tmp_path / "made/here/walk.bvh")
    assert (again.fps, again.n_frames) == (30.0, sample("walk", 30.0).n_frames)
    refused = segue("samples", "-o", "made/here")
    assert refused.code == 2
    assert "--force" in refused.err
    assert segue("samples", "-o", "made/here", "--force").code == 0
    assert segue("samples", "-o", "other", "--to", "xyz").code == 2
    assert not (tmp_path / "other").exists()
    (tmp_path / "a file").touch()
    assert "is a file; name a folder" in segue("samples", "-o", "a file").err
    assert segue("samples", "--fps", 5).code == 2


def test_faults_of_a_folder_are_one_line_a_kind(segue):
    """Six clips in place share one line with their number; two have a line each."""
    from segue.io import save
    from segue.motion.samples import sample

    walk = sample("walk")
    spot = walk.with_motion(root_positions=walk.root_positions * [1, 1, 0])
    for number in range(6):
        save(spot, f"walk{number}.bvh")
    text = segue("info", ".", "--no-copies").out
    assert sum("feet slide" in line for line in text.splitlines()) == 1
    assert "sliding in 6 clips (walk0, walk1, walk2 and 3 more; all with --json)" in text
    few = segue("info", "walk0.bvh", "walk1.bvh", "--no-copies").out
    assert sum("feet slide" in line for line in few.splitlines()) == 2
