"""Make a clip from joint positions, on a skeleton grown from them or on a given one.

On a given skeleton of the same size the fit is made on it directly, joint by joint. For another body the motion is
first fitted to a skeleton of the positions' own size and then retargeted, feet on the floor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from segue.arrays import Positions
from segue.errors import SettingError, SkeletonError
from segue.motion.clip import Clip, SourceFormat
from segue.motion.feet import leg_length
from segue.motion.kinematics import world_positions
from segue.motion.positions.fit import PreparedPositions, error_note, errors_of, fitted, prepared
from segue.motion.positions.layouts import counts, layouts_of
from segue.motion.positions.trees import tree_of
from segue.motion.positions.turning import Aim, turned
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.settings import SeamFeet, feet_named
from segue.synthesis.retarget import retarget
from segue.synthesis.retarget.carry import checked_legs

SAME, SAME_NOISY = 0.01, 0.1
"""Share by which limbs may differ from the positions' on a skeleton that is still the same body; more with noise, which
lengthens bones, if all names agree."""
OFF, OFF_NOISY = 0.01, 0.1
"""Leg lengths: largest 95th percentile of joint errors on a skeleton of the same body; more with noise, as above."""
_LIMBS = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))


def from_positions(
    positions: npt.ArrayLike,
    names: Sequence[str] | None = None,
    *,
    fps: float = 30.0,
    skeleton: Skeleton | None = None,
    parents: Sequence[int] | None = None,
    feet: SeamFeet = "locked",
    name: str = "clip",
) -> Clip:
    """Make a clip from joint positions, such as those of motion generators and pose estimators.

    Parameters
    ----------
    positions
        (F, P, 3) metres, Y up, one position a frame and joint; NaN where a joint is not seen. Files in other
        units and axes are read by `segue.load`, which detects both.
    names
        (P,) joint names in any usual naming; by default those of a well-known layout with that number of joints that
        fits the proportions: HumanML3D and SMPL 22, SMPL 24, KIT-ML 21, COCO 17, Human3.6M 17, MediaPipe 33.
    fps
        Frames a second.
    skeleton
        A body for the motion. By default one is grown: bone lengths by the median over frames, in a T-pose.
    parents
        (P,) parent of each joint, -1 for the root; by default found from the names.
    feet
        As in `segue.retarget`, where the skeleton has another size.
    name
        Of the clip.

    Returns
    -------
    Clip
        Its ``source.notes`` list assumptions, joints not seen, and how far joints are from the positions.

    Raises
    ------
    SettingError
        If the shape is not (F, P, 3), no joint is ever seen, or no layout fits and there are no names.
    SkeletonError
        If names and parents do not form a body, or the skeleton lacks a leg.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> again = segue.from_positions(segue.world_positions(walk), walk.skeleton.names, fps=walk.fps)
    >>> again.n_frames == walk.n_frames, again.source.notes[-1]
    (True, 'error: joints lie 0.0 mm (median) and 0.0 mm (95 %) from the positions')
    """
    feet = feet_named(feet)
    points = np.asarray(positions, dtype=np.float64)
    if points.ndim != 3 or points.shape[2] != 3 or not points.size:
        msg = f"positions have the shape {points.shape}; they must be (frames, joints, 3), in metres"
        raise SettingError(msg)
    notes: tuple[str, ...] = ()
    if names is None:
        names, notes = _named(points)
    if len(names) != points.shape[1]:
        msg = f"there are {len(names)} names for {points.shape[1]} joints; give one name per joint"
        raise SettingError(msg)
    ready = prepared(tree_of(names, points, parents=parents), points, fps=fps)
    same = None if skeleton is None else _on_same(ready, skeleton, name=name)
    clip = fitted(ready, name=name) if same is None else same
    if clip.source is not None:
        clip = clip.with_source(notes=(*notes, *clip.source.notes))
    if skeleton is None or same is not None:
        return clip
    checked_legs(clip.skeleton, skeleton, name=name)
    if not leg_length(clip.skeleton) > 0:
        msg = "the legs are never seen or have zero length, so the motion cannot be scaled to another body"
        raise SkeletonError(msg)
    return retarget(clip, skeleton, feet=feet)


def _named(points: Positions) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found = layouts_of(points)
    if len(found) != 1:
        which = (
            f"fit {' and '.join(layout.label for layout in found)} alike"
            if found
            else "fit no layout that is known"
        )
        msg = f"{points.shape[1]} joints without names {which} ({counts()}); give names="
        raise SettingError(msg)
    return found[0].names, (f"layout: {found[0].label}, {points.shape[1]} joints, by count and proportions",)


def on_same_body(clip: Clip, skeleton: Skeleton) -> Clip | None:
    """Fit a clip made from positions to a given skeleton joint by joint; return None if its size differs.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> grown = segue.from_positions(segue.world_positions(walk), walk.skeleton.names, fps=walk.fps)
    >>> on_same_body(grown, walk.skeleton).skeleton is walk.skeleton
    True
    """
    at = world_positions(clip)
    made = _on_same(PreparedPositions(clip.skeleton, at, at, clip.fps, ()), skeleton, name=clip.name)
    if made is None:
        return None
    return Clip(
        skeleton,
        made.rotations,
        made.root_positions,
        clip.fps,
        name=clip.name,
        origin=clip.origin,
        source=clip.source,
    )


def _on_same(ready: PreparedPositions, skeleton: Skeleton, *, name: str) -> Clip | None:
    """Clip on a given skeleton of the same size; None if its size differs."""
    pairs = _partners(ready.body, skeleton)
    loose = ready.noisy and set(ready.body.names) <= set(skeleton.names)
    if not _same_size(ready.body, skeleton, pairs, share=SAME_NOISY if loose else SAME):
        return None
    shape = (len(ready.places), skeleton.n_joints, 3)
    aims, measured = np.full(shape, np.nan), np.full(shape, np.nan)
    for ours, theirs in pairs.items():
        aims[:, ours], measured[:, ours] = ready.places[:, theirs], ready.measured[:, theirs]
    known = np.isfinite(aims).all(axis=(0, 2))
    rotations, roots = turned(skeleton, Aim(np.where(known[:, None], aims, 0.0), known), fps=ready.fps)
    off = errors_of(skeleton, rotations, roots, aims)
    if np.percentile(off, 95) > (OFF_NOISY if loose else OFF) * leg_length(skeleton):
        return None  # limbs of the same length, but another build
    errors = errors_of(skeleton, rotations, roots, measured)
    source = SourceFormat(
        format="positions", notes=(*ready.notes, error_note(errors)), extra={"positions": True}
    )
    return Clip(skeleton, rotations, roots, ready.fps, name=name, source=source)


def _partners(grown: Skeleton, skeleton: Skeleton) -> Mapping[int, int]:
    """Joint of the skeleton to joint of the grown one: of the same name, otherwise of the same role."""
    by_name = {name.lower(): joint for joint, name in enumerate(grown.names)}
    out = {
        joint: by_name[name.lower()] for joint, name in enumerate(skeleton.names) if name.lower() in by_name
    }
    ours, theirs = roles(skeleton), roles(grown)
    taken = set(out.values())
    for role, joint in ours.items():
        if role in theirs and joint not in out and theirs[role] not in taken:
            out[joint] = theirs[role]
    return out


def _same_size(grown: Skeleton, skeleton: Skeleton, pairs: Mapping[int, int], *, share: float) -> bool:
    """Whether the limbs of both bodies have the same length, so that a fit joint by joint makes sense."""
    ours, theirs = roles(skeleton), roles(grown)
    rest, rest_g = skeleton.rest_positions(), grown.rest_positions()
    compared = 0
    for side in ("left", "right"):
        for a, b in _LIMBS:
            ends = [f"{side}_{part}" for part in (a, b)]
            if not all(
                role in ours and role in theirs and pairs.get(ours[role]) == theirs[role] for role in ends
            ):
                continue
            one, other = (
                float(np.linalg.norm(at[found[ends[1]]] - at[found[ends[0]]]))
                for at, found in ((rest, ours), (rest_g, theirs))
            )
            if abs(one - other) > share * max(one, other):
                return False
            compared += 1
    return compared >= len(_LIMBS)
