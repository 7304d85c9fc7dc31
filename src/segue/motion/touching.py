"""Which parts of a body touch the ground: not only feet, but hands, knees and backs too.

Feet are found by `segue.motion.contacts`. Any other part touches while the lowest point of its capsule is low and
the flesh there is slow, with hysteresis. It is the flesh that must be slow and not the bone: a back that rolls over
the ground moves, the skin under it does not. The ground is where the soles rest.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Positions, frozen
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import conjugate, rotate
from segue.motion.body import Capsule, capsules, is_human
from segue.motion.clip import Clip
from segue.motion.contacts import contacts, hysteresis, without_short
from segue.motion.facing import heading, moved
from segue.motion.feet import foot_points, leg_length
from segue.motion.kinematics import World, world

_ENTER_HEIGHT, _LEAVE_HEIGHT = 0.055, 0.085  # leg lengths above the ground, as for feet
_ENTER_SPEED, _LEAVE_SPEED = 0.5, 1.0  # leg lengths a second; twice those of feet, because flesh gives way
_SPEED_SPAN = 1 / 60  # seconds over which speed is taken
_TIPS = ("pelvis", "trunk", "head", "hand")  # parts whose far end is no other part's joint
_SHORTEST = 0.05  # seconds: shorter gaps are filled, then shorter contacts dropped


@lru_cache(maxsize=64)
def touching(clip: Clip) -> Bools:
    """Flags (F, S): which segment touches the ground in which frame, in the order of `segue.motion.body.capsules`.

    Raises
    ------
    SkeletonError
        If hips, knees or ankles are unknown.

    Examples
    --------
    >>> import segue
    >>> from segue.motion.body import SEGMENTS
    >>> flags = touching(segue.sample("walk"))
    >>> [SEGMENTS[s] for s in flags.any(axis=0).nonzero()[0]]
    ['left_foot', 'right_foot']
    """
    body = capsules(clip.skeleton)
    out = np.zeros((clip.n_frames, len(body)), dtype=bool)
    if not is_human(clip.skeleton):
        return frozen(out, np.bool_)
    # Where a foot rests is found axis by axis: the clip is turned to face ahead, so that its heading does not matter.
    feet = contacts(moved(clip, PlanarMotion(-float(heading(clip)[0]))))
    ground = float(np.mean(feet.floor - foot_points(clip.skeleton).rest_heights))
    leg, at = leg_length(clip.skeleton), world(clip)
    for column, capsule in enumerate(body):
        if capsule.segment.endswith("_foot"):
            out[:, column] = feet.foot(capsule.segment.removesuffix("_foot"))
        else:
            out[:, column] = _touches(capsule, at, ground=ground, leg=leg, fps=clip.fps)
    return frozen(out, np.bool_)


def _touches(capsule: Capsule, at: World, *, ground: float, leg: float, fps: float) -> Bools:
    """Frames (F,) in which a capsule lies on the ground with one of the places that are its own.

    A joint belongs to the part outward of it: an ankle near the ground is the foot's and no contact of the shin.
    """
    out = np.zeros(at.positions.shape[0], dtype=bool)
    # The joint at the far end belongs to the next part outward (decision 74).
    own = capsule.end if capsule.segment.endswith(_TIPS) else (capsule.start + capsule.end) / 2
    for end in (capsule.start, own):
        heights, speeds = _underside(capsule, end, at, fps)
        heights, speeds = (heights - ground) / leg, speeds / leg
        strong = (heights <= _ENTER_HEIGHT) & (speeds <= _ENTER_SPEED)
        weak = (heights <= _LEAVE_HEIGHT) & (speeds <= _LEAVE_SPEED)
        out |= without_short(hysteresis(strong, weak), _SHORTEST * fps)
    return out


def _underside(capsule: Capsule, end: Positions, at: World, fps: float) -> tuple[Floats, Floats]:
    """Height (F,) of the flesh right below an end of a capsule and its speed (F,), metres and metres a second."""
    places, turns = at.positions[:, capsule.joint], at.rotations[:, capsule.joint]
    down = rotate(conjugate(turns), np.array([0.0, -capsule.radius, 0.0])) + end
    lowest = places + rotate(turns, down)
    n_frames = places.shape[0]
    span = min(max(1, round(_SPEED_SPAN * fps)), n_frames - 1)
    speeds = np.full((2, n_frames), np.inf)
    if span < 1:
        return lowest[:, 1], np.zeros(n_frames)
    after = places[span:] + rotate(turns[span:], down[:-span])
    before = places[:-span] + rotate(turns[:-span], down[span:])
    speeds[0, :-span] = np.linalg.norm(after - lowest[:-span], axis=1)
    speeds[1, span:] = np.linalg.norm(lowest[span:] - before, axis=1)
    out: Floats = speeds.min(axis=0) * (fps / span)
    return lowest[:, 1], out
