"""Clips in a given order: order, lowest cost, minimum seconds of each, and errors where there is no path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import graph as naive
from segue.errors import NoTransitionError, SettingError
from segue.graph.stitch import _cheapest_rows, stitch
from segue.graph.walk import render
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.resample import cut, resampled
from segue.motion.samples import sample
from segue.settings import Blend
from segue.synthesis.joins import JoinArrays


def walk_like(name, **settings):
    return sample(name, fps=30.0, **settings)


def alone(made):
    """Frames that each clip plays alone."""
    return [stop - start for _, start, stop in made.walk.plan.pieces()]


@given(st.integers(0, 100_000))
def test_the_cheapest_way_is_that_of_trying_all(loose, seed):
    """Dynamic programming agrees with brute force: fewest flaws first, then the lowest sum of costs."""
    rng = np.random.default_rng(seed)
    count, length, least = (int(rng.integers(*bounds)) for bounds in ((1, 5), (0, 4), (0, 9)))
    steps, joins, costs, badness = [], [], [], []
    for _ in range(count):
        n_rows = int(rng.integers(1, 6))
        a, b = rng.integers(0, 22, n_rows), rng.integers(0, 22, n_rows)
        costs.append(rng.random(n_rows) * 3)
        badness.append(rng.random(n_rows) * 1.6)
        none = np.zeros(n_rows, dtype=np.int64)
        joins.append(JoinArrays(none, a, none, b, np.zeros((n_rows, 3)), length))
        steps.append([*zip(*(c.tolist() for c in (a, b, costs[-1], badness[-1])), strict=True)])
    _, expected = naive.best_order(steps, 30, length, least)
    arguments = ([loose("a", 30)], [0] * (count + 1), joins, costs, badness, least)
    if expected is None:
        with pytest.raises(NoTransitionError, match="too short to be entered and left again"):
            _cheapest_rows(*arguments)
    else:
        assert _cheapest_rows(*arguments) == expected


@settings(max_examples=6)
@given(st.lists(st.sampled_from(["walk", "walk_slow", "walk_left", "stop", "start"]), min_size=2, max_size=4))
def test_the_order_is_kept(names):
    """Clips in any order, repeats included, are played in that order, each a second or more alone."""
    made = stitch([walk_like(name) for name in names])
    plan = made.walk.plan
    order = [plan.clip, *(join.b_clip for join in plan.joins)]
    assert [made.walk.clips[k].name for k in order] == names
    assert min(alone(made)) >= 30
    assert plan.start_frame == 0
    assert plan.end_frame == made.walk.clips[order[-1]].n_frames
    motion = render(made.walk)
    assert motion.n_frames == made.walk.n_frames == plan.n_frames
    assert len(made.costs) == len(made.badness) == len(names) - 1


def test_captured_clips_follow_each_other(data):
    """A walk, another walk and a walk with a turn of one person: all seams are within bounds."""
    clips = [load(data / f"asf_amc/16/{name}.amc") for name in ("16_31", "16_47", "16_21")]
    made = stitch([resampled(clip, 30.0) for clip in clips], least_seconds=0.5)
    assert made.walk.clips_played == ("16_31", "16_47", "16_21")
    assert (made.badness <= 1.0).all()
    assert min(alone(made)) >= 15


def test_each_clip_plays_as_long_as_asked_where_it_can():
    """More seconds give more frames alone; too many still give a motion."""
    clips = [walk_like(name) for name in ("start", "walk", "stop")]
    for seconds in (0.0, 0.5, 2.0, 3.0):
        assert min(alone(stitch(clips, least_seconds=seconds))) >= round(30 * seconds)
    assert stitch(clips, least_seconds=60.0).walk.clips_played == ("start", "walk", "stop")


def test_the_same_clip_twice_is_left_and_entered_again():
    """The second occurrence is entered by a jump within the clip."""
    walk = walk_like("walk")
    made = stitch([walk, walk])
    assert [join.a_clip for join in made.walk.plan.joins] == [0]
    assert len(made.walk.clips) == 1
    again = stitch([walk, Clip(walk.skeleton, walk.rotations, walk.root_positions, walk.fps, name="walk")])
    assert again.walk.plan == made.walk.plan


def test_two_clips_of_one_name_are_refused():
    """Their names would be ambiguous."""
    walk, run = walk_like("walk"), walk_like("run")
    run = Clip(run.skeleton, run.rotations, run.root_positions, run.fps, name="walk")
    with pytest.raises(SettingError, match="two different clips are called 'walk'"):
        stitch([walk, run])


def test_copies_are_refused_with_a_sentence(data):
    """One motion in two formats is not joined to itself."""
    clips = [load(data / "asf_amc/16/16_01.amc"), load(data / "cmu/from_amc/16_01.bvh")]
    twin = Clip(
        clips[1].skeleton, clips[1].rotations, clips[1].root_positions, clips[1].fps, name="16_01 as bvh"
    )
    with pytest.raises(
        NoTransitionError, match=r"'16_01' cannot be followed by '16_01 as bvh': .* two copies"
    ):
        stitch([clips[0], twin])


def test_a_threshold_too_low_says_the_best_cost():
    """The error gives the lowest cost, the threshold, and what to change."""
    clips = [walk_like("walk"), walk_like("run")]
    with pytest.raises(NoTransitionError) as caught:
        stitch(clips, threshold=1e-4)
    words = str(caught.value)
    assert "'walk' cannot be followed by 'run'" in words
    assert "the best transition costs 0.0" in words
    assert "above --threshold 0.0001" in words
    assert "leave --threshold out" in words


def test_a_threshold_leaves_dear_transitions_out():
    """Every cost of the result is at most the threshold, also where paths of lower cost cut a clip short."""
    clips = [walk_like("walk"), walk_like("walk_left"), walk_like("stop")]
    limit = 2.0 * float(stitch(clips, least_seconds=0.0).costs.max())
    assert stitch(clips, threshold=limit, least_seconds=3.0).costs.max() <= limit


def test_too_little_is_refused():
    """One clip, no clip, a clip shorter than the window and a blend that does not fit are refused."""
    walk = walk_like("walk")
    for clips in ([], [walk]):
        with pytest.raises(SettingError, match="at least two"):
            stitch(clips)
    short = cut(walk_like("stop"), 0, 8)
    with pytest.raises(
        NoTransitionError, match="'walk' cannot be followed by 'stop': clip 'stop' has 8 frames"
    ):
        stitch([walk, short])
    brief = cut(walk_like("run"), 0, 40)
    with pytest.raises(NoTransitionError, match="does not fit into both; shorten it with --blend"):
        stitch([walk, brief], blend=Blend(seconds=1.6))
