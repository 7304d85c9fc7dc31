"""A threshold set to the lowest value reported for a point keeps that point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segue.transitions.minima import local_minima
from segue.transitions.pruning import find_candidates, prune


@pytest.mark.parametrize("back", [False, True])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_point_passes_at_its_own_cost_and_not_below(back: bool, seed: int) -> None:
    """At the lowest threshold reported for a point it is chosen; at the next smaller number it is not."""
    values = np.random.default_rng(seed).uniform(0.1, 1.0, (20, 24))
    found = find_candidates(
        values, local_minima(values), mode="centre", length=6, rate=30.0, rows=(0, 20), columns=(0, 24)
    )
    needed = found.lowest[int(back)]
    for k in np.flatnonzero(np.isfinite(needed)):
        assert k in prune(found, needed[k], mode="centre", length=6, back=back).chosen
        assert k not in prune(found, np.nextafter(needed[k], 0.0), mode="centre", length=6, back=back).chosen
