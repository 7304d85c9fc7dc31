"""Velocity of the ground under the feet: the velocity that the feet in stance share, at any sliding speed.

In a clip in place, feet in stance slide back under a body that does not travel. No foot stands still, so contacts
cannot be found directly. Stance still differs from swing: foot parts in stance are low and move with the ground, all at
one velocity, while a foot in swing is low only briefly and at another velocity. Each step of each foot part is
therefore weighted by how well the velocities of other low parts near it in time agree with its own, a kernel density
over velocities. With ``u(t, p)`` the velocity of part ``p`` over the ground from frame ``t`` to the next, ``h`` its
height above its lowest and ``K(x) = exp(-x^2 / 2)``::

    low(t, p)   = K(h(t, p) / 0.05 leg)
    vote(t, p)  = sum over s, q of K((s - t) / 0.15 s) low(s, q) K(|u(s, q) - u(t, p)| / width(t, p))
    share(t, p) = (low(t, p) vote(t, p) / most in the clip)^2 (vote(t, p) / most in frame t)^4

``width`` is 0.3 leg lengths a second plus 0.15 of the part's speed relative to the root. The velocity ``v`` of the
ground is the mean of the parts' velocities, weighted by share and smoothed. In flight it is interpolated linearly from
one stance to the next (`segue.maths.smoothing.whittaker`)::

    minimise  sum over t, p of share(t, p) |u(t, p) - v(t)|^2  +  k sum over t of |v(t + 1) - v(t)|^2

With that velocity subtracted from the root's, feet in stance nearly stand, and `segue.motion.contacts` finds their
contacts to the frame. The velocity is then computed again from these contacts: a part has full weight within its
contact, less towards its ends, where heels and toes roll, and a tenth of its share elsewhere.
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

_LOW = 0.05  # standard deviation of the height of foot parts in stance above their lowest, in leg lengths
_NEAR = 0.15  # standard deviation of the time over which parts are compared, in seconds
_REACH = 2.5  # largest time difference compared, in standard deviations
_SAME = 0.3  # leg lengths a second: standard deviation of velocities in stance ...
_SAME_SHARE = 0.15  # ... plus this share of the velocity itself, because stance feet do not move evenly
_FLOOR_SHARE = 3.0  # percent of a part's heights that may lie below the floor
_EASE = 0.03  # seconds over which a change of velocity is smoothed while a foot is planted
_ROLLING = 0.05  # seconds at either end of a contact in which a part has less weight
_ELSEWHERE = 0.1  # factor on the share of a part outside its contacts
_FEWEST = 4  # least number of frames

_HELD = 1e-4  # radians a frame: a body that rotates less holds a pose, which has no period
_AGAIN = 0.2  # usual steps within which the last pose repeats the first
_NEXT = 1.5  # usual steps within which the first pose follows the last

_STAYS = 0.5
"""Largest extent in leg lengths of the root along the ground in a clip in place."""
_STAYS_SHARE = 0.25  # the same as a share of the distance that its feet slide
_SLOWEST = 0.3  # leg lengths a second: a body with slower feet stands
_SHORTEST = 1.0  # least distance that its feet slide, in leg lengths
_STEADY = 0.8  # least ratio of mean velocity, relative to the body's heading, to mean speed
_UPRIGHT = (
    0.6  # least height of the hips above the feet in leg lengths, and vertical share of the trunk's length
)
_MOSTLY = 0.9  # least share of frames in which the body is upright
_EACH = 0.05  # least share of each foot in the support: in a walk both alternate


@dataclass(frozen=True, eq=False)
class Passing:
    """Motion of the ground under a clip.

    Parameters
    ----------
    velocity
        (N, 2) velocity of the ground in m/s along x and z, from each frame to the next. N is F - 1, or F if the first
        frame follows the last.
    weights
        (N, 4) weight of each foot part, 0 to 1, in the order of `segue.motion.feet.FOOT_PARTS`.
    wraps
        Whether the clip is one or several cycles, so that the first step follows the last.
    """

    velocity: Floats
    weights: Floats
    wraps: bool


@lru_cache(maxsize=64)
def passing(clip: Clip) -> Passing:
    """Estimate the velocity of the ground under the feet of a clip; see the module.

    Parameters
    ----------
    clip
        Any motion with known hips, knees and ankles, in place or travelling at any velocity.

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
    """Return whether a clip walks or runs in place: its feet slide steadily while the root stays.

    False for captured walks, whose roots travel; for idling, dances and jumps on the spot, whose feet stand while they
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
    """Return the form of a clip that is a complete cycle: ``"repeats"`` if it ends in its first pose, or ``"follows"``.

    ``"follows"``: the first pose follows the last. Empty if it is no cycle. Poses are compared by all joint rotations.
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
    """Share (N, 4) from 0 to 1 by which each foot part moves with the ground; see the module.

    Parameters
    ----------
    steps
        (N, 4, 2) velocities over the ground in m/s.
    own
        (N, 2) velocities of the root.
    heights
        (N, 4) metres of each part above its lowest.
    leg
        Leg length in metres.
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
    """Velocities of the foot parts (N, 4, 2) and of the root (N, 2), and heights of the parts (N, 4)."""
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
    """Velocity (N, 2) of the ground: the smoothed weighted mean over the parts."""
    total = weights.sum(axis=1)
    mean = (weights[..., None] * steps).sum(axis=1) / np.maximum(total, 1e-12)[:, None]
    return whittaker(mean, total, stiffness=(_EASE * fps) ** 2, wraps=wraps)


def _planted(clip: Clip, velocity: Floats, *, wraps: bool) -> Bools:
    """Flags (N, 4) of steps in which a part is in contact if the root moves at a velocity (N, 2)."""
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
    """Remove the motion of the ground from the root path, so that feet that slide in stance stand.

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
    """Integrate a velocity (N, 2) to positions (N + 1, 2) in metres from the origin."""
    return np.concatenate([np.zeros((1, 2)), np.cumsum(velocity, axis=0) / fps])


def _within(planted: Bools, fps: float, *, wraps: bool) -> Floats:
    """Weights (N, 4) of parts within their contacts: 1 inside, less towards the ends of a contact."""
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
    """Flags (F,) of frames with the hips higher above the lowest feet than on bent legs, and the trunk pointing up."""
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
