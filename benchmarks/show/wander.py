"""`segue wander` over complete sets of real clips: length, origin of every frame, variety, every seam.

Shows: `segue wander` over all 58 clips of CMU subject 16, and over 16 + 127 + 131 (three skeletons, two formats),
    read back from the files it wrote; `--seeds N` for more seeds
Bars: no file skipped; exactly 60 s at 120 frames a second; every frame traceable to 0.001°; at least 15 clips played;
    no stretch of one clip over 6 s; at most 2 stretches over 1 s repeated within 10 s in a minute, as reported by the
    command; at every seam angular speed within 1.5 × the sources' + 10°/s, acceleration within 2 ×, within 1.5 × at
    95 % of the seams
Needs: clips
Group: The main job

python benchmarks/show/wander.py                 all bars
python benchmarks/show/wander.py --blend 0       the same on hard cuts: the seam bars must fail
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from _data import mixed_subjects, subject_16
from _runner import Show, run, segue_json

from segue.app import stages
from segue.app.material import graph_of, with_root_motion
from segue.app.measuring import Measured, measure_file
from segue.graph.walk import render
from segue.maths.quaternions import half_angle, slerp
from segue.measures import Measures
from segue.motion.clip import Clip
from segue.motion.limb_ik import Leg
from segue.settings import Settings

SECONDS = 60.0
REPEATS = 2
"""Allowed repeated stretches a minute: where no other continuation exists, a repeat is better than a cut."""


def main(verdicts: Show) -> None:
    chosen = verdicts.options
    for label, inputs in (("CMU subject 16", subject_16()), ("CMU 16 + 127 + 131", mixed_subjects())):
        for seed in range(1, chosen.seeds + 1):
            show(verdicts, f"{label}, seed {seed}", inputs, seed, chosen.blend)


def show(verdicts: Show, label: str, inputs: list[str], seed: int, blend: float | None) -> None:
    """Make one motion on the command line, read it back from its file, and check the bars."""
    given, found = made(inputs, seed, blend, "free" if blend == 0 else "planted")
    motion, sources = found.motion, found.sources
    reached = f"{given['clips_reached']} reached, {given['share']:.0%} of their frames"
    print(f"{label}: {given['clips_read']} clips read, {reached}")
    print("  " + ", ".join(f"{count} {step}" for step, count in given["steps"].items()))
    print(f"  threshold {given['threshold']:.4g}: {given['threshold_found']}")
    verdicts.check("files skipped", len(given["skipped"]), "= 0")
    wanted = round(SECONDS * motion.fps) + 1
    verdicts.check("frames", motion.n_frames, f"= {wanted}")
    verdicts.check("rate is the sources'", motion.fps, "= 120", unit="fps")
    free = as_blended(inputs, seed, blend)
    traced = untraceable(free, sources)
    verdicts.check("largest joint angle from the frames named", traced, "<= 0.001", unit="deg")
    upper = above_the_legs(motion)
    apart = float(np.degrees(2 * half_angle(motion.rotations[:, upper], free.rotations[:, upper]).max()))
    text = f"the same with feet held: {len(upper)} of {motion.skeleton.n_joints} joints"
    verdicts.check(text, apart, "<= 0.001", unit="deg")
    played = distinct(motion)
    verdicts.check("distinct clips played", played, ">= 15")
    stretch = longest_stretch(motion)
    verdicts.check("longest unbroken stretch of one clip", stretch, "<= 6", unit="s")
    repeats = repeated_stretches(motion)
    reported = given["forced_repeats"]
    verdicts.check("stretches > 1 s again within 10 s", repeats, f"<= {REPEATS}")
    verdicts.check("    equal to the number reported, where no edge leads on", reported, f"= {repeats}")
    show_seams(verdicts, found.measures, motion)


def made(inputs: list[str], seed: int, blend: float | None, feet: str) -> tuple[dict[str, Any], Measured]:
    """Make a motion on the command line; return its document, and the motion as read back and measured."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "wander.bvh"
        words = ["wander", *inputs, "--seconds", SECONDS, "--seed", seed, "-o", out, "--feet", feet]
        words += [] if blend is None else ["--blend", blend, "--no-check"]
        return segue_json(*words), measure_file(out)


def as_blended(inputs: list[str], seed: int, blend: float | None) -> Clip:
    """Return the same walk with uncorrected feet: the choice of transitions depends on foot treatment."""
    how = {} if blend is None else {"blend_seconds": blend, "check_seams": False, "feet": "free"}
    collection, _ = with_root_motion(stages.read(inputs))
    _, graph, _ = graph_of(collection, Settings(**how))
    return render(graph.wander(seconds=SECONDS, seed=seed), feet="free")


def above_the_legs(motion: Clip) -> list[int]:
    """Return joints that foot correction must not change: all except hips, knees and ankles."""
    moved = {joint for side in ("left", "right") for joint in vars(Leg.of(motion.skeleton, side)).values()}
    return sorted(set(range(motion.skeleton.n_joints)) - moved)


