"""Roles that a person told, for clips of several bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from segue.errors import SettingError, SkeletonError, nearest
from segue.motion.clip import Clip
from segue.motion.reference import with_reference
from segue.motion.roles import given


def with_roles(
    clips: Sequence[Clip], roles: Mapping[str, str] | None, *, needed: bool = True
) -> tuple[Clip, ...]:
    """Clips with roles as told; a body that has none of the joints named keeps what was found, and its clip says so.

    Raises
    ------
    SettingError
        If a body has some of the joints and not all; if no body has any, unless they are not ``needed``.

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
    return tuple(_told(clip, roles) if fit else _kept(clip) for clip, fit in zip(clips, fits, strict=True))


def _told(clip: Clip, roles: Mapping[str, str]) -> Clip:
    try:
        return with_reference(clip.with_skeleton(given(clip.skeleton, roles)))
    except SkeletonError as error:
        msg = f"roles of clip {clip.name!r}: {error}"
        raise SettingError(msg) from error


def _kept(clip: Clip) -> Clip:
    if clip.source is None:
        return clip
    note = "roles: as found; this body has none of the joints that were told"
    return clip.with_source(notes=(*clip.source.notes, note))
