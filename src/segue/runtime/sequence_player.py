"""Elementary motions played live: requests join the playing motion by optimal blends, with a loop between them.

Frames already played never change: a request re-plans only frames after the current one (Oshita §5; the planning is
that of `segue.sequencing.sequence`). A motion requested for a later time waits until that time is near. While only the
loop plays, earlier frames are dropped, so a player may run for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from segue.errors import SettingError, nearest
from segue.maths.quaternions import slerp
from segue.motion.pose import Pose
from segue.motion.resample import ON_A_FRAME
from segue.motion.skeleton import Skeleton
from segue.runtime.protocol import check_step
from segue.runtime.sequence_plan import LEAD, LivePlan, Planner
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.replanning import replan, withdraw
from segue.sequencing.script import SMOOTHNESS, Placement, SequenceMethod
from segue.sequencing.sequence import MotionSequence
from segue.synthesis.loop import Loop

PlayerCommand: TypeAlias = Literal["play", "withdraw"]
COMMANDS: tuple[PlayerCommand, ...] = get_args(PlayerCommand)


@dataclass(frozen=True)
class SequenceRequest:
    """Request to a player: play an elementary motion, or withdraw the next execution of one.

    ``at`` is the playing time in seconds at which its core is to begin, None for as soon as possible; of several at one
    time the one with the highest ``priority`` is played.
    """

    command: PlayerCommand
    motion: str
    at: float | None = None
    priority: int = 0


@dataclass(frozen=True)
class SequenceAnswer:
    """Result of a request.

    Parameters
    ----------
    request
        The request.
    seconds
        Playing time at which it was made.
    outcome
        ``"planned"``, ``"waiting"`` until its time is near, ``"withdrawn"`` or ``"rejected"``.
    reason
        Reason of a rejection.
    method
        Join between a planned motion and the one before it.
    begins_at
        Playing time at which its core begins; for a rejected one, the nearest possible.
    latency
        Seconds from the request to the first frame that it changed; None if it changed none.
    """

    request: SequenceRequest
    seconds: float
    outcome: Literal["planned", "waiting", "withdrawn", "rejected"]
    reason: str = ""
    method: str = ""
    begins_at: float | None = None
    latency: float | None = None


class SequencePlayer:
    """A `segue.runtime.protocol.Controller` that plays elementary motions on request (`SequenceRequest`).

    Parameters
    ----------
    motions
        Elementary motions by name.
    idle
        Loop that plays between them; the player has its body and rate.
    smoothness
        The paper's W, 0 (most responsive) to 1 (smoothest).
    method
        Method that joins pairs.

    Raises
    ------
    SettingError
        If a motion has a name reserved for the loop, the smoothness is not 0 to 1, or the method is unknown.
    """

    def __init__(
        self,
        motions: Mapping[str, ElementaryMotion],
        idle: Loop,
        *,
        smoothness: float = SMOOTHNESS,
        method: SequenceMethod = "optimal",
    ) -> None:
        self.motions = dict(motions)
        self._planner = Planner(self.motions, idle, smoothness, method)
        self.reset()

    @property
    def skeleton(self) -> Skeleton:
        """Body of the loop."""
        return self._planner.idle.clip.skeleton

    @property
    def fps(self) -> float:
        """Frame rate of the loop."""
        return self._planner.fps

    @property
    def seconds(self) -> float:
        """Playing time of the last pose."""
        return (self._frame + self._part) / self.fps

    @property
    def answers(self) -> tuple[SequenceAnswer, ...]:
        """Results of requests, in the order in which they were made or came due."""
        return self._answers

    @property
    def plan(self) -> MotionSequence:
        """Current plan; its clip starts where only the loop last played."""
        return self._plan.sequence

    @property
    def plan_seconds(self) -> float:
        """Playing time of the first frame of `plan`."""
        return self._plan.start / self.fps

    @property
    def plan_row(self) -> int:
        """Row of the clip of `plan` that is shown; the origins of the plan and of its upper body give its sources."""
        return self._plan.row(self._frame)[0]

    def reset(self, seed: int = 0) -> None:
        """Restart with the loop; the seed changes nothing."""
        del seed
        self._frame, self._part = 0, 0.0
        self._plan = self._planner.first
        self._waiting: tuple[int, ...] = ()  # numbers of answers
        self._answers: tuple[SequenceAnswer, ...] = ()

    def step(self, dt: float, intent: SequenceRequest | None = None) -> Pose:
        """Advance by ``dt`` seconds, take a request at that moment, and return the pose.

        A motion that cannot be played is listed in `answers`, with the reason.

        Raises
        ------
        SettingError
            If the time is not possible, or the request names an unknown motion or command.
        """
        check_step(dt)
        if intent is not None:
            self._check(intent)
        part = self._part + dt * self.fps
        if abs(part - round(part)) < ON_A_FRAME:
            part = float(round(part))
        to, self._part = self._frame + int(part), part - int(part)
        self._go_on(to)
        if intent is not None:
            self._hear(intent)
        return self._pose()

    def save(self) -> Any:
        """Return the state for `restore` of a player of the same motions and the same loop."""
        return self._frame, self._part, self._plan, self._waiting, self._answers

    def restore(self, state: Any) -> None:
        """Restore a state that `save` returned."""
        self._frame, self._part, self._plan, self._waiting, self._answers = state

    # -- poses ---------------------------------------------------------------------------------------------------

    def _pose(self) -> Pose:
        rotations, root = self._plan.shown(self._frame)
        if self._part:
            further, ahead = self._plan.shown(self._frame + 1)
            rotations = slerp(rotations, further, self._part)
            root = (1.0 - self._part) * root + self._part * ahead
        return Pose(self.skeleton, rotations, root)

    # -- planning ------------------------------------------------------------------------------------------------

    def _check(self, request: SequenceRequest) -> None:
        if request.command not in COMMANDS:
            msg = f"a player is asked to {' or to '.join(COMMANDS)}, not to {request.command!r}"
            raise SettingError(msg)
        if request.motion not in self.motions:
            msg = (
                f"no elementary motion is called {request.motion!r}; {nearest(request.motion, self.motions)}"
            )
            raise SettingError(msg)
        if request.at is not None and not np.isfinite(request.at):
            msg = f"{request.motion!r} cannot begin at {request.at} s; give a playing time, or None"
            raise SettingError(msg)

    def _go_on(self, frame: int) -> None:
        """Advance to a frame; motions that come due before it enter the plan, each at its own frame."""
        while self._waiting:
            due, number = min((self._due(self._answers[number].request), number) for number in self._waiting)
            if due > frame:
                break
            self._frame = max(self._frame, due)
            self._waiting = tuple(other for other in self._waiting if other != number)
            self._answer(self._play(self._answers[number], number, self._frame), number)
        self._frame = frame

    def _due(self, request: SequenceRequest) -> int:
        """Frame at which a motion requested for a later time enters the plan."""
        one = self.motions[request.motion]
        lead = LEAD + one.core[0] / one.clip.fps
        return int(np.floor(((request.at or 0.0) - lead) * self.fps))

    def _hear(self, request: SequenceRequest) -> None:
        shown = self._frame + (1 if self._part else 0)  # a pose between two frames shows both
        asked = SequenceAnswer(request, self.seconds, "waiting", begins_at=request.at)
        number = len(self._answers)
        if request.command == "withdraw":
            answer = self._take_back(asked, shown)
        elif request.at is not None and self._due(request) > shown:
            answer = asked
            self._waiting += (number,)
        else:
            answer = self._play(asked, number, shown)
        self._answers += (answer,)

    def _answer(self, answer: SequenceAnswer, number: int) -> None:
        self._answers = (*self._answers[:number], answer, *self._answers[number + 1 :])

    def _take_back(self, asked: SequenceAnswer, shown: int) -> SequenceAnswer:
        """Withdraw the next execution of a motion: a planned one, else the first that waits."""
        motion, before = asked.request.motion, self._plan
        reason = "it is neither planned nor waiting"
        if any(core.motion == motion for core in self.plan.cores):
            base = self._planner.opened(before, shown)
            try:
                left = withdraw(base.sequence, motion, now=shown / self.fps)
            except SettingError as error:
                reason = str(error)
            else:
                self._took(self._planner.closed(replace(base, sequence=left), shown))
                return self._changed(replace(asked, outcome="withdrawn", begins_at=None), before, shown)
        times = [
            (self._answers[number].request.at or 0.0, number)
            for number in self._waiting
            if self._answers[number].request.motion == motion
        ]
        if not times:
            return replace(asked, outcome="rejected", reason=reason, begins_at=None)
        number = min(times)[1]
        self._waiting = tuple(other for other in self._waiting if other != number)
        self._answer(replace(self._answers[number], outcome="withdrawn", begins_at=None), number)
        return replace(asked, outcome="withdrawn", begins_at=None)

    def _play(self, asked: SequenceAnswer, number: int, shown: int) -> SequenceAnswer:
        """Plan a motion after the frames that were shown, and the loop after it."""
        request, before = asked.request, self._plan
        base = self._planner.opened(before, shown)
        placement = Placement(request.motion, request.at, request.priority)
        placed = replan(base.sequence, placement, now=shown / self.fps)
        place = len(placed.script.placements) - 1
        core = next((core for core in placed.cores if core.number == place), None)
        if core is None:
            lost = next(one for one in placed.rejected if one.number == place)
            past = request.at is not None and request.at * self.fps <= shown
            reason = f"{shown / self.fps:.2f} s are played already" if past else lost.reason
            return replace(asked, outcome="rejected", reason=reason, begins_at=lost.nearest_at)
        self._took(
            self._planner.closed(replace(base, sequence=placed, asked=(*base.asked, (place, number))), shown)
        )
        followers = zip(placed.pairs, placed.cores[1:], strict=True)
        done = replace(
            asked,
            outcome="planned",
            method=next((pair.method for pair, follower in followers if follower.number == place), ""),
            begins_at=core.begin_frame / self.fps,
        )
        return self._changed(done, before, shown)

    def _took(self, plan: LivePlan) -> None:
        """Adopt a plan; motions of earlier requests that it drops are rejected."""
        self._plan = plan
        there = {core.number for core in plan.sequence.cores}
        lost = {one.number: one.reason for one in plan.sequence.rejected}
        for place, number in plan.asked:
            if (
                number < len(self._answers)
                and place not in there
                and self._answers[number].outcome == "planned"
            ):
                if place in lost:
                    given_up = replace(
                        self._answers[number], outcome="rejected", reason=lost[place], begins_at=None
                    )
                else:
                    given_up = replace(self._answers[number], outcome="withdrawn", begins_at=None)
                self._answer(given_up, number)

    def _changed(self, answer: SequenceAnswer, before: LivePlan, shown: int) -> SequenceAnswer:
        """Complete an answer with the time from the request to the first frame that the plan changes."""
        first = self._plan.first_changed(before, shown)
        return replace(answer, latency=None if first is None else first / self.fps - answer.seconds)
