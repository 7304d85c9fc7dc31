"""Fixed faults of costs, transitions, measures and learning."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.costs import clouds
from segue.costs.point_cloud import PointCloudCost
from segue.errors import NoPointError, NoTransitionError, SettingError
from segue.graph.stitch import stitch
from segue.learning.pose_pairs import pose_pairs
from segue.maths.planar import PlanarMotion
from segue.measures.foot_skate import source_contacts
from segue.measures.seams import seams, source_peaks, source_rows
from segue.measures.summary import measure
from segue.motion.resample import cut, resampled
from segue.settings import SearchSettings
from segue.synthesis.assemble import Join, Plan, assemble


def test_a_source_left_out_of_a_measure_is_named() -> None:
    """Measuring a motion without all its sources raised a bare KeyError."""
    walk, stop = segue.sample("walk"), segue.sample("stop")
    made = segue.splice(walk, stop, segue.transition_points(walk, stop)[0])
    with pytest.raises(SettingError, match="made from stop, not among the sources"):
        measure(made, sources=[walk])


def test_taking_a_point_where_none_was_found_says_why() -> None:
    """The first point of an empty search raised a bare IndexError; loops over it still end normally."""
    points = segue.transition_points(segue.sample("walk"), segue.sample("run"), threshold=0.0)
    with pytest.raises(NoPointError, match="the threshold is 0"):
        points[0]
    with pytest.raises(IndexError):
        points[-1]
    assert issubclass(NoPointError, NoTransitionError)
    assert points[:2] == ()
    assert list(reversed(points)) == []


@pytest.mark.parametrize("cost", ["point_cloud", "relative_distance"])
def test_a_clip_of_one_moment_against_itself_has_no_points(
    cost: str, recwarn: pytest.WarningsRecorder
) -> None:
    """The median of no next-frame costs warned, and the threshold silently became NaN."""
    frames = 22 if cost == "point_cloud" else 1
    clip = cut(segue.sample("walk"), 0, frames)
    points = segue.transition_points(clip, clip, cost=cost)
    assert len(points) == 0
    assert "no blend fits" in points.sentence
    assert not recwarn.list


def test_impossible_settings_are_told() -> None:
    """Endless sectors, fractional points, pairs without a weight and a threshold of None failed deep inside."""
    walk = segue.sample("walk")
    with pytest.raises(SettingError, match="sector_seconds=inf"):
        SearchSettings(method="sectors", sector_seconds=float("inf"))
    with pytest.raises(SettingError, match="whole number"):
        PointCloudCost(points_per_segment=1.5)  # type: ignore[arg-type]
    for weights in (3, (("left_hip", "right_hip"),)):
        with pytest.raises(SettingError, match="triples"):
            segue.RelativeDistanceCost(weights=weights)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="threshold None"):
        segue.transition_points(walk, walk, threshold=None)  # type: ignore[arg-type]


def test_clips_too_short_to_learn_from_are_named() -> None:
    """A clip of one frame ended in an error of numpy; so did a kind without clips."""
    rng = np.random.default_rng(0)
    with pytest.raises(SettingError, match="'walk' has 1 frames at 30 a second"):
        pose_pairs([[cut(segue.sample("walk"), 0, 1)]], each=2, rng=rng)
    with pytest.raises(SettingError, match="at least one clip of each"):
        pose_pairs([[]], each=2, rng=rng)


def test_a_moment_near_the_ends_of_clips_is_aligned_where_it_is() -> None:
    """The middle of a start-end blend may have no complete window; its alignment was computed at another moment."""
    walk, other = resampled(segue.sample("walk"), 30.0), resampled(segue.sample("walk_fast"), 30.0)
    cost = PointCloudCost(window_seconds=1.0)
    a, b = cost.prepare(walk), cost.prepare(other)
    last = walk.n_frames - 1
    got = cost.alignment(a, b, last - 2 - a.first, 3 - b.first)
    expected = clouds.align(a.cloud, b.cloud, (last - 2, 3), 2)
    assert got == expected


def test_stitching_refuses_lengths_and_thresholds_that_are_no_numbers() -> None:
    """Seconds that are not a number failed inside; a threshold below 0 was blamed on the clips."""
    clips = [segue.sample("start"), segue.sample("walk")]
    for seconds in (float("nan"), -1.0):
        with pytest.raises(SettingError, match="play alone"):
            stitch(clips, least_seconds=seconds)
    for threshold in (float("nan"), -1.0):
        with pytest.raises(SettingError, match="never negative"):
            stitch(clips, threshold=threshold)


def test_a_source_that_was_made_itself_is_looked_up_by_clip_and_frame() -> None:
    """Frame 30 of the second clip of a made source was taken for frame 30 of its first."""
    walk, stop, run = (segue.sample(name) for name in ("walk", "stop", "run"))
    first = assemble([walk, stop], Plan(0, 20, (Join(0, 100, 1, 40, 20, PlanarMotion()),), 150), name="first")
    made = assemble([first, run], Plan(0, 0, (Join(0, 140, 1, 60, 20, PlanarMotion()),), 120))
    rows = source_rows(first, "stop", np.array([60.0, 100.0]))
    assert first.origin.frame[rows, 0].tolist() == [60.0, 100.0]
    assert [first.origin.clips[k] for k in first.origin.clip[rows, 0]] == ["stop", "stop"]
    seam = seams(made, [first, run])[-1]
    peaks = [source_peaks(clip)[0][row] for clip, row in ((first, 149), (run, 69))]
    np.testing.assert_array_equal(seam.source_speed, np.maximum(*peaks))
    flags = source_contacts(made, [first, run])[0][:80]
    np.testing.assert_array_equal(flags, segue.contacts(first).flags[:80])
