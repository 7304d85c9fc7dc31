"""Write VRMA: a motion that any VRM avatar can play, as a GLB with the extension VRMC_vrm_animation 1.0.

Nodes rest in the T-pose and face +Z, as VRM requires; only the hips translate, every other bone only rotates. A
joint's role gives its VRM bone. A player uses only the rotations of bones: the rotation of a joint between two
bones is moved to the bone below it, so that every bone keeps its world direction, and such a joint does not rotate.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from segue.errors import FileError, SkeletonError
from segue.io.channels import check_rotations
from segue.io.gltf_write import Buffer, animation_of, glb_bytes, rest_nodes
from segue.io.text import write_whole
from segue.io.tpose import in_t_pose
from segue.maths.quaternions import IDENTITY, multiply
from segue.motion.clip import Clip
from segue.motion.roles import SIDES, roles
from segue.motion.skeleton import Skeleton

EXTENSION = "VRMC_vrm_animation"
_TRUNK = {"pelvis": "hips", "spine": "spine", "chest": "chest", "neck": "neck", "head": "head"}
_LIMBS = {
    "clavicle": "Shoulder",
    "shoulder": "UpperArm",
    "elbow": "LowerArm",
    "wrist": "Hand",
    "hip": "UpperLeg",
    "knee": "LowerLeg",
    "ankle": "Foot",
    "toe": "Toes",
}
BONES = _TRUNK | {f"{side}_{part}": f"{side}{bone}" for side in SIDES for part, bone in _LIMBS.items()}
"""VRM's name of each role; with a joint between spine and chest, these two become chest and upperChest."""
_OPTIONAL = {"chest", "neck", *(f"{side}_{part}" for side in SIDES for part in ("clavicle", "toe"))}


def write_vrma(clip: Clip, path: Path, *, overwrite: bool = True) -> None:
    """Write a clip as VRM animation.

    Parameters
    ----------
    clip
        A human motion.
    path
        A name that ends in ``.vrma``.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    FileError
        If the body lacks a bone that VRM requires, a rotation is no unit quaternion, or the file cannot be written.

    Examples
    --------
    >>> import segue, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "walk.vrma"
    >>> write_vrma(segue.sample("walk"), path)
    >>> path.read_bytes()[:4]
    b'glTF'
    """
    check_rotations(clip, path)
    bones = _bones(clip.skeleton, path)
    try:
        made = in_t_pose(clip)
    except SkeletonError as error:
        raise FileError(path, str(error)) from None
    index = {bone: made.skeleton.index(name) for bone, name in bones.items()}
    made = _with_still_joints_between(made, set(index.values()))
    buffer = Buffer()
    nodes = {bone: {"node": joint} for bone, joint in index.items()}
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "segue"},
        "extensionsUsed": [EXTENSION],
        "scene": 0,
        "scenes": [{"name": clip.name, "nodes": [0]}],
        "nodes": rest_nodes(made, path),
        "animations": [animation_of(made, buffer)],
        "extensions": {EXTENSION: {"specVersion": "1.0", "humanoid": {"humanBones": nodes}}},
    }
    write_whole(path, glb_bytes(document, buffer), overwrite=overwrite)


def _bones(skeleton: Skeleton, path: Path) -> dict[str, str]:
    """Joint name of each VRM bone; `FileError` lists the roles that VRM requires and the body lacks."""
    found = roles(skeleton)
    missing = [role for role in BONES if role not in found and role not in _OPTIONAL]
    if missing:
        message = (
            f"a VRM animation needs all of hips, spine, head, upper and lower arms and legs, hands and feet; no "
            f"joint fills the role {', '.join(missing)}; write .glb or .bvh instead"
        )
        raise FileError(path, message)
    bones = {bone: found[role] for role, bone in BONES.items() if role in found}
    if "chest" in bones:
        between, joint = [], int(skeleton.parents[bones["chest"]])
        while joint > bones["spine"]:
            between.append(joint)
            joint = int(skeleton.parents[joint])
        if between and joint == bones["spine"]:
            # VRM has three bones for the back; the role chest is the one with the arms.
            bones |= {"chest": between[-1], "upperChest": bones["chest"]}
    return {bone: skeleton.names[joint] for bone, joint in bones.items()}


def _with_still_joints_between(clip: Clip, bones: set[int]) -> Clip:
    """Move the rotations of joints between two bones to their child joints."""
    skeleton = clip.skeleton
    between = set()
    for bone in bones:
        path, joint = [], int(skeleton.parents[bone])
        while joint >= 0 and joint not in bones:
            path.append(joint)
            joint = int(skeleton.parents[joint])
        if joint >= 0:
            between |= set(path)
    local = np.array(clip.rotations)
    for joint in sorted(between):
        for child in skeleton.children[joint]:
            local[:, child] = multiply(local[:, joint], local[:, child])
        local[:, joint] = IDENTITY
    return clip.with_motion(local)
