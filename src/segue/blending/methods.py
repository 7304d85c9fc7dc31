"""Settings of a way across, and which frames it uses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from segue.errors import SettingError, nearest

Kind = Literal["aligned", "start_end"]
RootMode = Literal["position", "displacement"]


DEFAULT_WAY = "equal_power"
"""How to get across where nobody says."""
CROSSFADES = ("crossfade", "equal_power")
"""Ways across that mix frame t of both motions by the same weights; only they can blend the root by displacement."""


@dataclass(frozen=True)
class Blend:
    """A way across of fixed length.

    Parameters
    ----------
    seconds
        Length; 1/3 s is the baseline every study compares with (10 frames at 30 fps). 0 is a hard cut: heading and
        ground position still continue.
    root
        ``"position"``: the root's place and orientation are blended as values after the ground alignment, so that
        feet planted in both motions stay (Wang, ch. VI.1). ``"displacement"``: frame-to-frame displacement on the
        ground and heading are blended, height as a value (joint-relative-distance motion graphs, §4.6); only for
        crossfades.
    way
        How to get across: a name of `segue.blending.ways.WAYS`.
    length
        ``"fixed"``: every blend lasts ``seconds``. Another name of `segue.blending.durations.METHODS` gives each
        transition of a graph a length of its own; ``seconds`` is then what a transition point has to bear.

    Examples
    --------
    >>> Blend().frames(120), Blend(seconds=0).frames(30)
    (40, 0)
    """

    seconds: float = 1.0 / 3.0
    root: RootMode = "position"
    way: str = DEFAULT_WAY
    length: str = "fixed"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.seconds) and 0.0 <= self.seconds <= 2.0):
            msg = f"a blend of {self.seconds} s is not possible; choose 0 (hard cut) to 2 s"
            raise SettingError(msg)
        if self.root not in ("position", "displacement"):
            msg = f"root={self.root!r} is not known; choose 'position' or 'displacement'"
            raise SettingError(msg)
        check_way(self.way, self.root)
        if self.length != "fixed":
            check_length(self.length)

    def lasting(self, length: float | str) -> Blend:
        """The same way across for seconds, or for a length found by name.

        Examples
        --------
        >>> Blend().lasting(0.5).seconds, Blend().lasting("auto").length
        (0.5, 'auto')
        """
        if isinstance(length, str):
            return replace(self, length=length)
        return replace(self, seconds=float(length), length="fixed")

    def frames(self, fps: float) -> int:
        """Number of blended frames at a frame rate."""
        return round(self.seconds * fps)


def check_way(name: str, root: str) -> None:
    """Refuse a way across that is not known, or that does not blend the root as asked."""
    from segue.blending.ways import way

    if way(name).name not in CROSSFADES and root != "position":
        words = " and ".join(repr(one) for one in CROSSFADES)
        msg = f"way={name!r} blends the root by position; root='displacement' is for {words}"
        raise SettingError(msg)


def check_length(name: str) -> None:
    """Refuse a way to find lengths that is not known, or that one length for both sides cannot hold."""
    from segue.blending.durations import METHODS

    possible = [method for method in METHODS if method not in ("cut", "timewarped")]
    if name not in possible:
        msg = f"blend length {name!r} is not possible here; give seconds or one of {', '.join(possible)}"
        raise SettingError(f"{msg}; {nearest(str(name), possible)}")


HARD_CUT = Blend(seconds=0.0)
"""Leave one motion and arrive in the other with nothing between."""


def blend_starts(a_frame: int, b_frame: int, *, length: int, kind: Kind) -> tuple[int, int]:
    """First frames of both motions that a blend of ``length`` frames uses.

    Blended frame t uses frame ``start_a + t`` of A and ``start_b + t`` of B. Aligned points are blended
    centre-aligned: ``a_frame`` and ``b_frame`` meet where the weight is one half. Start-end points use
    ``a_frame ...`` and ``... b_frame`` (Wang, ch. V; joint-relative-distance motion graphs, §4.5).
    """
    if kind == "start_end":
        return a_frame, b_frame - max(length - 1, 0)
    before = max(length // 2 - 1, 0)
    return a_frame - before, b_frame - before
