"""Clips that are exactly one cycle: recognised in every format and notation, and extended without a seam."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from naive.cyclic import apart as naive_apart
from naive.cyclic import played
from naive.cyclic import step as naive_step
from segue.arrays import frozen
from segue.errors import SettingError
from segue.io import load, load_folder, save
from segue.io.gltf_read import animations
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import exp, from_yaw, half_angle, multiply
from segue.motion.clip import Clip, Origin, frames_round, merged_periods, steps_round
from segue.motion.cyclic import (
    LEAST,
    ROUNDING,
    Period,
    ends_apart,
    find_period,
    in_first_round,
    played_on,
    rounds,
    unrolled,
)
from segue.motion.resample import cut, resampled
from segue.motion.samples import SAMPLES
from segue.motion.skeleton import Skeleton

ONE_SHOTS = ("Death", "Dodge", "Spawn", "T-Pose", "Jump_Land", "Jump_Start", "StandUp", "Down", "Pose")
"""Words in the names of KayKit's animations that end in another pose than they begin with."""


def swinging(
    period: int = 40, *, closed: bool = True, turn: float = 0.0, pace: float = 0.02, seed: int = 0
) -> Clip:
    """A body of four joints that swings with one period and walks an arc: `pace` m a frame, `turn` rad a round."""
    rng = np.random.default_rng(seed)
    n = period + closed
    t = np.arange(n) / period
    body = Skeleton(
        ("Hips", "a", "b", "c"), [-1, 0, 1, 0], [[0, 0.9, 0], [0, 0.2, 0], [0, 0.3, 0], [0.2, 0, 0]]
    )
    size, phase = rng.uniform(0.05, 0.4, (2, 4, 3))
    half = 0.5 * size * np.sin(2 * np.pi * (t[:, None, None] + 3 * phase))
    rotations = exp(half)
    headings = turn * t
    rotations[:, 0] = multiply(from_yaw(headings), rotations[:, 0])
    away = np.cumsum(np.column_stack([np.sin(headings), np.cos(headings)]) * pace, axis=0)
    roots = np.column_stack([away[:, 0], 0.9 + 0.02 * np.sin(2 * np.pi * t), away[:, 1]])
    return Clip(body, rotations, roots, 30.0, name="swing")


def poses_apart(a: np.ndarray, b: np.ndarray) -> float:
    """Largest angle in radians between rotations."""
    return float(2 * half_angle(a, b).max())


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("turn", [0.0, 0.7, -2.0])
def test_a_cycle_is_found_with_its_last_row_and_without_it(closed: bool, turn: float) -> None:
    """The frames of a period and the ground motion of a round are those that the clip was made with."""
    clip = swinging(closed=closed, turn=turn)
    found = find_period(clip)
    assert found is not None
    assert (found.n_frames, found.closed) == (40, closed)
    assert found.step.turn == pytest.approx(turn, abs=0.02 if not closed else 1e-9)


@pytest.mark.parametrize("closed", [True, False])
def test_a_body_on_the_spot_stays_there(closed: bool) -> None:
    """Where place and heading are periodic too, the ground motion of a round is the identity."""
    found = find_period(swinging(closed=closed, pace=0.0))
    assert found is not None
    assert found.step == PlanarMotion()


def test_two_rounds_are_one_period() -> None:
    """Several complete rounds wrap as well, and count as one period."""
    twice = unrolled(swinging(), seconds=2.0)
    assert find_period(twice) == Period(
        80, closed=True, step=find_period(twice).step, gap=find_period(twice).gap
    )


def test_a_still_pose_is_no_cycle() -> None:
    """A hold equals itself at every frame and does not travel, so a round has no defined length."""
    clip = swinging()
    rows = np.zeros(40, dtype=int)
    assert (
        find_period(
            clip.with_motion(clip.rotations[rows], clip.root_positions[rows], origin=clip.origin.take(rows))
        )
        is None
    )


@pytest.mark.parametrize("stop", [12, 20, 30, 36, 38])
def test_a_part_of_a_cycle_is_none(stop: int) -> None:
    """A clip that stops two or more frames before the end of its period is no cycle."""
    assert find_period(cut(swinging(), 0, stop + 1)) is None


