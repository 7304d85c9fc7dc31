"""Measure limbs that pass through the body: depth by which capsules of different limbs overlap."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions, frozen
from segue.motion.body import Capsule, capsules
from segue.motion.clip import Clip
from segue.motion.kinematics import World, attached_points, forward, world
from segue.motion.skeleton import Skeleton

_NEIGHBOURS = (
    {"pelvis", "trunk"},
    {"trunk", "head"},
    *({"trunk", f"{side}_upper_arm"} for side in ("left", "right")),
    *({"pelvis", f"{side}_thigh"} for side in ("left", "right")),
    *(
        {f"{side}_{a}", f"{side}_{b}"}
        for side in ("left", "right")
        for a, b in (
            ("upper_arm", "forearm"),
            ("forearm", "hand"),
            ("upper_arm", "hand"),
            ("thigh", "shin"),
            ("shin", "foot"),
        )
    ),
    {"left_thigh", "right_thigh"},
)


@dataclass(frozen=True, eq=False)
class Intersections:
    """Depths of overlapping capsules.

    Parameters
    ----------
    pairs
        Names of the segments of each pair that was checked.
    depth
        (F, P) metres by which each pair overlaps beyond what it does at rest; 0 where it does not.
    """

    pairs: tuple[tuple[str, str], ...]
    depth: Floats

    @property
    def deepest(self) -> Floats:
        """(F,) metres, the deepest pair of each frame."""
        out: Floats = self.depth.max(axis=1, initial=0.0)
        return out


def intersections(clip: Clip) -> Intersections:
    """Find how deep segments of the body pass through one another.

    Parameters
    ----------
    clip
        Any motion of a body with legs; its capsules are those of `segue.motion.body.capsules`.

    Notes
    -----
    Neighbours along a limb, and both thighs, always touch and are left out. Overlap that exists in the rest pose (a
    thick arm next to the trunk) counts only beyond that. Captured motion overlaps by some centimetres too, because
    capsules only approximate a body: compare with the sources' own.

    Examples
    --------
    >>> import segue
    >>> bool(intersections(segue.sample("walk")).deepest.max() < 0.1)
    True
    """
    body = capsules(clip.skeleton)
    pairs = [
        (i, j)
        for i, j in itertools.combinations(range(len(body)), 2)
        if {body[i].segment, body[j].segment} not in _NEIGHBOURS
    ]
    overlap = _overlaps(body, pairs, world(clip)) - np.maximum(_at_rest(clip.skeleton, body, pairs), 0.0)
    names = tuple((body[i].segment, body[j].segment) for i, j in pairs)
    return Intersections(names, frozen(np.maximum(overlap, 0.0)))


def beyond_sources(clip: Clip, sources: Sequence[Clip]) -> Floats:
    """Return metres (F,) by which segments of a made motion overlap more than the same two ever do in its sources."""
    most = np.max([intersections(source).depth.max(axis=0) for source in sources], axis=0)
    out: Floats = np.maximum(intersections(clip).depth - most, 0.0).max(axis=1, initial=0.0)
    return out


def _at_rest(skeleton: Skeleton, body: tuple[Capsule, ...], pairs: list[tuple[int, int]]) -> Floats:
    identity = np.zeros((1, skeleton.n_joints, 4))
    identity[..., 0] = 1.0
    return _overlaps(body, pairs, forward(skeleton, identity, np.zeros((1, 3))))


def _overlaps(body: tuple[Capsule, ...], pairs: list[tuple[int, int]], at: World) -> Floats:
    joints = [capsule.joint for capsule in body]
    ends = [
        attached_points(at, joints, np.array([getattr(capsule, end) for capsule in body]))
        for end in ("start", "end")
    ]
    out = np.empty((len(at.positions), len(pairs)))
    for k, (i, j) in enumerate(pairs):
        apart = segment_distance(ends[0][:, i], ends[1][:, i], ends[0][:, j], ends[1][:, j])
        out[:, k] = body[i].radius + body[j].radius - apart
    return out


def segment_distance(p0: Positions, p1: Positions, q0: Positions, q1: Positions) -> Floats:
    """Return the least distance (F,) between segments p0 p1 and q0 q1, each (F, 3) metres.

    Examples
    --------
    >>> import numpy as np
    >>> x, y, z = np.eye(3)[:, None]
    >>> segment_distance(0 * x, x, x + y, x + y + z).tolist()
    [1.0]
    """
    u, v, w = p1 - p0, q1 - q0, p0 - q0
    a, b, c = np.sum(u * u, -1), np.sum(u * v, -1), np.sum(v * v, -1)
    d, e = np.sum(u * w, -1), np.sum(v * w, -1)
    across = a * c - b * b
    tiny = 1e-12
    s = np.where(across > tiny, np.clip((b * e - c * d) / np.where(across > tiny, across, 1.0), 0, 1), 0.0)
    t = np.where(c > tiny, (b * s + e) / np.where(c > tiny, c, 1.0), 0.0)
    t = np.clip(t, 0.0, 1.0)
    s = np.where(a > tiny, np.clip((b * t - d) / np.where(a > tiny, a, 1.0), 0.0, 1.0), 0.0)
    out: Floats = np.linalg.norm(w + s[:, None] * u - t[:, None] * v, axis=-1)
    return out
