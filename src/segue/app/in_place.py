"""Clips of a folder that walk on the spot are made to travel; every other clip passes as it is."""

from __future__ import annotations

from collections.abc import Sequence

from segue.errors import SegueError
from segue.motion.clip import Clip
from segue.synthesis.root_motion import is_in_place, with_root_motion


def travelling(clips: Sequence[Clip]) -> tuple[tuple[Clip, ...], tuple[str, ...]]:
    """Bring the root's motion back to the clips in place among some.

    Parameters
    ----------
    clips
        Clips of any bodies; those without known legs pass as they are.

    Returns
    -------
    The clips in their order, and the names of those that were changed. A changed clip keeps name, origin and source; a
    clip that is not in place is the same object.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> spot = walk.with_motion(root_positions=walk.root_positions * [0, 1, 0], name="spot")
    >>> made, changed = travelling([walk, spot])
    >>> made[0] is walk, changed
    (True, ('spot',))
    """
    made = tuple(_travelling(clip) for clip in clips)
    return made, tuple(clip.name for clip, new in zip(clips, made, strict=True) if new is not clip)


def _travelling(clip: Clip) -> Clip:
    try:
        return with_root_motion(clip) if is_in_place(clip) else clip
    except SegueError:  # one odd body stops no other
        return clip
