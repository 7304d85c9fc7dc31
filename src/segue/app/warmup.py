"""Compile the kernels that commands need, once per machine: each job runs a small command on embedded clips."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from segue.threads import Progress, silent

STAGE = "compiling for this machine"


def warm_up(*, progress: Progress = silent) -> tuple[int, Path | None]:
    """Run every job of `JOBS`; return the number of cached pieces of machine code, and their folder.

    Compiled code is read from disk, so that a second run takes a few seconds.
    """
    with tempfile.TemporaryDirectory(prefix="segue-warmup-") as folder:
        for done, (words, job) in enumerate(JOBS.items()):
            progress(f"{STAGE}: {words}", done, len(JOBS))
            job(Path(folder))
    progress(f"{STAGE}: all", len(JOBS), len(JOBS))
    from segue.accel.compiler import kept

    return kept()


def _long_motion(folder: Path) -> None:
    from segue.app import demo

    demo.run(folder / "demo", seconds=4.0)


def _costs(folder: Path) -> None:
    del folder
    from segue.costs.matrix import cost_matrix
    from segue.costs.registry import cost
    from segue.motion.samples import sample

    walk, stop = sample("walk", fps=30.0), sample("stop", fps=30.0)
    for name in ("joint_angle", "relative_distance", "features"):
        cost_matrix(walk, stop, cost=cost(name))
    cost_matrix(walk, stop, cost=cost("point_cloud", weighting="dynamics"))


def _directed(folder: Path) -> None:
    del folder
    from segue.graph.build import build_graph
    from segue.graph.goals import Goals
    from segue.graph.search.directed import direct
    from segue.motion.samples import sample

    graph = build_graph([sample(name) for name in ("stand", "start", "walk", "stop")])
    direct(graph, Goals(start=("stand", None), end=("walk", 40)), budget=1.0)


def _mended(folder: Path) -> None:
    from segue.app import cleaning, looping
    from segue.io import save
    from segue.motion.samples import sample

    clip = folder / "walk.bvh"
    save(sample("walk"), clip)
    cleaning.clean(str(clip), folder / "clean.bvh", floor="found", smooth=6.0, repair=True)
    looping.make_loop("sample:walk", folder / "loop.bvh")


def _characters(folder: Path) -> None:
    del folder
    from segue.locomotion.build import build_locomotion
    from segue.motion.samples import sample
    from segue.runtime.steered.player import Command, LocomotionPlayer

    model = build_locomotion([sample(name) for name in ("stand", "start", "walk", "walk_fast", "stop")])
    player = LocomotionPlayer(model)
    player.step(0.5, Command("walk"))


JOBS: Mapping[str, Callable[[Path], None]] = {
    "long motion": _long_motion,
    "costs": _costs,
    "directed walks": _directed,
    "cleaning and loops": _mended,
    "characters": _characters,
}
"""Description of each job to the job."""
