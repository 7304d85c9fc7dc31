"""For walks in place and walks whose feet slide, the floor is found under feet in stance, and knees keep their bend."""

from __future__ import annotations

import numpy as np
import pytest

from rerigged import along_x
from segue.arrays import Floats
from segue.motion.clip import Clip
from segue.motion.floors import find_floor
from segue.motion.kinematics import world_positions
from segue.motion.reference import with_reference
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.motion.tilt import find_tilt
from segue.synthesis.feet.planting import plant_feet


def in_place(clip: Clip) -> Clip:
    """Clip without its travel along the ground, with the sway left in."""
    root = np.array(clip.root_positions)
    path = np.linspace(0.0, 1.0, len(root))[:, None] * (root[-1] - root[0])
    return clip.with_motion(root_positions=root - path * [1.0, 0.0, 1.0])


def slid(clip: Clip, share: float) -> Clip:
    """Clip whose ground motion is multiplied by ``share``."""
    return clip.with_motion(root_positions=clip.root_positions * [share, 1.0, share])


UP = np.array([0.0, 1.0, 0.0])
KINDS = {
    "on the spot": lambda clip: slid(clip, 0.0),
    "on a treadmill": in_place,
    "on a treadmill, bones along X": lambda clip: with_reference(along_x(in_place(clip))),
    "too far": lambda clip: slid(clip, 1.5),
    "not far enough": lambda clip: slid(clip, 0.6),
}


def knees(clip: Clip) -> Floats:
    """Bends (F, 2) of both knees in degrees."""
    found, at = roles(clip.skeleton), world_positions(clip)
    out = []
    for side in ("left", "right"):
        hip, knee, ankle = (at[:, found[f"{side}_{part}"]] for part in ("hip", "knee", "ankle"))
        a, b = knee - hip, ankle - knee
        cos = np.sum(a * b, axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        out.append(np.degrees(np.arccos(np.clip(cos, -1.0, 1.0))))
    return np.stack(out, axis=1)


@pytest.mark.parametrize("name", ["walk", "walk_left", "run"])
@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("metres", [0.0, -0.4, 0.7])
def test_the_floor_lies_under_feet_in_stance(kind: str, name: str, metres: float) -> None:
    """The floor height is right to 3 cm and its slope to 4 degrees, wherever the motion is placed."""
    clip = KINDS[kind](sample(name, fps=60.0))
    clip = clip.with_motion(root_positions=clip.root_positions + metres * UP)
    floor = find_floor(clip)
    assert abs(floor.height - metres) < 0.03
    assert floor.slope < np.radians(4.0)
    tilt = find_tilt(clip)
    assert tilt is not None
    assert tilt.floor.slope == 0.0 == tilt.drift


@pytest.mark.parametrize("kind", list(KINDS)[:3])
def test_feet_in_place_are_not_pulled_to_the_floor_by_a_halt_in_the_air(kind: str) -> None:
    """Planted on the found floor, or on the ground, no knee bends by 12 degrees more than before."""
    clip = KINDS[kind](sample("walk", fps=30.0))
    root = np.array(clip.root_positions)
    root[20:, 2] += 0.02 * np.sin(np.arange(len(root) - 20) * 0.4)  # a body that sways on the belt
    clip = clip.with_motion(root_positions=root)
    for floor in ("found", 0.0):
        made = plant_feet(clip, floor=floor)  # type: ignore[arg-type]
        assert (knees(made.clip) - knees(clip)).max() < 12.0
