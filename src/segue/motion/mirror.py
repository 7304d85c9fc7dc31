"""Mirror images of motions: left and right exchange their roles.

The mirror is the vertical plane through the root of the first frame along its heading, so that a mirrored clip begins
at the same position and heading. With N the reflection across the body's left-right plane in the rest pose, M the
mirror in the world and p(j) the joint on the other side, the world rotation of joint j becomes ``M R_p(j) N``: two
reflections, which is a rotation again. Relative to the parent this is ``N r_p(j) N`` for any M.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from segue.arrays import Ints, Positions, Quaternions
from segue.errors import SettingError, SkeletonError, loaded
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import IDENTITY, conjugate, multiply, rotation_between, yaw
from segue.motion.clip import Clip
from segue.motion.kinematics import forward
from segue.motion.reference import stood, unstood
from segue.motion.roles import require, roles
from segue.motion.sides import (
    across,
    between_mirrors,
    is_symmetric,
    mirrored_skeleton,
    partners,
    reflected,
    unit,
)
from segue.motion.skeleton import Skeleton

MirroredBody: TypeAlias = Literal["own", "mirrored"]
"""Body of a mirrored motion: the clip's own, or its mirror image."""

SUFFIX = " (mirrored)"
"""End of a mirrored clip's name."""
MIRRORED = "mirror_of"
"""Key of `SourceFormat.extra` in a mirrored clip for the name of the original clip."""
_BUILD = np.radians(15.0)
"""Smaller differences in the rest directions of trunk, collar bones and soles are attributed to build."""
_SHAFTS = ("shoulder", "elbow", "hip", "knee")
_FLAT = 1e-6


def mirror(clip: Clip, *, body: MirroredBody = "own") -> Clip:
    """Mirror a motion: exchange left and right.

    The clip begins at the same place with the same heading. Pairs of joints are found by role, then by name, then by
    position in the tree. A joint on one side only (a prop in a hand) rests in its parent's frame, unless the body is
    mirrored.

    Parameters
    ----------
    clip
        Any clip whose hips are known.
    body
        ``"own"``: the result has the clip's own skeleton; where its sides differ, each bone still points in the
        direction of its partner's mirror image. ``"mirrored"``: the skeleton is mirrored too, the lengths of its sides
        are exchanged, and every world position is exactly the reflection of the partner's. For a symmetric skeleton
        both are the same.

    Returns
    -------
    Clip
        Frame count and rate are unchanged; name and origin end with ``" (mirrored)"``, and
        ``source.extra["mirror_of"]`` is the name of the original clip. Mirroring twice restores the name.

    Raises
    ------
    SkeletonError
        If a hip is unknown.
    SettingError
        If ``body`` is neither of the two.

    Examples
    --------
    >>> import segue
    >>> turn = segue.sample("walk_turn_left")
    >>> there, back = segue.world_positions(turn)[-1, 0], segue.world_positions(segue.mirror(turn))[-1, 0]
    >>> bool(there[0] > 1.0), bool(back[0] < -1.0), segue.mirror(segue.mirror(turn)).name
    (True, True, 'walk_turn_left')
    """
    loaded(clip)
    if body not in ("own", "mirrored"):
        msg = f"body={body!r} is not known; choose 'own' or 'mirrored'"
        raise SettingError(msg)
    require(clip.skeleton, "left_hip", "right_hip")
    if clip.skeleton.reference is not None and body == "own":
        return unstood(mirror(stood(clip)), clip.skeleton)
    skeleton = clip.skeleton if body == "own" else mirrored_skeleton(clip.skeleton)
    rest_wall = across(clip.skeleton)
    level = rest_wall * [1.0, 0.0, 1.0] if abs(rest_wall[1]) < 1.0 - _FLAT else np.array([1.0, 0.0, 0.0])
    # Along the first frame's heading (decision 78).
    wall = PlanarMotion(float(yaw(clip.rotations[0, 0]))).apply(unit(level))
    if body == "mirrored" or is_symmetric(clip.skeleton):
        order = partners(clip.skeleton) if body == "own" else np.arange(skeleton.n_joints)
        rotations = between_mirrors(rest_wall, clip.rotations[:, order], rest_wall)
        rotations[:, 0] = between_mirrors(wall, clip.rotations[:, 0], rest_wall)
    else:
        rotations = _on_own_body(clip, wall, rest_wall)
    away = (clip.root_positions - clip.root_positions[0]) @ wall
    return _named(clip, skeleton, rotations, clip.root_positions - 2.0 * away[:, None] * wall)


