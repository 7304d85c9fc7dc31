"""Every command: its files, its text output, and its one JSON document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from segue.io import load, save
from segue.motion.samples import sample


def test_wander_makes_a_motion_of_a_folder(segue, clips):
    """The motion has exactly the requested length; record and text report are there."""
    result = segue("wander", clips, "--seconds", 7.5, "--seed", 4, "-o", "out.bvh", "-v")
    assert (result.code, result.err) == (0, "")
    motion = load("out.bvh")
    assert (motion.n_frames, motion.fps) == (226, 30.0)
    for words in (
        "out.bvh: 7.5 s, 226 frames at 30 fps",
        "3 read",
        "admitted",
        "seams",
        "record: out.origin.json",
    ):
        assert words in result.out


def test_a_maker_prints_five_lines(segue, clips):
    """They give the result, the clips, seams, feet and record; -v and --json give the rest."""
    result = segue("wander", clips, "--seconds", 7.5, "--seed", 4, "-o", "out.bvh")
    head, made_of, seams, feet, record = result.out.splitlines()
    assert head == "out.bvh: 7.5 s, 226 frames at 30 fps"
    assert made_of.startswith("  made of  3 of 3 clips; ")
    assert "all within bounds" in seams
    assert feet.endswith("mm on average")
    assert record == "record: out.origin.json (-v prints more)"
    joined = segue("stitch", clips / "start.bvh", clips / "walk.bvh", "-o", "two.bvh").out.splitlines()
    assert len(joined) == 5
    assert "start at " in joined[1]


def test_wander_tells_programs_the_same(segue, clips):
    """The document holds counts, threshold and share, clips played, seams and skate."""
    result = segue("wander", clips, "sample:walk_slow", "--seconds", 6, "-o", "out.glb", "--json")
    document = result.document
    assert result.code == 0
    assert document["written"] == ["out.glb", "out.origin.json"]
    assert (document["seconds"], document["clips_read"]) == (6.0, 4)
    assert document["clips_reached"] + len(document["left_out"]) == 4
    assert set(document["clips_played"]) <= {"walk", "stop", "start", "walk_slow"}
    assert document["seams"] == document["seams_within_bounds"]
    assert 0 < document["share"] <= 1
    assert {"start_to_end", "along_path"} == set(document["skate_cm"])


def test_wander_by_probability_with_other_settings(segue):
    """All options that change the motion are accepted."""
    words = ["wander", "sample:walk", "sample:stop", "--seconds", 3, "--json"]
    given = [
        segue(*words, *more, "-o", f"{k}.bvh").document
        for k, more in enumerate(
            [
                ["--by", "probability", "--fps", 30],
                ["--threshold", 0.002, "--blend", 0.2],
                ["--root", "displacement", "--start", "stop", "--fps", 24],
                ["--cost", "relative_distance", "--share", 0.3, "--skeleton", "stop"],
            ]
        )
    ]
    assert [t["fps"] for t in given] == [30.0, 60.0, 24.0, 60.0]
    assert given[1]["threshold"] == 0.002
    assert given[2]["clips_played"][0] == "stop"
    assert all(t["seconds"] == 3.0 for t in given)


def test_wander_over_captured_clips(segue, data):
    files = [data / f"asf_amc/16/{name}.amc" for name in ("16_31", "16_47", "16_58")]
    document = segue("wander", *files, "--seconds", 10, "--fps", 30, "-o", "out.bvh", "--json").document
    assert (document["frames"], document["fps"]) == (301, 30.0)
    assert document["seams"] == document["seams_within_bounds"] > 0


def test_the_same_command_makes_the_same_file(segue, clips):
    """Files are equal byte for byte; another seed gives another file."""
    for seed, name in ((1, "a"), (1, "b"), (2, "c")):
        segue("wander", clips, "--seconds", 4, "--seed", seed, "-o", f"{name}.bvh")
    a, b, c = ((clips.parent / f"{name}.bvh").read_bytes() for name in "abc")
    assert a == b != c


def test_a_motion_is_called_as_its_file(segue):
    """Formats that store a name use that of the file, not that of the first clip."""
    for kind in ("npz", "glb"):
        assert segue("wander", "sample:walk", "--seconds", 2, "-o", f"mine.{kind}", "--force").code == 0
        assert load(f"mine.{kind}").name.startswith("mine")
    assert b'"mine"' in Path("mine.glb").read_bytes()


def test_what_a_format_writes_besides_is_named(segue, tmp_path):
    """The joint positions of a MuJoCo model are a separate file, not overwritten without --force."""
    (tmp_path / "robot.qpos.csv").write_text("precious")
    words = ("wander", "sample:walk", "--seconds", 2, "-o", "robot.xml")
    result = segue(*words)
    assert result.code == 2
    assert "robot.qpos.csv: exists already" in result.err
    assert (tmp_path / "robot.qpos.csv").read_text() == "precious"
    document = segue(*words, "--force", "--json").document
    assert document["written"] == ["robot.xml", "robot.qpos.csv", "robot.origin.json"]
    assert "also robot.qpos.csv" in segue(*words, "--force").out


def test_stitch_keeps_the_order(segue, clips):
    """The inputs are files and samples; the output is text or JSON."""
    files = [clips / "start.bvh", "sample:walk", clips / "stop.bvh"]
    result = segue("stitch", *files, "-o", "out.bvh", "-v")
    assert result.code == 0
    assert result.out.index("start to walk") < result.out.index("walk to stop")
    document = segue("stitch", *files, "-o", "out.bvh", "--force", "--json").document
    assert [(j["from"], j["to"]) for j in document["joins"]] == [("start", "walk"), ("walk", "stop")]
    assert all(j["next_frame_costs"] < 3 for j in document["joins"])
    assert load("out.bvh").n_frames == document["frames"]


def test_stitch_warns_of_a_seam_that_shows(segue, tmp_path):
    """A seam out of bounds gives a warning with advice, and the motion is written."""
    result = segue("stitch", "sample:walk", "sample:run", "-o", "out.bvh")
    assert result.code == 0
    assert "warning: 1 seam of 1 beyond bounds" in result.err
    assert "--blend auto" in result.err
    assert (
        "--blend auto"
        not in segue("stitch", "sample:walk", "sample:run", "-o", "b.bvh", "--blend", "auto").err
    )


def test_replay_makes_it_again(segue, made):
    """A motion that differs from the record exits with 1."""
    output = segue("replay", "made.origin.json", "-o", "again.bvh")
    assert output.code == 0
    assert "the same motion" in output.out
    assert made.read_bytes() == (made.parent / "again.bvh").read_bytes()
    record = made.with_name("made.origin.json")
    record.write_text(record.read_text().replace('"seed": 1', '"seed": 2'))
    result = segue("replay", record, "-o", "other.bvh", "--json")
    assert result.code == 1
    assert result.document["same"] is False


def test_replay_names_the_versions_that_differ(segue, made):
    """Versions are named for the same and for another motion and in JSON; if all agree, the output states it."""
    record = made.with_name("made.origin.json")
    text = record.read_text("utf-8")
    here = json.loads(text)["libraries"]["numpy"]
    older = text.replace(f'"numpy": "{here}"', '"numpy": "1.26.0b1"')
    record.write_text(older)
    result = segue("replay", record, "-o", "again.bvh")
    assert result.code == 0
    assert f"the same motion, though numpy 1.26.0b1 (here {here}) made it" in result.out
    document = segue("replay", record, "-o", "again.bvh", "--force", "--json").document
    assert document["differing"] == {"numpy": {"made_with": "1.26.0b1", "runs": here}}
    record.write_text(older.replace('"seed": 1', '"seed": 2'))
    result = segue("replay", record, "-o", "other.bvh")
    assert result.code == 1
    assert f"NOT the same motion: numpy 1.26.0b1 (here {here}) made it" in result.out
    record.write_text(text.replace('"seed": 1', '"seed": 2'))
    assert "the versions agree" in segue("replay", record, "-o", "other.bvh", "--force").out
    record.write_text(text.replace('"seed": 1', '"seed": 2').replace('"libraries"', '"others"'))
    assert "another version or processor" in segue("replay", record, "-o", "other.bvh", "--force").out


def test_replay_finds_moved_sources(segue, made, clips):
    clips.rename(clips.with_name("moved"))
    assert segue("replay", "made.origin.json").code == 2
    assert segue("replay", "made.origin.json", "--sources", "moved").code == 0


def test_compare_lists_the_best_points(segue, clips):
    """The output gives counts in both directions, threshold, points and a picture."""
    result = segue("compare", clips / "walk.bvh", clips / "stop.bvh", "-o", "matrix.png", "--best", 3)
    assert result.code == 0
    for words in ("walk to stop:", "there", "back", "leave at", "picture: matrix.png"):
        assert words in result.out
    assert (clips.parent / "matrix.png").read_bytes().startswith(b"\x89PNG")
    document = segue("compare", clips / "walk.bvh", "sample:stop", "--best", 2, "--json").document
    assert len(document["points"]) == 2
    assert document["points"][0]["cost"] <= document["points"][1]["cost"] <= document["threshold"]


@pytest.mark.parametrize(
    "more", [["--method", "sectors"], ["--mode", "source", "--threshold", "1"], ["--threshold", "knee"]]
)
def test_compare_takes_every_method(segue, more):
    """Sectors, source mode and the knee work, here on one clip given twice."""
    result = segue("compare", "sample:walk", "sample:walk", *more, "--json")
    assert result.code == 0
    assert result.document["a"] == result.document["b"] == "walk"


def test_compare_without_points_still_tells(segue):
    """stdout has the JSON document and stderr one sentence."""
    result = segue("compare", "sample:walk", "sample:run", "--json")
    assert result.code == 1
    assert result.document["points"] == []
    assert "largest component" not in result.err
    for words in (
        "no transition from 'walk' to 'run'",
        "the best costs",
        "the threshold is",
        "--threshold 0.",
    ):
        assert words in result.err
    assert len(result.err.splitlines()) == 1


def test_measure_tells_skate_seams_and_speed(segue, made):
    """The worst seams are listed, as text and as JSON."""
    result = segue("measure", made)
    assert (result.code, result.err) == (0, "")
    for words in (
        "cm start to end",
        "a part under 3 cm and 0.3 m/s: ",
        "beyond its source",
        "m/s mean",
        "within bounds",
        "seam ",
    ):
        assert words in result.out
    document = segue("measure", made, "--worst", 2, "--json").document
    assert len(document["worst_seams"]) == 2
    assert set(document["slip_mm"]["low"]) == {"plants", "median", "p95", "beyond_median", "beyond_p95"}
    assert document["seams"] == document["seams_measured"] == document["seams_within_bounds"]


def test_measure_without_a_record_says_what_is_missing(segue, made):
    """The note is on stderr, so that stdout holds only the JSON document."""
    made.with_name("made.origin.json").unlink()
    result = segue("measure", made, "--json")
    assert result.document["seams"] == 0
    assert "no record (made.origin.json) lies beside it" in result.err
    assert segue("measure", "sample:walk").code == 0
    assert "seam" not in segue("measure", made).out


def test_points_are_told_in_each_files_own_frames(segue, clips):
    """For clips at 30 and at 120 frames a second, frames are each clip's own and seconds agree."""
    save(sample("stop", fps=120.0), clips / "fast.bvh")
    document = segue("compare", clips / "walk.bvh", clips / "fast.bvh", "--json").document
    for point in document["points"]:
        assert point["a_seconds"] == pytest.approx(point["a_frame"] / 30.0, rel=1e-6)
        assert point["b_seconds"] == pytest.approx(point["b_frame"] / 120.0, rel=1e-6)
    slow = segue("compare", clips / "walk.bvh", clips / "stop.bvh", "--json").document
    best, same = document["points"][0], slow["points"][0]
    assert abs(best["a_seconds"] - same["a_seconds"]) < 0.1
    assert abs(best["b_seconds"] - same["b_seconds"]) < 0.1


