"""Every message between the page and the server, declared once; `segue.studio.typescript` writes them for the page.

A call is a POST of one message and is answered with another (`segue.studio.calls.CALLS`); what goes over the socket
stands in `segue.studio.socket_messages`. Frames count from 0 at a clip's own rate, times are in seconds, lengths in
metres, angles in radians.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all messages have in common."""


class Nothing(Message, frozen=True):
    """A call that needs no words, or an answer that has none."""


class Failure(Message, frozen=True):
    """One sentence about what went wrong."""

    error: str


class ClipCard(Message, frozen=True):
    """A clip in the list; its frames are not read for this, so that what is unknown is 0."""

    name: str
    seconds: float = 0.0
    frames: int = 0
    fps: float = 0.0
    tags: list[str] = msgspec.field(default_factory=list)
    labels: list[str] = msgspec.field(default_factory=list)
    faulty_frames: int = 0
    problem: str = ""


class CostWords(Message, frozen=True):
    """A cost by its name, and the words of its settings that choose weights."""

    name: str
    title: str
    setting: str = ""
    choices: list[str] = msgspec.field(default_factory=list)


class ProjectView(Message, frozen=True):
    """What is open, and what can be chosen."""

    name: str
    kind: Literal["library", "folder", "samples"]
    writable: bool
    clips: list[ClipCard]
    costs: list[CostWords]
    methods: list[str]
    formats: list[str]
    export_folder: str
    version: str


class ClipAsk(Message, frozen=True):
    """Which clip."""

    clip: str


class FaultView(Message, frozen=True):
    """Something wrong with a clip."""

    kind: str
    start: int
    stop: int
    sentence: str


class Span(Message, frozen=True):
    """Frames of a clip, half open, and a word for them."""

    start: int
    stop: int
    text: str


class RoleView(Message, frozen=True):
    """Which joint has a role, how sure that is, and what told it."""

    role: str
    joint: str
    confidence: float
    how: str


class ClipView(Message, frozen=True):
    """Everything known about one clip: what the reader took, roles, faults, contacts, labels."""

    name: str
    seconds: float
    frames: int
    fps: float
    joints: list[str]
    file: str
    notes: list[str]
    facts: dict[str, str]
    roles: list[RoleView]
    unknown_roles: list[str]
    faults: list[FaultView]
    contacts: list[Span]
    contacts_set: bool
    labels: list[Span]
    tags: list[str]


class LabelAsk(Message, frozen=True):
    """Put a label on frames of a clip, or take it away."""

    clip: str
    text: str
    start: int
    stop: int
    remove: bool = False


class TagAsk(Message, frozen=True):
    """Tag a clip, or take the tag away."""

    clip: str
    text: str
    remove: bool = False


class ContactsAsk(Message, frozen=True):
    """When heels and toes of a clip are on the ground, as a person sets it; ``found``: as it is found in the motion."""

    clip: str
    contacts: list[Span] = msgspec.field(default_factory=list)
    found: bool = False


class RolesAsk(Message, frozen=True):
    """Which joint has which role, as a person sets it; an empty joint means that the body has none."""

    clip: str
    roles: dict[str, str]


class JobView(Message, frozen=True):
    """How far a job is."""

    id: int
    title: str
    state: Literal["running", "done", "failed", "cancelled"]
    stage: str
    done: int
    total: int
    error: str
    result: str


class JobsView(Message, frozen=True):
    """All jobs that are remembered."""

    jobs: list[JobView]


class ImportView(Message, frozen=True):
    """What became of files that were dropped: names of new clips, and what was left out and why."""

    added: list[str]
    skipped: list[str]


class JobRef(Message, frozen=True):
    """Number of a job."""

    job: int
