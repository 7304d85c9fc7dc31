"""Build the parts of a human mannequin from a skeleton's joints: trunk, head, and joints that no part covers.

Girths are those of an adult, scaled by the leg length; trunk and shoulders follow the body's own hips and shoulders.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Ints, Positions
from segue.io.mannequin_limbs import LEFT, RIGHT, TRUNK, MannequinLimbs
from segue.io.mannequin_shapes import Mesh, limb, stacked
from segue.motion.roles import SIDES

# Height above the skull's base, half width, half depth, shift to the front: metres of the average adult.
_SKULL = (
    (-0.03, 0.052, 0.05, 0.004),
    (0.0, 0.062, 0.07, 0.016),
    (0.035, 0.07, 0.088, 0.016),
    (0.07, 0.076, 0.098, 0.008),
    (0.11, 0.079, 0.1, 0.0),
    (0.145, 0.074, 0.092, -0.006),
    (0.175, 0.058, 0.072, -0.008),
    (0.193, 0.034, 0.042, -0.008),
)
_CROWN = 0.2


class HumanFigure(MannequinLimbs):
    """Builds the complete body."""

    def grown(self) -> list[tuple[Mesh, int]]:
        """Return all parts: meshes, each with `TRUNK`, `LEFT` or `RIGHT`."""
        self.trunk()
        for part, side in zip((LEFT, RIGHT), SIDES, strict=True):
            self.leg(side, part)
            self.arm(side, part)
        self.others()
        return self.meshes

    def trunk(self) -> None:
        """Add one skin from the crotch to the top of the neck that bends at every joint of the spine, and a head."""
        chain = self._spine()
        self.covered.update(chain)
        for role in ("left_clavicle", "right_clavicle"):
            if role in self.found:
                self.covered.add(self.found[role])
        hips = (self.at("left_hip") + self.at("right_hip")) / 2
        straight = self.rest[chain[-1]] - hips
        far = float(np.linalg.norm(straight))
        up = straight / far if far > 0.1 * self.size else np.array([0.0, 1.0, 0.0])
        # A trunk reaches above its shoulders, even if the neck joint is below them.
        tall = max(far, 0.2 * self.size, self._level(hips, up) + 0.07 * self.size)
        s = self.size
        hip = max(abs(float((self.at("left_hip") - hips) @ self.left)) + 0.072 * s, 0.15 * s)
        shoulder = self._shoulder(hips, hip)
        rows = _girths(hip, shoulder, s)
        # The chest ends at the body's own shoulders.
        rows[:, 0] = np.interp(
            rows[:, 0],
            (-0.1, 0.46, 0.79, 0.99),
            (-0.1, 0.46, np.clip(self._level(hips, up) / tall or 0.8, 0.66, 0.93), 0.99),
        )
        heights = rows[:, 0] * tall
        axis = np.array([self._on_spine(chain, hips, up, height, tall) for height in heights])
        centres = axis + rows[:, 3:] * self.front
        neck, skull = self._neck(chain[-1], up)
        if neck:
            more = np.linspace(0.35, 1.0, 3)[:, None]
            top = axis[-1]
            centres = np.concatenate([centres, top + more * (skull - top)])
            rows = np.concatenate([rows, np.tile([[0.0, 0.05 * s, 0.052 * s, 0.0]], (3, 1))])
        joints, weights = self._hung(chain, centres, up, self.found.get("head") if neck else None)
        ends = centres[0] - 0.02 * tall * up, centres[-1] + 0.02 * tall * up
        axes = self.left, self.front
        square = np.where(rows[:, 0] > 0.3, 2.3, 2.15)
        square[len(heights) - 1 :] = 2.0
        self.add(
            stacked(centres, rows[:, 1:3], axes, joints=joints, weights=weights, ends=ends, square=square),
            TRUNK,
        )
        self._head(chain[-1], skull, up)
        self._yoke(hips, up)

    def _yoke(self, hips: Positions, up: Positions) -> None:
        """Flesh from the chest to each shoulder, skinned to the shoulder's parent joint."""
        s = self.size
        for side in SIDES:
            if f"{side}_shoulder" not in self.found or f"{side}_elbow" not in self.found:
                continue
            shoulder = self.found[f"{side}_shoulder"]
            carrier = int(self.body.parents[shoulder])
            outer = self.rest[shoulder] + 0.004 * s * up
            middle = hips + float((outer - hips) @ up) * up
            inner = middle + 0.25 * (outer - middle) - 0.012 * s * up
            profile = ((0.0, 0.072 * s), (0.55, 0.064 * s), (1.0, 0.045 * s))
            self.add(limb(inner, outer, profile, joint=carrier, front=self.front, flat=0.94), TRUNK)

    def _spine(self) -> list[int]:
        """Joints from the pelvis up to the neck, or without one to the head, chest or spine."""
        found = self.found
        top = next(
            (found[role] for role in ("neck", "head", "chest", "spine") if role in found), found["pelvis"]
        )
        chain = [top]
        while chain[-1] != found["pelvis"] and self.body.parents[chain[-1]] >= 0:
            chain.append(int(self.body.parents[chain[-1]]))
        return chain[::-1]

    def _shoulder(self, hips: Positions, hip: float) -> float:
        """Half the trunk's width at the shoulders, in metres."""
        found = [self.at(f"{side}_shoulder") for side in SIDES if f"{side}_shoulder" in self.found]
        if not found:
            return 1.1 * hip
        wide = float(np.mean([abs((point - hips) @ self.left) for point in found]))
        return float(np.clip(wide - 0.008 * self.size, 0.11 * self.size, 0.22 * self.size))

    def _level(self, hips: Positions, up: Positions) -> float:
        """Height in metres of the shoulders above the hips, slightly below their joints; 0 without shoulders."""
        found = [self.at(f"{side}_shoulder") for side in SIDES if f"{side}_shoulder" in self.found]
        share = float(np.mean([(point - hips) @ up for point in found])) if found else 0.0
        return max(share - 0.01 * self.size, 0.0)

    def _on_spine(
        self, chain: list[int], hips: Positions, up: Positions, height: float, tall: float
    ) -> Positions:
        """Middle of the body at a height: on the line from hips to neck, shifted towards the spine's joints."""
        straight = hips + height * up
        heights = np.array([0.0, *((self.rest[joint] - hips) @ up for joint in chain[1:])])
        offs = [
            np.zeros(3),
            *(self.rest[joint] - hips - ((self.rest[joint] - hips) @ up) * up for joint in chain[1:]),
        ]
        order = np.argsort(heights)
        lean = np.array([np.interp(height, heights[order], np.array(offs)[order, axis]) for axis in range(3)])
        part = float(np.clip(height / tall, 0.0, 1.0))
        out: Positions = straight + (0.25 + 0.75 * part**3) * lean
        return out

    def _hung(
        self, chain: list[int], centres: Positions, up: Positions, head: int | None
    ) -> tuple[Ints, Floats]:
        """Two joints of the spine for each ring, and the weight of the lower, which varies smoothly."""
        joints = [*chain, *([head] if head is not None and head != chain[-1] else [])]
        levels = np.array([(self.rest[joint] - self.rest[chain[0]]) @ up for joint in joints])
        levels[0] = min(float(levels[0]), 0.0)
        levels = np.maximum.accumulate(levels)
        heights = (centres - self.rest[chain[0]]) @ up
        pairs, weights = [], []
        for height in heights:
            k = int(np.searchsorted(levels, height, side="right")) - 1
            low = min(max(k, 0), len(joints) - 1)
            span = (levels[low + 1] if low + 1 < len(joints) else levels[low] + 0.1 * self.size) - levels[low]
            below = low - 1 if low > 0 else low
            # Around a joint the weight passes from the bone below to the bone above.
            part = np.clip(0.5 + (height - levels[low]) / max(span, 1e-6), 0.0, 1.0)
            pairs.append((joints[below], joints[low]))
            weights.append(1.0 - part * part * (3.0 - 2.0 * part))
        return np.array(pairs, dtype=np.int64), np.array(weights)

    def _neck(self, top: int, up: Positions) -> tuple[bool, Positions]:
        """Whether there is a neck below the head, and the position of the skull's base."""
        head = self.found.get("head")
        if head is None or head == top:
            return False, self.rest[top] + 0.06 * self.size * up
        return True, self.rest[head]

    def _along_head(self, carrier: int, neck: Positions, up: Positions) -> Positions:
        """Direction of the skull (3,): the head's own bone, or between neck and trunk."""
        tip = self.body.tip(carrier)
        if tip is None or np.linalg.norm(tip) <= 0.05 * self.size:
            tip = 0.5 * neck / max(float(np.linalg.norm(neck)), 1e-9) + up
        out: Positions = tip / np.linalg.norm(tip)
        return out

    def _head(self, top: int, skull: Positions, up: Positions) -> None:
        carrier = self.found.get("head", top)
        self.covered.add(carrier)
        inside = {carrier}
        for joint in range(carrier + 1, self.body.n_joints):
            if int(self.body.parents[joint]) in inside:
                inside.add(joint)
        if carrier != top or "neck" not in self.found:
            self.covered |= inside
        s = self.size
        axis = self._along_head(carrier, skull - self.rest[top] if carrier != top else up, up)
        ahead = self.front - (self.front @ axis) * axis
        ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-9)
        rows = np.array(_SKULL) * s
        centres = skull + rows[:, :1] * axis + (rows[:, 3:] - 0.012 * s) * ahead
        ends = skull - 0.012 * s * ahead - 0.045 * s * axis, skull + _CROWN * s * axis - 0.02 * s * ahead
        count = len(rows)
        mesh = stacked(
            centres,
            rows[:, 1:3],
            (np.cross(axis, ahead), ahead),
            joints=np.full((count, 2), carrier, dtype=np.int64),
            weights=np.ones(count),
            ends=ends,
            square=2.15,
        )
        self.add(mesh, TRUNK)
        # A nose shows where a head faces.
        nose = skull + 0.062 * s * axis + 0.088 * s * ahead
        self.add(
            limb(
                nose + 0.03 * s * axis - 0.008 * s * ahead,
                nose - 0.004 * s * axis + 0.006 * s * ahead,
                ((0.0, 0.007 * s), (1.0, 0.0125 * s)),
                joint=carrier,
                front=ahead,
                around=12,
            ),
            TRUNK,
        )

    def others(self) -> None:
        """Add thin bones for joints that are no part of a human body, such as a tail or a carried object."""
        thin = 0.018 * self.size
        for joint in range(1, self.body.n_joints):
            parent = int(self.body.parents[joint])
            start, end = self.rest[parent], self.rest[joint]
            length = float(np.linalg.norm(end - start))
            if joint not in self.covered and parent not in self.found.values() and length > 0.03 * self.size:
                radius = min(thin, 0.3 * length)
                self.add(
                    limb(
                        start, end, ((0.0, radius), (1.0, radius)), joint=parent, front=self.front, around=12
                    ),
                    TRUNK,
                )