def test_no_line_for_people_is_longer_than_a_screen(segue, clips):
    """The limit is 120 columns."""
    for words in (
        ("wander", clips, "--seconds", 6, "-o", "a.bvh"),
        ("wander", clips, "--seconds", 6, "-o", "c.bvh", "-v"),
        ("stitch", clips / "walk.bvh", clips / "stop.bvh", "-o", "b.bvh"),
        ("measure", "a.bvh"),
        ("compare", clips / "walk.bvh", clips / "stop.bvh"),
        ("samples",),
    ):
        result = segue(*words)
        assert result.code == 0, result.err
        assert max(len(line) for line in result.out.splitlines()) <= 120, result.out


def test_film_draws_strips_seams_and_timelines(segue, made):
    """Three pictures show one motion and one a sample."""
    for more, name in ((["--count", 5], "a"), (["--seam", 1], "b"), (["--timeline"], "c")):
        result = segue("film", made, *more, "-o", f"{name}.png", "--json")
        assert result.code == 0, result.err
        assert result.document == {"written": [f"{name}.png"]}
        assert (made.parent / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert segue("film", "sample:run", "--every", 1, "--view", "side", "-o", "e.png").code == 0


def test_demo_makes_a_folder(segue, tmp_path):
    """The document lists the files written."""
    document = segue("demo", "--folder", "out", "--seconds", 3, "--json").document
    assert {"out/demo.bvh", "out/demo.origin.json", "out/demo.glb"} <= set(document["written"])
    assert all((tmp_path / name).stat().st_size for name in document["written"])
    assert document["seams"] == document["seams_within_bounds"]


def test_skipped_files_are_named_on_stderr(segue, clips):
    """The document names them too, and the other files are used."""
    (clips / "notes.bvh").write_text("shopping list\n")
    result = segue("wander", clips, "--seconds", 2, "--json")
    assert result.code == 0
    assert result.document["clips_read"] == 3
    assert "skipped" in result.err
    assert "notes.bvh:1:" in result.err
    assert "notes.bvh" in result.document["skipped"][0][0]


@pytest.mark.parametrize("command", ["wander", "stitch", "replay", "compare", "measure", "film", "demo"])
def test_every_command_explains_itself(segue, command):
    """--help and -h give usage and options."""
    result = segue(command, "--help")
    assert result.code == 0
    assert "Usage: segue" in result.out
    assert "--json" in result.out
    assert segue(command, "-h").out == result.out


def test_without_words_segue_shows_its_commands(segue):
    result = segue()
    for name in ("wander", "stitch", "replay", "compare", "measure", "film", "demo"):
        assert name in result.out + result.err
    assert segue("--version").out.startswith("segue 0.")


def test_each_transition_may_last_as_long_as_it_needs(segue, clips):
    """--blend takes a word, a fraction or seconds, and replay makes the same motion."""
    assert segue("wander", clips, "--seconds", 6, "--blend", "auto", "-o", "own.bvh").code == 0
    result = segue("replay", "own.origin.json", "-o", "again.bvh")
    assert (result.code, "the same motion" in result.out) == (0, True)
    for word in ("1/3", "0.3333333333333333"):
        assert (
            segue("wander", clips, "--seconds", 3, "--blend", word, "-o", "thirds.bvh", "--force").code == 0
        )
    for word in ("soon", "geodesic", "timewarped", "1/0", "nan", "-1", "1e9", ""):
        result = segue("wander", clips, "--seconds", 3, "--blend", word, "-o", "none.bvh")
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), word
        assert not Path("none.bvh").exists()
