"""Directed walks on one graph of three subjects: another walk's path, a circle, a slalom, a curve drawn by hand.

Shows: directed walks on the graph of CMU 16 + 127 + 131 along another walk's path, a circle of 3 m, a slalom and a
    line drawn by hand, compared with a greedy search; `--pictures FOLDER` draws them
Bars: mean distance of 0.25 m from the walked path; mean and largest distance never larger than greedy's; the end
    reached; every seam within the bounds of `wander`
Needs: clips
Group: The main job

python benchmarks/show/paths.py                     all bars
python benchmarks/show/paths.py --pictures FOLDER   also draw the four walks from above
python benchmarks/show/paths.py --states COUNT      search longer or shorter
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from _data import mixed_subjects
from _runner import PICTURES, Show, run

import segue
from segue.app import stages
from segue.arrays import Floats
from segue.graph.goals import Goals
from segue.graph.search.directed import Directed, direct, walk_of
from segue.graph.search.maze import Maze, maze_of
from segue.graph.search.states import States, Task, expand, started, task_of
from segue.io.ground_paths import read_ground_path
from segue.maths.paths import GroundPath, followed
from segue.maths.planar import PlanarMotion
from segue.measures import measure
from segue.settings import Settings

HAND = Path(__file__).with_name("_paths") / "hand.svg"


def main(verdicts: Show) -> None:
    chosen = verdicts.options
    graph = stages.make_graph(stages.read(mixed_subjects()), Settings())
    verdicts.note(
        f"{len(graph.node_clip)} choice points, {len(graph.joins)} transitions, {graph.fps:g} frames a second"
    )
    for name, path in _paths(graph).items():
        show(verdicts, graph, name, path, chosen.states, chosen.pictures)


def _paths(graph: segue.MotionGraph) -> dict[str, GroundPath]:
    trace = segue.render(graph.wander(seconds=20, seed=5)).root_positions[:, [0, 2]]
    t = np.linspace(0, 2 * np.pi, 400)
    circle = np.column_stack([3 - 3 * np.cos(t), 3 * np.sin(t)])
    z = np.linspace(0, 16, 800)
    slalom = np.column_stack([0.8 * np.sin(2 * np.pi * z / 8), z])
    every = {"trace": trace, "circle": circle, "slalom": slalom, "hand": read_ground_path(HAND).points}
    return {name: GroundPath.through(points) for name, points in every.items()}


def show(
    verdicts: Show,
    graph: segue.MotionGraph,
    name: str,
    path: GroundPath,
    count: int,
    folder: Path | None,
) -> None:
    """Follow one path by both searches and compare the walks with each other and the bars."""
    goals = Goals(path=path)
    began = time.process_time()
    made = direct(graph, goals, budget=None, most_states=count)
    took = time.process_time() - began
    maze = maze_of(graph, goals)
    off, seconds = greedy(maze, task_of(maze, goals), path)
    motion = segue.render(made.walk, feet="planted")
    print(
        f"{name}: {path.length:.1f} m, {motion.seconds:.1f} s, cost {made.cost:.3f}, bound {made.bound:.3f}, "
        f"{made.expanded} states opened in {took:.1f} s of processor time, {made.rounds} rounds"
    )
    bar = 0.25 if name == "trace" else float("inf")
    mean, most = float(made.off.mean()), float(made.off.max())
    if name == "trace":
        verdicts.check("mean distance from the path", mean, f"<= {bar}", unit="m")
    verdicts.check("mean distance, greedy's", mean, f"<= {off.mean():.4g}", mean <= off.mean(), "m")
    verdicts.check("largest distance, greedy's", most, f"<= {off.max():.4g}", most <= off.max(), "m")
    verdicts.note(f"greedy: {off.mean():.3f} m, {off.max():.3f} m in {seconds:.1f} s of motion")
    seams = measure(motion, sources=graph.clips)
    within = sum(seam.badness(seams.bounds) <= 1.0 for seam in seams.seams)
    number = len(seams.seams)
    verdicts.check("seams within the bounds of wander", within, f"= {number}")
    verdicts.check("the walk gets to the end of the path", _left(made, path), "<= 0.1", unit="m")
    if folder is not None:
        from segue.pictures.path_view import path_view

        title = f"{name}  ·  {path.length:.1f} m in {motion.seconds:.1f} s, {number} seams"
        path_view(motion, path, off=made.off, title=title).save(folder / f"path-{name}.png")


def _left(made: Directed, path: GroundPath) -> float:
    """Metres of the path that were not walked."""
    return path.length - float(made.along[-1])


def greedy(maze: Maze, task: Task, path: GroundPath) -> tuple[Floats, float]:
    """Take always the edge nearest to the path for its progress; of all starts the one with the best first edge.

    It looks ahead one edge only, stays in the component without dead ends, and stops when it has walked three times
    as long as the path takes at a metre a second.
    """
    states = States()
    here = started(task, states)
    graph = maze.graph
    nodes = zip(graph.node_clip[graph.kept].tolist(), graph.node_frame[graph.kept].tolist(), strict=True)
    kept = set(nodes)
    safe = np.array([(int(c), int(f)) in kept for c, f in zip(maze.clip, maze.frame, strict=True)])
    now, limit = -1, 3.0 * path.length * maze.graph.fps
    while True:
        new = expand(task, states, here)
        new = new[safe[states.node[new]]]
        if not len(new):
            break
        gone = states.place[new, 3] - (0.0 if now < 0 else states.place[now, 3])
        price = states.cost[new] - (0.0 if now < 0 else states.cost[now])
        now = int(new[np.argmin((price + 1e-3) / (gone * task.step + 1e-3))])
        if states.place[now, 3] >= len(task.ground) - 1 or states.frames[now] > limit:
            break
        here = np.array([now])
    first, edges = states.history_of(now)
    turn, x, z = (float(v) for v in states.place[first, :3])
    frames = int(states.frames[now])
    walk = walk_of(maze, int(states.node[first]), edges, frames=frames, placed=PlanarMotion(turn, x, z))
    off, _ = followed(segue.render(walk).root_positions[:, [0, 2]], path)
    return off, walk.seconds


if __name__ == "__main__":
    run(
        main,
        "directed walks on the graph of CMU 16 + 127 + 131, against a greedy search",
        {"--states": {"type": int, "default": 600_000, "help": "states to open for each path"}, **PICTURES},
    )
