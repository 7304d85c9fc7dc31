"""Infer units and root positions that a file leaves open, and rotate to Y up.

Both are inferred from the body: legs have a known length, and no body walks half a leg below the ground. Each
choice is reported in a sentence for `Clip.source`. `segue.io.up_axis` finds the up axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Positions, Quaternions
from segue.errors import SettingError
from segue.maths.quaternions import conjugate, multiply
from segue.motion.kinematics import World, forward
from segue.motion.roles import roles
from segue.motion.skeleton import EndSite, Skeleton

CMU_UNIT = 0.0254 / 0.45
"""Metres per unit of CMU's files: one over 0.45 of an inch."""

_UNITS: tuple[tuple[float, str, tuple[float, float]], ...] = (
    (1.0, "metres", (0.25, 1.2)),
    (CMU_UNIT, "CMU units (1/0.45 inch)", (0.65, 1.05)),
    (0.0254, "inches", (0.7, 1.0)),
    (0.3048, "feet", (0.7, 1.0)),
    (0.01, "centimetres", (0.25, 1.2)),
    (0.001, "millimetres", (0.31, 1.2)),
    (0.1, "decimetres", (0.25, 1.2)),
)
"""Metres per unit, its name, and the range of leg length in metres for which it is chosen; the first that fits
is taken. Inches, feet and CMU's unit must give an adult, since legs of 30 units also fit a child in centimetres."""
_GROWN = frozenset({0.0254, 0.3048})
_SLIM = 2.35
"""An adult is about two legs tall; small children and figures with large heads exceed this ratio."""
_AS_WRITTEN = ((1.0, 8.5), (0.01, 1200.0), (0.001, np.inf))
"""Units for a body of any other size, and the number of units below which its legs must be."""
_USUAL = (0.01, 1.0)

LEG = 0.85
"""Metres from hip to ankle of an adult, along the bones."""
_LEGS = (0.1, 5.5)
_SIZES = (0.15, 50.0)
"""Metres of the body's extent, if it has no legs, for which a unit stated by the format is accepted."""
HEIGHT = 1.7
_SAMPLES = 64


@dataclass(frozen=True)
class BodyLengths:
    """Body data for the inference, in file units: leg length (0 if unknown) and joint indices."""

    leg: float
    hips: tuple[int, ...]
    ankles: tuple[int, ...]


def limbs(skeleton: Skeleton) -> BodyLengths:
    """Find the legs of a skeleton by roles."""
    found = roles(skeleton)
    lengths, hips, ankles = [], [], []
    for side in ("left", "right"):
        hip, ankle = found.get(f"{side}_hip"), found.get(f"{side}_ankle")
        if hip is None or ankle is None:
            continue
        joint, length = ankle, 0.0
        while joint > hip:
            length += float(np.linalg.norm(skeleton.offsets[joint]))
            joint = int(skeleton.parents[joint])
        lengths.append(length)
        hips.append(hip)
        ankles.append(ankle)
    return BodyLengths(float(np.mean(lengths)) if lengths else 0.0, tuple(hips), tuple(ankles))


def sampled_world(skeleton: Skeleton, rotations: Quaternions, roots: Positions) -> World:
    """World rotations and positions of up to 64 frames spread evenly over the motion."""
    count = rotations.shape[0]
    rows = np.unique(np.linspace(0, count - 1, min(count, _SAMPLES)).astype(np.int64))
    return forward(skeleton, rotations[rows], roots[rows])


def find_unit(skeleton: Skeleton, legs: BodyLengths, root_height: float) -> tuple[float, str]:
    """Infer metres per file unit; return them with a note on the evidence.

    The first known unit is taken that makes legs of 0.25 to 1.2 m, or for inches, feet and CMU's unit those
    of an adult. The numbers of a body of any other size are taken as metres, centimetres or millimetres;
    nothing is scaled to a usual size. Without legs the height of the body decides, centimetres first.
    """
    if legs.leg > 0:
        unit = _unit_of_legs(skeleton, legs)
        if unit is not None:
            scale, name = unit
            other = f"; as centimetres {0.01 * legs.leg:.2f} m, unit= overrides" if scale == 0.0254 else ""
            return (
                scale,
                f"unit: {name}, by the legs ({legs.leg:.4g} units = {scale * legs.leg:.2f} m{other})",
            )
        scale = next(unit for unit, most in _AS_WRITTEN if legs.leg < most)
        name = next(name for unit, name, _ in _UNITS if unit == scale)
        return scale, f"unit: {name}, as it is written (legs of {scale * legs.leg:.3g} m; unit= overrides)"
    points = _points(skeleton)
    size = float(max(np.ptp(points, axis=0).max(), abs(root_height) + points.max()))
    if size <= 0 or 0.3 <= 0.01 * size <= 3.5:
        return 0.01, f"unit: centimetres (no legs found; the body measures {size:.4g} units)"
    scale, name, _ = min(_UNITS, key=lambda unit: abs(np.log(unit[0] * size / HEIGHT)) + _rarity(unit[0]))
    return scale, f"unit: {name}, by the body's size ({size:.4g} units = {scale * size:.2f} m); no legs found"


