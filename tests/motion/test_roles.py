"""Roles of real skeletons in four naming schemes, and of names made up to mislead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue.errors import SkeletonError
from segue.io import load
from segue.motion.roles import LIMB_ROLES, NEEDED, ROLES, SIDES, TRUNK_ROLES, require, roles
from segue.motion.skeleton import Skeleton

# file: scheme, trunk names (pelvis, spine, chest, neck, head), limb names with {S} Left/Right and {s} l/r,
# in the order clavicle, shoulder, elbow, wrist, hip, knee, ankle, toe; "-" where the body has no such joint.
MIXAMO_LIMBS = "{S}Shoulder {S}Arm {S}ForeArm {S}Hand {S}UpLeg {S}Leg {S}Foot"
EXPECTED = {
    "asf_amc/16/16_01.amc": (
        "CMU",
        "root lowerback thorax lowerneck head",
        "{s}clavicle {s}humerus {s}radius {s}wrist {s}femur {s}tibia {s}foot {s}toes",
    ),
    "cmu/from_amc/16_01.bvh": ("Mixamo", "Hips LowerBack Spine1 Neck Head", f"{MIXAMO_LIMBS} {{S}}ToeBase"),
    "cmu/mb2/01_01.bvh": ("Mixamo", "Hips LowerBack Spine1 Neck Head", f"{MIXAMO_LIMBS} {{S}}ToeBase"),
    "cmu/bvhacker/02_01.bvh": ("Mixamo", "Hips LowerBack Spine1 Neck Head", f"{MIXAMO_LIMBS} {{S}}ToeBase"),
    "cmu/max_friendly/131_01.bvh": (
        "3ds Max",
        "Hips lowerback Chest2 lowerneck Head",
        "{S}Collar {S}Shoulder {S}Elbow {S}Wrist {S}Hip {S}Knee {S}Ankle {S}Toe",
    ),
    "misc/assimp/Boxing_Toes.bvh": (
        "3ds Max",
        "Hips Ab Chest Neck Head",
        "{S}Collar {S}Shoulder {S}Elbow {S}Wrist {S}Hip {S}Knee {S}Ankle {S}Toes",
    ),
    "cmu/daz_scaled/60_12_scaled.bvh": (
        "DAZ",
        "hip abdomen chest neck head",
        "{s}Collar {s}Shldr {s}ForeArm {s}Hand {s}Thigh {s}Shin {s}Foot -",
    ),
    "misc/bvhtoolbox/walk01.bvh": ("Mixamo", "Hips Spine Spine1 Neck Head", f"{MIXAMO_LIMBS} -"),
    "misc/geno/Geno_stance.bvh": ("Mixamo", "Hips Spine Spine3 Neck Head", f"{MIXAMO_LIMBS} {{S}}ToeBase"),
    "misc/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh": (
        "Mixamo",
        "Hips Spine - - Head",
        f"{MIXAMO_LIMBS} {{S}}ToeBase",
    ),
    "misc/pybvh/bvh_test1.bvh": ("Mixamo", "Hips Spine Spine3 Neck Head", f"{MIXAMO_LIMBS} {{S}}ToeBase"),
}
# LAFAN1's joints, written down from its description: the files themselves may not be kept here.
LAFAN1_LEG = ["{S}UpLeg", "{S}Leg", "{S}Foot", "{S}Toe"]
LAFAN1_ARM = ["{S}Shoulder", "{S}Arm", "{S}ForeArm", "{S}Hand"]
LAFAN1 = [
    *("Hips", *(name.format(S=side) for side in ("Left", "Right") for name in LAFAN1_LEG)),
    *("Spine", "Spine1", "Spine2", "Neck", "Head"),
    *(name.format(S=side) for side in ("Left", "Right") for name in LAFAN1_ARM),
]
LAFAN1_PARENTS = [-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 12, 11, 14, 15, 16, 11, 18, 19, 20]


def body(names: list[str], parents: list[int] | None = None) -> Skeleton:
    """A skeleton that has only names and a tree (a chain unless told otherwise)."""
    return Skeleton(
        names, list(range(-1, len(names) - 1)) if parents is None else parents, np.zeros((len(names), 3))
    )


def named(skeleton: Skeleton) -> dict[str, str]:
    """Role to joint name."""
    return {role: skeleton.names[joint] for role, joint in roles(skeleton).items()}


@pytest.mark.parametrize("file", EXPECTED)
def test_real_skeletons_fill_their_roles(data: Path, file: str) -> None:
    """Every role of a real file goes to the joint a person would choose, and to none where there is none."""
    scheme, trunk, limbs = EXPECTED[file]
    skeleton = load(data / file).skeleton
    expected = dict(zip(TRUNK_ROLES, trunk.split(), strict=True))
    for side in SIDES:
        words = limbs.format(S=side.capitalize(), s=side[0]).split()
        expected |= {f"{side}_{part}": word for part, word in zip(LIMB_ROLES, words, strict=True)}
    expected = {role: name for role, name in expected.items() if name != "-"}
    assert named(skeleton) == expected
    assert roles(skeleton).scheme == scheme
    assert roles(skeleton).unknown == tuple(role for role in ROLES if role not in expected)
    assert set(NEEDED) <= set(expected)


@pytest.mark.parametrize("file", EXPECTED)
def test_left_is_on_the_left(data: Path, file: str) -> None:
    """With the rest pose turned to face +Z, the left knee lies on the +X side of the right one."""
    skeleton = load(data / file).skeleton
    rest, found = skeleton.rest_positions(), roles(skeleton)
    # Facing by the feet: a foot is longer ahead of the ankle than behind it.
    tips = [
        rest[found[f"{side}_toe"]] - rest[found[f"{side}_ankle"]]
        if f"{side}_toe" in found
        else skeleton.tip(found[f"{side}_ankle"])
        for side in SIDES
    ]
    if any(tip is None for tip in tips):
        pytest.skip("no toes and no tips: the rest pose does not tell where it faces")
    ahead = tips[0] + tips[1]
    left = np.cross([0.0, 1.0, 0.0], ahead)
    assert left @ (rest[found["left_knee"]] - rest[found["right_knee"]]) > 0


def test_lafan1_names() -> None:
    """LAFAN1's toes are called LeftToe; everything else is as in Mixamo files."""
    found = named(body(LAFAN1, LAFAN1_PARENTS))
    assert len(found) == len(ROLES)
    assert (found["left_toe"], found["chest"], found["right_shoulder"]) == ("LeftToe", "Spine2", "RightArm")


