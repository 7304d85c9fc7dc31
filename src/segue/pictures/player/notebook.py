"""A motion under a notebook cell: the player in a frame of its own, over a still picture.

A notebook that does not trust a page removes the frame and keeps the picture. The frame has no access to the notebook
or to a network.
"""

from __future__ import annotations

import base64
import html
from functools import singledispatch

from segue.errors import MissingExtraError, SegueError
from segue.graph.walk import Walk, render
from segue.motion.clip import Clip
from segue.pictures.player.film import film
from segue.pictures.player.page import page_of
from segue.pictures.player.still import still
from segue.synthesis.loop import Loop, repeated
from segue.texts import shown

_ROUND = 6.0  # minimum seconds for which a loop is played


@singledispatch
def motion_of(thing: object) -> Clip | None:
    """Return the motion of an object: its ``clip`` or ``motion``, unless a rule below applies.

    Examples
    --------
    >>> import segue
    >>> motion_of(segue.sample("walk")).name, motion_of("no motion")
    ('walk', None)
    """
    for name in ("clip", "motion"):
        found = getattr(thing, name, None)
        if isinstance(found, Clip):
            return found
    return None


@motion_of.register
def _(thing: Clip) -> Clip:
    return thing


@motion_of.register
def _(thing: Walk) -> Clip:
    return render(thing)


@motion_of.register
def _(thing: Loop) -> Clip:
    return repeated(thing, max(2, round(_ROUND / max(thing.seconds, 1e-3))))


def notebook_html(thing: object) -> str | None:
    """Return HTML of a motion for a notebook; None if it cannot be played, so that the notebook shows its text.

    Parameters
    ----------
    thing
        A clip, a walk, a loop, or another object with a clip.
    """
    try:
        clip = motion_of(thing)
        if clip is None:
            return None
        page = page_of(film([clip]), compact=True)
    except SegueError:
        return None
    words = html.escape(f"{shown(clip.name)}, {clip.seconds:.2f} s", quote=True)
    picture = _picture(clip)
    source = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    image = (
        f'<img alt="{words}" src="{source}" style="width:100%;height:100%;object-fit:contain">'
        if picture
        else ""
    )
    return (
        '<div style="position:relative;width:100%;max-width:60rem;aspect-ratio:16/9;min-height:20rem">'
        f'{image}<iframe title="{words}" sandbox="allow-scripts" srcdoc="{html.escape(page, quote=True)}" '
        'style="position:absolute;left:0;top:0;width:100%;height:100%;border:0;border-radius:10px"></iframe></div>'
    )


def _picture(clip: Clip) -> bytes:
    try:
        return still(clip)
    except MissingExtraError:
        return b""
