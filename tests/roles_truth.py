"""Role of each joint of each real body, written by hand, and bodies with names removed.

One row per kind of body: file patterns, then trunk names (pelvis, spine, chest, neck, head), then limb names in the
order clavicle, shoulder, elbow, wrist, hip, knee, ankle, toe, with {S} for Left/Right, {s} for l/r, {B} for L/R and
{a|b} for a left and b right. "-" where the body has no such joint, "?" where more than one answer is right.
"""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import numpy as np

TRUNK = ("pelvis", "spine", "chest", "neck", "head")
LIMBS = ("clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe")

_MIXAMO = "{S}Shoulder {S}Arm {S}ForeArm {S}Hand {S}UpLeg {S}Leg {S}Foot"
_MAX = "{S}Collar {S}Shoulder {S}Elbow {S}Wrist {S}Hip {S}Knee {S}Ankle"
TRUTH: tuple[tuple[str, str, str], ...] = (
    (
        "asf_amc/*/*.amc",
        "root lowerback thorax lowerneck head",
        "{s}clavicle {s}humerus {s}radius {s}wrist {s}femur {s}tibia {s}foot {s}toes",
    ),
    (
        "cmu/from_amc/*.bvh cmu/mb2/*.bvh cmu/bvhacker/02_01.bvh cmu/bvhacker/05_06.bvh fbx/cmu_blender/*.fbx",
        "Hips LowerBack Spine1 Neck Head",
        f"{_MIXAMO} {{S}}ToeBase",
    ),
    (
        "cmu/max_friendly/*.bvh cmu/bvhacker/scaled_131_01.bvh",
        "Hips lowerback Chest2 lowerneck Head",
        f"{_MAX} {{S}}Toe",
    ),
    (
        "cmu/daz_scaled/*.bvh",
        "hip abdomen chest neck head",
        "{s}Collar {s}Shldr {s}ForeArm {s}Hand {s}Thigh {s}Shin {s}Foot -",
    ),
    ("misc/assimp/Boxing_Toes.bvh", "Hips Ab Chest Neck Head", f"{_MAX} {{S}}Toes"),
    ("misc/bvhtoolbox/walk01.bvh", "Hips Spine Spine1 Neck Head", f"{_MIXAMO} -"),
    (
        "misc/bvhtools/test3.bvh",
        "pelvis spine spine.001 neck face",
        "shoulder.{B} upper_arm.{B} forearm.{B} - thigh.{B} shin.{B} foot.{B} -",
    ),
    ("misc/geno/*.bvh", "Hips Spine Spine3 Neck Head", f"{_MIXAMO} {{S}}ToeBase"),
    (
        "misc/makehuman/dance1.bvh misc/makehuman/walk1.bvh",
        "Root Spine1 Spine3 Neck Head",
        "Clavicle_{B} UpArm_{B} LoArm_{B} Hand_{B} UpLeg_{B} LoLeg_{B} Foot_{B} Toe_{B}",
    ),
    (
        "misc/makehuman/tpose.bvh",
        "root spine05 spine01 neck01 head",
        "clavicle.{B} upperarm01.{B} lowerarm01.{B} wrist.{B} upperleg01.{B} lowerleg01.{B} foot.{B} ?",
    ),
    (
        "misc/olympe/root.bvh",
        "Hips - Chest Neck Head",
        "{S}Collar {S}UpArm {S}LowArm {S}Hand {S}UpLeg {S}LowLeg {S}Foot -",
    ),
    (
        "misc/pybvh/bvh_test1.bvh misc/pybvh/standard_skeleton.bvh",
        "Hips Spine Spine3 Neck Head",
        f"{_MIXAMO} {{S}}ToeBase",
    ),
    ("misc/pybvh/bvh_test2.bvh", "Hips Chest Chest4 Neck Head", f"{_MAX} {{S}}Toe"),
    ("misc/pymo/*.bvh", "Hips Spine - - Head", f"{_MIXAMO} {{S}}ToeBase"),
    (
        "gltf/kaykit/*.glb",
        "hips spine chest - head",
        "- upperarm.{s} lowerarm.{s} wrist.{s} upperleg.{s} lowerleg.{s} foot.{s} toes.{s}",
    ),
    (
        # Its joints have no names: they are numbered in node order, with +X ahead and therefore left at -Z.
        "gltf/khronos/cesium_man.gltf",
        "node2 node11 node12 node19 node20",
        "- node{16|13} node{17|14} node{18|15} node{7|3} node{8|4} node{9|5} node{10|6}",
    ),
    ("misc/npz_kimodo/soma_*.npz", "Hips Spine1 Chest Neck1 Head", f"{_MIXAMO} {{S}}ToeBase"),
    (
        # A robot: of hip and shoulder joints that rotate about one axis each, the last has the complete rotation.
        "misc/npz_kimodo/g1_*.npz",
        "pelvis waist_yaw waist_pitch - -",
        "? {s!s}_shoulder_yaw {s!s}_elbow {s!s}_wrist_yaw {s!s}_hip_pitch {s!s}_knee {s!s}_ankle_roll {s!s}_toe",
    ),
    (
        "fbx/motionbuilder/pab_*.fbx",
        "? Spine Spine3 Neck Head",
        "{S}Shoulder {S}Arm {S}ForeArm {S}Hand {S}UpLeg {S}Leg {S}Foot {S}FootThumb1",
    ),
    (
        "misc/deepmimic/*.txt",
        "root - chest neck ?",
        "- {s!s}_shoulder {s!s}_elbow {s!s}_wrist {s!s}_hip {s!s}_knee {s!s}_ankle -",
    ),
)
"""Bodies of people."""

