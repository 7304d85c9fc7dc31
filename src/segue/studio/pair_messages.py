"""Messages about one pair of clips: its transition points, and a transition with its measures."""

from __future__ import annotations

import msgspec

from segue.settings import DEFAULTS
from segue.studio.messages import Message
from segue.studio.motion_messages import MotionRef, SeamView


class CompareAsk(Message, frozen=True):
    """Two clips, a cost with its settings, and the threshold: a number, ``auto`` or ``knee``."""

    a: str
    b: str
    cost: str = DEFAULTS.cost
    settings: dict[str, float | str] = msgspec.field(default_factory=dict)
    threshold: float | str = DEFAULTS.threshold


class PointView(Message, frozen=True):
    """A transition point from a to b."""

    a_frame: int
    b_frame: int
    cost: float


class CompareView(Message, frozen=True):
    """A cost matrix and the points on it; its costs are fetched separately as float32 by ``id``."""

    id: int
    a: str
    b: str
    rows: int
    columns: int
    a_frames: list[int]
    b_frames: list[int]
    a_fps: float
    b_fps: float
    low: float
    high: float
    unit: str
    threshold: float
    threshold_words: str
    minima: list[PointView]
    points: list[PointView]
    counts: dict[str, int]
    reach: float
    sentence: str
    best_cost: float | None


class ThresholdAsk(Message, frozen=True):
    """Another threshold for a comparison."""

    id: int
    threshold: float | str


class ThresholdView(Message, frozen=True):
    """Points that pass a threshold, and the share of the frames of both clips that they would reach."""

    threshold: float
    words: str
    points: list[PointView]
    counts: dict[str, int]
    reach: float
    sentence: str


class CrossAsk(Message, frozen=True):
    """Make the transition from a to b at two frames."""

    id: int
    a_frame: int
    b_frame: int
    length: float | str = "auto"
    way: str = "equal_power"
    feet: str = "natural"


class CrossView(Message, frozen=True):
    """A made transition, and its length."""

    motion: MotionRef
    seam: SeamView
    length: float
    why: str


class CurvesAsk(Message, frozen=True):
    """The curves of cost against blend length at two frames of a comparison."""

    id: int
    a_frame: int
    b_frame: int


class JointCurve(Message, frozen=True):
    """A joint's own curve of cost against blend length, by role, and the length at which it is lowest."""

    role: str
    values: list[float]
    best: float


class JointDifference(Message, frozen=True):
    """Angle between a joint's rotations in two poses, in degrees, its weight, and its share of the joint-angle cost."""

    role: str
    degrees: float
    weight: float
    share: float


class CurvesView(Message, frozen=True):
    """Cost of blends by length: foreseen (measures at the seam) and geodesic (a sum over joints)."""

    lengths: list[float]
    foreseen: list[float]
    chosen: float
    why: str
    geodesic_lengths: list[float]
    geodesic: list[float]
    geodesic_best: float
    joints: list[JointCurve]


class PosesView(Message, frozen=True):
    """Two poses: their cost, the ground motion that aligns b with a, and the differences of their joints."""

    cost: float
    turn: float
    x: float
    z: float
    differences: list[JointDifference]
