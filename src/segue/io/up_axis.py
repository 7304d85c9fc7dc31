"""Find the up axis of a file: the feet are below the hips, tested separately for the rest pose and the motion.

All six axes are tried. A body stands along an axis in a frame in which its legs are within 37 degrees of it.
The axis along which it stands in most frames of the motion is up, even if the rest pose is along another axis,
along which the body then stands in hardly any frame. An exception is a lying body: its feet move along the
motion's axis, or its hips stay near zero along the rest pose's. A body standing on its hands is recognised as
inverted. The position of joint 0 is not used: files put roots on the ground, at the hips or elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions
from segue.io.units import UP_AXES, BodyLengths, to_y_up
from segue.motion.kinematics import World
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton

_ALONG = 0.8
"""Cosine above which legs point along an axis: within 37 degrees."""
_SHORTEST = 0.25  # leg lengths between ankles and hips from which they define a direction
_MOST = 0.5  # share of frames in which a body must stand along the axis found from the motion
_NEVER = 0.1  # largest share of frames in which it may then stand along the rest pose's axis
_USUAL = ("Y", "Z")
_SPREAD = 0.25  # leg lengths: largest range of a standing body's feet along the axis
_LEVEL = 0.3  # leg lengths: largest range of a lying body's hips along the other axis
_LOW = (0.06, 0.45)  # leg lengths: height of a lying body's hips above zero
_TRAVEL = 1.0  # leg lengths that a walking body travels perpendicular to the axis
_STEP = 0.5  # leg lengths: range of the vector between its feet, perpendicular to the axis
_GROUND = (-0.15, 0.35)  # leg lengths: height above zero of the lower ankle of a standing body


@dataclass(frozen=True)
class Axes:
    """Up axis of the world, ``up``, and of the rest pose, ``rest``; each one of `segue.io.units.UP_AXES`."""

    up: str
    rest: str


def find_axes(
    skeleton: Skeleton, legs: BodyLengths, world: World, *, asked: str | None = None
) -> tuple[Axes, str]:
    """Find the up axes of a file, and a note on the evidence, empty if the axis is set by the user.

    Parameters
    ----------
    skeleton
        The body in file units and axes.
    legs
        The body's legs, from `segue.io.units.limbs`.
    world
        Frames spread over the motion, in file units and axes.
    asked
        Up axis of the world set by the user; the rest pose then keeps its own axis, or has this one.
    """
    if asked is not None:
        return Axes(asked, (rest_axis(skeleton, legs) if legs.hips else "") or asked), ""
    if not legs.hips:
        up, note = _without_legs(skeleton, world)
        return Axes(up, up), note
    still = rest_axis(skeleton, legs)
    moving = _by_motion(skeleton, legs, world, still)
    if moving and moving != still:
        why = (
            f"by the motion (the rest pose indicates {still})"
            if still
            else "the feet are below the hips over the motion"
        )
        return Axes(moving, still or moving), f"up: {moving}, {why}"
    if still in _USUAL or moving:
        seen = _named(np.median(_leg_directions(world.positions, legs), axis=0))
        doubt = seen not in {"", still}
        why = (
            f"by the rest pose (the motion indicates {seen})"
            if doubt
            else "the rest pose's feet are below its hips"
        )
        return Axes(still, still), f"up: {still}, {why}"
    return Axes("Y", still or "Y"), "up: Y, the usual one; the legs give no evidence"


def find_world_up(skeleton: Skeleton, legs: BodyLengths, world: World, *, usual: str) -> tuple[str, bool]:
    """Find the up axis of the world without evidence from the rest pose, and whether the motion shows it.

    ``usual`` is the format's up axis: it is kept if the body lies, or if the legs have no clear direction.
    """
    shares = _shares(_leg_directions(world.positions, legs))
    most = max(shares, key=lambda axis: shares[axis])
    up = _righted(skeleton, legs, world, most)
    if up == usual:
        return usual, False
    shown = shares[most] >= _MOST and shares[usual] <= _NEVER
    return (up, True) if shown and not _lies(legs, world, up, usual, otherwise=False) else (usual, False)


def rest_axis(skeleton: Skeleton, legs: BodyLengths) -> str:
    """Axis along which the rest pose stands (legs down, trunk up); empty if it does not stand."""
    rest = skeleton.rest_positions()
    axis = _named(_leg_directions(rest[None], legs)[0])
    top = _top(skeleton)
    if axis and top is not None:
        trunk = rest[top] - rest[list(legs.hips)].mean(axis=0)
        if _along(trunk, axis) <= 0.0:
            return ""
    return axis


def _by_motion(skeleton: Skeleton, legs: BodyLengths, world: World, still: str) -> str:
    """Axis along which the body stands in the motion; empty if undetermined."""
    directions = _leg_directions(world.positions, legs)
    shares = _shares(directions)
    most = max(shares, key=lambda axis: shares[axis])
    up = _righted(skeleton, legs, world, most)
    if still and up == still:
        return still
    if still:
        shown = shares[most] >= _MOST and shares[still] <= _NEVER
        if still not in _USUAL:
            usually = _named(np.median(directions, axis=0))
            return up if shown or (usually in _USUAL and up == usually) else ""
        return up if shown and not _lies(legs, world, up, still, otherwise=True) else ""
    usually = _named(np.median(directions, axis=0))
    if usually in _USUAL and up == usually:
        return usually
    shown = shares[most] >= _MOST and shares["Y"] <= _NEVER
    return up if shown and not _lies(legs, world, up, "Y", otherwise=True) else ""


def _lies(legs: BodyLengths, world: World, up: str, other: str, *, otherwise: bool) -> bool:
    """Whether a body whose legs point along ``up`` lies on a floor perpendicular to ``other``; else ``otherwise``.

    It lies if its feet move along its legs while the hips stay level, as in crawling, or if the hips stay near
    zero. It stands if it takes steps perpendicular to its legs, or has its feet at zero. If ``up`` is the
    opposite of ``other``, it may stand on its head: then only steps, or feet at zero, are evidence for ``up``.
    """
    leg = legs.leg
    places = to_y_up(world.positions, up=up) / leg
    hips, ankles = places[:, list(legs.hips)].mean(axis=1), places[:, list(legs.ankles)]
    heights = _along(world.positions[:, list(legs.hips)].mean(axis=1) / leg, other)
    level = _extent(heights) < _LEVEL
    feet = ankles[..., 1].min(axis=1)
    turned_over = up == _opposite(other)
    travel = float(np.hypot(*np.ptp(hips[:, [0, 2]], axis=0)))
    apart = (ankles[:, 0] - ankles[:, -1])[:, [0, 2]]
    if travel > _TRAVEL and float(np.hypot(*np.ptp(apart, axis=0))) > _STEP:
        return False
    if _extent(feet) > _SPREAD and not turned_over:
        return level
    if level and not turned_over and _LOW[0] < float(np.median(heights)) < _LOW[1]:
        return True
    if (travel > _TRAVEL and not turned_over) or _GROUND[0] < float(np.median(feet)) < _GROUND[1]:
        return False
    return otherwise or turned_over


def _righted(skeleton: Skeleton, legs: BodyLengths, world: World, up: str) -> str:
    """Opposite axis if the body stands on its hands (they are beyond the head in most frames), else ``up``."""
    found, top = roles(skeleton), _top(skeleton)
    hands = [found[role] for role in ("left_wrist", "right_wrist") if role in found]
    if top is None or not hands:
        return up
    heights = _along(world.positions, up)
    beyond = heights[:, hands].min(axis=1) - heights[:, top] > 0.1 * legs.leg
    return _opposite(up) if beyond.mean() > 0.5 else up


def _top(skeleton: Skeleton) -> int | None:
    """Joint at the upper end of the trunk."""
    found = roles(skeleton)
    return next((found[role] for role in ("head", "neck", "chest") if role in found), None)


def _leg_directions(positions: Positions, legs: BodyLengths) -> Floats:
    """Unit vectors (F, 3) from the middle of the ankles to that of the hips, shorter if the two are close."""
    up = positions[:, list(legs.hips)].mean(axis=1) - positions[:, list(legs.ankles)].mean(axis=1)
    out: Floats = up / np.maximum(np.linalg.norm(up, axis=-1, keepdims=True), _SHORTEST * legs.leg)
    return out


def _shares(directions: Floats) -> dict[str, float]:
    """Share of frames in which directions (F, 3) point along each axis."""
    return {axis: float((_along(directions, axis) > _ALONG).mean()) for axis in UP_AXES}


def _named(direction: Floats) -> str:
    """Axis within 37 degrees of a direction (3,), else an empty string."""
    return next((axis for axis in UP_AXES if _along(direction, axis) > _ALONG), "")


def _along(vectors: Positions, axis: str) -> Floats:
    """Coordinates (...) of vectors (..., 3) along a signed axis."""
    out: Floats = vectors[..., "XYZ".index(axis[-1])] * (-1.0 if axis[0] == "-" else 1.0)
    return out


def _opposite(axis: str) -> str:
    return axis[1:] if axis[0] == "-" else f"-{axis}"


def _extent(values: Floats) -> float:
    """Range of the middle nine tenths of the values, to ignore single frames."""
    low, high = np.percentile(values, [5, 95])
    return float(high - low)


def _without_legs(skeleton: Skeleton, world: World) -> tuple[str, str]:
    """Axis along which the rest pose is taller, and a note; a body is less deep than tall."""
    points = skeleton.rest_positions()
    points = np.vstack([points, *[points[site.joint] + site.offset for site in skeleton.end_sites]])
    spread = np.ptp(points, axis=0)
    root = np.median(np.abs(world.positions[:, 0]), axis=0)
    if spread[2] > 3.0 * spread[1] or (spread[2] > 1.5 * spread[1] and root[2] >= root[1]):
        return "Z", "up: Z, the body is tallest along it; no legs found"
    return "Y", "up: Y, the usual one; no legs found"
