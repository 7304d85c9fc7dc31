"""Frames of clips whose weights change, as the closed form takes them: see `segue.costs.cloud_tiles.changing`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from segue.arrays import Floats, Positions
from segue.costs import clouds
from segue.costs.weightings import PartWeights

STAYS = 1.6
"""Metres of the reference body from a clip's middle within which every part of one that stays in place moves."""


@dataclass(frozen=True)
class Weighing:
    """How two sides are held against each other.

    Parameters
    ----------
    stays
        Whether all clips stay in place.
    level
        Metres from which heights are counted.
    both
        Whether the frame arrived in weighs too.
    align
        ``"window"`` or ``"centre"``: what is best aligned.
    lifting
        How much more a rise of a part counts than a fall.
    """

    stays: bool
    level: float
    both: bool = True
    align: str = "window"
    lifting: float = 0.0


def features(places: Positions, weights: PartWeights, *, half_window: int) -> Mapping[str, Any]:
    """Arrays of one clip in float64: moments (F, S, K) on the ground and upwards, and what each part weighs.

    Places are taken from the middle of the clip, which changes no cost: the origin is free.
    """
    friction = weights.friction
    middle = places[:, :, 0].mean(axis=(0, 1)) * np.array([1.0, 0.0, 1.0])
    near = places.copy()
    near[:, :, 0] -= middle
    return {
        "places": near,
        "constant": weights.constant,
        "friction": np.zeros(places.shape[:2]) if friction is None else friction,
        "taps": clouds.window_weights(half_window),
        "reach": float(np.abs(near[:, :, 0, [0, 2]]).max()),
        "level": float(np.median(near[:, :, 0, 1])),
    }


@dataclass(frozen=True, eq=False)
class WeighedFrames:
    """Frames of one clip as they are multiplied: from the clip's middle, or each from its own weighted middle.

    Parameters
    ----------
    places
        (F, 3, S, K) moments along x, z and upwards.
    full, friction
        (F, S) what parts weigh by themselves, and what they support.
    middle
        (F, 2) where frames are seen from, along x and z.
    """

    places: Floats
    full: Floats
    friction: Floats
    middle: Floats

    @cached_property
    def sizes(self) -> Floats:
        """Squares (F, S) of each part's moments."""
        out: Floats = np.einsum("fcsk,fcsk->fs", self.places, self.places)
        return out

    @cached_property
    def alone(self) -> Floats:
        """What each frame (F, 4) weighs by itself: weights, weighted places along x and z, weighted squares."""
        middles = np.einsum("fs,fcs->fc", self.full, self.places[:, :2, :, 0])
        return np.column_stack([self.full.sum(axis=1), middles, np.sum(self.full * self.sizes, axis=1)])


def stays(clip: Mapping[str, Any]) -> bool:
    """Whether a clip stays in place."""
    return bool(clip["reach"] < STAYS)


def weighed(clip: Mapping[str, Any], *, weighs: bool, level: float, apart: bool) -> WeighedFrames:
    """Frames of one clip.

    Parameters
    ----------
    clip
        What `features` makes.
    weighs
        Whether its ground contacts count.
    level
        Metres from which heights are counted.
    apart
        Whether each frame is seen from its own weighted middle.
    """
    friction = clip["friction"] if weighs else np.zeros_like(clip["friction"])
    full = clip["constant"] + friction
    places = clip["places"].transpose(0, 3, 1, 2)[:, [0, 2, 1]].copy()
    middle = np.zeros((len(places), 2))
    if apart:
        middle = np.sum(full[:, None] * places[:, :2, :, 0], axis=2) / full.sum(axis=1)[:, None]
        places[:, :2, :, 0] -= middle[:, :, None]
    places[:, 2, :, 0] -= level
    return WeighedFrames(places, full, friction, middle)
