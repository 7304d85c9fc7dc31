"""Names of every usual convention, singly and as complete bodies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roles_schemes import SCHEMES, built
from segue.motion.role_names import mirror_name, read_name, scheme_of
from segue.motion.roles import ROLES, roles
from segue.motion.skeleton import Skeleton


@pytest.mark.parametrize("label", SCHEMES)
def test_every_convention_fills_its_roles(label: str) -> None:
    """A body named by a convention has every role at the right joint, and limbs are recognised by name."""
    body = built(label)
    skeleton = body.skeleton()
    found = roles(skeleton)
    assert {role: skeleton.names[joint] for role, joint in found.items()} == body.roles
    limbs = [role for role in body.roles if role.startswith(("left", "right"))]
    assert {found.how[role] for role in limbs} == {"name"}
    assert min(found.confidence.values()) >= 0.7
    assert found.unknown == tuple(role for role in ROLES if role not in body.roles)


@pytest.mark.parametrize("label", SCHEMES)
def test_names_are_enough(label: str) -> None:
    """Without any lengths, limb roles need only names and the tree."""
    body = built(label)
    skeleton = body.skeleton()
    flat = Skeleton(skeleton.names, skeleton.parents, 0.0 * skeleton.offsets)
    found = {role: skeleton.names[joint] for role, joint in roles(flat).items()}
    limbs = {role: name for role, name in body.roles.items() if role.startswith(("left", "right"))}
    assert {role: found.get(role) for role in limbs} == limbs


@pytest.mark.parametrize(
    ("name", "side", "word"),
    [
        ("LeftUpLeg", "left", "upleg"),
        ("lfemur", "left", "femur"),
        ("rShldr", "right", "shldr"),
        ("upperarm_l", "left", "upperarm"),
        ("thigh.R", "right", "thigh"),
        ("DEF-thigh.L", "left", "thigh"),
        ("ORG-thigh.L", "left", "thigh"),
        ("Bip01 L UpperArm", "left", "upperarm"),
        ("Bip001 R Calf", "right", "calf"),
        ("ValveBiped.Bip01_R_Calf", "right", "calf"),
        ("mHipLeft", "left", "hip"),
        ("LEFTUPLEG", "left", "upleg"),
        ("J_Bip_L_UpperLeg", "left", "upperleg"),
        ("CC_Base_L_Thigh", "left", "thigh"),
        ("Left_UpLeg", "left", "upleg"),
        ("ns:sub:RightArm", "right", "arm"),
        ("Character1_LeftArm", "left", "arm"),
        ("left_upLeg_joint", "left", "upleg"),
        ("RightUpLeg_056", "right", "upleg"),
        ("Lefthand", "left", "hand"),
    ],
)
def test_a_name_tells_side_and_part(name: str, side: str, word: str) -> None:
    """Prefixes, suffixes, case and namespaces of tools do not matter."""
    assert read_name(name)[:2] == (side, word)


@pytest.mark.parametrize(
    "name",
    [
        "LeftUpLegRoll",
        "ik_foot_l",
        "thigh_twist_01_l",
        "Bip01LToe0Nub",
        "LeftHand_End",
        "handslot.l",
        "__UpLeg_L",
        "Lefty",
    ],
)
def test_helpers_are_no_body_parts(name: str) -> None:
    """Twist bones, handles, tips and placeholders fill no role."""
    skeleton = Skeleton(["root", name], [-1, 0], [[0, 0, 0], [0, 0, 0]])
    assert dict(roles(skeleton)) == {"pelvis": 0}


def test_a_twist_bone_does_not_stand_in_for_its_limb() -> None:
    """Of thigh.L and thigh.L.001 the first is the hip, in any order."""
    names = ["spine", "thigh.L.001", "thigh.L", "shin.L"]
    found = roles(Skeleton(names, [-1, 0, 0, 2], [[0, 0, 0]] * 4))
    assert found["left_hip"] == 2
    assert found.confidence["left_hip"] == 1.0


def test_digits_hung_on_by_exporters_cost_confidence() -> None:
    """A name that is a body part only without its last digits has lower confidence."""
    names = ["Hips_01", "LeftUpLeg_05", "LeftLeg_06"]
    found = roles(Skeleton(names, [-1, 0, 1], [[0, 0, 0]] * 3))
    assert (found["left_knee"], found.confidence["left_knee"]) == (2, 0.8)


def test_a_side_that_the_rest_pose_contradicts_is_doubted() -> None:
    """Where names call left what lies on the right, the names are kept with lower confidence."""
    body = built("Unreal 4")
    swap = {"_l": "_r", "_r": "_l"}
    skeleton = body.skeleton()
    names = [name[:-2] + swap.get(name[-2:], name[-2:]) for name in skeleton.names]
    found = roles(Skeleton(names, skeleton.parents, skeleton.offsets, skeleton.end_sites))
    assert names[found["left_knee"]] == "calf_l"
    assert found.confidence["left_knee"] == 0.6
    assert any("names and rest pose disagree" in cost for cost in found.costs)


def test_names_that_say_nothing_have_no_scheme() -> None:
    """No label is given where no convention is recognised."""
    assert not scheme_of(["J0", "J1"])


def test_each_name_finds_its_mirror_image(cases: Path) -> None:
    """Prefix, suffix and dot styles map to their partner; names of the middle, and names without a partner, stay."""
    case = json.loads((cases / "case141-axes-units-mirror-names.json").read_text("utf-8"))
    names = case["inputs"]["names"]
    for name, partner in case["expect"]["pairs"].items():
        assert mirror_name(name, names) == partner
        assert mirror_name(partner, names) == name


@pytest.mark.parametrize("label", SCHEMES)
def test_mirroring_swaps_the_roles_of_a_body(label: str) -> None:
    """The partner of each limb joint of every convention is the other side's; a trunk joint's is itself."""
    body = built(label)
    for role, name in body.roles.items():
        side, _, part = role.partition("_")
        other = {"left": f"right_{part}", "right": f"left_{part}"}.get(side, role)
        assert mirror_name(name, body.names) == body.roles[other]
