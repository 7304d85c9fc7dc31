"""A simple body for any skeleton: fifteen capsules on bones given by roles, and points on them.

Every skeleton with hips, knees and ankles gets the same capsules in the same order, so that points of two
different skeletons correspond one to one. Missing limb ends are filled in from mean proportions: without a toe
joint the foot reaches the ankle's end site or points forward, without a wrist the hand is fixed to the forearm,
without a head joint the head is fixed to the neck. An arm without shoulder or elbow has no capsules; two such
bodies are compared on the capsules they share. Fingers and thumbs are ignored.

A skeleton without legs (not human) gets one capsule per bone, named after the joint at its far end.

Lengths are fractions of stature after Drillis & Contini 1966 (as tabled by Winter 2009, fig. 4.1); radii are
mean adult girths divided by 2 pi, as round fractions of stature.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen
from segue.errors import SettingError
from segue.maths.quaternions import conjugate, rotate
from segue.motion.facing import rest_heading
from segue.motion.reference import standing
from segue.motion.roles import NEEDED, SIDES, roles
from segue.motion.skeleton import Skeleton

LEG = 0.491
"""Hip to ankle as a fraction of stature."""
_TRUNK, _NECK, _HEAD, _FOREARM, _HAND, _FOOT = 0.288, 0.052, 0.10, 0.146, 0.108, 0.10
TRUNK_START = 0.25
"""The trunk capsule begins a quarter of the way from pelvis to neck, because the pelvis capsule covers the rest."""

RADII: dict[str, float] = {
    "pelvis": 0.085,
    "trunk": 0.080,
    "head": 0.050,
    "upper_arm": 0.025,
    "forearm": 0.020,
    "hand": 0.020,
    "thigh": 0.045,
    "shin": 0.030,
    "foot": 0.020,
}
"""Radius of each kind of capsule as a fraction of stature."""

SEGMENTS: tuple[str, ...] = (
    "pelvis",
    "trunk",
    "head",
    *(
        f"{side}_{part}"
        for side in SIDES
        for part in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
    ),
)
"""All segments of the human body, in the order of capsules and points."""

_SHARES = {
    "pelvis": 0.142,
    "trunk": 0.355,
    "head": 0.081,
    "upper_arm": 0.028,
    "forearm": 0.016,
    "hand": 0.006,
    "thigh": 0.100,
    "shin": 0.0465,
    "foot": 0.0145,
}
MASSES: dict[str, float] = {
    segment: _SHARES[segment.removeprefix("left_").removeprefix("right_")] for segment in SEGMENTS
}
"""Share of each segment in the body mass (Dempster 1955, as tabled by Winter 2009, table 4.1); the sum is 1."""

_GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Capsule:
    """A rounded cylinder fixed to a joint.

    Parameters
    ----------
    segment
        Its name.
    joint
        Index of the joint that carries it.
    start, end
        (3,) metres, ends of its axis in the joint's frame.
    radius
        Metres.
    across
        (3,) unit vector perpendicular to the axis: the direction of the first sample point from it.
    """

    segment: str
    joint: int
    start: Positions
    end: Positions
    radius: float
    across: Positions


@dataclass(frozen=True, eq=False)
class SamplePoints:
    """P points fixed to joints.

    Parameters
    ----------
    joints
        (P,) index of the joint that carries each point.
    offsets
        (P, 3) metres in the joint's frame.
    segments
        P names of segments.
    """

    joints: Ints
    offsets: Positions
    segments: tuple[str, ...]


def stature(skeleton: Skeleton) -> float:
    """Estimate body height in metres: mean hip-to-ankle bone length divided by 0.491.

    Legs are used because upper bodies of one person differ by a tenth between file formats while legs agree. For a
    skeleton without legs, return the diagonal of its rest pose's bounding box.

    Examples
    --------
    >>> import segue
    >>> 1.4 < stature(segue.sample("walk").skeleton) < 2.1
    True
    """
    if is_human(skeleton):
        found = roles(skeleton)
        rest = skeleton.rest_positions()
        legs = [
            np.linalg.norm(rest[found[f"{side}_{low}"]] - rest[found[f"{side}_{high}"]])
            for side in SIDES
            for high, low in (("hip", "knee"), ("knee", "ankle"))
        ]
        return float(sum(legs)) / 2.0 / LEG
    extent = float(np.linalg.norm(np.ptp(skeleton.rest_positions(), axis=0)))
    return extent if extent > _TINY else 1.0


@lru_cache(maxsize=256)
def capsules(skeleton: Skeleton) -> tuple[Capsule, ...]:
    """Capsules of a body in the order of `SEGMENTS`; segments it lacks are left out.

    Examples
    --------
    >>> import segue
    >>> len(capsules(segue.sample("walk").skeleton))
    15
    """
    if not is_human(skeleton):
        return _bones(skeleton)
    if skeleton.reference is not None:
        return tuple(_in_frame(each, skeleton.reference[each.joint]) for each in capsules(standing(skeleton)))
    marks = _Landmarks(skeleton)
    found = {**marks.middle(), **marks.limbs("left"), **marks.limbs("right")}
    return tuple(found[segment] for segment in SEGMENTS if segment in found)


@lru_cache(maxsize=256)
def sample_points(skeleton: Skeleton, per_segment: int = 4) -> SamplePoints:
    """Return points on every capsule, ``per_segment`` on each.

    They are evenly spaced along the axis and wind around it by the golden angle at the capsule's radius. Their mean
    lies on the axis, so that more points do not move a segment. A single point is the middle of the axis.

    Raises
    ------
    SettingError
        If ``per_segment`` is not at least 1.

    Examples
    --------
    >>> import segue
    >>> sample_points(segue.sample("walk").skeleton, 2).offsets.shape
    (30, 3)
    """
    if per_segment < 1:
        msg = f"a segment needs at least 1 sample point, not {per_segment}"
        raise SettingError(msg)
    body = capsules(skeleton)
    heights, ring = on_axis(per_segment)
    points = [_on(capsule, heights, ring) for capsule in body]
    return SamplePoints(
        frozen(np.repeat([capsule.joint for capsule in body], per_segment), np.int64),
        frozen(np.concatenate(points)),
        tuple(capsule.segment for capsule in body for _ in range(per_segment)),
    )


def on_axis(per_segment: int) -> tuple[Floats, Floats]:
    """Positions of n points on a capsule: fractions (n,) of its axis and multiples (n, 2) of its radius."""
    heights = (np.arange(per_segment) + 0.5) / per_segment
    around = np.arange(per_segment) * _GOLDEN_ANGLE
    ring = np.column_stack([np.cos(around), np.sin(around)])
    return heights, ring - ring.mean(axis=0)


def _on(capsule: Capsule, heights: Floats, ring: Floats) -> Positions:
    """Points (n, 3) at fractions (n,) of the axis and multiples (n, 2) of the radius."""
    axis = capsule.end - capsule.start
    third = np.cross(_unit(axis, np.zeros(3)), capsule.across)
    across = np.stack([capsule.across, third])
    out: Positions = capsule.start + heights[:, None] * axis + capsule.radius * ring @ across
    return out


def _unit(vector: Floats, otherwise: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length > _TINY else otherwise


def is_human(skeleton: Skeleton) -> bool:
    """Return whether both legs are known and have length."""
    found = roles(skeleton)
    if any(role not in found for role in NEEDED):
        return False
    rest = skeleton.rest_positions()
    bones = [
        rest[found[f"{side}_{low}"]] - rest[found[f"{side}_{high}"]]
        for side in SIDES
        for high, low in (("hip", "knee"), ("knee", "ankle"))
    ]
    return bool(np.all(np.linalg.norm(bones, axis=1) > _TINY))


def _capsule(
    segment: str, joint: int, ends: tuple[Floats, Floats], radius: float, towards: Floats
) -> Capsule:
    """Capsule from ends in the joint's frame; ``towards``, made perpendicular to its axis, becomes ``across``."""
    start, end = ends
    axis = _unit(end - start, np.zeros(3))
    across = _unit(towards - (towards @ axis) * axis, np.zeros(3))
    if not across.any():
        other = np.eye(3)[np.argmin(np.abs(axis))]
        across = _unit(other - (other @ axis) * axis, other)
    return Capsule(segment, int(joint), frozen(start), frozen(end), radius, frozen(across))


