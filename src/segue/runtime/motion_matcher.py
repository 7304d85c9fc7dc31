"""Motion matching, the yardstick for steering: the frame that fits pose and wish best, sought again and again.

A query holds where the feet are and how they and the hips move, seen from the root, and where the character is to be in
a third, two thirds and one second. The nearest frame of all clips is jumped to if it is another moment, and what is
left of the old pose decays as critically damped springs do (inertialization).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Bools, Floats, Ints, Quaternions, frozen
from segue.errors import SettingError
from segue.maths.quaternions import conjugate, exp, from_yaw, log, multiply, slerp
from segue.maths.springs import decay, rate_for
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.faults import longest_usable
from segue.motion.kinematics import world
from segue.motion.pose import Pose
from segue.motion.resample import resampled
from segue.motion.roles import require, require_legs
from segue.motion.skeleton import Skeleton
from segue.runtime.protocol import check_step
from segue.runtime.steered.player import Wish
from segue.synthesis.retarget import retarget

AHEAD: tuple[float, ...] = (1 / 3, 2 / 3, 1.0)
"""Seconds at which the future is compared."""
_EVERY = 0.1  # seconds between two searches
_BLEND = 0.4  # seconds in which a jump has faded to a thousandth
_NEAR = 0.25  # seconds around the frame that plays in which a jump would change nothing
_FOLLOW = 5.0  # 1/s: how fast speed and turning rate are thought to follow a wish
_POSE, _FUTURE = 1.0, 1.5  # weights of the two halves of a query


@dataclass(frozen=True, eq=False)
class _Frames:
    """All frames of all clips, one after the other, at one rate."""

    rotations: Quaternions
    heights: Floats
    moves: Floats
    features: Floats
    scale: Floats
    last: Ints


@dataclass(frozen=True)
class _State:
    """Where a matcher is: frame (fractional), place, what it wishes, and what is left of the pose it left."""

    frame: float
    place: tuple[float, float, float]
    speed: float
    turn: float
    wish: Wish
    waited: float
    since: float
    offset: Floats
    drift: Floats


class MotionMatcher:
    """A `Controller` that looks for the best frame.

    Parameters
    ----------
    clips
        Motions with known legs; others of another body are carried over to the first one's.
    fps
        Rate at which frames are kept.

    Raises
    ------
    SettingError
        If no clip is long enough to look a second ahead.
    SkeletonError
        If legs are unknown.

    Examples
    --------
    >>> import segue
    >>> matcher = MotionMatcher([segue.sample("walk"), segue.sample("stand")])
    >>> pose = matcher.step(1 / 60, Wish("walk", speed=1.2))
    >>> pose.rotations.shape[0] == matcher.skeleton.n_joints
    True
    """

    def __init__(self, clips: Sequence[Clip], *, fps: float = 60.0) -> None:
        require_legs(clips)
        if not clips:
            msg = "a matcher needs clips, and there are none"
            raise SettingError(msg)
        self._fps = fps
        self._skeleton = clips[0].skeleton
        self._frames = _laid(
            [resampled(retarget(longest_usable(clip), self._skeleton), fps) for clip in clips], fps
        )
        count = np.arange(len(self._frames.last))
        self._far_enough: Bools = count + AHEAD[-1] * fps <= self._frames.last
        self.reset()

    @property
    def skeleton(self) -> Skeleton:
        """Body of every pose."""
        return self._skeleton

    @property
    def fps(self) -> float:
        """Rate of the frames inside."""
        return self._fps

    @property
    def wish(self) -> Wish:
        """What is wished for."""
        return self._state.wish

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept of the clips."""
        return int(sum(part.nbytes for part in vars(self._frames).values()))

    def reset(self, seed: int = 0) -> None:
        """Begin anew at the origin, in a frame that stands or moves slowest; the seed chooses among the ten slowest."""
        still = np.linalg.norm(self._frames.moves[:, :2], axis=1) + np.where(self._far_enough, 0.0, np.inf)
        slowest = np.argsort(still, kind="stable")[:10]
        start = int(slowest[seed % len(slowest)])
        none = np.zeros((self._skeleton.n_joints + 1, 3))
        self._state = _State(
            float(start), (0.0, 0.0, 0.0), 0.0, 0.0, Wish("stand"), 0.0, 1e9, frozen(none), frozen(none)
        )

    def step(self, dt: float, intent: Wish | None = None) -> Pose:
        """Go on by ``dt`` seconds and give the pose then; only speed and turning rate of an intent count.

        Raises
        ------
        SettingError
            If ``dt`` is negative, not finite or longer than 10 s.
        """
        check_step(dt)
        now = self._state
        if intent is not None and intent != now.wish:
            now = replace(now, wish=intent, waited=_EVERY)
        left = dt
        while left > 0.0:
            part = min(left, 1.0 / self._fps)
            now = self._advanced(now, part)
            left -= part
        self._state = now
        return self._pose(now)

    def save(self) -> _State:
        """State from which `restore` goes on."""
        return self._state

    def restore(self, state: _State) -> None:
        """Come back to a state that `save` gave."""
        self._state = state

    def _advanced(self, now: _State, dt: float) -> _State:
        """State after at most a frame's time."""
        frames = self._frames
        ease = 1.0 - np.exp(-_FOLLOW * dt)
        speed = now.speed + (now.wish.speed - now.speed) * ease
        turn = now.turn + (now.wish.turn - now.turn) * ease
        low = int(now.frame)
        left, ahead, spin = frames.moves[low]
        x, z, facing = now.place
        middle = facing + spin * dt / 2
        s, c = np.sin(middle), np.cos(middle)
        place = (
            float(x + dt * (c * left + s * ahead)),
            float(z + dt * (c * ahead - s * left)),
            float(facing + spin * dt),
        )
        after = replace(
            now,
            frame=min(now.frame + dt * self._fps, float(frames.last[low])),
            place=place,
            speed=float(speed),
            turn=float(turn),
            waited=now.waited + dt,
            since=now.since + dt,
        )
        ends = after.frame >= frames.last[low] - 1
        return self._sought(after) if after.waited >= _EVERY or ends else after

    def _sought(self, now: _State) -> _State:
        """State that plays the best frame for its pose and wish."""
        frames = self._frames
        low = int(now.frame)
        query = frames.features[low].copy()
        query[-3 * len(AHEAD) :] = (
            _wanted(now.speed, now.turn, now.wish) / frames.scale[-3 * len(AHEAD) :] * _FUTURE
        )
        costs = np.sum((frames.features - query) ** 2, axis=1)
        costs[~self._far_enough] = np.inf
        best = int(np.argmin(costs))
        same = frames.last[best] == frames.last[low] and abs(best - now.frame) < _NEAR * self._fps
        ends = now.frame >= frames.last[low] - 1
        if (same or costs[best] >= costs[low]) and not ends:
            return replace(now, waited=0.0)
        pose, moving = self._shown(now), self._moving(now)
        clean, steady = self._clip_pose(float(best)), self._clip_moving(best)
        offset = np.vstack([log(multiply(conjugate(clean[:-1]), pose[:-1])), pose[-1, :3] - clean[-1, :3]])
        return replace(
            now,
            frame=float(best),
            waited=0.0,
            since=0.0,
            offset=frozen(offset),
            drift=frozen(moving - steady),
        )

    def _clip_pose(self, frame: float) -> Floats:
        """Rows (J + 1, 4): rotations at a fractional frame, the root's without its heading; the height last."""
        frames = self._frames
        low = int(frame)
        high = min(low + 1, int(frames.last[low]))
        t = frame - low
        out = np.zeros((self._skeleton.n_joints + 1, 4))
        out[:-1] = slerp(frames.rotations[low], frames.rotations[high], t)
        out[-1, 1] = (1 - t) * frames.heights[low] + t * frames.heights[high]
        return out

    def _clip_moving(self, frame: int) -> Floats:
        """How fast (J + 1, 3) those change, half rotation vectors and metres a second."""
        last = int(self._frames.last[frame])
        a = min(frame, last - 1)
        one, two = self._clip_pose(float(a)), self._clip_pose(float(a + 1))
        turning = log(multiply(conjugate(one[:-1]), two[:-1]))
        out: Floats = np.vstack([turning, two[-1, :3] - one[-1, :3]]) * self._fps
        return out

    def _left(self, now: _State, later: float = 0.0) -> Floats:
        """What is left (J + 1, 3) of the pose that was jumped away from."""
        if now.since > 2 * _BLEND:
            return np.zeros_like(now.offset)
        at = np.array([now.since + later])
        left: Floats = decay(now.offset, now.drift, at, rate=rate_for(_BLEND))[0]
        return left

    def _shown(self, now: _State, later: float = 0.0) -> Floats:
        """Pose as shown, rows as of `_clip_pose`."""
        out = self._clip_pose(min(now.frame + later * self._fps, float(self._frames.last[int(now.frame)])))
        left = self._left(now, later)
        out[:-1] = multiply(out[:-1], exp(left[:-1]))
        out[-1, :3] += left[-1]
        return out

    def _moving(self, now: _State) -> Floats:
        """How fast the shown pose changes."""
        step = 0.5 / self._fps
        one, two = self._shown(now), self._shown(now, step)
        turning = log(multiply(conjugate(one[:-1]), two[:-1]))
        out: Floats = np.vstack([turning, two[-1, :3] - one[-1, :3]]) / step
        return out

    def _pose(self, now: _State) -> Pose:
        """Pose at the place where the character is."""
        rows = self._shown(now)
        x, z, facing = now.place
        rotations = rows[:-1].copy()
        rotations[0] = multiply(from_yaw(facing), rotations[0])
        return Pose(self._skeleton, rotations, np.array([x, rows[-1, 1], z]))


