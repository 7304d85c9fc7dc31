"""The split into upper and lower body."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.errors import SkeletonError
from segue.motion.roles import given, roles
from segue.motion.skeleton import Skeleton
from segue.sequencing.halves import body_halves

BODIES = (
    "asf_amc/16/16_15.amc",
    "misc/assimp/Boxing_Toes.bvh",
    "cmu/daz_scaled/60_12_scaled.bvh",
)


def with_tail(body: Skeleton) -> Skeleton:
    """A body with a tail at its pelvis and a third arm at its chest."""
    found = roles(body)
    extra = ("Tail1", "Tail2", "ExtraArm", "ExtraHand")
    count = body.n_joints
    parents = [*body.parents.tolist(), found["pelvis"], count, found["chest"], count + 2]
    offsets = np.concatenate([body.offsets, [[0, 0, -0.1], [0, 0, -0.2], [0, 0.1, 0.1], [0, 0, 0.2]]])
    return Skeleton((*body.names, *extra), parents, offsets)


def check(body: Skeleton) -> None:
    """Check that legs and their parents are lower; arms, head and the rest are upper."""
    halves, found = body_halves(body), roles(body)
    assert np.array_equal(halves.upper, ~halves.lower)
    for role, joint in found.items():
        low = role == "pelvis" or any(part in role for part in ("hip", "knee", "ankle", "toe"))
        assert halves.lower[joint] == low, role
    for joint in np.flatnonzero(halves.upper):
        parent = int(body.parents[joint])
        assert halves.upper[parent] or parent == halves.pelvis or halves.lower[parent]
    assert halves.lower[0]


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.data
def test_captured_bodies_are_split_by_roles(data: Path, path: str) -> None:
    """Every joint of a captured body is in one half: legs in the lower, arms and head in the upper."""
    check(segue.load(data / path).skeleton)


def test_a_tail_and_an_extra_arm_are_upper() -> None:
    """A chain at the pelvis that is no leg, and a third arm, belong to the upper half."""
    body = with_tail(segue.sample("walk").skeleton)
    check(body)
    halves = body_halves(body)
    assert halves.upper[[body.index(name) for name in ("Tail1", "Tail2", "ExtraArm", "ExtraHand")]].all()


def test_a_body_without_arms_and_toes_is_compared_by_what_it_has() -> None:
    """Missing roles are not primary joints."""
    walk = segue.sample("walk")
    body = given(walk.skeleton, {"left_toe": "", "right_toe": "", "left_wrist": "", "neck": ""})
    halves, whole = body_halves(body), body_halves(walk.skeleton)
    assert len(halves.lower_primary) == len(whole.lower_primary) - 2
    assert len(halves.upper_primary) == len(whole.upper_primary) - 2


def test_a_body_without_legs_is_refused_with_what_is_missing() -> None:
    """The error names every leg role without a joint."""
    body = Skeleton(("Hips", "Spine", "Head"), [-1, 0, 1], [[0, 1, 0], [0, 0.3, 0], [0, 0.3, 0]])
    with pytest.raises(SkeletonError, match="left_hip, left_knee, left_ankle, right_hip"):
        body_halves(body)
