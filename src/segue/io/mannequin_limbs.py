"""Build arms and legs of a human mannequin: round bones joined by spheres, shoes, and hands with or without fingers.

`Growing` is the common base of all parts of a mannequin: the body they are built on, and the meshes built so far.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Positions
from segue.io.mannequin_shapes import Mesh, limb, stacked
from segue.motion.facing import rest_heading
from segue.motion.feet import FOOT_PARTS, foot_points, leg_length
from segue.motion.reference import standing
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton

TRUNK, LEFT, RIGHT = 0, 1, 2
"""Part of a body that a mesh belongs to, painted grey, orange and blue in pictures."""
_LEG = 0.85  # metres from hip to ankle of the adult whose girths the parts have


class Growing:
    """One skeleton with known legs, in its standing pose.

    ``size`` is its leg length over that of the average adult, ``front`` and ``left`` (3,) are unit vectors
    forwards and to its left, ``covered`` the joints that have a part, ``meshes`` the meshes built so far,
    each with `TRUNK`, `LEFT` or `RIGHT`.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.body = standing(skeleton)
        self.found = roles(self.body)
        self.rest = self.body.rest_positions()
        self.size = leg_length(self.body) / _LEG
        turn = rest_heading(self.body)
        self.front = np.array([np.sin(turn), 0.0, np.cos(turn)])
        self.left = np.array([np.cos(turn), 0.0, -np.sin(turn)])
        self.covered: set[int] = set()
        self.meshes: list[tuple[Mesh, int]] = []

    def at(self, role: str) -> Positions:
        """Return the rest position (3,) of a role's joint."""
        out: Positions = self.rest[self.found[role]]
        return out

    def add(self, mesh: Mesh, part: int) -> None:
        """Add a mesh of a part."""
        self.meshes.append((mesh, part))

    def below(self, joint: int) -> list[int]:
        """Return the descendants of a joint, in order."""
        inside: list[int] = []
        for other in range(joint + 1, self.body.n_joints):
            parent = int(self.body.parents[other])
            if parent == joint or parent in inside:
                inside.append(other)
        return inside


_UPPER_ARM = ((0.0, 0.052), (0.4, 0.044), (1.0, 0.035))
_FOREARM = ((0.0, 0.035), (0.28, 0.038), (1.0, 0.024))
_THIGH = ((0.0, 0.083), (0.35, 0.078), (1.0, 0.052))
_SHIN = ((0.0, 0.052), (0.3, 0.056), (0.85, 0.034), (1.0, 0.036))
_FINGER = 0.009
_HAND = 0.18  # metres from wrist to fingertips if a skeleton ends at the wrist
_FOREARM_LENGTH = 0.25  # and from elbow to wrist if it ends at the elbow


