"""Every message over the socket in both directions; poses are sent as float32 (`segue.studio.live`)."""

from __future__ import annotations

from typing import Literal

import msgspec

from segue.studio.messages import JobView, Message
from segue.studio.motion_messages import MotionRef
from segue.studio.run_messages import RunView


class Begin(Message, frozen=True, tag="begin"):
    """Begin a character: a walker or a motion matcher on clips, a walk of a graph, or a player of elementary motions.

    Between other motions the player loops `idle`, one of its elementary motions.
    """

    controller: Literal["locomotion", "matcher", "graph", "sequence"]
    clips: list[str] = msgspec.field(default_factory=list)
    graph: int = 0
    seed: int = 1
    idle: str = ""


class Steer(Message, frozen=True, tag="steer"):
    """Command from now on: type, speed in m/s, turning rate in rad/s, positive to the left.

    Poses carry the number of the last command that they follow, from which the page measures the delay.
    """

    kind: str
    speed: float
    turn: float
    number: int = 0


class Chase(Message, frozen=True, tag="chase"):
    """Move to a point on the ground, by the given type, or by one chosen from the distance if none is given."""

    x: float
    z: float
    kind: str = ""


class Follow(Message, frozen=True, tag="follow"):
    """Follow a path on the ground: x, z, type and speed in m/s at each point."""

    points: list[tuple[float, float, str, float]]


class Take(Message, frozen=True, tag="take"):
    """Leave by the nearest transition that leads to another stretch."""


class GoTo(Message, frozen=True, tag="goto"):
    """Walk to a clip, and remain in it with `stay`; without a clip, wander."""

    clip: str = ""
    stay: bool = False


class Play(Message, frozen=True, tag="play"):
    """Play an elementary motion; its core begins at `at` in seconds of the run, as soon as possible if null."""

    motion: str
    at: float | None = None
    priority: int = 0


class Withdraw(Message, frozen=True, tag="withdraw"):
    """Withdraw the next execution of an elementary motion."""

    motion: str


class Pause(Message, frozen=True, tag="pause"):
    """Pause the character, or continue."""

    paused: bool


class Seen(Message, frozen=True, tag="seen"):
    """Number of the last pose that the page has shown."""

    number: int


class Keep(Message, frozen=True, tag="keep"):
    """Keep the run so far as a motion."""


class End(Message, frozen=True, tag="end"):
    """End the character."""


ToServer = Begin | Steer | Chase | Follow | Take | GoTo | Play | Withdraw | Pause | Seen | Keep | End


class Began(Message, frozen=True, tag="began"):
    """A character is ready: the word of a one-frame motion that holds its body, and its abilities."""

    word: str
    joints: int
    fps: float
    kinds: list[str]
    speeds: list[tuple[float, float]]
    sources: list[str]


class Refused(Message, frozen=True, tag="refused"):
    """The reason why a request is not possible; the state is unchanged."""

    error: str


class Kept(Message, frozen=True, tag="kept"):
    """The run so far, kept as a motion."""

    motion: MotionRef


class Recorded(Message, frozen=True, tag="recorded"):
    """A run has ended and can be replayed."""

    run: RunView


class JobMoved(Message, frozen=True, tag="job"):
    """The state of a job has changed."""

    job: JobView


class AnswerView(Message, frozen=True):
    """Outcome of a request, in seconds of the run; `latency` is the time until the first frame that it changed."""

    command: str
    motion: str
    seconds: float
    outcome: Literal["planned", "waiting", "withdrawn", "rejected"]
    reason: str
    method: str
    begins_at: float | None
    latency: float | None


class Answers(Message, frozen=True, tag="answers"):
    """Outcomes of the last requests, in the order in which they were made."""

    answers: list[AnswerView]


class Busy(Message, frozen=True, tag="busy"):
    """The operation that the page waits for, in words."""

    what: str


class Changed(Message, frozen=True, tag="changed"):
    """The list of clips has changed."""


ToPage = Began | Refused | Kept | Recorded | Answers | JobMoved | Busy | Changed
