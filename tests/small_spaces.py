"""Spaces shared by several tests, fitted once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from segue.errors import MissingExtraError, require_extra
from segue.io import load
from segue.manifold.space import Space, fit_space
from segue.motion.clip import Clip
from segue.motion.samples import sample

try:
    require_extra("fitting a small space", "learn")
    LEARN = True
except MissingExtraError:
    LEARN = False
learn = pytest.mark.skipif(not LEARN, reason="scikit-learn is not installed")


def quick_space() -> Space:
    """Space of the embedded walk, at 15 poses a second, with a network trained for a few rounds only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("segue.manifold.training._ROUNDS", 6)
        return fit_space([sample("walk")], fps=15.0)


@cache
def walk_space() -> Space:
    """The same space for all tests of a process."""
    return quick_space()


@cache
def captured(path: Path) -> Clip:
    """A real clip."""
    return load(path)


@cache
def captured_space(path: Path) -> Space:
    """Space of a real clip."""
    return fit_space([captured(path)])
