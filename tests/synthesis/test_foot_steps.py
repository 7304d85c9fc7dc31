"""Feet step at seams as in the clips, without steps added by the blend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue.errors import SettingError
from segue.maths.planar import turned
from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.measures.seams import SeamBounds
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.synthesis.feet.seams import with_feet
from segue.synthesis.feet.steps import (
    LOCKED,
    NATURAL,
    PlantMotion,
    bounded,
    ground_places,
    mixed,
    source_steps,
)


def drifting(name: str, speed: float) -> Clip:
    """A sample at 30 frames a second that drifts sideways in metres a second, planted feet included."""
    clip = segue.sample(name, 30)
    aside = np.arange(clip.n_frames)[:, None] * [speed / 30, 0.0, 0.0]
    return clip.with_motion(root_positions=clip.root_positions + aside)


def crossing(speed: float) -> tuple[Clip, list[Clip], segue.TransitionPoint]:
    """A walk, a slower one, and a transition point between them."""
    clips = [drifting("walk", speed), drifting("walk_slow", speed)]
    points = segue.transition_points(*clips, threshold=1e9)
    return clips[0], clips, next(p for p in points if 25 < p.a_frame < 70 and p.b_frame > 20)


@settings(max_examples=10)
@given(st.floats(-3, 3), st.floats(-9, 9))
def test_the_steps_of_a_clip_are_its_own_turned(turn: float, x: float) -> None:
    """A clip moved along the ground has the same steps, turned, and the same firmness."""
    clip = drifting("walk", 0.05)
    there = moved(clip, segue.PlanarMotion(turn, x, -x))
    steps, firm = source_steps(there, [clip])
    ground = foot_positions(clip.skeleton, world(clip))[:, :, [0, 2]]
    own = np.diff(ground, axis=0)
    assert firm == pytest.approx(ground_places(clip)[1], abs=1e-12)
    standing = firm[1:] > 1e-6
    assert steps[1:][standing] == pytest.approx(turned(np.array(turn), own)[standing], abs=1e-9)


@given(st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_mixed_steps_are_means_of_what_stands(seed: int, share: float) -> None:
    """The mean is weighted by weight and firmness; where one foot is in the air the other's step is taken."""
    rng = np.random.default_rng(seed)
    steps, firm = rng.normal(size=(2, 5, 4, 2)), rng.random((2, 5, 4))
    firm[1, :, 0] = 0.0
    weight = np.stack([np.full(5, share), np.full(5, 1.0 - share)])
    found, total = mixed(steps, firm, weight)
    for row in range(5):
        for part in range(4):
            w = [weight[k, row] * firm[k, row, part] for k in (0, 1)]
            assert total[row, part] == pytest.approx(sum(w), abs=1e-12)
            if sum(w) > 1e-9:
                expected = (w[0] * steps[0, row, part] + w[1] * steps[1, row, part]) / sum(w)
                assert found[row, part] == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 10_000), st.floats(0.0, 0.03), st.floats(-3.0, 3.0))
def test_steps_are_bounded_in_any_direction(seed: int, creep: float, angle: float) -> None:
    """Bounding commutes with turning; a creep of 0 leaves no step, an infinite one every step."""
    rng = np.random.default_rng(seed)
    steps, firm = 0.002 * rng.normal(size=(40, 4, 2)), np.ones((40, 4))
    found = bounded(steps, firm, PlantMotion(creep), fps=30.0)
    other = bounded(turned(np.array(angle), steps), firm, PlantMotion(creep), fps=30.0)
    assert other == pytest.approx(turned(np.array(angle), found), abs=1e-12)
    assert np.abs(bounded(steps, firm, LOCKED, fps=30.0)).max() < 1e-12
    assert bounded(steps, firm, PlantMotion(np.inf), fps=30.0) is steps


def test_feet_drift_as_in_the_clips_and_no_more() -> None:
    """Plants at the seam slide as fast as those of the clips; locked they do not slide, free they slide farther."""
    walk, clips, point = crossing(0.06)
    slides = {}
    for feet in ("free", "locked", "captured", "natural"):
        made = segue.splice(walk, clips[1], point, feet="free", length=0.4)
        made = with_feet(made, clips, feet, bounds=SeamBounds(1e3, 1e3, 1e3)).clip
        planted = carried_contacts(made, clips)
        whole = [p for p in foot_skate(made, planted=planted) if p.stop - p.start > 6]
        near = [p for p in whole if p.start < point.a_frame + 6 and p.stop > point.a_frame - 6]
        assert near
        slides[feet] = np.array([p.along_path / (p.stop - 1 - p.start) * 30 for p in near])
    assert slides["locked"].max() < 0.015
    assert slides["captured"] == pytest.approx(0.06, abs=0.015)
    assert slides["natural"].max() < 0.075
    assert slides["free"].max() > slides["captured"].max()


def test_the_word_is_checked() -> None:
    """The error lists the known words."""
    walk, clips, point = crossing(0.0)
    with pytest.raises(SettingError, match=r"feet='loose' is not known; choose 'natural' .*'captured'"):
        segue.splice(walk, clips[1], point, feet="loose")


@given(
    st.integers(2, 80),
    st.floats(0.0, 0.05),
    st.floats(0.0, 0.01),
    st.integers(0, 99),
    st.sampled_from([0.0, 0.005, 0.01]),
)
def test_a_plant_stays_near_its_mean_place(
    n: int, slide: float, shake: float, seed: int, creep: float
) -> None:
    """No frame is farther from the mean place than the bound; a plant within the bound is bit for bit the same."""
    rng = np.random.default_rng(seed)
    path = np.linspace(0.0, slide, n)[:, None] * [0.6, 0.8] + shake * rng.standard_normal((n, 2))
    steps = np.zeros((n, 4, 2))
    steps[1:, 0] = np.diff(path, axis=0)
    firm = np.zeros((n, 4))
    firm[:, 0] = 1.0
    kept = bounded(steps, firm, PlantMotion(creep=creep), fps=60.0)
    walked = np.cumsum(kept[:, 0], axis=0)
    assert np.linalg.norm(walked - walked.mean(axis=0), axis=1).max() <= creep + 1e-12
    if np.linalg.norm(path - path.mean(axis=0), axis=1).max() <= creep:
        assert np.array_equal(kept, steps)
    assert np.array_equal(kept[:, 1:], steps[:, 1:])


def test_an_even_slide_is_creep() -> None:
    """A foot that slides evenly by 5 cm slides evenly by 1 cm to either side of its mean place instead."""
    steps = np.zeros((40, 4, 2))
    steps[1:, 0, 0] = 0.05 / 39
    firm = np.ones((40, 4))
    kept = bounded(steps, firm, NATURAL, fps=60.0)[:, 0, 0]
    assert kept.sum() == pytest.approx(0.02, rel=0.05)
    assert np.ptp(kept[1:]) < 1e-4
