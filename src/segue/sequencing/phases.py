"""Foot phases: when a foot moves, by the support from which keytimes are found."""

from __future__ import annotations

from collections.abc import Sequence

from segue.arrays import Bools
from segue.motion.flags import runs
from segue.sequencing.decisions import Foot, FootPhase

SHORTEST = 0.1
"""Shortest duration of a phase in seconds."""
FEET: tuple[Foot, Foot] = ("left", "right")


def long_enough(frames: float, fps: float) -> bool:
    """Return whether a number of frames lasts at least as long as the shortest phase.

    Examples
    --------
    >>> long_enough(3, 30.0), long_enough(2, 30.0)
    (True, False)
    """
    return frames / fps >= SHORTEST - 1e-9


def foot_phases(support: Bools, fps: float) -> tuple[FootPhase, ...]:
    """Find stretches in which a foot moves, in order of time.

    Parameters
    ----------
    support
        (F, 2) whether the left and the right foot support the body (`segue.motion.keytimes`).
    fps
        Frames a second.

    Returns
    -------
    Where both feet are off the ground for `SHORTEST`, there is one phase of both; any other movement of either foot is
    a phase of its own.

    Examples
    --------
    >>> import segue
    >>> from segue.motion.keytimes import keytimes
    >>> walk = segue.sample("walk")
    >>> [phase.foot for phase in foot_phases(keytimes(walk).support, walk.fps)][:3]
    ['right', 'left', 'right']
    """
    moving = ~support
    out = []
    for begin, end in runs(moving[:, 0] & moving[:, 1]):
        if long_enough(end - begin, fps):
            out.append(FootPhase("both", begin, end))
    alone = moving.copy()
    for phase in out:
        alone[phase.begin_frame : phase.end_frame] = False
    for foot, word in enumerate(FEET):
        for begin, end in runs(alone[:, foot]):
            if long_enough(end - begin, fps):
                out.append(FootPhase(word, begin, end))
    return tuple(sorted(out, key=lambda phase: (phase.begin_frame, phase.end_frame, phase.foot)))


def stand_around(
    phase: FootPhase, phases: Sequence[FootPhase], *, within: tuple[int, int]
) -> tuple[int, int]:
    """Return the frames between which the other foot is planted around a phase: from its last step to its next.

    Parameters
    ----------
    phase
        The phase; where both feet move, ``within`` is returned.
    phases
        All phases of the same motion, at the same time.
    within
        First and last frame that can be returned.

    Examples
    --------
    >>> left, right = FootPhase("left", 20, 40), FootPhase("right", 45, 60)
    >>> stand_around(left, (FootPhase("both", 5, 15), left, right), within=(0, 100))
    (15, 45)
    """
    first, last = within
    if phase.foot == "both":
        return within
    for one in phases:
        if one.foot == phase.foot:
            continue
        # Steps may overlap by some frames, as in a run: the foot is planted for at least one frame of a phase.
        if one.begin_frame < phase.begin_frame:
            first = max(first, min(one.end_frame, phase.end_frame - 1))
        elif one.end_frame > phase.end_frame:
            last = min(last, max(one.begin_frame, phase.begin_frame + 1))
    return first, last
