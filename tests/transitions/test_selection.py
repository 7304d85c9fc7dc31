"""Transition points of two clips: steps, thresholds, kinds, one clip with itself, none left."""

from __future__ import annotations

import numpy as np
import pytest

from segue.costs.matrix import cost_matrix, next_frame_costs
from segue.costs.registry import cost
from segue.errors import SettingError, SkeletonError
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.roles import given
from segue.motion.samples import sample
from segue.settings import SearchSettings
from segue.transitions.candidates import candidates, jumps
from segue.transitions.selection import transition_points

COST = cost("point_cloud")


@pytest.fixture(scope="module")
def walks():
    """Two embedded clips that share a gait."""
    return sample("walk"), sample("stop")


def shortened(clip, n_frames):
    """The first frames of a clip."""
    return Clip(
        clip.skeleton,
        clip.rotations[:n_frames],
        clip.root_positions[:n_frames],
        clip.fps,
        name=f"{n_frames} frames",
    )


@pytest.mark.parametrize("method", ["local", "sectors"])
@pytest.mark.parametrize("mode", ["centre", "source"])
def test_points_are_cheapest_first_and_pass_the_threshold(walks, method, mode):
    """Every point's cost and blend mean are under the threshold; counts fall to the number of points."""
    points = transition_points(*walks, method=method, mode=mode, threshold="knee")
    limit = points.threshold.value
    costs = [point.cost for point in points]
    assert costs == sorted(costs)
    for point in (*points, *points.back):
        assert point.verified
        assert point.cost <= limit
        assert point.diagonal_cost <= limit
        assert point.kind == ("aligned" if mode == "centre" else "start_end")
    counts = list(points.counts.values())
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == len(points)
    assert points.best_rejected > limit


def test_frames_are_frames_of_the_clips_at_their_own_rate(walks):
    """A point's cost is the cost matrix's at the row and column of its frames."""
    matrix = cost_matrix(*walks, cost=COST)
    for point in transition_points(*walks, threshold=1.0):
        row = np.flatnonzero(matrix.a_frames == point.a_frame)
        column = np.flatnonzero(matrix.b_frames == point.b_frame)
        assert matrix.values[row[0], column[0]] == pytest.approx(point.cost, abs=1e-6)


def test_the_alignment_lays_one_pose_on_the_other(walks):
    """At the cheapest aligned point the joints of B, placed on A, are within 10 cm."""
    a, b = walks
    point = transition_points(a, b)[0]
    there = world_positions(a)[point.a_frame]
    here = point.alignment.apply(world_positions(b)[point.b_frame])
    assert np.abs(there - here).max() < 0.1


@pytest.mark.parametrize("mode", ["centre", "source"])
def test_the_blend_of_every_point_fits_into_both_clips(walks, mode):
    """The blend takes a third of a second around the frames, or from the frame left and up to the frame arrived at."""
    a, b = walks
    points = transition_points(a, b, threshold=1.0, mode=mode)
    assert len(points)
    assert len(points.back)
    for point, first, second in [(p, a, b) for p in points] + [(p, b, a) for p in points.back]:
        before, after = (1 / 6, 1 / 6) if mode == "centre" else (0.0, 0.3)
        low, high = point.a_frame - before * first.fps, point.a_frame + after * first.fps
        assert low >= -1e-9
        assert high <= first.n_frames - 1 + 1e-9
        before, after = (1 / 6, 1 / 6) if mode == "centre" else (0.3, 0.0)
        low, high = point.b_frame - before * second.fps, point.b_frame + after * second.fps
        assert low >= -1e-9
        assert high <= second.n_frames - 1 + 1e-9


def test_centred_ways_back_are_the_ways_there_reversed(walks):
    """They blend the same frames, so both directions pass together."""
    points = transition_points(*walks)
    assert points.back == tuple(point.reversed() for point in points)


def test_swapping_the_clips_swaps_the_directions(walks):
    """The law also holds in source mode, where each direction is checked by its own blend."""
    a, b = walks
    ours = transition_points(a, b, mode="source", threshold=0.1)
    theirs = transition_points(b, a, mode="source", threshold=0.1)
    assert len(ours.back)
    assert {(p.a_frame, p.b_frame) for p in ours.back} == {(p.a_frame, p.b_frame) for p in theirs}


def test_one_clip_jumps_within_itself_but_not_next_door():
    """Points of a clip with itself are farther apart than window and blend length, in both directions."""
    walk = sample("walk")
    points = transition_points(walk, walk)
    assert len(points)
    for point in points:
        assert (point.b_frame - point.a_frame) / walk.fps > 2 / 3 - 1e-9
    assert all(point.a_frame > point.b_frame for point in points.back)


def test_a_higher_threshold_only_adds_points(walks):
    seen = set()
    for threshold in np.linspace(0.0, 0.05, 8):
        frames = {(p.a_frame, p.b_frame) for p in transition_points(*walks, threshold=float(threshold))}
        assert seen <= frames
        seen = frames