@pytest.mark.parametrize("prefix", ["mixamorig:", "mixamorig1:", "Character1|", "ns:sub:"])
def test_namespaces_do_not_matter(prefix: str) -> None:
    """A prefix before a colon or a bar is not part of a name."""
    plain, spaced = body(LAFAN1, LAFAN1_PARENTS), body([prefix + name for name in LAFAN1], LAFAN1_PARENTS)
    assert dict(roles(plain)) == dict(roles(spaced))


@pytest.mark.parametrize(
    "change", [str.upper, str.lower, lambda name: name.replace("Left", "Left_").replace("Right", "Right ")]
)
def test_spelling_does_not_matter(change: object) -> None:
    """Case, blanks and underscores are no difference."""
    assert len(roles(body([change(name) for name in LAFAN1], LAFAN1_PARENTS))) == len(ROLES)


def test_a_wrong_tree_loses_the_role() -> None:
    """A joint called LeftLeg that does not hang below LeftUpLeg is not the knee."""
    parents = list(LAFAN1_PARENTS)
    parents[2] = 0
    found = roles(body(LAFAN1, parents))
    assert "left_knee" not in found
    assert "right_knee" in found


def test_unknown_names_leave_only_the_root() -> None:
    """Without a known name the root is the pelvis and nothing else is guessed."""
    skeleton = body(["base", "child1", "child2"])
    assert dict(roles(skeleton)) == {"pelvis": 0}
    assert len(roles(skeleton).unknown) == len(ROLES) - 1


def test_a_missing_role_is_named_with_the_nearest_joints() -> None:
    """What a function needs and a body lacks is said with names that come near."""
    with pytest.raises(SkeletonError, match=r"role 'left_knee'; nearest: LeftKnie"):
        require(body(["Root", "LeftKnie", "Other"]), "pelvis", "left_knee")
    assert require(body(LAFAN1, LAFAN1_PARENTS), "left_knee") == {"left_knee": 2}
