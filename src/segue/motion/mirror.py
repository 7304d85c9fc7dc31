"""Mirror images of motions: left and right exchange their roles.

The mirror is the vertical plane through the first frame's root, along its heading, so that a mirrored clip begins
where the clip begins and looks the same way. With N the reflection across the body's own left-right plane in the rest
pose, M the mirror in the world and p(j) the joint on the other side, the world rotation of joint j becomes
``M R_p(j) N``: two reflections, hence a rotation again. Seen from the parent this is ``N r_p(j) N``, whatever M is.
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
"""Which body a mirrored motion has: the clip's own, or that body as seen in the mirror."""

SUFFIX = " (mirrored)"
"""What a mirrored clip's name ends with."""
MIRRORED = "mirror_of"
"""Key of `SourceFormat.extra` under which a mirrored clip keeps the name of the clip that was mirrored."""
_BUILD = np.radians(15.0)
"""Rest directions of trunk, collar bones and soles that differ less than this differ by build."""
_SHAFTS = ("shoulder", "elbow", "hip", "knee")
_FLAT = 1e-6


def mirror(clip: Clip, *, body: MirroredBody = "own") -> Clip:
    """Mirror a motion: exchange left and right.

    The clip begins at the same place with the same heading. Roles say which joints are a pair, then names, then the
    place in the tree; a joint on one side only (a prop in a hand) rests in its parent's frame, unless the body is
    mirrored.

    Parameters
    ----------
    clip
        Any clip whose hips are known.
    body
        ``"own"``: the result has the clip's own skeleton; where its sides differ, each bone still points to where its
        partner's mirror image points. ``"mirrored"``: the skeleton is mirrored too, its sides' lengths change places,
        and every world position is exactly the reflection of the partner's. For a symmetric skeleton both are the same.

    Returns
    -------
    Clip
        As many frames at the same rate; name and origin end with ``" (mirrored)"``, and ``source.extra["mirror_of"]``
        is the name of the clip it was. A clip that is mirrored twice has its name back.

    Raises
    ------
    SkeletonError
        If a hip is unknown.
    SettingError
        If the body is neither of the two.

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
    """Clips followed by the mirror image of each.

    Raises
    ------
    SkeletonError
        If the hips of a clip are unknown; names the clip.

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
    """Turn (J, 4) of each joint that lays its bone at rest on the mirror image of its partner's bone at rest.

    Trunk, collar bones and soles that differ little differ by build and are not turned: they would move at every change
    between a clip and a mirrored one (see `segue.synthesis.retarget`).
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
        # Shafts follow the image; what differs by build is left alone (decision 78).
        shaft = names.get(joint, "") in _SHAFTS
        if shaft or 2.0 * np.arccos(np.clip(abs(turn[0]), 0.0, 1.0)) > _BUILD:
            out[joint] = turn
        elif parent >= 0 and names.get(joint, "") in ("", "wrist"):
            out[joint] = out[parent]
    return out


def _bone(skeleton: Skeleton, rest: Positions, joint: int) -> Positions | None:
    """Rest vector (3,) from a joint to what hangs on it: the middle of its children, else its tip; None without."""
    below = [rest[child] - rest[joint] for child in skeleton.children[joint]]
    tip = skeleton.tip(joint)
    bone = np.mean(below, axis=0) if below else tip
    return None if bone is None or float(np.linalg.norm(bone)) < _FLAT else bone


def _named(clip: Clip, skeleton: Skeleton, rotations: Quaternions, roots: Positions) -> Clip:
    """Mirrored clip, told by its name, its origin and its source."""
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
