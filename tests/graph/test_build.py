"""From clips to a graph: falling counts, reasons, copies, short clips, thresholds, several bodies and rates."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest

from segue.costs.point_cloud import PointCloudCost
from segue.errors import SettingError
from segue.graph.build import MotionGraph, build_graph, unified
from segue.graph.matching import match
from segue.graph.stitch import stitch
from segue.graph.walk import render
from segue.io import load
from segue.measures.seams import seams
from segue.motion.clip import Clip
from segue.motion.resample import cut, resampled
from segue.motion.samples import sample
from segue.settings import Blend, SeamBounds, SearchSettings


def at30(name):
    return sample(name, fps=30.0)


def renamed(clip, name):
    return Clip(clip.skeleton, clip.rotations, clip.root_positions, clip.fps, name=name)


def test_counts_fall_from_step_to_step(sample_graph, real_graph):
    """No step leaves more points than the one before; the last are the graph's own."""
    for graph in (sample_graph, real_graph):
        steps = graph.report.steps
        counts = list(steps.values())
        assert list(steps)[:2] == ["minima", "sweet spots"]
        assert counts[1] <= counts[0]
        assert steps["ways there and back"] == 2 * steps["sweet spots"]
        assert counts[2:] == sorted(counts[2:], reverse=True)
        assert steps["admitted"] == len(graph.joins)
        assert steps["inside the component"] == sum(len(out) for out in graph.transitions_out)


def test_every_clip_is_in_the_graph_or_has_a_reason(sample_graph, real_graph):
    """Kept and dropped frames together are all frames, kept and dropped clips all clips."""
    for graph in (sample_graph, real_graph):
        report = graph.report
        assert report.frames == sum(clip.n_frames for clip in graph.clips)
        assert report.kept_frames + report.dropped_frames == report.frames
        assert 0 < report.kept_frames <= report.frames
        inside, outside = set(graph.clips_reached), set(report.dropped_clips)
        assert inside | outside == {clip.name for clip in graph.clips}
        assert not inside & outside
        assert all(report.dropped_clips.values())


def test_every_transition_is_below_the_threshold_and_within_bounds(real_graph):
    """This holds for costs, and for the seams of a walk as measured afterwards."""
    assert (real_graph.costs <= real_graph.report.threshold.value).all()
    motion = render(real_graph.wander(seconds=30, seed=4))
    for seam in seams(motion, real_graph.clips):
        assert seam.badness(SeamBounds()) <= 1.0 + 1e-6


def test_unchecked_seams_let_more_in():
    """The check only ever removes transitions."""
    clips = [at30("walk"), at30("stop"), at30("run")]
    checked = build_graph(clips, threshold=0.05)
    loose = build_graph(clips, threshold=0.05, check_seams=False)
    assert len(checked.joins) < len(loose.joins)
    assert "seam within bounds" not in loose.report.steps


def test_clips_join_each_other_wherever_they_walk(cases):
    """Two walks of one gait at different places and headings are copies; parts of them join both ways at low cost."""
    a, b = (load(cases / f"case041-motion-graph-self-only-{name}.bvh") for name in "ab")
    expect = json.loads((cases / "case041-motion-graph-self-only.json").read_text())["expect"]
    settings = {"cost": PointCloudCost(), "blend": Blend(seconds=0.2), "search": SearchSettings()}
    assert match(unified([a, b]), **settings).copies == ((a.name, b.name),)
    matches = match(unified([cut(a, 0, 42), cut(b, 19, 61)]), **settings)
    assert not matches.copies
    for clip in (0, 1):
        jumps = (matches.joins.a_clip == clip) & (matches.joins.b_clip != clip) & np.isfinite(matches.lowest)
        assert jumps.sum() >= expect["cross_edges_min"]
        assert matches.lowest[jumps].min() < 0.2 * matches.next_frame_cost


def test_clips_shorter_than_the_window_are_left_out_and_named(cases):
    """Of clips of 1, 5 and 60 frames two are skipped; the sentence names clip, frames and window."""
    case = json.loads((cases / "case093-motion-graph-short-clip.json").read_text())
    walk = at30("walk")
    lengths = case["inputs"]["frames"]
    clips = [renamed(cut(walk, 0, n), f"{n} frames") for n in lengths]
    graph = MotionGraph.build(clips)
    report = graph.report
    assert len(report.short_clips) == case["expect"]["skipped"]
    for n in lengths[:2]:
        sentence = report.dropped_clips[f"{n} frames"]
        assert f"'{n} frames' has {n} frames" in sentence
        assert "the window needs 11" in sentence
    assert "60 frames" not in report.short_clips
    assert report.frames == sum(lengths)


