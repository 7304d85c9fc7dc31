"""Mirror images of clips, and what a record says of a mirrored source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from segue.app.in_place import marked
from segue.library.inputs import IN_LIBRARY, READ_FROM, KeptClip
from segue.motion.clip import Clip
from segue.motion.mirror import MIRRORED, mirror

if TYPE_CHECKING:
    from segue.app.record_document import Source


def image_of(clip: Clip) -> Clip:
    """Mirror image of a clip; it is kept in no library, even where the clip is."""
    made = mirror(clip)
    extra = dict(made.source.extra) if made.source is not None else {}
    kept = extra.pop(IN_LIBRARY, None)
    return made if kept is None else made.with_source(extra={**extra, READ_FROM: kept})


def mirror_of(clip: Clip) -> str | None:
    """Name of the clip that a mirror image is of; None for any other clip."""
    found = clip.source.extra.get(MIRRORED) if clip.source is not None else None
    return found if isinstance(found, str) else None


def made_of(clip: Clip) -> KeptClip | None:
    """Where the clip is kept that a changed one was made of."""
    found = clip.source.extra.get(READ_FROM) if clip.source is not None else None
    return found if isinstance(found, KeptClip) else None


def as_recorded(clips: Sequence[Clip], sources: Sequence[Source]) -> tuple[Clip, ...]:
    """Clips as sources of a record were: with their root motion brought back, and mirrored, where they were."""
    travelled = [
        marked(clip) if source.root_motion else clip for clip, source in zip(clips, sources, strict=True)
    ]
    return tuple(
        image_of(clip) if source.mirrored else clip for clip, source in zip(travelled, sources, strict=True)
    )
