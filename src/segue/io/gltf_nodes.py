"""glTF nodes: the tree, each node's own transform, and world transforms over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.io.gltf_document import At, Document, distinct_names
from segue.maths.quaternions import from_matrix, multiply, normalise, to_matrix

DEEPEST = 256
"""Largest depth of the node tree that is read."""
MOST_JOINTS = 1000
"""Most joints of a body that are read."""
UNEVEN = 1e-4
"""A scale whose axes deviate from their mean by at most this share counts as uniform."""


@dataclass(frozen=True, eq=False)
class NodeTree:
    """All nodes of a file: unique names, parents (-1 for none), children, and whether a node draws something."""

    at: list[At]
    names: list[str]
    parents: list[int]
    children: list[list[int]]
    drawn: list[bool]
    notes: list[str]

    def above(self, node: int) -> list[int]:
        """Return the node and its ancestors, the top last."""
        out = [node]
        while self.parents[out[-1]] >= 0:
            out.append(self.parents[out[-1]])
        return out

    def below(self, node: int) -> list[int]:
        """Return the node and its descendants, parents first, siblings in file order."""
        out, stack = [], [node]
        while stack:
            out.append(stack.pop())
            stack += reversed(self.children[out[-1]])
        return out


class Local(NamedTuple):
    """Transforms of one node relative to its parent: (1 or F, 3), (1 or F, 4) wxyz, (1 or F, 3)."""

    translation: Positions
    rotation: Quaternions
    scale: Floats


class Placed(NamedTuple):
    """World transform of one node over F frames: position (F, 3), linear part (F, 3, 3), rotation (F, 4) or None.

    The rotation is None if the node or an ancestor has a non-uniform or mirroring scale: the linear part is
    then more than a rotation.
    """

    position: Positions
    linear: Floats
    rotation: Quaternions | None


def read_tree(document: Document) -> NodeTree:
    """Read the hierarchy.

    Raises
    ------
    FileError
        If a node has two parents or is its own ancestor.
    """
    nodes = document.list("nodes")
    if not nodes:
        raise document.root.get("nodes").error("is empty; there is nothing that could move")
    parents = [-1] * len(nodes)
    children: list[list[int]] = []
    for index, node in enumerate(nodes):
        row = []
        for child in node.get("children").items():
            number = child.integer()
            if number >= len(nodes):
                raise child.error(f"is {number}; there are {len(nodes)} nodes")
            if parents[number] >= 0:
                raise child.error(f"is node {number}, which is already a child of node {parents[number]}")
            parents[number] = index
            row.append(number)
        children.append(row)
    text = [node.get("name").text() for node in nodes]
    names = distinct_names(text, "node")
    renamed = [f"{a!r} → {b!r}" for a, b in zip(text, names, strict=True) if a and a != b]
    notes = [f"nodes that shared a name were renamed: {', '.join(renamed[:8])}"] if renamed else []
    tree = NodeTree(nodes, names, parents, children, [_draws(node) for node in nodes], notes)
    _check_depth(document, tree)
    return tree


def _check_depth(document: Document, tree: NodeTree) -> None:
    """Reject nodes that are their own ancestors, and trees deeper than `DEEPEST`."""
    depth = dict.fromkeys((node for node, parent in enumerate(tree.parents) if parent < 0), 1)
    for node in list(depth):
        for below in tree.below(node)[1:]:
            depth[below] = depth[tree.parents[below]] + 1
    at = document.root.get("nodes")
    if len(depth) < len(tree.names):
        raise at.error("holds nodes that are their own ancestors")
    if max(depth.values()) > DEEPEST:
        raise at.error(f"is nested {max(depth.values())} nodes deep; up to {DEEPEST} can be read")


def _draws(node: At) -> bool:
    extensions = node.get("extensions").value
    lit = isinstance(extensions, dict) and "KHR_lights_punctual" in extensions
    return lit or any(node.get(key).value is not None for key in ("mesh", "camera", "skin"))


def rest_local(tree: NodeTree, node: int) -> Local:
    """Return the transform of a node without animation."""
    at = tree.at[node]
    if at.get("matrix").value is not None:
        return _parted(at.get("matrix"))
    turn = at.get("rotation").numbers((0.0, 0.0, 0.0, 1.0))
    if np.linalg.norm(turn) < 1e-6:
        raise at.get("rotation").error("is zero, which is no rotation; a quaternion has length 1")
    return Local(
        at.get("translation").numbers((0.0, 0.0, 0.0))[None],
        normalise(turn[[3, 0, 1, 2]])[None],
        at.get("scale").numbers((1.0, 1.0, 1.0))[None],
    )


def _parted(at: At) -> Local:
    """Translation, rotation and scale of a column-major matrix."""
    matrix = at.numbers(tuple(np.eye(4).ravel())).reshape(4, 4).T
    linear = matrix[:3, :3]
    scale = np.linalg.norm(linear, axis=0)
    if scale.min() <= 1e-12:
        raise at.error("is singular; it must be made of translation, rotation and scale")
    if np.linalg.det(linear) < 0:
        scale[0] = -scale[0]
    turn = linear / scale
    if np.abs(turn.T @ turn - np.eye(3)).max() > 1e-3:
        raise at.error("is sheared; it must be made of translation, rotation and scale")
    return Local(matrix[None, :3, 3], from_matrix(turn)[None], scale[None])


def uneven(scale: Floats) -> bool:
    """Return whether scales (F, 3) differ between axes or mirror in any frame."""
    middle = scale.mean(axis=1, keepdims=True)
    return bool((np.abs(scale - middle) > UNEVEN * np.abs(middle)).any() or scale.min() < 0)


def place(
    tree: NodeTree, order: list[int], locals_: Mapping[int, Local], skewed: set[int]
) -> dict[int, Placed]:
    """World transforms of nodes; ``order`` puts parents before children, ``skewed`` nodes have non-uniform scales."""
    out: dict[int, Placed] = {}
    for node in order:
        local = locals_[node]
        linear = to_matrix(local.rotation) * local.scale[:, None, :]
        above = out.get(tree.parents[node])
        if above is None:
            turn = None if node in skewed else local.rotation
            out[node] = Placed(local.translation, linear, turn)
            continue
        position = above.position + np.einsum("fij,fj->fi", *_alike(above.linear, local.translation))
        turn = None if above.rotation is None or node in skewed else multiply(above.rotation, local.rotation)
        out[node] = Placed(position, above.linear @ linear, turn)
        if not (np.isfinite(out[node].linear).all() and np.isfinite(position).all()):
            raise tree.at[node].error("has no finite position: the scales above it multiply to infinity")
    return out


def _alike(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Broadcast both to the same number of frames: either may hold a single one."""
    count = max(len(a), len(b))
    return np.broadcast_to(a, (count, *a.shape[1:])), np.broadcast_to(b, (count, *b.shape[1:]))


def orthogonal(linear: Floats) -> Floats:
    """Orthogonal factor nearest to linear maps (..., 3, 3); mirrored if they are."""
    u, _, v = np.linalg.svd(linear)
    out: Floats = u @ v
    return out
