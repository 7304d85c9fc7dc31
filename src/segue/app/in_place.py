"""Clips changed before use: root motion for clips that walk on the spot, and mirror images.

Other clips are unchanged. A clip with restored root motion is marked, so that its record states this and a replay
changes it again. It is never stored in a library, even if the clip it was made from is: comparisons stored there are
not of this motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from segue.errors import SegueError
from segue.library.inputs import IN_LIBRARY, READ_FROM, KeptClip
from segue.motion.clip import Clip
from segue.motion.mirror import MIRRORED, mirror
from segue.synthesis.root_motion import is_in_place, with_root_motion
from segue.threads import silent

if TYPE_CHECKING:
    from segue.app.record_document import Source


_MARK = "root_motion"


def travelling(
    clips: Sequence[Clip], *, progress: Callable[[int, int], None] = silent
) -> tuple[tuple[Clip, ...], tuple[str, ...]]:
    """Restore the root motion of those clips that are in place.

    Parameters
    ----------
    clips
        Clips of any bodies; those with unknown legs are unchanged.
    progress
        Called with the number done and the total.

    Returns
    -------
    The clips in their order, and the names of the changed ones. A changed clip keeps name, origin and source; an
    unchanged clip is the same object.

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
    """Clip with restored root motion, marked as such."""
    made = with_root_motion(clip)
    extra = dict(made.source.extra) if made.source is not None else {}
    kept = extra.pop(IN_LIBRARY, None)
    return made.with_source(extra={**extra, _MARK: True} | ({} if kept is None else {READ_FROM: kept}))


def is_marked(clip: Clip) -> bool:
    """Return whether a clip's root motion is restored."""
    return clip.source is not None and bool(clip.source.extra.get(_MARK, False))


def _travelling(clip: Clip) -> Clip:
    try:
        return marked(clip) if is_in_place(clip) else clip
    except SegueError:  # one bad body stops no other
        return clip


def image_of(clip: Clip) -> Clip:
    """Mirror image of a clip; no library stores it, even if it stores the clip."""
    made = mirror(clip)
    extra = dict(made.source.extra) if made.source is not None else {}
    kept = extra.pop(IN_LIBRARY, None)
    return made if kept is None else made.with_source(extra={**extra, READ_FROM: kept})


def mirror_of(clip: Clip) -> str | None:
    """Name of the clip that a mirror image was made from; None for any other clip."""
    found = clip.source.extra.get(MIRRORED) if clip.source is not None else None
    return found if isinstance(found, str) else None


def made_of(clip: Clip) -> KeptClip | None:
    """Library and name of the clip that a changed clip was made from."""
    found = clip.source.extra.get(READ_FROM) if clip.source is not None else None
    return found if isinstance(found, KeptClip) else None


def as_recorded(clips: Sequence[Clip], sources: Sequence[Source]) -> tuple[Clip, ...]:
    """Clips as a record used its sources: with restored root motion and mirrored where recorded."""
    travelled = [
        marked(clip) if source.root_motion else clip for clip, source in zip(clips, sources, strict=True)
    ]
    return tuple(
        image_of(clip) if source.mirrored else clip for clip, source in zip(travelled, sources, strict=True)
    )
