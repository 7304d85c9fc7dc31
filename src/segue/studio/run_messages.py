"""Messages about live runs that are recorded, and about motions kept as clips."""

from __future__ import annotations

from segue.studio.messages import Message


class RunView(Message, frozen=True):
    """A live run that is over: its number, what it is called, how long it is, and what steered it."""

    run: int
    title: str
    seconds: float
    controller: str


class RunsView(Message, frozen=True):
    """Runs, the newest first."""

    runs: list[RunView]


class RunAsk(Message, frozen=True):
    """Which run."""

    run: int


class KeepAsk(Message, frozen=True):
    """Keep a motion that was made as a clip under a name."""

    word: str
    name: str
