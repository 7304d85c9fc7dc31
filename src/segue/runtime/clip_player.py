"""Live playback of a loop or a clip by any time step; place and heading continue in every round."""

from __future__ import annotations

from typing import Any

import numpy as np

from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import slerp
from segue.motion.clip import Clip
from segue.motion.pose import Pose
from segue.motion.resample import ON_A_FRAME
from segue.motion.skeleton import Skeleton
from segue.runtime.protocol import check_step
from segue.synthesis.loop import Loop


class ClipPlayer:
    """A `segue.runtime.protocol.Controller` that plays one loop or clip and takes no intent.

    A `Loop` is repeated; a clip is played once, after which its last pose stays. Seeds change nothing and intents raise
    an error.

    Parameters
    ----------
    what
        The loop or the clip.

    Examples
    --------
    >>> import segue
    >>> stride = segue.loop(segue.sample("walk"))
    >>> player = ClipPlayer(stride)
    >>> for _ in range(300):
    ...     pose = player.step(0.05)
    >>> player.round
    13
    """

    def __init__(self, what: Loop | Clip) -> None:
        self.clip = what.clip if isinstance(what, Loop) else what
        self._step = what.step if isinstance(what, Loop) else None
        self.reset()

    @property
    def skeleton(self) -> Skeleton:
        """Body of the clip."""
        return self.clip.skeleton

    @property
    def fps(self) -> float:
        """Frame rate of the clip."""
        return self.clip.fps

    @property
    def round(self) -> int:
        """Number of rounds played to their end."""
        return self._round

    @property
    def ended(self) -> bool:
        """Whether a clip that is played once has ended."""
        return self._step is None and self._at >= self.clip.n_frames - 1

    def reset(self, seed: int = 0) -> None:
        """Restart; the seed changes nothing."""
        del seed
        self._at = 0.0  # frames since the beginning of this round
        self._round = 0
        self._placed = PlanarMotion()

    def step(self, dt: float, intent: object = None) -> Pose:
        """Advance by ``dt`` seconds and return the pose.

        Raises
        ------
        SettingError
            If the time is not possible, or an intent is given.
        """
        check_step(dt)
        if intent is not None:
            msg = f"a clip is played as it is and takes no intent; got {intent!r}"
            raise SettingError(msg)
        last = self.clip.n_frames - 1
        self._at += dt * self.fps
        if abs(self._at - np.rint(self._at)) < ON_A_FRAME:
            self._at = float(np.rint(self._at))
        if self._step is None:
            self._at = min(self._at, float(last))
        while self._step is not None and self._at >= last:
            self._at -= last
            self._round += 1
            self._placed = self._step.then(self._placed)
        return self._pose()

    def save(self) -> Any:
        """Return the state for `restore`."""
        return self._at, self._round, self._placed

    def restore(self, state: Any) -> None:
        """Restore a state that `save` returned."""
        self._at, self._round, self._placed = state

    def _pose(self) -> Pose:
        low = int(self._at)
        part = self._at - low
        rotations, roots = self.clip.rotations[low], self.clip.root_positions[low]
        if part:
            rotations = slerp(rotations, self.clip.rotations[low + 1], part)
            roots = (1.0 - part) * roots + part * self.clip.root_positions[low + 1]
        rotations = np.array(rotations)
        rotations[0] = self._placed.rotate(rotations[0])
        return Pose(self.skeleton, rotations, self._placed.apply(roots))
