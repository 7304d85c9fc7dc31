"""A graph of embedded clips, built once."""

from __future__ import annotations

import pytest

import segue


@pytest.fixture(scope="session")
def small() -> segue.MotionGraph:
    """Three clips that walk straight, to the left, and stop."""
    clips = [segue.sample(name) for name in ("walk", "walk_turn_left", "stop", "start")]
    return segue.MotionGraph.build(clips)
