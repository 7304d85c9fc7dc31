"""Settings of a blend method, and the frames it uses."""

from __future__ import annotations

from typing import Literal, TypeAlias

from segue.settings import Blend

Kind = Literal["aligned", "start_end"]
LengthMethod: TypeAlias = Literal[
    "auto", "fixed", "cut", "geodesic", "velocity", "timewarped", "longest", "periodic", "foreseen"
]

METHODS: dict[LengthMethod, tuple[Kind, ...]] = {
    "auto": ("aligned", "start_end"),
    "fixed": ("aligned", "start_end"),
    "cut": ("aligned", "start_end"),
    "foreseen": ("aligned", "start_end"),
    "periodic": ("aligned", "start_end"),
    "velocity": ("aligned", "start_end"),
    "longest": ("aligned",),
    "geodesic": ("start_end",),
    "timewarped": ("start_end",),
}
"""Every method to find a blend length, with the kinds of transition point to which it applies."""


HARD_CUT = Blend(seconds=0.0)
"""Leave one motion and arrive in the other without blended frames."""


def blend_starts(a_frame: int, b_frame: int, *, length: int, kind: Kind) -> tuple[int, int]:
    """Return the first frames of both motions that a blend of ``length`` frames uses.

    Blended frame t uses frame ``start_a + t`` of A and ``start_b + t`` of B. Aligned points are blended
    centre-aligned: ``a_frame`` and ``b_frame`` meet where the weight is one half. Start-end points use
    ``a_frame ...`` and ``... b_frame`` (Wang, ch. V; joint-relative-distance motion graphs, §4.5).
    """
    if kind == "start_end":
        return a_frame, b_frame - max(length - 1, 0)
    before = max(length // 2 - 1, 0)
    return a_frame - before, b_frame - before