def _girths(hip: float, shoulder: float, s: float) -> Floats:
    """Share of the trunk's height, half width, half depth and shift to the front in metres, for a body of size ``s``.

    ``hip`` and ``shoulder`` are the trunk's half widths there.
    """
    depth = 0.6 + 0.4 * min(hip / (0.165 * s), 1.2)
    out: Floats = np.array(
        [
            (-0.10, 0.30 * hip, 0.055 * s, -0.006 * s),
            (-0.06, 0.72 * hip, 0.088 * s, -0.010 * s),
            (0.0, 0.97 * hip, 0.104 * s * depth, -0.012 * s),
            (0.09, 0.98 * hip, 0.104 * s * depth, -0.008 * s),
            (0.20, 0.86 * hip, 0.094 * s, 0.002 * s),
            (0.32, 0.79 * hip, 0.090 * s, 0.006 * s),
            (0.46, 0.5 * (0.82 * hip + 0.82 * shoulder), 0.102 * s, 0.006 * s),
            (0.60, 0.92 * shoulder, 0.115 * s, 0.008 * s),
            (0.72, 0.97 * shoulder, 0.112 * s, 0.002 * s),
            (0.81, 0.90 * shoulder, 0.096 * s, -0.006 * s),
            (0.88, 0.68 * shoulder, 0.078 * s, -0.010 * s),
            (0.94, 0.42 * shoulder, 0.062 * s, -0.008 * s),
            (0.99, 0.056 * s, 0.055 * s, -0.004 * s),
        ]
    )
    return out
