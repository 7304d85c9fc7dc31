"""Slip of planted feet for any shift of a motion, and for several distances between the cores of a pair.

Shows: each of the ten motions of the demo's sequence moved by up to half a second, frame by frame, at three values of
    W; and 400 pairs of elementary motions at four distances between their cores: the largest slip of a planted foot
Bars: under 2 mm for every motion of the demo at any shift; under 2 mm in 999 of 1,000 of the pairs
Needs: clips
Group: The main job
"""

from __future__ import annotations

from dataclasses import replace

import _elements as made_of
import numpy as np
from _runner import Show, run

from segue.app.demo import demo_sequence
from segue.app.sequencing import make
from segue.sequencing.decisions import PairDecision
from segue.sequencing.footholds import unheld
from segue.sequencing.joining import join_pair
from segue.sequencing.prepared import ready
from segue.sequencing.sequence import make_sequence

SMOOTHNESS = (0.0, 0.5, 1.0)
FARTHEST = 0.5
"""Largest shift of a motion of the demo in seconds."""
GAPS = (0.3, 0.4, 0.8, 1.0)
"""Seconds between the cores of a pair; `sequencing.py` takes 0.6."""
MOST = 0.002


def main(show: Show) -> None:
    """Check the demo, then all pairs."""
    demo(show)
    pairs(show)


def demo(show: Show) -> None:
    """Move every motion of the demo separately."""
    made = make(demo_sequence())
    frames = round(FARTHEST * made.fps)
    rows, most = [], 0.0
    for number, one in enumerate(made.script.placements):
        worst: tuple[float, float, PairDecision] | None = None
        for smoothness in SMOOTHNESS:
            for moved in np.arange(-frames, frames + 1) / made.fps:
                placed = list(made.script.placements)
                placed[number] = replace(one, at=(one.at or 0.0) + float(moved))
                script = replace(made.script, placements=tuple(placed), smoothness=smoothness)
                again = make_sequence(made.material.elements, script, fps=made.fps)
                touched = [pair for pair in again.pairs if one.motion in (pair.previous, pair.following)]
                pair = max(touched, key=lambda each: each.slip_after)
                if worst is None or pair.slip_after > worst[2].slip_after:
                    worst = float(moved), smoothness, pair
        if worst is not None:
            moved, smoothness, pair = worst
            where = f"{pair.previous} to {pair.following}"
            rows.append((one.motion, moved, smoothness, where, 1e3 * pair.slip_before, 1e3 * pair.slip_after))
            most = max(most, pair.slip_after)
    show.table(["moved", "by s", "W", "slips most in", "before IK (mm)", "held (mm)"], rows)
    show.check("demo: farthest slip of a planted foot", 1e3 * most, "< 2 mm")


def pairs(show: Show) -> None:
    """Join 400 pairs at several distances."""
    motions = [ready(one, made_of.body(), made_of.FPS) for one in made_of.elements().values()]
    found = []
    for gap in GAPS:
        for smoothness in SMOOTHNESS:
            for first in motions:
                for second in motions:
                    offset = first.core[1] + round(gap * made_of.FPS) - second.core[0]
                    pair = join_pair(unheld(first), second, offset, smoothness=smoothness).decision
                    found.append((pair.slip_after, gap, smoothness, pair))
    after = np.array([one[0] for one in found])
    before = 1e3 * np.array([one[3].slip_before for one in found])
    show.note(
        f"{len(found):,} pairs; before IK half of them slip over {np.median(before):.0f} mm, the hundredth most over "
        f"{np.percentile(before, 99):.0f}"
    )
    show.check("share of pairs that slip under 2 mm", float((after < MOST).mean()), ">= 0.999")
    for slip, gap, smoothness, pair in sorted(found, key=lambda one: -one[0])[:3]:
        show.note(
            f"  {pair.previous} to {pair.following}, {gap:g} s apart, W = {smoothness:g}: {pair.method}, "
            f"{1e3 * slip:.1f} mm"
        )


if __name__ == "__main__":
    run(main, "feet of sequences for shifted motions")
