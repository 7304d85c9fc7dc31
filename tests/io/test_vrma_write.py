"""VRMA: a T-pose at rest, the same motion, bones known to VRM, and a valid GLB around them."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segue.errors import FileError, SkeletonError
from segue.io import load, save
from segue.io.tpose import in_t_pose, t_pose
from segue.io.vrma_write import BONES, write_vrma
from segue.maths.quaternions import from_axis_angle, multiply, rotate, to_matrix
from segue.motion.clip import Clip
from segue.motion.kinematics import world, world_positions
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from shown import shown

HUMANS = (
    "asf_amc/16/16_11.amc",
    "cmu/max_friendly/131_01.bvh",
    "misc/bvhtoolbox/walk01.bvh",
    "misc/geno/Geno_stance.bvh",
    "misc/pybvh/bvh_test1.bvh",
    "cmu/daz_scaled/60_12_scaled.bvh",
)
REQUIRED = {"hips", "spine", "head"} | {
    f"{side}{bone}"
    for side in ("left", "right")
    for bone in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
}
ABOVE = {"spine": "hips", "chest": "spine", "neck": "chest", "head": "neck"}
for SIDE in ("left", "right"):
    ABOVE |= {
        f"{SIDE}UpperLeg": "hips",
        f"{SIDE}LowerLeg": f"{SIDE}UpperLeg",
        f"{SIDE}Foot": f"{SIDE}LowerLeg",
    }
    ABOVE |= {f"{SIDE}Toes": f"{SIDE}Foot", f"{SIDE}LowerArm": f"{SIDE}UpperArm"}
    ABOVE |= {f"{SIDE}Hand": f"{SIDE}LowerArm"}


def parents(document: dict[str, Any]) -> dict[int, int]:
    """Parent of each node that has one."""
    return {child: k for k, node in enumerate(document["nodes"]) for child in node.get("children", [])}


def rest(document: dict[str, Any]) -> np.ndarray:
    """World positions (N, 3) of nodes at rest; nodes must have no rotation or scale there."""
    above, out = parents(document), np.zeros((len(document["nodes"]), 3))
    for k, node in enumerate(document["nodes"]):
        assert not {"rotation", "scale", "matrix"} & set(node)
        out[k] = np.array(node["translation"]) + (out[above[k]] if k in above else 0.0)
    return out


@pytest.mark.parametrize("file", HUMANS)
def test_rest_is_the_t_pose_and_the_motion_the_same(data: Path, tmp_path: Path, file: str) -> None:
    """Arms are level to the sides, legs down, feet forward, soles on the ground; limbs point as in the clip."""
    made = load(data / file)
    save(made, tmp_path / "a.vrma")
    glb = shown("_glb").Glb(tmp_path / "a.vrma")
    document = glb.document["extensions"]["VRMC_vrm_animation"]
    bones = {bone: entry["node"] for bone, entry in document["humanoid"]["humanBones"].items()}
    at = rest(glb.document)

    def direction(start: str, end: str) -> np.ndarray:
        along = at[bones[end]] - at[bones[start]]
        return along / np.linalg.norm(along)

    for side, out in (("left", 1.0), ("right", -1.0)):
        for start, end in (("UpperArm", "LowerArm"), ("LowerArm", "Hand")):
            assert direction(side + start, side + end) == pytest.approx([out, 0, 0], abs=1e-6)
        for start, end in (("UpperLeg", "LowerLeg"), ("LowerLeg", "Foot")):
            assert direction(side + start, side + end) == pytest.approx([0, -1, 0], abs=1e-6)
        if f"{side}Toes" in bones:
            assert direction(f"{side}Foot", f"{side}Toes")[2] > 0.8
    assert direction("hips", "head")[1] > 0.9
    assert at[:, 1].min() == pytest.approx(0.0, abs=0.12)
    assert 0.4 < at[bones["hips"], 1] < 1.3
    found = {bone: made.skeleton.names.index(glb.names[node]) for bone, node in bones.items()}
    for frame in (0, made.n_frames // 2, made.n_frames - 1):
        played = glb.world(frame / made.fps)[:, :3, 3]
        wanted = world_positions(made)[frame]
        assert played[bones["hips"]] == pytest.approx(wanted[found["hips"]], abs=1e-6)
        for bone, above in ABOVE.items():
            if bone in bones and above in bones and not bone.startswith(("spine", "chest", "neck", "head")):
                now = played[bones[bone]] - played[bones[above]]
                assert now == pytest.approx(wanted[found[bone]] - wanted[found[above]], abs=2e-6), bone


def test_joints_between_bones_hand_their_turns_down(tmp_path: Path) -> None:
    """A joint between neck and head stays in the file; the head's world rotation is the clip's."""
    walk = sample("walk")
    names, body = list(walk.skeleton.names), walk.skeleton
    head = body.index("Head")
    parents_ = [*body.parents, body.parents[head]]
    parents_[head] = body.n_joints
    order = [*range(head), body.n_joints, *range(head, body.n_joints)]
    place = {old: new for new, old in enumerate(order)}
    half = from_axis_angle(np.array([1.0, 0.0, 0.0]), 0.4)
    rotations = np.concatenate([walk.rotations, np.tile(half, (walk.n_frames, 1, 1))], axis=1)
    skeleton = Skeleton(
        [[*names, "Twist"][old] for old in order],
        [-1 if parents_[old] < 0 else place[int(parents_[old])] for old in order],
        np.concatenate([body.offsets, [[0, 0, 0]]])[order],
    )
    made = Clip(skeleton, rotations[:, order], walk.root_positions, walk.fps)
    save(made, tmp_path / "a.vrma")
    glb = shown("_glb").Glb(tmp_path / "a.vrma")
    twist, top = glb.names.index("Twist"), glb.names.index("Head")
    turned = world(in_t_pose(made)).rotations
    for frame in (0, 200):
        at = glb.world(frame / made.fps)[:, :3, :3]
        assert at[twist] == pytest.approx(at[parents(glb.document)[twist]], abs=1e-6)
        assert at[top] == pytest.approx(to_matrix(turned[frame, top]), abs=1e-6)


def test_a_back_of_three_bones(data: Path, tmp_path: Path) -> None:
    """With a joint between spine and chest, both VRM's chest and upperChest are declared."""
    save(load(data / "asf_amc" / "16" / "16_11.amc"), tmp_path / "a.vrma")
    document = shown("_glb").Glb(tmp_path / "a.vrma").document
    bones = document["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]
    named = {
        bone: document["nodes"][bones[bone]["node"]]["name"] for bone in ("spine", "chest", "upperChest")
    }
    assert named == {"spine": "lowerback", "chest": "upperback", "upperChest": "thorax"}


def test_the_extension_is_what_its_schema_says(tmp_path: Path) -> None:
    """Version, required bones, known names, one node each, parents as in VRM's tree; only the hips translate."""
    save(sample("walk"), tmp_path / "a.vrma")
    document = shown("_glb").Glb(tmp_path / "a.vrma").document
    assert document["extensionsUsed"] == ["VRMC_vrm_animation"]
    given = document["extensions"]["VRMC_vrm_animation"]
    assert given["specVersion"] == "1.0"
    assert set(given) == {"specVersion", "humanoid"}
    bones = {bone: entry["node"] for bone, entry in given["humanoid"]["humanBones"].items()}
    assert set(bones) >= REQUIRED
    assert set(bones) <= {*BONES.values(), "upperChest"}
    assert len(set(bones.values())) == len(bones)
    above = parents(document)
    for bone, ancestor in ABOVE.items():
        node = bones[bone]
        while node in above and node != bones[ancestor]:
            node = above[node]
        assert node == bones[ancestor], bone
    (animation,) = document["animations"]
    moved = [c["target"]["node"] for c in animation["channels"] if c["target"]["path"] == "translation"]
    assert moved == [bones["hips"]]
    assert {c["target"]["path"] for c in animation["channels"]} == {"translation", "rotation"}


def test_the_glb_around_it_is_clean(data: Path, tmp_path: Path) -> None:
    """Khronos' validator gives no error and no warning (it does not know the extension and reports that)."""
    save(load(data / "asf_amc" / "16" / "16_11.amc"), tmp_path / "a.vrma")
    content = (tmp_path / "a.vrma").read_bytes()
    assert struct.unpack_from("<4sII", content) == (b"glTF", 2, len(content))
    json.loads(content[20 : 20 + struct.unpack_from("<I", content, 12)[0]])
    report = shown("_gltf_validator").validate([tmp_path / "a.vrma"])[tmp_path / "a.vrma"]
    assert report["errors"] == report["warnings"] == 0, report["messages"]


def test_what_stands_above_the_hips_is_in_the_hips(tmp_path: Path) -> None:
    """A rotated and moved root node above the pelvis is folded in; positions are unchanged."""
    walk = sample("walk")
    turn = from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.7)
    skeleton = Skeleton(
        ("Reference", *walk.skeleton.names),
        [-1, *(walk.skeleton.parents + 1)],
        np.concatenate([[[0, 0, 0]], [[0, 0.9, 0]], walk.skeleton.offsets[1:]]),
    )
    rotations = np.concatenate([np.tile(turn, (walk.n_frames, 1, 1)), walk.rotations], axis=1)
    made = Clip(skeleton, rotations, walk.root_positions - [0, 0.9, 0], walk.fps)
    folded = in_t_pose(made)
    assert folded.skeleton.names == walk.skeleton.names
    assert world_positions(folded) == pytest.approx(world_positions(made)[:, 1:], abs=1e-12)