def show_seams(verdicts: Show, measures: Measures, motion: Clip) -> None:
    """Check every seam and joint."""
    bounds = measures.bounds
    speed = np.array([seam.speed_share(bounds).max() for seam in measures.seams])
    ratio = np.array([seam.acceleration_ratio.max() for seam in measures.seams])
    verdicts.note(
        f"{len(speed)} seams, every one of {motion.skeleton.n_joints} joints measured at {motion.fps:g} fps"
    )
    fastest = float(speed.max())
    verdicts.check("angular speed / (1.5 x the sources' + 10 deg/s), worst", fastest, "<= 1")
    verdicts.check("acceleration / the sources', worst seam", float(ratio.max()), "<= 2")
    share = float(np.mean(ratio <= 1.5))
    verdicts.check("share of seams with acceleration <= 1.5 x", share, ">= 0.95")
    planted = 100.0 * measures.planted_speeds
    if planted.size:
        verdicts.note(
            f"sideways speed of feet planted in both sources: median {np.median(planted):.1f} cm/s, "
            f"p95 {np.percentile(planted, 95):.1f} cm/s ({planted.size} frames and foot parts)"
        )
    start_to_end, along = measures.mean_slide
    verdicts.note(
        f"foot skate: {100 * start_to_end:.1f} cm start to end, {100 * along:.1f} cm along the path, "
        f"mean over {len(measures.plants)} plants"
    )
    for seam in measures.worst_seams():
        verdicts.note(
            f"worst: {seam.seconds:.2f} s, {seam.a_clip} to {seam.b_clip}, "
            f"{seam.badness(bounds):.0%} of the bound"
        )


def untraceable(motion: Clip, sources: tuple[Clip, ...]) -> float:
    """Return the largest angle in degrees between a joint and the blend of its named source frames and weights.

    Only the root's tilt is compared, since a clip is turned about the vertical when it is placed.
    """
    by_name = {source.name: source for source in sources}
    origin, worst = motion.origin, 0.0
    rows = [
        [
            by_name[origin.clips[c]].rotations[round(f)] if c >= 0 else None
            for c, f in zip(cs, fs, strict=True)
        ]
        for cs, fs in zip(origin.clip, origin.frame, strict=True)
    ]
    first = np.stack([row[0] for row in rows])
    second = np.stack([row[0] if row[1] is None else row[1] for row in rows])
    joints = slerp(first, second, origin.weight[:, 1, None])[:, 1:]
    worst = float(2.0 * half_angle(joints, motion.rotations[:, 1:]).max())
    alone = origin.clip[:, 1] < 0
    worst = max(worst, float(np.abs(tilt(first[alone, 0]) - tilt(motion.rotations[alone, 0])).max()))
    return float(np.degrees(worst))


def tilt(q: np.ndarray) -> np.ndarray:
    """Return the angle between the rotated vertical and the vertical."""
    return np.arccos(np.clip(1.0 - 2.0 * (q[..., 1] ** 2 + q[..., 3] ** 2), -1.0, 1.0))


def heavier(motion: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Return clip and frame of the heavier source of every frame."""
    rows = np.arange(motion.n_frames)
    main = np.argmax(motion.origin.weight, axis=1)
    return motion.origin.clip[rows, main], motion.origin.frame[rows, main]


def distinct(motion: Clip) -> int:
    """Return the number of clips that are the heavier source of some frame."""
    return len(np.unique(heavier(motion)[0]))


def stretches(motion: Clip) -> list[tuple[int, int]]:
    """Return half-open ranges of successive frames of one clip."""
    clip, frame = heavier(motion)
    step = np.median(np.diff(frame)[np.diff(clip) == 0])
    breaks = np.flatnonzero((np.diff(clip) != 0) | (np.abs(np.diff(frame) - step) > 0.5 * step)) + 1
    edges = [0, *breaks.tolist(), motion.n_frames]
    return list(itertools.pairwise(edges))


def longest_stretch(motion: Clip) -> float:
    """Return the seconds of the longest stretch."""
    return max(stop - start for start, stop in stretches(motion)) / motion.fps


def repeated_stretches(motion: Clip) -> int:
    """Count stretches with more than a second of frames that were played within the previous ten seconds."""
    clip, frame = heavier(motion)
    last: dict[tuple[int, int], int] = {}
    count = 0
    for start, stop in stretches(motion):
        run = longest = 0
        for row in range(start, stop):
            key = (int(clip[row]), round(float(frame[row])))
            lately = key in last and row - last[key] < 10.0 * motion.fps
            run = run + 1 if lately else 0
            longest = max(longest, run)
        for row in range(start, stop):
            last[(int(clip[row]), round(float(frame[row])))] = row
        count += longest > motion.fps
    return count


if __name__ == "__main__":
    run(
        main,
        "segue wander: 60 s from every clip of a set",
        {
            "--blend": {"type": float, "help": "blend length in seconds; 0 is a hard cut"},
            "--seeds": {"type": int, "default": 1, "help": "number of seeds, from 1"},
        },
    )