def test_samples_are_no_cycles() -> None:
    """None of the embedded clips is one complete cycle."""
    assert [name for name in SAMPLES if find_period(segue.sample(name)) is not None] == []


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
@pytest.mark.parametrize("name", ["walk", "run", "stand", "walk_left"])
def test_loops_are_found_in_the_files_they_were_written_to(tmp_path: Path, name: str, suffix: str) -> None:
    """A loop that segue made is one cycle after writing and reading, also with its last row cut off."""
    loop = segue.loop(segue.sample(name))
    save(loop.clip, tmp_path / f"loop{suffix}")
    clip = load(tmp_path / f"loop{suffix}")
    n = loop.clip.n_frames - 1
    found = find_period(clip)
    assert found is not None
    assert (found.n_frames, found.closed) == (n, True)
    assert found.gap <= ROUNDING
    there = [loop.step.turn, loop.step.x, loop.step.z]
    assert [found.step.turn, found.step.x, found.step.z] == pytest.approx(there, abs=2e-3)
    without = find_period(cut(clip, 0, n))
    assert without is not None
    assert without.closed or without.n_frames == n


@given(st.integers(8, 60), st.integers(1, 4), st.booleans(), st.floats(-2.5, 2.5), st.integers(0, 9))
@settings(max_examples=40)
def test_frames_modulo_the_period_show_one_pose(
    period: int, times: int, closed: bool, turn: float, seed: int
) -> None:
    """Frames a period apart show the same pose, up to heading and place, and the origin repeats with the period."""
    clip = swinging(period, closed=closed, turn=turn, seed=seed)
    given_values = Period(period, closed=closed, step=PlanarMotion(turn, 0.3, 0.1))
    made = rounds(clip, given_values, times=times)
    rows = np.arange(made.n_frames) % period
    assert made.n_frames == times * period + 1
    assert np.array_equal(made.rotations[:, 1:], clip.rotations[rows, 1:])
    assert np.array_equal(made.root_positions[:, 1], clip.root_positions[rows, 1])
    assert np.array_equal(made.origin.frame[:, 0], rows)
    assert made.origin.periods == (float(period),)
    first = given_values.step.apply(made.root_positions[: (times - 1) * period + 1])
    assert np.allclose(first, made.root_positions[period:], atol=1e-9)


@given(st.integers(8, 30), st.floats(-2.0, 2.0), st.integers(0, 9))
@settings(max_examples=20)
def test_rounds_are_the_naive_ones(period: int, turn: float, seed: int) -> None:
    """Every frame is the row of its phase, moved once a round, as in a loop over frames."""
    clip = swinging(period, turn=turn, seed=seed)
    found = find_period(clip)
    assert found is not None
    made = rounds(clip, found, times=3)
    step = (found.step.turn, found.step.x, found.step.z)
    poses, places = played(
        clip.rotations.tolist(), clip.root_positions.tolist(), found.n_frames, step, made.n_frames
    )
    assert poses_apart(made.rotations, np.array(poses)) < 1e-7
    assert np.allclose(made.root_positions, places, atol=1e-9)


@given(st.integers(0, 30), st.floats(-3.0, 3.0))
@settings(max_examples=20)
def test_ends_are_as_far_apart_as_the_naive_ones(seed: int, turn: float) -> None:
    """The distance between the ends is that of two poses without regard to heading."""
    clip = cut(swinging(seed=seed, turn=turn), 0, 30)
    q = clip.rotations.tolist()
    steps = [naive_step(q[k], q[k + 1]) for k in (0, 1, 2, 26, 27, 28)]
    ours = ends_apart(clip)
    assert ours == pytest.approx(naive_apart(q[-1], q[0]) / float(np.median(steps)), rel=1e-3)


def test_unrolled_ends_on_the_first_pose_and_lasts_long_enough() -> None:
    """The result lasts at least the requested seconds and less than a round more, and ends with its first pose."""
    clip = swinging(turn=0.3)
    for seconds in (1.5, 3.0, 10.0):
        made = unrolled(clip, seconds=seconds)
        assert seconds <= made.seconds + 1e-9 < seconds + 40 / 30 + 1e-6
        assert np.array_equal(made.rotations[-1, 1:], clip.rotations[0, 1:])


def test_open_ends_are_closed_before_they_are_played_on() -> None:
    """A difference between the ends beyond rounding is spread: steps at the wrap are no larger than elsewhere."""
    clip = swinging(60)
    open_ended = cut(clip, 0, 60)
    drift = np.linspace(0, 0.004, 60)
    q = np.array(open_ended.rotations)
    q[:, 2] = multiply(from_yaw(drift), q[:, 2])
    made = unrolled(open_ended.with_motion(q), seconds=5)
    steps = 2 * half_angle(made.rotations[1:], made.rotations[:-1]).max(axis=1)
    assert steps.max() <= 1.05 * steps[:58].max()


