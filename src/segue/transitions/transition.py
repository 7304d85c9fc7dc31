"""A transition point: the frames at which one clip may be left for another, and their alignment on the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from segue.maths.planar import PlanarMotion

Kind: TypeAlias = Literal["aligned", "start_end"]


@dataclass(frozen=True)
class TransitionPoint:
    """A pair of frames at which clip A can be left for clip B.

    Parameters
    ----------
    a_clip, b_clip
        Names of the clip left and the clip arrived in.
    a_frame, b_frame
        Frames of those clips, each at its own rate.
    cost
        How unlike the two frames are, in the cost's own unit.
    kind
        ``"aligned"``: the two frames look alike and meet in the middle of the blend. ``"start_end"``: leave
        at ``a_frame``, arrive at ``b_frame``; the blend lies between (Wang, section VI.1).
    alignment
        Ground motion that places B onto A.
    diagonal_cost
        Mean cost along the blend's own diagonal; infinite where the default blend does not fit the clips.
    verified
        Whether cost and diagonal cost both passed the threshold.

    Examples
    --------
    >>> point = TransitionPoint("walk", "run", 40, 12, 0.1, "aligned", PlanarMotion(x=1.0), 0.2, True)
    >>> point.reversed().a_clip, point.reversed().alignment.x
    ('run', -1.0)
    """

    a_clip: str
    b_clip: str
    a_frame: int
    b_frame: int
    cost: float
    kind: Kind
    alignment: PlanarMotion
    diagonal_cost: float
    verified: bool

    def __repr__(self) -> str:
        left, arrived = f"{self.a_clip!r} frame {self.a_frame}", f"{self.b_clip!r} frame {self.b_frame}"
        return f"<TransitionPoint {left} to {arrived}, cost {self.cost:.3g}, {self.kind}>"

    def reversed(self) -> TransitionPoint:
        """Return the transition back, from B to A.

        Reversed, an aligned point blends the same frames and stays verified. A reversed start-end point
        blends others: it is unverified until it passes separately.
        """
        same_frames = self.kind == "aligned"
        return TransitionPoint(
            self.b_clip,
            self.a_clip,
            self.b_frame,
            self.a_frame,
            self.cost,
            self.kind,
            self.alignment.inverse(),
            self.diagonal_cost if same_frames else float("nan"),
            self.verified and same_frames,
        )
