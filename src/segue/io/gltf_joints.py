"""Choose the nodes of a glTF file that are the joints of the body that an animation moves.

With a skin: its joints, those of skins that share joints with it, and animated nodes between them. Without
one: the tree of the animated nodes, without branches that only draw. All animations of a file are considered,
so that each gives the same joints. Joints above the one that carries the body's motion are folded into it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.errors import FileError
from segue.io.gltf_channels import read_channel, targets
from segue.io.gltf_document import At, Document
from segue.io.gltf_nodes import MOST_JOINTS, NodeTree, rest_local
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton

OWN = "segue"
"""Generator of files that `segue.io.gltf_write` made."""
_MOVES = 1e-3
"""A joint whose translation varies by more than this share of the body's size carries the body."""
_TIPS = ("_end", "end", "nub", "_tip", "tip")


@dataclass(frozen=True, eq=False)
class Skin:
    """Joints of one skin, its value in the JSON, and the nodes with meshes it deforms."""

    at: At
    joints: list[int]
    meshes: list[int]


@dataclass(frozen=True, eq=False)
class Joints:
    """Nodes of the joints, parents first; parents (-1 for the root) as indices into that list; the joints' skins."""

    nodes: list[int]
    parents: list[int]
    skins: list[Skin]
    tips: list[tuple[int, int]]
    """Joint and node of bone ends that are no joints."""
    notes: list[str]


