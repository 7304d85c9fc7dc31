"""Resolve a word to one clip of several: ``Idle_A`` is ``Med_General#Idle_A`` if no other clip has that name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from segue.app.in_place import mirror_of
from segue.errors import SettingError, nearest
from segue.io.animation_names import split_fragment
from segue.io.formats import READABLE
from segue.motion.clip import Clip
from segue.motion.mirror import SUFFIX


def called(word: str, clips: Sequence[Clip]) -> str:
    """Return the name of the clip that a word matches; the word itself if it matches none, or more than one.

    A word may be a clip's name, its file's name with extension, or its animation's name, short or in full, alone or
    after the file's name.

    Examples
    --------
    >>> from segue.motion.samples import sample
    >>> moves = [sample(name).with_motion(name=f"moves#{name}") for name in ("walk", "run")]
    >>> called("run", moves), called("moves#run", moves), called("hop", moves)
    ('moves#run', 'moves#run', 'hop')
    """
    if any(clip.name == word for clip in clips):
        return word
    file, animation = split_fragment(word)
    if file.suffix.lower() in READABLE:
        word, asked = file.stem if animation is None else f"{file.stem}#{animation}", word
    else:
        asked = word
    found = [clip.name for clip in clips if word == clip.name or word in _words(clip)]
    return found[0] if len(found) == 1 else asked


def named(word: str, clips: Sequence[Clip]) -> str:
    """Return the name of the clip, or of a clip's mirror image, that a word matches.

    Raises
    ------
    SettingError
        If it matches none, or more than one; names the nearest.

    Examples
    --------
    >>> from segue.motion.samples import sample
    >>> named("walk (mirrored)", [sample("walk")])
    'walk (mirrored)'
    """
    name, names = called(word, clips), [clip.name for clip in clips]
    if name.removesuffix(SUFFIX) not in names:
        msg = f"no clip is called {name!r}; {nearest(name, names)}"
        raise SettingError(msg)
    return name


def _words(clip: Clip) -> Iterable[str]:
    file, mark, short = clip.name.rpartition("#")
    mine = clip.source is not None and mirror_of(clip) is None
    full = clip.source.extra.get("animation") if mine and clip.source is not None else None
    names = {name for name in (short if mark else "", full) if isinstance(name, str) and name}
    return (
        names
        | {f"{file}#{name}" for name in names if mark}
        | {f"{file.rpartition('/')[2]}#{name}" for name in names}
    )
