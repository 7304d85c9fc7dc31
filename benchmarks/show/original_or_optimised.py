"""Original against optimised weights of the joint-angle cost without people: hard cuts at both optima, measured.

Shows: hard cuts for every ordered pair of clips of four sets, at the optimum of the joint-angle cost by original and
    by optimised weights; both are judged by four measures independent of the costs: how often optimised is better and
    by how much, with 95 % intervals
Bars: 84 pairs or more; a cut judged twice gets the same verdict; intervals contain their estimates
Needs: clips
Group: The parts

The source's participants preferred optimised (2.73 of 4, where 2 is neutral). The result here is reported without a
bar. The optimum has a second of the clip left before it and a second of the clip arrived in after it, and touches
no faulty frame. The measures: the largest acceleration of a joint at the cut over the sources' own within half a
second; the largest jerk over the sources' 99th percentile; the largest jump of a heel or toe on the ground beyond
its steps before and after; the point-cloud cost of the window. For each, lower is better.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _runner import Show, run

import segue
from segue.io import load
from segue.measures.seams import seams
from segue.measures.smoothness import seam_smoothness
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.motion.resample import resampled
from segue.motion.usable import longest_usable
from segue.transitions.transition import TransitionPoint

SETS = {
    "walks": ("16/16_15", "16/16_16", "16/16_21", "16/16_31", "16/16_32", "16/16_47", "16/16_58"),
    "turns and corners": ("16/16_11", "16/16_13", "16/16_17", "16/16_19", "16/16_23", "16/16_25"),
    "runs, stops, jumps": (
        "127/127_03",
        "127/127_06",
        "127/127_17",
        "127/127_21",
        "127/127_23",
        "127/127_27",
    ),
    "dances": ("05/05_01", "05/05_02", "05/05_03", "05/05_06", "05/05_16"),
}
RATE = 30.0
MARGIN = 30
"""Frames before the cut in the clip left, and after it in the clip arrived in."""
MEASURES = ("acceleration", "jerk", "feet cm", "point cloud")
RESAMPLED = 2000
LEAST = 1e-9


@dataclass(frozen=True)
class Judged:
    """Measures of one pair by original and by optimised weights, and whether both chose the same cell."""

    pair: tuple[str, str]
    original: tuple[float, ...]
    optimised: tuple[float, ...]
    same: bool


def clips_of(folder: Path, names: tuple[str, ...]) -> list[Clip]:
    """Load the longest usable stretch of each clip at 30 frames a second; clips that are too short are left out."""
    out = []
    for name in names:
        path = folder / "asf_amc" / f"{name}.amc"
        if not path.is_file():
            continue
        clip = resampled(longest_usable(load(path)), RATE)
        if clip.n_frames > 2 * MARGIN:
            out.append(Clip(clip.skeleton, clip.rotations, clip.root_positions, RATE, name=clip.name))
    return out


def optimum(cost: segue.Cost, a: Clip, b: Clip) -> TransitionPoint:
    """Return the cell of least cost with the required margins."""
    one, other = cost.prepare(a), cost.prepare(b)
    frames = np.asarray(one.frames), np.asarray(other.frames)
    allowed = np.outer(frames[0] >= MARGIN, frames[1] < b.n_frames - MARGIN)
    values = np.where(allowed, cost.matrix(one, other), np.inf)
    row, column = (int(k) for k in np.unravel_index(int(np.argmin(values)), values.shape))
    at = int(frames[0][row]), int(frames[1][column])
    value = float(values[row, column])
    return TransitionPoint(
        a.name, b.name, *at, value, "aligned", cost.alignment(one, other, row, column), value, False
    )


def judged(a: Clip, b: Clip, point: TransitionPoint, cloud: segue.Cost) -> tuple[float, ...]:
    """Return the four measures of a hard cut."""
    made = segue.splice(a, b, point, length="cut", feet="free")
    (seam,) = seams(made, [a, b])
    (smooth,) = seam_smoothness(made, [a, b])
    feet = foot_positions(made.skeleton, world(made))[:, :, [0, 2]]
    steps = np.diff(feet, axis=0)
    cut = seam.start - 1
    beyond = steps[cut] - 0.5 * (steps[cut - 1] + steps[cut + 1])
    one, other = cloud.prepare(a), cloud.prepare(b)
    row, column = (
        int(np.argmin(np.abs(np.asarray(p.frames) - f)))
        for p, f in ((one, point.a_frame), (other, point.b_frame))
    )
    price = float(cloud.pairs(one, other, np.array([row]), np.array([column]))[0])
    jump = float(100 * np.linalg.norm(beyond, axis=-1).max())
    return float(np.max(seam.acceleration_ratio)), smooth.jerk, jump, price


def pairs_of(clips: list[Clip]) -> list[Judged]:
    """Judge every ordered pair by both weights."""
    original, optimised = (segue.JointAngleCost(weights=word) for word in ("original", "optimised"))
    cloud = segue.PointCloudCost()
    out = []
    for a, b in itertools.permutations(clips, 2):
        points = [optimum(cost, a, b) for cost in (original, optimised)]
        same = (points[0].a_frame, points[0].b_frame) == (points[1].a_frame, points[1].b_frame)
        first = judged(a, b, points[0], cloud)
        out.append(Judged((a.name, b.name), first, first if same else judged(a, b, points[1], cloud), same))
    return out


def wilson(good: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share."""
    if not count:
        return 0.0, 1.0
    z, share = 1.96, good / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return middle - half, middle + half