def test_a_rest_pose_that_lies_flat(tmp_path: Path) -> None:
    """Where every bone is along +X, as some exporters write, the hips and the spine set the body upright."""
    walk = sample("walk")
    found = roles(walk.skeleton)
    tilt = from_axis_angle(np.array([0.0, 0.0, 1.0]), -np.pi / 2)
    laid = Skeleton(walk.skeleton.names, walk.skeleton.parents, rotate(tilt, walk.skeleton.offsets))
    turns = t_pose(laid)
    places = np.zeros((laid.n_joints, 3))
    for joint in range(1, laid.n_joints):
        parent = laid.parents[joint]
        places[joint] = places[parent] + rotate(turns[parent], laid.offsets[joint])
    assert places[found["head"], 1] > 0.4
    assert places[found["left_ankle"], 1] < -0.6
    assert places[found["left_wrist"], 0] > 0.5
    # The upright one differs from it by the tilt alone, including hands and arms.
    arms = [found["left_elbow"], found["right_elbow"]]
    same = np.abs(np.sum(multiply(t_pose(walk.skeleton), tilt * [1, -1, -1, -1]) * turns, axis=1))
    assert same[arms] == pytest.approx(1.0, abs=1e-2)


def test_bodies_that_vrm_does_not_know(data: Path, tmp_path: Path) -> None:
    """Missing bones are named; a rest pose on one line is refused."""
    chain = Skeleton(("a", "b"), [-1, 0], np.eye(3)[:2])
    made = Clip(chain, np.tile([1.0, 0, 0, 0], (2, 2, 1)), np.zeros((2, 3)), 30)
    with pytest.raises(FileError, match=r"spine.*left_knee.*\.glb"):
        write_vrma(made, tmp_path / "a.vrma")
    walk = sample("walk").skeleton
    line = Skeleton(walk.names, walk.parents, np.abs(walk.offsets).sum(axis=1)[:, None] * [1.0, 0, 0])
    with pytest.raises(SkeletonError):
        t_pose(line)
    assert list(tmp_path.iterdir()) == []
