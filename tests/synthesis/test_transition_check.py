"""The check of a transition gives the same measures as the seam of the finished motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips as chance
import segue
from segue.blending.methods import blend_starts
from segue.measures.seams import seams
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.settings import Blend, RootMode, SeamBounds, SeamSettings
from segue.synthesis.assemble import Plan, assemble
from segue.synthesis.joins import JoinArrays
from segue.synthesis.transition_check import TransitionChecker, check_joins

seeds = st.integers(0, chance.SEEDS)
BOUNDS = SeamBounds()


def _joins(rng: np.random.Generator, clips: list[Clip], count: int, length: int) -> JoinArrays:
    """Random joins that fit, with any alignment."""
    numbers = rng.integers(0, len(clips), (2, count))
    frames = np.array([clip.n_frames for clip in clips])
    a_start = rng.integers(2, frames[numbers[0]] - length + 1)
    b_start = rng.integers(0, frames[numbers[1]] - length - 2 + 1)
    alignment = np.column_stack([rng.uniform(-np.pi, np.pi, count), rng.normal(0.0, 1.0, (count, 2))])
    return JoinArrays(numbers[0], a_start, numbers[1], b_start, alignment, length)


def _measured(clips: list[Clip], joins: JoinArrays, k: int, root: RootMode) -> float:
    """Badness of the only seam of the finished motion."""
    join = joins.join(k)
    plan = Plan(join.a_clip, 0, (join,), clips[join.b_clip].n_frames)
    made = assemble(clips, plan, root=root)
    (seam,) = seams(made, clips)
    return seam.badness(BOUNDS)


@settings(max_examples=25)
@given(seed=seeds, length=st.integers(0, 9), root=st.sampled_from(["position", "displacement"]))
def test_batches_measure_what_the_seam_measures(seed: int, length: int, root: RootMode) -> None:
    """For random joins, cuts and blends, the batch equals the seam of the assembled motion."""
    rng = np.random.default_rng(seed)
    body = chance.body(rng, 4)
    clips = [chance.clip(rng, body, int(rng.integers(20, 50)), name=f"clip{k}") for k in range(3)]
    joins = _joins(rng, clips, 3, length)
    assert joins.fit(clips).all()
    found = check_joins(
        clips, joins, blend=Blend(seconds=length / 30.0, root=root), bounds=BOUNDS, feet="free"
    ).badness
    for k in range(3):
        jump = joins.join(k)
        if jump.a_clip == jump.b_clip and abs(jump.b_start - jump.a_start) < 1:
            continue  # no seam at all: the clip continues
        assert found[k] == pytest.approx(_measured(clips, joins, k, root), rel=1e-9)


@pytest.mark.parametrize("root", ["position", "displacement"])
@pytest.mark.parametrize("length", [0, 1, 10])
def test_batches_on_real_clips(data: Path, length: int, root: RootMode) -> None:
    """The same holds on a walk, a turn and a run."""
    clips = [
        resampled(segue.load(data / f"asf_amc/16/{name}.amc"), 30.0) for name in ("16_15", "16_13", "16_35")
    ]
    joins = _joins(np.random.default_rng(length), clips, 6, length)
    found = check_joins(
        clips, joins, blend=Blend(seconds=length / 30.0, root=root), bounds=BOUNDS, feet="free"
    ).badness
    for k in range(6):
        assert found[k] == pytest.approx(_measured(clips, joins, k, root), rel=1e-9)


def test_many_joins_are_joins_one_by_one(data: Path) -> None:
    """More joins than fit into one batch give the same numbers as each alone."""
    clips = [resampled(segue.load(data / f"asf_amc/16/{name}.amc"), 30.0) for name in ("16_15", "16_35")]
    joins = _joins(np.random.default_rng(5), clips, 131, 10)
    together = check_joins(clips, joins, blend=Blend(), bounds=BOUNDS, feet="free").badness
    for k in (0, 63, 64, 127, 128, 130):
        alone = check_joins(
            clips, joins.take(np.array([k])), blend=Blend(), bounds=BOUNDS, feet="free"
        ).badness
        np.testing.assert_allclose(together[k], alone[0], rtol=1e-12)


@given(seed=seeds, length=st.integers(0, 20))
def test_fit_keeps_what_can_be_checked(seed: int, length: int) -> None:
    """A join fits when the blend and two frames of either motion around it lie inside both clips."""
    rng = np.random.default_rng(seed)
    body = chance.body(rng, 2)
    clips = [chance.clip(rng, body, frames) for frames in (12, 25)]
    numbers = rng.integers(0, 2, (2, 40))
    starts = rng.integers(-4, 28, (2, 40))
    joins = JoinArrays(numbers[0], starts[0], numbers[1], starts[1], np.zeros((40, 3)), length)
    for k, fits in enumerate(joins.fit(clips)):
        a_n, b_n = clips[numbers[0, k]].n_frames, clips[numbers[1, k]].n_frames
        a_used = range(starts[0, k] - 2, starts[0, k] + length)
        b_used = range(starts[1, k], starts[1, k] + length + 2)
        assert fits == (all(0 <= f < a_n for f in a_used) and all(0 <= f < b_n for f in b_used))


def test_good_transitions_pass_and_their_cuts_do_not() -> None:
    """Transition points of walks pass as blends; random places fail as cuts."""
    clips = [segue.sample("walk", 30.0), segue.sample("run", 30.0)]
    walk = clips[0]
    points = segue.transition_points(walk, walk)
    starts = np.array([blend_starts(p.a_frame, p.b_frame, length=10, kind=p.kind) for p in points])
    alignments = np.array([[p.alignment.turn, p.alignment.x, p.alignment.z] for p in points])
    zeros = np.zeros(len(points), dtype=np.int64)
    joins = JoinArrays(zeros, starts[:, 0], zeros, starts[:, 1], alignments, 10)
    joins = joins.take(np.flatnonzero(joins.fit(clips)))
    assert np.mean(check_joins(clips, joins, blend=Blend(), bounds=BOUNDS, feet="free").badness <= 1.0) > 0.9
    wild = _joins(np.random.default_rng(0), clips, 20, 0)
    assert np.all(
        check_joins(clips, wild, blend=Blend(seconds=0.0), bounds=BOUNDS, feet="free").badness > 1.0
    )


def test_progress_is_told() -> None:
    """The check reports its progress to the end."""
    clips = [segue.sample("walk", 30.0), segue.sample("run", 30.0)]
    given_values: list[tuple[str, int, int]] = []
    joins = _joins(np.random.default_rng(0), clips, 70, 10)
    checker = TransitionChecker(clips, SeamSettings(bounds=BOUNDS))
    checker.check(joins, progress=lambda *step: given_values.append(step))
    assert given_values == [
        (checking, done, 70) for checking, done in (("checking transitions", k) for k in (0, 64, 70))
    ]
