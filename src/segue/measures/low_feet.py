"""Feet that are low by a simple rule, near their resting height and slow, without a contact detector.

A point of a foot is low while it is less than 3 cm above its resting height and moves along the ground at less than
0.3 m/s. The resting height is a low percentile of its heights over the entire motion. The speed is the lower of those
in the fifteenth of a second before and after, so that a millimetre of noise does not lift a foot and both ends of a
rest count.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools, Floats, Positions
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world

LOW_HEIGHT = 0.03
"""Metres above its resting height below which a point of a foot is low."""
LOW_SPEED = 0.3
"""Metres a second along the ground below which it is low."""
_SPEED_SECONDS = 1.0 / 15.0
_REST_SHARE = 2.0  # per cent of frames in which a point is below its resting height


def rest_heights(places: Positions) -> Floats:
    """Return heights (P,) in metres at which points (F, P, 3) rest."""
    out: Floats = np.percentile(places[..., 1], _REST_SHARE, axis=0)
    return out


def low_frames(places: Positions, fps: float) -> Bools:
    """Return flags (F, P) of points of feet (F, P, 3) that are low, at ``fps`` frames a second.

    Examples
    --------
    >>> import numpy as np
    >>> places = np.zeros((30, 1, 3))
    >>> places[15:, 0, 1] = 0.1
    >>> low_frames(places, 30.0)[[0, 20], 0].tolist()
    [True, False]
    """
    low = places[..., 1] - rest_heights(places) < LOW_HEIGHT
    span = min(max(1, round(_SPEED_SECONDS * fps)), len(places) // 2)  # then every frame has one of the two
    if span < 1:
        return np.asarray(low)
    step = np.linalg.norm(places[span:][..., [0, 2]] - places[:-span][..., [0, 2]], axis=-1) * (fps / span)
    none = np.full((span, places.shape[1]), np.inf)
    speed = np.minimum(np.concatenate([step, none]), np.concatenate([none, step]))
    return np.asarray(low & (speed < LOW_SPEED))


def low_feet(clip: Clip) -> Bools:
    """Return flags (F, 4) of low heels and toes of a clip, in the order of `segue.motion.feet.FOOT_PARTS`.

    Raises
    ------
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> low_feet(segue.sample("stand")).all(axis=0).tolist()
    [True, True, True, True]
    """
    return low_frames(foot_positions(clip.skeleton, world(clip)), clip.fps)
