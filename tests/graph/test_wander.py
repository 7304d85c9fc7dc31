"""Walks: length as given, repeatable by seed, every frame traced, no stretch twice in ten seconds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from naive import graph as naive
from segue.errors import SettingError
from segue.graph.walk import render
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import yaw

SEEDS = st.integers(0, 100_000)


def random_walkable(hand, loose, seed):
    """Three clips that lead into each other, and some more jumps."""
    rng = np.random.default_rng(seed)
    length = int(rng.integers(0, 6))
    clips = [loose(name, int(rng.integers(40, 120)), seed=seed) for name in "abc"]
    jumps = [(k, clips[k].n_frames - length - 1, (k + 1) % 3, 1) for k in range(3)]
    for _ in range(int(rng.integers(0, 14))):
        a, b = (int(k) for k in rng.integers(0, 3, 2))
        starts = [int(rng.integers(0, clips[k].n_frames - length - 1)) for k in (a, b)]
        if a != b or abs(starts[0] - starts[1]) > length + 1:
            jumps.append((a, starts[0], b, starts[1]))
    return hand(clips, jumps, costs=rng.random(len(jumps)), length=length)


def assert_traceable(motion, clips):
    """Every unblended frame is its source frame, moved along the ground by one motion for the entire piece."""
    by_name = {clip.name: clip for clip in clips}
    origin = motion.origin
    blended = origin.clip[:, 1] >= 0
    np.testing.assert_allclose(origin.weight.sum(axis=1), 1.0)
    placed = None
    for k in range(motion.n_frames):
        for clip, frame, weight in zip(origin.clip[k], origin.frame[k], origin.weight[k], strict=True):
            if clip >= 0:
                source = by_name[origin.clips[clip]]
                assert source.origin.frame[0, 0] <= frame <= source.origin.frame[-1, 0]
                assert 0.0 <= weight <= 1.0
        if blended[k]:
            placed = None
            continue
        source = by_name[origin.clips[origin.clip[k, 0]]]
        row = int(np.argmin(np.abs(source.origin.frame[:, 0] - origin.frame[k, 0])))
        np.testing.assert_array_equal(motion.rotations[k, 1:], source.rotations[row, 1:])
        goes_on = placed is not None and (origin.clip[k, 0], row) == (placed[0], placed[1] + 1)
        if not goes_on:
            turn = float(yaw(motion.rotations[k, 0]) - yaw(source.rotations[row, 0]))
            moved = PlanarMotion(turn).apply(source.root_positions[row])
            shift = motion.root_positions[k] - moved
            ground = PlanarMotion(turn, float(shift[0]), float(shift[2]))
        else:
            ground = placed[2]
        turned = ground.rotate(source.rotations[row, 0])
        assert abs(abs(float(turned @ motion.rotations[k, 0])) - 1.0) < 1e-9
        np.testing.assert_allclose(
            motion.root_positions[k], ground.apply(source.root_positions[row]), atol=1e-9
        )
        placed = (origin.clip[k, 0], row, ground)


def rows_of(motion, clips):
    """Source rows shown by each frame and the origin in source rows, at any source rate."""
    origin = motion.origin
    steps = {clip.name: clip.origin.frame[1, 0] - clip.origin.frame[0, 0] for clip in clips}
    by_number = np.array([steps[name] for name in origin.clips])
    frames = np.round(origin.frame / by_number[origin.clip]).astype(int)
    return naive.shown(origin.clip.tolist(), frames.tolist(), origin.weight.tolist()), frames


def assert_counted(walk, motion):
    """The walk's own counts are those of loops over the origin."""
    shown, frames = rows_of(motion, walk.clips)
    fps = motion.fps
    assert naive.repeats(shown, within=10 * fps, longer=fps) == walk.forced_repeats
    longest = naive.longest_stretch(motion.origin.clip.tolist(), frames.tolist())
    assert (longest > 6 * fps) == (walk.forced_stretches > 0)


@settings(max_examples=40)
@given(SEEDS, st.floats(0.06, 60.0), st.sampled_from(["cost", "probability"]))
def test_walks_are_exactly_as_long_as_asked_and_counted(hand, loose, seed, seconds, by):
    """Frames, traces and counts of repeats and stretches hold for any graph, length, seed and blend length."""
    graph = random_walkable(hand, loose, seed)
    walk = graph.wander(seconds=seconds, seed=seed, by=by)
    motion = render(walk, feet="free")
    assert motion.n_frames == walk.n_frames == round(seconds * 10) + 1
    assert motion.seconds == walk.seconds
    assert_counted(walk, motion)
    assert_traceable(motion, graph.clips)


