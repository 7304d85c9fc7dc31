"""`segue clean`: feet held in place, floors, repairs, and the measures of the result."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from segue.io import load, save
from segue.motion.samples import sample


def slid(path):
    """Write a walk whose feet slide."""
    walk = sample("walk")
    save(walk.with_motion(root_positions=walk.root_positions * [1, 1, 1.05]), path)


def test_clean_holds_feet_and_says_how_far_they_slid(segue, tmp_path):
    slid("in.bvh")
    result = segue("clean", "in.bvh", "-o", "out.bvh", "-v")
    assert (result.code, result.err) == (0, "")
    for words in ("out.bvh: ", "known from the motion itself", "of all sliding is gone", "slid before", "mm"):
        assert words in result.out


def test_clean_tells_programs_the_same(segue):
    """There is one entry for each plant, before and after."""
    slid("in.bvh")
    document = segue("clean", "in.bvh", "-o", "out.bvh", "--feet", "locked", "--json").document
    assert document["written"] == ["out.bvh"]
    assert document["plants_known_from"] == "the motion itself"
    before, after = (
        sum(p[f"slid_metres_{when}"] for p in document["plants"]) for when in ("before", "after")
    )
    assert after < 0.1 * before
    assert 0 < document["frames_changed"] <= document["frames"]


def test_rows_of_frames_that_need_nothing_are_the_same(segue):
    """Unchanged frames are the same rows in the file."""
    walk = sample("walk")
    roots = np.array(walk.root_positions)
    roots[200:] += np.linspace(0, 0.3, len(roots) - 200)[:, None] * [0, 0, 1]
    save(walk.with_motion(root_positions=roots), "in.bvh")
    document = segue("clean", "in.bvh", "-o", "out.bvh", "--json").document
    rows = [path.read_text().splitlines() for path in map(__import__("pathlib").Path, ("in.bvh", "out.bvh"))]
    assert len(rows[0]) == len(rows[1])
    different = sum(a != b for a, b in zip(*rows, strict=True))
    assert different == document["frames_changed"] < document["frames"]


def test_a_motion_that_does_not_slide_is_written_as_it_is(segue):
    """The output states that there is nothing to do."""
    result = segue("clean", "sample:stand", "-o", "out.bvh")
    assert result.out.strip() == "out.bvh: no planted foot slides; every frame is as it was"
    assert np.array_equal(load("out.bvh").rotations.shape, sample("stand").rotations.shape)


def test_a_made_motion_is_cleaned_by_what_its_sources_had_planted(segue):
    """The record names the sources."""
    segue("stitch", "sample:walk", "sample:walk_slow", "--feet", "free", "-o", "made.bvh")
    result = segue("clean", "made.bvh", "--seams", "--feet", "locked", "-o", "out.bvh")
    assert "known from 2 sources of its record" in result.out


def test_feet_are_planted_unless_free(segue):
    """Only the legs differ from the motion with free feet, and the record can be replayed."""
    for feet in ("planted", "free"):
        assert (
            segue("stitch", "sample:walk", "sample:walk_slow", "--feet", feet, "-o", f"{feet}.bvh").code == 0
        )
    planted, free = load("planted.bvh"), load("free.bvh")
    changed = np.abs(planted.rotations - free.rotations).max(axis=(0, 2)) > 1e-6
    names = {planted.skeleton.names[k] for k in np.flatnonzero(changed)}
    assert names
    assert all(
        any(word in name for word in ("Leg", "Foot", "leg", "foot", "Hip", "Thigh", "Shin")) for name in names
    ), names
    assert segue("replay", "planted.origin.json", "-o", "again.bvh").code == 0


def test_nonsense_is_refused(segue):
    """The command exits with 2 and names the fault."""
    for words, sentence in (
        (("clean", "nothing.bvh"), "nothing.bvh"),
        (("clean", "sample:walk", "--ease", 9), "eased over 9 s"),
        (("clean", "sample:walk", "-o", "x.txt"), "no known extension"),
        (("clean", "sample:walkk"), "walkk"),
        (("stitch", "sample:walk", "sample:stop", "--feet", "loose"), "--feet loose is not known"),
    ):
        result = segue(*map(str, words))
        assert result.code == 2
        assert sentence in result.err


def test_measure_puts_two_motions_side_by_side(segue):
    """Planted and free feet are compared as text and as JSON."""
    for feet in ("planted", "free"):
        assert segue("stitch", "sample:walk", "sample:run", "--feet", feet, "-o", f"{feet}.bvh").code == 0
    result = segue("measure", "planted.bvh", "--against", "free.bvh")
    assert result.code == 0
    for words in ("planted", "free", "foot skate along the path", "jerk at seams / the sources'", "cm"):
        assert words in result.out
    document = segue("measure", "planted.bvh", "--against", "free.bvh", "--json").document
    slipped = document["motion"]["slip_mm"], document["against"]["slip_mm"]
    assert all(one[rule]["plants"] > 0 for one in slipped for rule in ("contacts", "low"))
    assert slipped[0]["contacts"]["beyond_p95"] < slipped[1]["contacts"]["beyond_p95"]
    assert "low part beyond its source's own, 95 %" in result.out
    assert document["motion"]["planted_speed"]["p95"] < document["against"]["planted_speed"]["p95"]
    assert segue("measure", "planted.bvh", "--against", "nothing.bvh").code == 2


def test_measure_writes_a_page(segue):
    """The page is one self-contained file with numbers and curves, for one motion and for two."""
    assert segue("stitch", "sample:walk", "sample:walk_slow", "-o", "made.bvh").code == 0
    result = segue("measure", "made.bvh", "--worst", 1, "--report", "made.html")
    assert result.code == 0
    assert "report: made.html" in result.out
    page = Path("made.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert "http" not in re.sub(r"base64,[^\"]*", "", page.split("</style>")[1])
    for words in ("foot skate along the path", "Pose novelty", "of what a seam may do"):
        assert words in page
    document = segue(
        "measure", "made.bvh", "--report", "two.html", "--against", "sample:walk", "--json"
    ).document
    assert document["written"] == ["two.html"]
    assert document["motion"]["pose_novelty"]["p95"] < 0.2
    assert document["against"]["pose_novelty"] is None
    assert "walk has no seams that are known" in Path("two.html").read_text()


def test_a_page_is_not_written_anywhere(segue):
    """An existing file, another extension and a missing folder or motion are refused."""
    Path("old.html").write_text("mine")
    for words, sentence in (
        (("--report", "old.html"), "exists already"),
        (("--report", "page.pdf"), "no known extension"),
        (("--report", "nowhere/page.html"), "the folder nowhere does not exist"),
        (("--against", "missing.bvh", "--report", "page.html"), "no such file"),
    ):
        result = segue("measure", "sample:walk", *words)
        assert result.code == 2
        assert sentence in result.err
    assert Path("old.html").read_text() == "mine"
    assert not Path("page.html").exists()


def test_a_floor_can_be_told_and_found(segue):
    """The floor is reported as text and as JSON; an invalid one is refused."""
    document = segue("clean", "sample:walk_turn_left", "--floor", "found", "-o", "a.bvh", "--json").document
    assert abs(document["floor"]["slope_degrees"]) < 1
    result = segue("clean", "sample:walk", "--floor", "0,5,90", "-o", "b.bvh")
    assert result.code == 0
    assert "the floor lies at 0.0 cm and slopes 5.0 degrees towards 90 degrees" in result.out
    for words, sentence in (
        ("lost", "--floor lost: write found, a height in cm"),
        ("1,2", "--floor 1,2: write found"),
        ("0,75,0", "a floor cannot slope 75 degrees"),
        ("nan", "a floor needs numbers"),
    ):
        result = segue("clean", "sample:walk", "--floor", words, "-o", "c.bvh")
        assert result.code == 2
        assert sentence in result.err
    assert not Path("c.bvh").exists()


def test_feet_are_put_on_a_floor_that_is_given(segue):
    """The result is reported as text and as JSON, and not at all with heights as captured."""
    walk = sample("walk")
    save(walk.with_motion(root_positions=walk.root_positions - [0, 0.05, 0]), "deep.bvh")
    result = segue("clean", "deep.bvh", "--floor", 0, "-o", "out.bvh")
    assert "planted heels and toes lay up to 5.0 cm off it and lie within 0.1" in result.out
    document = segue("clean", "deep.bvh", "--floor", 0, "-o", "again.bvh", "--json").document
    assert document["planted_off_floor"]["after"] < 0.003 < 0.04 < document["planted_off_floor"]["before"]
    assert document["root_raised"][0] > 0.04
    kept = segue(
        "clean", "deep.bvh", "--floor", 0, "--heights", "captured", "-o", "kept.bvh", "--json"
    ).document
    assert kept["planted_off_floor"] is None
    assert segue("clean", "deep.bvh", "--floor", 0, "--heights", "low", "-o", "x.bvh").code == 2


def test_glitches_are_mended_and_jitter_is_smoothed(segue):
    """Repaired faults are reported, the others with a reason, as text and as JSON."""
    walk = sample("walk")
    broken = np.array(walk.rotations)
    broken[100, walk.skeleton.index("LeftArm")] = [0, 1, 0, 0]
    broken[0] = [1, 0, 0, 0]
    save(walk.with_motion(broken), "broken.bvh")
    result = segue("clean", "broken.bvh", "--repair", "--smooth", "--cutoff", 8, "-o", "out.bvh")
    assert "repaired: LeftArm jumps by up to" in result.out
    assert "not repaired: " in result.out
    assert "smoothed: what trembles faster than 8 Hz is gone from all joints" in result.out
    document = segue("clean", "broken.bvh", "--repair", "-o", "again.bvh", "--json").document
    assert [fault["joints"] for fault in document["mended"]] == [["LeftArm"]]
    assert all(fault["why"] for fault in document["not_mended"])
    sound = segue("clean", "sample:stand", "--repair", "-o", "same.bvh")
    assert "nothing to repair: no frame is faulty" in sound.out
    assert segue("clean", "sample:walk", "--smooth", "--cutoff", 99, "-o", "x.bvh").code == 2


def test_no_verb_prints_nan(segue):
    """A body without ground contact has no foot contacts, and each command states it."""
    run = sample("run")
    roots = np.array(run.root_positions)
    roots[:, 1] += 0.05 * np.arange(run.n_frames)
    save(run.with_motion(root_positions=roots), "away.bvh")
    for words in (("measure", "away.bvh"), ("clean", "away.bvh", "-o", "out.bvh")):
        result = segue(*words)
        assert result.code == 0
        assert "no foot contacts" in result.out
        assert "nan" not in result.out
    for words in (
        ("info", "away.bvh"),
        ("compare", "away.bvh", "away.bvh"),
        ("measure", "away.bvh", "--against", "away.bvh"),
    ):
        assert "nan" not in segue(*words).out
    assert segue("measure", "away.bvh", "--json").document["skate_cm"]["along_path"] is None


def test_a_motion_says_how_much_of_it_is_new(segue):
    """wander and measure report distinct seconds and the share repeated, and warn of repetitive motion."""
    result = segue(
        "wander",
        "sample:walk",
        "sample:stop",
        "sample:start",
        "--seconds",
        40,
        "--seed",
        2,
        "-o",
        "w.bvh",
        "-v",
    )
    assert "s of source motion are shown" in result.out
    assert "the motion repeats itself: only" in result.err
    document = segue("measure", "w.bvh", "--json").document["repetition"]
    assert 5 < document["distinct_seconds"] < 20
    assert document["share_repeated"] > 0.5
    assert "repeats itself" in document["warning"]
    assert segue("measure", "sample:walk", "--json").document["repetition"] is None


def test_free_feet_leave_nothing_to_clean(segue):
    """The command exits with 2 and writes nothing."""
    slid("in.bvh")
    result = segue("clean", "in.bvh", "-o", "out.bvh", "--feet", "free")
    assert result.code == 2
    assert "nothing to clean" in result.err
    assert not Path("out.bvh").exists()
