"""Every message between the page of a study and its server; `declarations` writes them for the page.

A call is a POST of one message and is answered with another (`CALLS`). Nothing that is sent tells conditions apart: a
stimulus is a place in its trial, and what would be right stays with the server until a training trial is answered.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from segue.studio.messages import Failure, Message, Nothing
from segue.studio.typescript import declared


class Asked(Message, frozen=True):
    """What is asked of a participant before the trials; a line of text where there is nothing to choose."""

    name: str
    choices: list[str]


class StudyView(Message, frozen=True):
    """What a participant reads before the trials, and whether this browser has begun with it."""

    kind: Literal["preference", "likert", "jnd", "verdict"]
    consent: str
    asked: list[Asked]
    longest: int
    begun: bool


class CameraView(Message, frozen=True):
    """From where all conditions of a motion are seen: onto a box (metres), from a heading (radians) and a height."""

    centre: tuple[float, float, float]
    half: tuple[float, float, float]
    heading: float
    height: float
    ground: bool


class TrialView(Message, frozen=True):
    """A question, and what is shown for it: numbers of motions in the order shown, those of a pair together."""

    number: int
    purpose: Literal["main", "training", "check"]
    text: str
    choices: list[str]
    shown: list[list[int]]
    camera: CameraView
    is_seen: bool
    timed_from: Literal["end", "start"]


class TurnView(Message, frozen=True):
    """Where a participant is: the next trial, none once all is answered; ``total`` is 0 where answers decide it.

    ``was_right`` is of the training trial that was just answered.
    """

    answered: int
    total: int
    gap_seconds: float
    is_break: bool
    trial: TrialView | None = None
    was_right: bool | None = None


class JoinAsk(Message, frozen=True):
    """Take part: what was asked is answered, by name."""

    about: dict[str, str] = msgspec.field(default_factory=dict)


class AnswerAsk(Message, frozen=True):
    """Answer a trial; ``seconds`` are counted in the page, from the moment that the trial says."""

    number: int
    given: str
    seconds: float


CALLS: dict[str, tuple[type[Message], type[Message]]] = {
    "study": (Nothing, StudyView),
    "join": (JoinAsk, TurnView),
    "turn": (Nothing, TurnView),
    "answer": (AnswerAsk, TurnView),
    "leave": (Nothing, StudyView),
}
"""Names as the page asks for them, ``POST /api/NAME``: what each takes and answers."""


def declarations() -> str:
    """All of them as TypeScript, as ``client/study/src/wire.ts`` holds them.

    Examples
    --------
    >>> "export interface TurnView {" in declarations()
    True
    """
    kinds = (Nothing, Failure, Asked, StudyView, CameraView, TrialView, TurnView, JoinAsk, AnswerAsk)
    return declared("segue.study.messages", kinds, CALLS)
