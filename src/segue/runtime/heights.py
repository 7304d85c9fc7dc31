"""Grounds that are not flat: height functions for steered characters.

Any function of x and z in metres that returns a height in metres can be used; these are the named ones, and one for
measured ground. Slopes and stairs begin a metre ahead of the start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import SettingError

Ground = Callable[[float, float], float]
"""Height of the ground in metres at x and z."""

_LONGEST = 10_000.0  # metres from crest to crest
_LEVEL = 1.0  # metres ahead of the start that are flat


def slope(angle: float) -> Ground:
    """Plane that rises by an angle in radians towards +Z, flat up to a metre ahead of the start.

    Examples
    --------
    >>> import numpy as np
    >>> hill = slope(np.arctan(0.1))
    >>> hill(0.0, 0.5), round(hill(3.0, 11.0), 6)
    (0.0, 1.0)
    """
    if not abs(angle) < np.pi / 4:
        msg = f"a slope to walk on is less than 45 degrees, not {np.degrees(angle):g}"
        raise SettingError(msg)
    grade = float(np.tan(angle))
    return lambda _, z: grade * max(z - _LEVEL, 0.0)


def stairs(rise: float, tread: float) -> Ground:
    """Steps along +Z of ``rise`` metres (negative: downwards) and ``tread`` metres depth; the first after a metre.

    Examples
    --------
    >>> flight = stairs(0.1, 0.5)
    >>> [round(flight(0.0, z), 6) for z in (0.9, 1.1, 1.4, 1.6)]
    [0.0, 0.1, 0.1, 0.2]
    """
    if not (abs(rise) <= 0.5 and 0.1 <= tread <= 100.0):
        msg = f"steps rise by up to 0.5 m and are 0.1 m deep or more, not {rise:g} and {tread:g}"
        raise SettingError(msg)
    return lambda _, z: rise * max(float(np.floor((z - _LEVEL) / tread)) + 1.0, 0.0)


def bumps(height: float, length: float) -> Ground:
    """Waves along x and z, ``height`` metres from lowest to highest and ``length`` metres from crest to crest.

    Examples
    --------
    >>> meadow = bumps(0.2, 2.0)
    >>> meadow(0.0, 0.0), round(meadow(0.5, 0.5), 6)
    (0.0, 0.1)
    """
    if not (0.01 <= length <= _LONGEST and 0 <= height <= length / 4):
        msg = (
            f"bumps are 0.01 to {_LONGEST:g} m long and as high as a quarter of their length or less, "
            f"not {height:g} of {length:g} m"
        )
        raise SettingError(msg)
    turn = 2.0 * np.pi / length
    return lambda x, z: float(0.25 * height * (np.sin(turn * x) + np.sin(turn * z)))


@dataclass(frozen=True, eq=False)
class HeightGrid:
    """Heights (X, Z) in metres at rising ``x`` (X,) and ``z`` (Z,), linear in between, constant beyond the edges.

    Examples
    --------
    >>> grid = HeightGrid.of([0.0, 1.0], [0.0, 2.0], [[0.0, 0.2], [0.4, 0.6]])
    >>> round(grid(0.5, 1.0), 6), grid(-3.0, -3.0)
    (0.3, 0.0)
    """

    x: Floats
    z: Floats
    heights: Floats

    @staticmethod
    def of(x: object, z: object, heights: object) -> HeightGrid:
        """Return a grid of these numbers.

        Raises
        ------
        SettingError
            If coordinates are not finite or not increasing, or there is not one finite height for each pair.
        """
        xs, zs, ys = (np.asarray(values, dtype=np.float64) for values in (x, z, heights))
        finite = all(np.all(np.isfinite(numbers)) for numbers in (xs, zs, ys))
        good = xs.ndim == zs.ndim == 1 and ys.shape == (len(xs), len(zs)) and min(ys.shape) >= 2
        if not good or np.any(np.diff(xs) <= 0) or np.any(np.diff(zs) <= 0) or not finite:
            msg = "a grid of heights has two or more rising x and z, and a number for each pair of them"
            raise SettingError(msg)
        return HeightGrid(frozen(xs), frozen(zs), frozen(ys))

    def __call__(self, x: float, z: float) -> float:
        """Interpolate the height at x and z."""
        i, s = _cell(self.x, x)
        j, t = _cell(self.z, z)
        h = self.heights
        low = (1 - s) * h[i, j] + s * h[i + 1, j]
        return float((1 - t) * low + t * ((1 - s) * h[i, j + 1] + s * h[i + 1, j + 1]))


def _cell(places: Floats, at: float) -> tuple[int, float]:
    """Index of the cell that holds a coordinate, and the fraction of it before that coordinate."""
    low = min(max(int(np.searchsorted(places, at, side="right")) - 1, 0), len(places) - 2)
    share = (at - places[low]) / (places[low + 1] - places[low])
    return low, float(min(max(share, 0.0), 1.0))
