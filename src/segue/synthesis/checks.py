"""Measures of transitions and their limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions

MISMATCH = 2.5
"""Frames of a thirtieth of a second by which a made pose may differ from both blended motions."""
PACE = 3.0
"""m/s^2 by which a body may change its ground velocity beyond 1.5 times its change in the sources."""
SLIP = 0.02
"""Metres that the foot of an adult may slide at a transition beyond what it slides in the sources (decision 177)."""
STANDING = 0.005
"""The same for a foot that stands before and after a blend for longer than it may be moved: slips of all transitions
that a walk takes within one plant add up (decision 184)."""
CREEP = 0.001
"""Metres beyond its limit that a plant may go from its mean place within a blend."""
_SPEED_SECONDS = 0.5  # before and after a frame, over which its mean speed is taken
_PACE_SECONDS = 1.0 / 3.0  # over which a source's own changes of velocity are taken
_STRIDE = 0.25  # seconds over which ground velocity is smoothed


@dataclass(frozen=True, eq=False)
class Checks:
    """Measures (P,) of some joins.

    Parameters
    ----------
    badness
        Worst joint's share of the seam bounds, as `segue.measures.seams.Seam.badness`; with feet treated, the larger
        of the values with feet treated and with feet as blended.
    excess
        Worst joint's speed or acceleration beyond the sources over what the bounds allow beyond them: as blended
        or with feet held, whichever is larger.
    mismatch
        Frames of motion between the made pose and the nearer of the two motions.
    pace
        Change of ground velocity over its limit.
    slip
        Metres that feet slide beyond the sources.
    standing
        The same for treated feet that stand throughout, including the time before and after the blend in which they
        may be moved.
    creep
        Metres that a treated plant goes from its mean place within the blend beyond its limit.
    size
        Size of the body relative to an adult.
    """

    badness: Floats
    excess: Floats
    mismatch: Floats
    pace: Floats
    slip: Floats
    standing: Floats
    creep: Floats
    size: float = 1.0

    @property
    def share(self) -> Floats:
        """(P,) largest share of its limit that any measure uses; 0 shows nothing, up to 1 passes."""
        out: Floats = np.maximum.reduce(
            [
                self.excess,
                self.mismatch / MISMATCH,
                self.pace,
                self.slip / (SLIP * self.size),
                self.standing / (STANDING * self.size),
                self.creep / (CREEP * self.size),
                np.zeros(len(self.excess)),
            ]
        )
        return out


def ground_paces(positions: Positions, fps: float) -> tuple[Floats, Floats]:
    """Return ground velocity (F, 2) of a body's centre, and its largest change (F,) in m/s^2 near each frame."""
    from scipy.ndimage import maximum_filter1d, uniform_filter1d

    middle = positions[:, :, [0, 2]].mean(axis=1)
    velocity = np.gradient(middle, 1.0 / fps, axis=0) if len(middle) > 1 else np.zeros((len(middle), 2))
    velocity = uniform_filter1d(velocity, 2 * round(0.5 * _STRIDE * fps) + 1, axis=0, mode="nearest")
    apart = min(max(round(_PACE_SECONDS * fps), 1), len(middle) - 1)
    change = np.zeros(len(middle))
    if apart:
        change[apart // 2 : len(middle) - apart + apart // 2] = np.linalg.norm(
            velocity[apart:] - velocity[:-apart], axis=-1
        ) / (apart / fps)
    return velocity, maximum_filter1d(change, 2 * round(_SPEED_SECONDS * fps) + 1, mode="nearest")


def mean_speeds(positions: Positions, fps: float) -> Floats:
    """Return mean speed (F,) in m/s of all joints, over a second around each frame."""
    from scipy.ndimage import uniform_filter1d

    if len(positions) < 2:
        return np.zeros(len(positions))
    speed = np.linalg.norm(np.diff(positions, axis=0), axis=-1).mean(axis=1) * fps
    speed = np.concatenate([speed[:1], speed])  # the first frame has the speed of its first step
    out: Floats = uniform_filter1d(speed, 2 * round(_SPEED_SECONDS * fps) + 1, mode="nearest")
    return out
