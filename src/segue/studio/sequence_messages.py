"""Messages about elementary motions and sequences that are arranged on a timeline.

Times are seconds of the sequence's clock unless stated otherwise.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from segue.sequencing.script import SMOOTHNESS, SequenceMethod
from segue.studio.messages import Message

_MOST = 2000
"""Most motions of a sequence."""


class ElementView(Message, frozen=True):
    """An elementary motion; its core in frames from its start, half open."""

    name: str
    clip: str
    frames: int
    fps: float
    core: tuple[int, int]
    tags: list[str]


class SequenceCard(Message, frozen=True):
    """A sequence in the list."""

    name: str
    motions: int


class SequencesView(Message, frozen=True):
    """Elementary motions and sequences; `kept` if stored in a library, else they last until the studio closes."""

    elements: list[ElementView]
    sequences: list[SequenceCard]
    kept: bool


class MotionPlace(Message, frozen=True):
    """A motion of a sequence; its core begins at `at`, or as soon as possible after the previous motion if null."""

    motion: str
    at: float | None = None
    priority: int = 0
    smoothness: float | None = None


class CoreRange(Message, frozen=True):
    """Core of an elementary motion, in frames from its start, half open."""

    motion: str
    start: int
    stop: int


class ArrangedScript(Message, frozen=True):
    """A sequence as arranged by the user; its `cores` take precedence over those of the elementary motions."""

    name: str
    motions: Annotated[list[MotionPlace], msgspec.Meta(max_length=_MOST)]
    smoothness: float = SMOOTHNESS
    method: SequenceMethod = "optimal"
    cores: list[CoreRange] = msgspec.field(default_factory=list)


class SequenceRef(Message, frozen=True):
    """The name of a sequence."""

    name: str


class ArrangeAsk(Message, frozen=True):
    """Make the frames of a sequence; only changes from `base` are returned, unless it is 0 or no longer in memory."""

    script: ArrangedScript
    base: int = 0


class SequenceKeep(Message, frozen=True):
    """Keep a sequence under its name, replacing one of the same name; an empty one is removed."""

    script: ArrangedScript


class ProposeAsk(Message, frozen=True):
    """Cut clips into elementary motions and keep those that are new."""

    clips: list[str]
    shortest: float = 0.8
    longest: float = 4.0


class ElementRef(Message, frozen=True):
    """The name of an elementary motion."""

    name: str


class PlacedView(Message, frozen=True):
    """An executed motion: its place in the script, and the times at which its clip and its core begin and end."""

    number: int
    motion: str
    begin: float
    core: tuple[float, float]
    end: float


class SegmentView(Message, frozen=True):
    """A time span over which one half of the body is blended; seconds from the beginning of the previous motion."""

    name: str
    half: Literal["lower", "upper", "whole"]
    kind: str
    begin: float
    end: float
    weights: list[float]
    limited: bool


class LostMethodView(Message, frozen=True):
    """A method that was not chosen, and the reason."""

    method: str
    reason: str


class JoinView(Message, frozen=True):
    """The join of a motion with the previous one, both by their places in the script; slip in metres."""

    previous: int
    following: int
    method: str
    because: str
    segments: list[SegmentView]
    slip_before: float
    slip_after: float
    foothold: tuple[float, float]
    turned: float
    smoothness: float
    lost: list[LostMethodView]


class RejectedView(Message, frozen=True):
    """A rejected motion, the reason, and the nearest time at which its core could begin."""

    number: int
    motion: str
    at: float
    reason: str
    nearest: float


class ArrangedView(Message, frozen=True):
    """A made sequence, sent as the header of its frames (`segue.studio.packing`).

    `poses` and `places` are ranges of changed frames, half open: complete poses follow for the first, the root's place
    and rotation for the second. `base` is the sequence that they change, 0 if all frames follow.
    """

    number: int
    base: int
    word: str
    name: str
    body: str
    fps: float
    frames: int
    first_frame: int
    names: list[str]
    roles: dict[str, int]
    contacts: dict[str, list[tuple[int, int]]]
    seams: list[tuple[int, int]]
    origin: list[tuple[int, int, int]]
    sources: list[str]
    poses: list[tuple[int, int]]
    places: list[tuple[int, int]]
    placed: list[PlacedView]
    joins: list[JoinView]
    rejected: list[RejectedView]
    feet: dict[str, list[tuple[float, float]]]