class _Moved:
    """Nodes moved by each animation of a file, and how far candidates for the carrier move."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.by_animation: list[set[int]] = []
        self.travels: dict[int, list[tuple[At, At]]] = {}
        for animation in document.list("animations"):
            moving = targets(document, animation)
            self.by_animation.append({node for _, node, _ in moving})
            for channel, node, path in moving:
                if path == "translation":
                    self.travels.setdefault(node, []).append((animation, channel))
        self.nodes: set[int] = set().union(*self.by_animation)

    def travel(self, node: int) -> float:
        """Largest range of a node's translation in its parent's frame, over all animations."""
        moves = [read_channel(self.document, *place).keys for place in self.travels.get(node, [])]
        return max((float(np.ptp(keys, axis=0).max()) for keys in moves), default=0.0)


def read_skins(document: Document, tree: NodeTree) -> list[Skin]:
    """Read all skins."""
    meshes: dict[int, list[int]] = {}
    for node, at in enumerate(tree.at):
        if at.get("skin").value is not None:
            meshes.setdefault(at.get("skin").integer(), []).append(node)
    out = []
    for index, at in enumerate(document.list("skins")):
        joints: dict[int, None] = {}
        for joint in at.get("joints").items():
            number = joint.integer()
            if number >= len(tree.names):
                raise joint.error(f"is {number}; there are {len(tree.names)} nodes")
            if number in joints:
                raise joint.error(f"is node {number}, which is a joint of this skin already")
            joints[number] = None
        if not joints:
            raise at.get("joints").error("is empty; a skin needs joints")
        out.append(Skin(at, list(joints), meshes.get(index, [])))
    return out


def find_joints(document: Document, tree: NodeTree, animation: int) -> Joints:
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
    if len(found) > MOST_JOINTS:
        raise document.root.error(f"holds a body of {len(found)} joints; up to {MOST_JOINTS} can be read")
    top = _carrier(tree, found, moved, rigid=not skins, notes=notes)
    kept = set(tree.below(top)) & found
    return _listed(tree, kept, top, order, skins, notes, moved.nodes)


def _bodies(tree: NodeTree, skins: list[Skin], own: set[int], notes: list[str]) -> list[Skin]:
    """Skins of one body: the one the animation moves most, and those that share joints with it."""
    led = {below for node in own if tree.parents[node] not in own for below in tree.below(node)}
    scores = [len(led.intersection(skin.joints)) for skin in skins]
    if not scores or max(scores) == 0:
        return []
    best = int(np.argmax(scores))
    by_joint: dict[int, list[int]] = {}
    for index, skin in enumerate(skins):
        for joint in skin.joints:
            by_joint.setdefault(joint, []).append(index)
    body, waiting = {best}, [best]
    while waiting:
        for joint in skins[waiting.pop()].joints:
            more = set(by_joint.pop(joint, ())) - body
            body |= more
            waiting += more
    if len(body) < len(skins):
        others = [str(len(skin.joints)) for index, skin in enumerate(skins) if index not in body]
        notes.append(f"{len(others)} other skins ({', '.join(others[:8])} joints) were left out")
    return [skins[best], *(skins[index] for index in sorted(body - {best}))]


def _with_skins(tree: NodeTree, skins: list[Skin], moved: set[int], notes: list[str]) -> set[int]:
    """Joints of the skins, their common ancestor, and animated nodes between them."""
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


def _common(tree: NodeTree, nodes: set[int]) -> int:
    """Lowest node that contains all given nodes of one tree in its subtree."""
    first, *rest = nodes
    shared = tree.above(first)
    for node in rest:
        above = set(tree.above(node))
        shared = [candidate for candidate in shared if candidate in above]
    return shared[0]


def _without_skin(
    document: Document, tree: NodeTree, own: set[int], moved: set[int], notes: list[str]
) -> set[int]:
    """Nodes of the tree that an animation moves, without branches that only draw."""
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


def _carrier(tree: NodeTree, found: set[int], moved: _Moved, *, rigid: bool, notes: list[str]) -> int:
    """Joint that carries the body: the top, or a descendant that travels and has most joints below it."""
    kids, inside, moving = _hanging(tree, found, moved.nodes)
    top = next(node for node in found if inside[node] == len(found))
    rests = {node: rest_local(tree, node).translation[0] for node in tree.below(top) if node in found}
    size = max(float(np.abs(np.array(list(rests.values()))[1:]).max(initial=0.0)), 1e-9)
    legs = _legs(tree, found, top)
    over_legs = set.intersection(*(set(tree.above(leg)) for leg in legs)) if legs else moving
    carrier, chain = top, [top]
    own = moved.document.root.get("asset").get("generator").value == OWN
    while True:
        down = [kid for kid in kids[chain[-1]] if kid in moving and kid in over_legs]
        wrapped = rigid and len(kids[chain[-1]]) == 1 and chain[-1] not in moved.nodes
        if wrapped and not rests[kids[chain[-1]][0]].any():
            down = kids[chain[-1]]
        else:
            wrapped = False
        # Few joints may be outside the subtree: a spine that stretches does not carry the legs.
        if len(down) != 1 or inside[down[0]] < 0.75 * (len(found) - len(chain)):
            break
        chain.append(down[0])
        if (wrapped and carrier == chain[-2]) or moved.travel(chain[-1]) > _MOVES * size:
            carrier = chain[-1]
    # Bones above the hips that are on the ground are no body parts: fold them all. Segue's own files have none.
    if legs and not own:
        carrier = chain[-1]
    _say_folded(tree, found, chain[: chain.index(carrier)], carrier, notes)
    return carrier


def _say_folded(tree: NodeTree, found: set[int], folded: list[int], carrier: int, notes: list[str]) -> None:
    """Add notes on the joints above the carrier, and next to it, that are no joints of the clip."""
    if not folded:
        return
    own = repr(tree.names[carrier])
    gone = [repr(tree.names[node]) for node in sorted(found - set(folded) - set(tree.below(carrier)))]
    if gone:
        notes.append(
            f"joints outside the subtree of {own}, which carries the body, were left out: "
            f"{', '.join(gone[:8])}"
        )
    names = ", ".join(repr(tree.names[node]) for node in folded)
    notes.append(f"the motion of {names} was folded into {own}, which carries the body")


def _hanging(
    tree: NodeTree, found: set[int], moved: set[int]
) -> tuple[dict[int, list[int]], dict[int, int], set[int]]:
    """Child joints of each joint; size of each joint's subtree; joints with a moving joint in their subtree."""
    kids: dict[int, list[int]] = {node: [] for node in found}
    inside = dict.fromkeys(found, 1)
    moving = moved & found
    for node in sorted(found, key=lambda node: -len(tree.above(node))):
        over = _over(tree, found, node)
        if over >= 0:
            kids[over].append(node)
            inside[over] += inside[node]
            moving |= {over} if node in moving else set()
    return kids, inside, moving


def _over(tree: NodeTree, found: set[int], node: int) -> int:
    """Nearest ancestor joint of a node, or -1."""
    return next((above for above in tree.above(node)[1:] if above in found), -1)


def _legs(tree: NodeTree, found: set[int], top: int) -> set[int]:
    """Nodes of the hip joints, if they have roles."""
    nodes = [node for node in tree.below(top) if node in found]
    place = {node: k for k, node in enumerate(nodes)}
    parents = [-1, *(place[_over(tree, found, node)] for node in nodes[1:])]
    offsets = [rest_local(tree, node).translation[0] for node in nodes]
    known = roles(Skeleton([tree.names[node] for node in nodes], parents, offsets))
    return {nodes[known[role]] for role in ("left_hip", "right_hip") if role in known}


def _listed(
    tree: NodeTree,
    kept: set[int],
    top: int,
    order: dict[int, int],
    skins: list[Skin],
    notes: list[str],
    moved: set[int],
) -> Joints:
    """Joints in the skin's order if it puts parents first, else in depth-first order."""
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
