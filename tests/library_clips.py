"""Short clips, and libraries of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from segue.app.library.library import Library
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.motion.samples import sample


def short(name: str, start: int = 0, stop: int = 80, *, called: str = "") -> Clip:
    """Part of a sample at 30 frames a second."""
    return cut(sample(name, fps=30.0), start, stop).with_motion(name=called or name)


def filled(path: Path, clips: Sequence[Clip]) -> Library:
    """Library of some clips."""
    library = Library.open(path)
    library.add(list(clips))
    return library
