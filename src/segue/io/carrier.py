"""Find the joint that carries a body: its position and rotation are the body's; joints above it only move it as a unit.

Files put a reference, a ground root or an armature above the hips, and both may move. In segue, heading and
ground position are those of joint 0, so such joints are folded into the one that carries the body: its world
motion combines theirs and its own.

Animated scales: a bone has one length, that of the rest pose, even if a file animates its scale.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Bools, Floats
from segue.io.units import limbs
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton

_SLIDES = 0.01
"""Share of the leg, or of the longest bone, that a joint must move in its parent's frame to carry the body."""
_MOST = 0.75
"""Share of the joints outside the chain above that a joint's subtree must contain for it to carry the body."""


def carrying_chain(skeleton: Skeleton, moves: Floats) -> list[int]:
    """Joints from the root down to the one that carries the body; the root alone if nothing has to be folded.

    That is the lowest joint that moves in its parent's frame while both legs and nearly all other joints are
    below it: a spine that stretches does not carry the body.

    Parameters
    ----------
    skeleton
        Names, tree and bone lengths are used.
    moves
        (J,) range of each joint's position in its parent's frame, in the skeleton's unit.

    Examples
    --------
    >>> import numpy as np
    >>> from segue.motion.samples import sample
    >>> carrying_chain(sample("walk").skeleton, np.zeros(sample("walk").skeleton.n_joints))
    [0]
    """
    if not moves[1:].any():
        return [0]
    size = limbs(skeleton).leg or float(np.linalg.norm(skeleton.offsets[1:], axis=1).max())
    slides = moves > _SLIDES * size
    hung = [1] * skeleton.n_joints
    for joint in range(skeleton.n_joints - 1, 0, -1):
        hung[int(skeleton.parents[joint])] += hung[joint]
    found = roles(skeleton)
    hips = {found[role] for role in ("left_hip", "right_hip") if role in found}
    over = set.intersection(*({*_above(skeleton, hip)} for hip in hips)) if hips else None
    chain, carrier = [0], 0
    # Without legs, a body cannot be distinguished from a chain with sliding links: check only the joint below
    # the root.
    while hips or len(chain) == 1:
        below = [kid for kid in skeleton.children[chain[-1]] if over is None or kid in over]
        below = [kid for kid in below if hung[kid] >= _MOST * (skeleton.n_joints - len(chain))]
        if len(below) != 1:
            break
        chain.append(int(below[0]))
        if slides[chain[-1]]:
            carrier = chain[-1]
    return chain[: chain.index(carrier) + 1]


def _above(skeleton: Skeleton, joint: int) -> list[int]:
    """Ancestors of a joint, without the joint."""
    out = []
    at = int(skeleton.parents[joint])
    while at >= 0:
        out.append(at)
        at = int(skeleton.parents[at])
    return out


def folded_note(folded: list[str], carrier: str) -> str:
    """Return the sentence for a clip's notes."""
    return f"the motion of {', '.join(map(repr, folded))} was folded into {carrier!r}, which carries the body"


_VARIES = 1e-3
"""A scale is animated if it varies by more than this share of its largest value."""
_NOTHING = 1e-6
_NAMED = 6


def varies(scales: Floats) -> Bools:
    """Return whether scales (F, ..., 3) change over time: (...,).

    Examples
    --------
    >>> varies(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])), varies(np.full((2, 3), 0.01))
    (np.True_, np.False_)
    """
    most = np.abs(scales).max(axis=(0, -1))
    out: Bools = np.ptp(scales, axis=0).max(axis=-1) > _VARIES * np.maximum(most, _NOTHING)
    return out


def held(rest: Floats, scales: Floats) -> Floats:
    """Scale (3,) to keep if it is animated: the rest pose's, or if that has a zero, the median of those without.

    Parameters
    ----------
    rest
        (3,) scale of the rest pose.
    scales
        (F, 3) scales over time.

    Examples
    --------
    >>> held(np.ones(3), np.zeros((4, 3))).tolist()
    [1.0, 1.0, 1.0]
    """
    if np.abs(rest).min() > _NOTHING:
        return rest
    shown = scales[np.abs(scales).min(axis=-1) > _NOTHING]
    return np.median(shown, axis=0) if len(shown) else np.ones(3)


def held_notes(names: Sequence[str]) -> list[str]:
    """Return the sentence for a clip's notes on the nodes with animated scale; an empty list without such nodes."""
    if not names:
        return []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    shown = ", ".join(map(repr, names[:_NAMED])) + more
    return [f"the scale of {shown} is animated; bones keep the lengths of the rest pose"]
