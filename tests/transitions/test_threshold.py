"""The largest component and the automatic threshold against brute force, and monotony in the number of jumps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import components as naive
from segue.errors import SettingError
from segue.transitions.threshold import (
    Jumps,
    auto_threshold,
    choice_graph,
    given_threshold,
    largest_component,
)

SEEDS = st.integers(0, 100_000)


def random_jumps(seed):
    """A handful of jumps between three clips of 40 frames."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 14))
    columns = [rng.integers(0, high, count) for high in (3, 40, 3, 40)]
    return Jumps(*columns, rng.integers(1, 8, count) / 4)


def listed(jumps):
    """The jumps in the twin's form."""
    return list(
        zip(
            jumps.from_clip.tolist(),
            jumps.from_frame.tolist(),
            jumps.to_clip.tolist(),
            jumps.to_frame.tolist(),
            strict=True,
        )
    )


@given(SEEDS)
def test_the_largest_component_is_that_of_the_twin(seed):
    """Nodes and frames are those found by trying every pair of nodes."""
    graph = choice_graph(random_jumps(seed))
    pieces = graph.piece_from, graph.piece_to, graph.piece_frames
    got = largest_component(len(graph.clip), pieces, (graph.jump_from, graph.jump_to))
    triples = list(zip(*(column.tolist() for column in pieces), strict=True))
    edges = list(zip(graph.jump_from.tolist(), graph.jump_to.tolist(), strict=True))
    kept, frames = naive.largest_component(len(graph.clip), triples, edges)
    assert set(np.flatnonzero(got.kept).tolist()) == kept
    assert got.frames == frames


@given(SEEDS, st.sampled_from([0.3, 0.6, 0.9, 1.0]))
def test_the_automatic_threshold_is_that_of_the_twin(seed, share):
    """Bisection finds the same cost as brute force, which rebuilds the nodes for every threshold."""
    jumps = random_jumps(seed)
    expected = naive.auto_threshold(listed(jumps), jumps.cost.tolist(), share)
    got = auto_threshold(jumps, clip_frames=np.array([40, 40, 40]), next_frame_cost=100.0, share=share)
    if expected is None:
        assert got.share_reached == 0
        assert got.capped
    else:
        assert got.value == expected
        assert got.share_reached >= share
        assert not got.capped


@given(SEEDS)
def test_more_jumps_never_hold_less(seed):
    """The frames held can only grow with the threshold."""
    jumps = random_jumps(seed)
    held = []
    for threshold in np.unique(jumps.cost):
        allowed = [jump for jump, cost in zip(listed(jumps), jumps.cost, strict=True) if cost <= threshold]
        part = Jumps(*np.array(allowed).T, np.zeros(len(allowed)))
        graph = choice_graph(part)
        pieces = graph.piece_from, graph.piece_to, graph.piece_frames
        held.append(largest_component(len(graph.clip), pieces, (graph.jump_from, graph.jump_to)).frames)
    assert held == sorted(held)


@given(SEEDS, st.floats(0.1, 0.9), st.floats(0, 0.1))
def test_a_larger_share_never_lowers_the_threshold(seed, share, more):
    jumps = random_jumps(seed)
    settings = {"clip_frames": np.array([40, 40, 40]), "next_frame_cost": 100.0}
    low, high = (auto_threshold(jumps, share=s, **settings).value for s in (share, share + more))
    assert low <= high


@given(SEEDS)
def test_jumps_that_fail_other_checks_are_never_counted(seed):
    """With some jumps unusable the threshold is brute force over the others, capped if they do not suffice."""
    jumps = random_jumps(seed)
    usable = np.random.default_rng(seed).random(len(jumps.cost)) < 0.7
    got = auto_threshold(jumps, clip_frames=np.array([120]), next_frame_cost=100.0, usable=usable)
    most = naive.frames_held(listed(jumps))
    steps = [
        (
            cost,
            naive.frames_held(
                [j for j, c, u in zip(listed(jumps), jumps.cost, usable, strict=True) if u and c <= cost]
            ),
        )
        for cost in np.unique(jumps.cost[usable])
    ]
    enough = [cost for cost, held in steps if most and held >= 0.6 * most]
    assert got.capped == (not enough)
    assert got.value == (enough[0] if enough else 300.0)


def loop(cost):
    """One clip of 100 frames with one jump back from 80 to 20."""
    return Jumps(np.array([0]), np.array([80]), np.array([0]), np.array([20]), np.array([cost]))


def test_the_search_stops_at_three_next_frame_costs_and_says_so():
    """Above the cap the threshold is the cap, and the sentence states what the share would have needed."""
    got = auto_threshold(loop(5.0), clip_frames=np.array([100]), next_frame_cost=1.0)
    assert (got.value, got.capped, got.share_reached) == (3.0, True, 0.0)
    assert "60% would need more than 3 x the median next-frame cost (1)" in got.sentence


def test_both_shares_are_said():
    """The sentence reports the share of the frames that can be held and the share of all frames."""
    got = auto_threshold(loop(2.0), clip_frames=np.array([100]), next_frame_cost=1.0)
    assert (got.value, got.share_reached, got.share_of_all) == (2.0, 1.0, 0.6)
    assert "60 of the 60 frames" in got.sentence
    assert "60% of all 100" in got.sentence


@pytest.mark.parametrize("cost", [np.inf, None])
def test_without_any_way_back_nothing_is_held(cost):
    """Without a jump, or with one whose blend fits nowhere, zero frames are held, without an error."""
    jumps = loop(cost) if cost is not None else Jumps(*(part[:0] for part in vars(loop(1.0)).values()))
    got = auto_threshold(jumps, clip_frames=np.array([100]), next_frame_cost=1.0)
    assert (got.value, got.share_reached) == (3.0, 0.0)
    assert "no threshold" in got.sentence


def test_impossible_settings_are_refused():
    """A share above 1 and a negative threshold name their range."""
    with pytest.raises(SettingError, match="up to 1"):
        auto_threshold(loop(1.0), clip_frames=np.array([100]), next_frame_cost=1.0, share=1.5)
    with pytest.raises(SettingError, match="never negative"):
        given_threshold(-1.0)
    with pytest.raises(SettingError, match="never negative"):
        given_threshold(float("nan"))
