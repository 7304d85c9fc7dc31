"""Flat feet that tremble: smoothed as the twin does, in the middle wholly, at the ends not at all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from naive import feet as naive
from segue.maths.quaternions import exp, half_angle, multiply, unroll
from segue.motion.clip import Clip
from segue.motion.kinematics import world
from segue.motion.limb_ik import Leg
from segue.motion.resample import cut
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.steadying import steadied


def trembling(seed: int, size: float) -> tuple[Clip, int, int]:
    """A stand whose left foot shakes, with its ankle and what is above it."""
    stand = cut(segue.sample("stand"), 0, 60)
    ankle = Leg.of(stand.skeleton, "left").ankle
    rotations = np.array(stand.rotations)
    shaken = size * np.random.default_rng(seed).normal(size=(60, 3))
    rotations[:, ankle] = multiply(rotations[:, ankle], exp(shaken))
    return stand.with_motion(rotations), ankle, int(stand.skeleton.parents[ankle])


@settings(max_examples=10)
@given(st.integers(0, 999))
def test_the_middle_of_a_plant_is_the_twins(seed: int) -> None:
    """World rotations of the ankle, away from the ends of the stretch; nothing outside it."""
    clip, ankle, above = trembling(seed, 0.01)
    flat = np.zeros(60, dtype=bool)
    flat[10:50] = True
    at = world(clip)
    rows, _, local = steadied(at, flat[:, None], joints=[(ankle, above)], fps=clip.fps)
    assert rows.tolist() == list(range(10, 50))
    made = np.array(clip.rotations)
    made[rows, ankle] = local
    found = world(clip.with_motion(made)).rotations[:, ankle]
    expected = np.array(naive.steady(unroll(at.rotations[10:50, ankle]).tolist(), 0.03 * clip.fps))
    assert half_angle(found[15:45], expected[5:35]) == pytest.approx(0, abs=1e-7)
    first = half_angle(found[10], at.rotations[10, ankle]), half_angle(found[49], at.rotations[49, ankle])
    assert max(first) < 0.5 * half_angle(expected, at.rotations[10:50, ankle]).max()


def test_feet_know_nothing_of_each_other() -> None:
    """Two flat at once, with stretches that begin and end anywhere, one too short: each as it is alone."""
    clip, ankle, above = trembling(2, 0.01)
    other = Leg.of(clip.skeleton, "right").ankle
    joints, flat = [(ankle, above), (other, int(clip.skeleton.parents[other]))], np.zeros((60, 2), dtype=bool)
    flat[3:20, 0] = flat[21:25, 0] = flat[30:60, 0] = flat[0:33, 1] = flat[35:45, 1] = True
    at, share = world(clip), np.linspace(0, 1, 60)
    rows, foot, local = steadied(at, flat, joints=joints, fps=clip.fps, share=share)
    for k in (0, 1):
        own, _, alone = steadied(at, flat[:, [k]], joints=[joints[k]], fps=clip.fps, share=share)
        assert own.tolist() == rows[foot == k].tolist()
        assert local[foot == k] == pytest.approx(alone, abs=1e-12)
    assert not {*rows[foot == 0]} & {21, 22, 23, 24}


def test_a_still_foot_stays_and_a_share_of_nothing_does_nothing() -> None:
    """Both to the bit, or to rounding."""
    clip, ankle, above = trembling(0, 0.0)
    flat = np.ones(60, dtype=bool)
    rows, _, local = steadied(world(clip), flat[:, None], joints=[(ankle, above)], fps=clip.fps)
    assert half_angle(local, clip.rotations[rows, ankle]) == pytest.approx(0, abs=1e-6)
    shaken, ankle, above = trembling(1, 0.01)
    rows, *_ = steadied(world(shaken), flat[:, None], joints=[(ankle, above)], fps=60, share=np.zeros(60))
    assert not rows.size


def test_held_feet_do_not_shake_the_knee() -> None:
    """A sliding, trembling stand: the knee is as quiet as in the capture, and the foot slips less than it trembles."""
    clip, _, _ = trembling(3, 0.006)
    slid = clip.with_motion(
        root_positions=clip.root_positions + np.linspace(0, 0.05, 60)[:, None] * [1, 0, 0]
    )
    found = plant_feet(slid, planted=np.ones((60, 4), dtype=bool))
    knee = Leg.of(clip.skeleton, "left").knee
    shaken = np.abs(np.diff(world(found.clip).positions[8:-8, knee], 2, axis=0)).max()
    assert shaken < 2e-4
    after = [p.along_path for p in found.after if p.part.startswith("left")]
    assert max(after) < 0.3 * max(p.along_path for p in found.before)
