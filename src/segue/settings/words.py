"""The words that settings may be; a test holds the names to the registries that implement them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

RootMode: TypeAlias = Literal["position", "displacement"]
SeamFeet: TypeAlias = Literal["natural", "locked", "captured", "free"]
"""Planted feet move as in their sources within a bound, not at all, as in their sources, or as they are blended."""
Effort: TypeAlias = Literal["standard", "high"]
"""Transitions are made where they were found, as long as was asked, or where and as long as they show least."""
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
"""What each cost of `segue.costs.registry` compares."""
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
"""Names of the methods to blend, which `segue.blending.ways` implements."""
CROSSFADES = ("crossfade", "equal_power")
"""Methods that mix frame t of both motions by the same weights; only they can blend the root by displacement."""
LENGTHS = ("auto", "fixed", "foreseen", "periodic", "velocity", "longest", "geodesic")
"""Names of the methods to find a blend length that give one for both sides (`segue.blending.methods.METHODS`)."""
FEET: Mapping[str, str] = {
    "natural": "as in the clips, within a centimetre",
    "locked": "not moving at all",
    "captured": "as in the clips",
    "free": "as blended",
}
"""How feet stand at seams, and what each word means."""
OLD_FEET: Mapping[str, SeamFeet] = {"planted": "locked"}
"""Older names of these words, as records and scripts hold them."""
EFFORTS: Mapping[str, str] = {
    "standard": "transitions where they were found",
    "high": "place and length chosen by what the finished seam shows",
}
"""Where and how long transitions are made, and what each word means."""
SEED = 1
"""Seed of a motion unless another is asked for, here as on the command line."""
FIXED = 1.0 / 3.0
"""Seconds of a blend: the length with which every study compares (10 frames at 30 fps)."""
