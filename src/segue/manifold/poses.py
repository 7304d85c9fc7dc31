"""Frames of clips without their place and heading, with the steps from each to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints, Quaternions, frozen
from segue.errors import SettingError
from segue.maths.planar import turned
from segue.maths.quaternions import yawed
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.flags import runs
from segue.motion.resample import resampled
from segue.motion.skeleton import Skeleton
from segue.motion.stance import stance
from segue.motion.usable import carried_flags, unusable_frames
from segue.summaries import one_line
from segue.synthesis.retarget import retarget

RATE = 30.0
"""Default rate of poses a second."""
MOST = 3000
"""Maximum number of poses in one space, as every pair of them is compared."""
FEWEST = 20
"""Minimum number of poses to fit a space."""


@one_line
@dataclass(frozen=True, eq=False)
class Poses:
    """Poses of one body without place and heading.

    Parameters
    ----------
    skeleton
        The body.
    fps
        Poses a second.
    clips
        Names of the clips.
    clip
        (N,) index into ``clips`` of every pose.
    frame
        (N,) frame in that clip at ``fps``; poses of one clip are in order of time.
    rotations
        (N, J, 4) local rotations; the root's is that of a body that faces +Z.
    heights
        (N,) height of the root in metres above the ground origin.
    steps
        (N, 3) from each pose to the next frame: metres to the left (x) and ahead (z) relative to the heading, and turn
        in radians. The last pose of a stretch repeats the step before it.
    planted
        (N, 4) which foot parts bear the body, in the order of `segue.motion.feet.FOOT_PARTS`; none for a body with
        unknown legs.
    """

    skeleton: Skeleton
    fps: float
    clips: tuple[str, ...]
    clip: Ints
    frame: Ints
    rotations: Quaternions
    heights: Floats
    steps: Floats
    planted: Bools

    @property
    def count(self) -> int:
        """Number of poses N."""
        return len(self.clip)

    @property
    def follows(self) -> Bools:
        """(N,) whether the next pose in the list is the next frame of the same clip."""
        out = np.zeros(self.count, dtype=bool)
        out[:-1] = (self.clip[1:] == self.clip[:-1]) & (self.frame[1:] == self.frame[:-1] + 1)
        return out


def poses_of(clips: Sequence[Clip], *, fps: float = RATE) -> Poses:
    """Gather the usable frames of clips, on the first clip's skeleton.

    Parameters
    ----------
    clips
        Motions of any bodies, with different names; those of other bodies are retargeted.
    fps
        Poses a second.

    Raises
    ------
    SettingError
        If there are fewer than `FEWEST` usable frames or more than `MOST`, two clips of one name, or one joint.
    SkeletonError
        If a clip of another body has no known legs, which retargeting needs.

    Examples
    --------
    >>> import segue
    >>> poses = poses_of([segue.sample("walk")])
    >>> poses.count, round(float(poses.steps[:, 1].sum()), 1)
    (181, 7.8)
    """
    if not clips:
        msg = "a space is fitted to clips; none was given"
        raise SettingError(msg)
    body = clips[0].skeleton
    if body.n_joints < 2:
        msg = f"clip {clips[0].name!r} has one joint and so no poses; give a body of two or more"
        raise SettingError(msg)
    names = [clip.name for clip in clips]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"two clips are called {twice!r}; rename one, since moments are named by them"
        raise SettingError(msg)
    total = sum(int(clip.seconds * fps) + 1 for clip in clips)
    if total > MOST:
        msg = (
            f"{total} frames at {fps:g} fps are more than the {MOST} that are compared pair by pair; "
            "give fewer clips or a lower rate"
        )
        raise SettingError(msg)
    parts = [_part(clip, body, fps) for clip in clips]
    count = sum(len(part[0]) for part in parts)
    if count < FEWEST:
        msg = f"{count} usable frames at {fps:g} fps are too few for a space; {FEWEST} or more are needed"
        raise SettingError(msg)
    number = np.concatenate([np.full(len(part[0]), k) for k, part in enumerate(parts)])
    frame, rotations, heights, steps, planted = (
        np.concatenate([part[k] for part in parts]) for k in range(5)
    )
    return Poses(
        body,
        float(fps),
        tuple(names),
        frozen(number, np.int64),
        frozen(frame, np.int64),
        frozen(rotations),
        frozen(heights),
        frozen(steps),
        frozen(planted, np.bool_),
    )


def _part(clip: Clip, body: Skeleton, fps: float) -> tuple[Ints, Quaternions, Floats, Floats, Bools]:
    """Frames, rotations, heights, steps and contacts of one clip."""
    bad = unusable_frames(clip)
    worn = clip if clip.skeleton.same_as(body) else retarget(clip, body)
    motion = resampled(worn, fps)
    good = ~carried_flags(bad, ratio=clip.fps / fps, n_frames=motion.n_frames)
    facing = heading(motion)
    rotations = np.array(motion.rotations)
    rotations[:, 0] = yawed(-facing, rotations[:, 0])
    ground = motion.root_positions[:, [0, 2]]
    steps = np.zeros((motion.n_frames, 3))
    steps[:-1, :2] = turned(-facing[:-1], np.diff(ground, axis=0))
    steps[:-1, 2] = np.diff(facing)
    for start, stop in runs(good):
        steps[stop - 1] = steps[stop - 2] if stop - start > 1 else 0.0
    planted = _planted(motion)
    rows = np.flatnonzero(good)
    return rows, rotations[rows], motion.root_positions[rows, 1], steps[rows], planted[rows]


def _planted(motion: Clip) -> Bools:
    from segue.errors import SkeletonError

    try:
        return stance(motion).flags
    except SkeletonError:  # a body without legs has no foot to plant
        return np.zeros((motion.n_frames, 4), dtype=bool)
