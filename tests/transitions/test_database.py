"""Minima of a set of clips are those of its pairs, away from unusable frames."""

from __future__ import annotations

import numpy as np
import pytest

from segue.costs.engine.plan import Run
from segue.costs.registry import cost
from segue.errors import SettingError, StoppedError
from segue.motion.samples import sample
from segue.transitions import minima
from segue.transitions.database import database_minima

NAMES = ("walk", "stop", "run")


@pytest.mark.parametrize("name", ["point_cloud", "relative_distance"])
def test_minima_of_all_pairs(name):
    """As if each pair's float64 matrix had been searched."""
    made = cost(name, dtype="float64")
    clips = [sample(part) for part in NAMES]
    ready = [made.prepare(clip) for clip in clips]
    threshold = 0.002 if name == "point_cloud" else 0.02
    found = database_minima(clips, cost=made, threshold=threshold, band=10)
    for a, one in enumerate(ready):
        for b in range(a, len(ready)):
            values = made.matrix(one, ready[b])
            cells = minima.local_minima(values, least=2 * made.half_window + 11 if a == b else None)
            cells = cells[values[cells[:, 0], cells[:, 1]] <= threshold]
            mine = (found.a_clip == a) & (found.b_clip == b)
            np.testing.assert_array_equal(found.cells[mine], cells)
    assert len(found) > 20


def test_windows_touch_no_unusable_frame(monkeypatch):
    """Frames that hold no motion are walls for every search."""
    clips = [sample(part) for part in NAMES]
    bad = {clip.name: np.zeros(clip.n_frames, dtype=bool) for clip in clips}
    bad["stop"][20:24] = True
    monkeypatch.setattr("segue.transitions.database.unusable_frames", lambda clip: bad[clip.name])
    for name in ("point_cloud", "relative_distance"):
        made = cost(name)
        step = clips[1].fps / made.rate
        for how in ({"threshold": 0.05}, {"sector": 5}):
            found = database_minima(clips, cost=made, **how)
            rows = found.cells[found.a_clip == 1, 0] + made.half_window
            touched = np.abs(rows[:, None] * step - np.arange(20, 24)) <= made.half_window * step
            assert len(rows)
            assert not touched.any()


def test_one_of_two_searches_has_to_be_asked_for():
    """A threshold or a sector, not both, not none; and work can be stopped."""
    clips, made = [sample("walk")], cost("point_cloud")
    for how in ({}, {"threshold": 0.1, "sector": 50}):
        with pytest.raises(SettingError, match="either a threshold"):
            database_minima(clips, cost=made, **how)
    with pytest.raises(StoppedError):
        database_minima(clips, cost=made, threshold=0.1, run=Run(threads=1, stop=lambda: True))
