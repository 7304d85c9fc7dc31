"""Small graphs that several tests walk."""

from __future__ import annotations

import pytest

import segue


@pytest.fixture(scope="session")
def graph() -> segue.MotionGraph:
    """Three embedded clips at thirty frames a second."""
    clips = [segue.sample(name, 30.0) for name in ("walk", "walk_fast", "walk_left")]
    return segue.MotionGraph.build(clips)