def _unit_of_legs(skeleton: Skeleton, legs: BodyLengths) -> tuple[float, str] | None:
    """Known unit that fits the leg length, and its name."""
    slim = float(np.ptp(_points(skeleton), axis=0).max()) <= _SLIM * legs.leg
    for unit, name, (low, high) in _UNITS:
        if low <= unit * legs.leg <= high and (slim or unit not in _GROWN):
            return unit, name
    return None


def _rarity(unit: float) -> float:
    """Penalty for a unit less usual than metres and centimetres."""
    return 0.0 if unit in _USUAL else 0.1


def given_unit(skeleton: Skeleton, given: float, root_height: float) -> tuple[float, str]:
    """Metres per unit of a format that states one, and a note if the body makes that unit implausible.

    A unit that gives a possible body size (legs of 0.1 to 5.5 m) is accepted, and the note is empty.
    Otherwise the file's numbers are treated as if they had no unit, and a known unit is taken if one fits.

    Parameters
    ----------
    skeleton
        The body in metres by the stated unit, Y up.
    given
        Metres per file unit, by the format.
    root_height
        Height of the root above the ground, in the same metres.
    """
    legs = limbs(skeleton)
    size = legs.leg if legs.leg > 0 else float(np.ptp(skeleton.rest_positions(), axis=0).max())
    low, high = _LEGS if legs.leg > 0 else _SIZES
    if size <= 0 or low <= size <= high:
        return given, ""
    # Blender reads a file's numbers as metres, whatever their unit, and writes them so: try both.
    for base in (given, 1.0):
        body = to_metres(skeleton, unit=1.0 / base, up="Y")
        numbers = BodyLengths(legs.leg / base, legs.hips, legs.ankles)
        if legs.leg <= 0 or _unit_of_legs(body, numbers) is not None:
            found, note = find_unit(body, numbers, root_height / base)
            return found * given / base, note
    return given, ""


def unit_to_write(skeleton: Skeleton, wanted: float, root_height: float) -> float:
    """Metres per unit to write in a format that states no unit, so that a reader infers the body's own size.

    Parameters
    ----------
    skeleton
        The body in metres.
    wanted
        Metres per unit, taken if `find_unit` infers it from the body; else centimetres, metres or another known unit.
    root_height
        Height of the root above the ground, in metres.
    """
    legs = limbs(skeleton)
    for unit in (wanted, *_USUAL, 0.1, 0.001):
        body = to_metres(skeleton, unit=1.0 / unit, up="Y")
        found, _ = find_unit(body, BodyLengths(legs.leg / unit, legs.hips, legs.ankles), root_height / unit)
        if abs(found / unit - 1.0) < 1e-9:
            return unit
    return wanted


def _points(skeleton: Skeleton) -> Positions:
    """Joints and end sites of the rest pose, the root at the origin."""
    rest = skeleton.rest_positions() - skeleton.offsets[0]
    return np.vstack([rest, *[rest[site.joint] + site.offset for site in skeleton.end_sites]])


def root_is_displacement(
    skeleton: Skeleton, legs: BodyLengths, world: World, *, up: str, rest: str | None = None
) -> tuple[bool, str]:
    """Whether root positions are relative to the root's OFFSET, and a note; ``world`` treats them as absolute.

    ``up`` is the up axis of the world, ``rest`` that of the rest pose and the OFFSET; by default the same.

    They are relative if absolute positions put the feet more than half a leg below the ground, even in the
    frames in which the feet are highest, and displacements do not: a walk downhill begins at the ground.
    """
    rest = rest or up
    lift = float(to_y_up(skeleton.offsets[0], up=rest)[1])
    if not np.any(skeleton.offsets[0]):
        return False, ""
    text = "root positions: absolute (they replace the root's OFFSET)"
    feet, leg = list(legs.ankles), legs.leg
    if not feet:
        # No leg roles: the lowest joint of the rest pose is the foot, its depth below the root the leg length.
        heights = to_y_up(skeleton.rest_positions(), up=rest)[:, 1] - lift
        feet, leg = [int(np.argmin(heights))], -float(heights.min())
    if leg <= 0:
        return False, text
    lowest = to_y_up(world.positions[:, feet], up=up)[..., 1].min(axis=1)
    depth, highest = float(np.median(lowest)), float(np.percentile(lowest, 90))
    if max(depth, highest) < -0.5 * leg <= depth + lift:
        message = (
            "root positions: displacements from the root's OFFSET "
            f"(as absolute ones they put the feet {-depth / leg:.2g} legs under the ground)"
        )
        return True, message
    return False, text


UP_AXES = ("Y", "Z", "X", "-Y", "-Z", "-X")
"""Possible up axes of a file, the usual ones first."""

_TO_Y: dict[str, tuple[list[int], list[float]]] = {
    "Y": ([0, 1, 2], [1.0, 1.0, 1.0]),
    "Z": ([0, 2, 1], [1.0, 1.0, -1.0]),
    "X": ([1, 0, 2], [-1.0, 1.0, 1.0]),
    "-Y": ([0, 1, 2], [1.0, -1.0, -1.0]),
    "-Z": ([0, 2, 1], [1.0, -1.0, 1.0]),
    "-X": ([1, 0, 2], [1.0, -1.0, 1.0]),
}
"""For each up axis, the file coordinates that become x, y and z, and their signs: rotations about X or Z."""

