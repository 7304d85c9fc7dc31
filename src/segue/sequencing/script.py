"""A script: which elementary motions are executed, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from segue.errors import SettingError, nearest

SequenceMethod: TypeAlias = Literal["optimal", "pose-similarity", "constraint-only"]
"""Method that joins pairs: with optimal ranges and weights, or one of the two baselines."""

SMOOTHNESS = 0.5
"""Default of the paper's W: 0 is most responsive, 1 smoothest."""


@dataclass(frozen=True)
class Placement:
    """One execution of an elementary motion.

    Parameters
    ----------
    motion
        Name of the elementary motion.
    at
        Seconds on the sequence's clock at which its core begins; None: as soon as possible after the placement
        before it. Zero of the clock is defined by the script; a sequence begins where its first motion begins.
    priority
        Of several motions at one time the one with the highest priority is executed.
    smoothness
        The paper's W, 0 to 1, for the pair in which this motion is the following one; None: the script's.

    Raises
    ------
    SettingError
        If the time is not a finite number, or the smoothness is not 0 to 1.

    Examples
    --------
    >>> Placement("punch", at=2.5, priority=1)
    Placement(motion='punch', at=2.5, priority=1, smoothness=None)
    """

    motion: str
    at: float | None = None
    priority: int = 0
    smoothness: float | None = None

    def __post_init__(self) -> None:
        """Check time and smoothness."""
        if self.at is not None and not np.isfinite(self.at):
            msg = f"motion {self.motion!r} cannot begin at {self.at} s; give a number, or none: as soon as possible"
            raise SettingError(msg)
        if self.smoothness is not None:
            smoothness_checked(self.smoothness)


@dataclass(frozen=True)
class SequenceScript:
    """Placements, and how their pairs are joined.

    Parameters
    ----------
    placements
        In the order of the script, which decides between equal ones.
    smoothness
        The paper's W, 0 (most responsive) to 1 (smoothest).
    method
        ``"optimal"``, or a baseline: ``"pose-similarity"`` or ``"constraint-only"``.

    Raises
    ------
    SettingError
        If nothing is placed, the smoothness is not 0 to 1, or the method is unknown.

    Examples
    --------
    >>> script = SequenceScript((Placement("turn", at=1.0), Placement("punch")), smoothness=0.2)
    >>> script.method
    'optimal'
    """

    placements: tuple[Placement, ...]
    smoothness: float = SMOOTHNESS
    method: SequenceMethod = "optimal"

    def __post_init__(self) -> None:
        """Check placements, smoothness and method."""
        if not self.placements:
            msg = "a script without placements makes no sequence; place at least one motion"
            raise SettingError(msg)
        smoothness_checked(self.smoothness)
        if self.method not in get_args(SequenceMethod):
            msg = f"method {self.method!r} is not known; {nearest(self.method, get_args(SequenceMethod))}"
            raise SettingError(msg)


def smoothness_checked(smoothness: float) -> float:
    """Check that smoothness is 0 to 1, and return it.

    Raises
    ------
    SettingError
        If it is not.
    """
    if not 0.0 <= smoothness <= 1.0:
        msg = f"a smoothness is 0 (most responsive) to 1 (smoothest), not {smoothness:g}"
        raise SettingError(msg)
    return smoothness