NO_HUMANS = (
    "misc/fairmotion/sinusoidal.bvh",
    "misc/pybvh/full_precision_frame_time.bvh",
    "gltf/bevy/Fox.glb",
    "gltf/assimp/simple_skin.gltf",
    "gltf/khronos/interpolation_test.gltf",
    "fbx/assimp/*.fbx",
)
"""Chains, cubes and a fox: no human legs may be found in them."""


def truth_of(file: str) -> dict[str, str] | None:
    """Role to joint name of a file under the data folder, by its path; None for files without a person."""
    for patterns, trunk, limbs in TRUTH:
        if not any(fnmatch.fnmatch(file, pattern) for pattern in patterns.split()):
            continue
        out = dict(zip(TRUNK, trunk.split(), strict=True))
        for side in ("left", "right"):
            words = _one_side(limbs, side).format(S=side.capitalize(), s=side[0], B=side[0].upper()).split()
            out |= {f"{side}_{part}": word for part, word in zip(LIMBS, words, strict=True)}
        return out
    return None


def _one_side(limbs: str, side: str) -> str:
    """Names with {a|b} for left and right, and {s!s} for the side in lower case."""
    limbs = re.sub(r"\{(\w+)\|(\w+)\}", lambda pair: pair[1 if side == "left" else 2], limbs)
    return limbs.replace("{s!s}", side)


def human_files(data: Path) -> list[str]:
    """Every file with a body in the table, by its path under the data folder."""
    files = sorted(str(path.relative_to(data)) for path in data.rglob("*") if path.is_file())
    return [file for file in files if truth_of(file) is not None]


def shuffled(parents: np.ndarray, rng: np.random.Generator) -> list[int]:
    """Old indices in a new order: parents still before children, siblings in any order."""
    children: list[list[int]] = [[] for _ in parents]
    for joint, parent in enumerate(parents):
        if parent >= 0:
            children[int(parent)].append(joint)
    order: list[int] = []
    stack = [0]
    while stack:
        joint = stack.pop()
        order.append(joint)
        rng.shuffle(children[joint])
        stack.extend(children[joint])
    return order
