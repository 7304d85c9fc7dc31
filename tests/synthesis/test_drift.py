"""Feet that drift at seams as they do in the clips: the source's own steps, and nothing of the blend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from naive import feet as naive
from segue.errors import SettingError
from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.measures.seams import SeamBounds
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.synthesis.drift import captured_drift
from segue.synthesis.feet.seams import with_feet


def drifting(name: str, speed: float) -> Clip:
    """A sample at 30 frames a second that goes aside so many metres a second: planted feet drift with it."""
    clip = segue.sample(name, 30)
    aside = np.arange(clip.n_frames)[:, None] * [speed / 30, 0.0, 0.0]
    return clip.with_motion(root_positions=clip.root_positions + aside)


def crossing(speed: float) -> tuple[Clip, list[Clip], segue.TransitionPoint]:
    """A walk, a slower one, and where they cross."""
    clips = [drifting("walk", speed), drifting("walk_slow", speed)]
    points = segue.transition_points(*clips, threshold=1e9)
    return clips[0], clips, next(p for p in points if 25 < p.a_frame < 70 and p.b_frame > 20)


@settings(max_examples=10)
@given(st.floats(-3, 3), st.floats(-9, 9))
def test_the_way_of_a_clip_is_its_own_turned(turn: float, x: float) -> None:
    """A clip that was moved along the ground drifts as it did, turned; frame by frame as the twin adds it up."""
    clip = drifting("walk", 0.05)
    there = moved(clip, segue.PlanarMotion(turn, x, -x))
    found = captured_drift(there, [clip])
    ground = foot_positions(clip.skeleton, world(clip))[:, :, [0, 2]]
    for part in range(4):
        places = [tuple(p) for p in ground[:, part].tolist()]
        assert found[:, part] == pytest.approx(np.array(naive.drift(places, [turn] * len(places))), abs=1e-9)


def test_feet_drift_as_in_the_clips_and_no_more() -> None:
    """Plants at the seam slide as fast as those of the clips; held they do not, free they slide farther."""
    walk, clips, point = crossing(0.06)
    slides = {}
    for feet in ("free", "planted", "captured"):
        made = segue.splice(walk, clips[1], point, feet="free", length=0.4)
        made = with_feet(made, clips, feet, bounds=SeamBounds(1e3, 1e3, 1e3)).clip
        planted = carried_contacts(made, clips)
        whole = [p for p in foot_skate(made, planted=planted) if p.stop - p.start > 6]
        near = [p for p in whole if p.start < point.a_frame + 6 and p.stop > point.a_frame - 6]
        assert near
        slides[feet] = np.array([p.along_path / (p.stop - 1 - p.start) * 30 for p in near])
    assert slides["planted"].max() < 0.01
    assert slides["captured"] == pytest.approx(0.06, abs=0.015)
    assert slides["free"].max() > 0.09


def test_the_word_is_checked() -> None:
    """With those there are."""
    walk, clips, point = crossing(0.0)
    with pytest.raises(SettingError, match=r"feet='loose' is not known; choose 'planted' .*'captured'"):
        segue.splice(walk, clips[1], point, feet="loose")
