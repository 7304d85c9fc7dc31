"""Convert joint positions to a clip: names or a layout, up axis, unit, then the fit of `segue.motion.positions`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from segue.arrays import Bools, Positions
from segue.errors import FileError, SegueError
from segue.io import units
from segue.motion.clip import Clip, SourceFormat
from segue.motion.positions.fit import fitted, prepared
from segue.motion.positions.growing import grown
from segue.motion.positions.layouts import Layout, counts, layouts_of
from segue.motion.positions.trees import JointTree, tree_of
from segue.motion.role_names import limb_roles_by_name

NOMINAL_FPS = 30.0
FEWEST, MOST_JOINTS = 8, 512
_FAR = 1e6
_AXES = {"+Y": 0.0, "+Z": 0.05, "-Y": 0.1, "-Z": 0.15, "+X": 0.3, "-X": 0.3}
"""Axes that can be up, with a penalty for less usual ones."""
_CLEAR = 0.7  # cosine between an axis and the direction from feet to shoulders of a standing body
_FLOOR, _LOW = 0.12, 1.0  # leg lengths: tolerance of a floor at 0, and maximum height of a lying body
_CHANGES = 0.15  # relative variation of limb lengths above which the points are no body
_STAYS = 1e-3  # leg lengths that a root may move and still counts as still


@dataclass(frozen=True, eq=False)
class RawPositions:
    """Joint positions as stored in a file.

    Parameters
    ----------
    path, format, digest
        The file.
    points
        (F, P, 3) in file units and axes; NaN where a joint was not seen.
    names
        (P,) joint names; None if there are none.
    parents
        (P,) parents; None if there are none.
    fps
        Frames a second; None if the file holds none.
    notes
        Notes on the choices made so far.
    """

    path: Path
    format: str
    digest: str | Callable[[], str]
    points: Positions
    names: tuple[str, ...] | None = None
    parents: tuple[int, ...] | None = None
    fps: float | None = None
    notes: tuple[str, ...] = field(default=())


def clip_of(raw: RawPositions, *, fps: float | None, unit: float | None, up: str | None) -> Clip:
    """Make a clip of the positions of a file.

    Raises
    ------
    FileError
        If they are not positions of one body, or the joints cannot be identified.
    """
    points, notes = _checked(raw)
    names, layout, given = _names(raw, points)
    try:
        tree = tree_of(names, points, parents=raw.parents)
        _one_body(raw, tree, tree.places(points))
        axis, reported = _up(tree, points) if up is None else (up if up[0] in "+-" else f"+{up}", "")
        points = _turned(points, axis)
        scale, unit_note = (unit, "") if unit is not None else _unit(tree, points)
        rate, rate_note = _rate(raw, layout, fps)
        clip = fitted(prepared(tree, points * scale, fps=rate), name=raw.path.stem)
    except FileError:
        raise
    except SegueError as error:
        raise FileError(raw.path, str(error)) from error
    notes = [*raw.notes, *given, *notes, reported, unit_note, rate_note, *_notes(clip), _in_one_place(clip)]
    source = SourceFormat(
        path=str(raw.path),
        format=raw.format,
        metres_per_unit=scale,
        up=axis.removeprefix("+"),
        digest=raw.digest,
        notes=tuple(note for note in notes if note),
        extra={"positions": True},
    )
    return clip.with_source(source)


def _checked(raw: RawPositions) -> tuple[Positions, list[str]]:
    """Points with NaN for zeros that mean "not seen", and a note."""
    points = np.array(raw.points, dtype=np.float64)
    shape = points.shape
    if points.ndim != 3 or shape[2] != 3 or not shape[0] or not FEWEST <= shape[1] <= MOST_JOINTS:
        message = f"its positions have the shape {shape}; they must be (frames, joints, 3) of {FEWEST} joints or more"
        raise FileError(raw.path, message)
    far = np.abs(np.nan_to_num(points, nan=0.0)) > _FAR
    bad = np.flatnonzero(far.any(axis=(1, 2)))
    if bad.size:
        found = points[bad[0]][far[bad[0]]][0]
        raise FileError(
            raw.path, f"frame {bad[0]} holds {found:g}, which is no position ({bad.size} such frames)"
        )
    zero = (points == 0.0).all(axis=-1)
    partly = zero & ~zero.all(axis=0)
    # A tracked joint is never exactly at the origin; a detector writes zeros for a lost one.
    points[partly] = np.nan
    count = int(partly.sum())
    return points, [f"zeros: {count} joint positions of exactly 0, taken as not seen"] if count else []


def _names(raw: RawPositions, points: Positions) -> tuple[tuple[str, ...], Layout | None, list[str]]:
    """Names, the layout that gave them, and notes."""
    count = points.shape[1]
    if raw.names is not None:
        if len(raw.names) != count:
            raise FileError(raw.path, f"has {len(raw.names)} joint names for {count} joints")
        if len(limb_roles_by_name(raw.names)) >= 6 or raw.parents is not None:
            return raw.names, None, [f"layout: {count} joints by their names"]
    found = layouts_of(points)
    if len(found) == 1:
        return (
            found[0].names,
            found[0],
            [f"layout: {found[0].label}, {count} joints, by count and proportions"],
        )
    if raw.parents is not None:
        return (
            tuple(f"joint_{k}" for k in range(count)),
            None,
            [f"layout: {count} joints by their parents, names unknown"],
        )
    if raw.names is not None:
        shown = ", ".join(repr(name[:30]) for name in raw.names[:6])
        message = (
            f"its joint names do not identify a body ({shown} ...); use names such as 'left_hip', or add an "
            "array 'parents'"
        )
        raise FileError(raw.path, message)
    which = (
        f"fit {' and '.join(each.label for each in found)} alike" if found else "fit no layout that is known"
    )
    message = f"{count} joints without names {which} ({counts()}); save the names beside them, as the key 'joint_names'"
    raise FileError(raw.path, message)


def _one_body(raw: RawPositions, tree: JointTree, places: Positions) -> None:
    """Reject points whose limbs vary in length more than those of a body."""
    found = limb_roles_by_name(tree.names)
    bones = [
        (joint, int(tree.parents[joint]))
        for role, (joint, _) in found.items()
        if role.endswith(("knee", "ankle", "elbow", "wrist"))
    ]
    changes = []
    for joint, above in bones:
        size = np.linalg.norm(places[:, joint] - places[:, above], axis=-1)
        size = size[np.isfinite(size)]
        if size.size:
            middle = float(np.median(size))
            changes.append(float(np.median(np.abs(size - middle))) / middle if middle > 0 else np.inf)
    if changes and np.median(changes) > _CHANGES:
        message = (
            f"holds no positions of one body: the limbs' lengths vary by {100 * float(np.median(changes)):.0f} % "
            "(are they rotations, or 2-D key points?)"
        )
        raise FileError(raw.path, message)


def _up(tree: JointTree, points: Positions) -> tuple[str, str]:
    """Up axis with its sign, as "+Y" or "-Y", and a note on the evidence."""
    places = tree.places(points)
    found = {role: joint for role, (joint, _) in limb_roles_by_name(tree.names).items()}
    if not {"left_hip", "right_hip", "left_ankle", "right_ankle"} <= set(found):
        return "+Y", "up: Y, the usual one; the joints give no evidence"
    hips, ankles = (
        0.5 * (places[:, found[f"left_{part}"]] + places[:, found[f"right_{part}"]])
        for part in ("hip", "ankle")
    )
    tops = [found[f"{s}_shoulder"] for s in ("left", "right") if f"{s}_shoulder" in found]
    top = places[:, tops].mean(axis=1) if tops else hips
    upwards = (_unit_of(hips - ankles) + (_unit_of(top - hips) if tops else 0.0)) / (2.0 if tops else 1.0)
    upwards = upwards[np.isfinite(upwards).all(axis=-1)]
    if not len(upwards):
        return "+Y", "up: Y, the usual one; legs are not seen"
    leg = float(np.nanmedian(np.linalg.norm(hips - ankles, axis=-1)))
    scores = {
        axis: _upright(upwards, axis) - _unsteady(places, axis) / leg - late for axis, late in _AXES.items()
    }
    axis = max(scores, key=lambda each: scores[each])
    lying = _lying(places, "XYZ".index(axis[1]), leg)
    if lying:
        return lying, f"up: {lying[1]}, by the floor at 0; the body lies"
    seldom = "" if _upright(upwards, axis) > _CLEAR else "; the body seldom stands"
    return axis, f"up: {axis.removeprefix('+')}, from feet to shoulders over the motion{seldom}"


def _upright(upwards: Positions, axis: str) -> float:
    """80th percentile over the frames of the cosine between body and axis, -1 to 1."""
    along = upwards[:, "XYZ".index(axis[1])] * (1.0 if axis[0] == "+" else -1.0)
    return float(np.percentile(along, 80))


def _unsteady(places: Positions, axis: str) -> float:
    """Variation of the lowest joint's height along an axis: small over a floor in any motion."""
    heights = places[..., "XYZ".index(axis[1])] * (1.0 if axis[0] == "+" else -1.0)
    lowest = np.fmin.reduce(heights, axis=1)
    low, high = np.percentile(lowest[np.isfinite(lowest)], [10, 90])
    return float(high - low)


