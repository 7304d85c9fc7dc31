"""The rest pose of a glTF body: the world rotations and root position that segue's identity rotations represent.

A skin's inverse bind matrices hold the pose in which the body was modelled, usually a T or A pose; nodes may
be in any pose. The matrices may omit the transform of the mesh or of the armature: comparing with the nodes
identifies it. Without usable matrices the nodes' own transforms are the rest pose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from segue.arrays import Floats, Ints, Positions
from segue.io.gltf_accessors import accessor
from segue.io.gltf_document import Document
from segue.io.gltf_joints import Joints, Skin
from segue.io.gltf_nodes import NodeTree, Placed, orthogonal

_FAR = np.radians(75.0)
"""Mean angle between bind pose and nodes above which they are not two poses of the same body."""
_AGREE = np.radians(1.0)


class Rest(NamedTuple):
    """Rest pose: orthogonal world factors (J, 3, 3) of the joints and the root's world position (3,)."""

    turns: Floats
    root: Positions
    note: str


def find_rest(document: Document, tree: NodeTree, joints: Joints, placed: dict[int, Placed]) -> Rest:
    """Find the rest pose of the joints; ``placed`` holds the nodes' own world transforms."""
    still = np.array([placed[node].linear[0] for node in joints.nodes])
    at = np.array([placed[node].position[0] for node in joints.nodes])
    turns = orthogonal(still)
    by_nodes = Rest(turns, at[0], "rest pose: the nodes' own transforms")
    bind, note = _bind_matrices(document, joints)
    if bind is None:
        return by_nodes._replace(note=by_nodes.note + note)
    known = np.isfinite(bind[:, 0, 0])
    best: tuple[float, float, Floats] | None = None
    for frame in _frames(tree, joints, placed):
        moved = frame @ bind
        factors = turns.copy()
        factors[known] = orthogonal(moved[known, :3, :3])
        if np.any(np.sign(np.linalg.det(factors)) != np.sign(np.linalg.det(turns))):
            continue
        angle = float(np.mean(_angles(factors[known], turns[known])))
        stretch = _stretch(moved[:, :3, 3], at, np.array(joints.parents), known)
        if best is None or angle + stretch < best[0]:
            best = (angle + stretch, angle, moved)
    if best is None or best[1] > _FAR:
        return by_nodes._replace(note=by_nodes.note + " (the inverse bind matrices do not fit them)")
    _, angle, moved = best
    turns[known] = orthogonal(moved[known, :3, :3])
    root = moved[0, :3, 3] if known[0] else at[0]
    how = (
        "which the nodes share"
        if angle < _AGREE
        else f"the nodes stand {np.degrees(angle):.0f} degrees off on average"
    )
    return Rest(turns, root, f"rest pose: the skin's inverse bind matrices, {how}")


def _bind_matrices(document: Document, joints: Joints) -> tuple[Floats | None, str]:
    """World matrices (J, 4, 4) of the skins' bind pose, NaN for joints without one; or None and the reason."""
    out = np.full((len(joints.nodes), 4, 4), np.nan)
    values: dict[int, Floats] = {}
    for skin in reversed(joints.skins):
        index = skin.at.get("inverseBindMatrices")
        if index.value is None:
            continue
        matrices = accessor(document, index, kind="MAT4")
        if len(matrices) < len(skin.joints):
            few, many = len(matrices), len(skin.joints)
            return None, f" ({skin.at.where} has {few} inverse bind matrices for {many} joints)"
        values |= dict(zip(skin.joints, matrices.reshape(-1, 4, 4).transpose(0, 2, 1), strict=False))
    for place, node in enumerate(joints.nodes):
        if node in values:
            matrix = values[node]
            size = np.abs(matrix[:3, :3]).max()
            sound = 0 < size < 1e30 and abs(np.linalg.det(matrix[:3, :3] / size)) > 1e-9
            if not sound or np.abs(matrix[3] - [0, 0, 0, 1]).max() > 1e-3:
                return None, " (an inverse bind matrix is singular)"
            out[place] = np.linalg.inv(matrix)
    return (out, "") if np.isfinite(out).any() else (None, "")


def _frames(tree: NodeTree, joints: Joints, placed: dict[int, Placed]) -> list[Floats]:
    """World matrices that the bind matrices may be relative to: the identity, a mesh's, the armature's."""
    meshes = {node for skin in joints.skins for node in skin.meshes[:4]}
    top = {tree.parents[_highest(tree, skin)] for skin in joints.skins}
    out = [np.eye(4)]
    for node in sorted(node for node in meshes | top if node in placed):
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = placed[node].linear[0], placed[node].position[0]
        out.append(matrix)
    return out


def _highest(tree: NodeTree, skin: Skin) -> int:
    return min(skin.joints, key=lambda node: len(tree.above(node)))


def _angles(a: Floats, b: Floats) -> Floats:
    """Angles between orthogonal matrices, in radians."""
    cos = 0.5 * (np.einsum("jik,jik->j", a, b) - 1.0)
    out: Floats = np.arccos(np.clip(cos, -1.0, 1.0))
    return out


def _stretch(bound: Positions, nodes: Positions, parents: Ints, known: np.ndarray) -> float:
    """Absolute logarithm of the ratio of total bone lengths in the bind pose and the nodes."""
    pairs = np.flatnonzero((parents >= 0) & known & known[parents])
    long = np.linalg.norm(bound[pairs] - bound[parents[pairs]], axis=1).sum()
    wide = np.linalg.norm(nodes[pairs] - nodes[parents[pairs]], axis=1).sum()
    return float(abs(np.log(long / wide))) if long > 1e-12 and wide > 1e-12 else 0.0
