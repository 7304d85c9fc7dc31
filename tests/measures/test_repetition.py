"""Seconds that are new: repeated frames of a motion, by its origin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.repetition as naive
import segue
from segue.measures.repetition import repeats, repetition
from segue.motion.clip import Clip, Origin


def played(frames: list[int], *, fps: float = 30.0) -> Clip:
    """The walk's frames in the given order, each with its origin."""
    walk = segue.sample("walk", fps)
    order = np.array(frames) % walk.n_frames
    return Clip(
        walk.skeleton,
        walk.rotations[order],
        walk.root_positions[order],
        fps,
        name="made",
        origin=Origin.of("walk", walk.n_frames).take(order),
    )


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=60))
def test_repeats_equal_their_twin(moments: list[tuple[int, int]]) -> None:
    assert repeats(np.array(moments)).tolist() == naive.repeats(moments)


@given(st.integers(1, 4), st.integers(20, 80))
def test_what_is_played_n_times_is_new_once(times: int, length: int) -> None:
    """A stretch played several times has as many distinct seconds as it is long."""
    found = repetition(played([*range(length)] * times))
    assert found.distinct_seconds == pytest.approx(length / 30.0)
    assert found.share == pytest.approx(1 - 1 / times)


def test_a_walk_that_is_resampled_repeats_nothing() -> None:
    """Steps between source frames are no repetition."""
    clip = segue.sample("walk", 120)
    rows = np.arange(0, clip.n_frames, 4)
    slow = Clip(
        clip.skeleton, clip.rotations[rows], clip.root_positions[rows], 30.0, origin=clip.origin.take(rows)
    )
    assert repetition(slow).share == 0.0


def test_a_minute_that_repeats_itself_is_said_and_a_varied_one_is_not() -> None:
    """Two minutes of a six-second walk are reported; ten seconds are too short to judge."""
    long = repetition(played([*range(180)] * 20))
    assert "repeats itself: only 6 s of its 60 are new" in long.warning
    assert repetition(played([*range(100)] * 3)).warning == ""
    assert repetition(played([*range(180)])).warning == ""
