"""Predicted landings of feet in the air and the ground there, for characters on uneven ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from segue.accel.layouts import named
from segue.arrays import Floats
from segue.locomotion._kernels import PER_INTERVAL
from segue.locomotion.model import Locomotion
from segue.motion.feet import foot_points
from segue.motion.reference import standing
from segue.runtime.heights import Ground
from segue.runtime.standing import _kernels as k

_STEEPEST = np.radians(25.0)  # largest tilt of a foot
_EVEN = 0.015  # metres by which the ground may bulge under a tilted foot; beyond it is a step, and the foot stays level
_BALL = 0.6  # share from heel to toe: the part that bears the body when the heel is up
_FLIGHT = 8  # points along a foot's path whose ground height is sampled
_SOON = 1 / 60  # seconds over which a path's speed is taken
_EARLY = 0.6  # share of the path in which a foot rises, at its start, or descends, at its end


@dataclass(frozen=True, eq=False)
class Landing:
    """Path of an ankle to its landing: x and z (n, 2), seconds from now (n,), and the heading there."""

    seconds: Floats
    places: Floats
    heading: float

    @property
    def x(self) -> float:
        """Return x of the landing in metres."""
        return float(self.places[-1, 0])

    @property
    def z(self) -> float:
        """Return z of the landing in metres."""
        return float(self.places[-1, 1])


def landing(model: Locomotion, state: Floats, most: int, side: int) -> Landing | None:
    """Next landing of a foot in the air if the current motion continues; None if the foot does not come down."""
    now = named(k.STATE, state)
    if now["mode"]:
        transition = model.transitions[int(now["transition"])]
        one, at = transition.set, float(now["transition_at"])
        pose, warp = now["transition_pose"], now["transition_warp"]
    else:
        one, at = model.nodes[int(now["node"])].set, float(now["at"])
        pose, warp = state[k.ROOM : k.ROOM + most], state[k.ROOM + most : k.ROOM + 2 * most]
    pose, warp = pose[: one.n_examples], warp[: one.n_examples]
    last = one.n_intervals * PER_INTERVAL
    first = int(at * PER_INTERVAL) + 1
    rows = np.arange(first, first + last) if one.cyclic else np.arange(first, last + 1)
    if len(rows) == 0:
        return None
    rows %= last + (not one.cyclic)
    flags = np.einsum("sne,n->se", one.beside[rows, :, 12 + 2 * side : 14 + 2 * side], warp) > 0.5
    down = flags.any(axis=1)
    if not down.any():
        return None
    rows = rows[: int(np.argmax(down)) + 1]
    dt = 1.0 / (PER_INTERVAL * (one.rates @ warp))[np.minimum(rows // PER_INTERVAL, one.n_intervals - 1)]
    dt[0] *= first - at * PER_INTERVAL
    paces = np.einsum("sne,n->se", one.beside[rows, :, 3:6], pose)
    faces = now["heading"] + np.cumsum(paces[:, 2] * dt)
    middle = faces - 0.5 * paces[:, 2] * dt
    s, c = np.sin(middle), np.cos(middle)
    x = now["x"] + np.cumsum(dt * (c * paces[:, 0] + s * paces[:, 1]))
    z = now["z"] + np.cumsum(dt * (c * paces[:, 1] - s * paces[:, 0]))
    beside = np.einsum("sne,n->se", one.beside[rows, :, 6 + 3 * side : 9 + 3 * side], pose)
    s, c = np.sin(faces), np.cos(faces)
    places = np.column_stack(
        [x + c * beside[:, 0] + s * beside[:, 2], z - s * beside[:, 0] + c * beside[:, 2]]
    )
    return Landing(np.cumsum(dt), places, float(faces[-1]))


@dataclass(frozen=True)
class Step:
    """Swing of one foot between two stances: place and height where it left the ground."""

    x: float
    z: float
    level: float


Steps = tuple[Step | None, Step | None]
"""Steps of both feet; None for a foot that is down."""


class Footing:
    """Samples the ground under the feet of one character and ahead of them, and passes it on in its command.

    Parameters
    ----------
    model
        The character's model.
    ground
        Height in metres at x and z.
    most
        Largest number of examples for which a state has memory.
    """

    def __init__(self, model: Locomotion, ground: Ground, most: int, *, release: float) -> None:
        self._model, self._ground, self._most = model, ground, most
        self._release = release
        body = standing(model.skeleton)
        points, rest = foot_points(body), body.rest_positions()
        self._rest: list[tuple[float, float]] = []  # of each ankle at rest: left of and ahead of the root
        self._reach: list[tuple[float, float]] = []  # of each foot at rest: behind and ahead of the ankle
        for side in range(2):
            ankle = rest[_ankle(model, side)]
            self._rest.append((float(ankle[0] - rest[0, 0]), float(ankle[2] - rest[0, 2])))
            joints, offsets = points.joints[2 * side : 2 * side + 2], points.offsets[2 * side : 2 * side + 2]
            ends = [
                float(np.hypot(*(rest[joint] + offset - ankle)[[0, 2]]))
                for joint, offset in zip(joints, offsets, strict=True)
            ]
            self._reach.append((ends[0], ends[1]))
        self.steps: Steps = (None, None)

    def feel(self, state: Floats, command: Floats) -> None:
        """Write ground and grade of both feet into a command."""
        steps: list[Step | None] = []
        bases = []
        now, given = named(k.STATE, state), named(k.COMMAND, command)
        for side in range(2):
            foot = now["feet"][side]
            step = None
            if foot["known"] == 0.0:
                heading = float(now["heading"])
                s, c = np.sin(heading), np.cos(heading)
                left, ahead = self._rest[side]
                x, z = now["x"] + c * left + s * ahead, now["z"] - s * left + c * ahead
                level, grade = self._under(float(x), float(z), heading, side)
            elif foot["was"].any():
                level, grade = self._stance(foot), float(foot["tilt"])
            else:
                step = self.steps[side] or _step(foot, float(now["raised"]))
                level, grade, base = self._swing(state, side, step)
                bases.append(base)
            given["ground"][side], given["grade"][side] = level, grade
            bases += [] if step else [level]
            steps.append(step)
        given["base"] = min(bases)  # level of the foot that will be lowest, as soon as it leaves the ground
        self.steps = (steps[0], steps[1])

    def _stance(self, foot: Any) -> float:
        """Height at the planted part: the lowest at which no part of the sole is under the ground."""
        heel, toe = foot["held"]
        on_heel, on_toe = foot["was"]
        rises = float(np.tan(foot["tilt"]))
        length = float(np.hypot(toe[0] - heel[0], toe[2] - heel[2]))
        levels = []
        for share in (0.0, 0.5, 1.0) if on_heel else (_BALL, 1.0):
            x, z = (float((1 - share) * heel[c] + share * toe[c]) for c in (0, 2))
            away = (share - (1.0 if on_toe else 0.0)) * length
            levels.append(self._ground(x, z) - rises * away)
        return max(levels)

    def _under(self, x: float, z: float, heading: float, side: int) -> tuple[float, float]:
        """Level at the ankle of a foot that lies flat there, and its tilt."""
        s, c = float(np.sin(heading)), float(np.cos(heading))
        behind, ahead = self._reach[side]
        at = np.array([-behind, (ahead - behind) / 2, ahead])
        heights = np.array([self._ground(x + s * d, z + c * d) for d in at])
        rise = (heights[2] - heights[0]) / (ahead + behind)
        bulge = abs(heights[1] - 0.5 * (heights[0] + heights[2]))
        if bulge > _EVEN or abs(np.arctan(rise)) > _STEEPEST:
            rise = 0.0
        return float(np.max(heights - rise * at)), float(np.arctan(rise))

    def _swing(self, state: Floats, side: int, step: Step) -> tuple[float, float, float]:
        """Level and tilt of a foot in the air, between take-off and landing; and the level of the landing."""
        x, _, z = named(k.STATE, state)["feet"][side]["goal"].tolist()
        to = landing(self._model, state, self._most, side)
        if to is None:
            here = self._ground(x, z)
            return here, 0.0, here
        level, grade = self._under(to.x, to.z, to.heading, side)
        whole = max(float(np.hypot(to.x - step.x, to.z - step.z)), 1e-6)
        # Its place now and soon after: a step that has just begun starts from another place than this one.
        soon = to.seconds[0] + _SOON * np.arange(3)
        ahead = [
            np.concatenate([[now], np.interp(soon, to.seconds, to.places[:, c])])
            for c, now in ((0, x), (1, z))
        ]
        done = 1.0 - np.minimum(np.hypot(to.x - ahead[0], to.z - ahead[1]) / whole, 1.0)
        shares = np.linspace(0.0, 1.0, _FLIGHT + 2)
        up = level > step.level
        flat = step.level + (level - step.level) * _eased(shares, up=up)
        over = [
            self._ground(float(step.x + u * (to.x - step.x)), float(step.z + u * (to.z - step.z)))
            for u in shares[1:-1]
        ]
        clear = max(float(np.max(np.array(over) - flat[1:-1])), 0.0)
        # A critically damped spring lags its target by 2 v / rate + a / rate^2; the target leads by as much.
        path = step.level + (level - step.level) * _eased(done, up=up) + clear * np.sin(np.pi * done)
        pace, push = (path[2] - path[1]) / _SOON, (path[3] - 2.0 * path[2] + path[1]) / _SOON**2
        return float(path[0] + (2.0 * pace + push / self._release) / self._release), grade, level


def _step(foot: Any, raised: float) -> Step:
    """Step that a foot begins: its place, and its height above the blend on flat ground."""
    x, _, z = foot["goal"].tolist()
    return Step(x, z, float(foot["away"][1] + raised))


def _eased(share: Floats, *, up: bool) -> Floats:
    """Share of a step's rise that is done: early where it goes up, late where it goes down."""
    x = np.clip(share / _EARLY if up else (share - 1.0 + _EARLY) / _EARLY, 0.0, 1.0)
    out: Floats = x * x * (3.0 - 2.0 * x)
    return out


def _ankle(model: Locomotion, side: int) -> int:
    from segue.motion.limb_ik import Leg

    return Leg.of(model.skeleton, ("left", "right")[side]).ankle