def _lying(places: Positions, column: int, leg: float) -> str:
    """Up axis of a lying body: it has a floor at 0, the axis along which the body seems to stand has none; else ""."""

    def low_high(axis: int) -> tuple[float, float]:
        low, high = np.nanpercentile(places[..., axis], [1, 99]) / leg
        return float(low), float(high)

    if abs(low_high(column)[0]) < 2.0 * _FLOOR:
        return ""
    for other in (1, 2):
        low, high = low_high(other)
        if other != column and abs(low) < _FLOOR and high < _LOW:
            return "+" + "XYZ"[other]
    return ""


def _unit_of(vectors: Positions) -> Positions:
    out: Positions = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return out


def _turned(points: Positions, axis: str) -> Positions:
    """Rotate points with ``axis`` up to Y up, by multiples of 90 degrees."""
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    turned = {
        "+Y": (x, y, z), "-Y": (x, -y, -z), "+Z": (x, z, -y), "-Z": (x, -z, y), "+X": (-y, x, z), "-X": (y, -x, z),
    }[axis]  # fmt: skip
    return np.stack(turned, axis=-1)


def _unit(tree: JointTree, points: Positions) -> tuple[float, str]:
    """Metres per unit, from the legs, and a note."""
    places = tree.places(points)
    body = grown(tree, places)
    root = places[:, 0, 1]
    return units.find_unit(
        body, units.limbs(body), float(np.nanmedian(root)) if np.isfinite(root).any() else 0.0
    )


def _rate(raw: RawPositions, layout: Layout | None, fps: float | None) -> tuple[float, str]:
    if fps is not None:
        return fps, ""
    if raw.fps is not None:
        return raw.fps, ""
    if layout is not None and layout.fps:
        return (
            layout.fps,
            f"rate: {layout.fps:g} frames a second, as {layout.label} has it; the file holds none",
        )
    return NOMINAL_FPS, f"rate: {NOMINAL_FPS:g} frames a second, nominal; the file holds none"


def _notes(clip: Clip) -> tuple[str, ...]:
    return clip.source.notes if clip.source is not None else ()


def _in_one_place(clip: Clip) -> str:
    """Note that a root that never moves removes the travel from a motion."""
    moves = float(np.ptp(clip.root_positions, axis=0).max())
    joints: Bools = np.ptp(clip.rotations, axis=0).max(axis=-1) > 1e-3
    if clip.n_frames > 1 and moves < _STAYS and joints.any():
        return "root: never moves; positions relative to it hold no travel and no height"
    return ""