_HALF = float(np.sqrt(0.5))
_TURN: dict[str, list[float]] = {
    "Y": [1.0, 0.0, 0.0, 0.0],
    "Z": [_HALF, -_HALF, 0.0, 0.0],
    "X": [_HALF, 0.0, 0.0, _HALF],
    "-Y": [0.0, 1.0, 0.0, 0.0],
    "-Z": [_HALF, _HALF, 0.0, 0.0],
    "-X": [_HALF, 0.0, 0.0, -_HALF],
}
"""The same rotations as quaternions."""


def to_y_up(vectors: Positions, *, up: str) -> Positions:
    """Rotate vectors (..., 3) from the file's axes to Y up: 90 or 180 degrees about X or Z, exact."""
    if up == "Y":
        return vectors
    order, signs = _TO_Y[up]
    out: Positions = np.take(vectors, order, axis=-1) * signs
    return out


def from_y_up(vectors: Positions, *, up: str) -> Positions:
    """Inverse of `to_y_up`."""
    if up == "Y":
        return vectors
    order, signs = _TO_Y[up]
    return np.take(vectors * signs, order, axis=-1)  # each order is its own inverse


def rotations_to_y_up(rotations: Quaternions, *, up: str, rest: str | None = None) -> Quaternions:
    """Convert local rotations (..., J, 4) to the axes of `to_y_up`.

    The axes of the rest pose are rotated by its up axis ``rest``; the world, relative to which joint 0 rotates,
    by ``up``. By default both are the same, and any array of rotations (..., 4) is conjugated by the rotation.
    """
    rest = rest or up
    out = rotations
    if rest != "Y":
        out = np.concatenate([rotations[..., :1], to_y_up(rotations[..., 1:], up=rest)], axis=-1)
    if rest != up:
        out = np.array(out)
        out[..., 0, :] = root_to_y_up(rotations[..., 0, :], up=up, rest=rest)
    return out


def rotations_from_y_up(rotations: Quaternions, *, up: str, rest: str | None = None) -> Quaternions:
    """Inverse of `rotations_to_y_up`."""
    rest = rest or up
    out = rotations
    if rest != "Y":
        out = np.concatenate([rotations[..., :1], from_y_up(rotations[..., 1:], up=rest)], axis=-1)
    if rest != up:
        out = np.array(out)
        out[..., 0, :] = root_from_y_up(rotations[..., 0, :], up=up, rest=rest)
    return out


def root_to_y_up(rotations: Quaternions, *, up: str, rest: str) -> Quaternions:
    """Convert rotations (..., 4) of joint 0, with ``up`` up in the world and ``rest`` in the rest pose, to Y up."""
    if up == rest:
        return rotations_to_y_up(rotations, up=up)
    return multiply(np.array(_TURN[up]), multiply(rotations, conjugate(np.array(_TURN[rest]))))


def root_from_y_up(rotations: Quaternions, *, up: str, rest: str) -> Quaternions:
    """Inverse of `root_to_y_up`."""
    if up == rest:
        return rotations_from_y_up(rotations, up=up)
    return multiply(conjugate(np.array(_TURN[up])), multiply(rotations, np.array(_TURN[rest])))


def to_metres(skeleton: Skeleton, *, unit: float, up: str, rest: str | None = None) -> Skeleton:
    """Convert a skeleton from file units and axes to metres, Y up; the root's OFFSET is a position in the world."""
    rest = rest or up
    offsets = to_y_up(skeleton.offsets, up=rest) * unit
    if rest != up:
        offsets[0] = to_y_up(skeleton.offsets[0], up=up) * unit
    return Skeleton(
        skeleton.names,
        skeleton.parents,
        offsets,
        [EndSite(site.joint, to_y_up(site.offset, up=rest) * unit) for site in skeleton.end_sites],
        roles_given=skeleton.roles_given,
    )


def checked_unit(unit: float | None) -> float | None:
    """Return a unit override after checking it."""
    if unit is not None and not (np.isfinite(unit) and unit > 0):
        msg = f"unit={unit!r} is not a length; give metres per file unit, e.g. 0.01 for centimetres"
        raise SettingError(msg)
    return unit


def checked_up(up: str | None) -> str | None:
    """Return an up-axis override, one of `UP_AXES`, after checking it; lower case and a plus sign are accepted."""
    if up is None:
        return None
    axis = str(up).strip().upper().removeprefix("+")
    if axis not in UP_AXES:
        msg = f"up={up!r} is not an up axis; it is X, Y or Z, with a minus where it points down (-Y)"
        raise SettingError(msg)
    return axis


def checked_fps(fps: float | None) -> float | None:
    """Return a frame-rate override after checking it."""
    if fps is not None and not (np.isfinite(fps) and fps > 0):
        msg = f"fps={fps!r} is not a frame rate; it must be a positive number"
        raise SettingError(msg)
    return fps
