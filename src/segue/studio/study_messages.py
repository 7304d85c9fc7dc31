"""Messages about studies: designs, their motions, who answers, and what the answers tell."""

from __future__ import annotations

from typing import Literal

import msgspec

from segue.studio.messages import Message


class DesignCard(Message, frozen=True):
    """A design: a ready one by its name, or a file beside the clips or the exports."""

    word: str
    name: str
    kind: str
    asks: str
    source: str
    problem: str = ""


class StudyRunView(Message, frozen=True):
    """A file of answers, and whether its page is open: then its address, for everyone who takes part."""

    file: str
    study: str
    state: Literal["starting", "open", "ended", "failed"]
    address: str = ""
    people: int = 0
    robots: int = 0
    done: int = 0
    answers: int = 0
    error: str = ""


class StudiesView(Message, frozen=True):
    """Designs that can be used, and answers that there are."""

    designs: list[DesignCard]
    runs: list[StudyRunView]


class DesignAsk(Message, frozen=True):
    """A design, on its own clips or on those that are open."""

    design: str
    own_clips: bool = True


class StimulusCard(Message, frozen=True):
    """A motion of a study."""

    name: str
    motion: str
    condition: str
    frames: int


class DesignView(Message, frozen=True):
    """A design with its motions."""

    name: str
    question: str
    fps: float
    seconds: float
    stimuli: list[StimulusCard]


class StimulusAsk(Message, frozen=True):
    """One motion of a design, to be seen."""

    design: str
    stimulus: str
    own_clips: bool = True


class StudyRunAsk(Message, frozen=True):
    """Let people take a study, under an address of this machine, or so many robots; ``name`` is that of the file."""

    design: str
    name: str
    own_clips: bool = True
    robots: int = 0
    host: str = "127.0.0.1"


class StudyRunRef(Message, frozen=True):
    """Which file of answers."""

    file: str


class ReportView(Message, frozen=True):
    """What answers tell: a sentence, and the main table with its head first."""

    summary: str
    rows: list[list[str]] = msgspec.field(default_factory=list)
