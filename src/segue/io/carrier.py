"""Which joint carries a body: the one whose place and turn are the body's, below whatever only moves it about.

Files put a reference, a ground root or an armature above the hips, and let both move. Heading and ground position are
joint 0's in segue, so such joints are folded into the one that carries the body: its motion in the world is theirs and
its own together.

Animated scales: a bone has one length, that of the rest pose, whatever a file scales it by over time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Bools, Floats
from segue.io.units import limbs
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton

_SLIDES = 0.01
"""Share of the leg, or of the longest bone, by which a joint slides that carries a body."""
_MOST = 0.75
"""Share of what hangs beside and below that must hang on a joint for it to carry the body."""


def carrying_chain(skeleton: Skeleton, moves: Floats) -> list[int]:
    """Joints from the root down to the one that carries the body; the root alone where nothing is to be folded.

    That is the lowest joint which moves in its parent's frame while both legs and nearly all other joints hang on it:
    a spine that stretches carries no body.

    Parameters
    ----------
    skeleton
        Names and tree are looked at.
    moves
        (J,) how far each joint's place in its parent's frame changes, in the skeleton's unit.

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
    # Without legs nothing tells a body from a chain whose links slide; then only the joint below the root is looked at.
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
    """Joints above one, itself left out."""
    out = []
    at = int(skeleton.parents[joint])
    while at >= 0:
        out.append(at)
        at = int(skeleton.parents[at])
    return out


def folded_note(folded: list[str], carrier: str) -> str:
    """Sentence for a clip's notes."""
    return f"the motion of {', '.join(map(repr, folded))} was folded into {carrier!r}, which carries the body"


_VARIES = 1e-3
"""Share of its largest value by which a scale varies that is animated."""
_NOTHING = 1e-6
_NAMED = 6


def varies(scales: Floats) -> Bools:
    """Whether scales (F, ..., 3) change over time: (...,).

    Examples
    --------
    >>> varies(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])), varies(np.full((2, 3), 0.01))
    (np.True_, np.False_)
    """
    most = np.abs(scales).max(axis=(0, -1))
    out: Bools = np.ptp(scales, axis=0).max(axis=-1) > _VARIES * np.maximum(most, _NOTHING)
    return out


def held(rest: Floats, scales: Floats) -> Floats:
    """Scale (3,) to keep where it is animated: the rest pose's, or where that is nothing the median of what is more.

    Parameters
    ----------
    rest
        (3,) of the rest pose.
    scales
        (F, 3) over time.

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
    """Sentence for a clip's notes on the nodes whose scale is animated; none where there are none."""
    if not names:
        return []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    shown = ", ".join(map(repr, names[:_NAMED])) + more
    return [f"the scale of {shown} is animated; bones keep the lengths of the rest pose"]
