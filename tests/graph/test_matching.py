"""Which pairs are compared, and which jumps are excluded."""

from __future__ import annotations

import numpy as np

from segue.graph.build import build_graph
from segue.motion.cyclic import in_first_round
from segue.motion.samples import sample
from segue.synthesis.loop import loop


def test_a_cycle_does_not_jump_to_the_same_moment_of_another_round() -> None:
    """The longest jump back is the exception, so that a cycle alone plays endlessly."""
    stride = loop(sample("walk", fps=30.0)).clip
    graph = build_graph([stride.with_motion(name="stride")])
    phase = in_first_round(graph.clips[0])
    length = int(phase.max()) + 1
    joins = graph.joins
    apart = np.mod(phase[graph.a_frames] - phase[graph.b_frames] + length // 2, length) - length // 2
    same = np.abs(apart) <= 3
    assert np.count_nonzero(same) == 1
    assert int((graph.a_frames - graph.b_frames)[same][0]) >= length
    assert graph.wander(seconds=30, seed=1).n_frames == 901
    assert len(joins) == len(same)
