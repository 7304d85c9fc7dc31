"""Time of one transition, and of a minute of walk over matched clips; processor time, after compiling.

Shows: processor time of one complete transition of two captured walks with its length, blend and feet, and of a
    minute of walk over the 58 matched clips of CMU 16
Bars: 5 ms, the median over every pair of neighbouring clips; 1 s
Needs: clips
Group: The parts

A complete transition has its length computed (``auto``), its frames blended, and planted feet corrected.
Transitions are those of lowest cost between each clip of CMU subject 16 and the next in the list, where they cost
no more than three median next-frame costs. The minute is a walk over the graph of all 58 clips, rendered with feet.
"""

from __future__ import annotations

import itertools

import numpy as np
from _data import subject_16
from _runner import Show, best, run, seconds

import segue
from segue.app.stages import make_graph, read
from segue.costs.matrix import median_next_frame_cost, next_frame_costs
from segue.errors import SegueError
from segue.motion.clip import Clip
from segue.settings import Settings

REPEATS = 20


def transitions(clips: list[Clip]) -> list[tuple[Clip, Clip, segue.TransitionPoint]]:
    """Return the transition of lowest cost between each clip and the next."""
    cost = segue.PointCloudCost()
    limit = 3 * median_next_frame_cost([next_frame_costs(cost.prepare(clip), cost) for clip in clips])
    found = []
    for a, b in itertools.pairwise(clips):
        try:
            points = segue.transition_points(a, b, cost=cost, threshold=limit)
        except SegueError:
            continue
        if len(points):
            found.append((a, b, points[0]))
    return found


def main(verdicts: Show) -> None:
    collection = read(subject_16())
    found = transitions(list(collection.clips))
    for a, b, point in found[:1]:
        segue.splice(a, b, point, length="auto")
    parts: dict[str, list[float]] = {"blend": [], "with its length": [], "with feet too": []}
    for a, b, point in found:
        for name, how in (
            ("blend", {"feet": "free"}),
            ("with its length", {"length": "auto", "feet": "free"}),
            ("with feet too", {"length": "auto"}),
        ):
            parts[name].append(best(lambda how=how: segue.splice(a, b, point, **how), REPEATS))  # noqa: B023
    verdicts.note(
        f"{len(found)} transitions, clips of {np.mean([a.n_frames for a, _, _ in found]):.0f} frames"
    )
    for name, times in parts.items():
        ms = 1e3 * np.array(times)
        verdicts.note(f"{name:20} {np.median(ms):6.2f} ms in the median, {ms.min():.2f} to {ms.max():.2f}")
    whole = 1e3 * float(np.median(parts["with feet too"]))
    verdicts.check(f"one complete transition, best of {REPEATS}, median", whole, "< 5", unit="ms")
    graph = make_graph(collection, Settings())
    first = seconds(lambda: segue.render(graph.wander(seconds=60, seed=2)))
    verdicts.note(f"the first minute, with the contacts of its clips: {first:.2f} s")
    walked = best(lambda: graph.wander(seconds=60, seed=1), 3)
    walk = graph.wander(seconds=60, seed=1)
    rendered = best(lambda: segue.render(walk), 5)
    verdicts.note(f"walk {walked:.2f} s, frames and feet {rendered:.2f} s")
    verdicts.check("a minute over 58 matched clips", walked + rendered, "< 1", unit="s")


if __name__ == "__main__":
    run(main, "speed of transitions and of a minute of walk")
