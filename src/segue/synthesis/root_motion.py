"""Restore the root motion of a clip in place from its feet.

Game packs hold walks and runs in place: the feet slide back under a body that does not travel, and the game moves it.
The motion to restore is the one that makes the feet stand. `segue.motion.support` finds the velocity ``v`` at which the
ground passes under the feet in stance; the root ``r`` then moves in the opposite direction (``x`` and ``z`` only)::

    r'(t) = r(t) - sum over s < t of v(s) / fps

The heading is kept: where a clip turns on the spot, its path bends accordingly, because the velocity is that of its
feet over the ground. A turn that was removed from the clip is not restored. Heights and rotations stay as they are.
"""

from __future__ import annotations

import numpy as np

from segue.motion.clip import Clip
from segue.motion.support import is_in_place, passing

__all__ = ["is_in_place", "with_root_motion"]


def with_root_motion(clip: Clip) -> Clip:
    """Move the root of a clip along the ground so that its feet stand while they are down.

    In flight the velocity is interpolated from one stance to the next. A clip that is exactly one cycle begins as fast
    as it ends, so that rounds join smoothly. A clip whose feet stand already keeps its path except for their drift;
    `is_in_place` reports which clips need this.

    Parameters
    ----------
    clip
        Any motion with known hips, knees and ankles.

    Returns
    -------
    Clip of the same name, origin and source: rotations and heights bit for bit, the first frame unchanged.

    Raises
    ------
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> spot = walk.with_motion(root_positions=walk.root_positions * [1, 1, 0])
    >>> again = with_root_motion(spot)
    >>> gone = [float(c.root_positions[-1, 2] - c.root_positions[0, 2]) for c in (walk, spot, again)]
    >>> abs(gone[2] / gone[0] - 1) < 0.02, gone[1]
    (True, 0.0)
    """
    velocity = passing(clip).velocity[: clip.n_frames - 1]
    root = np.array(clip.root_positions)
    root[1:, [0, 2]] -= np.cumsum(velocity, axis=0) / clip.fps
    return clip.with_motion(root_positions=root)
