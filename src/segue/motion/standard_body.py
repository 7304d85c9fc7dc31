"""Motions on one body of mean proportions, so that moments of different people can be compared.

Two people in the same pose have limbs of different lengths. Comparing their points would find a difference that
no transition shows, because a motion is retargeted to one skeleton before it is played. Each limb therefore keeps
its world orientation, and its length becomes that of a mean body with the same legs. The middle of the hips does
not move.

Lengths are fractions of stature after Drillis & Contini 1966 (as tabled by Winter 2009, fig. 4.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions, frozen
from segue.maths.quaternions import rotate
from segue.motion.body import SEGMENTS, TRUNK_START, Capsule, capsules, is_human, on_axis, stature
from segue.motion.clip import Clip
from segue.motion.kinematics import World, world
from segue.motion.roles import SIDES, roles

PROPORTIONS: dict[str, float] = {
    "pelvis": 0.100,
    "trunk": 0.325,
    "neck": 0.060,
    "head": 0.085,
    "shoulder": 0.125,
    "upper_arm": 0.186,
    "forearm": 0.146,
    "hand": 0.108,
    "thigh": 0.245,
    "shin": 0.246,
    "foot": 0.085,
}
"""Lengths as fractions of stature: hip to hip, hips to neck, neck to skull, skull, neck to shoulder, limb bones."""

_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class StandardBody:
    """A motion on the mean body.

    Parameters
    ----------
    segments
        S names, in the order of `SEGMENTS`.
    starts, ends
        (F, S, 3) world metres, ends of each segment's axis.
    across
        (F, S, 3) unit vectors perpendicular to the axes.
    radii
        (S,) metres.
    joints
        Positions (F, 3) of joints by role.
    stature
        Metres.
    """

    segments: tuple[str, ...]
    starts: Positions
    ends: Positions
    across: Positions
    radii: Floats
    joints: dict[str, Positions]
    stature: float

    def points(self, per_segment: int) -> tuple[Positions, tuple[str, ...]]:
        """Return world positions (F, P, 3) of sample points and the segment of each."""
        heights, ring = on_axis(per_segment)
        axis = self.ends - self.starts
        third = np.cross(_unit(axis), self.across)
        points = np.empty((*axis.shape[:2], per_segment, 3))
        for k, (height, (one, other)) in enumerate(
            zip(heights, ring, strict=True)
        ):  # faster than one array for all
            off = one * self.across + other * third
            points[:, :, k] = self.starts + height * axis + self.radii[:, None] * off
        names = tuple(segment for segment in self.segments for _ in range(per_segment))
        return points.reshape(points.shape[0], -1, 3), names


def standard_body(clip: Clip) -> StandardBody | None:
    """Return the motion of a clip on the mean body, or None if its skeleton has no human legs.

    Examples
    --------
    >>> import segue
    >>> body = standard_body(segue.sample("walk"))
    >>> body.joints["left_knee"].shape, len(body.segments)
    ((361, 3), 15)
    """
    if not is_human(clip.skeleton):
        return None
    return _Dresser(clip).dressed()


class _Dresser:
    """Builds the mean body outwards from the middle of the hips."""

    def __init__(self, clip: Clip) -> None:
        self.at: World = world(clip)
        self.size = stature(clip.skeleton)
        self.roles = roles(clip.skeleton)
        self.capsules = {capsule.segment: capsule for capsule in capsules(clip.skeleton)}
        self.joints: dict[str, Positions] = {}
        self.axes: dict[str, tuple[Positions, Positions]] = {}

    def place(self, capsule: Capsule, point: Positions) -> Positions:
        """World positions (F, 3) of a point of a capsule."""
        return self.at.positions[:, capsule.joint] + self.turned(capsule, point)

    def turned(self, capsule: Capsule, vector: Positions) -> Positions:
        """World vectors (F, 3) of a vector of a capsule."""
        return rotate(self.at.rotations[:, capsule.joint], vector)

    def along(self, segment: str) -> Positions:
        """World vectors (F, 3) along a segment, with the mean body's length."""
        capsule = self.capsules[segment]
        kind = segment.removeprefix("left_").removeprefix("right_")
        return self.stretched(self.turned(capsule, capsule.end - capsule.start), kind)

    def stretched(self, vectors: Positions, kind: str) -> Positions:
        """Scale vectors (F, 3) to a length of the mean body; zero vectors stay zero."""
        return _unit(vectors) * (PROPORTIONS[kind] * self.size)  # mean lengths, own directions (decision 13)

    def dressed(self) -> StandardBody:
        """Return all segments and joints."""
        neck = self.middle()
        for side in SIDES:
            self.limb(side, "hip", ("thigh", "shin", "foot"), ("knee", "ankle", "toe"))
            if f"{side}_upper_arm" in self.capsules:
                arm = self.capsules[f"{side}_upper_arm"]
                real = self.capsules["trunk"]
                out = self.place(arm, arm.start) - self.place(real, real.end)
                self.joints[f"{side}_shoulder"] = neck + self.stretched(out, "shoulder")
                self.limb(side, "shoulder", ("upper_arm", "forearm", "hand"), ("elbow", "wrist", "hand"))
                del self.joints[f"{side}_hand"]
        kept = tuple(segment for segment in SEGMENTS if segment in self.axes)
        return StandardBody(
            kept,
            frozen(np.stack([self.axes[segment][0] for segment in kept], axis=1)),
            frozen(np.stack([self.axes[segment][1] for segment in kept], axis=1)),
            frozen(np.stack([self.across(segment) for segment in kept], axis=1)),
            frozen([self.capsules[segment].radius for segment in kept]),
            self.joints,
            self.size,
        )

    def middle(self) -> Positions:
        """Add pelvis, trunk and head; return the neck."""
        pelvis, trunk, head = (self.capsules[segment] for segment in ("pelvis", "trunk", "head"))
        hips = self.place(pelvis, (pelvis.start + pelvis.end) / 2)
        half = self.along("pelvis") / 2
        real_neck = self.place(trunk, trunk.end)
        spine = self.stretched(real_neck - hips, "trunk")
        neck = hips + spine
        skull = neck + self.stretched(self.place(head, head.start) - real_neck, "neck")
        self.axes["pelvis"] = (hips - half, hips + half)
        self.axes["trunk"] = (hips + TRUNK_START * spine, neck)
        self.axes["head"] = (skull, skull + self.along("head"))
        self.joints |= {"pelvis": hips, "neck": neck, "head": skull}
        self.joints |= {"left_hip": hips - half, "right_hip": hips + half}
        return neck

    def limb(self, side: str, root: str, segments: tuple[str, ...], ends: tuple[str, ...]) -> None:
        """Add segments end to end from a joint outwards."""
        here = self.joints[f"{side}_{root}"]
        for segment, end in zip(segments, ends, strict=True):
            there = here + self.along(f"{side}_{segment}")
            self.axes[f"{side}_{segment}"] = (here, there)
            self.joints[f"{side}_{end}"] = there
            here = there

    def across(self, segment: str) -> Positions:
        """Perpendicular of a segment; made perpendicular again for the trunk, whose axis differs from its capsule's."""
        capsule = self.capsules[segment]
        out = self.turned(capsule, capsule.across)
        if segment != "trunk":
            return out
        start, end = self.axes[segment]
        axis = _unit(end - start)
        return _unit(out - np.sum(out * axis, axis=-1, keepdims=True) * axis)


def _unit(vectors: Positions) -> Positions:
    """Normalise vectors (..., 3); zero vectors stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    out: Positions = np.where(length > _TINY, vectors / np.maximum(length, _TINY), 0.0)
    return out
