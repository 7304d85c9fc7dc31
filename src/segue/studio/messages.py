"""Every message between the page and the server, declared once; `segue.studio.typescript` writes them for the page.

A call is a POST of one message and is answered with another (`segue.studio.calls.CALLS`); messages over the socket are
in `segue.studio.socket_messages`. Frames count from 0 at a clip's own rate, times are in seconds, lengths in metres,
angles in radians.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base class of all messages."""


class Nothing(Message, frozen=True):
    """A request or an answer without content."""


class Failure(Message, frozen=True):
    """A sentence on what went wrong."""

    error: str


class ClipCard(Message, frozen=True):
    """A clip in the list; unknown numbers are 0, as its frames are not read for the list."""

    name: str
    seconds: float = 0.0
    frames: int = 0
    fps: float = 0.0
    tags: list[str] = msgspec.field(default_factory=list)
    labels: list[str] = msgspec.field(default_factory=list)
    faulty_frames: int = 0
    problem: str = ""


class CostWords(Message, frozen=True):
    """A cost, its setting that chooses weights, and the values of that setting."""

    name: str
    title: str
    setting: str = ""
    choices: list[str] = msgspec.field(default_factory=list)


class ProjectView(Message, frozen=True):
    """The open project, and the costs, methods and formats to choose from."""

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
    """The name of a clip."""

    clip: str


class FaultView(Message, frozen=True):
    """A fault of a clip."""

    kind: str
    start: int
    stop: int
    sentence: str


class Span(Message, frozen=True):
    """Frames of a clip, half open, with a text."""

    start: int
    stop: int
    text: str


class RoleView(Message, frozen=True):
    """The joint that has a role, the confidence, and how it was recognised."""

    role: str
    joint: str
    confidence: float
    how: str


class ClipView(Message, frozen=True):
    """Everything known about one clip: facts and assumptions of the reader, roles, faults, contacts, labels."""

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
    """Add a label to frames of a clip, or remove it."""

    clip: str
    text: str
    start: int
    stop: int
    remove: bool = False


class TagAsk(Message, frozen=True):
    """Add a tag to a clip, or remove it."""

    clip: str
    text: str
    remove: bool = False


class ContactsAsk(Message, frozen=True):
    """Set the contacts of heels and toes of a clip; ``found`` restores those detected in the motion."""

    clip: str
    contacts: list[Span] = msgspec.field(default_factory=list)
    found: bool = False


class RolesAsk(Message, frozen=True):
    """Set the joints of roles; an empty joint means that the body has no such joint."""

    clip: str
    roles: dict[str, str]


class JobView(Message, frozen=True):
    """State and progress of a job."""

    id: int
    title: str
    state: Literal["running", "done", "failed", "cancelled"]
    stage: str
    done: int
    total: int
    error: str
    result: str


class JobsView(Message, frozen=True):
    """All jobs of this run that are still kept."""

    jobs: list[JobView]


class ImportView(Message, frozen=True):
    """Result of an import: names of new clips, and reasons for files left out."""

    added: list[str]
    skipped: list[str]


class JobRef(Message, frozen=True):
    """The number of a job."""

    job: int
