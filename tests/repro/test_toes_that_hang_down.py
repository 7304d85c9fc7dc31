"""Toes that hang straight down flipped: they were bent up about an axis of the tip, which reverses there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.maths.quaternions import from_axis_angle, half_angle, multiply
from segue.motion.kinematics import world
from segue.motion.resample import cut
from segue.motion.roles import roles
from segue.synthesis.retarget.above import toes_up


def test_toes_that_swing_through_the_vertical_are_bent_evenly() -> None:
    """From 80 to 100 degrees down in even steps no step of the bent toes is twice as large."""
    count = 41
    stand = cut(segue.sample("stand"), 0, count)
    toe = roles(stand.skeleton)["left_toe"]
    angles = np.radians(np.linspace(80.0, 100.0, count))
    rotations = np.repeat(stand.rotations[:1], count, axis=0)
    hang = from_axis_angle(np.tile([1.0, 0.0, 0.0], (count, 1)), angles)
    rotations[:, toe] = multiply(rotations[:, toe], hang)
    roots = np.repeat(stand.root_positions[:1], count, axis=0)
    clip = stand.with_motion(rotations, roots)
    low = world(clip).positions[:, toe, 1]
    made = toes_up(clip, np.full(count, float(low.min()) - 0.01))
    steps = 2.0 * half_angle(made.rotations[1:, toe], made.rotations[:-1, toe])
    assert not np.array_equal(made.rotations, clip.rotations)
    assert steps.max() < 2.0 * np.diff(angles).max()


@pytest.mark.data
def test_a_boxer_carried_to_a_body_with_toes_keeps_them_still(data: Path) -> None:
    """The right toes of 17_10 on Boxing_Toes rotate less than 0.7 rad between two frames; it was 1.75."""
    clip = cut(segue.load(data / "asf_amc" / "17" / "17_10.amc"), 1560, 1620)
    body = segue.load(data / "misc" / "assimp" / "Boxing_Toes.bvh").skeleton
    made = segue.retarget(clip, body)
    toe = roles(body)["right_toe"]
    steps = 2.0 * half_angle(made.rotations[1:, toe], made.rotations[:-1, toe])
    assert steps.max() < 0.7
