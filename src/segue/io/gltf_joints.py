"""Which nodes of a glTF file are the joints of the body that an animation moves.

With a skin: its joints, those of skins that share joints with it, and animated nodes between them. Without one: the
tree of the animated nodes, less what only draws. All animations of a file are looked at, so that each gives the same
joints. Joints above the one that carries the body's motion are folded into it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.errors import FileError
from segue.io.gltf_channels import read_animation, targets
from segue.io.gltf_document import At, Document
from segue.io.gltf_nodes import Tree, rest_local
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton

OWN = "segue"
"""Generator of files that `segue.io.gltf_write` made."""
_MOVES = 1e-3
"""A joint whose translation varies by more than this share of the body's size carries it."""
_TIPS = ("_end", "end", "nub", "_tip", "tip")


@dataclass(frozen=True, eq=False)
class Skin:
    """Joints of one skin, its place in the file, and the nodes whose meshes it bends."""

    at: At
    joints: list[int]
    meshes: list[int]


@dataclass(frozen=True, eq=False)
class Joints:
    """Joints as nodes, parents first; parents (-1 for the root) as positions in that list; the skins they belong to."""

    nodes: list[int]
    parents: list[int]
    skins: list[Skin]
    tips: list[tuple[int, int]]
    """Joint and node of bone ends that are no joints."""
    notes: list[str]


class _Moved:
    """Which nodes the animations of a file move, and how far those move that may carry the body."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.by_animation = [
            {node for _, node, _ in targets(document, animation)} for animation in document.list("animations")
        ]
        self.nodes: set[int] = set().union(*self.by_animation)

    def travel(self, node: int) -> float:
        """How far a node moves in its parent's frame, at most, in any animation."""
        far = 0.0
        for index, nodes in enumerate(self.by_animation):
            if node in nodes:
                moving = read_animation(self.document, index, only={node}).channels.get((node, "translation"))
                if moving is not None:
                    far = max(far, float(np.ptp(moving.keys, axis=0).max()))
        return far


def read_skins(document: Document, tree: Tree) -> list[Skin]:
    """All skins."""
    out = []
    for index, at in enumerate(document.list("skins")):
        joints: list[int] = []
        for joint in at.get("joints").items():
            number = joint.integer()
            if number >= len(tree.names):
                raise joint.error(f"is {number}; there are {len(tree.names)} nodes")
            if number in joints:
                raise joint.error(f"is node {number}, which is a joint of this skin already")
            joints.append(number)
        if not joints:
            raise at.get("joints").error("is empty; a skin needs joints")
        meshes = [k for k, node in enumerate(tree.at) if node.get("skin").value == index]
        out.append(Skin(at, joints, meshes))
    return out


def find_joints(document: Document, tree: Tree, animation: int) -> Joints:
    """Find the joints of the body that an animation moves.

    Raises
    ------
    FileError
        If it moves no skeleton.
    """
    moved = _Moved(document)
    own = moved.by_animation[animation]
    if not own:
        at = document.root.get("animations").item(animation)
        raise at.error("moves no node: it has no channel of translation, rotation or scale")
    notes: list[str] = []
    skins = _bodies(tree, read_skins(document, tree), own, notes)
    if skins:
        found = _with_skins(tree, skins, moved.nodes, notes)
        order = {node: rank for skin in reversed(skins) for rank, node in enumerate(skin.joints)}
    else:
        found = _without_skin(document, tree, own, moved.nodes, notes)
        order = {}
    top = _carrier(tree, found, moved, rigid=not skins, notes=notes)
    kept = set(tree.below(top)) & found
    return _listed(tree, kept, top, order, skins, notes, moved.nodes)


def _bodies(tree: Tree, skins: list[Skin], own: set[int], notes: list[str]) -> list[Skin]:
    """Skins of one body: the one the animation moves most, and those that share joints with it."""
    scores = [sum(1 for joint in skin.joints if own & set(tree.above(joint))) for skin in skins]
    if not scores or max(scores) == 0:
        return []
    best = skins[int(np.argmax(scores))]
    body, joints, grown = [best], set(best.joints), True
    while grown:
        more = [skin for skin in skins if skin not in body and joints & set(skin.joints)]
        body += more
        joints |= {joint for skin in more for joint in skin.joints}
        grown = bool(more)
    if len(body) < len(skins):
        others = [len(skin.joints) for skin in skins if skin not in body]
        notes.append(f"{len(others)} other skins ({', '.join(map(str, others))} joints) were left out")
    return body


def _with_skins(tree: Tree, skins: list[Skin], moved: set[int], notes: list[str]) -> set[int]:
    """Joints of the skins, their common ancestor, and animated nodes between."""
    joints = {joint for skin in skins for joint in skin.joints}
    by_top: dict[int, list[int]] = {}
    for joint in joints:
        by_top.setdefault(tree.above(joint)[-1], []).append(joint)
    if len(by_top) > 1:
        keep = max(by_top.values(), key=lambda part: (len(part), -min(part)))
        notes.append(
            f"{len(joints) - len(keep)} joints of the skin hang under no common node; they were left out"
        )
        joints = set(keep)
    common = _common(tree, joints)
    found = set(joints) | {common}
    for joint in joints - {common}:
        between = tree.above(joint)[1:]
        found |= moved & set(between[: between.index(common)])
    return found


def _common(tree: Tree, nodes: set[int]) -> int:
    """Lowest node that is or is above all of some nodes of one tree."""
    first, *rest = nodes
    shared = tree.above(first)
    for node in rest:
        above = set(tree.above(node))
        shared = [candidate for candidate in shared if candidate in above]
    return shared[0]