def _wanted(speed: float, turn: float, wish: Wish) -> Floats:
    """Where a character is to be (3 A,): left, ahead and turned at each of `AHEAD`, following its wish."""
    out = []
    left = ahead = facing = 0.0
    steps = 30
    dt = AHEAD[-1] / steps
    marks = [round(seconds / dt) for seconds in AHEAD]
    ease = 1.0 - np.exp(-_FOLLOW * dt)
    for number in range(1, steps + 1):
        speed += (wish.speed - speed) * ease
        turn += (wish.turn - turn) * ease
        left += speed * dt * np.sin(facing + turn * dt / 2)
        ahead += speed * dt * np.cos(facing + turn * dt / 2)
        facing += turn * dt
        if number in marks:
            out += [left, ahead, facing]
    return np.array(out)


def _laid(clips: Sequence[Clip], fps: float) -> _Frames:
    """Frames of all clips that can look a second ahead."""
    parts = [_of_clip(clip, fps) for clip in clips if clip.seconds >= AHEAD[-1] + _NEAR]
    if not parts:
        msg = f"no clip of {len(clips)} is long enough to look {AHEAD[-1]:g} s ahead"
        raise SettingError(msg)
    lengths = np.cumsum([len(part[0]) for part in parts])
    last = np.concatenate([np.full(len(part[0]), end - 1) for part, end in zip(parts, lengths, strict=True)])
    rotations, heights, moves, features = (np.concatenate([part[k] for part in parts]) for k in range(4))
    scale = np.maximum(features.std(axis=0), 1e-3)
    weights = np.full(features.shape[1], _POSE)
    weights[-3 * len(AHEAD) :] = _FUTURE
    return _Frames(
        frozen(rotations),
        frozen(heights),
        frozen(moves),
        frozen(features / scale * weights),
        frozen(scale),
        frozen(last, np.int64),
    )


