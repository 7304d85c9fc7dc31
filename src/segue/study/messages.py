"""Every message between the page of a study and its server; `declarations` writes them for the page.

A call is a POST of one message and is answered with another (`CALLS`). No message identifies a condition: a stimulus is
a place in its trial, and the right answer stays on the server until a training trial is answered.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from segue.studio.messages import Failure, Message, Nothing
from segue.studio.typescript import declared


class Asked(Message, frozen=True):
    """A question to a participant before the trials; answered by a line of text if there are no choices."""

    name: str
    choices: list[str]


class StudyView(Message, frozen=True):
    """Introduction that a participant reads before the trials, and whether this browser has begun the study."""

    kind: Literal["preference", "likert", "jnd", "verdict"]
    consent: str
    asked: list[Asked]
    longest: int
    begun: bool


class CameraView(Message, frozen=True):
    """Camera of all conditions of a motion: the box in view (metres), its heading (radians) and height."""

    centre: tuple[float, float, float]
    half: tuple[float, float, float]
    heading: float
    height: float
    ground: bool


class TrialView(Message, frozen=True):
    """A question and the motions shown for it: their numbers in the order shown, grouped by pair."""

    number: int
    purpose: Literal["main", "training", "check"]
    text: str
    choices: list[str]
    shown: list[list[int]]
    camera: CameraView
    is_seen: bool
    timed_from: Literal["end", "start"]


class TurnView(Message, frozen=True):
    """State of a participant: the next trial, none once all are answered; ``total`` is 0 if it depends on the answers.

    ``was_right`` belongs to the training trial that was just answered.
    """

    answered: int
    total: int
    gap_seconds: float
    is_break: bool
    trial: TrialView | None = None
    was_right: bool | None = None


class JoinAsk(Message, frozen=True):
    """Take part, with the answers to the questions before the trials by name."""

    about: dict[str, str] = msgspec.field(default_factory=dict)


class AnswerAsk(Message, frozen=True):
    """Answer a trial; the page counts ``seconds`` from the moment that the trial defines."""

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
"""Request and answer of each call, by the name in ``POST /api/NAME``."""


def declarations() -> str:
    """Return all messages as TypeScript, the content of ``client/study/src/wire.ts``.

    Examples
    --------
    >>> "export interface TurnView {" in declarations()
    True
    """
    kinds = (Nothing, Failure, Asked, StudyView, CameraView, TrialView, TurnView, JoinAsk, AnswerAsk)
    return declared("segue.study.messages", kinds, CALLS)
