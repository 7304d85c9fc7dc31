"""Measures over time: the same numbers as the single measures, at the frames they belong to."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.measures.curves import measure_curves
from segue.measures.ground import ground_fit
from segue.measures.quality import quality
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.resample import cut


def test_a_jump_shows_at_its_frame() -> None:
    """A root shifted from one frame on shows acceleration at the two adjacent frames and no rotation."""
    walk = segue.sample("walk", 30)
    still = Clip(walk.skeleton, np.repeat(walk.rotations[:1], 40, axis=0), np.zeros((40, 3)), 30.0)
    roots = np.zeros((40, 3))
    roots[20:, 0] = 0.1
    found = measure_curves(still.with_motion(None, roots), planted=np.zeros((40, 4), dtype=bool))
    assert np.flatnonzero(found.acceleration > 1e-9).tolist() == [19, 20]
    assert found.acceleration[19] == pytest.approx(0.1 * 30**2)
    assert np.flatnonzero(found.foot_speed[:, 0] > 1e-9).tolist() == [19]
    assert found.foot_speed[19] == pytest.approx(0.1 * 30)
    assert np.flatnonzero(found.jerk > 1e-9).tolist() == [18, 19, 20]
    assert found.angular_speed.max() < 1e-6


def test_it_agrees_with_the_single_measures() -> None:
    """Ground, contacts and peaks agree."""
    walk = segue.sample("walk", 30)
    found = measure_curves(walk)
    assert np.array_equal(found.planted, contacts(walk).flags)
    assert np.array_equal(found.penetration, ground_fit(walk).penetration)
    assert found.jerk.max() == pytest.approx(quality(walk).jerk.max())
    assert len(found.seconds) == walk.n_frames
    assert found.seconds[-1] == pytest.approx(walk.seconds)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_very_short_motions(count: int) -> None:
    """There is one value per frame, also where the motion is too short for a difference."""
    found = measure_curves(cut(segue.sample("walk", 30), 5, 5 + count))
    assert found.acceleration.shape == found.jerk.shape == found.angular_speed.shape == (count,)
