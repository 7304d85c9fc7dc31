"""Filmstrips: a motion as a row of figures by which an animator can judge it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from segue.errors import SettingError, loaded
from segue.motion.clip import Clip
from segue.pictures.canvas import Picture
from segue.pictures.origins import SeamFrames, joins
from segue.pictures.path_view import path_height
from segue.pictures.strips import MARGIN, WIDTH, Strip

_EIGHTH = 0.125  # seconds: about eight figures a step cycle of a walk


def filmstrip(
    clip: Clip,
    path: str | Path | None = None,
    *,
    frames: Sequence[int] | None = None,
    count: int | None = None,
    every_seconds: float | None = None,
    seam_frames: Sequence[int] | None = None,
    contacts: npt.ArrayLike | None = None,
    view: str = "auto",
    title: str | None = None,
) -> Picture:
    """Draw frames of a motion side by side, the ground under them and the path from above.

    Left limbs, right limbs and trunk have a colour each; a body is seen from its own side, also while it turns.
    Frames that blend two sources are on a tinted ground, faulty ones on a red one, planted heels and toes have a
    dot, and a band under each figure names its source clips and frames.

    Parameters
    ----------
    clip
        The motion.
    path
        PNG to write, or None.
    frames
        Frames to draw; by default ``count`` of them evenly spread, or one every ``every_seconds``.
    count
        Number of figures when neither ``frames`` nor ``every_seconds`` is given; by default one about every eighth
        of a second, so that steps are not missed, but 12 to 36 in all.
    every_seconds
        Seconds between figures.
    seam_frames
        Frames before which a seam is marked; by default the seams of the clip's origin.
    contacts
        (F, 4) flags for left heel, left toe, right heel, right toe; by default detected. Pass ``()`` for none.
    view
        ``side``, ``front``, ``travel`` (the side of its path), or ``auto``: the side, and the front for a
        body that steps sideways.
    title
        Heading; by default the clip's name, length and rate.

    Returns
    -------
    Picture
        ``notes`` holds ``frames``, ``tinted`` and ``faulty`` (frames), ``planted`` (number of dots), ``seams``
        (frames), ``view``.

    Raises
    ------
    SettingError
        A frame outside the clip, an unknown view, a count below 1.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import segue
    >>> strip = filmstrip(segue.sample("walk"), count=4, contacts=())
    >>> strip.width, len(strip.notes["frames"])
    (1600, 4)
    """
    loaded(clip)
    chosen = _chosen_frames(clip, frames, count, every_seconds)
    given = () if seam_frames is None else _inside(clip, seam_frames)
    marked = (
        joins(clip)
        if seam_frames is None
        else tuple(SeamFrames(k, at, at, at) for k, at in enumerate(given, start=1))
    )
    words = title or f"{clip.name}  ·  {clip.seconds:.2f} s at {clip.fps:g} frames/s, {clip.n_frames} frames"
    strip = Strip(clip, chosen, contacts=contacts, view=view, seams=marked, title=words)
    height = path_height(clip, WIDTH - 2 * MARGIN, least=110.0, most=260.0)
    sheet = strip.sheet(below=height + 10)
    strip.draw(sheet)
    strip.draw_from_above(sheet, height=height)
    return sheet.finish(path, notes=strip.notes())


def _chosen_frames(
    clip: Clip, frames: Sequence[int] | None, count: int | None, every_seconds: float | None
) -> tuple[int, ...]:
    if frames is not None:
        if len(frames) == 0:
            msg = "frames is empty; give at least one frame"
            raise SettingError(msg)
        return _inside(clip, frames)
    if every_seconds is not None:
        if not every_seconds > 0:
            msg = f"every_seconds is {every_seconds}; it must be above 0"
            raise SettingError(msg)
        at = np.arange(0.0, clip.n_frames - 0.5, max(every_seconds * clip.fps, 1.0))
        return tuple(int(frame) for frame in np.rint(at))
    if count is None:
        count = int(np.clip(round(clip.seconds / _EIGHTH) + 1, 12, 36))
    if count < 1:
        msg = f"count is {count}; a filmstrip needs at least 1 figure"
        raise SettingError(msg)
    spread = np.rint(np.linspace(0, clip.n_frames - 1, min(count, clip.n_frames)))
    return tuple(int(frame) for frame in spread)


def _inside(clip: Clip, frames: Sequence[int]) -> tuple[int, ...]:
    """Frames as integers, all of them inside the clip."""
    for frame in frames:
        if not 0 <= frame < clip.n_frames:
            msg = f"clip {clip.name!r} has frames 0 to {clip.n_frames - 1}, not {frame}"
            raise SettingError(msg)
    return tuple(int(frame) for frame in frames)
