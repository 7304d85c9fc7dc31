"""The price of a finished seam: the twin's, independent of where clips lie, and predicted in the same order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips as chance
import segue
from naive import knees
from naive import seam_price as naive
from segue.maths.planar import PlanarMotion
from segue.measures.smoothness import knee_bends, knee_peaks
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.resample import resampled
from segue.settings import Blend, SeamSettings
from segue.synthesis.assemble import Plan, assemble
from segue.synthesis.checks import MISMATCH
from segue.synthesis.feet.softening import KNEES
from segue.synthesis.joins import JoinArrays
from segue.synthesis.seam_price import ROOT, SLIDES, SeamPricer
from segue.synthesis.transition_check import check_joins

seeds = st.integers(0, chance.SEEDS)
MOST = {"mismatch": MISMATCH, "root": ROOT, "slides": SLIDES, "knees": KNEES}


def walks(fps: float) -> list[Clip]:
    return [segue.sample(name, fps) for name in ("walk", "walk_slow", "stop", "start")]


def joins_of(rng: np.random.Generator, clips: list[Clip], count: int, length: int) -> JoinArrays:
    """Random joins that fit; each clip arrives near the other."""
    numbers = rng.integers(0, len(clips), (2, count))
    frames = np.array([clip.n_frames for clip in clips])
    a_start = rng.integers(2, frames[numbers[0]] - length + 1)
    b_start = rng.integers(0, frames[numbers[1]] - length - 1)
    joins = JoinArrays(numbers[0], a_start, numbers[1], b_start, np.zeros((count, 3)), length)
    aligned = SeamPricer(clips, SeamSettings(Blend())).roughly_aligned(joins)
    return replace(joins, alignment=aligned + rng.normal(0.0, 0.03, (count, 3)))


def _pair(clips: list[Clip], joins: JoinArrays, k: int) -> tuple[Clip, Clip, Clip]:
    """The clip left in full, one blend, the clip entered in full; and both clips aligned."""
    join = joins.join(k)
    made = assemble(clips, Plan(join.a_clip, 0, (join,), clips[join.b_clip].n_frames))
    return made, clips[join.a_clip], moved(clips[join.b_clip], join.alignment)


@settings(max_examples=15)
@given(seed=seeds, length=st.integers(2, 16), fps=st.sampled_from([24.0, 30.0, 60.0]))
def test_a_price_is_that_of_the_twin(seed: int, length: int, fps: float) -> None:
    """The price combines seam, mismatch, pace and slip as checked with free feet, and root and knees by loops."""
    clips = walks(fps)
    joins = joins_of(np.random.default_rng(seed), clips, 3, length)
    blend = Blend(seconds=length / fps)
    found = SeamPricer(clips, SeamSettings(blend)).price(joins)
    shown = check_joins(clips, joins, blend=blend, feet="free")
    for k in range(3):
        made, a, b = _pair(clips, joins, k)
        starts = int(joins.a_start[k]), int(joins.b_start[k])
        places = [clip.root_positions[:, [0, 2]].tolist() for clip in (made, a, b)]
        root = naive.root(*places, starts, length, fps=fps)
        middle = max(length // 2 - 1, 0)
        usual = np.maximum(*(knee_peaks(one)[1, at + middle] for one, at in zip((a, b), starts, strict=True)))
        bends = knee_bends(made)
        rows = starts[0] - 1, starts[0] + length  # the blend and one frame of each motion around it
        knee = max(knees.hardest(bends[:, side].tolist(), *rows, fps) / usual[side] for side in (0, 1))
        expected = naive.price(
            float(shown.excess[k]),
            float(shown.mismatch[k]),
            float(shown.pace[k]),
            float(shown.slip[k]),
            float(knee),
            root,
            most=MOST,
            size=shown.size,
        )
        assert found[k] == pytest.approx(expected, rel=1e-6, abs=1e-6)


@settings(max_examples=15)
@given(seed=seeds, turn=st.floats(-3.0, 3.0), x=st.floats(-5.0, 5.0), z=st.floats(-5.0, 5.0))
def test_a_price_does_not_depend_on_where_clips_lie(seed: int, turn: float, x: float, z: float) -> None:
    """Moving the clips changes the alignment, but neither the price nor its prediction."""
    clips = walks(30.0)
    elsewhere = [moved(clip, PlanarMotion(turn, x, z)) for clip in clips]
    joins = joins_of(np.random.default_rng(seed), clips, 4, 10)
    here, there = SeamPricer(clips, SeamSettings(Blend())), SeamPricer(elsewhere, SeamSettings(Blend()))
    one = replace(joins, alignment=here.roughly_aligned(joins))
    other = replace(joins, alignment=there.roughly_aligned(joins))
    np.testing.assert_allclose(here.price(one), there.price(other), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(here.foreseen(one), there.foreseen(other), rtol=1e-6, atol=1e-8)


@given(seed=seeds, turn=st.floats(-3.0, 3.0), x=st.floats(-5.0, 5.0), z=st.floats(-5.0, 5.0))
@settings(max_examples=20)
def test_a_clip_is_brought_back_to_where_it_was(seed: int, turn: float, x: float, z: float) -> None:
    """Rough alignment of a clip with a moved copy of itself undoes the move."""
    walk = segue.sample("walk", 30.0)
    clips = [walk, moved(walk, PlanarMotion(turn, x, z))]
    at = np.random.default_rng(seed).integers(2, walk.n_frames - 12, 3)
    none, other = np.zeros(3, dtype=np.int64), np.ones(3, dtype=np.int64)
    joins = JoinArrays(none, at, other, at, np.zeros((3, 3)), 10)
    pricer = SeamPricer(clips, SeamSettings(Blend()))
    joins = replace(joins, alignment=pricer.roughly_aligned(joins))
    for k in range(3):
        back = moved(clips[1], joins.join(k).alignment)
        np.testing.assert_allclose(back.root_positions, walk.root_positions, atol=1e-6)


def test_what_is_foreseen_orders_real_joins_as_their_prices_do(data) -> None:
    """Predicted and true prices of 200 blends of a walk, a turn and a run have a rank correlation above 0.85."""
    clips = [
        resampled(segue.load(data / f"asf_amc/16/{name}.amc"), 30.0) for name in ("16_15", "16_13", "16_35")
    ]
    joins = joins_of(np.random.default_rng(3), clips, 200, 10)
    pricer = SeamPricer(clips, SeamSettings(Blend()))
    price, foreseen = pricer.price(joins), pricer.foreseen(joins)
    order = [np.argsort(np.argsort(part)) for part in (price, foreseen)]
    assert np.corrcoef(*order)[0, 1] > 0.85


def test_lengths_of_their_own_are_priced_as_one_length_is() -> None:
    """Joins of several lengths in one batch have the same prices as separately."""
    clips = walks(30.0)
    parts = [joins_of(np.random.default_rng(n), clips, 2, n) for n in (6, 10, 17)]
    pricer = SeamPricer(clips, SeamSettings(Blend()))
    together = parts[0].followed_by(parts[1]).followed_by(parts[2])
    for name in ("price", "foreseen"):
        alone = np.concatenate([getattr(pricer, name)(part) for part in parts])
        np.testing.assert_allclose(getattr(pricer, name)(together), alone, rtol=1e-12)
