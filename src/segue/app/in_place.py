"""Clips of a folder that walk on the spot are made to travel; every other clip passes as it is.

A clip that was changed is marked, so that a record says so and a replay changes it again. It is kept in no library,
even where the clip that was read is: what was compared there is not this motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from segue.errors import SegueError
from segue.library.inputs import IN_LIBRARY, READ_FROM
from segue.motion.clip import Clip
from segue.synthesis.root_motion import is_in_place, with_root_motion
from segue.threads import silent

_MARK = "root_motion"


def travelling(
    clips: Sequence[Clip], *, progress: Callable[[int, int], None] = silent
) -> tuple[tuple[Clip, ...], tuple[str, ...]]:
    """Bring the root's motion back to the clips in place among some.

    Parameters
    ----------
    clips
        Clips of any bodies; those without known legs pass as they are.
    progress
        Called with how many are done, and how many there are.

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
    made = []
    for done, clip in enumerate(clips):
        progress(done, len(clips))
        made.append(_travelling(clip))
    progress(len(clips), len(clips))
    return tuple(made), tuple(clip.name for clip, new in zip(clips, made, strict=True) if new is not clip)


def marked(clip: Clip) -> Clip:
    """Clip with its root's motion brought back, marked as such."""
    made = with_root_motion(clip)
    extra = dict(made.source.extra) if made.source is not None else {}
    kept = extra.pop(IN_LIBRARY, None)
    return made.with_source(extra={**extra, _MARK: True} | ({} if kept is None else {READ_FROM: kept}))


def is_marked(clip: Clip) -> bool:
    """Tell whether a clip's root motion was brought back."""
    return clip.source is not None and bool(clip.source.extra.get(_MARK, False))


def _travelling(clip: Clip) -> Clip:
    try:
        return marked(clip) if is_in_place(clip) else clip
    except SegueError:  # one odd body stops no other
        return clip
