"""Calls about one pair of clips: cost matrix, threshold, two poses, curves over blend length, the transition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from segue.app.crossing import (
    COMMAND,
    ClipPair,
    CrossJob,
    clip_pair,
    cross,
    joint_gaps,
    length_curves,
    point_of_frames,
)
from segue.blending.durations import BlendLength
from segue.costs.registry import cost as cost_named
from segue.motion.resample import resampled
from segue.settings import parse_threshold
from segue.studio.motion_messages import SeamView
from segue.studio.packing import packed
from segue.studio.pair_messages import (
    CompareAsk,
    CompareView,
    CrossAsk,
    CrossView,
    CurvesAsk,
    CurvesView,
    JointCurve,
    JointDifference,
    PointView,
    PosesView,
    ThresholdAsk,
    ThresholdView,
)
from segue.studio.project import MadeMotion
from segue.studio.state import Studio
from segue.transitions.selection import TransitionPoints

_UNITS = {"point_cloud": "m²", "joint_angle": "rad²", "relative_distance": "", "features": ""}
_MOST_CELLS = 1_500_000
"""Most cells of a matrix that are sent; of a larger one every second row and column, or every third and so on."""
_MINIMA = 4000


def compare(studio: Studio, ask: CompareAsk) -> CompareView:
    """Compare two clips; return the points, and the number under which the matrix is fetched."""
    a, b = studio.project.clip(ask.a), studio.project.clip(ask.b)
    pair = clip_pair(a, b, cost=cost_named(ask.cost, **ask.settings))
    number = studio.pairs.add(pair)
    found = pair.search.at(parse_threshold(ask.threshold))
    values, (rows, columns) = pair.search.values, _steps(pair)
    finite = values[np.isfinite(values)]
    one, other = pair.search.prepared
    costs = pair.search.found
    order = np.argsort(costs.cost)[:_MINIMA]
    return CompareView(
        number,
        ask.a,
        ask.b,
        len(rows),
        len(columns),
        one.frames[rows].tolist(),
        other.frames[columns].tolist(),
        a.fps,
        pair.b.fps,
        float(finite.min()) if finite.size else 0.0,
        float(finite.max()) if finite.size else 0.0,
        _UNITS.get(ask.cost, ""),
        found.threshold.value,
        found.threshold.sentence,
        [
            PointView(int(one.frames[row]), int(other.frames[column]), float(cost))
            for (row, column), cost in zip(costs.cells[order], costs.cost[order], strict=True)
        ],
        _points(found),
        dict(found.counts),
        pair.search.reach(found.threshold.value),
        found.sentence,
        found.best_cost if math.isfinite(found.best_cost) else None,
    )


def _steps(pair: ClipPair) -> tuple[Any, Any]:
    """Return the indices of the rows and columns that are sent."""
    rows, columns = pair.search.values.shape
    step = max(1, math.ceil(math.sqrt(rows * columns / _MOST_CELLS)))
    return np.arange(0, rows, step), np.arange(0, columns, step)


def matrix_bytes(pair: ClipPair) -> bytes:
    """Return the costs of a comparison as float32; costs that are not finite are sent as the largest finite one."""
    rows, columns = _steps(pair)
    values = pair.search.values[np.ix_(rows, columns)]
    finite = np.isfinite(values)
    most = float(values[finite].max()) if finite.any() else 0.0
    return packed({}, {"values": np.where(finite, values, most)})


def _points(found: TransitionPoints) -> list[PointView]:
    return [PointView(point.a_frame, point.b_frame, point.cost) for point in found]


def threshold(studio: Studio, ask: ThresholdAsk) -> ThresholdView:
    """Return the points that pass another threshold, and the share of frames that they reach."""
    search = studio.pair(ask.id).search
    found = search.at(parse_threshold(ask.threshold))
    return ThresholdView(
        found.threshold.value,
        found.threshold.sentence,
        _points(found),
        dict(found.counts),
        search.reach(found.threshold.value),
        found.sentence,
    )


def poses(studio: Studio, ask: CurvesAsk) -> PosesView:
    """Compare two poses: their cost, their alignment on the ground, and the differences of their joints."""
    pair = studio.pair(ask.id)
    point = point_of_frames(pair, ask.a_frame, ask.b_frame)
    return PosesView(
        point.cost,
        point.alignment.turn,
        point.alignment.x,
        point.alignment.z,
        _gaps(pair, ask.a_frame, ask.b_frame),
    )


def _gaps(pair: ClipPair, a_frame: int, b_frame: int) -> list[JointDifference]:
    return [
        JointDifference(gap.role, math.degrees(gap.angle), gap.weight, gap.share)
        for gap in joint_gaps(pair.a, pair.b, a_frame=a_frame, b_frame=b_frame)
    ]


def curves(studio: Studio, ask: CurvesAsk) -> CurvesView:
    """Return the curves of cost against blend length."""
    pair = studio.pair(ask.id)
    found = length_curves(pair, point_of_frames(pair, ask.a_frame, ask.b_frame))
    return CurvesView(
        found.chosen.lengths.tolist(),
        found.chosen.curve.tolist(),
        found.chosen.seconds,
        found.chosen.why,
        found.geodesic.lengths.tolist(),
        found.geodesic.curve.tolist(),
        found.geodesic.seconds,
        _joint_curves(found.geodesic),
    )


def _joint_curves(found: BlendLength) -> list[JointCurve]:
    best = found.joint_seconds
    return [
        JointCurve(role, found.per_joint[:, k].tolist(), best[role]) for k, role in enumerate(found.roles)
    ]


def crossing(studio: Studio, ask: CrossAsk) -> CrossView:
    """Make the transition at two frames."""
    pair = studio.pair(ask.id)
    point = point_of_frames(pair, ask.a_frame, ask.b_frame)
    made = cross(pair, point, length=ask.length, way=ask.way, feet=ask.feet)  # type: ignore[arg-type]  # checked there
    job = CrossJob(pair.a.name, pair.b.name, ask.a_frame, ask.b_frame, ask.length, way=ask.way, feet=ask.feet)
    settings = job.document(pair.search.cost)
    other = resampled(pair.b, pair.a.fps)
    sources = (pair.a,) if pair.b is pair.a else (pair.a, other)
    read = tuple(studio.project.clip(clip.name) for clip in sources)
    motion = studio.keep(MadeMotion(made.motion, sources, COMMAND, settings, read))
    seam = SeamView(made.start, made.stop, pair.a.name, pair.b.name, made.speed, made.acceleration, made.slip)
    return CrossView(motion, seam, made.length, made.why)
