"""Splice two clips at one transition point into one motion."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from segue.arrays import Positions
from segue.blending.durations import BlendLength, blend_length
from segue.blending.methods import LengthMethod, blend_starts
from segue.errors import SettingError, loaded
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut, resampled
from segue.motion.roles import require
from segue.settings import DEFAULTS, Blend, RootMode, SeamFeet, feet_named
from segue.synthesis.assemble import Join, Plan, assemble
from segue.synthesis.feet.alignment import feet_met
from segue.synthesis.feet.seams import with_feet
from segue.synthesis.joins import JoinArrays
from segue.synthesis.retarget import retarget
from segue.transitions.transition import TransitionPoint

_LENGTH = cast("LengthMethod", DEFAULTS.length)


def splice(
    a: Clip,
    b: Clip,
    point: TransitionPoint,
    *,
    length: float | LengthMethod = _LENGTH,
    root: RootMode = DEFAULTS.root,
    way: str = DEFAULTS.way,
    feet: SeamFeet = DEFAULTS.feet,
) -> Clip:
    """Play clip a up to a transition point, blend, and play clip b from there to its end.

    Position and heading continue: b is moved along the ground to where a is. A clip of another skeleton is retargeted
    to a's, another frame rate is resampled to a's.

    Parameters
    ----------
    a, b
        The motion left and the motion arrived in.
    point
        Where to cross; its frames are frames of a and b. Aligned points are blended centre-aligned, start-end
        points from the frame left to the frame arrived at.
    length
        Blend length in seconds, or how to find it (`blend_length_at`): ``"fixed"`` is 1/3 s, or as much of it as fits
        around an aligned point near the end of a clip (Wang, ch. VI.1); ``"cut"`` (or 0) is a hard cut; ``"auto"``
        derives it from the motion.
    root
        How the root is blended, see `segue.blending.methods.Blend`.
    way
        Blend method: ``"equal_power"``, ``"crossfade"``, ``"linear"``, ``"sigmoid"``, ``"timewarped"``,
        ``"registration"``, ``"inertialization"`` or ``"dead"`` (`segue.blending.ways.WAYS`).
    feet
        How feet at the seam that either clip has on the ground are held (`segue.synthesis.feet.seams.with_feet`);
        unless they are free, the alignment is moved slightly so that they meet (`segue.synthesis.feet.alignment`).

    Raises
    ------
    SettingError
        If the point lies outside a clip, or the blend would need frames before or after one of the clips.

    Examples
    --------
    >>> import segue
    >>> walk, stop = segue.sample("walk"), segue.sample("stop")
    >>> points = segue.transition_points(walk, stop)
    >>> motion = segue.splice(walk, stop, points[0])
    >>> motion.origin.clips
    ('walk', 'stop')
    """
    loaded(a, b)
    feet = feet_named(feet)
    carried = retarget(b, a.skeleton)
    other = resampled(carried, a.fps)
    for clip, frame in ((a, point.a_frame), (b, point.b_frame)):
        if not 0 <= frame < clip.n_frames:
            msg = f"clip {clip.name!r} has frames 0 to {clip.n_frames - 1}; the point names {frame}"
            raise SettingError(msg)
    b_frame = min(round(point.b_frame * a.fps / b.fps), other.n_frames - 1)
    if isinstance(length, str):
        found = blend_length(a, other, a_frame=point.a_frame, b_frame=b_frame, kind=point.kind, method=length)
        seconds = found.seconds
    else:
        found, seconds = None, length
    blend = Blend(seconds=seconds, root=root, way=way)
    join = _join(
        a,
        other,
        blend,
        point,
        b_frame,
        shorten=found is not None and (point.kind == "aligned" or length != "fixed"),
    )
    if found is not None and found.from_seconds != found.to_seconds:
        join = _warped(join, found, a.n_frames - point.a_frame, b_frame, a.fps)
    if carried is not b:
        meeting = join.b_start + max(join.length // 2 - 1, 0)
        row = min(round(meeting * b.fps / a.fps), b.n_frames - 1)
        join = replace(join, alignment=_of_carried(b, carried, point.alignment, row))
    if feet != "free":
        join = replace(join, alignment=feet_met([a, other], JoinArrays.of(join)).join(0).alignment)
    made = assemble(
        [a, other], Plan(0, 0, (join,), other.n_frames), root=root, way=way, name=f"{a.name} to {b.name}"
    )
    return with_feet(made, (a, other), feet).clip


def blend_length_at(
    a: Clip, b: Clip, point: TransitionPoint, *, method: LengthMethod = "auto"
) -> BlendLength:
    """Return the blend length at a transition point, why it is that long, and the costs of the other lengths.

    See `segue.blending.durations.blend_length`; a clip of another skeleton or rate is retargeted or resampled first.

    Examples
    --------
    >>> import segue
    >>> walk, stop = segue.sample("walk"), segue.sample("stop")
    >>> blend_length_at(walk, stop, segue.transition_points(walk, stop)[0], method="velocity").method
    'velocity'
    """
    other = resampled(retarget(b, a.skeleton), a.fps)
    b_frame = min(round(point.b_frame * a.fps / b.fps), other.n_frames - 1)
    return blend_length(a, other, a_frame=point.a_frame, b_frame=b_frame, kind=point.kind, method=method)


def _warped(join: Join, found: BlendLength, left: int, b_frame: int, fps: float) -> Join:
    """Join that uses more frames of one side than of the other; A has ``left`` frames from the point on."""
    a_used = min(max(round(found.from_seconds * fps), 1), left)
    b_used = min(max(round(found.to_seconds * fps), 1), b_frame + 1)
    return replace(join, b_start=b_frame + 1 - b_used, length=max(a_used, b_used), used=(a_used, b_used))


def _join(a: Clip, b: Clip, blend: Blend, point: TransitionPoint, b_frame: int, *, shorten: bool) -> Join:
    """Join of the blend length asked for, or of the longest that fits where it may be shortened."""
    wanted = blend.frames(a.fps)
    fits = next(k for k in range(wanted, -1, -1) if not _outside(a, b, point, b_frame, k))
    if fits < wanted and not (shorten and fits > 0):
        msg = (
            f"a blend of {blend.seconds:.3g} s needs {' and '.join(_outside(a, b, point, b_frame, wanted))}; "
            f"at most length={fits / a.fps:.4g} fits here"
        )
        raise SettingError(msg)
    a_start, b_start = blend_starts(point.a_frame, b_frame, length=fits, kind=point.kind)
    return Join(0, a_start, 1, b_start, fits, point.alignment)


def _outside(a: Clip, b: Clip, point: TransitionPoint, b_frame: int, count: int) -> list[str]:
    """Frames that a blend of ``count`` frames would need and a clip lacks, in words."""
    starts = blend_starts(point.a_frame, b_frame, length=count, kind=point.kind)
    return [
        f"frames {start} to {start + count - 1} of {clip.name!r}, which has 0 to {clip.n_frames - 1}"
        for clip, start in zip((a, b), starts, strict=True)
        if start < 0 or start + count > clip.n_frames
    ]


def _of_carried(b: Clip, carried: Clip, alignment: PlanarMotion, frame: int) -> PlanarMotion:
    """Alignment for a clip retargeted to another body.

    The point's own alignment places the clip before retargeting. Travel is scaled with the legs, so far from the origin
    the retargeted clip is elsewhere: it is placed where the hips of the original would have been.
    """
    meant, stands = (
        motion.apply(np.mean(_hips(clip, frame), axis=0))
        for clip, motion in ((b, alignment), (carried, PlanarMotion(alignment.turn)))
    )
    return PlanarMotion(alignment.turn, float(meant[0] - stands[0]), float(meant[2] - stands[2]))


def _hips(clip: Clip, frame: int) -> Positions:
    """World positions (2, 3) of both hips in one frame."""
    found = require(clip.skeleton, "left_hip", "right_hip")
    return world_positions(cut(clip, frame, frame + 1))[0, list(found.values())]
