"""Microseconds a frame of a steered character, compared with the eigenvector scheme and the naive twin, in one run.

    .venv/bin/python benchmarks/locomotion.py

A body of 43 degrees of freedom (16 joints), 20 examples a type, foot IK, from clips of CMU 16, 127 and 131
(`_walkers`) in ../shared/data. Processor time; medians of the printed number of steps.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks" / "show"), str(ROOT / "tests")]

import _eigenvectors as eigenvectors  # noqa: E402
from _verdict import Verdicts  # noqa: E402
from _walkers import clips  # noqa: E402

import segue  # noqa: E402
from segue.locomotion._kernels import PER_INTERVAL  # noqa: E402
from segue.locomotion.build import BuildSettings, build_locomotion  # noqa: E402
from segue.locomotion.model import Locomotion  # noqa: E402
from segue.maths.scattered import pose_weights  # noqa: E402
from segue.runtime.steered.crowd import Crowd  # noqa: E402
from segue.runtime.steered.packing import SteerSettings  # noqa: E402
from segue.runtime.steered.player import Command, LocomotionPlayer  # noqa: E402
from steered_models import naive_character, naive_wish  # noqa: E402

FPS = 60.0
STEPS = 100_000
WALK, RUN = Command("walk", 1.3), Command("run", 2.8)


def body() -> segue.Skeleton:
    """Return a body of 43 degrees of freedom: pelvis 6, spine, neck and head 3 each, four limbs of 7."""
    limbs = {
        "hip": (0, (0.09, -0.06, 0.0)), "knee": (-1, (0.0, -0.42, 0.0)), "ankle": (-1, (0.0, -0.42, 0.0)),
        "shoulder": (1, (0.18, 0.38, 0.0)), "elbow": (-1, (0.28, 0.0, 0.0)), "wrist": (-1, (0.25, 0.0, 0.0)),
    }  # fmt: skip
    names, parents = ["pelvis", "spine", "neck", "head"], [-1, 0, 1, 2]
    offsets = [(0.0, 0.95, 0.0), (0.0, 0.12, 0.0), (0.0, 0.42, 0.0), (0.0, 0.1, 0.0)]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for name, (parent, (x, y, z)) in limbs.items():
            parents.append(len(names) - 1 if parent < 0 else parent)
            names.append(f"{side}_{name}")
            offsets.append((sign * x, y, z))
    return segue.Skeleton(names, parents, offsets)


def medians(model: Locomotion) -> tuple[float, float, int]:
    """Return median microseconds of a step within a type and in a transition, and the count of the latter."""
    player = LocomotionPlayer(model)
    inside, on_transition = [], []
    command = WALK
    clock = time.process_time_ns
    for number in range(STEPS):
        if number % 200 == 0:
            command = RUN if (number // 200) % 2 else WALK
        start = clock()
        player.step(1 / FPS, command)
        took = clock() - start
        (on_transition if player._state[3] else inside).append(took / 1000)
    empty = np.median([-(clock() - clock()) for _ in range(10_000)]) / 1000  # cost of reading the clock
    return float(np.median(inside)) - empty, float(np.median(on_transition)) - empty, len(on_transition)


def main() -> None:
    verdicts = Verdicts("Steered characters: 43 degrees of freedom, 20 examples a type, foot IK")
    model = build_locomotion(clips(), settings=BuildSettings(most=20, spacing=0.0), skeleton=body())
    verdicts.note(
        f"joints {model.skeleton.n_joints}, examples {[node.set.n_examples for node in model.nodes]}"
    )
    player = LocomotionPlayer(model)
    for _ in range(2000):
        player.step(1 / FPS, WALK)
    inside, on_transition, count = medians(model)
    verdicts.check(f"step inside a type, median of {STEPS - count}", inside, "<= 8", inside <= 8, "us")
    verdicts.check(
        f"step in a transition between types, median of {count}",
        on_transition,
        "<= 14",
        on_transition <= 14,
        "us",
    )
    crowd = Crowd(model, 1000, spread=60.0)
    crowd.command_all([Command("walk", speed) for speed in np.linspace(0.9, 1.6, 1000)])
    for _ in range(240):
        crowd.step(1 / FPS)
    spent = []
    for _ in range(40):
        start = time.process_time()
        crowd.step(1 / FPS)
        spent.append(time.process_time() - start)
    rate = 1000 / float(np.median(spent))
    verdicts.check(
        "character frames a second and core, batched, median of 40", round(rate), ">= 200000", rate >= 200_000
    )
    walk = model.nodes[model.index("walk")].set
    weights = pose_weights(walk.weights, (1.3, 0.0))
    room, pose = np.empty((len(weights) + 9, 4)), np.empty((model.skeleton.n_joints, 4))
    spent = []
    for number in range(400):
        sample = (number * 0.07) % walk.n_intervals * PER_INTERVAL
        start = time.perf_counter()
        eigenvectors.pose(walk.rotations, sample, weights, room, pose)
        spent.append(1e6 * (time.perf_counter() - start))
    verdicts.note(f"eigenvector scheme, posture alone, compiled: {np.median(spent):.1f} us (400 frames)")
    slow = naive_character(model, SteerSettings())
    command, spent = naive_wish(model, WALK), []
    for _ in range(12):
        start = time.process_time()
        slow.step(1 / FPS, command)
        spent.append(1e6 * (time.process_time() - start))
    verdicts.note(f"naive twin, the same step in plain Python: {np.median(spent):.0f} us (12 frames)")
    verdicts.finish()


if __name__ == "__main__":
    main()
