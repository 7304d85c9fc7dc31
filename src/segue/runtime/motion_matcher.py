"""Motion matching, for comparison with steering: repeated search for the frame that best fits pose and command.

A query holds positions and velocities of the feet and the velocity of the guide, relative to the guide, and where the
guide is to be in a third, two thirds and one second. The player jumps to the nearest frame of all clips if that is
another moment. The differences in pose, in the root's place relative to the guide and in the guide's speed decay as
critically damped springs (inertialization).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import SettingError
from segue.maths.easing import decay, rate_for
from segue.maths.quaternions import conjugate, exp, from_yaw, log, multiply, slerp
from segue.motion.clip import Clip
from segue.motion.faults import longest_usable
from segue.motion.mirror import with_mirrored
from segue.motion.pose import Pose
from segue.motion.resample import resampled
from segue.motion.roles import require_legs
from segue.motion.skeleton import Skeleton
from segue.runtime.match_frames import AHEAD, SHORTEST, match_frames
from segue.runtime.protocol import check_step
from segue.runtime.steered.player import Command
from segue.synthesis.retarget import retarget

_FUTURE = 3 * len(AHEAD)  # features at the end of a query that the command sets


@dataclass(frozen=True)
class MatchSettings:
    """Settings of a motion matcher.

    Parameters
    ----------
    every
        Seconds between two searches; a new command starts a search immediately.
    blend
        Seconds in which the offset that a jump leaves decays to a thousandth.
    near
        Seconds around the current frame within which a jump is skipped, as it would change nothing.
    follow
        1/s: assumed rate at which speed and turning rate follow a command.
    future
        Weight of the guide's future places relative to that of pose and speed.
    mirror
        Whether mirror images may be played too.
    """

    every: float = 0.1
    blend: float = 0.4
    near: float = 0.2
    follow: float = 5.0
    future: float = 6.0
    mirror: bool = True

    def __post_init__(self) -> None:
        """Check that the numbers are positive."""
        for name in ("every", "blend", "near", "follow", "future"):
            if not getattr(self, name) > 0:
                msg = f"{name} of a motion matcher is positive, not {getattr(self, name)}"
                raise SettingError(msg)


@dataclass(frozen=True)
class _State:
    """State of a matcher: fractional frame, the guide's place, its command, and offsets left by the last jump."""

    frame: float
    place: tuple[float, float, float]
    speed: float
    turn: float
    command: Command
    waited: float
    since: float
    offset: Floats
    drift: Floats
    pace: Floats


