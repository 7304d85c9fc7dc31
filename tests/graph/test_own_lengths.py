"""Graphs in which each transition has its own blend length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import segue
from segue.blending.durations import blend_length
from segue.blending.methods import blend_starts
from segue.errors import SettingError
from segue.graph.build import MotionGraph
from segue.measures.seams import seams
from segue.settings import Blend, SeamBounds
from segue.synthesis.transition_check import check_joins


@pytest.fixture(scope="module")
def graph() -> MotionGraph:
    """Four clips, lengths by `auto`."""
    clips = [segue.sample(name, fps=30) for name in ("walk", "walk_fast", "stop", "start")]
    return MotionGraph.build(clips, length="auto")


def test_every_transition_lasts_as_long_as_is_found_at_its_point(graph: MotionGraph) -> None:
    """Length and first frames of every eighth match; where a clip ends sooner, the length is shorter."""
    joins, kept = graph.joins, 0
    assert len(np.unique(joins.each)) > 3
    for k in range(0, len(joins), 8):
        a, b = graph.clips[joins.a_clip[k]], graph.clips[joins.b_clip[k]]
        at = int(graph.a_frames[k]), int(graph.b_frames[k])
        found = blend_length(a, b, a_frame=at[0], b_frame=at[1], kind="aligned")
        length = int(joins.each[k])
        assert length <= round(found.seconds * 30)
        kept += length == round(found.seconds * 30)
        assert blend_starts(*at, length=length, kind="aligned") == (joins.a_start[k], joins.b_start[k])
        assert graph.node_frame[graph.arrives[k]] == joins.b_start[k] + length
    assert kept > 0.5 * len(joins) / 8
    assert joins.fit(graph.clips).all()
    assert joins.length == joins.each.max()


def test_a_walk_plays_each_blend_at_its_length(graph: MotionGraph) -> None:
    """The walk has the given length, and as many blended frames as the joins."""
    walk = graph.wander(seconds=20, seed=4)
    motion = segue.render(walk)
    assert motion.n_frames == 601
    found = [seam.stop - seam.start for seam in seams(motion, graph.clips)]
    wanted = [join.length for join in walk.plan.joins]
    assert found[: len(wanted) - 1] == wanted[: len(found)][: len(wanted) - 1]
    assert len(set(wanted)) > 1


def test_seams_are_checked_at_their_own_length(graph: MotionGraph) -> None:
    """Checking in one batch equals checking separately."""
    some = graph.joins.take(np.arange(0, len(graph.joins), 5))
    how = {"blend": graph.blend, "bounds": SeamBounds()}
    together = check_joins(graph.clips, some, **how).share
    for k in range(len(some)):
        row = some.take(np.array([k]))
        alone = replace(row, length=int(row.each[0]), lengths=None)
        assert check_joins(graph.clips, alone, **how).share[0] == pytest.approx(together[k], rel=1e-9)
    assert np.all(together <= 1.0)


def test_seconds_and_names_are_lengths() -> None:
    """A number of seconds gives the graph of a blend of that length; impossible ones are refused before long work."""
    clips = [segue.sample("walk", fps=30), segue.sample("stop", fps=30)]
    one, other = MotionGraph.build(clips, length=0.2), MotionGraph.build(clips, blend=Blend(seconds=0.2))
    assert one.joins.usual == 6
    assert np.array_equal(one.joins.a_start, other.joins.a_start)
    for name, words in (("geodesic", "is for start-end"), ("soon", "give seconds or one of")):
        with pytest.raises(SettingError, match=words):
            MotionGraph.build(clips, length=name)
