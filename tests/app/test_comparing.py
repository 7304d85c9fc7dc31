"""Comparing costs: their chosen transitions, set differences, foot skate, and the report page."""

from __future__ import annotations

import re

import numpy as np
import pytest

from segue.app.comparing import (
    compare_costs,
    compared_costs,
    matrix_of,
    only_in,
)
from segue.app.cost_report import cost_lines, reference, write_report
from segue.app.skating import activity, transition, transition_skate
from segue.errors import FileError, NoTransitionError, SettingError
from segue.io import load
from segue.motion.resample import cut
from segue.motion.samples import sample


@pytest.fixture(scope="module")
def compared():
    clips = [sample("walk", 30.0), sample("step_touch", 30.0)]
    return compare_costs(clips[:1], clips[1:], compared_costs("dynamics,uniform"))


def test_all_names_every_cost_and_unknown_names_are_listed():
    """``all`` means the three weightings and every other cost; a single cost is refused."""
    assert {"dynamics", "uniform", "hand_set", "joint_angle", "relative_distance"} <= set(
        compared_costs("all")
    )
    assert compared_costs("uniform, dynamics")["dynamics"].weighting == "dynamics"
    with pytest.raises(SettingError, match="dynamics"):
        compared_costs("dynamic,uniform")
    for words in ("uniform", "uniform,uniform", " , "):
        with pytest.raises(SettingError, match="two or more"):
            compared_costs(words)


def test_costs_are_over_their_median_and_counted_once(compared):
    """Curves rise and are normalised by the median; chosen points are 0.25 s apart on at least one axis."""
    for item in compared.found:
        assert np.all(np.diff(item.curve) >= 0)
        values = matrix_of(compared, item.label, 0).values
        assert np.median(values) == pytest.approx(1, rel=1e-6)
        first = compared.chosen[item.label][0]
        assert values[first.row, first.column] == pytest.approx(first.cost, rel=1e-5)
        cells = item.cells[:, 1:]
        gaps = np.abs(cells[:, None] - cells[None]).max(axis=2)
        assert (gaps[~np.eye(len(cells), dtype=bool)] >= 0.25 * 30 - 1).all()
    assert len(compared.chosen["uniform"]) == compared.best_count


def test_set_differences_leave_out_the_same_motions(compared):
    """A cost differs from itself by nothing; points of both costs within a quarter second are in neither difference."""
    assert only_in(compared, "dynamics", "dynamics") == ()
    only = only_in(compared, "dynamics", "uniform")
    for choice in only:
        for known in compared.chosen["uniform"]:
            apart = max(
                abs(choice.point.a_frame - known.point.a_frame),
                abs(choice.point.b_frame - known.point.b_frame),
            )
            assert apart > 0.25 * 30


def test_a_clip_against_itself_jumps_ahead_only():
    """Jumps within one clip go forwards, beyond window and blend."""
    walk = sample("walk", 30.0)
    found = compare_costs([walk], [walk], compared_costs("uniform,relative_distance"), best=5)
    for chosen in found.chosen.values():
        assert all(choice.column - choice.row > 10 for choice in chosen)
        assert len(chosen) == 5


def test_skate_of_a_planted_copy_is_nothing_and_of_a_moved_one_the_move():
    """A transition from a clip onto itself slides no more than the clip; onto a shifted copy, by the shift."""
    from dataclasses import replace

    from segue.maths.planar import PlanarMotion
    from segue.transitions.transition import TransitionPoint

    walk = sample("walk", 30.0)
    point = TransitionPoint("walk", "walk", 90, 90, 0.0, "aligned", PlanarMotion(), 0.0, True)
    still = transition_skate(walk, walk, point, seconds=1 / 3)
    assert max(still.start_to_end) < 0.005
    moved = transition_skate(walk, walk, replace(point, alignment=PlanarMotion(x=0.2)), seconds=1 / 3)
    assert max(moved.start_to_end) == pytest.approx(0.2, abs=0.03)
    assert all(path >= end - 1e-9 for end, path in zip(moved.start_to_end, moved.along_path, strict=True))


def test_a_transition_is_blended_in_the_middle_of_its_strip():
    """The strip holds frames of both clips, the blend around the point, and the same length of each clip around it."""
    walk, run = sample("walk"), sample("run")
    compared = compare_costs([walk], [run], compared_costs("uniform,dynamics"), best=1)
    motion = transition(walk, run, compared.chosen["uniform"][0].point, seconds=1 / 3, around=0.3)
    mixed = (motion.origin.weight > 0).all(axis=1)
    assert mixed.sum() in (19, 20, 21)
    assert set(motion.origin.clips) == {"walk", "run"}


def test_activity_is_over_the_median():
    """The median activity is 1; a single frame has none."""
    walk = sample("walk")
    assert np.median(activity(walk)) == pytest.approx(1)
    still = cut(walk, 0, 1)
    assert activity(still).tolist() == [0.0]


def test_clips_too_short_say_so():
    """The error states that no blend fits."""
    short = cut(sample("walk", 30.0), 0, 12)
    with pytest.raises(NoTransitionError, match="no blend fits"):
        compare_costs([short], [short], compared_costs("uniform,dynamics"))


def test_the_page_stands_alone(compared, tmp_path):
    """The page is one file with embedded pictures and alternative text, and loads nothing."""
    pytest.importorskip("matplotlib")
    page = tmp_path / "out.html"
    write_report(compared, page)
    text = page.read_text("utf-8")
    pictures = re.findall(r'<img src="([^"]{20})[^"]*" alt="([^"]+)"', text)
    assert len(pictures) > 5
    assert all(start.startswith("data:image/png;base6") and len(alt) > 30 for start, alt in pictures)
    assert not re.search(r'(src|href)="(https?:|//)', text)
    assert "<table>" in text
    assert "dynamics" in text
    assert [p.name for p in tmp_path.iterdir()] == ["out.html"]
    with pytest.raises(FileError, match="html"):
        write_report(compared, tmp_path / "out.pdf")


@pytest.mark.data
def test_dynamics_chooses_less_skate_on_boxing(data):
    """On captured boxing the best transitions by dynamics slide less than those by uniform, as in the source."""
    boxing = load(data / "asf_amc/02/02_05.amc")
    found = compare_costs([boxing], [boxing], compared_costs("dynamics,uniform"), best=20)
    lines = {line.label: line for line in cost_lines(found)}
    assert reference(found) == "uniform"
    assert lines["dynamics"].skate.start_to_end < lines["uniform"].skate.start_to_end
