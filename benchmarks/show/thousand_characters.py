"""A thousand characters on one motion graph of captured clips, stepped at thirty frames a second.

Shows: a thousand characters on the motion graph of subject 16, stepped by thirtieths, sixtieths and 13.7 ms; eight of
    them and five single players compared with the same walks made in advance
Bars: 30,000 characters × frames a second of processor time, also with world positions; 1e-9 and bit for bit; the
    least varied tenth plays 5 clips in a minute
Needs: clips
Group: The parts

Processor time of all threads of this process, so that a busy machine does not matter; two cores give twice that a
second. Stepping gives local rotations and roots; it is also timed with world positions of every joint. Live frames
are compared with the same walks made in advance.
"""

from __future__ import annotations

import time

import numpy as np
from _data import subject_16
from _runner import Show, run

import segue
from segue.app import stages
from segue.graph.walk import check_walk
from segue.motion.kinematics import forward
from segue.runtime.crowd import GraphCrowd
from segue.runtime.graph_player import GraphPlayer
from segue.runtime.protocol import played
from segue.settings import Settings

COUNT, FPS, SECONDS = 1000, 30, 20


def main(verdicts: Show) -> None:
    settings = Settings(fps=float(FPS))
    graph = stages.make_graph(stages.read(subject_16()), settings)
    verdicts.note(
        f"{len(graph.clips_reached)} clips, {graph.report.kept_frames} frames, "
        f"{int(sum(len(out) for out in graph.transitions_out))} transitions"
    )
    crowd = GraphCrowd(graph, COUNT)
    for dt in (1 / FPS, 1 / 60, 0.0137):
        rate, load = stepped(crowd, dt)
        label = f"characters x frames a processor second, steps of {1000 * dt:.1f} ms"
        verdicts.check(label, round(rate), ">= 30000", rate >= 30_000)
        verdicts.note(f"wall time {load:.1f} times processor time: how busy the machine was")
    rate = with_places(crowd)
    verdicts.check("the same, with world places of all joints", round(rate), ">= 30000", rate >= 30_000)
    same_frames(verdicts, graph, crowd)
    shares(verdicts, graph)
    full = players(graph)
    verdicts.note(
        f"single players that look ahead as wander does: {full:.0f} characters x frames a processor second"
    )


def stepped(crowd: GraphCrowd, dt: float) -> tuple[float, float]:
    """Return frames a processor second, from the first step after a reset: blends are made when first needed."""
    crowd.reset(1)
    ticks = round(SECONDS * FPS)
    wall, begun = time.perf_counter(), time.process_time()
    for _ in range(ticks):
        crowd.step(dt)
    spent = time.process_time() - begun
    return COUNT * ticks / spent, (time.perf_counter() - wall) / spent


def with_places(crowd: GraphCrowd) -> float:
    """Return the same as `stepped`, with forward kinematics of every pose."""
    crowd.reset(1)
    forward(crowd.skeleton, *crowd.step(0.0))
    begun = time.process_time()
    for _ in range(150):
        forward(crowd.skeleton, *crowd.step(1 / FPS))
    return COUNT * 150 / (time.process_time() - begun)


def same_frames(verdicts: Show, graph: segue.MotionGraph, crowd: GraphCrowd) -> None:
    """Compare live frames with walks made in advance: eight of the thousand, and single players."""
    crowd.reset(5)
    chosen = np.linspace(0, COUNT - 1, 8).astype(int)
    shown = []
    for k in range(SECONDS * FPS + 1):
        rotations, roots = crowd.step(k and 1 / FPS)
        shown.append((rotations[chosen], roots[chosen]))
    apart = 0.0
    for at, number in enumerate(chosen.tolist()):
        made = segue.render(crowd.walk(number, seconds=float(SECONDS)), feet="free")
        live = np.array([roots[at] for _, roots in shown])
        turned = np.array([rotations[at] for rotations, _ in shown])
        apart = max(apart, np.abs(made.root_positions - live).max(), np.abs(made.rotations - turned).max())
    verdicts.check("eight of them, live against their walks made ahead", float(apart), "<= 1e-9")
    equal = True
    for seed in range(5):
        check_walk(seconds=SECONDS + 2.0, seed=seed, by="cost")
        made = segue.render(graph.wander(seconds=SECONDS + 2.0, seed=seed), feet="free")
        player = GraphPlayer(graph)
        player.reset(seed)
        live_clip = played(player, seconds=float(SECONDS))
        rows = slice(0, live_clip.n_frames)
        equal &= np.array_equal(live_clip.rotations, made.rotations[rows])
        equal &= np.array_equal(live_clip.root_positions, made.root_positions[rows])
    verdicts.check("five single players, live against segue wander", equal, "bit for bit", equal)


def shares(verdicts: Show, graph: segue.MotionGraph) -> None:
    """Check the variety of a crowd: its places, and how often each character changes clips."""
    crowd = GraphCrowd(graph, 200)
    source = []
    for _ in range(60 * FPS):
        crowd.step(1 / FPS)
        source.append(crowd.sources.copy())
    given = np.array(source)
    seen = np.array([len(set(row)) for row in given.T])
    frames = np.array([clip.n_frames for clip in graph.clips])[np.unique(graph.node_clip[graph.kept])]
    verdicts.note(
        f"in a minute each of 200 shows {np.median(seen):.0f} clips in the median, the least {seen.min()}, of "
        f"{len(frames)}; at one moment {len(set(given[-1]))} clips are on the floor"
    )
    verdicts.check(
        "clips that the poorest tenth shows in a minute",
        int(np.percentile(seen, 10)),
        ">= 5",
        np.percentile(seen, 10) >= 5,
    )


def players(graph: segue.MotionGraph) -> float:
    """Return frames a processor second of single players."""
    some = [GraphPlayer(graph) for _ in range(20)]
    for k, player in enumerate(some):
        player.reset(k)
    begun = time.process_time()
    for _ in range(10 * FPS):
        for player in some:
            player.step(1 / FPS)
    return 20 * 10 * FPS / (time.process_time() - begun)


if __name__ == "__main__":
    run(main, "a thousand characters on the motion graph of CMU 16")
