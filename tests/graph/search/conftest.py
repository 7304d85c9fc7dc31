"""A graph of embedded clips, built once."""

from __future__ import annotations

import os

import pytest

import segue


@pytest.fixture(scope="session")
def small() -> segue.MotionGraph:
    """Clips that start, walk straight, walk to the left, and stop."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip(
            "a graph takes a minute where kernels run interpreted; the kernels of the search need none"
        )
    clips = [segue.sample(name, fps=30.0) for name in ("walk", "walk_turn_left", "stop", "start")]
    return segue.MotionGraph.build(clips)
