"""Point clouds of clips, and the ground motion that aligns one windowed cloud with another.

Used for every cost: whatever compares two moments, they are aligned by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, frozen
from segue.costs.protocol import Cloud
from segue.errors import SkeletonError
from segue.maths.planar import PlanarMotion, fit
from segue.motion.body import capsules, on_axis, sample_points, stature
from segue.motion.clip import Clip
from segue.motion.kinematics import attached_points, world
from segue.motion.standard_body import StandardBody

REFERENCE_STATURE = 1.75
"""Stature in metres to which every body is scaled before moments are compared, so that thresholds are portable."""


KINDS = ("capsules", "joints", "bodies")
"""Representation of a body part: points on its capsule, the joints at its ends, or its position and orientation."""
_GYRATION = 0.1
"""Radius in metres of the reference body that weighs an orientation in a cloud of kind ``"bodies"``."""


def cloud_of(
    clip: Clip, body: StandardBody | None, *, points_per_segment: int, kind: str = "capsules"
) -> Cloud:
    """Points of every frame of a clip: of its standard body, or of its bones if it is not human.

    A part of a cloud of ``"bodies"`` is its centre and the tips of three axes fixed to it, in both
    directions: the mean squared distance of two parts is that of their centres plus a third of (0.1 m of the
    reference body)^2 times the squared distance of their rotation matrices.
    """
    scale = REFERENCE_STATURE / stature(clip.skeleton)
    if body is not None:
        if kind == "joints":
            return Cloud(*_named(body, np.stack([body.starts, body.ends], axis=2)), scale)
        if kind == "bodies":
            return Cloud(*_named(body, _axes(body.starts, body.ends, body.across, _GYRATION / scale)), scale)
        return Cloud(*body.points(points_per_segment), scale)
    if kind == "capsules":
        where = sample_points(clip.skeleton, points_per_segment)
        return Cloud(
            attached_points(world(clip), where.joints.tolist(), where.offsets), where.segments, scale
        )
    return Cloud(*_bones(clip, kind, _GYRATION / scale), scale)


def _named(body: StandardBody, points: Positions) -> tuple[Positions, tuple[str, ...]]:
    """Points (F, S, M, 3) flattened over the parts, and the part of each point."""
    names = tuple(segment for segment in body.segments for _ in range(points.shape[2]))
    return points.reshape(points.shape[0], -1, 3), names


def _axes(starts: Positions, ends: Positions, across: Positions, reach: float) -> Positions:
    """Tips (..., 6, 3) of three axes of each part around its centre, in both directions."""
    along = ends - starts
    long = np.linalg.norm(along, axis=-1, keepdims=True)
    along = along / np.where(long > 0, long, 1.0)
    arms = reach * np.stack([along, across, np.cross(along, across)], axis=-2)
    out: Positions = ((starts + ends) / 2)[..., None, :] + np.concatenate([arms, -arms], axis=-2)
    return out


def _bones(clip: Clip, kind: str, reach: float) -> tuple[Positions, tuple[str, ...]]:
    """Points (F, P, 3) of the bones of a non-human body, and the bone of each point."""
    body = capsules(clip.skeleton)
    ends = np.stack([np.stack([bone.start, bone.end]) for bone in body])
    if kind == "bodies":
        ends = _axes(ends[:, 0], ends[:, 1], np.stack([bone.across for bone in body]), reach)
    count = ends.shape[1]
    joints = [bone.joint for bone in body for _ in range(count)]
    names = tuple(bone.segment for bone in body for _ in range(count))
    return attached_points(world(clip), joints, ends.reshape(-1, 3)), names


def rigid_moments(kind: str, points_per_segment: int) -> Floats:
    """Matrix (K, M) that reduces the M points of a part to K <= 4 equivalent positions.

    A part is rigid: its points are its centre plus fixed multiples of at most three vectors. The first row
    takes the mean; the rows are orthogonal and their squares sum to 1/M, so that for two poses of a part
    ``sum_k |u_k - u'_k|^2 = sum_m |x_m - x'_m|^2 / M``, whatever the number of points.
    """
    if kind == "joints":
        places = np.array([[-1.0], [1.0]])
    elif kind == "bodies":
        places = np.concatenate([np.eye(3), -np.eye(3)])
    else:
        heights, ring = on_axis(points_per_segment)
        places = np.column_stack([heights - 0.5, ring])
    count = places.shape[0]
    columns = np.column_stack([np.ones(count), places])
    unitary, upper = np.linalg.qr(columns)
    kept = np.abs(np.diag(upper)) > 1e-9
    rows = unitary[:, : upper.shape[0]][:, kept].T / np.sqrt(count)
    return frozen(rows * np.sign(rows[0, 0]))


def moments(cloud: Cloud, rows: Floats) -> Positions:
    """Positions (F, S, K, 3) that represent the S parts of a cloud, scaled to the reference body."""
    per_part = rows.shape[1]
    points = cloud.points.reshape(cloud.points.shape[0], -1, per_part, 3)
    out: Positions = cloud.scale * np.einsum("km,fsmc->fskc", rows, points)
    return out


def window_weights(half_window: int) -> Floats:
    """Weights (2L+1,) of a centred window, ``1 - (k/(L+1))^2`` for k = -L ... L, scaled to sum 1."""
    k = np.arange(-half_window, half_window + 1)
    weights = 1.0 - (k / (half_window + 1.0)) ** 2
    out: Floats = weights / weights.sum()
    return out


@lru_cache(maxsize=256)
def point_weights(segments: tuple[str, ...]) -> Floats:
    """Uniform weights (P,): every body part counts the same, divided evenly among its points; sum 1."""
    names, part, count = np.unique(segments, return_inverse=True, return_counts=True)
    return frozen(1.0 / (names.size * count[part]))


def shared(a: Cloud, b: Cloud) -> tuple[Cloud, Cloud]:
    """Restrict two clouds to their common body parts, point for point.

    Raises
    ------
    SkeletonError
        If they have no part in common.
    """
    if a.segments == b.segments:
        return a, b
    both = set(a.segments) & set(b.segments)
    if not both:
        msg = (
            "two bodies share no segment, so that their points cannot be compared: "
            f"{_some(a.segments)} against {_some(b.segments)}; name their joints in a known scheme"
        )
        raise SkeletonError(msg)
    order = [segment for segment in dict.fromkeys(a.segments) if segment in both]
    return only(a, order), only(b, order)


def _some(segments: tuple[str, ...]) -> str:
    names = list(dict.fromkeys(segments))
    return ", ".join(names[:4]) + (" ..." if len(names) > 4 else "")


def only(cloud: Cloud, order: Sequence[str]) -> Cloud:
    """Points of some body parts, in that order."""
    index = [p for segment in order for p, name in enumerate(cloud.segments) if name == segment]
    return Cloud(cloud.points[:, index], tuple(cloud.segments[p] for p in index), cloud.scale)


def windows(points: Positions, centres: Ints, half_window: int) -> Positions:
    """Windowed clouds (K, 2L+1, P, 3) around K centre frames."""
    out: Positions = points[centres[:, None] + np.arange(-half_window, half_window + 1)]
    return out


def align(
    a: Cloud,
    b: Cloud,
    frames: tuple[int, int],
    half_window: int,
    *,
    weigh: Callable[[Ints, Ints], Floats] | None = None,
) -> PlanarMotion:
    """Ground motion that aligns cloud b around its frame with cloud a around its own, in world metres.

    Frames beyond an end of a clip are clamped to it. The window shrinks there to the frames that both clips
    have on both sides. Turn and shift minimise the windowed point-cloud cost (dynamics-weighted point clouds,
    eq. for T; Kovar et al. 2002, eq. 2 to 4). Bodies are not scaled here: scaling either cloud does not
    change the turn, and the shift must fit the clips as they are. ``weigh`` returns the weights (T, P) of the
    points at frames (T,) of both clips; without it every part counts the same.
    """
    a, b = shared(a, b)
    ends = a.points.shape[0] - 1, b.points.shape[0] - 1
    i, j = (min(max(frame, 0), end) for frame, end in zip(frames, ends, strict=True))
    room = min(half_window, i, j, ends[0] - i, ends[1] - j)
    around = np.arange(-room, room + 1)
    points = point_weights(a.segments) if weigh is None else weigh(i + around, j + around)
    weights = window_weights(room)[:, None] * points
    here = windows(a.points, np.array([i]), room).reshape(-1, 3)
    there = windows(b.points, np.array([j]), room).reshape(-1, 3)
    return fit(here, there, weights.ravel())
