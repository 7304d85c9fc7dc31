"""Every message over the socket, both ways; poses go beside them as float32 (`segue.studio.live`)."""

from __future__ import annotations

from typing import Literal

import msgspec

from segue.studio.messages import JobView, Message
from segue.studio.motion_messages import MotionRef
from segue.studio.run_messages import RunView


class Begin(Message, frozen=True, tag="begin"):
    """Begin to steer a character: a walker over clips, a motion matcher over clips, or a walk of a graph."""

    controller: Literal["locomotion", "matcher", "graph"]
    clips: list[str] = msgspec.field(default_factory=list)
    graph: int = 0
    seed: int = 1


class Steer(Message, frozen=True, tag="steer"):
    """What is wanted from now on: type, speed in m/s, turning rate in rad/s, positive to the left.

    Poses carry the number of the last one that they follow, by which the page measures the delay.
    """

    kind: str
    speed: float
    turn: float
    number: int = 0


class Chase(Message, frozen=True, tag="chase"):
    """Run after a point on the ground; the type is kept where one is named, else chosen by how far it is."""

    x: float
    z: float
    kind: str = ""


class Follow(Message, frozen=True, tag="follow"):
    """Follow a path on the ground: x, z, type and speed in m/s at each point."""

    points: list[tuple[float, float, str, float]]


class Take(Message, frozen=True, tag="take"):
    """Leave by the nearest transition that leads to another stretch."""


class GoTo(Message, frozen=True, tag="goto"):
    """Walk to a clip, and stay in it if asked to; without a clip wander on."""

    clip: str = ""
    stay: bool = False


class Pause(Message, frozen=True, tag="pause"):
    """Stand still in time, or go on."""

    paused: bool


class Seen(Message, frozen=True, tag="seen"):
    """The page has shown this pose."""

    number: int


class Keep(Message, frozen=True, tag="keep"):
    """Make a motion of the run so far."""


class End(Message, frozen=True, tag="end"):
    """Steer no more."""


ToServer = Begin | Steer | Chase | Follow | Take | GoTo | Pause | Seen | Keep | End


class Began(Message, frozen=True, tag="began"):
    """A character is there: its body comes as a motion of one frame under the word; what it can do."""

    word: str
    joints: int
    fps: float
    kinds: list[str]
    speeds: list[tuple[float, float]]
    sources: list[str]


class Refused(Message, frozen=True, tag="refused"):
    """What was asked for is not possible, and why; everything goes on as before."""

    error: str


class Kept(Message, frozen=True, tag="kept"):
    """The run so far is a motion."""

    motion: MotionRef


class Recorded(Message, frozen=True, tag="recorded"):
    """A run is over and can be played again."""

    run: RunView


class JobMoved(Message, frozen=True, tag="job"):
    """A job has changed."""

    job: JobView


class Busy(Message, frozen=True, tag="busy"):
    """What the character waits for, in words."""

    what: str


class Changed(Message, frozen=True, tag="changed"):
    """The list of clips is another."""


ToPage = Began | Refused | Kept | Recorded | JobMoved | Busy | Changed