def _without_skin(
    document: Document, tree: Tree, own: set[int], moved: set[int], notes: list[str]
) -> set[int]:
    """Nodes of the tree that an animation moves, less branches that only draw."""
    counts: dict[int, int] = {}
    for node in own:
        top = tree.above(node)[-1]
        counts[top] = counts.get(top, 0) + 1
    top = max(counts, key=lambda node: (counts[node], -node))
    if len(counts) > 1:
        names = ", ".join(repr(tree.names[node]) for node in counts if node != top)
        notes.append(f"the animation moves {len(counts)} trees; {names} was left out")
    kept: set[int] = set()
    for node in reversed(tree.below(top)):
        branches = tree.children[node]
        if node in moved or kept & set(branches) or not (tree.drawn[node] or branches):
            kept.add(node)
    if len(kept) < 2:
        message = (
            f"has no skeleton: no skin, and the animation moves only the single object {tree.names[top]!r}; "
            "segue reads skinned characters and trees of nodes"
        )
        raise FileError(document.path, message)
    return kept


def _carrier(tree: Tree, found: set[int], moved: _Moved, *, rigid: bool, notes: list[str]) -> int:
    """Joint that carries the body: the top, or the one below it that travels while the rest hangs on it."""
    inside = _inside(tree, found)
    top = next(node for node in found if inside[node] == len(found))
    rests = {node: rest_local(tree, node).translation[0] for node in tree.below(top) if node in found}
    size = max(float(np.abs(np.array(list(rests.values()))[1:]).max(initial=0.0)), 1e-9)
    legs = _legs(tree, found, top)
    carrier, chain = top, [top]
    own = moved.document.root.get("asset").get("generator").value == OWN
    while True:
        kids = [node for node in found if _over(tree, found, node) == chain[-1]]
        moving = [kid for kid in kids if moved.nodes & found & set(tree.below(kid))]
        next_down = [kid for kid in moving if legs <= set(tree.below(kid))] if legs else moving
        wrapped = rigid and len(kids) == 1 and chain[-1] not in moved.nodes and not rests[kids[0]].any()
        if wrapped:
            next_down = kids
        # What is left out beside the way down must be little: a spine that stretches does not carry the legs.
        if len(next_down) != 1 or inside[next_down[0]] < 0.75 * (len(found) - len(chain)):
            break
        chain.append(next_down[0])
        if (wrapped and carrier == chain[-2]) or moved.travel(chain[-1]) > _MOVES * size:
            carrier = chain[-1]
    # A bone above the hips that stands on the ground is no body part; our own files hold no such bone to fold.
    if legs and not own:
        carrier = chain[-1]
    _say_folded(tree, found, chain[: chain.index(carrier)], carrier, notes)
    return carrier


def _say_folded(tree: Tree, found: set[int], folded: list[int], carrier: int, notes: list[str]) -> None:
    """Say which joints above the carrier, and beside it, are no joints of the clip."""
    if not folded:
        return
    own = repr(tree.names[carrier])
    gone = [repr(tree.names[node]) for node in sorted(found - set(folded) - set(tree.below(carrier)))]
    if gone:
        notes.append(f"joints beside {own}, which carries the body, were left out: {', '.join(gone[:8])}")
    names = ", ".join(repr(tree.names[node]) for node in folded)
    notes.append(f"the motion of {names} was folded into {own}, which carries the body")


def _inside(tree: Tree, found: set[int]) -> dict[int, int]:
    """For each joint, how many joints hang on it, itself included."""
    counts = dict.fromkeys(found, 0)
    for node in found:
        for above in tree.above(node):
            if above in counts:
                counts[above] += 1
    return counts


def _over(tree: Tree, found: set[int], node: int) -> int:
    """Joint next above a node, or -1."""
    return next((above for above in tree.above(node)[1:] if above in found), -1)


def _legs(tree: Tree, found: set[int], top: int) -> set[int]:
    """Nodes of the hips' joints, where names tell them."""
    nodes = [node for node in tree.below(top) if node in found]
    place = {node: k for k, node in enumerate(nodes)}
    parents = [-1, *(place[_over(tree, found, node)] for node in nodes[1:])]
    offsets = [rest_local(tree, node).translation[0] for node in nodes]
    known = roles(Skeleton([tree.names[node] for node in nodes], parents, offsets))
    return {nodes[known[role]] for role in ("left_hip", "right_hip") if role in known}


def _listed(
    tree: Tree,
    kept: set[int],
    top: int,
    order: dict[int, int],
    skins: list[Skin],
    notes: list[str],
    moved: set[int],
) -> Joints:
    """Joints in the skin's order where that has parents first, else as the tree is walked."""
    walked = [node for node in tree.below(top) if node in kept]
    over = {node: (_over(tree, kept, node) if node != top else -1) for node in walked}
    nodes = walked
    if all(node in order for node in walked):
        ranked = sorted(walked, key=order.__getitem__)
        place = {node: k for k, node in enumerate(ranked)}
        if all(over[node] < 0 or place[over[node]] < place[node] for node in ranked):
            nodes = ranked
    place = {node: k for k, node in enumerate(nodes)}
    parents = [place[over[node]] if over[node] >= 0 else -1 for node in nodes]
    tips = [
        (place[node], tip)
        for node in nodes
        if place[node] not in parents
        for tip in tree.children[node]
        if not tree.drawn[tip]
        and not tree.children[tip]
        and tip not in moved
        and tree.names[tip].lower().endswith(_TIPS)
    ]
    return Joints(nodes, parents, skins, tips, notes)
