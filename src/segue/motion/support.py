"""How fast the ground passes under the feet: the velocity that the feet in stance share, at any sliding speed.

A clip in place has its stance feet slide back under a body that does not travel. No foot stands still, so contacts
cannot be seen in it directly. What tells stance from swing all the same: parts of feet in stance are low, and they go
with the ground, all at one velocity, while a foot in swing is low only for a moment and at another velocity. So each
step of each part of a foot counts as much as other low parts near it in time agree with its velocity: a kernel density
over velocities. With ``u(t, p)`` the velocity of part ``p`` over the ground from frame ``t`` to the next, ``h`` its
height above its lowest and ``K(x) = exp(-x^2 / 2)``::

    low(t, p)   = K(h(t, p) / 0.05 leg)
    vote(t, p)  = sum over s, q of K((s - t) / 0.15 s) low(s, q) K(|u(s, q) - u(t, p)| / width(t, p))
    share(t, p) = (low(t, p) vote(t, p) / most in the clip)^2 (vote(t, p) / most in frame t)^4

``width`` is 0.3 leg lengths a second and 0.15 of the part's velocity as seen from the root. The velocity ``v`` of the
ground is what the parts have, by share, smooth where nothing is on the ground: in flight it goes on from one stance to
the next along a straight line (`segue.maths.smoothing.whittaker`)::

    minimise  sum over t, p of share(t, p) |u(t, p) - v(t)|^2  +  k sum over t of |v(t + 1) - v(t)|^2

With that motion given to the root, feet in stance nearly stand, and `segue.motion.contacts` tells when, to the frame.
The velocity is then found once more with its contacts: a part counts in full within its contact, less towards the ends
of it, where heels and toes roll, and a tenth of its share elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Positions, frozen
from segue.maths.quaternions import half_angle
from segue.maths.smoothing import whittaker
from segue.motion.body import is_human
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.facing import heading
from segue.motion.feet import foot_positions, leg_length
from segue.motion.flags import column_runs
from segue.motion.kinematics import World, world
from segue.motion.roles import roles
from segue.motion.usable import sound_frames

_LOW = 0.05  # leg lengths over its lowest at which a part of a foot counts 0.6
_NEAR = 0.15  # seconds: deviation of the time over which parts are compared
_REACH = 2.5  # deviations up to which they are
_SAME = 0.3  # leg lengths a second: velocities this near are one
_SAME_SHARE = 0.15  # and of the velocity itself: stance feet do not go evenly
_FLOOR_SHARE = 3.0  # percent of a part's heights that may lie below the floor
_EASE = 0.03  # seconds over which a change of velocity is smoothed where a foot is planted
_ROLLING = 0.05  # seconds at either end of a contact in which a part counts less
_ELSEWHERE = 0.1  # how much a share counts beside a contact
_FEWEST = 4  # frames below which nothing is found

_HELD = 1e-4  # radians a frame: a body that turns less holds a pose, which has no period
_AGAIN = 0.2  # steps of the body within which the last pose is the first again
_NEXT = 1.5  # steps of the body within which the first pose follows the last

_STAYS = 0.5
"""Leg lengths that the root of a clip in place may move along the ground, from one side to the other."""
_STAYS_SHARE = 0.25  # and of the way that its feet make
_SLOWEST = 0.3  # leg lengths a second: a body whose feet go more slowly stands
_SHORTEST = 1.0  # leg lengths that its feet go at least
_STEADY = 0.8  # length of the mean velocity, seen from the body, as a share of the mean speed
_UPRIGHT = 0.6  # leg lengths of the hips above the floor, and share of the trunk's length that points up
_MOSTLY = 0.9  # share of the frames in which the body is upright
_EACH = 0.05  # share of the support that each foot gives: a walk has both take turns


@dataclass(frozen=True, eq=False)
class Passing:
    """How the ground passes under a clip.

    Parameters
    ----------
    velocity
        (N, 2) metres a second of the ground along x and z, from each frame to the next. N is one less than the frames
        of the clip, or as many where its first frame follows its last.
    weights
        (N, 4) how much each part of the feet counts, 0 to 1, in the order of `segue.motion.feet.FOOT_PARTS`.
    wraps
        Whether the clip is one cycle, or several, so that the last step is followed by the first.
    """

    velocity: Floats
    weights: Floats
    wraps: bool


@lru_cache(maxsize=64)
def passing(clip: Clip) -> Passing:
    """Find how fast the ground passes under the feet of a clip; see the module.

    Parameters
    ----------
    clip
        Any motion with known hips, knees and ankles: in place, or carried along the ground at any velocity.

    Raises
    ------
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> spot = walk.with_motion(root_positions=walk.root_positions * [1, 1, 0])
    >>> round(float(passing(spot).velocity[:, 1].mean()), 1)
    -1.3
    """
    leg = leg_length(clip.skeleton)
    if clip.n_frames < _FEWEST:
        none = np.zeros((clip.n_frames - 1, 2))
        return Passing(frozen(none), frozen(np.zeros((clip.n_frames - 1, 4))), False)
    at = world(clip)
    again = period_kind(clip)
    steps, own, heights = _steps(clip, at, follows=again == "follows")
    wraps = again != ""
    share = shares(steps, own, heights, leg=leg, fps=clip.fps, wraps=wraps)
    rough = _shared(steps, share, fps=clip.fps, wraps=wraps)
    planted = _planted(clip, own - rough, wraps=wraps)
    weights = np.maximum(_within(planted, clip.fps, wraps=wraps), _ELSEWHERE * share)
    return Passing(frozen(_shared(steps, weights, fps=clip.fps, wraps=wraps)), frozen(weights), wraps)


def is_in_place(clip: Clip) -> bool:
    """Tell whether a clip walks or runs on the spot: its feet slide steadily while the root stays where it is.

    Not so for captured walks, whose roots travel; for idle, dances and jumps on the spot, whose feet stand while they
    are down; for bodies that lie, sit on the floor or crawl; and for bodies without known legs.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> spot = walk.with_motion(root_positions=walk.root_positions * [0, 1, 0])
    >>> is_in_place(walk), is_in_place(spot), is_in_place(segue.sample("stand"))
    (False, True, False)
    """
    if clip.n_frames < _FEWEST or not is_human(clip.skeleton):
        return False
    leg = leg_length(clip.skeleton)
    root = clip.root_positions[:, [0, 2]]
    extent = float(np.hypot(*np.ptp(root, axis=0)))
    if extent > _STAYS * leg or upright_over_feet(clip)[sound_frames(clip)].mean() < _MOSTLY:
        return False
    found = passing(clip)
    turns = np.resize(heading(clip), len(found.velocity))
    c, s = np.cos(turns), np.sin(turns)
    x, z = found.velocity.T
    seen = np.column_stack([c * x - s * z, s * x + c * z])
    mean = float(np.hypot(*seen.mean(axis=0)))
    speed = float(np.hypot(x, z).mean())
    distance = mean * len(seen) / clip.fps
    feet = found.weights[:, :2].sum(), found.weights[:, 2:].sum()
    return bool(
        min(feet) > _EACH * sum(feet)
        and mean > _SLOWEST * leg
        and mean > _STEADY * speed
        and distance > _SHORTEST * leg
        and extent < _STAYS_SHARE * distance
    )


def period_kind(clip: Clip) -> str:
    """Tell whether a clip is a whole cycle: ``"repeats"`` its first pose last, or the first ``"follows"`` the last.

    Empty where it is none. Poses are compared by the turns of all joints.
    """
    turns = clip.rotations
    if len(turns) < _FEWEST:
        return ""
    steps = 2.0 * half_angle(turns[1:], turns[:-1]).mean(axis=1)
    usual = float(np.median(steps))
    if usual < _HELD:
        return ""
    back = 2.0 * float(half_angle(turns[:1], turns[-1:]).mean())
    if back < _AGAIN * usual:
        return "repeats"
    return "follows" if back < _NEXT * min(usual, float(max(steps[0], steps[-1]))) else ""


def shares(
    steps: Floats, own: Floats, heights: Floats, *, leg: float, fps: float, wraps: bool = False
) -> Floats:
    """How much each part of the feet moves with the ground (N, 4), from 0 to 1; see the module.

    Parameters
    ----------
    steps
        (N, 4, 2) velocities over the ground in m/s.
    own
        (N, 2) velocities of the root.
    heights
        (N, 4) metres of each part above its lowest.
    leg
        Metres of a leg.
    fps
        Steps a second.
    wraps
        Whether the first step follows the last.
    """
    low: Floats = np.exp(-0.5 * (np.maximum(heights, 0.0) / (_LOW * leg)) ** 2)
    width = _SAME * leg + _SAME_SHARE * np.linalg.norm(steps - own[:, None], axis=-1)
    n = len(steps)
    reach = min(int(_REACH * _NEAR * fps), (n - 1) // 2 if wraps else n - 1)
    votes = np.zeros_like(low)
    for offset in range(-reach, reach + 1):
        near = np.exp(-0.5 * (offset / (fps * _NEAR)) ** 2)
        if wraps:
            here, there = np.arange(n), (np.arange(n) + offset) % n
        else:
            here = np.arange(max(0, -offset), min(n, n - offset))
            there = here + offset
        apart = np.sum((steps[here][:, :, None] - steps[there][:, None]) ** 2, axis=-1)
        alike = np.exp(-0.5 * apart / width[here][:, :, None] ** 2)
        votes[here] += near * np.einsum("tpq,tq->tp", alike, low[there])
    agreed = low * votes
    most = float(agreed.max(initial=0.0))
    if most <= 0.0:
        return np.zeros_like(low)
    best = np.maximum(votes.max(axis=1, keepdims=True), np.finfo(float).tiny)
    out: Floats = (agreed / most) ** 2 * (votes / best) ** 4
    return out


def _steps(clip: Clip, at: World, *, follows: bool) -> tuple[Floats, Floats, Floats]:
    """Velocities of the parts of the feet (N, 4, 2) and of the root (N, 2), and heights of the parts (N, 4)."""
    places = foot_positions(clip.skeleton, at)
    sound = sound_frames(clip)
    heights = places[..., 1] - np.percentile(places[sound, :, 1], _FLOOR_SHARE, axis=0)
    heights[~sound] = np.inf  # never low
    root = clip.root_positions[:, [0, 2]]
    seen = places[..., [0, 2]] - root[:, None]
    own = np.diff(root, axis=0)
    if follows:
        seen, heights = np.concatenate([seen, seen[:1]]), np.concatenate([heights, heights[:1]])
        own = np.concatenate([own, (own[:1] + own[-1:]) / 2])
    own = own * clip.fps
    return np.diff(seen, axis=0) * clip.fps + own[:, None], own, np.maximum(heights[1:], heights[:-1])


def _shared(steps: Floats, weights: Floats, *, fps: float, wraps: bool) -> Floats:
    """Velocity (N, 2) of the ground: what the parts have, by weight."""
    total = weights.sum(axis=1)
    mean = (weights[..., None] * steps).sum(axis=1) / np.maximum(total, 1e-12)[:, None]
    return whittaker(mean, total, stiffness=(_EASE * fps) ** 2, wraps=wraps)


def _planted(clip: Clip, velocity: Floats, *, wraps: bool) -> Bools:
    """Flags (N, 4) of steps in which a part is in contact, with the root going at a velocity (N, 2)."""
    n = len(velocity)
    rounds = 3 if wraps else 1  # the middle one has neighbours on both sides
    rows = np.tile(np.arange(n), rounds) if wraps else np.arange(clip.n_frames)
    root = np.array(clip.root_positions[rows])
    root[:, [0, 2]] = root[0, [0, 2]] + _path(np.tile(velocity, (rounds, 1)), clip.fps)[: len(rows)]
    moving = Clip(clip.skeleton, clip.rotations[rows], root, clip.fps)
    flags = contacts(moving).flags
    if wraps:
        flags = flags[n : 2 * n + 1]
    out: Bools = flags[1:] & flags[:-1]
    return out


def without_ground(clip: Clip) -> Clip:
    """Remove the motion of the ground from the path of a root, so that feet that slide in stance stand.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> far = without_ground(walk.with_motion(root_positions=walk.root_positions * [1, 1, 1.5]))
    >>> round(float(np.ptp(far.root_positions[:, 2]) / np.ptp(walk.root_positions[:, 2])), 2)
    1.0
    """
    root = np.array(clip.root_positions)
    root[:, [0, 2]] -= _path(passing(clip).velocity[: clip.n_frames - 1], clip.fps)
    return clip.with_motion(root_positions=root)


def _path(velocity: Floats, fps: float) -> Floats:
    """Places (N + 1, 2) in metres that a velocity leads to, from the origin."""
    return np.concatenate([np.zeros((1, 2)), np.cumsum(velocity, axis=0) / fps])


def _within(planted: Bools, fps: float, *, wraps: bool) -> Floats:
    """Weights (N, 4) of parts within their contacts: 1 well inside, less towards the ends of a contact."""
    n = len(planted)
    flags = np.tile(planted, (3, 1)) if wraps else planted
    out = np.zeros(flags.shape)
    for part, start, stop in column_runs(flags):
        at = np.arange(start, stop) + 0.5
        begins = at - start if start else np.full(len(at), np.inf)
        ends = stop - at if stop < len(flags) else np.full(len(at), np.inf)
        out[start:stop, part] = np.minimum(np.minimum(begins, ends) / max(1.0, _ROLLING * fps), 1.0) ** 2
    return out[n : 2 * n] if wraps else out


def upright_over_feet(clip: Clip) -> Bools:
    """Flags (F,): the hips are higher than bent legs hold them over the lowest feet, and the trunk points up."""
    at: Positions = world(clip).positions
    found = roles(clip.skeleton)
    hips = (at[:, found["left_hip"]] + at[:, found["right_hip"]]) / 2
    feet = foot_positions(clip.skeleton, world(clip))[..., 1]
    out = hips[:, 1] - np.percentile(feet[sound_frames(clip)], _FLOOR_SHARE) > _UPRIGHT * leg_length(
        clip.skeleton
    )
    top = next((found[role] for role in ("neck", "head", "chest") if role in found), None)
    if top is not None:
        trunk = at[:, top] - hips
        out &= trunk[:, 1] > _UPRIGHT * np.linalg.norm(trunk, axis=1)
    return np.asarray(out)
