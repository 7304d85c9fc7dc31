"""A standing reference pose for bodies whose rest pose does not stand.

Only a standing rest pose locates heels and soles, gives the facing, and lets poses of two bodies or of two sides
correspond. Some files have other rest poses: all bones along one axis, a body that bows or lies, a frame of the motion.
For these a reference is estimated from the motion and stored with the rest pose, which is unchanged
(`segue.motion.skeleton.Skeleton.reference`). Code that needs a standing body calls `standing`, which returns the
skeleton itself if its rest pose stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from segue.arrays import Positions, Quaternions, frozen
from segue.errors import SettingError, SkeletonError, nearest
from segue.maths.quaternions import conjugate, from_yaw, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.reference_found import found_reference, tilt, trunk_line
from segue.motion.roles import NEEDED, ROLES, SIDES, given, roles
from segue.motion.skeleton import EndSite, Skeleton

UPRIGHT = np.radians(20.0)
"""Largest tilt of the trunk, and of thighs and shins forwards or backwards, of a rest pose that stands."""
_ASTRIDE = np.radians(40.0)  # the same for thighs and shins sideways
_LEVEL = 0.5  # least horizontal share of the hip line in a rest pose that stands
_UP = np.array([0.0, 1.0, 0.0])
_TINY = 1e-9


@lru_cache(maxsize=256)
def stands(skeleton: Skeleton) -> bool:
    """Return whether a rest pose stands; also True if the body has no legs to judge by.

    Examples
    --------
    >>> import segue
    >>> stands(segue.sample("walk").skeleton)
    True
    """
    found = roles(skeleton)
    rest = skeleton.rest_positions()
    size = float(np.abs(skeleton.offsets[1:]).max(initial=0.0))
    if any(role not in found for role in NEEDED) or size < _TINY:
        return True
    across = rest[found["left_hip"]] - rest[found["right_hip"]]
    width = float(np.linalg.norm(across))
    if width > _TINY and np.hypot(across[0], across[2]) < _LEVEL * width:
        return False
    heading = float(np.arctan2(-across[2], across[0])) if width > _TINY else 0.0
    turned = rotate(from_yaw(-heading), rest)
    for side in SIDES:
        for start, end in (("hip", "knee"), ("knee", "ankle")):
            bone = turned[found[f"{side}_{end}"]] - turned[found[f"{side}_{start}"]]
            if np.linalg.norm(bone) < 1e-3 * size:
                continue
            down = max(-float(bone[1]), 0.0)
            if abs(bone[2]) > np.tan(UPRIGHT) * down or abs(bone[0]) > np.tan(_ASTRIDE) * down:
                return False
    trunk = trunk_line(turned[None], found)
    return trunk is None or bool(tilt(trunk, _UP)[0] <= UPRIGHT)


def with_reference(clip: Clip) -> Clip:
    """Return the clip, with a reference estimated from the motion if its rest pose does not stand.

    Frames and skeleton are otherwise unchanged; an existing reference is kept.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> with_reference(walk) is walk
    True
    """
    if clip.skeleton.reference is not None or stands(clip.skeleton):
        return clip
    found = found_reference(clip)
    return clip if found is None else clip.with_skeleton(clip.skeleton.with_reference(found))


@lru_cache(maxsize=256)
def standing(skeleton: Skeleton) -> Skeleton:
    """Return a skeleton with the same joints and roles whose rest pose is the reference, or itself without one.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> standing(body) is body
    True
    """
    reference = skeleton.reference
    if reference is None:
        return skeleton
    offsets = np.array(skeleton.offsets)
    offsets[1:] = rotate(reference[skeleton.parents[1:]], offsets[1:])
    sites = [
        EndSite(site.joint, frozen(rotate(reference[site.joint], site.offset))) for site in skeleton.end_sites
    ]
    found = roles(skeleton)  # roles by shape are found in the original rest pose
    named = [(role, skeleton.names[found[role]] if role in found else "") for role in ROLES]
    return Skeleton(skeleton.names, skeleton.parents, offsets, sites, roles_given=named)


def stood(clip: Clip) -> Clip:
    """Return the same motion on `standing`: world positions are unchanged, rotations are relative to the reference.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> stood(walk) is walk
    True
    """
    reference = clip.skeleton.reference
    if reference is None:
        return clip
    return _reframed(clip, standing(clip.skeleton), conjugate(reference))


def unstood(clip: Clip, skeleton: Skeleton) -> Clip:
    """Return a motion of `standing` on the original skeleton; the inverse of `stood`.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> unstood(stood(walk), walk.skeleton) is walk
    True
    """
    if skeleton.reference is None:
        return clip if clip.skeleton is skeleton else clip.with_skeleton(skeleton)
    return _reframed(clip, skeleton, skeleton.reference)


def _reframed(clip: Clip, skeleton: Skeleton, turns: Quaternions) -> Clip:
    """Return a clip whose joint frames are rotated by ``turns`` (J, 4), each in itself, on the matching skeleton."""
    local = multiply(clip.rotations, turns)
    local[:, 1:] = multiply(conjugate(turns[skeleton.parents[1:]]), local[:, 1:])
    return clip.with_skeleton(skeleton).with_motion(local)


def trunks_at_rest(a: Skeleton, b: Skeleton) -> tuple[Positions, Positions] | None:
    """Return the vectors (3,) from mid-hips to neck, or the best joint both bodies have, in both rest poses.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> bool(trunks_at_rest(body, body)[0][1] > 0.4)
    True
    """
    both = [dict(roles(body)) for body in (a, b)]
    known = [
        {role: joint for role, joint in found.items() if role in both[0] and role in both[1]}
        for found in both
    ]
    if "left_hip" not in known[0] or "right_hip" not in known[0]:
        return None
    lines = [
        trunk_line(body.rest_positions()[None], found) for body, found in zip((a, b), known, strict=True)
    ]
    one, other = lines
    if one is None or other is None or min(np.linalg.norm(one), np.linalg.norm(other)) < _TINY:
        return None
    return one[0], other[0]


def with_roles(
    clips: Sequence[Clip], roles: Mapping[str, str] | None, *, needed: bool = True
) -> tuple[Clip, ...]:
    """Return clips with roles set by the user; a body with none of the named joints keeps its own and gets a note.

    Raises
    ------
    SettingError
        If a body has some of the joints but not all; if no body has any and they are ``needed``.

    Examples
    --------
    >>> from segue.motion.samples import sample
    >>> with_roles([sample("walk")], {"left_toe": "LeftFoot", "left_ankle": ""})[0].skeleton.roles_given
    (('left_ankle', ''), ('left_toe', 'LeftFoot'))
    """
    if not roles or not clips:
        return tuple(clips)
    joints = [name for name in roles.values() if name]
    fits = [not joints or any(name in clip.skeleton.names for name in joints) for clip in clips]
    if needed and not any(fits):
        names = list(dict.fromkeys(name for clip in clips for name in clip.skeleton.names))
        msg = f"roles: no body has a joint called {joints[0]!r}; {nearest(joints[0], names)}"
        raise SettingError(msg)
    return tuple(
        _with_roles(clip, roles) if fit else _kept(clip) for clip, fit in zip(clips, fits, strict=True)
    )


def _with_roles(clip: Clip, roles: Mapping[str, str]) -> Clip:
    try:
        return with_reference(clip.with_skeleton(given(clip.skeleton, roles)))
    except SkeletonError as error:
        msg = f"roles of clip {clip.name!r}: {error}"
        raise SettingError(msg) from error


def _kept(clip: Clip) -> Clip:
    if clip.source is None:
        return clip
    note = "roles: as found; this body has none of the joints set by the user"
    return clip.with_source(notes=(*clip.source.notes, note))