class MannequinLimbs(Growing):
    """Builds arms and legs."""

    def _bone(
        self, role: str, end: Positions, profile: tuple[tuple[float, float], ...], part: int, **more: float
    ) -> None:
        joint = self.found[role]
        self.covered.add(joint)
        scaled = [(place, radius * self.size) for place, radius in profile]
        bulge = more.get("bulge", 0.0) * self.size
        self.add(
            limb(
                self.rest[joint],
                end,
                scaled,
                joint=joint,
                front=self.front,
                bulge=bulge,
                flat=more.get("flat", 1.0),
            ),
            part,
        )

    def leg(self, side: str, part: int) -> None:
        """Add thigh, shin and shoe of a side."""
        self._bone(f"{side}_hip", self.at(f"{side}_knee"), _THIGH, part, bulge=0.008)
        self._bone(f"{side}_knee", self.at(f"{side}_ankle"), _SHIN, part, bulge=-0.014)
        self._foot(side, part)

    def _foot(self, side: str, part: int) -> None:
        """Add a shoe from behind the heel to the tip, flat below, that bends at the ball if there is a toe joint."""
        s = self.size
        ankle = self.found[f"{side}_ankle"]
        toe = self.found.get(f"{side}_toe", ankle)
        inside = {ankle, toe}
        for joint in range(self.body.n_joints):
            if int(self.body.parents[joint]) in inside:
                inside.add(joint)
        self.covered |= inside
        ends = foot_points(self.body)
        heel, ball = (
            self.rest[int(ends.joints[k])] + ends.offsets[k]
            for k in (FOOT_PARTS.index(f"{side}_heel"), FOOT_PARTS.index(f"{side}_toe"))
        )
        up = np.array([0.0, 1.0, 0.0])
        flat = ball - heel
        sole_drop = float(flat[1]) - float(ends.rest_heights[FOOT_PARTS.index(f"{side}_toe")])
        along = flat - flat[1] * up
        length = max(float(np.linalg.norm(along)), 0.08 * s)
        along = along / np.linalg.norm(along) if np.linalg.norm(along) > 1e-6 else self.front
        width = np.cross(up, along)
        high = max(float(self.rest[ankle][1] - heel[1]), 0.05 * s)
        rows = _shoe(high, s)
        rows[rows[:, 0] > 1.0, 0] = (
            1.0 + (rows[rows[:, 0] > 1.0, 0] - 1.0) * min(0.135 * s / length, 1.2) * 1.05
        )
        lower = heel + (rows[:, :1] * length) * along + np.clip(rows[:, :1], 0.0, 1.0) * sole_drop * up
        lift = np.array([0.012, 0.003, *([0.0] * (len(rows) - 3)), 0.006]) * s
        lower = lower + lift[:, None] * up
        halves = np.column_stack([rows[:, 1], (rows[:, 2] - lift) / 2])
        centres = lower + halves[:, 1:] * up
        weights = np.clip((1.12 - rows[:, 0]) / 0.24, 0.0, 1.0)
        pairs = np.tile(np.array([ankle, toe], dtype=np.int64), (len(rows), 1))
        poles = centres[0] - 0.012 * s * along, centres[-1] + 0.012 * s * along
        square = np.full(len(rows), 2.5)
        self.add(
            stacked(
                centres,
                halves,
                (width, up),
                joints=pairs,
                weights=weights,
                ends=poles,
                square=square,
                around=24,
            ),
            part,
        )

    def arm(self, side: str, part: int) -> None:
        """Add upper arm, forearm and hand of a side, if its elbow is known."""
        if f"{side}_shoulder" not in self.found or f"{side}_elbow" not in self.found:
            return
        elbow = self.found[f"{side}_elbow"]
        upper = self.at(f"{side}_elbow") - self.at(f"{side}_shoulder")
        self._bone(f"{side}_shoulder", self.rest[elbow], _UPPER_ARM, part)
        joint = self.found.get(f"{side}_wrist")
        if joint is None:
            tip = self.body.tip(elbow)
            along = upper if tip is None or np.linalg.norm(tip) < 0.05 * self.size else tip
            wrist = self.rest[elbow] + _FOREARM_LENGTH * self.size * along / max(
                float(np.linalg.norm(along)), 1e-9
            )
        else:
            wrist = self.rest[joint]
        self._bone(f"{side}_elbow", wrist, _FOREARM, part)
        self._hand(elbow if joint is None else joint, wrist, wrist - self.rest[elbow], part)

    def _hand(self, joint: int, wrist: Positions, along: Positions, part: int) -> None:
        """Add a mitten at the wrist, or a palm with fingers if the skeleton has at least four."""
        s = self.size
        below = self.below(joint)
        self.covered |= {joint, *below}
        along = along / max(float(np.linalg.norm(along)), 1e-9)
        starts = [
            child
            for child in self.body.children[joint]
            if np.linalg.norm(self.body.offsets[child]) > 0.015 * s
        ]
        fingers = len(starts) >= 4
        if fingers:
            reach = float(np.median([(self.rest[child] - wrist) @ along for child in starts]))
            reach = float(np.clip(reach, 0.05 * s, 0.12 * s))
        else:
            tips = [float((self.rest[other] - wrist) @ along) for other in below]
            tips += [
                float((self.rest[site.joint] + site.offset - wrist) @ along)
                for site in self.body.end_sites
                if site.joint == joint or site.joint in below
            ]
            reach = float(np.clip(max(tips, default=_HAND * s), 0.14 * s, 0.2 * s))
        thick = np.cross(along, self.front)
        if np.linalg.norm(thick) < 0.3:
            thick = np.array([0.0, 1.0, 0.0]) - along[1] * along
        thick = thick / np.linalg.norm(thick)
        # Share of the reach to the fingertips, half width, half thickness.
        shape = [(-0.06, 0.017, 0.016), (0.08, 0.024, 0.019), (0.25, 0.036, 0.019), (0.48, 0.041, 0.018)]
        shape += [(0.7, 0.038, 0.016), (0.88, 0.029, 0.013), (0.97, 0.015, 0.008)]
        rows = np.array(shape)
        if fingers:
            rows = np.array(
                [
                    (-0.1, 0.017, 0.016),
                    (0.15, 0.025, 0.018),
                    (0.5, 0.037, 0.018),
                    (0.9, 0.041, 0.015),
                    (1.06, 0.034, 0.009),
                ]
            )
        centres = wrist + rows[:, :1] * reach * along
        count = len(rows)
        self.add(
            stacked(
                centres,
                rows[:, 1:] * s,
                (np.cross(thick, along), thick),
                joints=np.full((count, 2), joint, dtype=np.int64),
                weights=np.ones(count),
                ends=(centres[0] - 0.01 * s * along, centres[-1] + 0.006 * s * along),
                square=2.3,
                around=20,
            ),
            part,
        )
        if fingers:
            self._fingers(below, part)
        else:
            self._thumb(joint, wrist, along, np.cross(thick, along), part)

    def _thumb(self, joint: int, wrist: Positions, along: Positions, wide: Positions, part: int) -> None:
        """Add a short thumb on the front side of the hand."""
        s = self.size
        inward = wide * (1.0 if wide @ self.front >= 0 else -1.0)
        base = wrist + 0.035 * s * along + 0.022 * s * inward
        end = base + 0.048 * s * along + 0.03 * s * inward
        self.add(
            limb(base, end, ((0.0, 0.0155 * s), (1.0, 0.0105 * s)), joint=joint, front=self.front, around=10),
            part,
        )

    def _fingers(self, below: list[int], part: int) -> None:
        radius = _FINGER * self.size
        for joint in below:
            ends = [self.rest[child] for child in self.body.children[joint]]
            tip = self.body.tip(joint)
            ends += [] if tip is None else [self.rest[joint] + tip]
            for end in ends:
                if np.linalg.norm(end - self.rest[joint]) > 0.3 * radius:
                    profile = ((0.0, radius), (1.0, 0.85 * radius))
                    self.add(
                        limb(self.rest[joint], end, profile, joint=joint, front=self.front, around=10), part
                    )


def _shoe(high: float, s: float) -> Floats:
    """Position from heel (0) to ball (1), half width, height of the upper side; metres of a body of size ``s``."""
    out: Floats = np.array(
        [
            (-0.16, 0.016 * s, 0.028 * s),
            (-0.10, 0.029 * s, min(0.052 * s, high)),
            (0.05, 0.035 * s, high + 0.012 * s),
            (0.25, 0.036 * s, high + 0.016 * s),
            (0.45, 0.037 * s, 0.86 * high),
            (0.70, 0.041 * s, 0.5 * high + 0.016 * s),
            (1.0, 0.046 * s, 0.045 * s),
            (1.22, 0.044 * s, 0.037 * s),
            (1.42, 0.034 * s, 0.030 * s),
            (1.54, 0.018 * s, 0.022 * s),
        ]
    )
    return out
