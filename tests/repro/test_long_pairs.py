"""Long clips and large noisy cost matrices took too much memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np

from segue.arrays import Floats
from segue.transitions.copies import longest_run
from segue.transitions.lags import best_lag, signal
from segue.transitions.pruning import find_candidates


def peak_of(work: Callable[[], object]) -> float:
    """Peak memory of a call in megabytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def wandering(frames: int) -> Floats:
    """Random walks (frames, 20) in metres."""
    steps = np.random.default_rng(frames).standard_normal((frames, 20))
    return 0.005 * np.cumsum(steps, axis=0)


def test_two_long_clips_are_shifted_along_one_another_in_little_memory() -> None:
    """All products of their frames were held together, twice with the shift: 24 bytes for every pair of frames."""
    made = signal(wandering(4332)), signal(wandering(4330))
    assert peak_of(lambda: best_lag(*made, first=-860, last=860, limit=0.02)) < 16


def test_runs_of_a_noisy_matrix_are_found_in_little_memory() -> None:
    """Flags and ends of runs of the complete matrix took three times its own memory."""
    values = np.random.default_rng(1).random((1500, 1400), dtype=np.float32)
    assert peak_of(lambda: longest_run(values, np.full(1500, 0.5))) < 4


def test_many_minima_are_judged_in_little_memory() -> None:
    """The cells of all blends were gathered together: 60 MB for each array of them here."""
    rng = np.random.default_rng(2)
    values = rng.random((1000, 900), dtype=np.float32)
    cells = np.stack([rng.integers(0, 1000, 60_000), rng.integers(0, 900, 60_000)], axis=1)
    judged = partial(find_candidates, values, cells, mode="source", length=60, rate=60.0)
    assert peak_of(partial(judged, rows=(0, 1000), columns=(0, 900))) < 16
