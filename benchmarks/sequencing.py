"""All 400 ordered pairs of 20 elementary motions: methods, time a pair, skate and peaks beside both baselines.

    .venv/bin/python benchmarks/sequencing.py

Fights, dances, walks and jumps from ../shared/data (`_elements`), on one body at 60 frames a second, with 0.6 s between
the cores of a pair. Times are processor time of planning, joining and holding feet, each pair for the first time.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks" / "show")]

import _elements as made_of  # noqa: E402
from _runner import Show, run  # noqa: E402

from segue.sequencing.footholds import unheld  # noqa: E402
from segue.sequencing.joining import join_pair  # noqa: E402
from segue.sequencing.prepared import ready  # noqa: E402

GAP = 0.6
SAME = 1.02
"""Times as much that counts as no more: where a core's own motion is the peak, all methods show it."""
METHODS = ("optimal", "pose-similarity", "constraint-only")
JOINS = ("transition", "connection", "adaptation with step", "adaptation without step")


def main(show: Show) -> None:
    """Time all pairs, then judge them beside the baselines."""
    elements = made_of.elements()
    times(show, elements)
    compared(show, elements)


def times(show: Show, elements: dict[str, Any]) -> None:
    """How long a pair takes, and which method joins it."""
    motions = [ready(one, made_of.body(), made_of.FPS) for one in elements.values()]
    taken, found, slips = [], Counter[str](), []
    for first in motions:
        for second in motions:
            start = time.process_time()
            offset = first.core[1] + round(GAP * made_of.FPS) - second.core[0]
            pair = join_pair(unheld(first), second, offset, smoothness=0.5)
            taken.append(time.process_time() - start)
            found[pair.decision.method] += 1
            slips.append(pair.decision.slip_after)
    show.check("median milliseconds a pair", 1e3 * statistics.median(taken), "< 10 ms")
    show.note(f"the slowest tenth takes over {1e3 * float(np.percentile(taken, 90)):.1f} ms")
    for method in JOINS:
        show.check(f"pairs joined by {method}", found[method], ">= 20")
    show.note("rejected: 0, since no cores overlap")
    show.check("pairs whose planted feet slip 2 mm or more", int((np.array(slips) >= 0.002).sum()), "= 0")
    show.note(f"the largest slip is {1e3 * max(slips):.1f} mm")


def compared(show: Show, elements: dict[str, Any]) -> None:
    """Skate and peaks beside both baselines."""
    rows = []
    for name, first in elements.items():
        for other, second in elements.items():
            facts = []
            for method in METHODS:
                made = made_of.pair(first, second, gap=GAP, method=method)
                between = made_of.between(made)
                facts.append((made_of.skate(made, between), made_of.peak_change(made, between)))
                if method == "optimal":
                    joined = made.pairs[0].method
            rows.append((name, other, joined, np.array(facts)))
    every = np.array([row[3] for row in rows])
    show.table(
        ["method", "median skate (mm)", "median peak (m/s^2)"],
        [
            (m, 1e3 * float(np.median(every[:, k, 0])), float(np.median(every[:, k, 1])))
            for k, m in enumerate(METHODS)
        ],
    )
    less = every[:, 0, 0] <= every[:, 1, 0]
    lower = every[:, 0, 1] <= SAME * every[:, 2, 1]
    show.check("pairs with less skate than by pose similarity", float(less.mean()), ">= 0.9")
    show.check("pairs with no higher a peak than by constraints only", float(lower.mean()), ">= 0.9")
    for method in JOINS:
        mine = np.array([row[2] == method for row in rows])
        if mine.any():
            show.note(f"  {method}: {100 * float(lower[mine].mean()):.0f} % of {int(mine.sum())}")
    worse = sorted((row for row, good in zip(rows, lower, strict=True) if not good), key=_ratio)
    show.note(f"higher peaks than by constraints only, {len(worse)} pairs; the ten highest:")
    show.table(
        ["pair", "method", "optimal", "constraint-only"],
        [(f"{row[0]} {row[1]}", row[2], float(row[3][0, 1]), float(row[3][2, 1])) for row in worse[:10]],
    )


def _ratio(row: Any) -> float:
    return -float(row[3][0, 1] / row[3][2, 1])


if __name__ == "__main__":
    run(main, "400 pairs of elementary motions")