class MotionMatcher:
    """A `Controller` that searches for the best frame.

    Parameters
    ----------
    clips
        Motions with known legs; those of another body are retargeted to the first one's.
    fps
        Rate at which frames are stored.
    settings
        Settings of search and blend.

    Raises
    ------
    SettingError
        If there is no clip, or all clips are too short.
    SkeletonError
        If legs are unknown.

    Examples
    --------
    >>> import segue
    >>> matcher = MotionMatcher([segue.sample("walk"), segue.sample("stand")])
    >>> pose = matcher.step(1 / 60, Command("walk", speed=1.2))
    >>> pose.rotations.shape[0] == matcher.skeleton.n_joints
    True
    """

    def __init__(
        self, clips: Sequence[Clip], settings: MatchSettings | None = None, *, fps: float = 60.0
    ) -> None:
        require_legs(clips)
        if not clips:
            msg = "a matcher needs clips, and there are none"
            raise SettingError(msg)
        self._fps = fps
        self.settings = settings or MatchSettings()
        self._skeleton = clips[0].skeleton
        carried = [resampled(retarget(longest_usable(clip), self._skeleton), fps) for clip in clips]
        laid = with_mirrored(carried) if self.settings.mirror else carried
        self._frames = match_frames(laid, fps, future=self.settings.future)
        self._names = [clip.name for clip in laid if clip.seconds >= SHORTEST]
        self._ends = np.unique(self._frames.last)
        self._squares = np.sum(self._frames.features**2, axis=1)
        self._squares[~self._frames.open] = np.inf
        self._rate = rate_for(self.settings.blend)
        self.reset()

    @property
    def skeleton(self) -> Skeleton:
        """Body of every pose."""
        return self._skeleton

    @property
    def fps(self) -> float:
        """Rate of the stored frames."""
        return self._fps

    @property
    def command(self) -> Command:
        """The current command."""
        return self._state.command

    @property
    def place(self) -> tuple[float, float, float]:
        """Place of the guide: x and z in metres, and its heading."""
        return self._state.place

    @property
    def clips(self) -> tuple[str, ...]:
        """Names of the clips that may be played."""
        return tuple(dict.fromkeys(name.removesuffix(" (mirrored)") for name in self._names))

    @property
    def source(self) -> str:
        """Name of the clip that is played; for a mirror image, with ``(mirrored)`` appended."""
        return self._names[int(np.searchsorted(self._ends, int(self._state.frame)))]

    def twin(self) -> MotionMatcher:
        """Return another character over the same frames, at its start."""
        other = copy(self)
        other.reset()
        return other

    @property
    def nbytes(self) -> int:
        """Bytes of the stored frames of the clips."""
        return int(sum(part.nbytes for part in (*vars(self._frames).values(), self._squares)))

    def reset(self, seed: int = 0) -> None:
        """Restart at the origin, in a frame that stands or moves slowest; the seed picks one of the ten slowest."""
        pace = np.linalg.norm(self._frames.moves[:, :2], axis=1) + np.where(self._frames.open, 0.0, np.inf)
        slowest = np.argsort(pace, kind="stable")[:10]
        start = int(slowest[seed % len(slowest)])
        none = frozen(np.zeros((self._skeleton.n_joints + 1, 3)))
        self._state = _State(
            float(start),
            (0.0, 0.0, 0.0),
            0.0,
            0.0,
            Command("stand"),
            0.0,
            1e9,
            none,
            none,
            frozen(np.zeros(3)),
        )

    def step(self, dt: float, intent: Command | None = None) -> Pose:
        """Advance by ``dt`` seconds and return the pose; only speed and turning rate of an intent are used.

        Raises
        ------
        SettingError
            If ``dt`` is negative, not finite or longer than 10 s.
        """
        check_step(dt)
        now = self._state
        if intent is not None and intent != now.command:
            now = replace(now, command=intent, waited=self.settings.every)
        left = dt
        while left > 0.0:
            part = min(left, 1.0 / self._fps)
            now = self._advanced(now, part)
            left -= part
        self._state = now
        return self._pose(now)

    def save(self) -> _State:
        """Return the state for `restore`."""
        return self._state

    def restore(self, state: _State) -> None:
        """Restore a state that `save` returned."""
        self._state = state

    def _advanced(self, now: _State, dt: float) -> _State:
        """Return the state after at most one frame's time."""
        frames = self._frames
        ease = 1.0 - np.exp(-self.settings.follow * dt)
        speed = now.speed + (now.command.speed - now.speed) * ease
        turn = now.turn + (now.command.turn - now.turn) * ease
        low = int(now.frame)
        left, ahead, spin = frames.moves[low] + now.pace * np.exp(-self._rate * (now.since + dt / 2))
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
        return self._sought(after) if after.waited >= self.settings.every or ends else after

    def _sought(self, now: _State) -> _State:
        """Return the state that plays the best frame for its pose and command."""
        frames = self._frames
        low = int(now.frame)
        query = frames.features[low].copy()
        wanted = _wanted(now.speed, now.turn, now.command, self.settings.follow)
        query[-_FUTURE:] = wanted / frames.scale[-_FUTURE:]
        costs = self._squares - 2.0 * (frames.features @ query)
        best = int(np.argmin(costs))
        same = (
            frames.last[best] == frames.last[low] and abs(best - now.frame) < self.settings.near * self._fps
        )
        ends = now.frame >= frames.last[low] - 1
        if (same or costs[best] >= costs[low]) and not ends:
            return replace(now, waited=0.0)
        pose, moving = self._shown(now), self._moving(now)
        clean, steady = self._clip_pose(float(best)), self._clip_moving(best)
        offset = np.vstack([log(multiply(conjugate(clean[:-1]), pose[:-1])), pose[-1, :3] - clean[-1, :3]])
        pace = frames.moves[low] + now.pace * np.exp(-self._rate * now.since) - frames.moves[best]
        return replace(
            now,
            frame=float(best),
            waited=0.0,
            since=0.0,
            offset=frozen(offset),
            drift=frozen(moving - steady),
            pace=frozen(pace),
        )

    def _clip_pose(self, frame: float) -> Floats:
        """Rows (J + 1, 4): rotations at a fractional frame, relative to the guide; the root's place last."""
        frames = self._frames
        low = int(frame)
        high = min(low + 1, int(frames.last[low]))
        t = frame - low
        out = np.zeros((self._skeleton.n_joints + 1, 4))
        out[:-1] = slerp(frames.rotations[low], frames.rotations[high], t)
        out[-1, :3] = (1 - t) * frames.roots[low] + t * frames.roots[high]
        return out

    def _clip_moving(self, frame: int) -> Floats:
        """Rates of change (J + 1, 3) of `_clip_pose`: half rotation vectors and metres a second."""
        last = int(self._frames.last[frame])
        a = min(frame, last - 1)
        one, two = self._clip_pose(float(a)), self._clip_pose(float(a + 1))
        turning = log(multiply(conjugate(one[:-1]), two[:-1]))
        out: Floats = np.vstack([turning, two[-1, :3] - one[-1, :3]]) * self._fps
        return out

    def _left(self, now: _State, later: float = 0.0) -> Floats:
        """Remaining offset (J + 1, 3) from the pose before the last jump."""
        if now.since > 2 * self.settings.blend:
            return np.zeros_like(now.offset)
        at = np.array([now.since + later])
        left: Floats = decay(now.offset, now.drift, at, rate=self._rate)[0]
        return left

    def _shown(self, now: _State, later: float = 0.0) -> Floats:
        """Pose as shown, in the rows of `_clip_pose`."""
        out = self._clip_pose(min(now.frame + later * self._fps, float(self._frames.last[int(now.frame)])))
        left = self._left(now, later)
        out[:-1] = multiply(out[:-1], exp(left[:-1]))
        out[-1, :3] += left[-1]
        return out

    def _moving(self, now: _State) -> Floats:
        """Rates of change (J + 1, 3) of the shown pose."""
        step = 0.5 / self._fps
        one, two = self._shown(now), self._shown(now, step)
        turning = log(multiply(conjugate(one[:-1]), two[:-1]))
        out: Floats = np.vstack([turning, two[-1, :3] - one[-1, :3]]) / step
        return out

    def _pose(self, now: _State) -> Pose:
        rows = self._shown(now)
        x, z, facing = now.place
        rotations = rows[:-1].copy()
        rotations[0] = multiply(from_yaw(facing), rotations[0])
        s, c = np.sin(facing), np.cos(facing)
        left, up, ahead = rows[-1, :3]
        return Pose(
            self._skeleton, rotations, np.array([x + c * left + s * ahead, up, z - s * left + c * ahead])
        )


def _wanted(speed: float, turn: float, command: Command, follow: float) -> Floats:
    """Future of a guide (3 A,): metres left, metres ahead and turn at each of `AHEAD`, as it follows its command."""
    steps = 30
    dt = AHEAD[-1] / steps
    fade = np.exp(-follow * dt * np.arange(1, steps + 1))
    speeds = command.speed + (speed - command.speed) * fade
    turns = command.turn + (turn - command.turn) * fade
    facing = np.cumsum(turns * dt)
    middle = facing - turns * dt / 2
    left, ahead = np.cumsum(speeds * np.sin(middle) * dt), np.cumsum(speeds * np.cos(middle) * dt)
    at = np.array([round(seconds / dt) - 1 for seconds in AHEAD])
    out: Floats = np.column_stack([left[at], ahead[at], facing[at]]).ravel()
    return out
