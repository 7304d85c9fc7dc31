"""Transition points of real clips: counts after each step, the knee on boxing, the automatic threshold, copies.

Shows: counts after each step in both methods and modes, the knee on boxing, `auto` over all pairs of subject 16,
    copies in other formats
Bars: points and their blends under the threshold; the knee moved under 10 % by a longer tail; its rank a second near
    the source's as an aim, met on 2 of 7 sets; the requested share is kept; candidates of a pair in under 5 ms; five
    of five copies recognised
Needs: clips
Group: The parts

Run as ``python benchmarks/show/transition_points.py``.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
from _runner import Show, run

from segue.costs.matrix import next_frame_costs
from segue.costs.registry import cost as cost_named
from segue.io import load
from segue.settings import SearchSettings
from segue.transitions.candidates import candidates, jumps
from segue.transitions.knee import knee_rank, knee_threshold
from segue.transitions.selection import transition_points
from segue.transitions.threshold import Jumps, auto_threshold

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COST = cost_named("point_cloud")
PAIRS = (("16_15", "16_16"), ("16_35", "16_36"), ("127_03", "127_04"))
COPIES = (
    ("asf_amc/02/02_01.amc", "cmu/from_amc/02_01.bvh"),
    ("asf_amc/02/02_01.amc", "cmu/bvhacker/02_01.bvh"),
    ("asf_amc/01/01_01.amc", "cmu/mb2/01_01.bvh"),
    ("asf_amc/05/05_06.amc", "cmu/bvhacker/05_06.bvh"),
    ("cmu/max_friendly/131_01.bvh", "cmu/bvhacker/scaled_131_01.bvh"),
)
BOXING = {
    "02_05": "asf_amc/02/02_05.amc",
    "17_10": "asf_amc/17/17_10.amc",
    "Boxing_Toes": "misc/assimp/Boxing_Toes.bvh",
}


def amc(name):
    """Load one of CMU's clips."""
    return load(DATA / "asf_amc" / name.split("_")[0] / f"{name}.amc")


def pruning(v: Show) -> None:
    """Print counts after each step, both methods and modes, as in the source's tables 5.2 and 5.3."""
    print(
        "\nCounts after each step (A to B | B to A), threshold of each pair found by 'auto' on local minima"
    )
    for one, other in PAIRS:
        a, b = amc(one), amc(other)
        limit = transition_points(a, b).threshold
        v.note(f"{one} x {other}: {limit.sentence}")
        sound = True
        for method, mode in itertools.product(("local", "sectors"), ("centre", "source")):
            points = transition_points(a, b, method=method, mode=mode, threshold=limit.value)
            there = ", ".join(f"{step} {count}" for step, count in points.counts.items())
            back = ", ".join(str(count) for count in points.back_counts.values())
            v.note(f"    {method:<8}{mode:<8}{there} | {back}")
            for counts, direction in ((points.counts, points.points), (points.back_counts, points.back)):
                steps = list(counts.values())
                under = all(max(p.cost, p.diagonal_cost) <= limit.value for p in direction)
                sound = (
                    sound and under and steps == sorted(steps, reverse=True) and steps[-1] == len(direction)
                )
        v.check("    counts fall; points and their blends under the threshold", sound, "True", sound)
        points = transition_points(a, b)
        if points:
            v.note(f"    {points.sentence[:100]} ...")
        else:
            v.note(f"    {points.sentence}")
            raised = transition_points(a, b, threshold=points.best_cost * 1.001)
            v.check("    raising the threshold as advised gives points", len(raised), ">= 1", raised)
    lost = {mode: _lost(mode) for mode in ("centre", "source")}
    v.check(
        "share lost in step 3: the source's blend against the centred",
        f"{lost['source']:.0%} : {lost['centre']:.0%}",
        "more",
        lost["source"] > lost["centre"],
    )


def _lost(mode: str) -> float:
    """Return the share of sector minima under the threshold that the mean along the blend rejects."""
    before = after = 0
    for one, other in PAIRS:
        a, b = amc(one), amc(other)
        limit = transition_points(a, b).threshold.value
        counts = list(transition_points(a, b, method="sectors", mode=mode, threshold=limit).counts.values())
        before, after = before + counts[-2], after + counts[-1]
    return 1 - after / max(before, 1)


def sorted_costs(clips):
    """Return the costs of the minima of all pairs, one per quarter second, and the seconds of all clips."""
    ready = [COST.prepare(clip) for clip in clips]
    parts = []
    for k, a in enumerate(ready):
        for b in ready[k:]:
            found = candidates(a, b, cost=COST, settings=SearchSettings(blend_seconds=1 / 30))
            parts.append(found.once)
    return np.sort(np.concatenate(parts)), sum(clip.seconds for clip in clips)


