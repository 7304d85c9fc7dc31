"""Which nodes of a scene are the joints of a body: one tree, parents first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Bools, Ints
from segue.io.naming import each_once


def chosen_joints(
    names: Sequence[str], parents: Ints, bones: Bools, moving: Bools
) -> tuple[list[int], list[str]]:
    """Nodes of the largest tree of joints, depth first, and the names of the roots of the others.

    Joints are the bones and whatever stands between two bones; where no node is a bone, the moving nodes are taken.

    Parameters
    ----------
    names
        N node names.
    parents
        (N,) -1 for none; a parent comes before its children.
    bones, moving
        (N,) whether the file calls a node a bone, and whether it moves.
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
    """Nodes wanted, and those that stand between two of them."""
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
    """Joint names, each once, and parents (J,) among the joints."""
    place = {node: joint for joint, node in enumerate(joints)}
    told = each_once([names[node] for node in joints], otherwise="joint")
    return told, np.array([place.get(int(parents[node]), -1) for node in joints], dtype=np.int64)


def below(parents: Ints, top: int) -> list[int]:
    """Joints of a tree (J,) that hang on one, itself among them, in order; parents come before children."""
    kept = {top}
    for joint in range(top + 1, len(parents)):
        if int(parents[joint]) in kept:
            kept.add(joint)
    return sorted(kept)


def with_above(parents: Ints, joints: Sequence[int]) -> set[int]:
    """Some nodes of a scene and all that stand above them."""
    out: set[int] = set()
    for joint in joints:
        at = joint
        while at >= 0 and at not in out:
            out.add(at)
            at = int(parents[at])
    return out
