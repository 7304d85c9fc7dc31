"""A body as flat shapes: points, thickness, colours, and the outline seen by a camera.

Each part is the hull of a few circles around points of the body, so that limbs have thickness and taper to wrist and
ankle, and a foot has a heel.

The camera of each figure is at a right angle to the body's direction, so that a turn is seen from its side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions
from segue.errors import SettingError, nearest
from segue.maths.quaternions import IDENTITY, conjugate, rotate
from segue.motion.clip import Clip
from segue.motion.facing import heading, rest_heading
from segue.motion.feet import FOOT_PARTS, foot_points, leg_length
from segue.motion.kinematics import world
from segue.motion.reference import standing
from segue.motion.roles import NEEDED, SIDES, roles
from segue.pictures.palette import LEFT, RIGHT, TRUNK

_LEG = 0.85  # metres from hip to ankle of the body for which the radii below are given
_CORNERS = 14  # points on each circle
_CIRCLE = np.column_stack(
    [np.cos(np.arange(_CORNERS) * 2 * np.pi / _CORNERS), np.sin(np.arange(_CORNERS) * 2 * np.pi / _CORNERS)]
)


@dataclass(frozen=True)
class BodyHull:
    """Circles around points of the body: indices into `Body.points`, radii in metres."""

    points: tuple[int, ...]
    radii: tuple[float, ...]


@dataclass(frozen=True)
class BodyPart:
    """Hulls of one colour that are drawn as one shape, without a line between them."""

    hulls: tuple[BodyHull, ...]
    colour: str


@dataclass(frozen=True)
class Body:
    """Points (F, P, 3) in metres of every frame, the parts drawn from them, and the points at the ends of the feet.

    ``feet`` maps ``left_heel, left_toe, right_heel, right_toe`` to points, as far as the skeleton has them.
    """

    points: Positions
    parts: tuple[BodyPart, ...]
    feet: dict[str, int]


class _Builder:
    """Assembles the parts of one clip's body, and the points beyond its joints that they need."""

    def __init__(self, clip: Clip) -> None:
        self.at = world(clip)
        self.skeleton, self.found = clip.skeleton, roles(clip.skeleton)
        self.rest = self.skeleton.rest_positions()
        self.extra: list[Positions] = []
        self.feet: dict[str, int] = {}
        self.human = all(role in self.found for role in NEEDED)
        self.size = leg_length(self.skeleton) / _LEG if self.human else 1.0

    def fixed_to(self, joint: int, offset: Floats) -> int:
        """Add a point that moves with a joint and return its index."""
        turned = rotate(self.at.rotations[:, joint], np.broadcast_to(offset, (len(self.at.positions), 3)))
        self.extra.append(self.at.positions[:, joint] + turned)
        return self.skeleton.n_joints + len(self.extra) - 1

    def points(self) -> Positions:
        return np.concatenate([self.at.positions, *(point[:, None] for point in self.extra)], axis=1)

    def hull(self, *circles: tuple[int, float]) -> BodyHull:
        radii = tuple(radius * self.size for _, radius in circles)
        return BodyHull(tuple(point for point, _ in circles), radii)

    def trunk(self) -> list[BodyPart]:
        found = self.found
        pelvis = found["pelvis"]
        spine = found.get("spine", pelvis)
        chest = found.get("chest", spine)
        hips = [(found[f"{side}_hip"], 0.078) for side in SIDES]
        shoulders = [(found[f"{side}_shoulder"], 0.05) for side in SIDES if f"{side}_shoulder" in found]
        hulls = [self.hull((pelvis, 0.1), *hips, (spine, 0.1), (chest, 0.105))]
        neck = [(found["neck"], 0.05)] if "neck" in found else []
        hulls.append(self.hull((chest, 0.11), *shoulders, *neck))
        if neck and "head" in found:
            hulls.append(self.hull((found["neck"], 0.055), (found["head"], 0.05)))
        return [BodyPart((*hulls, *self.head()), TRUNK)]

    def head(self) -> list[BodyHull]:
        """Return skull and jaw as one outline that points in the direction of the face."""
        head = self.found.get("head")
        if head is None:
            return []
        below = self.found.get("neck", max(int(self.skeleton.parents[head]), 0))
        body = standing(self.skeleton)
        rest, tip = body.rest_positions(), body.tip(head)
        up = rest[head] - rest[below] if tip is None or np.linalg.norm(tip) < 0.02 else tip
        up = _unit(up) if np.linalg.norm(up) > 1e-6 else np.array([0.0, 1.0, 0.0])
        angle = rest_heading(body)
        ahead = np.array([np.sin(angle), 0.0, np.cos(angle)])
        ahead = _unit(ahead - up * (ahead @ up))
        places = ((0.085, 0.01, 0.1), (0.02, 0.055, 0.04), (0.06, 0.122, 0.012))
        back = IDENTITY if self.skeleton.reference is None else conjugate(self.skeleton.reference[head])
        up, ahead = rotate(back, up), rotate(back, ahead)
        circles = [(self.fixed_to(head, (u * up + a * ahead) * self.size), radius) for u, a, radius in places]
        return [self.hull(*circles)]

    def leg(self, side: str, colour: str) -> list[BodyPart]:
        hip, knee, ankle = (self.found[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        ends = foot_points(self.skeleton)
        heel, ball = (
            self.fixed_to(int(ends.joints[k]), ends.offsets[k])
            for k in (FOOT_PARTS.index(f"{side}_heel"), FOOT_PARTS.index(f"{side}_toe"))
        )
        self.feet |= {f"{side}_heel": heel, f"{side}_toe": ball}
        hulls = [
            self.hull((hip, 0.08), (knee, 0.055)),
            self.hull((knee, 0.054), (ankle, 0.036)),
            self.hull((ankle, 0.036), (heel, 0.012), (ball, 0.024)),
        ]
        toe = self.found.get(f"{side}_toe")
        tip = None if toe is None else self.end(toe, 0.15 * self.size)
        if tip is not None:
            hulls.append(self.hull((ball, 0.024), (tip, 0.014)))
        return [BodyPart((hull,), colour) for hull in hulls]

    def arm(self, side: str, colour: str) -> list[BodyPart]:
        shoulder, elbow = self.found.get(f"{side}_shoulder"), self.found.get(f"{side}_elbow")
        if shoulder is None or elbow is None:
            return []
        hulls = [self.hull((shoulder, 0.05), (elbow, 0.037))]
        wrist = self.found.get(f"{side}_wrist")
        hand = None if wrist is None else self.end(wrist, 0.22 * self.size)
        wrist = self.end(elbow, 0.4 * self.size) if wrist is None else wrist
        if wrist is not None:
            hulls.append(self.hull((elbow, 0.036), (wrist, 0.026)))
        if wrist is not None and hand is not None:
            hulls.append(self.hull((wrist, 0.028), (hand, 0.024)))
        return [BodyPart((hull,), colour) for hull in hulls]

    def bones(self) -> list[BodyPart]:
        """Return every bone as a thin capsule, for bodies whose parts are unknown."""
        thick = 0.014 * (float(np.ptp(self.rest, axis=0).max()) or 1.0)
        parents = self.skeleton.parents.tolist()
        hulls = [self.hull((parents[joint], thick), (joint, 0.7 * thick)) for joint in range(1, len(parents))]
        tips = [(site.joint, self.fixed_to(site.joint, site.offset)) for site in self.skeleton.end_sites]
        hulls += [self.hull((joint, 0.7 * thick), (tip, 0.5 * thick)) for joint, tip in tips]
        return [BodyPart((hull,), TRUNK) for hull in hulls] or [BodyPart((self.hull((0, thick)),), TRUNK)]

    def end(self, joint: int, reach: float) -> int | None:
        """Return the farthest joint or tip below a joint within ``reach`` metres of it in the rest pose."""
        inside, best, far = {joint}, None, 1e-4
        tips: dict[int, Positions] = {}
        for other in range(joint, self.skeleton.n_joints):
            if other != joint and int(self.skeleton.parents[other]) not in inside:
                continue
            inside.add(other)
            tip = self.skeleton.tip(other)
            if tip is not None:
                tips[other] = tip
            distance = float(np.linalg.norm(self.rest[other] - self.rest[joint]))
            if far < distance <= reach:
                best, far = other, distance
        for other, tip in tips.items():
            distance = float(np.linalg.norm(self.rest[other] + tip - self.rest[joint]))
            if far < distance <= reach:
                best, far = self.fixed_to(other, tip), distance
        return best


def body(clip: Clip) -> Body:
    """Build points and parts of a clip's body; plain capsules for bones where human roles are not found."""
    built = _Builder(clip)
    if built.human:
        parts = built.trunk()
        for side, colour in zip(SIDES, (LEFT, RIGHT), strict=True):
            parts += built.leg(side, colour) + built.arm(side, colour)
    else:
        parts = built.bones()
    return Body(built.points(), tuple(parts), built.feet)


def _unit(vector: Floats) -> Floats:
    out: Floats = vector / max(float(np.linalg.norm(vector)), 1e-9)
    return out


def outline(centres: Floats, radii: Sequence[float]) -> Floats:
    """Compute the convex outline (N, 2) of circles with centres (K, 2) and radii (Andrew's monotone chain)."""
    cloud = (centres[:, None] + np.asarray(radii)[:, None, None] * _CIRCLE).reshape(-1, 2)
    cloud = cloud[np.lexsort((cloud[:, 1], cloud[:, 0]))]
    points = cloud.tolist()
    if len(radii) == 1:
        return np.asarray(centres[0] + radii[0] * _CIRCLE)

    def half(order: list[list[float]]) -> list[list[float]]:
        chain: list[list[float]] = []
        for x, y in order:
            while (
                len(chain) >= 2
                and (chain[-1][0] - chain[-2][0]) * (y - chain[-2][1])
                - (chain[-1][1] - chain[-2][1]) * (x - chain[-2][0])
                <= 0
            ):
                chain.pop()
            chain.append([x, y])
        return chain[:-1]

    return np.asarray(half(points) + half(points[::-1]))


VIEWS = ("auto", "side", "front", "travel")
_NEAR, _WIDE = 0.3, 1.0  # seconds: widths of the two smoothing filters
_SLOW = 0.25  # m/s below which a body does not travel


def choose_view(clip: Clip, view: str) -> str:
    """Return the view to draw: ``auto`` becomes ``front`` where a body mostly steps sideways, else ``side``."""
    if view not in VIEWS:
        msg = f"no view is called {view!r}; known: {', '.join(VIEWS)}; {nearest(view, VIEWS)}"
        raise SettingError(msg)
    if view != "auto":
        return view
    velocity = _ground_velocity(clip)
    angle = _camera_heading(clip)
    ahead = np.abs(velocity[:, 0] * np.sin(angle) + velocity[:, 1] * np.cos(angle)).mean()
    aside = np.abs(velocity[:, 0] * np.cos(angle) - velocity[:, 1] * np.sin(angle)).mean()
    return "front" if aside > max(1.3 * ahead, 0.1) else "side"


def cameras(clip: Clip, view: str) -> Floats:
    """Compute the angle (F,) in radians, 0 along +Z, of the forward direction of each frame's picture.

    The heading is averaged over about a stride, so that the swing of the pelvis is visible and not followed; while the
    body is upside down its heading is meaningless and the frames around it are used. ``travel`` takes the direction
    of the root's motion where it moves faster than 0.25 m/s.
    """
    if view != "travel":
        return _camera_heading(clip)
    velocity = _ground_velocity(clip)
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    turned = _camera_heading(clip)
    going = np.arctan2(velocity[:, 0], velocity[:, 1])
    weight = np.clip((speed - _SLOW) / _SLOW, 0.0, 1.0)
    mixed = weight * np.exp(1j * going) + (1.0 - weight) * np.exp(1j * turned)
    out: Floats = np.unwrap(np.angle(_smoothed(mixed, _NEAR * clip.fps)))
    return out


def project(points: Positions, root: Positions, angle: float, view: str) -> tuple[Floats, Floats]:
    """Project to 2D (P, 2) metres (right, up) from the root's ground point, and depth (P,) towards the camera.

    From the side the body looks to the right and its right limbs are nearer; from the front it looks at the camera.
    """
    ahead = np.array([np.sin(angle), np.cos(angle)])
    right = np.array([-np.cos(angle), np.sin(angle)])
    ground = points[:, [0, 2]] - root[[0, 2]]
    across, depth = (-ground @ right, ground @ ahead) if view == "front" else (ground @ ahead, ground @ right)
    return np.column_stack([across, points[:, 1]]), depth


def _camera_heading(clip: Clip) -> Floats:
    upright = rotate(clip.rotations[:, 0], np.broadcast_to([0.0, 1.0, 0.0], (clip.n_frames, 3)))[:, 1]
    facing = np.clip(upright, 0.0, None) ** 2 * np.exp(1j * heading(clip))
    near = _smoothed(facing, _NEAR * clip.fps)
    # The wide average only counts where the near one is almost zero: lying down, rolling.
    total = near + 0.02 * _smoothed(facing, _WIDE * clip.fps) + 1e-9 * facing.sum() + 1e-30
    out: Floats = np.unwrap(np.angle(total))
    return out


def _ground_velocity(clip: Clip) -> Floats:
    if clip.n_frames < 2:
        return np.zeros((clip.n_frames, 2))
    ground = clip.root_positions[:, 0] + 1j * clip.root_positions[:, 2]
    velocity = np.gradient(_smoothed(ground, 0.2 * clip.fps)) * clip.fps
    return np.column_stack([velocity.real, velocity.imag])


def _smoothed(values: np.ndarray, width: float) -> np.ndarray:
    """Gaussian average along time; ends are held."""
    reach = max(int(np.ceil(2.5 * width)), 1)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(width, 1e-6)) ** 2)
    padded = np.concatenate([np.repeat(values[:1], reach), values, np.repeat(values[-1:], reach)])
    return np.convolve(padded, kernel / kernel.sum(), mode="valid")