def knee(v: Show) -> None:
    """Compare the knee on boxing with the source's, an aim without a bar; and check that the tail does not move it."""
    low, high = 30 / (3720 / 120), 67 / (4145 / 120)
    print(
        f"\nKnee of the sorted costs in ranks a second of clip; the source, at 120 frames a second, has {low:.2f} and "
        f"{high:.2f}, a factor 2 about them is the aim: {low / 2:.2f} to {2 * high:.2f}"
    )
    clips = {name: load(DATA / path) for name, path in BOXING.items()}
    near = sets = 0
    for count in (1, 2, 3):
        for names in itertools.combinations(clips, count):
            costs, seconds = sorted_costs([clips[name] for name in names])
            rank = knee_rank(costs)
            label = f"{' '.join(names)}: {seconds:.1f} s, {len(costs)} minima"
            sets += 1
            if rank is None:
                v.note(f"{label}, no bend: the aim is missed")
                continue
            per = rank / seconds
            inside = low / 2 <= per <= 2 * high
            near += inside
            v.note(f"{label}, rank {rank}: {per:.2f} a second, the aim is {'met' if inside else 'missed'}")
            value = knee_threshold(costs).value
            half = len(costs) // 2
            longer = np.concatenate([costs, costs[-1] + costs[half:] - costs[half]])
            steeper = np.concatenate([costs[:half], costs[half] + 2 * (costs[half:] - costs[half])])
            moved = max(abs(knee_threshold(tail).value / value - 1) for tail in (longer, steeper))
            v.check("    moved by a tail twice as long or steep", 100 * moved, "< 10", moved < 0.1, "%")
    v.note(f"the aim is met on {near} of {sets} sets; no rule was bent towards the source's figures")


def whole_subject(v: Show) -> None:
    """Measure the candidates of all pairs of subject 16, the automatic threshold, and time per pair."""
    print("\nAll 58 clips of subject 16")
    ready = [COST.prepare(load(path)) for path in sorted((DATA / "asf_amc/16").glob("*.amc"))]
    ready = [p for p in ready if p.n]
    steps = [next_frame_costs(p, COST) for p in ready]
    median = float(np.median(np.concatenate(steps)))
    frames = np.array([p.n + 2 * p.half_window for p in ready])
    directions, spent, copies = [], [], []
    for a, b in itertools.combinations_with_replacement(range(len(ready)), 2):
        values = COST.matrix(ready[a], ready[b])
        begin = time.perf_counter()
        found = candidates(
            ready[a],
            ready[b],
            cost=COST,
            settings=SearchSettings(),
            values=values,
            next_frame=(steps[a], steps[b]),
        )
        spent.append(time.perf_counter() - begin)
        directions.append(jumps(found, ready[a], ready[b], settings=SearchSettings(), a_index=a, b_index=b))
        if found.copies:
            copies.append((ready[a].name, ready[b].name))
    v.check("pairs taken for copies", len(copies), "= 0")
    v.check(
        "finding candidates, median of all pairs",
        1000 * float(np.median(spent)),
        "< 5",
        np.median(spent) < 5e-3,
        "ms",
    )
    every = Jumps(
        *(np.concatenate([getattr(direction, f.name) for direction in directions]) for f in fields(Jumps))
    )
    values = []
    for share in (0.3, 0.6, 0.9):
        begin = time.perf_counter()
        got = auto_threshold(every, clip_frames=frames, next_frame_cost=median, share=share)
        values.append(got.value)
        v.note(
            f"share {share}: {got.sentence} [{time.perf_counter() - begin:.2f} s, {len(every.cost)} jumps]"
        )
        if share == 0.6:
            v.check(
                "share of the reachable frames held",
                got.share_reached,
                ">= 0.6",
                got.share_reached >= 0.6 or got.capped,
            )
    v.check(
        "the threshold rises with the share",
        [float(f"{x:.3g}") for x in values],
        "rising",
        values == sorted(values),
    )


def copies(v: Show) -> None:
    """Check that one motion in two formats is recognised as a copy."""
    print("\nOne motion in two formats")
    for one, other in COPIES:
        points = transition_points(load(DATA / one), load(DATA / other))
        given = points.shared is not None and points.shared.whole and not points
        v.check(f"{one} = {other}", f"{len(points)} points", "copies, 0 points", given)


def main(v: Show) -> None:
    pruning(v)
    knee(v)
    whole_subject(v)
    copies(v)


if __name__ == "__main__":
    run(main, "Transition points")