def _in_frame(capsule: Capsule, turn: Quaternions) -> Capsule:
    """Capsule of the reference pose in its joint's rest frame; ``turn`` (4,) is the joint's reference rotation."""
    back = conjugate(turn)
    parts = (rotate(back, part) for part in (capsule.start, capsule.end, capsule.across))
    start, end, across = (frozen(part) for part in parts)
    return replace(capsule, start=start, end=end, across=across)


class _Landmarks:
    """Points of the rest pose between which capsules are placed."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.roles = roles(skeleton)
        self.rest = skeleton.rest_positions()
        self.height = stature(skeleton)
        turn = rest_heading(skeleton)
        self.forward = np.array([np.sin(turn), 0.0, np.cos(turn)])
        hips = (self.at("left_hip") + self.at("right_hip")) / 2
        feet = (self.at("left_ankle") + self.at("right_ankle")) / 2
        top = next((self.at(role) for role in ("neck", "head") if role in self.roles), None)
        vertical = np.array([0.0, 1.0, 0.0])
        self.up = _unit(hips - feet, vertical) if top is None else _unit(top - hips, vertical)
        self.hips = hips
        self.neck = hips + _TRUNK * self.height * self.up if top is None else top

    def at(self, role: str) -> Floats:
        out: Floats = self.rest[self.roles[role]]
        return out

    def span(self, segment: str, joint: int, start: Floats, end: Floats) -> Capsule:
        """Capsule between two rest positions, carried by a joint (all frames are parallel in the rest pose)."""
        kind = segment.removeprefix("left_").removeprefix("right_")
        # A foot's axis points forward, so its points start above it.
        towards = self.up if kind in {"foot", "pelvis"} else self.forward
        origin = self.rest[joint]
        return _capsule(segment, joint, (start - origin, end - origin), RADII[kind] * self.height, towards)

    def first(self, *names: str) -> int:
        """Joint of the first known role; the last one must be known."""
        return next(self.roles[name] for name in names if name in self.roles)

    def middle(self) -> dict[str, Capsule]:
        """Pelvis, trunk and head."""
        start = self.hips + TRUNK_START * (self.neck - self.hips)
        skull = self.at("head") if "head" in self.roles else self.neck + _NECK * self.height * self.up
        carrier = self.first("chest", "spine", "pelvis")
        return {
            "pelvis": self.span("pelvis", self.roles["pelvis"], self.at("left_hip"), self.at("right_hip")),
            "trunk": self.span("trunk", carrier, start, self.neck),
            "head": self.span(
                "head",
                self.first("head", "neck", "chest", "spine", "pelvis"),
                skull,
                skull + _HEAD * self.height * self.up,
            ),
        }

    def limbs(self, side: str) -> dict[str, Capsule]:
        """Arm and leg of one side."""
        out = self._leg(side)
        if f"{side}_shoulder" in self.roles and f"{side}_elbow" in self.roles:
            out.update(self._arm(side))
        return out

    def _leg(self, side: str) -> dict[str, Capsule]:
        hip, knee, ankle = (self.roles[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        toe = self.roles.get(f"{side}_toe")
        ball = self.rest[toe] if toe is not None else self._beyond(ankle)
        if ball is None:
            down = 0.3 * self.up
            ball = self.rest[ankle] + _FOOT * self.height * (self.forward - down)
        return {
            f"{side}_thigh": self.span(f"{side}_thigh", hip, self.rest[hip], self.rest[knee]),
            f"{side}_shin": self.span(f"{side}_shin", knee, self.rest[knee], self.rest[ankle]),
            f"{side}_foot": self.span(f"{side}_foot", ankle, self.rest[ankle], ball),
        }

    def _arm(self, side: str) -> dict[str, Capsule]:
        shoulder, elbow = self.roles[f"{side}_shoulder"], self.roles[f"{side}_elbow"]
        hand = self.roles.get(f"{side}_wrist", elbow)
        along = _unit(self.rest[elbow] - self.rest[shoulder], -self.up)
        if hand == elbow:
            tip = self._beyond(elbow)
            along = along if tip is None else _unit(tip - self.rest[elbow], along)
            wrist = self.rest[elbow] + _FOREARM * self.height * along
        else:
            wrist = self.rest[hand]
            along = _unit(wrist - self.rest[elbow], along)
        return {
            f"{side}_upper_arm": self.span(
                f"{side}_upper_arm", shoulder, self.rest[shoulder], self.rest[elbow]
            ),
            f"{side}_forearm": self.span(f"{side}_forearm", elbow, self.rest[elbow], wrist),
            f"{side}_hand": self.span(f"{side}_hand", hand, wrist, wrist + _HAND * self.height * along),
        }

    def _beyond(self, joint: int) -> Floats | None:
        """Rest position of a joint's end site, else of its first child."""
        tip = self.skeleton.tip(joint)
        if tip is not None and np.linalg.norm(tip) > _TINY:
            out: Floats = self.rest[joint] + tip
            return out
        children = self.skeleton.children[joint]
        return self.rest[children[0]] if children else None


def _bones(skeleton: Skeleton) -> tuple[Capsule, ...]:
    """One capsule per bone, for bodies that are not human."""
    radius = RADII["shin"] * stature(skeleton)
    here, side = np.zeros(3), np.array([1.0, 0.0, 0.0])
    names, parents, tips = skeleton.names, skeleton.parents, skeleton.offsets
    out = [
        _capsule(names[joint], int(parents[joint]), (here, tips[joint]), radius, side)
        for joint in range(1, skeleton.n_joints)
    ]
    return tuple(out) or (_capsule(names[0], 0, (here, here), radius, side),)
