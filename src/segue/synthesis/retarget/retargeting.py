"""Carry a clip over to another skeleton: turns by roles, then feet where they stand, then hands where they are held."""

from __future__ import annotations

import numpy as np

from segue.errors import SettingError, loaded
from segue.motion import reference
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton
from segue.settings import DEFAULTS, SeamFeet, feet_named
from segue.synthesis.feet.steps import kept_motion
from segue.synthesis.retarget.carry import carried
from segue.synthesis.retarget.hands import reaching
from segue.synthesis.retarget.standing import ground_height, standing

_BUILD = np.radians(3.0)
"""Trunks that differ at rest by no more than this differ by build."""


def retarget(clip: Clip, skeleton: Skeleton, *, feet: SeamFeet = DEFAULTS.feet, hands: float = 0.0) -> Clip:
    """Retarget a clip to another skeleton.

    Limbs point where the source's point, whatever the rest poses; travel is scaled by leg length. Unless feet are free,
    soles stand on the floor where the source's do and step as they do there; only the legs, and the root's height a
    little, give way for it.

    Parameters
    ----------
    clip
        Any clip whose skeleton has the leg roles.
    skeleton
        The body to move.
    feet
        How planted feet stand (`segue.settings.SeamFeet`); ``"free"``: limb directions exactly as in the source, feet
        wherever that puts them.
    hands
        How far hands near each other, the own body or the ground are brought to the same place by it: 0 keeps the
        directions of arms, 1 keeps the places of hands.

    Returns
    -------
    Clip
        Same frames, rate and origin on the new skeleton; the clip itself if the skeletons agree.

    Raises
    ------
    SkeletonError
        If pelvis, hips, knees or ankles of either body are unknown.
    SettingError
        If ``feet`` is not known, or ``hands`` is not 0 to 1.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> segue.retarget(walk, walk.skeleton) is walk
    True
    """
    loaded(clip, skeleton)
    feet = feet_named(feet)
    if not 0.0 <= hands <= 1.0:
        msg = f"hands={hands:g}: arms keep their directions with 0, hands their places with 1; choose 0 to 1"
        raise SettingError(msg)
    if clip.skeleton.same_as(skeleton):
        return clip
    found = clip.skeleton.reference is not None or skeleton.reference is not None
    source = reference.stood(clip)
    out = carried(source, reference.standing(skeleton), build=0.0 if found else _BUILD)
    if feet != "free":
        out = standing(source, out, keep=kept_motion(feet))
    if hands > 0:
        out = reaching(source, out, weight=hands, ground=ground_height(source))
    return reference.unstood(out, skeleton)
