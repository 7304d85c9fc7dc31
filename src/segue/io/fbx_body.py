"""Find the body of an FBX scene: its joints, its rest pose, and its motion relative to that pose.

Rotations are relative to a rest pose (the bind pose if the file has a fitting one), so that rest rotations
are the identity. Joints above the one that carries the body are folded into it; animated scales are held
constant. The joints of a body are one tree of the scene's nodes, parents first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions
from segue.io.carrier import carrying_chain, folded_note, held, varies
from segue.io.naming import each_once
from segue.maths.quaternions import conjugate, from_matrix, multiply, normalise, rotate, to_matrix
from segue.motion.skeleton import Skeleton


def chosen_joints(
    names: Sequence[str], parents: Ints, bones: Bools, moving: Bools
) -> tuple[list[int], list[str]]:
    """Nodes of the largest tree of joints, depth first, and the names of the roots of the other trees.

    Joints are the bones and all nodes between two bones; if no node is a bone, the moving nodes are taken.

    Parameters
    ----------
    names
        N node names.
    parents
        (N,) -1 for none; a parent comes before its children.
    bones, moving
        (N,) whether the file marks a node as a bone, and whether it moves.
    """
    wanted = _bridged(parents, bones if bones.any() else moving)
    children: dict[int, list[int]] = {}
    roots = []
    for node in np.flatnonzero(wanted):
        parent = int(parents[node])
        if parent >= 0 and wanted[parent]:
            children.setdefault(parent, []).append(int(node))
        else:
            roots.append(int(node))
    trees = {root: _depth_first(root, children) for root in roots}
    if not trees:
        return [], []
    largest = max(trees, key=lambda root: len(trees[root]))
    return trees[largest], [names[root] for root in roots if root != largest]


def _bridged(parents: Ints, wanted: Bools) -> Bools:
    """Nodes wanted, and those between two of them."""
    out = wanted.copy()
    for node in np.flatnonzero(wanted):
        chain = []
        parent = int(parents[node])
        while parent >= 0 and not wanted[parent]:
            chain.append(parent)
            parent = int(parents[parent])
        if parent >= 0:
            out[chain] = True
    return out


def _depth_first(root: int, children: dict[int, list[int]]) -> list[int]:
    out, stack = [], [root]
    while stack:
        node = stack.pop()
        out.append(node)
        stack += reversed(children.get(node, []))
    return out


def tree_of(joints: Sequence[int], names: Sequence[str], parents: Ints) -> tuple[list[str], Ints]:
    """Unique joint names, and parents (J,) among the joints."""
    place = {node: joint for joint, node in enumerate(joints)}
    given = each_once([names[node] for node in joints], otherwise="joint")
    return given, np.array([place.get(int(parents[node]), -1) for node in joints], dtype=np.int64)


def below(parents: Ints, top: int) -> list[int]:
    """Return a joint of a tree (J,) and its descendants, in order; parents come before children."""
    kept = {top}
    for joint in range(top + 1, len(parents)):
        if int(parents[joint]) in kept:
            kept.add(joint)
    return sorted(kept)


def with_above(parents: Ints, joints: Sequence[int]) -> set[int]:
    """Return some nodes of a scene and all their ancestors."""
    out: set[int] = set()
    for joint in joints:
        at = joint
        while at >= 0 and at not in out:
            out.add(at)
            at = int(parents[at])
    return out


@dataclass(frozen=True)
class Scene:
    """Nodes of a file in metres (by its unit), Y up: local transforms (F, N, 10) as position, rotation wxyz, scale."""

    names: list[str]
    parents: Ints
    bones: Bools
    rest: Floats
    local: Floats
    bind: Floats
    bind_given: Bools
    facts: dict[str, Any]
    rate: float
    unit: float
    digest: str


@dataclass(frozen=True)
class FbxBody:
    """Nodes of the joints, their motion in metres by the file's unit, and how far each slides in its parent (J,)."""

    nodes: list[int]
    skeleton: Skeleton
    rotations: Quaternions
    roots: Positions
    slide: Floats
    notes: list[str]


def unscaled(scene: Scene) -> tuple[Scene, list[int]]:
    """Replace animated scales by those of the rest pose; return the scene and the nodes concerned."""
    animated = np.flatnonzero(varies(scene.local[:, :, 7:])).tolist()
    if not animated:
        return scene, []
    local, rest = np.array(scene.local), np.array(scene.rest)
    for node in animated:
        rest[node, 7:] = local[:, node, 7:] = held(rest[node, 7:], scene.local[:, node, 7:])
    return replace(scene, local=local, rest=rest), animated


