"""The motion-matching cost: feet, hips and future trajectory, relative to the body's position and heading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from segue.arrays import Floats
from segue.costs.simple import VectorCost
from segue.errors import SettingError
from segue.maths.quaternions import from_yaw, rotate
from segue.motion.clip import Clip
from segue.motion.facing import headings
from segue.motion.kinematics import world
from segue.motion.roles import NEEDED, require

GROUPS = ("foot places", "foot velocities", "pelvis velocity", "way ahead", "facing ahead")
AHEAD = (1.0 / 3.0, 2.0 / 3.0, 1.0)  # seconds


@dataclass(frozen=True)
class FeatureCost(VectorCost):
    """Squared difference of the features of motion matching: feet, pelvis and future trajectory of two moments.

    The 27 features of Learned Motion Matching (Holden et al. 2020, section 3): positions and velocities of both ankles,
    velocity of the pelvis (3 each), position on the ground and facing after 1/3, 2/3 and 1 s (2 each), all relative to
    the ground below the pelvis and to the heading. ``C(i, j) = sum over features of (weight / scale)^2 (x_i - x_j)^2``.

    Unit: none; 1 is a difference of one scale in one feature of weight 1. Range: 0 to some 100. Symmetric; the root
    obeys the triangle inequality. Invariant to a ground motion of either clip and to the scale of either body. Arms and
    trunk do not count. A moment needs the frame before it and one second after it, so a clip's last second has no rows.

    Parameters
    ----------
    rate
        Frames a second at which clips are compared.
    dtype
        ``"float32"`` has an error below 1e-6 of the squared lengths of the two vectors, ``"float64"`` below
        1e-14 of them.
    scales
        Of the five `GROUPS`, in metres, metres a second or none, for a body 1.75 m tall. The defaults are rounded
        standard deviations over walks, runs, dances and boxing; `segue.learning.weights` computes those of a library.
    weights
        Of the five groups, 0 to ignore one; the defaults are those of the published source code.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk", 30.0)
    >>> matrix = segue.cost_matrix(walk, walk, cost=FeatureCost())
    >>> int(matrix.a_frames[0]), int(matrix.a_frames[-1]) == walk.n_frames - 1 - 30
    (1, True)
    """

    scales: tuple[float, ...] = (0.15, 0.9, 0.5, 0.4, 0.3)
    weights: tuple[float, ...] = (0.75, 1.0, 1.0, 1.0, 1.5)

    name: ClassVar[str] = "features"
    half_window: ClassVar[int] = 1  # velocities use the frames before and after

    def __post_init__(self) -> None:
        super().__post_init__()
        for word, least, lowest in (("scales", 1e-9, "above 0"), ("weights", 0, "from 0, not all of them 0")):
            given = tuple(map(float, getattr(self, word)))
            if len(given) != len(GROUPS) or not all(least <= v < np.inf for v in given) or not any(given):
                msg = f"{word} {given} must be {len(GROUPS)} numbers {lowest}: of {', '.join(GROUPS)}"
                raise SettingError(msg)
            object.__setattr__(self, word, given)

    @property
    def ahead(self) -> int:
        """Cost frames of the future trajectory beyond the half window."""
        return max(round(AHEAD[-1] * self.rate) - self.half_window, 0)

    def vectors(self, clip: Clip, scale: float) -> Floats:
        """Features (n, 27) of each moment, divided by their scales and multiplied by their weights."""
        joints = require(clip.skeleton, *NEEDED)
        at = world(clip)
        pelvis = joints["pelvis"]
        facing = headings(clip.skeleton, at.rotations[:, pelvis])
        k = np.arange(1, clip.n_frames - 1 - self.ahead)
        ground, back = np.array([1.0, 0.0, 1.0]), from_yaw(-facing[k])

        def seen(vectors: Floats) -> Floats:
            return rotate(back, scale * vectors)

        feet, root = at.positions[:, [joints["left_ankle"], joints["right_ankle"]]], at.positions[:, pelvis]
        later = [k + round(seconds * self.rate) for seconds in AHEAD]
        turns = [facing[then] - facing[k] for then in later]
        groups = (
            [seen(feet[k, side] - root[k] * ground) for side in (0, 1)],
            [seen((feet[k + 1, side] - feet[k - 1, side]) * self.rate / 2) for side in (0, 1)],
            [seen((root[k + 1] - root[k - 1]) * self.rate / 2)],
            [seen(root[then] - root[k])[:, [0, 2]] for then in later],
            [np.stack([np.sin(turn), np.cos(turn) - 1.0], axis=-1) for turn in turns],
        )
        factors = np.divide(self.weights, self.scales)
        return np.hstack([f * np.hstack(group) for f, group in zip(factors, groups, strict=True)])
