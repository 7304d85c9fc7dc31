"""Seams of motions whose sources are cycles: a wrap is no seam, a cut is one, and peaks are those of all rounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive.cyclic import wraps
from segue.arrays import frozen
from segue.graph.build import unified
from segue.io import load
from segue.measures.seams import seam_ranges, seams, source_peaks, source_rows
from segue.motion.clip import Clip, Origin
from segue.motion.cyclic import unrolled
from segue.motion.resample import cut, resampled
from segue.synthesis.assemble import Join, Plan, assemble


@pytest.fixture(scope="module")
def stride() -> Clip:
    """One stride of the sample walk, closed."""
    clip = segue.loop(segue.sample("walk")).clip
    return clip.with_motion(name="stride", origin=Origin.of("stride", clip.n_frames))


def hard(frames: list[float], period: float) -> Origin:
    """Origin of one clip that plays these frames."""
    none = np.zeros(len(frames))
    return Origin(
        ("clip",),
        frozen(np.column_stack([none, none - 1]), np.int64),
        frozen(np.column_stack([frames, none])),
        frozen(np.column_stack([none + 1, none])),
        (period,),
    )


@pytest.mark.parametrize("fps", [60.0, 30.0, 25.0, 144.0])
def test_a_wrap_is_no_seam(stride: Clip, fps: float) -> None:
    """A cycle played repeatedly, at its own rate and at others, has no seam."""
    assert seam_ranges(resampled(unrolled(stride, seconds=10), fps).origin) == []


@given(
    st.integers(12, 60), st.lists(st.tuples(st.integers(0, 59), st.integers(8, 90)), min_size=1, max_size=5)
)
def test_cuts_are_seams_and_wraps_are_none(period: int, pieces: list[tuple[int, int]]) -> None:
    """There is a seam exactly where a frame is not followed by the next one, modulo the period."""
    frames = [float((start + k) % period) for start, count in pieces for k in range(count)]
    expected = [k + 1 for k, on in enumerate(wraps(frames, float(period), 1.0)) if not on]
    assert seam_ranges(hard(frames, float(period))) == [(k, k) for k in expected]


def test_without_a_period_a_wrap_is_a_seam() -> None:
    """Only a source whose origin has a period wraps."""
    frames = [float(k % 20) for k in range(50)]
    assert seam_ranges(hard(frames, 20.0)) == []
    assert seam_ranges(hard(frames, 0.0)) == [(20, 20), (40, 40)]


def test_rows_of_a_round_in_the_middle_are_taken(stride: Clip) -> None:
    """Of three rounds the rows of the second show the requested frames; their peaks are those of every round."""
    ready = unrolled(stride, seconds=3)
    n = stride.n_frames - 1
    frames = np.arange(n, dtype=np.float64)
    rows = source_rows(ready, "stride", frames)
    assert np.array_equal(ready.origin.frame[rows, 0], frames)
    assert rows.min() >= n // 2
    assert rows.max() < ready.n_frames - n // 2
    long = unrolled(stride, seconds=20)
    peaks, known = source_peaks(ready), source_peaks(long)
    there = source_rows(long, "stride", frames)
    for ours, theirs in zip(peaks, known, strict=True):
        assert np.allclose(ours[rows], theirs[there], rtol=1e-6, atol=1e-6)


@given(st.floats(0, 65.999), st.sampled_from([30.0, 25.0, 50.0]))
def test_the_nearest_row_is_found_round_the_end(frame: float, fps: float) -> None:
    """No row of a cycle is nearer, modulo the period, than the one found; frames beyond the period wrap as well."""
    stride = segue.loop(segue.sample("walk")).clip
    ready = resampled(unrolled(stride, seconds=4), fps)
    name = ready.origin.clips[0]
    (row, later) = source_rows(ready, name, np.array([frame, frame + 66.0]))
    away = np.abs(np.mod(ready.origin.frame[:, 0] - frame + 33.0, 66.0) - 33.0)
    within = 0.51 * 60.0 / fps
    assert away[row] <= within
    assert away[later] <= within


def test_a_seam_next_to_a_wrap_is_held_against_whole_motion(stride: Clip) -> None:
    """In a motion made of two cycles each join is one seam, and sources are examined on both sides of a wrap."""
    run = segue.loop(segue.sample("run")).clip
    run = run.with_motion(name="run", origin=Origin.of("run", run.n_frames))
    ready = unified([stride, run])
    n = stride.n_frames - 1
    near = segue.transition_points(ready[0], ready[1], threshold=np.inf)[0].alignment
    plan = Plan(0, 0, (Join(0, 2 * n - 5, 1, 10, 12, near),), ready[1].n_frames)
    made = assemble(ready, plan)
    assert made.origin.clips == ("stride", "run")
    assert made.origin.periods == (float(n), float(run.n_frames - 1))
    found = seams(made, ready)
    assert [(seam.start, seam.stop) for seam in found] == [(2 * n - 5, 2 * n + 7)]
    long = unified([unrolled(stride, seconds=20), unrolled(run, seconds=20)])
    (other,) = seams(made, long)
    assert np.allclose(found[0].source_speed, other.source_speed, rtol=1e-6)
    assert np.allclose(found[0].source_acceleration, other.source_acceleration, rtol=1e-6)


def test_cycles_of_a_game_pack_at_another_rate(data: Path) -> None:
    """A KayKit walk at 25 fps has no seam, and rows for every frame of the file."""
    clip = load(f"{data / 'gltf' / 'kaykit' / 'Med_MovementBasic.glb'}#Rig_Medium|Walking_A")
    (ready,) = unified([clip], fps=25.0)
    assert ready.seconds >= 3
    assert seam_ranges(ready.origin) == []
    rows = source_rows(ready, clip.name, np.arange(32.0))
    assert np.abs(np.mod(ready.origin.frame[rows, 0] - np.arange(32) + 16, 32) - 16).max() <= 0.61
    assert cut(ready, 10, 60).origin.periods == (32.0,)
