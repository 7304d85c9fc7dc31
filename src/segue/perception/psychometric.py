"""Psychometric functions: an observer's share of right answers by the size of the difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats
from segue.errors import SettingError

JND = 0.75
"""Share of right answers at the just noticeable difference, with two alternatives (Wang, ch. VI)."""
_LN2 = float(np.log(2.0))


@dataclass(frozen=True)
class Psychometric:
    """Share of right answers as a Weibull function of the difference shown.

    ``guess + (1 - guess - lapse) * (1 - 2 ** -((level / threshold) ** slope))``: the share is ``guess`` at no
    difference, and halfway from ``guess`` to ``1 - lapse`` at the threshold.

    Parameters
    ----------
    threshold
        Level at which the function is halfway up, in the unit of the levels; without lapses and with two
        alternatives, 75 % of the answers are right there.
    slope
        Exponent: about 1.5 rises gently, 3.5 is usual for vision, 8 is nearly a step.
    lapse
        Share of trials answered without attention to the stimulus.
    guess
        Share of right answers at no difference: 0.5 with two alternatives.

    Raises
    ------
    SettingError
        If threshold or slope is not above 0, or ``guess`` and ``lapse`` do not permit a rising function.

    Examples
    --------
    >>> seen = Psychometric(threshold=6.0, slope=3.0)
    >>> seen.share([0.0, 6.0, 20.0]).round(3).tolist(), round(seen.level(0.75), 6)
    ([0.5, 0.75, 1.0], 6.0)
    """

    threshold: float
    slope: float
    lapse: float = 0.0
    guess: float = 0.5

    def __post_init__(self) -> None:
        if not (
            np.isfinite(self.threshold) and self.threshold > 0 and np.isfinite(self.slope) and self.slope > 0
        ):
            numbers = f"{self.threshold:g} and {self.slope:g}"
            msg = f"a psychometric function needs a threshold and a slope above 0, not {numbers}"
            raise SettingError(msg)
        if not (0 <= self.guess < 1 and 0 <= self.lapse < 1 - self.guess):
            msg = f"guess {self.guess:g} and lapse {self.lapse:g} leave nothing between them; both are shares from 0"
            raise SettingError(msg)

    def share(self, levels: npt.ArrayLike) -> Floats:
        """Return the share of right answers at levels of any shape; the sign of a level is ignored."""
        size = np.abs(np.asarray(levels, dtype=np.float64))
        with np.errstate(over="ignore"):
            risen = -np.expm1(-_LN2 * (size / self.threshold) ** self.slope)
        out: Floats = self.guess + (1.0 - self.guess - self.lapse) * risen
        return out

    def level(self, share: float = JND) -> float:
        """Return the level at which a share of the answers is right; infinite if lapses make it unreachable."""
        risen = (share - self.guess) / (1.0 - self.guess - self.lapse)
        if risen <= 0:
            return 0.0
        if risen >= 1:
            return float("inf")
        return float(self.threshold * (-np.log1p(-risen) / _LN2) ** (1.0 / self.slope))
