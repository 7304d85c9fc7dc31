"""Joint positions of bodies with a leaning neck and a curved spine: the shape is the body's and not a rotation."""

from __future__ import annotations

import numpy as np
import pytest

from segue.arrays import Floats, Positions
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.synthesis.from_positions import from_positions
from segue.synthesis.retarget import retarget

LEANS = {
    "straight": {"Neck": 0.0, "Head": 0.0},
    "a little": {"Head": 15.0},
    "far ahead": {"Head": 35.0, "Neck": 10.0},
    "back": {"Head": -15.0},
    "a curved spine": {"Spine1": -10.0, "Neck": 15.0, "Head": 25.0},
}
WHERE = ("walk", "run", "walk_left")


def leaning(clip: Clip, leans: dict[str, float]) -> Clip:
    """Clip on a body whose bones to some joints lean forward by some degrees in its rest pose."""
    body = clip.skeleton
    offsets = np.array(body.offsets)
    for name, degrees in leans.items():
        joint, angle = body.index(name), np.radians(degrees)
        long = float(np.linalg.norm(offsets[joint]))
        offsets[joint] = long * np.array([0.0, np.cos(angle), np.sin(angle)])
    return clip.with_skeleton(Skeleton(body.names, body.parents, offsets, body.end_sites))


def line(clip: Clip, start: str, end: str) -> Positions:
    """Unit vectors (F, 3) from one role to another."""
    found, at = roles(clip.skeleton), world_positions(clip)
    bone = at[:, found[end]] - at[:, found[start]]
    out: Positions = bone / np.linalg.norm(bone, axis=1, keepdims=True)
    return out


def apart(a: Positions, b: Positions) -> float:
    """Largest angle in degrees."""
    cos: Floats = np.sum(a * b, axis=1)
    return float(np.degrees(np.arccos(np.clip(cos, -1.0, 1.0))).max())


@pytest.mark.parametrize("kind", list(LEANS))
@pytest.mark.parametrize("name", WHERE)
def test_a_neck_that_leans_leans_once_on_another_body(kind: str, name: str) -> None:
    """Retargeted positions put the head within 8 degrees of the captured rotations, and the trunk within 5."""
    clip = leaning(sample(name, fps=30.0), LEANS[kind])
    other = leaning(sample("stand"), LEANS["a little"]).skeleton
    found = from_positions(world_positions(clip), clip.skeleton.names, fps=clip.fps)
    ours, theirs = retarget(found, other), retarget(clip, other)
    assert apart(line(ours, "neck", "head"), line(theirs, "neck", "head")) < 8.0
    assert apart(line(ours, "pelvis", "neck"), line(theirs, "pelvis", "neck")) < 5.0
