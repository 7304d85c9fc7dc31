"""Velocities that a weight curve does not match fade inside the blend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import sequencing as naive
from segue.maths.quaternions import from_yaw, half_angle
from segue.sequencing.velocities import FARTHEST, SECONDS, SOONEST, fading, with_shifts, with_turns

STEPS = st.lists(st.floats(-0.05, 0.05), min_size=3, max_size=3)


@given(STEPS, st.integers(2, 40))
def test_offsets_fade_as_defined(step: list[float], frames: int) -> None:
    """Offsets are those of the loops, and none exceeds the limit."""
    got = fading(np.array(step), farthest=FARTHEST, frames=frames, fps=60.0)
    wanted = naive.fading(step, farthest=FARTHEST, frames=frames, seconds=SECONDS, soonest=SOONEST, fps=60.0)
    assert np.allclose(got, np.array(wanted).reshape(got.shape), atol=1e-12)
    assert np.linalg.norm(got, axis=-1).max(initial=0.0) <= FARTHEST + 1e-12


def test_ways_keep_their_ends_and_begin_as_they_were_going() -> None:
    """A straight line between two places leaves the first and reaches the last at the speeds of both motions."""
    line = np.linspace(0.0, 1.0, 30)[:, None] * np.array([[0.2, 0.0, 0.0]])
    before, after = line[0] + [0.0, 0.0, 0.01], line[-1] - [0.0, 0.02, 0.0]
    made = with_shifts(line, before, after, fps=60.0)
    assert np.array_equal(made[[0, -1]], line[[0, -1]])
    assert made[1] == pytest.approx(before, abs=1e-12)
    assert made[-2] == pytest.approx(after, abs=1e-12)


def test_turns_keep_their_ends_and_begin_as_they_were_going() -> None:
    """An even rotation keeps both end poses, with the angular velocities of the motions before and after."""
    turns = from_yaw(np.linspace(0.0, 0.5, 30))[:, None]
    before, after = from_yaw(np.array([0.05])), from_yaw(np.array([0.5 - 0.03]))
    made = with_turns(turns, before, after, fps=60.0)
    assert np.array_equal(made[[0, -1]], turns[[0, -1]])
    assert 2.0 * half_angle(made[1], before).max() < 1e-9
    assert 2.0 * half_angle(made[-2], after).max() < 1e-9
