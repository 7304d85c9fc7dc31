"""A captured knee that jumped off its stop in one frame let the correction of a foot next to it bend as fast."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import segue
from segue.app.stages import make_graph, read
from segue.measures.smoothness import knee_bends
from segue.settings import Settings
from segue.synthesis.feet.softening import FAST


def test_no_correction_bends_a_knee_as_fast_as_the_jump_beside_it(data: Path) -> None:
    """Corrected frames bend no faster than as they were blended, or than 15 rad/s."""
    folder = data / "asf_amc" / "16"
    graph = make_graph(read([str(folder / f"16_{number}.amc") for number in ("19", "01")]), Settings())
    jumping = next(clip for clip in graph.clips if clip.name == "16_19")
    assert np.abs(np.diff(knee_bends(jumping), axis=0)).max() * jumping.fps > 1.4 * FAST
    walk = graph.wander(seconds=60, seed=1, start="16_19")
    free, bent = (
        np.abs(np.diff(knee_bends(segue.render(walk, feet=feet)), axis=0)).max(axis=1) * jumping.fps
        for feet in ("free", "natural")
    )
    changed = np.abs(bent - free) > 1e-6
    assert changed.any()
    assert (bent[changed] <= np.maximum(1.1 * FAST, 1.05 * free[changed])).all()