def _of_clip(clip: Clip, fps: float) -> tuple[Quaternions, Floats, Floats, Floats]:
    """Rotations without heading, root heights, ground speeds (left, ahead, turning) and features of one clip."""
    facing = heading(clip)
    ground = clip.root_positions[:, [0, 2]]
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(from_yaw(-facing), rotations[:, 0])
    moves = np.column_stack(
        [_seen(np.gradient(ground, 1 / fps, axis=0), facing), np.gradient(facing, 1 / fps)]
    )
    found = require(clip.skeleton, "left_ankle", "right_ankle")
    at = world(clip).positions[:, list(found.values())]
    feet, motion = [], []
    for k in range(2):
        away = at[:, k] - np.column_stack([ground[:, 0], np.zeros(clip.n_frames), ground[:, 1]])
        flat = _seen(away[:, [0, 2]], facing)
        place = np.column_stack([flat, away[:, 1]])
        feet.append(place)
        motion.append(np.gradient(place, 1 / fps, axis=0))
    future = []
    for seconds in AHEAD:
        to = np.minimum(np.arange(clip.n_frames) + round(seconds * fps), clip.n_frames - 1)
        future.append(np.column_stack([_seen(ground[to] - ground, facing), facing[to] - facing]))
    features = np.column_stack([*feet, *motion, moves[:, :2], *future])
    return rotations, clip.root_positions[:, 1], moves, features


def _seen(ground: Floats, facing: Floats) -> Floats:
    """Ground vectors (F, 2) seen from headings (F,): to the left, ahead."""
    s, c = np.sin(facing), np.cos(facing)
    return np.column_stack([c * ground[:, 0] - s * ground[:, 1], s * ground[:, 0] + c * ground[:, 1]])
