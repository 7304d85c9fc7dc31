"""One pair of clips in detail: where to cross, how two poses differ, the cost of each blend length, the crossing.

Shown by the studio. The clip arrived in is first retargeted to the body of the clip left, so that frame numbers of both
refer to the compared clips. Also makes a transition again from its record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.record import Record
from segue.app.record_settings import recorded_settings
from segue.arrays import Floats
from segue.blending.durations import WEIGHTS, BlendLength
from segue.blending.methods import LengthMethod
from segue.costs.protocol import Cost
from segue.costs.registry import as_document, cost_from
from segue.errors import FileError, SegueError, SettingError
from segue.maths.quaternions import half_angle
from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.measures.seams import seams
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.motion.roles import roles
from segue.settings import DEFAULTS, SeamFeet, SearchSettings
from segue.synthesis.retarget import retarget
from segue.synthesis.splice import blend_length_at, splice
from segue.transitions.selection import PairSearch, search_pair
from segue.transitions.transition import TransitionPoint


@dataclass(frozen=True, eq=False)
class ClipPair:
    """Two clips on one body and the search between them."""

    a: Clip
    b: Clip
    search: PairSearch


def clip_pair(a: Clip, b: Clip, *, cost: Cost) -> ClipPair:
    """Retarget two clips to one body and compare them.

    Raises
    ------
    SettingError
        If a clip is shorter than the cost's window.
    SkeletonError
        If a body has no legs.

    Examples
    --------
    >>> import segue
    >>> pair = clip_pair(segue.sample("walk"), segue.sample("run"), cost=segue.PointCloudCost())
    >>> pair.search.values.shape[0] > 100
    True
    """
    other = a if b is a else resampled(retarget(b, a.skeleton), b.fps)
    return ClipPair(a, other, search_pair(a, other, cost=cost, settings=SearchSettings()))


def point_of_frames(pair: ClipPair, a_frame: int, b_frame: int) -> TransitionPoint:
    """Aligned point at any two frames, which need not be a minimum; its cost is that of the nearest row and column.

    Raises
    ------
    SettingError
        If a frame lies outside its clip.
    """
    for clip, frame in ((pair.a, a_frame), (pair.b, b_frame)):
        if not 0 <= frame < clip.n_frames:
            raise SettingError(f"clip {clip.name!r} has frames 0 to {clip.n_frames - 1}, not {frame}")
    one, other = pair.search.prepared
    row, column = int(np.abs(one.frames - a_frame).argmin()), int(np.abs(other.frames - b_frame).argmin())
    cost = float(pair.search.values[row, column])
    place = pair.search.cost.alignment(one, other, row, column)
    return TransitionPoint(pair.a.name, pair.b.name, a_frame, b_frame, cost, "aligned", place, cost, False)


@dataclass(frozen=True)
class JointGap:
    """Angle (radians) between two rotations of a joint, its weight, and its share of the weighted sum of squares."""

    role: str
    angle: float
    weight: float
    share: float


def joint_gaps(a: Clip, b: Clip, *, a_frame: int, b_frame: int) -> tuple[JointGap, ...]:
    """Differences of two poses joint by joint, the largest share first (Wang, table V.1).

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> joint_gaps(walk, walk, a_frame=10, b_frame=40)[0].angle > 0
    True
    """
    found = {role: joint for role, joint in roles(a.skeleton).items() if role in WEIGHTS}
    joints = list(found.values())
    halves: Floats = half_angle(a.rotations[a_frame, joints], b.rotations[b_frame, joints])
    weights = np.array([WEIGHTS[role] for role in found])
    parts = weights * halves**2
    total = float(parts.sum()) or 1.0
    gaps = [
        JointGap(role, 2.0 * float(half), float(weight), float(part) / total)
        for role, half, weight, part in zip(found, halves, weights, parts, strict=True)
    ]
    return tuple(sorted(gaps, key=lambda gap: -gap.share))


@dataclass(frozen=True, eq=False)
class LengthCurves:
    """Blends of each length at a point: measures of the seam, and the mean cost along the blend."""

    chosen: BlendLength
    geodesic: BlendLength


def length_curves(pair: ClipPair, point: TransitionPoint) -> LengthCurves:
    """Curves over blend lengths: the foreseen one (of ``auto``), and the geodesic one with each joint's own.

    The geodesic curve is of the start-end blend that leaves and arrives at the point's frames (Wang, fig. V.2 and V.6);
    the foreseen one is no sum over joints.
    """
    start_end = TransitionPoint(
        point.a_clip, point.b_clip, point.a_frame, point.b_frame, point.cost, "start_end", point.alignment,
        point.cost, False,
    )  # fmt: skip
    return LengthCurves(
        blend_length_at(pair.a, pair.b, point, method="auto"),
        blend_length_at(pair.a, pair.b, start_end, method="geodesic"),
    )


@dataclass(frozen=True, eq=False)
class Crossing:
    """A finished transition: the motion, its blend [start, stop), and its measures.

    ``speed`` and ``acceleration`` are ratios to the largest of the nearby sources; ``slip`` is the farthest that a
    planted heel or toe slides in the blend, metres.
    """

    motion: Clip
    start: int
    stop: int
    speed: float
    acceleration: float
    slip: float
    length: float
    why: str


def cross(
    pair: ClipPair,
    point: TransitionPoint,
    *,
    length: float | LengthMethod = "auto",
    way: str = DEFAULTS.way,
    feet: SeamFeet = DEFAULTS.feet,
) -> Crossing:
    """Make the transition at a point and measure it.

    Raises
    ------
    SettingError
        If a blend of that length does not fit, or a setting is unknown.

    Examples
    --------
    >>> import segue
    >>> pair = clip_pair(segue.sample("walk"), segue.sample("stop"), cost=segue.PointCloudCost())
    >>> made = cross(pair, pair.search.at("auto")[0])
    >>> made.stop > made.start, made.acceleration < 3
    (True, True)
    """
    why = ""
    if isinstance(length, str):
        found = blend_length_at(pair.a, pair.b, point, method=length)
        why = found.why
    motion = splice(pair.a, pair.b, point, length=length, way=way, feet=feet)
    a, b = pair.a, resampled(pair.b, pair.a.fps)
    sources = [a] if pair.b is pair.a else [a, b]
    # Within one clip a jump may look like unbroken motion: the blend is where two frames share the weight.
    mixed = np.flatnonzero((motion.origin.weight > 0).all(axis=1))
    start, stop = (int(mixed[0]), int(mixed[-1]) + 1) if mixed.size else (point.a_frame, point.a_frame)
    speed, acceleration = _ratios(motion, sources, (start, stop))
    return Crossing(
        motion,
        start,
        stop,
        speed,
        acceleration,
        _slip(motion, sources, start, stop),
        (stop - start) / a.fps,
        why,
    )


def _ratios(motion: Clip, sources: list[Clip], span: tuple[int, int]) -> tuple[float, float]:
    try:
        seam = seams(motion, sources, ranges=[span])[0]
    except SegueError:  # another frame rate: nothing to compare with
        return 0.0, 0.0
    fastest = float(np.max(seam.speed, initial=0.0)) / max(
        float(np.max(seam.source_speed, initial=0.0)), 1e-9
    )
    return fastest, float(np.max(seam.acceleration_ratio, initial=0.0))


def _slip(motion: Clip, sources: list[Clip], start: int, stop: int) -> float:
    planted = carried_contacts(motion, sources)
    near = [
        slide.start_to_end
        for slide in foot_skate(motion, planted=planted)
        if slide.start < stop and slide.stop > start
    ]
    return max(near, default=0.0)


COMMAND = "cross"


@dataclass(frozen=True)
class CrossJob:
    """Everything besides the clips that determines one transition.

    Parameters
    ----------
    a, b
        Names of the clip left and of the clip arrived in.
    a_frame, b_frame
        Frames that are aligned with each other.
    length
        Seconds of the blend, or the method that chooses them.
    way, feet
        The blend method, and the treatment of planted feet.
    cost
        The cost that aligns them, as `segue.costs.registry.as_document` returns it.
    """

    a: str
    b: str
    a_frame: int
    b_frame: int
    length: float | str
    way: str = DEFAULTS.way
    feet: str = DEFAULTS.feet
    cost: dict[str, Any] | None = None

    def document(self, cost: Cost) -> dict[str, Any]:
        """Settings of a record."""
        return {**asdict(self), "cost": as_document(cost)}


def crossed_again(record: Record, record_file: Path, clips: Sequence[Clip]) -> Clip:
    """Make the transition of a record again, from the record's clips.

    Raises
    ------
    FileError
        If its settings are not understood, or do not fit its clips.
    """
    job = recorded_settings(record, record_file, CrossJob)
    named = {clip.name: clip for clip in clips}
    if job.a not in named or job.b not in named:
        raise FileError(record_file, f"names {job.a!r} and {job.b!r}, which are not both among its sources")
    try:
        cost = cost_from(job.cost or {"name": DEFAULTS.cost})
        pair = clip_pair(named[job.a], named[job.b], cost=cost)
        point = point_of_frames(pair, job.a_frame, job.b_frame)
        made = cross(pair, point, length=job.length, way=job.way, feet=job.feet)  # type: ignore[arg-type]  # checked
    except SegueError as error:
        raise FileError(record_file, str(error)) from None
    return made.motion
