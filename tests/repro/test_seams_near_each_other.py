"""Seams so close together that they share a plant or the correction of a foot."""

from __future__ import annotations

import numpy as np

from segue.graph.build import build_graph
from segue.graph.finish import ROOM
from segue.motion.samples import SAMPLES, sample
from segue.settings import SeamBounds, SeamSettings
from segue.synthesis.checks import SLIP, STANDING
from segue.synthesis.feet.levels import REACH
from segue.synthesis.feet.softening import feet_to_soften
from segue.synthesis.joins import JoinArrays
from segue.synthesis.transition_check import TransitionChecker

STAND = sample("stand")


def test_feet_of_near_seams_are_softened_together() -> None:
    """Two near seams share the correction of a foot; a third is out of reach."""
    reach = round(REACH * STAND.fps)
    ranges = [(10, 20), (20 + reach, 30 + reach), (31 + 2 * reach, 41 + 2 * reach)]
    over = np.zeros((3, STAND.skeleton.n_joints), dtype=bool)
    over[0, STAND.skeleton.names.index("LeftLeg")] = True
    treated = np.ones((3, 2), dtype=bool)
    found = feet_to_soften(treated, over, ranges, STAND)
    assert found.tolist() == [[True, False], [True, False], [False, False]]
    treated[0] = False
    assert feet_to_soften(treated, over, ranges, STAND).tolist() == [
        [False, False],
        [True, True],
        [False, False],
    ]


def test_a_clip_that_is_entered_can_go_on() -> None:
    """Feet of a blend right behind another one were released because the two were never checked together."""
    graph = build_graph([sample(name) for name in SAMPLES])
    assert len(graph.clips_reached) == len(SAMPLES)
    kept, joins, part = graph.kept, graph.joins, graph.node_part
    assert part is not None
    inside = np.flatnonzero(kept[graph.leaves] & kept[graph.arrives])
    leaving = part[graph.leaves[inside]]
    last = {key: joins.a_start[inside][leaving == key].max() for key in set(leaving.tolist())}
    left = np.array([last[int(part[graph.arrives[k]])] - joins.arrivals[k] for k in inside])
    assert left.min() >= round(ROOM * graph.fps)


def test_a_foot_that_stands_throughout_slips_less() -> None:
    """A foot that stands 15 mm off after the join slips: no correction removes that in a third of a second."""
    start, clip = np.full(2, STAND.n_frames // 2), np.zeros(2, dtype=np.int64)
    joins = JoinArrays(clip, start, clip, start, np.array([[0.0, 0.002, 0.0], [0.0, 0.015, 0.0]]), 20)
    # The stand is perfectly still, so any motion at the seam exceeds the usual bounds.
    found = TransitionChecker([STAND], SeamSettings(bounds=SeamBounds(acceleration_factor=1e6))).check(joins)
    assert found.standing[0] == 0.0
    assert STANDING < found.standing[1] <= found.slip[1] < SLIP
    assert found.share[0] < 1.0 < found.share[1]
