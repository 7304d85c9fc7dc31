"""Sample clips as a collection: a motion graph holds them all."""

from __future__ import annotations

from segue.graph.build import build_graph
from segue.motion.samples import SAMPLES, sample


def test_a_motion_graph_holds_every_sample_clip() -> None:
    """Default settings reach every clip with at least 70 % of the frames, and a walk plays eight clips or more."""
    graph = build_graph([sample(name) for name in SAMPLES])
    assert graph.report.dropped_clips == {}
    assert graph.report.share > 0.7
    assert len(graph.wander(seconds=60, seed=1).clips_played) >= 8
