"""Places for many characters: scattered over a square, kept apart, each with its own heading."""

from __future__ import annotations

import numpy as np

from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.runtime.chance import streams
from segue.settings.words import SEED

SPACING = 2.5
"""Mean distance in metres between neighbouring characters."""
_TRIES = 200


def seeds(seed: int, count: int) -> list[int]:
    """Return seeds of the walks of ``count`` characters; the first ones do not depend on the count.

    Examples
    --------
    >>> seeds(1, 3) == seeds(1, 5)[:3]
    True
    """
    return [int(word) for word in streams(seed, np.arange(count)) >> np.uint64(33)]


def scattered(count: int, *, seed: int = SEED, spacing: float = SPACING) -> list[PlanarMotion]:
    """Draw places and headings at random over a square with sides of ``spacing`` times the root of ``count`` metres.

    Each place keeps its distance from the others, up to ``spacing``, as far as a few hundred tries allow.

    Raises
    ------
    SettingError
        If the count is below 1, or the spacing is not 0 to 100 m.

    Examples
    --------
    >>> places = scattered(12, seed=3)
    >>> len(places), max(abs(place.x) for place in places) <= 2.5 * 12**0.5 / 2
    (12, True)
    """
    check_spacing(spacing)
    if count < 1:
        msg = f"{count} places are not possible; give 1 or more"
        raise SettingError(msg)
    rng = np.random.default_rng([seed, 2])
    side = spacing * np.sqrt(count)
    places = np.zeros((0, 2))
    for _ in range(count):
        tried = rng.uniform(-0.5 * side, 0.5 * side, (_TRIES, 2))
        if len(places):
            away = np.linalg.norm(tried[:, None] - places, axis=-1).min(axis=1)
            enough = np.flatnonzero(away >= spacing)
            best = int(enough[0]) if enough.size else int(np.argmax(away))
        else:
            best = 0
        places = np.vstack([places, tried[best]])
    turns = rng.uniform(-np.pi, np.pi, count)
    return [PlanarMotion(float(t), float(x), float(z)) for t, (x, z) in zip(turns, places, strict=True)]


def check_spacing(spacing: float) -> None:
    """Raise an error for a spacing that is not 0 to 100 m.

    Raises
    ------
    SettingError
        With the allowed range.
    """
    if not 0.0 <= spacing <= 100.0:
        msg = f"characters {spacing:g} m apart are not possible; choose 0 to 100 m"
        raise SettingError(msg)


def put(clip: Clip, place: PlanarMotion) -> PlanarMotion:
    """Return the ground motion that moves a clip's first frame to a place, with the heading of the place."""
    x, _, z = clip.root_positions[0]
    turn = place.turn - float(heading(clip)[0])
    return PlanarMotion(0.0, float(-x), float(-z)).then(PlanarMotion(turn, place.x, place.z))
