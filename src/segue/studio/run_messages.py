"""Messages about recorded live runs, and about motions kept as clips."""

from __future__ import annotations

from segue.studio.messages import Message


class RunView(Message, frozen=True):
    """A finished live run: its number, title, length and controller."""

    run: int
    title: str
    seconds: float
    controller: str


class RunsView(Message, frozen=True):
    """Runs, the newest first."""

    runs: list[RunView]


class RunAsk(Message, frozen=True):
    """The number of a run."""

    run: int


class KeepAsk(Message, frozen=True):
    """Keep a made motion as a clip under a name."""

    word: str
    name: str
