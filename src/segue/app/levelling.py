"""A motion on a level floor at height 0, and what was done for it."""

from __future__ import annotations

import numpy as np

from segue.motion.body import is_human
from segue.motion.clip import Clip
from segue.motion.tilt import find_tilt, made_level


def on_level_floor(clip: Clip) -> tuple[Clip, str]:
    """Turn and shift a motion so that the floor under its feet is level, still and at 0; and a sentence about it.

    Without legs, or where no foot ever rests, it stays as it is.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> on_level_floor(walk.with_motion(root_positions=walk.root_positions + [0.0, 0.5, 0.0]))[1]
    'the floor lay at 50.0 cm; the motion was shifted to 0'
    """
    if not is_human(clip.skeleton):
        return clip, "has no legs that tell where the floor is; it stays as it is"
    found = find_tilt(clip)
    if found is None:
        return clip, "no foot ever rests, so no floor is to be found; it stays as it is"
    height = f"lay at {100 * found.floor.height:.1f} cm"
    if found.drift:
        verb = "rose" if found.drift > 0 else "sank"
        text = f"the floor {height} and {verb} by {100 * abs(found.drift):.2f} cm a second; the motion was shifted to 0"
    elif found.floor.slope:
        slope, towards = np.degrees([found.floor.slope, found.floor.towards])
        text = f"the floor {height} and sloped by {slope:.1f} degrees towards {towards:.0f}; the motion was laid level"
    else:
        text = f"the floor {height}; the motion was shifted to 0"
    return made_level(clip, found), text
