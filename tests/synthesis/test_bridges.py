"""Bridges, joins that play one side slower: their frames and their measures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.bridges as naive
import random_clips as chance
import segue
from segue.measures.seams import seams
from segue.motion.clip import Clip
from segue.motion.resample import resampled, sampled
from segue.settings import Blend, SeamBounds, SeamSettings
from segue.settings.words import CROSSFADES
from segue.synthesis.assemble import Plan, assemble
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays, JoinFrames
from segue.synthesis.transition_check import TransitionChecker, check_joins

seeds = st.integers(0, chance.SEEDS)


def _joins(rng: np.random.Generator, clips: list[Clip], count: int, length: int) -> JoinArrays:
    """Random bridges that fit: one side is played slower."""
    numbers = np.stack([rng.permutation(len(clips))[:2] for _ in range(count)], axis=1)
    used = np.full((count, 2), length)
    used[np.arange(count), rng.integers(0, 2, count)] = rng.integers(length // 2, length + 1, count)
    frames = np.array([clip.n_frames for clip in clips])
    a_start = rng.integers(JOIN_MARGIN, frames[numbers[0]] - used[:, 0] + 1)
    b_start = rng.integers(0, frames[numbers[1]] - used[:, 1] - JOIN_MARGIN + 1)
    alignments = np.column_stack([rng.uniform(-np.pi, np.pi, count), rng.normal(0.0, 1.0, (count, 2))])
    return JoinArrays(numbers[0], a_start, numbers[1], b_start, alignments, length, used=used)


def _clips(rng: np.random.Generator) -> list[Clip]:
    body = chance.body(rng, 4)
    return [chance.clip(rng, body, int(rng.integers(30, 50)), name=f"clip{k}") for k in range(3)]


@settings(max_examples=20)
@given(seed=seeds, length=st.integers(4, 15), way=st.sampled_from(CROSSFADES))
def test_frames_are_those_of_the_twin(seed: int, length: int, way: str) -> None:
    """Each frame blends the poses at the same fraction of the frames that the blend uses of each side."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)
    joins = _joins(rng, clips, 3, length)
    rotations, roots = JoinFrames(clips).around(joins, Blend(seconds=length / 30.0, way=way))
    fps = 30.0 if way == "equal_power" else 0.0
    for k in range(3):
        join = joins.join(k)
        a = chance.poses(clips[join.a_clip]), join.a_start, join.a_stop
        b = chance.poses(clips[join.b_clip]), join.b_start, join.arrival
        at = join.alignment
        twin = naive.bridge(a, b, length, (at.turn, at.x, at.z), fps=fps)
        inner = slice(JOIN_MARGIN, -JOIN_MARGIN)
        np.testing.assert_allclose(roots[k, inner], [root for _, root in twin], atol=1e-9)
        assert chance.apart(rotations[k, inner], np.array([turned for turned, _ in twin])) < 1e-7


@settings(max_examples=20)
@given(seed=seeds, length=st.integers(2, 15))
def test_a_bridge_in_its_own_time_is_the_plain_join(seed: int, length: int) -> None:
    """A blend that uses as many frames of each side as it lasts is bit for bit the plain join."""
    rng = np.random.default_rng(seed)
    clips = _clips(rng)
    own = _joins(rng, clips, 3, length)
    own = replace(own, used=np.full((3, 2), length))
    own = own.take(np.flatnonzero(own.fit(clips)))
    plain = replace(own, used=None)
    blend = Blend(seconds=length / 30.0)
    for one, other in zip(*(JoinFrames(clips).around(joins, blend) for joins in (own, plain)), strict=True):
        np.testing.assert_array_equal(one, other)
    checks = [check_joins(clips, joins, blend=blend) for joins in (own, plain)]
    np.testing.assert_array_equal(checks[0].share, checks[1].share)
    np.testing.assert_array_equal(own.arrivals, plain.arrivals)
    for k in range(len(own)):
        made = [
            assemble(clips, Plan(joins.join(k).a_clip, 0, (joins.join(k),), joins.join(k).arrival + 1))
            for joins in (own, plain)
        ]
        np.testing.assert_array_equal(made[0].rotations, made[1].rotations)
        np.testing.assert_array_equal(made[0].root_positions, made[1].root_positions)


def _real(data: Path) -> list[Clip]:
    return [
        resampled(segue.load(data / f"asf_amc/16/{name}.amc"), 30.0) for name in ("16_15", "16_13", "16_35")
    ]


@pytest.mark.parametrize("root", ["position", "displacement"])
def test_a_bridge_is_measured_as_its_seam(data: Path, root: str) -> None:
    """The check and the seam of the assembled motion agree on real clips."""
    clips = _real(data)
    joins = _joins(np.random.default_rng(3), clips, 6, 20)
    blend = Blend(seconds=20 / 30.0, root=root)  # type: ignore[arg-type]
    found = check_joins(clips, joins, blend=blend, feet="free").badness
    for k in range(6):
        join = joins.join(k)
        plan = Plan(join.a_clip, 0, (join,), clips[join.b_clip].n_frames)
        (seam,) = seams(assemble(clips, plan, root=root), clips)  # type: ignore[arg-type]
        assert found[k] == pytest.approx(seam.badness(SeamBounds()), rel=1e-9)


def test_a_clip_turned_into_its_slower_self_hardly_differs(data: Path) -> None:
    """From a walk into itself at 0.7 of its speed, a bridge of that ratio shows less than a plain blend."""
    walk = _real(data)[0]
    at = np.arange(0.0, walk.n_frames - 1.0, 0.7)
    rows = sampled(walk, at)
    slow = Clip(walk.skeleton, *rows, walk.fps, name="slow")
    middle, length = 40, 20
    bridge = JoinArrays(*np.array([[0], [middle], [1], [round(middle / 0.7)]]), np.zeros((1, 3)), length)
    warped = replace(bridge, a_start=bridge.a_start, used=np.array([[14, 20]]))
    checker = TransitionChecker([walk, slow], SeamSettings(Blend(seconds=length / 30.0)))
    assert checker.mismatch(warped)[0] < 0.2 * checker.mismatch(bridge)[0]


def test_bridges_among_joins_are_told_apart() -> None:
    """Joins and bridges in one batch keep their lengths, arrivals and frames used; plain joins have none."""
    one, two = (np.array([k], dtype=np.int64) for k in (3, 9))
    plain = JoinArrays(one * 0, two, one * 0 + 1, one, np.zeros((1, 3)), 10)
    bridge = replace(plain, length=20, used=np.array([[20, 14]]))
    both = plain.followed_by(bridge)
    assert both.each.tolist() == [10, 20]
    assert both.arrivals.tolist() == [13, 17]
    assert both.stops.tolist() == [19, 29]
    assert both.bridges.tolist() == [False, True]
    assert [both.join(k).used for k in (0, 1)] == [None, (20, 14)]
    assert both.usual == 10
    assert [len(alike) for _, alike in both.alike()] == [1, 1]
