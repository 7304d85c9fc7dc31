"""Planted feet between the cores of a pair: which of heel and toe carries a tilting foot."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from naive import sequencing as naive
from segue.sequencing.plants import _TILTS, carrying

PLACES = arrays(np.float64, (12, 4, 2), elements=st.sampled_from([0.0, 0.0005, 0.1, 0.2]))


@given(PLACES, arrays(np.bool_, (12, 4)))
def test_what_carries_is_the_naive_one(ground: np.ndarray, planted: np.ndarray) -> None:
    """Loops release the same heels and toes, and no planted foot is released entirely."""
    got = carrying(ground, planted)
    for foot in (0, 1):
        heel, toe = 2 * foot, 2 * foot + 1
        wanted = naive.carrying(ground[:, heel], ground[:, toe], planted[:, heel], planted[:, toe], _TILTS)
        assert got[:, [heel, toe]].T.tolist() == wanted
        assert ((planted[:, heel] | planted[:, toe]) == (got[:, heel] | got[:, toe])).all()


def test_a_foot_that_lies_still_is_held_by_both() -> None:
    """A foot with a constant pose is held by heel and toe; one that comes down on its heel is carried by the heel."""
    ground = np.zeros((10, 4, 2))
    ground[:, 1, 1] = ground[:, 3, 1] = 0.2
    planted = np.ones((10, 4), dtype=bool)
    planted[:4, 3] = False
    assert carrying(ground, planted)[:, :2].all()
    ground[4:8, 3, 1] = [0.185, 0.19, 0.195, 0.2]
    got = carrying(ground, planted)
    assert got[:, 2].all()
    assert not got[:, 3].any()
