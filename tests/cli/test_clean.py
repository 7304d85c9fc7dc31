"""Feet held in place, as a newcomer asks for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from segue.io import load, save
from segue.motion.samples import sample


def slid(path):
    """A walk whose ground runs away under it."""
    walk = sample("walk")
    save(walk.with_motion(root_positions=walk.root_positions * [1, 1, 1.05]), path)


def test_clean_holds_feet_and_says_how_far_they_slid(segue, tmp_path):
    """Sums, the worst plants, and a file whose frames outside are the same rows."""
    slid("in.bvh")
    said = segue("clean", "in.bvh", "-o", "out.bvh")
    assert (said.code, said.err) == (0, "")
    for words in ("out.bvh: ", "known from the motion itself", "of all sliding is gone", "slid before", "mm"):
        assert words in said.out


def test_clean_tells_programs_the_same(segue):
    """One entry a plant, before and after."""
    slid("in.bvh")
    told = segue("clean", "in.bvh", "-o", "out.bvh", "--json").document
    assert told["written"] == ["out.bvh"]
    assert told["plants_known_from"] == "the motion itself"
    before, after = (sum(p[f"slid_metres_{when}"] for p in told["plants"]) for when in ("before", "after"))
    assert after < 0.1 * before
    assert 0 < told["frames_changed"] <= told["frames"]


def test_rows_of_frames_that_need_nothing_are_the_same(segue):
    """Byte for byte in the written file."""
    walk = sample("walk")
    roots = np.array(walk.root_positions)
    roots[200:] += np.linspace(0, 0.3, len(roots) - 200)[:, None] * [0, 0, 1]
    save(walk.with_motion(root_positions=roots), "in.bvh")
    told = segue("clean", "in.bvh", "-o", "out.bvh", "--json").document
    rows = [path.read_text().splitlines() for path in map(__import__("pathlib").Path, ("in.bvh", "out.bvh"))]
    assert len(rows[0]) == len(rows[1])
    different = sum(a != b for a, b in zip(*rows, strict=True))
    assert different == told["frames_changed"] < told["frames"]


def test_a_motion_that_does_not_slide_is_written_as_it_is(segue):
    """Nothing to do is said."""
    said = segue("clean", "sample:stand", "-o", "out.bvh")
    assert said.out.strip() == "out.bvh: no planted foot slides; every frame is as it was"
    assert np.array_equal(load("out.bvh").rotations.shape, sample("stand").rotations.shape)


def test_a_made_motion_is_cleaned_by_what_its_sources_had_planted(segue):
    """The record beside it tells the sources."""
    segue("stitch", "sample:walk", "sample:walk_slow", "--feet", "free", "-o", "made.bvh")
    said = segue("clean", "made.bvh", "--seams", "-o", "out.bvh")
    assert "known from 2 sources of its record" in said.out


def test_feet_are_planted_unless_free(segue):
    """What is written differs in the legs around the seam alone, and the record says which it was."""
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
    """One sentence, exit code 2, nothing written."""
    for words, sentence in (
        (("clean", "nothing.bvh"), "nothing.bvh"),
        (("clean", "sample:walk", "--ease", 9), "eased over 9 s"),
        (("clean", "sample:walk", "-o", "x.txt"), "no known extension"),
        (("clean", "sample:walkk"), "walkk"),
        (("stitch", "sample:walk", "sample:stop", "--feet", "loose"), "feet='loose' is not known"),
    ):
        said = segue(*map(str, words))
        assert said.code == 2
        assert sentence in said.err


def test_measure_puts_two_motions_side_by_side(segue):
    """Feet held against feet as blended, in words and for programs."""
    for feet in ("planted", "free"):
        assert segue("stitch", "sample:walk", "sample:run", "--feet", feet, "-o", f"{feet}.bvh").code == 0
    said = segue("measure", "planted.bvh", "--against", "free.bvh")
    assert said.code == 0
    for words in ("planted", "free", "foot skate along the path", "jerk at seams / the sources'", "cm"):
        assert words in said.out
    told = segue("measure", "planted.bvh", "--against", "free.bvh", "--json").document
    assert told["motion"]["planted_speed"]["p95"] < told["against"]["planted_speed"]["p95"]
    assert segue("measure", "planted.bvh", "--against", "nothing.bvh").code == 2


def test_measure_writes_a_page(segue):
    """One file that needs nothing else: numbers, curves, the worst seam; of one motion and of two."""
    assert segue("stitch", "sample:walk", "sample:walk_slow", "-o", "made.bvh").code == 0
    said = segue("measure", "made.bvh", "--worst", 1, "--report", "made.html")
    assert said.code == 0
    assert "report: made.html" in said.out
    page = Path("made.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert "http" not in page.split("</style>")[1]
    for words in ("foot skate along the path", "Pose novelty", "of what a seam may do"):
        assert words in page
    told = segue("measure", "made.bvh", "--report", "two.html", "--against", "sample:walk", "--json").document
    assert told["written"] == ["two.html"]
    assert told["motion"]["pose_novelty"]["p95"] < 0.2
    assert told["against"]["pose_novelty"] is None
    assert "walk has no seams that are known" in Path("two.html").read_text()


def test_a_page_is_not_written_anywhere(segue):
    """Not over another one, not as another kind, not beside a missing motion."""
    Path("old.html").write_text("mine")
    for words, sentence in (
        (("--report", "old.html"), "exists already"),
        (("--report", "page.pdf"), "no known extension"),
        (("--report", "nowhere/page.html"), "the folder nowhere does not exist"),
        (("--against", "missing.bvh", "--report", "page.html"), "no such file"),
    ):
        said = segue("measure", "sample:walk", *words)
        assert said.code == 2
        assert sentence in said.err
    assert Path("old.html").read_text() == "mine"
    assert not Path("page.html").exists()


def test_a_floor_can_be_told_and_found(segue):
    """In words and for programs; nonsense is one sentence."""
    told = segue("clean", "sample:walk_turn_left", "--floor", "found", "-o", "a.bvh", "--json").document
    assert abs(told["floor"]["slope_degrees"]) < 1
    said = segue("clean", "sample:walk", "--floor", "0,5,90", "-o", "b.bvh")
    assert said.code == 0
    assert "the floor lies at 0.0 cm and slopes 5.0 degrees towards 90 degrees" in said.out
    for words, sentence in (
        ("lost", "--floor lost: write found, a height in cm"),
        ("1,2", "--floor 1,2: write found"),
        ("0,75,0", "a floor cannot slope 75 degrees"),
        ("nan", "a floor needs numbers"),
    ):
        said = segue("clean", "sample:walk", "--floor", words, "-o", "c.bvh")
        assert said.code == 2
        assert sentence in said.err
    assert not Path("c.bvh").exists()
