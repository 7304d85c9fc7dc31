"""Graphs to walk: of embedded clips, of real ones, and made by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from segue.arrays import frozen
from segue.costs.point_cloud import PointCloudCost
from segue.graph.build import MotionGraph
from segue.graph.motion_graph import Report
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.settings import Blend
from segue.synthesis.joins import JoinArrays
from segue.transitions.threshold import Jumps, choice_graph, given_threshold, largest_component

SKELETON = Skeleton(("Hips", "Chest"), (-1, 0), np.array([[0.0, 0.0, 0.0], [0.0, 0.5, 0.0]]))
Jump = tuple[int, int, int, int]


def loose_clip(name: str, n_frames: int, *, fps: float = 10.0, seed: int = 0) -> Clip:
    """A clip of two joints in which no two frames are alike."""
    rng = np.random.default_rng([seed, n_frames])
    quaternions = rng.normal(size=(n_frames, 2, 4))
    quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
    return Clip(SKELETON, quaternions, rng.normal(size=(n_frames, 3)), fps, name=name)


def by_hand(
    clips: Sequence[Clip], jumps: Sequence[Jump], *, costs: Sequence[float] = (), length: int = 2
) -> MotionGraph:
    """Graph with jumps (clip left, first blended frame, clip entered, first blended frame) and their costs."""
    columns = [np.array([jump[k] for jump in jumps], dtype=np.int64) for k in range(4)]
    prices = np.array(costs if len(costs) else np.ones(len(jumps)), dtype=np.float64)
    joins = JoinArrays(*columns, np.zeros((len(jumps), 3)), length)
    choice = choice_graph(Jumps(columns[0], columns[1], columns[2], columns[3] + length, prices))
    component = largest_component(
        len(choice.clip),
        (choice.piece_from, choice.piece_to, choice.piece_frames),
        (choice.jump_from, choice.jump_to),
    )
    report = Report({}, given_threshold(1.0), 1.0, 0.0, sum(c.n_frames for c in clips), component.frames, {})
    return MotionGraph(
        tuple(clips),
        joins,
        frozen(prices),
        columns[1],
        columns[3],
        choice.clip,
        choice.frame,
        choice.jump_from,
        choice.jump_to,
        component.kept,
        Blend(seconds=length / clips[0].fps),
        PointCloudCost(),
        report,
    )


@pytest.fixture(scope="session")
def hand() -> Callable[..., MotionGraph]:
    """The maker of graphs by hand."""
    return by_hand


@pytest.fixture(scope="session")
def loose() -> Callable[..., Clip]:
    """The maker of clips in which no two frames are alike."""
    return loose_clip


@pytest.fixture(scope="session")
def sample_graph() -> MotionGraph:
    """Walks, start, stop and a stand at 30 frames a second."""
    names = ("walk", "walk_slow", "walk_left", "walk_right", "start", "stop", "stand")
    return MotionGraph.build([sample(name, fps=30.0) for name in names])


@pytest.fixture(scope="session")
def real_graph(data) -> MotionGraph:
    """Walks and turns of one person at 30 frames a second."""
    names = ("16_47", "16_58", "16_31", "16_21", "16_11")
    return MotionGraph.build([load(data / f"asf_amc/16/{name}.amc") for name in names], fps=30.0)
