"""Floors that slope or drift: against the definition, at any slope, rate and place, and on real clips."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.tilt import level_height, straight_line
from segue import load, world_positions
from segue.motion.clip import Clip
from segue.motion.floors import Floor, fitted, rests
from segue.motion.samples import sample
from segue.motion.tilt import Tilt, find_tilt, made_level


@pytest.mark.parametrize(("slope", "towards", "drift"), [(0.0, 0.0, 0.05), (0.2, 1.0, 0.0), (0.4, -2.5, 0.0)])
def test_a_level_motion_is_as_high_over_0_as_it_was_over_the_floor(
    slope: float, towards: float, drift: float
) -> None:
    """Every joint keeps its distance from the floor."""
    walk = sample("walk", 10.0)
    floor = Floor(0.3, slope, towards)
    made = world_positions(made_level(walk, Tilt(floor, drift)))
    before = world_positions(walk)
    for frame in range(0, walk.n_frames, 7):
        for joint in range(walk.skeleton.n_joints):
            wanted = level_height(
                tuple(before[frame, joint].tolist()),
                frame / 10.0,
                height=0.3,
                slope=slope,
                towards=towards,
                drift=drift,
            )
            assert made[frame, joint, 1] == pytest.approx(wanted, abs=1e-12)


def test_a_line_is_the_least_squares_one(rng: np.random.Generator) -> None:
    """Without outliers and with many rests, heights over time are fitted as by the normal equations."""
    times = np.sort(rng.uniform(0.0, 400.0, 80))
    heights = 0.2 + 0.03 * times + rng.normal(0.0, 0.002, 80)
    fit = fitted(times[:, None], heights, np.zeros(80, dtype=np.int64), leg=0.85)
    slope, at_0 = straight_line(times.tolist(), heights.tolist())
    assert fit.slopes[0] == pytest.approx(slope, rel=1e-3)
    assert fit.own[0] == pytest.approx(at_0, abs=2e-3)


@settings(max_examples=25, deadline=None)
@given(st.floats(-0.12, 0.12), st.floats(-2.0, 2.0), st.floats(0.3, 3.0))
def test_drift_is_found_at_any_height_and_size(drift: float, height: float, size: float) -> None:
    """The floor found does not depend on its height, and scales with the body."""
    walk = sample("walk", 30.0)
    body = walk.skeleton
    grown = type(body)(body.names, body.parents, body.offsets * size, [], roles_given=body.roles_given)
    seconds = np.arange(walk.n_frames)[:, None] / walk.fps
    roots = size * (walk.root_positions + np.array([0.0, height, 0.0]) + seconds * [0.0, drift, 0.0])
    found = find_tilt(Clip(grown, walk.rotations, roots, walk.fps))
    assert found is not None
    if abs(drift) > 0.02:
        assert found.drift == pytest.approx(size * drift, rel=0.05)
    elif abs(drift) < 0.005:
        assert found.drift == 0.0
    assert found.floor.slope == 0.0


def test_feet_that_never_rest_show_no_floor() -> None:
    """Where no foot rests, no floor is found."""
    walk = sample("walk", 30.0)
    seconds = np.arange(walk.n_frames)[:, None] / walk.fps
    fast = walk.with_motion(root_positions=walk.root_positions + seconds * [0.0, 4.0, 0.0])
    assert not len(rests(fast).points)
    assert find_tilt(fast) is None


def test_a_real_walk_is_laid_on_its_floor(data: Path) -> None:
    """A captured walk's floor is level; a drift added over time is found despite the capture's own noise."""
    clip = load(data / "asf_amc" / "16" / "16_16.amc")
    found = find_tilt(clip)
    assert found is not None
    assert (found.floor.slope, found.drift) == (0.0, 0.0)
    seconds = np.arange(clip.n_frames)[:, None] / clip.fps
    carried = find_tilt(clip.with_motion(root_positions=clip.root_positions + seconds * [0.0, 0.12, 0.0]))
    assert carried is not None
    assert carried.drift == pytest.approx(0.12, abs=0.02)