def test_when_nothing_passes_the_facts_are_there(walks):
    """There is no error: the sentence gives the best cost, the threshold and a setting that works."""
    points = transition_points(*walks, threshold=0.0)
    assert len(points) == 0
    assert points[:3] == ()
    assert 0 < points.best_cost == points.best_rejected
    assert "the threshold is 0" in points.sentence
    raised = float(points.sentence.split("threshold=")[1].split(",")[0])
    assert len(transition_points(*walks, threshold=raised))


def test_the_automatic_threshold_tells_its_shares(walks):
    """The threshold has at least the requested share unless capped, and its sentence reports it."""
    points = transition_points(*walks, share=0.9)
    assert points.threshold.method == "auto"
    assert points.threshold.capped or points.threshold.share_reached >= 0.9
    assert "largest component holds" in points.sentence


def test_jumps_leave_where_the_blend_starts_and_arrive_where_it_ends(walks):
    """The jumps of both directions of a centred blend of 10 frames are 5 frames before and 5 after the cost frames."""
    a, b = (COST.prepare(clip) for clip in walks)
    found = candidates(a, b, cost=COST, settings=SearchSettings())
    found_jumps, count = jumps(found, a, b, settings=SearchSettings(), a_index=3, b_index=7), len(found)
    assert set(found_jumps.from_clip[:count]) == {3}
    assert set(found_jumps.from_clip[count:]) == {7}
    np.testing.assert_array_equal(found_jumps.from_frame[:count], found.cells[:, 0] + a.first - 5)
    np.testing.assert_array_equal(found_jumps.to_frame[:count], found.cells[:, 1] + b.first + 5)
    np.testing.assert_array_equal(found_jumps.from_frame[count:], found.cells[:, 1] + b.first - 5)
    np.testing.assert_array_equal(found_jumps.to_frame[count:], found.cells[:, 0] + a.first + 5)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"method": "global"}, "local"),
        ({"mode": "center"}, "centre"),
        ({"threshold": "best"}, "neither a number nor auto nor knee"),
        ({"threshold": -1.0}, "never negative"),
        ({"blend_seconds": 0.0}, "up to 2 s"),
        ({"method": "sectors", "sector_seconds": 0.1}, "never shorter than the blend"),
        ({"cost": "pointcloud"}, "point_cloud"),
        ({"share": 0.0}, "up to 1"),
    ],
)
def test_impossible_settings_say_what_is_possible(walks, setting, words):
    """The error gives the wrong value and the allowed ones."""
    with pytest.raises(SettingError, match=words):
        transition_points(*walks, **setting)


def test_two_walks_elsewhere_on_the_ground_join_each_other(cases):
    """Place and heading on the ground are no part of the cost: both directions are found, at almost no cost."""
    a, b = (load(cases / f"case041-motion-graph-self-only-{name}.bvh") for name in "ab")
    pa, pb = COST.prepare(a), COST.prepare(b)
    found = candidates(pa, pb, cost=COST, settings=SearchSettings())
    steps = np.median(next_frame_costs(pa, COST))
    assert np.isfinite(found.lowest[0]).any()
    assert np.isfinite(found.lowest[1]).any()
    assert found.lowest[0].min() < 0.05 * steps


def test_clips_shorter_than_the_window_are_named(cases):
    """Clips of 1 and 5 frames give no candidates and a sentence with both numbers; 60 frames work."""
    assert (cases / "case093-motion-graph-short-clip.json").is_file()
    at_30 = cost("point_cloud", rate=60.0, window_seconds=10 / 60)
    clips = [shortened(sample("walk"), count) for count in (1, 5, 60)]
    prepared = [at_30.prepare(clip) for clip in clips]
    skipped = [one.too_short() for one in prepared]
    assert [sentence is not None for sentence in skipped] == [True, True, False]
    assert "5 frames" in skipped[1]
    assert "11" in skipped[1]
    settings = SearchSettings(blend_seconds=10 / 60)
    counts = [len(candidates(one, prepared[2], cost=at_30, settings=settings)) for one in prepared]
    assert counts[:2] == [0, 0]
    with pytest.raises(SettingError, match="window needs"):
        transition_points(clips[1], clips[2])


def test_settings_and_numbers_travel_with_the_result(walks):
    """The result has the names of both clips and the counts of both directions."""
    points = transition_points(*walks)
    assert (points.a_clip, points.b_clip) == ("walk", "stop")
    assert points.back_counts["verified"] == len(points.back)
    assert list(points.counts) == ["minima", "merged", "below", "verified"]
    assert list(transition_points(*walks, mode="source").counts) == ["minima", "below", "merged", "verified"]


@pytest.mark.parametrize("legless", [0, 1])
def test_a_body_without_legs_is_refused(walks, legless):
    """Postures are compared on a standard body, which has legs; the error names the clip and the role."""
    bare = walks[legless].with_skeleton(given(walks[legless].skeleton, {"left_knee": ""}))
    pair = [bare if k == legless else walk for k, walk in enumerate(walks)]
    with pytest.raises(SkeletonError, match=f"clip '{bare.name}': no joint fills the role 'left_knee'"):
        transition_points(*pair)
