"""Words that settings may take; a test compares the names with the registries that implement them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

RootMode: TypeAlias = Literal["position", "displacement"]
SeamFeet: TypeAlias = Literal["natural", "locked", "captured", "free"]
"""Planted feet move as in their source clips within a bound, not at all, as in their source clips, or as blended."""
Effort: TypeAlias = Literal["standard", "high"]
"""Transitions are made where they were found with the set length, or at the place and length where they show least."""
SearchMethod: TypeAlias = Literal["local", "sectors"]
SearchMode: TypeAlias = Literal["centre", "source"]
Limit: TypeAlias = float | Literal["auto", "knee"]
"""The highest cost of a transition, or how to find it."""

COSTS: Mapping[str, str] = {
    "point_cloud": "body points over a third of a second, best aligned on the ground",
    "joint_angle": "differences of joint rotations and of their speeds",
    "relative_distance": "distances between joints",
    "features": "feet, pelvis and the path ahead, as in motion matching",
}
"""What each cost of `segue.costs.registry` compares, by name."""
BLENDS = (
    "crossfade",
    "equal_power",
    "linear",
    "sigmoid",
    "timewarped",
    "registration",
    "inertialization",
    "dead",
)
"""Blend methods, implemented in `segue.blending.ways`."""
CROSSFADES = ("crossfade", "equal_power")
"""Blend methods that mix frame t of both motions by the same weights; only they blend the root by displacement."""
LENGTHS = ("auto", "fixed", "foreseen", "periodic", "velocity", "longest", "geodesic")
"""Methods of finding a blend length that return one length for both sides (`segue.blending.methods.METHODS`)."""
FEET: Mapping[str, str] = {
    "natural": "as in the clips, within a centimetre",
    "locked": "not moving at all",
    "captured": "as in the clips",
    "free": "as blended",
}
"""Treatments of planted feet at seams, and their meaning."""
OLD_FEET: Mapping[str, SeamFeet] = {"planted": "locked"}
"""Older names of these treatments, for old records and scripts."""
EFFORTS: Mapping[str, str] = {
    "standard": "transitions where they were found",
    "high": "place and length chosen by what the finished seam shows",
}
"""Efforts, and their meaning for place and length of transitions."""
SEED = 1
"""Default seed of a motion, also on the command line."""
FIXED = 1.0 / 3.0
"""Default seconds of a blend: the baseline of every study (10 frames at 30 fps)."""
