"""Cyclic clips in graphs: repeated before they are compared, with flags of faulty frames in every round."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.graph.build import build_graph, unified
from segue.graph.goals import Goals, Show
from segue.graph.parts import Parts
from segue.graph.search.directed import direct
from segue.graph.stitch import stitch
from segue.io import load
from segue.measures.seams import seam_ranges, seams
from segue.motion.clip import Clip, Origin
from segue.motion.faults import unusable_frames


def named(clip: Clip, name: str) -> Clip:
    """The clip under another name."""
    return clip.with_motion(name=name, origin=Origin.of(name, clip.n_frames))


@pytest.fixture(scope="module")
def cycles() -> tuple[Clip, Clip]:
    """One stride of each of two similar samples that turn in opposite directions."""
    return tuple(
        named(segue.loop(segue.sample(name)).clip, f"{name}_cycle") for name in ("walk", "walk_left")
    )


def test_cycles_are_played_on_and_others_are_left(cycles: tuple[Clip, Clip]) -> None:
    """Every cycle lasts at least three seconds, ends on its first pose, and keeps its frames in its origin."""
    start = segue.sample("start")
    ready = unified([cycles[0], start])
    assert ready[0].seconds >= 3
    assert np.array_equal(ready[0].rotations[-1, 1:], cycles[0].rotations[0, 1:])
    assert ready[0].origin.frame.max() < cycles[0].n_frames - 1
    assert ready[1].n_frames == start.n_frames


def test_a_walk_goes_through_cycles_of_a_second(cycles: tuple[Clip, Clip]) -> None:
    """Two strides of about a second make a graph: a minute walks in both, and only joins are seams."""
    graph = build_graph(cycles, threshold=0.05)
    assert graph.report.short_clips == {}
    walk = graph.wander(seconds=20, seed=3)
    made = segue.render(walk)
    assert set(made.origin.periods) == {float(clip.n_frames - 1) for clip in cycles}
    assert len(seam_ranges(made.origin)) == len(walk.plan.joins)
    found = seams(made, graph.clips)
    assert len(found) == len(walk.plan.joins)


def test_a_cycle_joined_to_itself_at_one_phase_is_the_cycle(cycles: tuple[Clip, Clip]) -> None:
    """From one round to the next at the same phase the motion is the repeated cycle."""
    graph = build_graph(cycles[:1])
    made = segue.render(graph.wander(seconds=12, seed=1))
    frames = made.origin.frame[:, 0]
    shown = cycles[0].rotations[np.rint(frames).astype(int)][:, 1:]
    assert np.abs(np.abs(np.sum(shown * made.rotations[:, 1:], axis=-1)) - 1).max() < 1e-4


def test_cycles_are_stitched(cycles: tuple[Clip, Clip]) -> None:
    """Clips of one second can be put in an order, each entered and left."""
    made = stitch([cycles[0], cycles[1], cycles[0]])
    assert [join.b_clip for join in made.walk.plan.joins] == [1, 0]
    assert len(seam_ranges(segue.render(made.walk).origin)) == 2


@pytest.mark.parametrize("fps", [60.0, 30.0, 25.0])
def test_faulty_frames_are_flagged_in_every_round(cycles: tuple[Clip, Clip], fps: float) -> None:
    """A frame excluded in the cycle is excluded in every round of it, at any rate."""
    q = cycles[0].rotations.copy()
    q[30, q.shape[1] // 2] = [0, 1, 0, 0]
    clip = cycles[0].with_motion(q)
    bad = np.flatnonzero(unusable_frames(clip))
    assert 30 in bad
    ready = unified([clip], fps=fps)
    parts = Parts.of(ready, [clip])
    frame = ready[0].origin.frame[:, 0]
    wanted = np.isin(np.floor(frame + 1e-6), bad) | np.isin(np.ceil(frame - 1e-6) % (clip.n_frames - 1), bad)
    ours = np.diff(parts.before) > 0
    assert np.array_equal(ours, wanted)
    assert ours.sum() >= 3


def test_labels_of_a_cycle_are_carried_in_every_round(cycles: tuple[Clip, Clip]) -> None:
    """A label on frames of the cycle applies in every round."""
    graph = build_graph(cycles, threshold=0.05)
    n = cycles[0].n_frames
    goals = Goals(seconds=6.0, shows=(Show("left", 1.0, 5.0),), labels={"left": [("walk_left_cycle", 0, n)]})
    assert direct(graph, goals).wrong_seconds < 1.5


def test_game_loops_enter_a_graph(data: Path) -> None:
    """KayKit's walks and runs, a second or less each, are long enough to be compared."""
    file = data / "gltf" / "kaykit" / "Med_MovementBasic.glb"
    clips = [
        load(f"{file}#Rig_Medium|{name}") for name in ("Walking_A", "Walking_B", "Running_A", "Running_B")
    ]
    graph = build_graph(clips, threshold=1.0, check_seams=False)
    assert graph.report.short_clips == {}
    assert graph.report.dropped_clips == {}