def test_copies_are_told_and_not_joined(data):
    """A capture and its conversion are one motion; a third clip is joined to both as usual."""
    copies = [load(data / "asf_amc/16/16_31.amc"), renamed(load(data / "cmu/from_amc/16_31.bvh"), "as bvh")]
    graph = MotionGraph.build([*copies, load(data / "asf_amc/16/16_47.amc")], fps=30.0)
    assert graph.report.copies == (("16_31", "as bvh"),)
    pairs = set(zip(graph.joins.a_clip.tolist(), graph.joins.b_clip.tolist(), strict=True))
    assert not {(0, 1), (1, 0)} & pairs
    assert {(0, 2), (2, 0)} & pairs


def test_a_clip_too_long_for_its_copy_is_a_copy_at_another_rate():
    """The same walk twice, at 30 and at 24 frames a second, is reported, not joined, and still a graph of one."""
    walk = at30("walk")
    graph = MotionGraph.build([walk, renamed(resampled(walk, 24.0), "at 24")])
    assert graph.report.copies == (("walk", "at 24"),)
    assert len(graph.clips_reached) == 1


def test_thresholds_as_asked():
    """The threshold is a number, the knee or auto, as reported; auto grows with the share."""
    clips = [at30(name) for name in ("walk", "walk_left", "stop", "start", "walk_slow")]
    number = build_graph(clips, threshold=0.001).report
    assert (number.threshold.value, number.threshold.method) == (0.001, "number")
    knee = build_graph(clips, threshold="knee").report
    assert knee.threshold.method == "knee"
    low, high = (build_graph(clips, share=share).report for share in (0.1, 0.5))
    assert low.threshold.method == high.threshold.method == "auto"
    assert low.threshold.value <= high.threshold.value <= 3.0 * high.next_frame_cost * (1 + 1e-9)
    assert low.kept_frames <= high.kept_frames
    none = build_graph(clips, threshold=np.inf).report
    assert none.kept_frames >= high.kept_frames


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"threshold": "low"}, "nor auto nor knee"),
        ({"threshold": -1.0}, "never negative"),
        ({"threshold": float("nan")}, "never negative"),
        ({"share": 0.0}, "up to 1"),
        ({"fps": -1.0}, "not a frame rate"),
    ],
)
def test_impossible_settings_are_refused(settings, words):
    """Each error says what would have worked."""
    with pytest.raises(SettingError, match=words):
        build_graph([at30("walk")], **settings)


def test_clips_need_names_of_their_own():
    """Empty lists and two clips of one name are refused."""
    with pytest.raises(SettingError, match="at least one clip"):
        build_graph([])
    with pytest.raises(SettingError, match="2 clips are called 'walk'"):
        build_graph([at30("walk"), renamed(at30("run"), "walk")])


def test_several_bodies_and_rates_become_one(data):
    """Samples at two rates and a capture: the first body, the commonest rate, every origin in source frames."""
    captured = load(data / "asf_amc/16/16_31.amc")
    clips = [sample("walk", fps=60.0), sample("stop", fps=60.0), at30("start"), captured]
    graph = MotionGraph.build(clips)
    assert {clip.fps for clip in graph.clips} == {60.0}
    assert all(clip.skeleton is clips[0].skeleton for clip in graph.clips)
    steps = [np.median(np.diff(clip.origin.frame[:, 0])) for clip in graph.clips]
    np.testing.assert_allclose(steps, [1.0, 1.0, 0.5, 2.0])
    body = captured.skeleton
    other = MotionGraph.build(clips, skeleton=body, fps=30.0)
    assert {clip.fps for clip in other.clips} == {30.0}
    assert all(clip.skeleton is body for clip in other.clips)
    motion = render(stitch([clips[3], clips[0]], fps=30.0).walk)
    assert motion.skeleton is body
    assert motion.fps == 30.0


def test_of_equally_common_rates_the_higher_is_taken():
    """No captured frame is lost."""
    assert {clip.fps for clip in unified([at30("walk"), sample("run", fps=60.0)])} == {60.0}


def test_a_setting_that_is_misspelt_is_refused_with_the_nearest() -> None:
    """`MotionGraph.build` accepts exactly the keyword arguments that an editor shows."""
    walk = sample("walk", 30.0)
    with pytest.raises(SettingError, match="takes no 'qualty'; nearest: quality"):
        MotionGraph.build([walk], qualty=2.0)  # type: ignore[call-arg]
    assert "quality" in inspect.signature(MotionGraph.build).parameters


def test_a_blend_may_be_seconds() -> None:
    """A number is the length of the default blend."""
    clips = [sample("walk", 30.0), sample("stop", 30.0)]
    one, other = (MotionGraph.build(clips, blend=blend) for blend in (0.2, Blend(seconds=0.2)))
    assert one.blend == other.blend
    assert len(one.joins) == len(other.joins)
