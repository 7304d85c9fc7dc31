"""Roles of real skeletons in every format, and of misleading invented names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roles_truth import NO_HUMANS, truth_of
from segue.errors import SegueError, SkeletonError
from segue.io import load, motion_files
from segue.motion.roles import NEEDED, ROLES, SIDES, require, roles
from segue.motion.skeleton import Skeleton

# One file for each kind of body in the table, and the label of its scheme.
FILES = {
    "asf_amc/16/16_01.amc": "CMU",
    "cmu/from_amc/16_01.bvh": "Mixamo",
    "cmu/mb2/01_01.bvh": "Mixamo",
    "cmu/bvhacker/02_01.bvh": "Mixamo",
    "cmu/max_friendly/131_01.bvh": "3ds Max",
    "cmu/bvhacker/scaled_131_01.bvh": "3ds Max",
    "cmu/daz_scaled/60_12_scaled.bvh": "DAZ",
    "misc/assimp/Boxing_Toes.bvh": "3ds Max",
    "misc/bvhtoolbox/walk01.bvh": "Mixamo",
    "misc/bvhtools/test3.bvh": "Rigify",
    "misc/geno/Geno_stance.bvh": "Mixamo",
    "misc/makehuman/dance1.bvh": "MakeHuman",
    "misc/makehuman/tpose.bvh": "MakeHuman",
    "misc/olympe/root.bvh": "names",
    "misc/pybvh/bvh_test1.bvh": "Mixamo",
    "misc/pybvh/bvh_test2.bvh": "Xsens",
    "misc/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh": "Mixamo",
    "gltf/kaykit/Med_General.glb#Idle_A": "KayKit",
    "gltf/khronos/cesium_man.gltf": "shape",
    "misc/deepmimic/humanoid3d_walk.txt": "DeepMimic",
    "misc/npz_kimodo/soma_05_root_path.npz": "Mixamo",
    "misc/npz_kimodo/g1_01_single_text_prompt.npz": "names",
    "fbx/cmu_blender/01_01_cmu.fbx": "Mixamo",
    "fbx/motionbuilder/pab_walk.fbx": "Mixamo",
}
# LAFAN1's joints, from its description: the files may not be included here.
LAFAN1_LEG = ["{S}UpLeg", "{S}Leg", "{S}Foot", "{S}Toe"]
LAFAN1_ARM = ["{S}Shoulder", "{S}Arm", "{S}ForeArm", "{S}Hand"]
LAFAN1 = [
    *("Hips", *(name.format(S=side) for side in ("Left", "Right") for name in LAFAN1_LEG)),
    *("Spine", "Spine1", "Spine2", "Neck", "Head"),
    *(name.format(S=side) for side in ("Left", "Right") for name in LAFAN1_ARM),
]
LAFAN1_PARENTS = [-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 12, 11, 14, 15, 16, 11, 18, 19, 20]


def body(names: list[str], parents: list[int] | None = None) -> Skeleton:
    """A skeleton that has only names and a tree (by default a chain)."""
    return Skeleton(
        names, list(range(-1, len(names) - 1)) if parents is None else parents, np.zeros((len(names), 3))
    )


def named(skeleton: Skeleton) -> dict[str, str]:
    """Role to joint name."""
    return {role: skeleton.names[joint] for role, joint in roles(skeleton).items()}


def loaded(data: Path, file: str) -> Skeleton:
    """Skeleton of a file; FBX needs an optional package."""
    if file.endswith(".fbx"):
        pytest.importorskip("ufbx")
    return load(data / file).skeleton


@pytest.mark.parametrize("file", FILES)
def test_real_skeletons_fill_their_roles(data: Path, file: str) -> None:
    """Every role of a real file goes to the joint that a person would choose, and to none where there is none."""
    skeleton = loaded(data, file)
    table = truth_of(file.partition("#")[0])
    assert table is not None
    assert set(table) == set(ROLES)
    found = {role: skeleton.names[joint].lower() for role, joint in roles(skeleton).items()}
    open_ended = {role for role, name in table.items() if name == "?"}
    expected = {role: name.lower() for role, name in table.items() if name not in {"-", "?"}}
    assert {role: name for role, name in found.items() if role not in open_ended} == expected
    assert roles(skeleton).scheme == FILES[file]
    assert set(NEEDED) <= set(found)


@pytest.mark.parametrize("file", [*FILES])
def test_left_is_on_the_left(data: Path, file: str) -> None:
    """With the rest pose turned to face +Z, the left knee lies on the +X side of the right one."""
    skeleton = loaded(data, file)
    rest, found = skeleton.rest_positions(), roles(skeleton)
    if "left_toe" in found:
        tips = [rest[found[f"{side}_toe"]] - rest[found[f"{side}_ankle"]] for side in SIDES]
    else:
        tips = [skeleton.tip(found[f"{side}_ankle"]) for side in SIDES]
    if any(tip is None or np.hypot(tip[0], tip[2]) < 0.3 * np.linalg.norm(tip) for tip in tips):
        return  # no foot that indicates the facing of the rest pose
    left = np.cross([0.0, 1.0, 0.0], tips[0] + tips[1])
    assert left @ (rest[found["left_knee"]] - rest[found["right_knee"]]) > 0


@pytest.mark.parametrize("pattern", NO_HUMANS)
def test_no_person_is_seen_in_other_things(data: Path, pattern: str) -> None:
    """Chains, cubes and a fox have no human legs."""
    if pattern.endswith(".fbx"):
        pytest.importorskip("ufbx")
    for path in motion_files(list(data.glob(pattern))):
        try:
            skeleton = load(path).skeleton
        except SegueError:
            continue  # contains nothing that moves as a skeleton
        assert not set(NEEDED) <= set(roles(skeleton)), path.name


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
    """Case, blanks and underscores make no difference."""
    assert len(roles(body([change(name) for name in LAFAN1], LAFAN1_PARENTS))) == len(ROLES)


def test_a_wrong_tree_loses_the_role() -> None:
    """A joint called LeftLeg that is not below LeftUpLeg is not the knee."""
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
    """The error for a required role that is missing names similar joints."""
    with pytest.raises(SkeletonError, match=r"role 'left_knee'; nearest: LeftKnie"):
        require(body(["Root", "LeftKnie", "Other"]), "pelvis", "left_knee")
    assert require(body(LAFAN1, LAFAN1_PARENTS), "left_knee") == {"left_knee": 2}
