"""A live player of elementary motions on a socket: motions are requested and withdrawn while it plays."""

from __future__ import annotations

import csv
import io
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from segue.app.elements import Elements
from segue.app.live import LiveCharacter
from segue.app.sequence_record import LIVE, LiveSequenceJob, live_again, live_facts_of, recorded_elements
from segue.app.sequencing import loop_of, player_of
from segue.app.stages import Collection
from segue.errors import SettingError
from segue.library.elements import unknown
from segue.motion.pose import Pose
from segue.motion.resample import cut
from segue.runtime.sequence_player import SequenceAnswer, SequencePlayer, SequenceRequest
from segue.sequencing.script import SMOOTHNESS
from segue.studio.project import MadeMotion
from segue.studio.socket_messages import Answers, AnswerView, Begin, Play, Withdraw
from segue.studio.state import Studio

RATE = 60.0
"""Frames per second of the player: one per tick, so that a replay from the requests is identical."""
_RESTS = ("idle", "stand", "rest", "guard")
"""Words in name or tags that identify the elementary motion played between the others, in order of precedence."""
_MOST = 60
"""Most answers sent to the page."""
_WAITING = 100
"""Most requests that wait for their tick."""


@dataclass
class LivePlayer:
    """A player on a socket: its elementary motions, and its requests."""

    live: LiveCharacter[SequenceRequest]
    elements: Elements
    idle: str
    idle_frames: tuple[int, int]
    kinds: list[str] = field(default_factory=list)
    speeds: list[tuple[float, float]] = field(default_factory=list)
    controller: Literal["sequence"] = "sequence"
    title: str = "played sequence"
    guide: None = None
    _asked: deque[SequenceRequest] = field(default_factory=deque)
    _requests: list[tuple[float, SequenceRequest]] = field(default_factory=list)
    _reported: tuple[SequenceAnswer, ...] = ()

    def tick(self, dt: float) -> Pose:
        """Advance by one tick and return the pose; at most one waiting request is made per tick."""
        request = self._asked.popleft() if self._asked else None
        if request is not None:
            self.live.want(request)
        pose = self.live.tick(dt)
        if request is not None:
            self._requests.append((self.live.controller.seconds, request))  # type: ignore[attr-defined]
        return pose

    def command(self, message: Any) -> None:
        """Queue a request to play or withdraw a motion.

        Raises
        ------
        SettingError
            If the motion or command is unknown, or too many requests wait.
        """
        if not isinstance(message, Play | Withdraw):
            raise SettingError("a sequence player is not steered; ask it to play a motion")
        if message.motion not in self.elements.motions:
            raise SettingError(unknown(message.motion, self.elements.motions))
        if len(self._asked) >= _WAITING:
            raise SettingError("too many motions are asked for at once; wait a moment")
        if isinstance(message, Withdraw):
            self._asked.append(SequenceRequest("withdraw", message.motion))
        else:
            self._asked.append(SequenceRequest("play", message.motion, message.at, message.priority))

    def news(self) -> Answers | None:
        """Return the outcomes of the last requests if they have changed, else None."""
        answers = self.live.controller.answers  # type: ignore[attr-defined]
        if answers is self._reported:
            return None
        self._reported = answers
        return Answers([_view(one) for one in answers[-_MOST:]])

    def made(self) -> MadeMotion:
        """Return the run so far, made again from its requests.

        Raises
        ------
        SettingError
            If nothing was played yet.
        """
        if self.live.ticks < 2:
            raise SettingError("nothing was played yet; let the player go for a moment, then keep the run")
        job = LiveSequenceJob(
            _table(self._requests),
            recorded_elements(self.elements),
            self.idle,
            self.idle_frames,
            fps=RATE,
            seconds=(self.live.ticks - 1) / RATE,
        )
        clips = self.elements.clips
        made = live_again(job, clips)
        settings: dict[str, Any] = msgspec.to_builtins(job)
        return MadeMotion(made.clip, clips.clips, LIVE, settings, more=live_facts_of(made))


def live_player(studio: Studio, begin: Begin) -> LivePlayer:
    """Make a player of the project's elementary motions; this may take seconds.

    Raises
    ------
    SettingError
        If the project has no elementary motions.
    """
    store = studio.elements
    ranges = store.ranges()
    if not ranges:
        raise SettingError("there are no elementary motions yet; propose some on the tab Sequence")
    idle = ranges[begin.idle] if begin.idle in ranges else ranges[_rest(studio)]
    motions = {name: store.motion(one) for name, one in ranges.items()}
    clips = Collection(tuple({one.clip: studio.project.clip(one.clip) for one in ranges.values()}.values()))
    elements = Elements(motions, ranges, clips)
    frames = idle.start_frame, idle.stop_frame
    loop = loop_of(cut(studio.project.clip(idle.clip), *frames))

    def make() -> SequencePlayer:
        return player_of(elements, loop, smoothness=SMOOTHNESS, method="optimal", fps=RATE)

    live = LiveCharacter[SequenceRequest](make, seed=begin.seed, sources=tuple(motions), shown=_playing)
    return LivePlayer(live, elements, idle.clip, frames)


def _rest(studio: Studio) -> str:
    ranges = studio.elements.ranges()
    for word in _RESTS:
        for name, one in ranges.items():
            if word in name.lower() or word in one.tags:
                return name
    return next(iter(ranges))


def _playing(player: Any) -> str:
    """Return the name of the motion placed last before the current frame; empty if only the loop has played."""
    plan, frame = player.plan, player.plan.first_frame + player.plan_row
    begun = [one.placement.motion for one in plan.placed if one.begun <= frame]
    return str(begun[-1]) if begun else ""


def _view(answer: SequenceAnswer) -> AnswerView:
    request = answer.request
    return AnswerView(
        request.command,
        request.motion,
        answer.seconds,
        answer.outcome,
        answer.reason,
        answer.method,
        answer.begins_at,
        answer.latency,
    )


def _table(requests: list[tuple[float, SequenceRequest]]) -> str:
    """Return requests as a table for `segue.app.sequence_requests`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["seconds", "command", "motion", "at", "priority"])
    for seconds, one in requests:
        writer.writerow(
            [repr(seconds), one.command, one.motion, "" if one.at is None else repr(one.at), one.priority]
        )
    return out.getvalue() if requests else ""
