"""Packed motions: unpacked values, size, and refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import packed_motion
from random_clips import SEEDS, body, clip
from segue.errors import SettingError
from segue.io import load
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample
from segue.pictures.player.packing import WITHIN, packed


def brought_back(made, small):
    roots, turns = packed_motion.unpacked(small.document())
    return made.with_motion(np.array(turns), np.array(roots))


def off(made, small) -> float:
    back = brought_back(made, small)
    return float(np.linalg.norm(world_positions(back) - world_positions(made), axis=-1).max())


def test_the_naive_reader_gets_the_motion_back_within_the_stated_error() -> None:
    """No joint is farther off than the error stated by the packed motion."""
    made = sample("walk_turn_left")
    small = packed(made)
    assert off(made, small) == pytest.approx(small.error, abs=1e-12)
    assert small.error <= WITHIN


@given(
    st.integers(0, SEEDS),
    st.integers(1, 5),
    st.sampled_from([1, 2, 3, 40]),
    st.sampled_from([1e-2, 1e-4, 2e-6]),
)
def test_any_motion_keeps_to_the_error_asked_for(seed: int, joints: int, frames: int, within: float) -> None:
    """This holds for random bodies in random poses, one frame or more."""
    rng = np.random.default_rng(seed)
    made = clip(rng, body(rng, joints), frames)
    assert off(made, packed(made, within=within)) <= within


def test_a_minute_of_capture_is_small(data: Path) -> None:
    """A minute at 120 frames a second of 31 joints takes less than a megabyte of text."""
    made = load(data / "asf_amc" / "16" / "16_15.amc")
    assert len(packed(made).data) / made.seconds * 60 < 1_000_000


@pytest.mark.parametrize("within", [0.0, -1.0, float("nan")])
def test_an_error_that_is_no_length_is_refused(within: float) -> None:
    """The error must be above 0 metres."""
    with pytest.raises(SettingError, match="above 0"):
        packed(sample("walk"), within=within)


def test_what_is_too_far_away_is_refused() -> None:
    """A root hundreds of kilometres away does not fit into the numbers of a page."""
    made = sample("walk")
    with pytest.raises(SettingError, match="too far away"):
        packed(made.with_motion(root_positions=made.root_positions + 1e6))
