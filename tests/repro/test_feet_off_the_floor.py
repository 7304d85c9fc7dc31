"""Feet below or above the floor, or on legs of unequal length, are planted on the floor."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import segue
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_points, foot_positions
from segue.motion.floors import Floor
from segue.motion.kinematics import world, world_positions
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.feet.steps import LOCKED


def up(clip: Clip, heights: object) -> Clip:
    """Clip raised by ``heights`` in metres, one for all frames or one a frame."""
    roots = np.array(clip.root_positions)
    roots[:, 1] += heights
    return clip.with_motion(root_positions=roots)


def when(clip: Clip) -> np.ndarray:
    """Times (F,) as shares of the clip's length."""
    return np.linspace(0.0, 1.0, clip.n_frames)


def longer_leg(clip: Clip, share: float = 1.05) -> Clip:
    """Clip with the left thigh and shank longer than the motion was made for."""
    body, found = clip.skeleton, roles(clip.skeleton)
    offsets = np.array(body.offsets)
    for joint in ("left_knee", "left_ankle"):
        offsets[found[joint]] *= share
    return Clip(Skeleton(body.names, body.parents, offsets), clip.rotations, clip.root_positions, clip.fps)


def faded(clip: Clip) -> Clip:
    """Clip lowered by up to 2.2 cm at its middle, as a fade at equal phase lowers it."""
    return up(clip, -0.022 * np.sin(np.pi * when(clip)) ** 2)


KINDS: dict[str, Callable[[Clip], Clip]] = {
    "as it is": lambda c: c,
    "5 cm down": lambda c: up(c, -0.05),
    "4 cm up": lambda c: up(c, 0.04),
    "sinks for a moment": lambda c: up(c, -0.035 * np.exp(-0.5 * ((when(c) - 0.5) * c.seconds / 0.17) ** 2)),
    "sinks slowly": lambda c: up(c, -0.05 * np.sin(np.pi * when(c))),
    "drifts down": lambda c: up(c, -0.079 * when(c)),
    "drifts up": lambda c: up(c, 0.06 * when(c)),
    "bobs": lambda c: up(c, 0.02 * np.sin(2 * np.pi * when(c) * c.seconds / 0.7)),
    "a leg longer": longer_leg,
    "faded": faded,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["walk", "run", "walk_turn_left", "stop"])
def test_planted_feet_lie_on_the_floor(name: str, kind: str) -> None:
    """Planted feet are within 3 mm of the floor, nothing is below it, the trunk is no jerkier, and no foot slides."""
    clip = KINDS[kind](segue.sample(name, 60))
    found = plant_feet(clip, floor=0.0, keep=LOCKED)
    heights = foot_positions(clip.skeleton, world(found.clip))[..., 1] - found.grounding.targets
    sound = contacts(segue.sample(name, 60)).flags
    assert (found.contacts & sound).sum() > 0.85 * sound.sum()
    assert np.abs(heights[found.contacts]).max() < 0.003
    assert heights.min() > -0.003
    assert calm(found.clip) < 1.1 * calm(clip) + 1.0
    assert max((plant.along_path for plant in found.after), default=0.0) < 0.003


def calm(clip: Clip) -> float:
    """Largest acceleration of the joints above the hips in m/s^2."""
    above = [k for k, word in enumerate(clip.skeleton.names) if "Spine" in word or word == "Head"]
    return (
        float(np.linalg.norm(np.diff(world_positions(clip)[:, above], 2, axis=0), axis=-1).max())
        * clip.fps**2
    )


def test_on_a_slope_and_on_a_floor_that_is_found() -> None:
    """Feet are planted on a slope as well, and on a floor found from the foot rests."""
    from segue.maths.quaternions import conjugate, multiply, rotate

    walk, ramp = segue.sample("walk", 60), Floor(0.3, np.radians(10.0), 0.5)
    sunk = KINDS["sinks for a moment"](walk)
    back = conjugate(ramp.turn)
    rotations = np.array(sunk.rotations)
    rotations[:, 0] = multiply(back, rotations[:, 0])
    tilted = sunk.with_motion(rotations, rotate(back, sunk.root_positions) + np.array([0.0, 0.3, 0.0]))
    assert plant_feet(tilted, floor=ramp).grounding.off[1] < 0.003
    by_itself = plant_feet(up(sunk, 0.4), floor="found")
    assert by_itself.grounding.off[1] < 0.003
    raised = by_itself.clip.root_positions[0, 1] - walk.root_positions[0, 1]
    assert raised == pytest.approx(0.4, abs=0.02)


def test_a_sound_clip_is_moved_by_what_it_was_off() -> None:
    """A walk on its floor moves by a millimetre or two."""
    walk = segue.sample("walk", 60)
    found = plant_feet(walk, floor=0.0)
    places = [foot_positions(c.skeleton, world(c)) for c in (walk, found.clip)]
    assert np.abs(places[1] - places[0]).max() < 0.004
    still = segue.sample("stand", 60)
    assert plant_feet(still, floor=0.0).clip is still
    assert foot_points(walk.skeleton).rest_heights[0] == 0.0
