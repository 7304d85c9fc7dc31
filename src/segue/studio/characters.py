"""Characters steered over a socket: walkers, motion matchers and walks of a graph, each with its own commands."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from segue.app.live import LiveCharacter
from segue.app.live_record import COMMAND, LiveKind, LiveModel, live_character, live_model, live_settings
from segue.app.steering import chasing, speed_ranges
from segue.errors import SettingError
from segue.locomotion.examples import STAND
from segue.locomotion.model import Locomotion
from segue.maths.planar import wrapped
from segue.motion.clip import Clip
from segue.motion.pose import Pose
from segue.runtime.graph_player import GraphPlayer, Request
from segue.runtime.steered.player import Command, LocomotionPlayer
from segue.settings import Settings
from segue.studio.project import MadeMotion
from segue.studio.socket_messages import Begin, Chase, Follow, GoTo, Play, Steer, Take, Withdraw
from segue.studio.state import Studio

_AHEAD = 0.9  # look-ahead of a path follower in metres
_ARRIVED = 0.5  # metres from the end of a path at which a follower stops
_TURNING = 2.5  # 1/s
_MATCHED = 24
"""Most clips of a motion matcher."""
_MOST_POINTS = 500
_MATCHER_SPEEDS = {STAND: (0.0, 0.0), "walk": (0.5, 2.0), "run": (2.0, 4.5)}
_TITLES = {"locomotion": "steered walk", "matcher": "matched motion", "graph": "live walk"}


@dataclass
class Seated:
    """A character on a socket: its controller, its abilities, and its commands."""

    live: LiveCharacter[Any]
    controller: LiveKind
    clips: tuple[Clip, ...]
    kinds: list[str]
    speeds: list[tuple[float, float]]
    make: Settings | None = None
    guide: Callable[[], Command] | None = None
    wanted: Command | None = None

    @property
    def title(self) -> str:
        """Title of a run of the character."""
        return _TITLES[self.controller]

    def made(self) -> MadeMotion:
        """Return the run so far as a motion that can be replayed from its record.

        Raises
        ------
        SettingError
            If no frame was shown yet.
        """
        settings = live_settings(self.live, self.controller, name=self.title, make=self.make)
        return MadeMotion(self.live.motion(self.title), (), COMMAND, settings, self.clips)

    def news(self) -> None:
        """Return None: this character sends no messages besides poses."""

    def tick(self, dt: float) -> Pose:
        """Advance by one tick of ``dt`` seconds and return the pose."""
        if self.guide is not None:
            self._want(self.guide())
        return self.live.tick(dt)

    def command(self, message: Steer | Chase | Follow | Take | GoTo | Play | Withdraw) -> None:
        """Execute a command.

        Raises
        ------
        SettingError
            If this character has no such command, or the request is not possible.
        """
        if isinstance(message, Play | Withdraw):
            raise SettingError("only a sequence player plays elementary motions; choose it as the controller")
        walks = isinstance(self.live.controller, GraphPlayer)
        if isinstance(message, Take | GoTo):
            if not walks:
                raise SettingError("only a walk of a graph takes transitions; choose the graph player")
            if isinstance(message, Take):
                self.live.want(Request(leave=True))
            else:
                self.live.want(Request(clip=message.clip, stay=message.stay) if message.clip else Request())
            return
        if walks:
            raise SettingError(
                "a walk of a graph is not steered by speed; ask for a clip or the nearest transition"
            )
        if isinstance(message, Steer):
            self.guide = None
            self._want(self._checked(Command(message.kind, message.speed, message.turn)))
        elif isinstance(message, Chase):
            self.guide = self._chaser(message)
        else:
            self.guide = self._follower(message)

    def _want(self, command: Command) -> None:
        if command != self.wanted:
            self.live.want(command)
            self.wanted = command

    def _checked(self, command: Command) -> Command:
        if command.kind not in self.kinds:
            raise SettingError(
                f"there is no motion of type {command.kind!r} here; there are {', '.join(self.kinds)}"
            )
        if not (
            math.isfinite(command.speed)
            and math.isfinite(command.turn)
            and abs(command.speed) <= 20
            and abs(command.turn) <= 20
        ):
            raise SettingError("speeds and turning rates go up to 20 (m/s and rad/s)")
        return command

    def _where(self) -> tuple[tuple[float, float], float]:
        """Return the current place (x, z) and heading."""
        controller: Any = self.live.controller
        if isinstance(controller, LocomotionPlayer):
            standing = controller.standing
            return standing.place, standing.heading
        x, z, heading = controller.place
        return (x, z), heading

    def _chaser(self, message: Chase) -> Callable[[], Command]:
        target = np.array([message.x, message.z])
        if not np.isfinite(target).all() or np.abs(target).max() > 1e4:
            raise SettingError("a point to run to lies within 10 km")
        if message.kind:
            self._checked(Command(message.kind))
        ranges = dict(zip(self.kinds, self.speeds, strict=True))
        if message.kind:
            ranges = {kind: span for kind, span in ranges.items() if kind in {message.kind, STAND}}

        def guide() -> Command:
            place, heading = self._where()
            now = self.wanted.kind if self.wanted is not None else STAND
            return chasing(now, place, heading, target=target, ranges=ranges)

        return guide

    def _follower(self, message: Follow) -> Callable[[], Command]:
        if not 2 <= len(message.points) <= _MOST_POINTS:
            raise SettingError(f"a path has 2 to {_MOST_POINTS} points, not {len(message.points)}")
        rows = np.array([point[:2] for point in message.points])
        if not np.isfinite(rows).all():
            raise SettingError("points of a path are finite numbers")
        for _, _, kind, speed in message.points:
            self._checked(Command(kind, speed))
        knots = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(rows, axis=0).T))])
        gone = 0.0

        def guide() -> Command:
            nonlocal gone
            place, heading = self._where()
            fine = np.arange(gone, min(gone + 2.0, knots[-1]) + 0.05, 0.05)
            away = np.hypot(
                np.interp(fine, knots, rows[:, 0]) - place[0], np.interp(fine, knots, rows[:, 1]) - place[1]
            )
            gone = float(fine[int(np.argmin(away))])
            point = message.points[min(int(np.searchsorted(knots, gone, side="right")) - 1, len(rows) - 2)]
            if knots[-1] - gone < _ARRIVED and STAND in self.kinds:
                return Command(STAND)
            ahead = min(gone + _AHEAD, float(knots[-1]))
            x, z = (float(np.interp(ahead, knots, rows[:, axis])) - place[axis] for axis in (0, 1))
            gap = float(wrapped(np.arctan2(x, z) - heading))
            return Command(point[2], point[3], _TURNING * gap)

        return guide


def seated(studio: Studio, begin: Begin) -> Seated:
    """Make the requested character; this may take seconds.

    Raises
    ------
    SettingError
        If the clips lack motion that the character needs.
    """
    if begin.controller == "graph":
        made = studio.graph(begin.graph)
        live = live_character(made.graph, seed=begin.seed)
        return Seated(live, begin.controller, made.collection.clips, [], [], make=made.settings)
    names = begin.clips or [one.name for one in studio.project.listed()]
    kind: LiveKind = "locomotion"
    if begin.controller == "matcher":
        kind, names = "matcher", names[:_MATCHED]
    key = (kind, *names)
    known: tuple[LiveModel, tuple[Clip, ...]] | None = studio.walkers.get(key)
    if known is None:
        clips = _legged(studio, names)
        known = live_model(kind, clips), tuple(clips)
        studio.walkers.put(key, known)
    model, clips_used = known
    ranges = speed_ranges(model) if isinstance(model, Locomotion) else _MATCHER_SPEEDS
    live = live_character(model, seed=begin.seed)
    return Seated(live, kind, clips_used, list(ranges), list(ranges.values()))


def _legged(studio: Studio, names: list[str]) -> list[Clip]:
    from segue.errors import SegueError
    from segue.motion.roles import require_legs

    kept = []
    for clip in studio.project.readable(names)[0].clips:
        try:
            require_legs([clip])
        except SegueError:
            continue
        kept.append(clip)
    if not kept:
        raise SettingError(
            "none of these clips has known legs; choose others, or set their roles in the tab Clips"
        )
    return kept
