"""Bodies that are upright in no frame: a doubt is reported, no false alarm on real floors, and no feet on a ceiling."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue import contacts, load
from segue.errors import SegueError
from segue.io import motion_files
from segue.maths.quaternions import from_axis_angle, multiply, rotate
from segue.motion.body import is_human
from segue.motion.clip import Clip
from segue.motion.faults import find_faults
from segue.motion.samples import SAMPLES, sample
from segue.motion.skeleton import Skeleton

LYING = {"Death_A_Pose", "Death_B_Pose", "Crawling", "Lie_Idle", "Push_Ups"}
"""Clips of a hand-keyed pack in which the body lies or crawls throughout."""


def turned(clip: Clip, axis: tuple[float, float, float], degrees: float) -> Clip:
    """Clip rotated about the origin."""
    turn = from_axis_angle(np.array(axis), np.radians(degrees))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    return clip.with_motion(rotations, rotate(turn, clip.root_positions))


@pytest.mark.parametrize("name", ["walk", "run", "stand", "walk_left"])
@pytest.mark.parametrize("lifted", [0.0, 2.0])
def test_head_down_is_a_warning_and_has_no_plants(name: str, lifted: float) -> None:
    """A body upside down in every frame is doubted, and its feet have no plants on a ceiling."""
    clip = turned(sample(name), (1, 0, 0), 180.0)
    clip = clip.with_motion(root_positions=clip.root_positions + np.array([0.0, lifted, 0.0]))
    (fault,) = find_faults(clip).of("never_upright")
    assert (fault.severity, fault.start, fault.stop) == ("warning", 0, clip.n_frames)
    assert "head down" in fault.sentence
    assert not contacts(clip).flags.any()
    assert np.isfinite(contacts(clip).floor).all()


@pytest.mark.parametrize(
    ("axis", "degrees"), [((1, 0, 0), 90), ((1, 0, 0), -90), ((0, 0, 1), 90), ((0, 0, 1), -90)]
)
def test_lying_throughout_is_a_doubt(axis: tuple[float, float, float], degrees: float) -> None:
    """A body that lies in every frame, or has another up axis, is noted and stays usable."""
    clip = turned(sample("walk"), axis, degrees)
    (fault,) = find_faults(clip).of("never_upright")
    assert fault.severity == "note"
    assert "it lies or crawls, or another axis is up" in fault.sentence
    assert not find_faults(clip).unusable.any()


def test_one_frame_upright_is_enough() -> None:
    """A body that gets up, sits or stands at any time is not doubted."""
    walk = sample("walk")
    lying = turned(walk, (1, 0, 0), 90)
    rotations = np.concatenate([lying.rotations[:100], walk.rotations[100:110]])
    roots = np.concatenate([lying.root_positions[:100], walk.root_positions[100:110]])
    assert not find_faults(Clip(walk.skeleton, rotations, roots, walk.fps)).of("never_upright")
    sitting = np.array(walk.rotations)
    for side in ("Left", "Right"):
        sitting[:, walk.skeleton.index(f"{side}UpLeg")] = from_axis_angle(
            np.array([1.0, 0.0, 0.0]), -np.pi / 2
        )
    assert not find_faults(walk.with_motion(sitting)).of("never_upright")


def test_a_body_without_legs_is_not_judged() -> None:
    """A chain of bones has no feet to compare."""
    body = Skeleton(("a", "b", "c"), (-1, 0, 1), [[0.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, -1.0, 0.0]])
    still = np.zeros((4, 3, 4))
    still[..., 0] = 1.0
    assert not find_faults(Clip(body, still, np.zeros((4, 3)), 30.0)).of("never_upright")


def test_upright_samples_are_not_doubted() -> None:
    for name in SAMPLES:
        assert not find_faults(sample(name)).of("never_upright"), name


def test_real_clips_are_doubted_only_where_they_lie(data: Path) -> None:
    """Of all real clips only those that lie or crawl throughout are doubted, and none slopes or drifts."""
    doubted = set()
    for path in motion_files([data]):
        try:
            clip = load(path)
        except SegueError:
            continue
        if is_human(clip.skeleton) and clip.n_frames < 4000:
            found = find_faults(clip)
            assert not found.of("slope", "drift"), path
            if found.of("never_upright"):
                doubted.add(str(path).rsplit("#")[-1])
    assert doubted == LYING