def ratio(found: list[Judged], measure: int) -> tuple[float, float, float]:
    """Return the geometric mean of optimised over original, and its 95 % bootstrap interval over pairs."""
    logs = np.array(
        [np.log(max(one.optimised[measure], LEAST) / max(one.original[measure], LEAST)) for one in found]
    )
    rng = np.random.default_rng(7)
    again = logs[rng.integers(0, len(logs), (RESAMPLED, len(logs)))].mean(axis=1)
    low, high = np.percentile(again, [2.5, 97.5])
    return float(np.exp(logs.mean())), float(np.exp(low)), float(np.exp(high))


def report(show: Show, name: str, found: list[Judged]) -> None:
    """Print the rows of one set."""
    other = [one for one in found if not one.same]
    show.note(f"{name}: {len(found)} pairs, {len(found) - len(other)} cut at one place by both")
    rows = []
    for k, measure in enumerate(MEASURES):
        better = sum(one.optimised[k] < one.original[k] for one in other)
        low, high = wilson(better, len(other))
        mean, least, most = ratio(found, k)
        share = better / max(len(other), 1)
        rows.append(
            (
                measure,
                f"{better} of {len(other)}",
                f"{share:.2f} ({low:.2f} to {high:.2f})",
                f"{mean:.2f} ({least:.2f} to {most:.2f})",
            )
        )
        if name == "all":
            show.check(
                f"{measure}: intervals hold their estimates",
                f"{share:.2f}, {mean:.2f}",
                "inside",
                low <= share <= high and least <= mean <= most,
            )
    show.table(("measure", "optimised better", "share (95 %)", "optimised over original (95 %)"), rows)


def main(show: Show) -> None:
    every: list[Judged] = []
    for name, names in SETS.items():
        clips = clips_of(show.clips, names)
        print(f"{name}: {', '.join(clip.name for clip in clips)}", file=sys.stderr)
        found = pairs_of(clips)
        report(show, name, found)
        every += found
    report(show, "all", every)
    show.check("ordered pairs", len(every), ">= 84")
    clips = clips_of(show.clips, SETS["walks"][:2])
    cost, cloud = segue.JointAngleCost(), segue.PointCloudCost()
    twice = [judged(*clips, optimum(cost, *clips), cloud) for _ in range(2)]
    show.check("a cut judged twice", max(abs(a - b) for a, b in zip(*twice, strict=True)), "= 0")
    show.more["pairs"] = [one.__dict__ for one in every]


if __name__ == "__main__":
    run(main, "Original against optimised weights, hard cuts measured")
