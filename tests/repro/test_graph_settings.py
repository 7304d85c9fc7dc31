"""Invalid settings of a graph or a walk ended in errors of numpy."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.graph.build import build_graph


def test_a_seed_between_whole_numbers_is_refused():
    """A fractional seed is refused."""
    graph = build_graph([segue.sample("walk"), segue.sample("start"), segue.sample("stop")])
    with pytest.raises(segue.SettingError, match="whole number"):
        graph.wander(seconds=2, seed=1.5)


def test_the_knee_of_nothing_gives_a_graph_without_transitions():
    """A clip that never changes has no minimum: the graph is empty and reports it."""
    stand = segue.sample("stand")
    still = stand.with_motion(
        np.repeat(stand.rotations[:1], 60, axis=0),
        np.repeat(stand.root_positions[:1], 60, axis=0),
        origin=segue.Origin.of("still", 60),
        name="still",
    )
    graph = build_graph([still], threshold="knee")
    assert not graph.kept.any()
    assert "no minimum" in graph.report.threshold.sentence
