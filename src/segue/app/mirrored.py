"""A collection with the mirror image of each clip, and what a record says of a mirrored source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from segue.app.inputs import IN_LIBRARY, Kept
from segue.errors import SkeletonError
from segue.motion.clip import Clip
from segue.motion.mirror import MIRRORED, mirror

if TYPE_CHECKING:
    from segue.app.record import Source
    from segue.app.stages import Collection

_KEPT = "mirrored_from"


def doubled(collection: Collection) -> Collection:
    """Collection with the mirror images behind the clips; bodies whose hips are unknown have none.

    Examples
    --------
    >>> from segue.app.stages import read
    >>> [clip.name for clip in doubled(read(["sample:walk"])).clips]
    ['walk', 'walk (mirrored)']
    """
    from segue.app.stages import Collection

    images = []
    for clip in collection.clips:
        try:
            images.append(image_of(clip))
        except SkeletonError:
            continue  # a graph leaves such a clip out, and says why
    return Collection((*collection.clips, *images), collection.skipped)


def image_of(clip: Clip) -> Clip:
    """Mirror image of a clip; it is kept in no library, even where the clip is."""
    made = mirror(clip)
    extra = dict(made.source.extra) if made.source is not None else {}
    kept = extra.pop(IN_LIBRARY, None)
    return made if kept is None else made.with_source(extra={**extra, _KEPT: kept})


def mirror_of(clip: Clip) -> str | None:
    """Name of the clip that a mirror image is of; None for any other clip."""
    found = clip.source.extra.get(MIRRORED) if clip.source is not None else None
    return found if isinstance(found, str) else None


def image_kept_in(clip: Clip) -> Kept | None:
    """Where the clip is kept that a mirror image is of."""
    found = clip.source.extra.get(_KEPT) if clip.source is not None else None
    return found if isinstance(found, Kept) else None


def as_recorded(clips: Sequence[Clip], sources: Sequence[Source]) -> tuple[Clip, ...]:
    """Clips as sources tell them: mirrored where they were."""
    return tuple(
        image_of(clip) if source.mirrored else clip for clip, source in zip(clips, sources, strict=True)
    )
