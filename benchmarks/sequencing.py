"""All 400 ordered pairs of 20 elementary motions: methods, time a pair, skate and peaks, compared with both baselines.

    .venv/bin/python benchmarks/sequencing.py

Fights, dances, walks and jumps from ../shared/data (`_elements`), on one body at 60 frames a second, with 0.6 s
between the cores of a pair. Times are processor time of planning, joining and foot correction, with no results
cached; the shorter of two runs counts, since other programs only add to it.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks" / "show")]

import _elements as made_of  # noqa: E402
from _runner import Show, run  # noqa: E402

from segue.measures.curves import half_speeds  # noqa: E402
from segue.sequencing.decisions import PairDecision  # noqa: E402
from segue.sequencing.footholds import unheld  # noqa: E402
from segue.sequencing.joining import join_pair  # noqa: E402
from segue.sequencing.prepared import ready  # noqa: E402
from segue.sequencing.sequence import MotionSequence  # noqa: E402

GAP = 0.6
FAR = 0.02
"""Displacement of planted feet after blending, in metres, from which their speed shows it."""
SAME = 1.02
"""Ratio up to which values count as equal: where a core's own motion is the peak, all methods show it."""
METHODS = ("optimal", "pose-similarity", "constraint-only")
JOINS = ("transition", "connection", "adaptation with step", "adaptation without step")


def main(show: Show) -> None:
    """Time all pairs, then compare them with the baselines."""
    elements = made_of.elements()
    times(show, elements)
    compared(show, elements)


def times(show: Show, elements: dict[str, Any]) -> None:
    """Measure the time a pair, and which method joins it."""
    motions = [ready(one, made_of.body(), made_of.FPS) for one in elements.values()]
    taken, found, slips = [], Counter[str](), []
    for first in motions:
        for second in motions:
            offset = first.core[1] + round(GAP * made_of.FPS) - second.core[0]
            spans = []
            for _ in range(2):
                start = time.process_time()
                pair = join_pair.__wrapped__(unheld(first), second, offset, smoothness=0.5)
                spans.append(time.process_time() - start)
            taken.append(min(spans))
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
    """Compare skate and peaks with both baselines."""
    rows: list[Row] = []
    for name, first in elements.items():
        for other, second in elements.items():
            made = {method: made_of.pair(first, second, gap=GAP, method=method) for method in METHODS}
            facts = [
                (made_of.skate(one, made_of.between(one)), made_of.peak_change(one, made_of.between(one)))
                for one in made.values()
            ]
            better = facts[0][0] <= facts[1][0] and facts[0][1] <= SAME * facts[2][1]
            why = ("", "") if better else (more_skate(made), higher_peak(made))
            rows.append(Row(f"{name} {other}", made["optimal"].pairs[0].method, np.array(facts), *why))
    every = np.array([row.facts for row in rows])
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
        mine = np.array([row.method == method for row in rows])
        if mine.any():
            show.note(f"  {method}: {100 * float(lower[mine].mean()):.0f} % of {int(mine.sum())}")
    more = [row for row, good in zip(rows, less, strict=True) if not good]
    show.note(f"more skate than by pose similarity (mm), pairs: {len(more)}")
    for row in more:
        show.note(
            f"  {row.pair}: {1e3 * row.facts[0, 0]:.1f} against {1e3 * row.facts[1, 0]:.1f}; {row.why_skate}"
        )
    worse = [row for row, good in zip(rows, lower, strict=True) if not good]
    show.note(f"higher peaks than by constraints only (m/s^2), pairs: {len(worse)}")
    for row in sorted(worse, key=lambda one: -one.facts[0, 1] / one.facts[2, 1]):
        show.note(
            f"  {row.pair}, {row.method}: {row.facts[0, 1]:.0f} against {row.facts[2, 1]:.0f}; {row.why_peak}"
        )


@dataclass(frozen=True)
class Row:
    """One pair: its method, (3, 2) skate and peak by each of `METHODS`, and why one of them is not lower."""

    pair: str
    method: str
    facts: np.ndarray
    why_skate: str
    why_peak: str


def more_skate(made: dict[str, MotionSequence]) -> str:
    """Explain why feet skate more than by pose similarity: how much the captured previous motion skates."""
    ours, theirs = (
        made_of.skate(one, slice(made_of.between(one).start, one.placed[1].begun - one.first_frame))
        for one in (made["optimal"], made["pose-similarity"])
    )
    return f"as captured, before the blend begins: {1e3 * ours:.1f} against {1e3 * theirs:.1f}"


def higher_peak(made: dict[str, MotionSequence]) -> str:
    """Explain why speed changes more than by constraints only: in which half, and its time range in both."""
    ours, theirs = (made[method].pairs[0] for method in ("optimal", "constraint-only"))
    half, at = hardest(made["optimal"])
    a, b = (seconds_of(pair, half) for pair in (ours, theirs))
    where = f"{half} body, {a:.2f} s of blend against {b:.2f}"
    if "both" in [one.foot for one in (ours.previous_phase, ours.following_phase) if one is not None]:
        return f"{where}: a flight is kept as it is up to its highest pose"
    if a < 0.95 * b:
        return f"{where}: the shorter range costs less by its ends, and is the harder one between them"
    begin = min(one.begin_frame for one in ours.segments if one.half == half)
    if at < begin:
        return f"{where}: the peak lies before it, while the other half is blended"
    if half == "lower" and ours.slip_before > FAR:
        return (
            f"{where}: planted feet, {1e3 * ours.slip_before:.0f} mm astray as blended, catch up as they lift"
        )
    return f"{where}: the ends meet speeds that the smoothstep of constraints leaves out"


def hardest(made: MotionSequence) -> tuple[str, int]:
    """Return the half with the largest change of speed between the cores, and the frame of the clock."""
    rows, speeds = made_of.between(made), half_speeds(made.clip)
    changes = {
        half: np.abs(np.diff(curve[rows]))
        for half, curve in (("lower", speeds.lower), ("upper", speeds.upper))
    }
    half = max(changes, key=lambda one: float(changes[one].max()))
    return half, int(changes[half].argmax()) + rows.start + made.first_frame


def seconds_of(pair: PairDecision, half: str) -> float:
    segment = next(one for one in pair.segments if one.half == half and one.name != "S3")
    if pair.method.startswith("adaptation") and half == "lower":
        segment = next(one for one in pair.segments if one.name == "S1")
    return float((segment.weights < 1.0).sum() - (segment.weights <= 0.0).sum() + 1) / made_of.FPS


if __name__ == "__main__":
    run(main, "400 pairs of elementary motions")
