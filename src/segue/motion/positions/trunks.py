"""How the bones of trunk, neck and head lie to one another in a body that stands, by the mean over a motion.

A neck leans forwards and a spine is curved in any body. A rest pose in which they stand straight above each other would
take that shape for a turn, and a body that has it already would get it twice.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Positions
from segue.motion.roles import Roles
from segue.motion.skeleton import Skeleton

_CLEAR = 0.5  # length of a mean direction, and its part along the trunk, from which it is one
_TINY = 1e-9


def trunk_directions(skeleton: Skeleton, found: Roles, places: Positions) -> dict[int, Positions]:
    """Directions (3,) of the bones that end at joints from the pelvis up to the head, in a rest pose that faces +Z.

    The line from the middle of the hips to the neck, or what there is nearest to it, is vertical. Bones lie in the
    middle plane of the body. Those that no frames tell are left out.

    Parameters
    ----------
    skeleton
        The tree; its offsets do not matter.
    found
        Roles, with both hips.
    places
        (F, J, 3) positions, Y up; not numbers where a joint is not seen.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> found = trunk_directions(walk.skeleton, segue.roles(walk.skeleton), segue.world_positions(walk))
    >>> bool(found[walk.skeleton.index("Neck")][1] > 0.9)
    True
    """
    top = next((found[role] for role in ("neck", "chest", "head", "spine") if role in found), None)
    if top is None:
        return {}
    hips = places[:, found["left_hip"]], places[:, found["right_hip"]]
    up = places[:, top] - 0.5 * (hips[0] + hips[1])
    across = [hips[0] - hips[1]] * 2
    if "left_shoulder" in found and "right_shoulder" in found:
        across[1] = places[:, found["left_shoulder"]] - places[:, found["right_shoulder"]]
    lower, upper = (_frames(each, up) for each in across)
    out = {}
    last = found.get("head", top)
    for joint in _above(skeleton, last, below=min(found["left_hip"], found["right_hip"])):
        axes = upper if joint > top or joint == last else lower
        direction = _mean(
            np.einsum("fab,fb->fa", axes, places[:, joint] - places[:, skeleton.parents[joint]])
        )
        if direction is not None:
            out[joint] = direction
    return out


def _above(skeleton: Skeleton, joint: int, *, below: int) -> list[int]:
    """A joint and those above it in the tree, as far as they carry no hip; without the root."""
    out = []
    carrying = set()
    while below >= 0:
        carrying.add(below)
        below = int(skeleton.parents[below])
    while joint > 0 and joint not in carrying:
        out.append(joint)
        joint = int(skeleton.parents[joint])
    return out


def _frames(across: Positions, up: Positions) -> Positions:
    """Matrices (F, 3, 3) that turn the world into axes to the left, up along the trunk and ahead."""
    y = up / np.maximum(np.linalg.norm(up, axis=-1, keepdims=True), _TINY)
    x = across - np.sum(across * y, axis=-1, keepdims=True) * y
    x = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), _TINY)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _mean(bones: Positions) -> Positions | None:
    """Mean direction (3,) of bones (F, 3) in the middle plane, or None where they have none."""
    size = np.linalg.norm(bones, axis=-1)
    seen = np.isfinite(size) & (size > _TINY)
    if not seen.any():
        return None
    mean = (bones[seen] / size[seen, None]).mean(axis=0)
    mean[0] = 0.0
    long = float(np.linalg.norm(mean))
    if long < _CLEAR or mean[1] < _CLEAR * long:
        return None
    out: Positions = mean / long
    return out
