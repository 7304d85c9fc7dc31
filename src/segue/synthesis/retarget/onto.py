"""Carry a clip over to another skeleton: turns by roles, then feet where they stand."""

from __future__ import annotations

from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton
from segue.synthesis.footplants import Feet, check_feet
from segue.synthesis.retarget.carry import carried
from segue.synthesis.retarget.standing import standing


def retarget(clip: Clip, skeleton: Skeleton, *, feet: Feet = "planted") -> Clip:
    """Carry a clip over to another skeleton.

    Limbs point where the source's point, whatever the rest poses; travel is scaled by leg length. With planted feet,
    soles stand on the floor where the source's do and stay at one place for as long; only the legs, and the root's
    height a little, give way for it.

    Parameters
    ----------
    clip
        Any clip whose skeleton has the leg roles.
    skeleton
        The body to move.
    feet
        ``"planted"`` or ``"free"``: limb directions exactly as in the source, feet wherever that puts them.

    Returns
    -------
    Clip
        Same frames, rate and origin on the new skeleton; the clip itself if the skeletons agree.

    Raises
    ------
    SkeletonError
        If pelvis, hips, knees or ankles of either body are unknown.
    SettingError
        If ``feet`` is neither ``"planted"`` nor ``"free"``.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> segue.retarget(walk, walk.skeleton) is walk
    True
    """
    check_feet(feet)
    if clip.skeleton.same_as(skeleton):
        return clip
    out = carried(clip, skeleton)
    return standing(clip, out) if feet == "planted" else out
