"""Left and right of a body without names: up is from the feet to the hips, ahead is where the feet point.

``left = up x ahead`` in a right-handed frame. Where feet do not tell, the face, the thumbs and the knees are asked in
this order; where nothing tells, the body is taken to look along +Z (rest poses do) and said to be a guess.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Positions
from segue.motion.role_limbs import Joints
from segue.motion.role_tree import Tree

_AXES = {"Y": np.array([0.0, 1.0, 0.0]), "Z": np.array([0.0, 0.0, 1.0])}
_AHEAD = {"Y": np.array([0.0, 0.0, 1.0]), "Z": np.array([0.0, -1.0, 0.0])}


@dataclass(frozen=True, eq=False)
class Facing:
    """Unit vector (3,) to the body's left, what told it, and how sure that is (0 to 1)."""

    left: Positions
    by: str
    confidence: float


def facing(
    tree: Tree, legs: list[Joints], *, chest: int | None, head: int | None, hands: list[int | None]
) -> Facing:
    """Tell where the left side of a rest pose is.

    Parameters
    ----------
    tree
        The skeleton.
    legs
        Hip, knee and ankle of both legs, in any order.
    chest, head, hands
        Joints where they are known.
    """
    up, axis, clear = _up(tree, legs, chest)
    if not clear:
        return Facing(np.cross(up, _AHEAD[axis]), "guess", 0.0)
    for by, ahead, sure in (
        ("feet", _feet(tree, legs, up), 0.95),
        ("face", _face(tree, head, up), 0.85),
        ("thumbs", _thumbs(tree, hands, up), 0.75),
        ("knees", _knees(tree, legs, up), 0.7),
    ):
        if ahead is not None:
            left = np.cross(up, ahead)
            return Facing(left / np.linalg.norm(left), by, sure)
    return Facing(np.cross(up, _AHEAD[axis]), "guess", 0.0)


def _up(tree: Tree, legs: list[Joints], chest: int | None) -> tuple[Positions, str, bool]:
    """Return up as a unit vector, the file axis nearest to it, and whether the rest pose is that of a body."""
    hips = np.mean([tree.rest[leg[0]] for leg in legs], axis=0)
    feet = np.mean([tree.rest[leg[1] if leg[2] is None else leg[2]] for leg in legs], axis=0)
    up = hips - feet
    length = float(np.linalg.norm(up))
    if length < 0.05 * tree.size:
        return _AXES["Y"], "Y", False
    up = up / length
    if chest is not None:
        trunk = tree.rest[chest] - hips
        far = float(np.linalg.norm(trunk))
        if far > 0.02 * tree.size and float(trunk @ up) < 0.0:
            # Legs and trunk lie on the same side of the hips: a rest pose of bones laid end to end along one axis.
            axis = "Z" if abs(up[2]) > 0.8 else "Y"
            return _AXES[axis], axis, False
    for axis, vector in _AXES.items():
        if up @ vector > 0.8:
            return vector, axis, True
    return up, "Y", True


def _level(vectors: Positions, up: Positions) -> Positions:
    """Vectors (N, 3) without their part along up."""
    out: Positions = vectors - (vectors @ up)[:, None] * up
    return out


def _clear(vectors: Positions, up: Positions, share: float) -> Positions | None:
    """Return the level sum of vectors (N, 3) if it is at least a share of their length, else None."""
    if not len(vectors):
        return None
    total = _level(vectors, up).sum(axis=0)
    size = float(np.linalg.norm(vectors, axis=1).sum())
    return total if size > 0.0 and float(np.linalg.norm(total)) > share * size else None


def _reach(tree: Tree, joint: int) -> Positions:
    """Vectors (N, 3) from a joint to everything below it, tips included."""
    points = []
    for member in tree.subtree(joint):
        if member != joint:
            points.append(tree.rest[member])
        tip = tree.tip[member]
        if tip is not None:
            points.append(tree.rest[member] + tip)
    out: Positions = np.array(points).reshape(-1, 3) - tree.rest[joint]
    return out


def _feet(tree: Tree, legs: list[Joints], up: Positions) -> Positions | None:
    """From both ankles to the farthest level point of each foot."""
    out = []
    for _, _, ankle in legs:
        if ankle is None:
            return None
        points = _reach(tree, ankle)
        level = np.linalg.norm(_level(points, up), axis=1)
        if not len(points) or level.max() < 0.01 * tree.size:
            return None
        out.append(points[int(level.argmax())])
    return _clear(np.array(out), up, 0.35)


def _face(tree: Tree, head: int | None, up: Positions) -> Positions | None:
    """From the head to the middle of what hangs on it; eyes and jaw are in front."""
    if head is None:
        return None
    points = _reach(tree, head)
    if len(points) < 2:
        return None
    return _clear(points[np.linalg.norm(points, axis=1) > 0.005 * tree.size], up, 0.3)


def _thumbs(tree: Tree, hands: list[int | None], up: Positions) -> Positions | None:
    """From each wrist to the finger that stands off most, square to the forearm; thumbs point ahead."""
    out = []
    for hand in hands:
        if hand is None:
            return None
        points = _reach(tree, hand)
        arm = tree.rest[hand] - tree.rest[int(tree.parents[hand])]
        length = float(np.linalg.norm(arm))
        if len(points) < 2 or length == 0.0:
            return None
        arm = arm / length
        off = _level(points, up)
        off = off - (off @ arm)[:, None] * arm
        far = np.linalg.norm(off, axis=1)
        if far.max() < 0.005 * tree.size:
            return None
        out.append(off[int(far.argmax())])
    # Palms that look ahead turn the thumbs apart: then they do not tell.
    return _clear(np.array(out), up, 0.7) if out else None


def _knees(tree: Tree, legs: list[Joints], up: Positions) -> Positions | None:
    """How far both knees lie off the line from hip to ankle; they bend ahead."""
    out = []
    for hip, knee, ankle in legs:
        if ankle is None:
            return None
        whole = tree.rest[ankle] - tree.rest[hip]
        length = float(np.linalg.norm(whole))
        if length == 0.0:
            return None
        half = tree.rest[knee] - tree.rest[hip]
        off = half - (half @ whole) / length**2 * whole
        out.append(_level(off[None], up)[0])
        if float(np.linalg.norm(out[-1])) < 0.02 * length:
            return None
    return _clear(np.array(out), up, 0.7)
