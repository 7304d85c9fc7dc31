"""Pose novelty: how far the poses of a made motion are from any captured pose.

Poses are compared independently of place and heading: positions of the joints relative to the root, with the heading
removed, in leg lengths. The distance of two poses is the root mean square over the joints. 0.1 is then, for an adult,
about 8 cm a joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints, frozen
from segue.errors import SkeletonError
from segue.maths.quaternions import conjugate, from_yaw, rotate
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.feet import leg_length
from segue.motion.kinematics import world_positions
from segue.motion.roles import roles

_RATE = 30.0
"""Poses a second of a motion that are compared; the captured poses are not subsampled."""
_CHUNK = 1 << 22
_YARDSTICK = 1500
"""Captured poses compared with the other clips at most, evenly spaced over all of them."""


@dataclass(frozen=True, eq=False)
class PoseNovelty:
    """Distances of poses from the nearest captured one.

    Parameters
    ----------
    frames
        (N,) frames of the motion that were compared, at most 30 a second.
    apart
        (N,) leg lengths to the nearest pose of any source; 0 for a captured pose.
    captured
        (M,) the same for poses of the sources, each compared with the other sources only; empty for a single source.
        The usual difference between one take and another.
    """

    frames: Ints
    apart: Floats
    captured: Floats

    @property
    def beyond(self) -> float:
        """Share of the poses farther from all captured ones than 95 % of captured ones are from the other sources.

        NaN for a single source.
        """
        if not self.captured.size:
            return float("nan")
        return float(np.mean(self.apart > np.percentile(self.captured, 95)))


def pose_novelty(clip: Clip, sources: Sequence[Clip]) -> PoseNovelty:
    """Measure how far every pose of a motion is from the nearest captured pose.

    Parameters
    ----------
    clip
        Any motion with the leg roles.
    sources
        Captured clips, on its skeleton; at least one.

    Raises
    ------
    SkeletonError
        If a source has another skeleton.

    Examples
    --------
    >>> import segue
    >>> walk, run = segue.sample("walk"), segue.sample("run")
    >>> float(pose_novelty(walk, [walk, run]).apart.max()), bool(pose_novelty(walk, [run]).apart.min() > 0.05)
    (0.0, True)
    """
    for source in sources:
        if not source.skeleton.same_as(clip.skeleton):
            msg = f"clips {source.name!r} and {clip.name!r} have different skeletons; retarget one"
            raise SkeletonError(msg)
    step = max(round(clip.fps / _RATE), 1)
    frames = np.arange(0, clip.n_frames, step)
    bodies = [pose_vectors(source) for source in sources]
    apart = _nearest(pose_vectors(clip)[frames], np.concatenate(bodies))
    return PoseNovelty(frozen(frames, np.int64), frozen(apart), frozen(_left_out(bodies)))


def pose_vectors(clip: Clip) -> Floats:
    """Return pose vectors (F, 3 K) whose Euclidean distance is the root mean square over K joints, in leg lengths.

    The joints are those of known roles except the root, relative to which all positions are given.
    """
    found = sorted(set(roles(clip.skeleton).values()) - {0}) or list(range(1, clip.skeleton.n_joints))
    at = world_positions(clip)
    # From the root and its heading, in leg lengths (decision 86).
    places = at[:, found] - at[:, :1]
    turned = rotate(conjugate(from_yaw(heading(clip)))[:, None], places)
    out: Floats = turned.reshape(clip.n_frames, -1) / (leg_length(clip.skeleton) * np.sqrt(len(found)))
    return out


def _nearest(wanted: Floats, known: Floats) -> Floats:
    """Distance (N,) of each vector (N, D) to the nearest of (M, D)."""
    middle = known.mean(axis=0)
    wanted, known = wanted - middle, known - middle
    sizes = np.sum(known * known, axis=1)
    out = np.empty(len(wanted))
    rows = max(_CHUNK // max(len(known), 1), 1)
    for start in range(0, len(wanted), rows):
        part = wanted[start : start + rows]
        # By squares alone, which loses half the digits; the distance to the nearest is then computed in full precision.
        best = np.argmin(sizes - 2.0 * (part @ known.T), axis=1)
        out[start : start + rows] = np.linalg.norm(part - known[best], axis=1)
    return out


def _left_out(bodies: Sequence[Floats]) -> Floats:
    """Distances (M,) of poses of each source to the nearest pose of all others."""
    if len(bodies) < 2:
        return np.zeros(0)
    step = max(sum(len(body) for body in bodies) // _YARDSTICK, 1)
    out = []
    for k, body in enumerate(bodies):
        others = np.concatenate([other for j, other in enumerate(bodies) if j != k])
        out.append(_nearest(body[::step], others))
    return np.concatenate(out)
