"""Point clouds of clips, and the ground motion that lays one windowed cloud onto another.

Shared by every cost: whatever compares two moments, they are aligned by the same rule.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, frozen
from segue.costs.protocol import Cloud
from segue.errors import SkeletonError
from segue.maths.planar import PlanarMotion, fit
from segue.motion.body import sample_points, stature
from segue.motion.clip import Clip
from segue.motion.kinematics import attached_points, world
from segue.motion.standard_body import StandardBody

REFERENCE_STATURE = 1.75
"""Metres: every body is scaled to it before moments are compared, so that thresholds carry over."""


def cloud_of(clip: Clip, body: StandardBody | None, *, points_per_segment: int) -> Cloud:
    """Sample points of every frame of a clip: of the mean body that wears it, or of its bones if it is no human."""
    scale = REFERENCE_STATURE / stature(clip.skeleton)
    if body is not None:
        return Cloud(*body.points(points_per_segment), scale)
    where = sample_points(clip.skeleton, points_per_segment)
    return Cloud(attached_points(world(clip), where.joints.tolist(), where.offsets), where.segments, scale)


def window_weights(half_window: int) -> Floats:
    """Weights (2L+1,) of a centred window, ``1 - (k/(L+1))^2`` for k = -L ... L, scaled to sum 1."""
    k = np.arange(-half_window, half_window + 1)
    weights = 1.0 - (k / (half_window + 1.0)) ** 2
    out: Floats = weights / weights.sum()
    return out


@lru_cache(maxsize=256)
def point_weights(segments: tuple[str, ...]) -> Floats:
    """Uniform weights (P,): every body part counts the same, shared evenly by its points; sum 1."""
    names, part, count = np.unique(segments, return_inverse=True, return_counts=True)
    return frozen(1.0 / (names.size * count[part]))


def shared(a: Cloud, b: Cloud) -> tuple[Cloud, Cloud]:
    """Two clouds restricted to the body parts both have, point for point.

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
    return _only(a, order), _only(b, order)


def _some(segments: tuple[str, ...]) -> str:
    names = list(dict.fromkeys(segments))
    return ", ".join(names[:4]) + (" ..." if len(names) > 4 else "")


def _only(cloud: Cloud, order: list[str]) -> Cloud:
    index = [p for segment in order for p, name in enumerate(cloud.segments) if name == segment]
    return Cloud(cloud.points[:, index], tuple(cloud.segments[p] for p in index), cloud.scale)


def windows(points: Positions, centres: Ints, half_window: int) -> Positions:
    """Windowed clouds (K, 2L+1, P, 3) around K centre frames."""
    out: Positions = points[centres[:, None] + np.arange(-half_window, half_window + 1)]
    return out


def align(a: Cloud, b: Cloud, frames: tuple[int, int], half_window: int) -> PlanarMotion:
    """Ground motion that lays cloud b around its frame onto cloud a around its own, in world metres.

    Frames beyond an end of a clip are brought to it. The window shrinks there to what both have on both sides. Turn
    and shift minimise the windowed point-cloud cost (dynamics-weighted point clouds, eq. for T; Kovar et al. 2002,
    eq. 2 to 4). Bodies are not scaled here: scaling either cloud does not change the turn, and the shift must hold
    for the clips as they are.
    """
    a, b = shared(a, b)
    ends = a.points.shape[0] - 1, b.points.shape[0] - 1
    i, j = (min(max(frame, 0), end) for frame, end in zip(frames, ends, strict=True))
    room = min(half_window, i, j, ends[0] - i, ends[1] - j)
    weights = window_weights(room)[:, None] * point_weights(a.segments)
    here = windows(a.points, np.array([i]), room).reshape(-1, 3)
    there = windows(b.points, np.array([j]), room).reshape(-1, 3)
    return fit(here, there, weights.ravel())