@pytest.mark.parametrize("seconds", [0.0, -1.0, np.inf, np.nan])
def test_impossible_seconds_are_refused(seconds: float) -> None:
    with pytest.raises(SettingError, match="positive number of seconds"):
        unrolled(swinging(), seconds=seconds)


def test_what_is_no_cycle_cannot_be_unrolled() -> None:
    """The error suggests looping the clip; `played_on` returns such a clip unchanged."""
    start = segue.sample("start")
    with pytest.raises(SettingError, match="loop it first"):
        unrolled(start, seconds=60)
    assert played_on(start) is start
    assert played_on(swinging()).seconds >= LEAST


@pytest.mark.parametrize("fps", [24.0, 25.0, 50.0, 60.0, 29.97])
def test_resampling_counts_source_frames_round(fps: float) -> None:
    """Source frames between the end of a round and the start of the next lie between the last row and the period."""
    made = resampled(unrolled(swinging(), seconds=4), fps)
    wanted = np.mod(np.arange(made.n_frames) * 30.0 / fps, 40.0)
    off = steps_round(made.origin.frame[:, 0] - wanted, np.full(made.n_frames, 40.0))
    assert np.abs(off).max() < 1e-6
    assert made.origin.frame.min() >= 0
    assert made.origin.frame.max() < 40
    again = resampled(made, 30.0)
    off = steps_round(
        again.origin.frame[:, 0] - np.mod(np.arange(again.n_frames), 40.0), np.full(again.n_frames, 40.0)
    )
    assert np.abs(off).max() < 1e-6


def test_frames_of_a_clip_without_rounds_are_their_own() -> None:
    """Source frames wrap only if the origin has a period."""
    walk = segue.sample("walk")
    assert np.array_equal(in_first_round(walk), np.arange(walk.n_frames))
    assert np.array_equal(
        in_first_round(resampled(unrolled(swinging(), seconds=3), 60.0))[78:82], [78, 79, 0, 1]
    )


@given(st.floats(-200, 200), st.floats(1, 50))
def test_counting_round_is_the_remainder(frame: float, period: float) -> None:
    """Wrapped frames lie in the period and differ by whole periods; steps are at most half a period."""
    frames, periods = np.array([frame]), np.array([period])
    inside = frames_round(frames, periods)[0]
    assert 0 <= inside < period
    assert abs((frame - inside) / period - round((frame - inside) / period)) < 1e-5
    assert abs(steps_round(frames, periods)[0]) <= period / 2 + 1e-9


@pytest.mark.parametrize("periods", [(1.0,), (-1.0, 0.0), (np.nan, 0.0), (np.inf, 0.0)])
def test_periods_that_fit_no_clip_are_refused(periods: tuple[float, ...]) -> None:
    """An origin has one period per clip, and none is negative."""
    none = np.zeros((1, 2))
    with pytest.raises(SettingError, match="periods"):
        Origin(("a", "b"), frozen(none, np.int64), frozen(none), frozen(none), periods)


def test_periods_of_several_clips_are_kept_by_name() -> None:
    """Merging the origins of several motions keeps the period of each source."""
    cycle, walk = unrolled(swinging(), seconds=3).origin, segue.sample("walk").origin
    assert merged_periods(("walk", "swing"), [walk, cycle]) == (0.0, 40.0)
    assert merged_periods(("walk",), [walk]) == ()
    assert cycle.take([3]).periods == (40.0,)


def test_game_loops_are_cycles(data: Path) -> None:
    """All of KayKit's animations that are meant to wrap are found, and no others."""
    missed, wrong = [], []
    for path in sorted((data / "gltf" / "kaykit").glob("*.glb")):
        for name in animations(path):
            found = find_period(load(f"{path}#{name}")) is not None
            once = any(word in name for word in ONE_SHOTS)
            (wrong if found and once else missed if not found and not once else []).append(name)
    assert (missed, wrong) == ([], [])


def test_files_that_state_a_wrap_are_believed_whole(data: Path) -> None:
    """DeepMimic's wrapped motions are cycles and its others are not; nor is a part of a wrapped one."""
    for path in sorted((data / "misc" / "deepmimic").glob("*.txt")):
        clip = load(path)
        wraps = clip.source is not None and clip.source.extra["loop"] == "wrap"
        assert (find_period(clip) is not None) == wraps, path.name
        assert find_period(cut(clip, 0, clip.n_frames - 4)) is None


def test_captured_clips_are_no_cycles(data: Path) -> None:
    """No CMU capture returns to its first pose that exactly."""
    clips, _ = load_folder([data / "asf_amc", data / "cmu"])
    assert len(clips) > 100
    assert [clip.name for clip in clips if find_period(clip) is not None] == []