def body_of(scene: Scene, world: Floats, joints: list[int]) -> FbxBody:
    """Motion of the given nodes; those above the node that carries the body are folded into it.

    Parameters
    ----------
    scene
        The scene, without animated scales (`unscaled`).
    world
        (F + 1, N, 4, 4) world matrices of its nodes (`world_of`).
    joints
        The nodes that are joints, parents first.
    """
    rest, stood = _rest(scene, world[-1], joints)
    names, parents = tree_of(joints, scene.names, scene.parents)
    rotations, offsets, roots, slide = _motion(world[:-1, joints], rest, parents)
    chain = carrying_chain(Skeleton(names, parents, offsets), slide)
    folded = [names[joint] for joint in chain[:-1]]
    if folded:
        kept = below(parents, chain[-1])
        joints = [joints[joint] for joint in kept]
        names, parents = tree_of(joints, scene.names, scene.parents)
        rotations, offsets, roots, slide = _motion(world[:-1, joints], rest[kept], parents)
    notes = [*([folded_note(folded, names[0])] if folded else []), stood]
    return FbxBody(joints, Skeleton(names, parents, offsets), rotations, roots, slide, notes)


def _matrices(transforms: Floats) -> Floats:
    """Matrices (..., 4, 4) of transforms (..., 10): position, rotation, scale."""
    out = np.zeros((*transforms.shape[:-1], 4, 4))
    turn = transforms[..., 3:7]
    whole = np.linalg.norm(turn, axis=-1, keepdims=True) > 1e-9
    turn = normalise(np.where(whole, turn, [1.0, 0.0, 0.0, 0.0]))
    out[..., :3, :3] = to_matrix(turn) * transforms[..., None, 7:10]
    out[..., :3, 3] = transforms[..., :3]
    out[..., 3, 3] = 1.0
    return out


def world_of(scene: Scene) -> Floats:
    """World matrices (F + 1, N, 4, 4); the last row is the pose of the nodes without animation."""
    local = _matrices(np.concatenate([scene.local, scene.rest[None]]))
    for node in range(len(scene.names)):
        parent = int(scene.parents[node])
        if 0 <= parent < node:
            local[:, node] = local[:, parent] @ local[:, node]
    return local


def _straight(matrices: Floats) -> Floats:
    """Matrices (..., 3, 3) with columns normalised to remove scale; mirrored ones stay mirrored."""
    columns = matrices[..., :3, :3]
    lengths = np.linalg.norm(columns, axis=-2, keepdims=True)
    out: Floats = np.where(lengths > 1e-12, columns / np.maximum(lengths, 1e-12), np.eye(3))
    return out


def _rest(scene: Scene, standing: Floats, joints: list[int]) -> tuple[Floats, str]:
    """World matrices (J, 4, 4) of the rest pose, and a note on their source.

    Bone tips are often missing from a bind pose; they keep their transform relative to their parent.
    """
    text = "rest pose: as the file's nodes stand without animation"
    if not scene.bind_given[joints[0]] or not np.isfinite(scene.bind[scene.bind_given]).all():
        return standing[joints], f"{text} (it has no bind pose)"
    bind = np.array(standing)
    bind[scene.bind_given, :3] = scene.bind[scene.bind_given]
    for joint in joints:
        parent = int(scene.parents[joint])
        if not scene.bind_given[joint] and parent >= 0:
            if abs(np.linalg.det(standing[parent])) < 1e-12:
                return standing[joints], f"{text} (one has no size)"
            bind[joint] = bind[parent] @ np.linalg.inv(standing[parent]) @ standing[joint]
    sizes = [np.linalg.norm(np.diff(pose[joints, :3, 3], axis=0), axis=1).sum() for pose in (bind, standing)]
    if 0.9 * sizes[1] < sizes[0] < 1.1 * sizes[1]:
        return bind[joints], "rest pose: the file's bind pose"
    return standing[joints], f"{text} (its bind pose has another size)"


def _motion(moved: Floats, rest: Floats, parents: Ints) -> tuple[Quaternions, Positions, Positions, Floats]:
    """Local rotations (F, J, 4), offsets (J, 3), root positions (F, 3), and how far each joint slides (J,)."""
    turned = from_matrix(_straight(moved) @ np.swapaxes(_straight(rest), -1, -2))
    places = moved[..., :3, 3]
    local = np.array(turned)
    local[:, 1:] = multiply(conjugate(turned[:, parents[1:]]), turned[:, 1:])
    away = rotate(conjugate(turned[:, parents[1:]]), places[:, 1:] - places[:, parents[1:]])
    offsets = np.vstack([rest[:1, :3, 3], away.mean(axis=0)])
    slide = np.linalg.norm(away - offsets[1:], axis=-1).max(axis=0)
    return local, offsets, places[:, 0], np.concatenate([[0.0], slide])
