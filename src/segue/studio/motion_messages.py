"""Messages about motions: graphs and walks, measures, files."""

from __future__ import annotations

from typing import Literal

import msgspec

from segue.settings import DEFAULTS
from segue.studio.messages import Message, Span


class MotionRef(Message, frozen=True):
    """A motion that the page can fetch by its word."""

    word: str
    name: str
    seconds: float
    frames: int
    fps: float


class SeamView(Message, frozen=True):
    """A seam: its frames, half open, the clips left and entered, and its measures.

    `speed` and `acceleration` are ratios to the largest of the nearby sources, `slip` is in metres; 0 if not measured.
    """

    start: int
    stop: int
    a: str
    b: str
    speed: float = 0.0
    acceleration: float = 0.0
    slip: float = 0.0


class GraphAsk(Message, frozen=True):
    """Build the graph of some clips, or of all if none is named."""

    clips: list[str] = msgspec.field(default_factory=list)
    quality: float = DEFAULTS.quality
    cost: str = DEFAULTS.cost
    settings: dict[str, float | str] = msgspec.field(default_factory=dict)


class GraphNode(Message, frozen=True):
    """A frame of a clip at which transitions leave or arrive."""

    clip: int
    frame: int
    kept: bool


class GraphEdge(Message, frozen=True):
    """A transition between two nodes."""

    start: int
    end: int
    cost: float


class GraphRef(Message, frozen=True):
    """The number of a graph."""

    graph: int


class GraphView(Message, frozen=True):
    """A graph: its clips with their frames, nodes, transitions, and clips left out with reasons."""

    graph: int
    clips: list[str]
    frames: list[int]
    fps: float
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    reached: list[str]
    left_out: dict[str, str]
    share: float
    sentence: str
    steps: dict[str, int]


class WalkAsk(Message, frozen=True):
    """Walk a graph: at random, or along a path on the ground (x and z of each point)."""

    graph: int
    seconds: float = 20.0
    seed: int = 1
    path: list[tuple[float, float]] = msgspec.field(default_factory=list)


class WalkStretch(Message, frozen=True):
    """A stretch of a walk in one clip: first and last frame shown, and its time in the motion."""

    clip: str
    start: float
    stop: float
    at: float


class WalkView(Message, frozen=True):
    """A made walk."""

    motion: MotionRef
    seams: list[SeamView]
    stretches: list[WalkStretch]


class FloorAsk(Message, frozen=True):
    """Make a dance floor: a number of characters, each with its own walk."""

    graph: int
    count: int = 12
    seconds: float = 20.0
    seed: int = 1


class FloorView(Message, frozen=True):
    """The motions of a dance floor."""

    motions: list[MotionRef]


class MotionAsk(Message, frozen=True):
    """The word of a motion."""

    word: str


class Lane(Message, frozen=True):
    """One measure over time: its values, its unit, the meaning of its colour, its peak and the peak's frame."""

    title: str
    unit: str
    tone: Literal["left", "right", "trunk", "warm"]
    values: list[float]
    typical: float
    peak: float
    peak_frame: int


class MeasuresView(Message, frozen=True):
    """Measures of a motion at a reduced frame rate, its seams and its contacts."""

    fps: float
    seconds: float
    lanes: list[Lane]
    seams: list[SeamView]
    contacts: list[Span]
    origin: list[Span]
    facts: dict[str, str]
    missing: str
    """Reason for missing lanes; empty if there are none."""


class ExportAsk(Message, frozen=True):
    """Write a motion into the export folder; the extension chooses the format, ``.json`` writes only its record."""

    word: str
    name: str
    format: str
    replace: bool = False


class ExportView(Message, frozen=True):
    """Names of the files written in the export folder."""

    files: list[str]
    bytes: int
    folder: str
