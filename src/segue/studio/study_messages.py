"""Messages about studies: designs, their motions, runs, and reports on the answers."""

from __future__ import annotations

from typing import Literal

import msgspec

from segue.studio.messages import Message


class DesignCard(Message, frozen=True):
    """A design: a ready one by its name, or a file in the open folder or the export folder."""

    word: str
    name: str
    kind: str
    asks: str
    source: str
    problem: str = ""


class StudyRunView(Message, frozen=True):
    """A file of answers and the state of its study, with the address for participants while its page is open."""

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
    """The available designs, and the files of answers."""

    designs: list[DesignCard]
    runs: list[StudyRunView]


class DesignAsk(Message, frozen=True):
    """A design, with its own clips or those of the project."""

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
    """Make one motion of a design for viewing."""

    design: str
    stimulus: str
    own_clips: bool = True


class StudyRunAsk(Message, frozen=True):
    """Run a study with people, at address `host` of this machine, or with a number of robots; `name` is the file's."""

    design: str
    name: str
    own_clips: bool = True
    robots: int = 0
    host: str = "127.0.0.1"


class StudyRunRef(Message, frozen=True):
    """The name of a file of answers."""

    file: str


class ReportView(Message, frozen=True):
    """Result of a study: a sentence, and the main table with its head first."""

    summary: str
    rows: list[list[str]] = msgspec.field(default_factory=list)
