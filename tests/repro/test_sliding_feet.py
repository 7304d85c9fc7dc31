"""Roots that travel farther or less far than their legs walk: stance is found, measured, doubted and held."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.measures.foot_skate import foot_skate
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.faults import find_faults
from segue.motion.samples import SAMPLES
from segue.motion.stance import slip, slip_free, stance
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.feet.steps import LOCKED, NATURAL

FACTORS = (0.5, 0.6, 0.75, 0.8, 1.2, 1.25, 1.3, 1.5)


def carried(name: str, factor: float, fps: float = 60.0) -> Clip:
    """A sample whose root travel is multiplied by ``factor``."""
    clip = segue.sample(name, fps)
    return clip.with_motion(root_positions=clip.root_positions * [factor, 1.0, factor])


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("name", ["walk", "run", "walk_turn_left"])
def test_stance_is_found_at_any_sliding_speed(name: str, factor: float) -> None:
    """Nine flags in ten equal those of the clip that does not slide, and the slip is the factor's."""
    found, sound = stance(carried(name, factor)).flags, contacts(segue.sample(name, 60.0)).flags
    assert (found == sound).mean() > 0.9
    assert slip(carried(name, factor)).share == pytest.approx(factor - 1.0, abs=0.02)


@pytest.mark.parametrize("factor", FACTORS)
def test_it_is_measured_doubted_and_held(factor: float) -> None:
    """A plant slides by the root's share of a step, `find_faults` reports it, and held feet stand."""
    clip = carried("walk", factor)
    slid = float(np.mean([plant.along_path for plant in foot_skate(clip)]))
    assert slid > 0.5 * abs(factor - 1.0)
    assert [fault.kind for fault in find_faults(clip).found] == ["sliding"]
    locked, natural = (plant_feet(clip, keep=keep).after for keep in (LOCKED, NATURAL))
    assert np.mean([plant.along_path for plant in locked]) < 0.01
    assert np.mean([plant.start_to_end for plant in natural]) < NATURAL.creep + 0.002


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_sound_clips_keep_their_contacts(name: str, fps: float) -> None:
    """Without a factor the contacts are unchanged."""
    clip = segue.sample(name, fps)
    assert slip_free(clip) is clip
    assert np.array_equal(stance(clip).flags, contacts(clip).flags)
    assert not find_faults(clip).of("sliding")


def test_a_walk_on_the_spot_stays_one() -> None:
    """A treadmill walk is in place, and gets no invented root motion."""
    clip = carried("walk", 0.0)
    assert slip_free(clip) is clip
    assert "in place" in find_faults(clip).found[0].sentence


def test_a_clip_without_stance_is_not_given_any() -> None:
    """A body carried up and away has no foot on any ground."""
    run = segue.sample("run", 60)
    roots = np.array(run.root_positions)
    roots[:, 1] += 0.05 * np.arange(run.n_frames)
    assert not stance(run.with_motion(root_positions=roots)).flags.any()


def test_captures_slide_as_little_as_ever(data) -> None:
    """Captured walks and runs keep their contacts."""
    from segue.io import load

    for name in ("16_15", "16_35", "16_41", "16_46"):
        clip = load(data / "asf_amc" / "16" / f"{name}.amc")
        assert np.array_equal(stance(clip).flags, contacts(clip).flags)
        assert not find_faults(clip).of("sliding")


@pytest.mark.parametrize("degrees", [0.3, 0.8, 1.5])
def test_feet_that_tremble_do_not_slide(degrees: float) -> None:
    """Jitter of all joints is reported as jitter with the command that removes it, and the command removes it."""
    from segue.maths.quaternions import exp, multiply
    from segue.synthesis.smoothing import smooth

    walk, rng = segue.sample("walk", 60), np.random.default_rng(1)
    noise = exp(np.radians(degrees) / 2 * rng.normal(size=(*walk.rotations.shape[:2], 3)))
    shaky = walk.with_motion(multiply(walk.rotations, noise))
    (fault,) = find_faults(shaky).found
    assert fault.kind == "jitter"
    assert "--smooth" in fault.sentence
    assert not find_faults(smooth(shaky)).of("jitter", "sliding")
