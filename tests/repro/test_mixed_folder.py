"""A folder may hold anything: props, and walks that a pose cost cannot distinguish."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.costs.registry import cost
from segue.graph.build import build_graph


def box() -> segue.Clip:
    """A turning prop without legs."""
    skeleton = segue.Skeleton(("crate", "lid"), [-1, 0], [[0, 0, 0], [0, 0.5, 0]])
    return segue.Clip(skeleton, np.tile([1.0, 0, 0, 0], (90, 2, 1)), np.zeros((90, 3)), 60.0, name="crate")


def test_a_prop_among_walks_is_left_out_with_a_reason():
    """One clip without legs does not spoil the others."""
    graph = build_graph([box(), segue.sample("walk"), segue.sample("start"), segue.sample("stop")])
    assert [clip.name for clip in graph.clips] == ["walk", "start", "stop"]
    assert "left_hip" in graph.report.dropped_clips["crate"]


def test_props_alone_are_refused():
    """Without any legs the first clip's reason is given."""
    with pytest.raises(segue.SkeletonError, match="crate"):
        build_graph([box()])


def test_walking_straight_and_in_a_circle_are_no_copies_for_a_pose_cost():
    """Joint distances ignore the path; copies follow one path."""
    clips = [segue.sample(name) for name in ("walk", "walk_left", "walk_right")]
    assert build_graph(clips, cost=cost("relative_distance")).report.copies == ()
