"""Ten minutes of one repeated stride at 120 frames a second: graph, walk and measures run in bounded memory.

Shows: ten minutes of one repeated stride at 120 frames a second: graph and walk by three costs, `wander`, `info`,
    `loop`; two sequences of 30,000 numbers aligned within a band
Bars: each job under 180 s and 3 GB; without a band the error gives the size. Relative distances on exact repeats miss
    the bar: a diagonal of equal costs counts as one minimum
Needs: nothing
Group: The parts

A stride of the embedded walk is repeated, once unchanged and once with joints that drift by half a degree, as in a
capture on a treadmill. Each job runs in its own process.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from _runner import Show, run

import segue
from segue.errors import SettingError
from segue.maths.quaternions import exp, multiply
from segue.maths.sequences import time_warp
from segue.motion.clip import Clip, Origin
from segue.motion.cyclic import unrolled

FRAMES, FPS = 72_000, 120.0
SECONDS, MEGABYTES = 180, 3000
"""Bars of one job, on two busy cores."""

GRAPH = """
import sys, segue
graph = segue.MotionGraph.build([segue.load(sys.argv[1])], cost=segue.cost(sys.argv[2]))
print(segue.render(graph.wander(seconds=60, seed=1)).n_frames)
"""


def long_clip(*, wandering: float) -> Clip:
    """Repeat a stride; joints are rotated by at most ``wandering`` radians, changing slowly."""
    stride = segue.loop(segue.sample("walk", FPS)).clip
    clip = unrolled(stride, seconds=FRAMES / FPS)
    seconds = np.arange(clip.n_frames) / FPS
    whole = seconds.astype(int)
    part = (seconds - whole)[:, None, None]
    turns = np.random.default_rng(0).normal(size=(whole[-1] + 2, clip.skeleton.n_joints, 3)) * wandering
    turned = multiply(clip.rotations, exp(turns[whole] * (1 - part) + turns[whole + 1] * part))
    return clip.with_motion(turned, name="long", origin=Origin.of("long", clip.n_frames))


def job(words: list[str], folder: Path) -> tuple[int, float, float, str]:
    """Return exit code, seconds, peak memory in MB, and stderr."""
    before = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-c", WATCH, *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            _, printed = process.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            process.kill()
            return -1, 600.0, 0.0, ""
    lines = printed.splitlines()
    most = float(lines.pop()) / 1024 if lines else 0.0
    return process.returncode, time.monotonic() - before, most, "\n".join(lines)


WATCH = (
    "import resource, subprocess, sys\n"
    "code = subprocess.run(sys.argv[1:], check=False).returncode\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)\n"
    "sys.exit(code)\n"
)


def main(verdicts: Show) -> None:
    folder = verdicts.folder
    for kind, wandering in (("exact", 0.0), ("wandering", 0.01)):
        segue.save(long_clip(wandering=wandering), folder / f"{kind}.bvh")
    segue_words = [sys.executable, "-m", "segue"]
    jobs = {
        f"graph and walk, {kind}, {cost}": [sys.executable, "-c", GRAPH, f"{kind}.bvh", cost]
        for kind in ("exact", "wandering")
        for cost in ("point_cloud", "joint_angle", "relative_distance")
    }
    jobs["segue wander, exact"] = [*segue_words, "wander", "exact.bvh", "-o", "e.bvh"]
    jobs["segue info, wandering"] = [*segue_words, "info", "wandering.bvh"]
    jobs["segue loop, wandering"] = [*segue_words, "loop", "wandering.bvh", "-o", "l.bvh"]
    for label, words in jobs.items():
        code, seconds, most, note = job(words, folder)
        good = code == 0 and seconds < SECONDS and most < MEGABYTES
        verdicts.check(label, f"{seconds:.0f} s, {most:.0f} MB", f"{SECONDS} s, {MEGABYTES} MB", good)
        for line in note.splitlines()[-1:]:
            verdicts.note(f"    {line[:110]}")
    x = np.sin(np.linspace(0, 260, 30_000))
    y = np.sin(np.linspace(0, 260.5, 31_000))
    try:
        time_warp(x, y)
        refused = "not refused"
    except SettingError as error:
        refused = str(error)
    verdicts.check("two sequences of 30,000 without a band", "refused", "names the size", "GiB" in refused)
    verdicts.note(f"    {refused}")
    found = time_warp(x, y, band=1500)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    verdicts.check("the same within band=1500, memory", peak, "< 2000 MB", unit="MB")
    verdicts.check(
        "its cost a pair of values",
        found.cost / len(found.path),
        "< 0.01",
        found.cost < 0.01 * len(found.path),
    )


if __name__ == "__main__":
    run(main, f"{FRAMES} frames of one repeated stride, jobs as processes of their own")
