"""Stretches of a clip by type: events in the order of walking or running, or standing still."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats
from segue.locomotion.examples import CYCLES, RUN, STAND, WALK, Events
from segue.motion.clip import Clip
from segue.motion.faults import unusable_frames
from segue.motion.feet import leg_length
from segue.motion.flags import runs
from segue.motion.keytimes import Keytimes, keytimes
from segue.motion.kinematics import world
from segue.motion.roles import roles

_STILL = 0.18  # leg lengths a second: a root slower than this may be standing
_SPEED_OVER = 0.1  # seconds over which speed is taken: markers jitter from frame to frame
_SHORTEST_STAND = 0.25  # seconds
_UPRIGHT = 0.93  # of the clip's usual hip height over the feet: lower is a crouch, not a stand
_FEWEST = 3  # intervals in order before a stretch counts as walking or running
# At a clip's ends two intervals identify a gait, elsewhere three (decision 103).
_FEWEST_SEEN = 2  # the same where a clip begins or ends within the stretch: the rest was not recorded
_AT_END = 0.5  # seconds from a clip's first or last frame: events there continue beyond it
_MOVING = 0.7  # leg lengths a second at a clip's first or last frame: it was cut out of a longer motion
# A pause ends a gait, and no transition leads across it (decision 103).
_LONGEST_INTERVAL = {WALK: 0.8, RUN: 0.5}  # seconds between two events: longer is a pause


@dataclass(frozen=True)
class Phase:
    """One stretch of one type.

    Parameters
    ----------
    kind
        ``stand``, ``walk`` or ``run``.
    first, last
        Index of its first and last event in `GaitPhases.events`; for a stand, of the events before and after it.
    start, stop
        Frames, both inclusive.
    """

    kind: str
    first: int
    last: int
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class GaitPhases:
    """Events and gait phases of a clip or of its mirror image.

    Parameters
    ----------
    clip
        The clip, mirrored or not.
    frames, events
        Keytimes and their events.
    phases
        In order of time.
    usable
        (F,) whether a frame may be part of an example.
    root_speed
        (F,) metres a second along the ground.
    mirrored
        Whether left and right are exchanged.
    """

    clip: Clip
    frames: Floats
    events: Events
    phases: tuple[Phase, ...]
    usable: Bools
    root_speed: Floats
    mirrored: bool


@lru_cache(maxsize=256)
def gait_phases(clip: Clip) -> GaitPhases:
    """Find events and phases of a clip.

    Raises
    ------
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> [phase.kind for phase in gait_phases(segue.sample("walk")).phases]
    ['walk']
    """
    found = keytimes(clip)
    speed = root_speed(clip)
    phases = [*_in_order(clip, found, speed), *_standing(clip, found, speed)]
    phases.sort(key=lambda phase: (phase.start, phase.stop))
    return GaitPhases(
        clip, found.frames, found.events, tuple(phases), ~unusable_frames(clip), speed, mirrored=False
    )


def mirrored(seen: GaitPhases, clip: Clip) -> GaitPhases:
    """Return the phases of the mirror image; ``clip`` is the mirrored clip."""
    from dataclasses import replace

    swapped = tuple(swap_sides(word) for word in seen.events)
    return replace(seen, clip=clip, events=swapped, mirrored=True)


def swap_sides(word: str) -> str:
    """Exchange left and right in the name of an event.

    Examples
    --------
    >>> swap_sides("left strike")
    'right strike'
    """
    side, what = word.split()
    return f"{'right' if side == 'left' else 'left'} {what}"


def root_speed(clip: Clip) -> Floats:
    """Compute the speed (F,) of the root along the ground in m/s, over a tenth of a second around each frame."""
    frames = np.arange(clip.n_frames)
    reach = max(1, round(_SPEED_OVER / 2 * clip.fps))
    early, late = np.maximum(frames - reach, 0), np.minimum(frames + reach, clip.n_frames - 1)
    ground = clip.root_positions[:, [0, 2]]
    out: Floats = (
        np.linalg.norm(ground[late] - ground[early], axis=-1) * clip.fps / np.maximum(late - early, 1)
    )
    return out


def _in_order(clip: Clip, found: Keytimes, speed: Floats) -> list[Phase]:
    """Longest stretches of events in the order of a cycle, without a pause."""
    out = []
    moving = speed[[0, -1]] > _MOVING * leg_length(clip.skeleton)
    early, late = _AT_END * clip.fps, clip.n_frames - 1 - _AT_END * clip.fps
    for kind, cycle in CYCLES.items():
        after = {word: cycle[(index + 1) % len(cycle)] for index, word in enumerate(cycle)}
        longest = _LONGEST_INTERVAL[kind] * clip.fps
        first = 0
        for index in range(1, len(found.events) + 1):
            if (
                index < len(found.events)
                # The order of events distinguishes walking from running, not the speed (decision 92).
                and found.events[index] == after[found.events[index - 1]]
                and found.frames[index] - found.frames[index - 1] <= longest
            ):
                continue
            last = index - 1
            start, stop = int(found.frames[first]), int(found.frames[last])
            before = moving[0] and first == 0 and start <= early
            beyond = moving[1] and index == len(found.events) and stop >= late
            if last - first >= (_FEWEST_SEEN if before or beyond else _FEWEST):
                out.append(Phase(kind, first, last, start, stop))
            first = index
    return out


def _standing(clip: Clip, found: Keytimes, speed: Floats) -> list[Phase]:
    """Stretches in which both feet support an upright body that does not travel."""
    at = world(clip)
    joints = roles(clip.skeleton)
    hips = at.positions[:, [joints["left_hip"], joints["right_hip"]], 1].mean(axis=1)
    feet = at.positions[:, [joints["left_ankle"], joints["right_ankle"]], 1].min(axis=1)
    height = hips - feet
    upright = height > _UPRIGHT * float(np.percentile(height, 90.0))
    still = (speed < _STILL * leg_length(clip.skeleton)) & found.support.all(axis=1) & upright
    out = []
    for start, stop in runs(still):
        if stop - start >= _SHORTEST_STAND * clip.fps:
            before = int(np.searchsorted(found.frames, start, side="right")) - 1
            after = int(np.searchsorted(found.frames, stop - 1, side="left"))
            out.append(Phase(STAND, before, after, start, stop - 1))
    return out