def with_mirrored(clips: Sequence[Clip]) -> tuple[Clip, ...]:
    """Return the clips, followed by the mirror image of each.

    Raises
    ------
    SkeletonError
        If the hips of a clip are unknown; the message names the clip.

    Examples
    --------
    >>> import segue
    >>> [clip.name for clip in with_mirrored([segue.sample("walk")])]
    ['walk', 'walk (mirrored)']
    """
    out = list(clips)
    for clip in clips:
        try:
            out.append(mirror(clip))
        except SkeletonError as error:
            msg = f"clip {clip.name!r} cannot be mirrored: {error}"
            raise SkeletonError(msg) from None
    return tuple(out)


def _on_own_body(clip: Clip, wall: Positions, rest_wall: Positions) -> Quaternions:
    """Local rotations (F, J, 4) of the mirrored motion on a body whose sides differ."""
    skeleton = clip.skeleton
    order = partners(skeleton)
    at = forward(skeleton, clip.rotations, clip.root_positions).rotations
    lay = _rest_turns(skeleton, order, rest_wall)
    made = np.empty_like(at)
    out = np.empty_like(at)
    for joint, parent in enumerate(skeleton.parents):
        if order[joint] >= 0:
            made[:, joint] = multiply(between_mirrors(wall, at[:, order[joint]], rest_wall), lay[joint])
        else:
            made[:, joint] = made[:, parent]
        out[:, joint] = made[:, joint] if parent < 0 else multiply(conjugate(made[:, parent]), made[:, joint])
    return out


def _rest_turns(skeleton: Skeleton, order: Ints, rest_wall: Positions) -> Quaternions:
    """Rotations (J, 4) that align each joint's rest bone with the mirror image of its partner's rest bone.

    Small differences of trunk, collar bones and soles are due to build and not corrected: these bones would move at
    every transition between a clip and a mirrored one (see `segue.synthesis.retarget`).
    """
    rest = skeleton.rest_positions()
    names = {joint: role.partition("_")[2] for role, joint in roles(skeleton).items()}
    out = np.tile(IDENTITY, (skeleton.n_joints, 1))
    for joint, other in enumerate(order):
        if other < 0:
            continue
        parent = int(skeleton.parents[joint])
        bone, image = _bone(skeleton, rest, joint), _bone(skeleton, rest, int(other))
        if bone is None or image is None:
            out[joint] = out[parent] if other != joint else IDENTITY
            continue
        turn = rotation_between(unit(bone), unit(reflected(image, rest_wall)))
        # Shafts follow the image; differences due to build are kept (decision 78).
        shaft = names.get(joint, "") in _SHAFTS
        if shaft or 2.0 * np.arccos(np.clip(abs(turn[0]), 0.0, 1.0)) > _BUILD:
            out[joint] = turn
        elif parent >= 0 and names.get(joint, "") in ("", "wrist"):
            out[joint] = out[parent]
    return out


def _bone(skeleton: Skeleton, rest: Positions, joint: int) -> Positions | None:
    """Rest vector (3,) from a joint to the mean of its children, else to its tip; None without either."""
    below = [rest[child] - rest[joint] for child in skeleton.children[joint]]
    tip = skeleton.tip(joint)
    bone = np.mean(below, axis=0) if below else tip
    return None if bone is None or float(np.linalg.norm(bone)) < _FLAT else bone


def _named(clip: Clip, skeleton: Skeleton, rotations: Quaternions, roots: Positions) -> Clip:
    twice = clip.name.endswith(SUFFIX)
    name = clip.name.removesuffix(SUFFIX) if twice else clip.name + SUFFIX
    names = tuple(n.removesuffix(SUFFIX) if n.endswith(SUFFIX) else n + SUFFIX for n in clip.origin.clips)
    made = Clip(
        skeleton,
        rotations,
        roots,
        clip.fps,
        name=name,
        origin=replace(clip.origin, clips=names),
        source=clip.source,
    )
    extra = dict(clip.source.extra) if clip.source is not None else {}
    if extra.pop(MIRRORED, None) is None:
        return made.with_source(extra={**extra, MIRRORED: clip.name})
    return made.with_source(extra=extra)
