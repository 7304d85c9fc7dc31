"""Accuracy of the project's own judge in distinguishing seams of made motion from captured moments, on complete sets.

Shows: the area under the curve of `segue judge`'s classifier at the seams of `segue wander`, on four sets, with noise
    of 0, 1 and 3 mm, by all features, by feet alone and by all but feet; feet locked, captured and free compared with
    the default; captured motion against itself as lower limit and hard cuts as upper limit
Bars: at most 0.65 without noise and 0.55 with 1 mm, on each set; at least 0.9 on hard cuts; 0.4 to 0.6 on captured
    motion against itself
Needs: clips; scikit-learn; `SEGUE_CLIPS=FOLDER` for your own set
Group: Other programs and long runs

The sets: all clips of CMU subject 16; of 127 and the 131 clips in 3ds Max flavour; the clips of the CMU folders
that the list of clips (MANIFEST.csv) calls boxing or martial arts; and those of the folder in the environment
variable ``SEGUE_CLIPS``, by default CMU subject 05, which dances. The walks of a set, 60 s with each seed, longer
where they have fewer than 20 seams, are judged together (`segue.learning.seam_windows`, `segue.learning.judging`):
half a second around every seam against windows of the clips around the frames that it leaves and arrives at, with
clips split into folds. Each area is the mean over three random splits into folds, and its interval the mean of
their intervals.

For the lower limit, half of the captured windows are labelled as seams; for the upper limit the same clips are
joined without blends. Seams are not at random places in clips. The effect of place alone is printed with each bar:
captured windows where seams leave and arrive against as many of the same clips at least half a second away from all
of these.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from _data import DATA, require_data, subject_16
from _runner import Show, run

import segue
from segue.app.in_place import mirror_of
from segue.app.stages import make_graph, read
from segue.errors import SegueError, require_extra
from segue.graph.build import MotionGraph
from segue.learning.judging import LEAST, judge, tells
from segue.learning.seam_windows import Windows, dealt, seam_windows
from segue.measures.window_features import GROUPS, reach_frames, window_features
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.settings import SeamFeet, Settings

SECONDS = 60.0
MILLIMETRES = (0.0, 1.0, 3.0)
DEALS = (0, 1, 2)
PARTS = {"all features": GROUPS, "feet alone": GROUPS[:1], "but feet": GROUPS[1:]}
BARS = {0.0: "<= 0.65", 1.0: "<= 0.55"}
FIRST = "CMU 16"
OWN = "SEGUE_CLIPS"
ELSEWHERE = 0.5
Area = tuple[float, float, float]


def sets() -> dict[str, list[str]]:
    """Return the inputs of each set, by its name."""
    own = os.environ.get(OWN)
    fourth = {f"{OWN} ({Path(own).name})": [own]} if own else {"CMU 05": [str(DATA / "asf_amc" / "05")]}
    return {
        FIRST: subject_16(),
        "127 + 131": [
            str(DATA / "asf_amc" / "127"),
            *(str(path) for path in sorted((DATA / "cmu" / "max_friendly").glob("131_*.bvh"))),
        ],
        "boxing": boxing(),
        **fourth,
    }


def boxing() -> list[str]:
    """Return the clips of the CMU folders that the list of clips calls boxing or martial arts."""
    with (require_data() / "MANIFEST.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        str(DATA / row["file"])
        for row in rows
        if row["file"].startswith("asf_amc/") and row["category"] in ("boxing", "martial-arts")
    ]


def main(verdicts: Show) -> None:
    require_extra("judging seams", "learn")
    every, wanted = sets(), verdicts.options.sets
    if not os.environ.get(OWN):
        verdicts.note(f"{OWN} is not set: CMU 05, which dances, replaces a set from elsewhere")
    seeds = range(1, verdicts.options.seeds + 1)
    for label, paths in every.items():
        if wanted and not any(one in label for one in wanted):
            continue
        graph = make_graph(read(paths), Settings())
        made = enough(verdicts, label, graph, seeds)
        table(verdicts, label, graph, made)
        if label == FIRST:
            compared(verdicts, label, graph, seeds)
            floor_and_ceiling(verdicts, label, graph, made, seeds)


def walks(
    graph: MotionGraph, seeds: Sequence[int], *, feet: SeamFeet = Settings.feet, seconds: float = SECONDS
) -> list[Clip]:
    """Make a walk of the same length with each seed."""
    return [segue.render(graph.wander(seconds=seconds, seed=seed), feet=feet) for seed in seeds]


def enough(verdicts: Show, label: str, graph: MotionGraph, seeds: Sequence[int]) -> list[Clip]:
    """Make a minute with each seed, or two or four if that gives too few seams to judge."""
    for longer in (1, 2, 4):
        made = walks(graph, seeds, seconds=longer * SECONDS)
        gathered = windows(graph, made, 0.0)
        if min(int(side.sum()) for one in gathered for side in (one.seam, ~one.seam)) >= LEAST:
            break
    if longer > 1:
        verdicts.note(f"{label}: walks of {longer * SECONDS:g} s, for shorter ones have too few seams")
    return made


def windows(graph: MotionGraph, made: Sequence[Clip], millimetres: float) -> list[Windows]:
    """Return windows over the seams and captured ones, once for each split of the clips into folds."""
    noise, same = millimetres / 1e3, images(graph.clips)
    return [seam_windows(made, graph.clips, noise=noise, seed=deal, same=same) for deal in DEALS]


def area(gathered: Sequence[Windows], groups: Sequence[str] = GROUPS) -> Area:
    """Return the mean area of all splits and the mean of its 95 % intervals."""
    found = [judge(one, one.columns(groups), seed=deal) for deal, one in zip(DEALS, gathered, strict=True)]
    mean = np.mean([(one.area, one.low, one.high) for one in found], axis=0)
    return float(mean[0]), float(mean[1]), float(mean[2])


def shown(found: Area) -> str:
    return f"{found[0]:.2f} ({found[1]:.2f} to {found[2]:.2f})"


def table(verdicts: Show, label: str, graph: MotionGraph, made: Sequence[Clip]) -> None:
    """Judge the default on one set: each noise, by all features and by parts."""
    rows, areas = [], {}
    try:
        for millimetres in MILLIMETRES:
            gathered = windows(graph, made, millimetres)
            parts = {name: area(gathered, groups) for name, groups in PARTS.items()}
            areas[millimetres] = parts["all features"][0]
            rows.append([f"{label}, noise {millimetres:g} mm", *(shown(one) for one in parts.values())])
            if millimetres == 0.0:
                counts = int(gathered[0].seam.sum()), int((~gathered[0].seam).sum())
                given, _ = tells(gathered[0])
    except SegueError as error:
        verdicts.check(f"{label}: judged", str(error), "judged", ok=False)
        return
    verdicts.note(f"{label}: {len(graph.clips)} clips, {counts[0]} seams, {counts[1]} captured windows")
    verdicts.table(["area and its interval", *PARTS], rows)
    by = ", ".join(f"{tell.joint} {tell.band} {tell.weight:.3f}" for tell in given[:5])
    verdicts.note(f"recognised by (area due to it): {by}")
    for millimetres, bar in BARS.items():
        verdicts.check(f"{label}, noise {millimetres:g} mm: area", areas[millimetres], bar)
        try:
            found = shown(area(by_place(graph, made, millimetres)))
        except SegueError as error:
            found = str(error).partition(",")[0]
        verdicts.note(f"{label}, noise {millimetres:g} mm: by place alone, no seam in any window: {found}")


def by_place(graph: MotionGraph, made: Sequence[Clip], millimetres: float) -> list[Windows]:
    """Return captured windows at seams, labelled as seams, and as many of each clip elsewhere, for every split."""
    return [
        with_elsewhere(one.take(~one.seam), graph.clips, deal, millimetres / 1e3)
        for deal, one in zip(DEALS, windows(graph, made, millimetres), strict=True)
    ]


def with_elsewhere(captured: Windows, clips: Sequence[Clip], deal: int, noise: float) -> Windows:
    """Return captured windows and others of the same clips and folds, equally many of both in each clip."""
    rng = np.random.default_rng([deal, 3])
    folds = dealt(clips, seed=deal, same=images(clips))
    number = np.array([place.number for place in captured.seen])
    kept, numbers, touched = [], [], []
    for k, clip in enumerate(clips):
        mine = np.flatnonzero(number == k)
        reach, rows = reach_frames(clip.fps), np.array([captured.seen[row].frame for row in mine])
        free = np.arange(reach, clip.n_frames - reach)
        if rows.size:
            free = free[np.abs(free[:, None] - rows).min(axis=1) >= ELSEWHERE * clip.fps]
        count = min(len(mine), len(free))
        if not count:
            continue
        kept.append(rng.choice(mine, count, replace=False))
        middles = np.sort(rng.choice(free, count, replace=False)).tolist()
        at = world_positions(clip)
        at = at + noise * rng.standard_normal(at.shape)
        numbers.append(window_features(clip.skeleton, at, clip.fps, middles=middles)[0])
        for row in middles:
            seen = np.unique(folds[clip.name][row - reach : row + reach + 1])
            touched.append(np.isin(np.arange(captured.folds.shape[1]), seen))
    here = np.concatenate(kept)
    return Windows(
        np.concatenate([captured.numbers[here], *numbers]),
        captured.what,
        np.arange(2 * len(here)) < len(here),
        np.concatenate([captured.folds[here], touched]),
        tuple(captured.seen[row] for row in here) * 2,
    )


def images(clips: Sequence[Clip]) -> dict[str, str]:
    """Return the original of each mirror image."""
    return {clip.name: image for clip in clips if (image := mirror_of(clip)) is not None}


def compared(verdicts: Show, label: str, graph: MotionGraph, seeds: Sequence[int]) -> None:
    """Judge the same walks with other foot treatments."""
    rows = []
    for feet in ("natural", "locked", "captured", "free"):
        made = walks(graph, seeds, feet=feet)
        cells = []
        for millimetres in MILLIMETRES[:2]:
            gathered = windows(graph, made, millimetres)
            cells += [shown(area(gathered)), shown(area(gathered, PARTS["feet alone"]))]
        rows.append([feet, *cells])
    verdicts.table([f"{label}, feet", "0 mm, all", "0 mm, feet alone", "1 mm, all", "1 mm, feet alone"], rows)


def floor_and_ceiling(
    verdicts: Show, label: str, graph: MotionGraph, made: Sequence[Clip], seeds: Sequence[int]
) -> None:
    """Judge captured motion against itself, and hard cuts."""
    half = []
    for deal, one in zip(DEALS, windows(graph, made, 0.0), strict=True):
        captured = np.flatnonzero(~one.seam)
        called = np.random.default_rng(deal).permutation(len(captured)) < len(captured) // 2
        half.append(one.take(captured, seam=called))
    found = area(half)
    verdicts.note(f"{label}, captured against captured: {shown(found)}")
    verdicts.check(
        f"{label}, captured against captured: area", found[0], "0.4 to 0.6", 0.4 <= found[0] <= 0.6
    )
    settings = replace(Settings(), blend_seconds=0.0, check_seams=False)
    cuts = make_graph(read(sets()[FIRST]), settings)
    found = area(windows(cuts, walks(cuts, seeds, feet="free"), 0.0))
    verdicts.note(f"{label}, hard cuts: {shown(found)}")
    verdicts.check(f"{label}, hard cuts: area", found[0], ">= 0.9")


if __name__ == "__main__":
    run(
        main,
        "the seams of a minute's walk, judged by a classifier",
        {
            "--sets": {"nargs": "+", "metavar": "NAME", "help": "only sets whose name holds one of these"},
            "--seeds": {"type": int, "default": 3, "metavar": "N", "help": "walks of a set (default 3)"},
        },
    )