@settings(max_examples=15)
@given(SEEDS, st.floats(0.1, 40.0))
def test_walks_of_samples_are_exactly_as_long_as_asked(sample_graph, seed, seconds):
    """The same holds on a graph of real blends."""
    walk = sample_graph.wander(seconds=seconds, seed=seed)
    assert walk.n_frames == round(seconds * 30) + 1
    assert walk.plan.n_frames >= walk.n_frames


@pytest.mark.parametrize("by", ["cost", "probability"])
def test_walks_of_captured_motion_hold_the_laws(real_graph, by):
    """A minute of captured walking is traceable, has no stretch over 6 s, and repeats as counted."""
    for seed in range(3):
        walk = real_graph.wander(seconds=60, seed=seed, by=by)
        motion = render(walk, feet="free")
        assert motion.n_frames == 1801
        assert walk.forced_stretches == 0
        assert_counted(walk, motion)
        assert_traceable(motion, real_graph.clips)


def test_the_same_seed_is_the_same_walk(sample_graph):
    """It is bit for bit the same; another seed takes another path."""
    one, again, other = (
        render(sample_graph.wander(seconds=20, seed=seed), feet="free") for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(one.rotations, again.rotations)
    np.testing.assert_array_equal(one.root_positions, again.root_positions)
    assert not np.array_equal(one.origin.frame, other.origin.frame)


def test_a_longer_walk_begins_like_a_shorter_one(sample_graph):
    """They agree up to the point where the shorter one has to end."""
    short, long = (sample_graph.wander(seconds=s, seed=3).plan.joins for s in (10, 30))
    count = max(len(short) - 2, 1)
    assert len(long) > len(short)
    assert short[:count] == long[:count]


def test_clips_played_are_those_of_the_origin(sample_graph):
    """The names are those of the motion's origin."""
    walk = sample_graph.wander(seconds=30, seed=1)
    origin = render(walk, feet="free").origin
    given_values = {origin.clips[k] for k in set(origin.clip.ravel().tolist()) if k >= 0}
    assert set(walk.clips_played) == given_values


def forked(hand, loose):
    """At the first choice of ``a``: on, to ``b`` or to ``c``; both lead back."""
    clips = [loose(name, 80) for name in "abc"]
    jumps = [(0, 20, 1, 30), (0, 20, 2, 30), (0, 40, 1, 30), (1, 50, 0, 5), (2, 50, 0, 5)]
    return hand(clips, jumps, costs=[0.1, 0.6, 0.2, 0.3, 0.3], length=2)


def first_choices(graph, by, count):
    """Counts of the first choice: ``b``, ``c`` and going on, over many seeds."""
    taken = [0, 0, 0]
    for seed in range(count):
        joins = graph.wander(seconds=0.5, seed=seed, by=by, start="a").plan.joins
        clip = joins[0].b_clip - 1 if joins and joins[0].a_start == 20 else 2
        taken[clip] += 1
    return taken


def test_probabilities_are_those_stated(hand, loose):
    """P(i -> j) ~ exp(-D/sigma), sigma the median cost, going on costs zero: chi-square over 1,500 walks."""
    graph = forked(hand, loose)
    taken = first_choices(graph, "probability", 1500)
    expected = np.array(naive.probabilities([0.1, 0.6], 0.3)) * 1500
    assert chisquare(taken, expected).pvalue > 0.01


def test_walking_by_cost_prefers_cheap_transitions(hand, loose):
    """Of two jumps to clips not shown before, the one of lower cost is taken as often as its weight predicts."""
    clips = [loose(name, 80) for name in "abc"]
    jumps = [(0, 20, 1, 30), (0, 40, 1, 30), (0, 40, 2, 30), (1, 50, 0, 5), (2, 50, 0, 5)]
    graph = hand(clips, jumps, costs=[0.2, 0.1, 0.6, 0.3, 0.3])
    walks = (graph.wander(seconds=2.5, seed=seed, start="a") for seed in range(1000))
    taken = [walk.plan.joins[0] for walk in walks]
    assert all(join.a_start == 40 for join in taken)  # no walk leaves a clip just entered
    counts = [sum(join.b_clip == clip for join in taken) for clip in (1, 2)]
    weights = np.exp(-np.array([0.1, 0.6]) / 0.3)
    assert chisquare(counts, weights / weights.sum() * 1000).pvalue > 0.01


def test_a_walk_stays_in_a_clip_for_seconds(real_graph):
    """By cost the mean stay is seconds, not frames."""
    walk = real_graph.wander(seconds=120, seed=2)
    assert 60 / 120 < len(walk.plan.joins) / 120 < 2.0


def test_a_long_clip_with_one_way_out_is_counted(hand, loose):
    """A stretch of nine seconds is played for lack of another edge, and counted once each time."""
    graph = hand([loose("a", 100)], [(0, 95, 0, 3)])
    walk = graph.wander(seconds=30, seed=1)
    motion = render(walk, feet="free")
    assert walk.forced_stretches >= 2
    assert walk.forced_repeats >= 2
    assert_counted(walk, motion)


def test_a_stretch_of_six_seconds_counts_its_blends(hand, loose, monkeypatch):
    """A walk that prefers to stay leaves after just under six seconds, including the blends at both ends."""
    monkeypatch.setattr("segue.graph.walker.MEAN_STRETCH", 1e9)
    clips = [loose("a", 200), loose("b", 200)]
    jumps = [(a, at, 1 - a, at - 80 if at > 100 else at + 60) for a in (0, 1) for at in range(20, 180)]
    graph = hand(clips, jumps, length=4)
    for seed in range(4):
        walk = graph.wander(seconds=60, seed=seed)
        motion = render(walk, feet="free")
        _, frames = rows_of(motion, walk.clips)
        assert 55 < naive.longest_stretch(motion.origin.clip.tolist(), frames.tolist()) <= 60
        assert walk.forced_stretches == 0


def test_nothing_is_repeated_where_other_edges_are(hand, loose):
    """Six clips that lead on and allow short loops: no stretch repeats within 10 s in a minute."""
    clips = [loose(name, 80) for name in "abcdef"]
    on = [(k, at, (k + step) % 6, 5) for k in range(6) for at in (30, 60) for step in (1, 2)]
    back = [(k, at, k, at - 25) for k in range(6) for at in (35, 65)]
    graph = hand(clips, on + back, costs=[0.9] * len(on) + [0.1] * len(back))
    for seed in range(4):
        for by in ("cost", "probability"):
            walk = graph.wander(seconds=60, seed=seed, by=by)
            assert walk.forced_repeats == 0
            assert_counted(walk, render(walk, feet="free"))


def test_a_walk_of_few_clips_makes_for_others(hand, loose):
    """Two groups of four clips joined by jumps of high cost: a walk takes one within 40 seconds."""
    clips = [loose(name, 80) for name in "abcdefgh"]
    rounds = [
        (first + k, at, first + (k + step) % 4, 5)
        for first in (0, 4)
        for k in range(4)
        for at in (30, 60)
        for step in (1, 2)
    ]
    over = [(0, 50, 4, 5), (4, 50, 0, 5)]
    graph = hand(clips, rounds + over, costs=[0.1] * len(rounds) + [0.8] * len(over))
    for seed in range(12):
        walk = graph.wander(seconds=60, seed=seed)
        motion = render(walk, feet="free")
        other = motion.origin.clip[:, 0] // 4 != motion.origin.clip[0, 0] // 4
        assert other.any()
        assert np.argmax(other) < 40 * motion.fps
        assert walk.forced_repeats == 0


def test_a_walk_starts_where_asked(sample_graph):
    """The start is in the named clip, in a frame of the component."""
    walk = sample_graph.wander(seconds=5, seed=1, start="stop")
    assert walk.clips[walk.plan.clip].name == "stop"
    assert walk.clips_played[0] == "stop"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"seconds": -1}, "positive number of seconds"),
        ({"seconds": 0}, "positive number of seconds"),
        ({"seconds": float("nan")}, "positive number of seconds"),
        ({"seconds": float("inf")}, "up to 36000"),
        ({"seconds": 0.001}, "one frame at 30 a second and no motion; give 0.03333 s or more"),
        ({"by": "luck"}, "'cost' or 'probability'"),
        ({"seed": -3}, "from 0"),
        ({"start": "wolk"}, "no clip 'wolk'; nearest: walk"),
    ],
)
def test_impossible_walks_are_refused(sample_graph, asked, words):
    """Each error says what would have worked."""
    with pytest.raises(SettingError, match=words):
        sample_graph.wander(**asked)


def test_hard_cuts_that_go_to_and_fro_never_hang(hand, loose):
    """With a way back from each arrival, at least one frame is played between two cuts."""
    clips = [loose("a", 60), loose("b", 60)]
    jumps = [(0, 50, 1, 55), (1, 55, 0, 50), (0, 50, 0, 10), (1, 55, 1, 5), (1, 30, 0, 20), (0, 30, 1, 20)]
    graph = hand(clips, jumps, length=0)
    for seed in range(30):
        walk = graph.wander(seconds=60, seed=seed)
        assert render(walk, feet="free").n_frames == 601


def test_starting_in_a_clip_left_out_says_why(hand, loose):
    """The error gives the report's reason, and the nearest clip that is in the graph."""
    graph = hand([loose("loop", 80), loose("loose end", 80)], [(0, 50, 0, 10), (0, 40, 1, 10)])
    graph.report.dropped_clips["loose end"] = "it can be entered but not left under the threshold"
    with pytest.raises(
        SettingError, match=r"'loose end' is not in the graph: it can be entered .* nearest: loop"
    ):
        graph.wander(seconds=5, start="loose end")
