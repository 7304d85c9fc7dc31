"""Crowds: each character's frames are those of its own walk made ahead of time, whoever else is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.motion.facing import moved
from segue.runtime.chance import mixed, streams, uniform
from segue.runtime.crowd import GraphCrowd

FRAME = 1 / 30


def run(crowd: GraphCrowd, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (F, N, J, 4) and roots (F, N, 3) of the next frames."""
    poses = [crowd.step(0.0)] + [crowd.step(FRAME) for _ in range(round(seconds * 30))]
    return np.array([p[0] for p in poses]), np.array([p[1] for p in poses])


def test_each_character_shows_its_own_walk(graph: segue.MotionGraph) -> None:
    """Rendering the plan of its walk gives the same frames, to rounding, over thirty seconds."""
    crowd = GraphCrowd(graph, 6)
    crowd.reset(11)
    rotations, roots = run(crowd, 30.0)
    for which in range(0, 6, 2):
        walk = crowd.walk(which, seconds=30.0)
        made = segue.render(walk, feet="free")
        assert len(walk.plan.joins) > 4
        assert np.allclose(made.root_positions, roots[:, which], atol=1e-9)
        assert np.allclose(made.rotations, rotations[:, which], atol=1e-12)


def test_on_captured_clips_with_another_blend(data: Path) -> None:
    """Inertialization and hard cuts are placed by the same ground motions."""
    clips = [segue.load(data / "cmu" / "from_amc" / f"16_{k}.bvh") for k in ("15", "17", "31")]
    for blend in (segue.Blend(way="inertialization", seconds=0.4), segue.Blend(seconds=0.0)):
        graph = segue.MotionGraph.build(clips, blend=blend, fps=30.0, check_seams=blend.seconds > 0)
        crowd = GraphCrowd(graph, 3)
        rotations, roots = run(crowd, 12.0)
        made = segue.render(crowd.walk(2, seconds=12.0), feet="free")
        assert np.allclose(made.root_positions, roots[:, 2], atol=1e-9)
        assert np.allclose(made.rotations, rotations[:, 2], atol=1e-12)


def test_characters_do_not_know_of_each_other(graph: segue.MotionGraph) -> None:
    """Character 3 of a few is character 3 of many; two characters differ."""
    few, many = GraphCrowd(graph, 4), GraphCrowd(graph, 40)
    one, other = run(few, 8.0), run(many, 8.0)
    assert np.array_equal(one[1][:, 3], other[1][:, 3])
    assert np.array_equal(one[0][:, 3], other[0][:, 3])
    firsts = {tuple(np.round(place, 9)) for place in other[1][0]}
    assert len(firsts) > 30


def test_everything_of_the_graph_is_visited_and_no_clip_goes_on_for_ever(graph: segue.MotionGraph) -> None:
    """Each clip is shown; no character stays in one for long."""
    crowd = GraphCrowd(graph, 50)
    shown = []
    for _ in range(900):
        crowd.step(FRAME)
        shown.append(crowd.sources.copy())
    source = np.array(shown)
    share = np.bincount(source.ravel(), minlength=3) / source.size
    assert share.min() > 0.03
    changes = (np.diff(source, axis=0) != 0).sum(axis=0)
    assert changes.min() >= 2


@settings(max_examples=6)
@given(st.lists(st.floats(0.0, 0.3), min_size=1, max_size=20))
def test_steps_of_any_length_come_to_the_same(graph: segue.MotionGraph, steps: list[float]) -> None:
    """Uneven steps and one long step end in the same poses; half a frame is interpolated half way."""
    a, b = GraphCrowd(graph, 5), GraphCrowd(graph, 5)
    for dt in steps:
        last = a.step(dt)
    whole = b.step(0.0)
    for _ in range(int(sum(steps) * 30 + 1e-6)):
        whole = b.step(FRAME)
    rest = sum(steps) - int(sum(steps) * 30 + 1e-6) / 30
    whole = b.step(max(rest, 0.0))
    assert np.allclose(last[1], whole[1], atol=1e-4)


def test_saved_and_placed(graph: segue.MotionGraph) -> None:
    """A state is restored, also in another crowd; placing moves each along the ground and nothing else."""
    crowd = GraphCrowd(graph, 5)
    crowd.reset(3)
    run(crowd, 3.0)
    crowd.step(0.01)
    state = crowd.save()
    after = run(crowd, 5.0)
    crowd.restore(state)
    assert np.array_equal(run(crowd, 5.0)[1], after[1])
    other = GraphCrowd(graph, 5)
    other.restore(state)
    assert np.array_equal(run(other, 5.0)[0], after[0])
    motions = [PlanarMotion(0.3 * k, k, -k) for k in range(5)]
    crowd.reset(3)
    crowd.place(motions)
    run(crowd, 2.0)
    placed = run(crowd, 1.0)[1]
    crowd.reset(3)
    made = moved(segue.render(crowd.walk(4, seconds=3.0), feet="free"), motions[4])
    assert np.allclose(made.root_positions[60:], placed[:, 4], atol=1e-9)


def test_nonsense_is_refused(graph: segue.MotionGraph) -> None:
    """Zero or too many characters, wrong places, an unknown character and a time of zero are refused."""
    crowd = GraphCrowd(graph, 2)
    for call, words in (
        (lambda: GraphCrowd(graph, 0), "crowd of 0"),
        (lambda: GraphCrowd(graph, 10**6), "crowd of 1000000"),
        (lambda: crowd.place([PlanarMotion()]), "2 characters cannot be placed by 1"),
        (lambda: crowd.walk(2, seconds=1), "no character 2"),
        (lambda: crowd.walk(0, seconds=0), "walk of 0 s"),
        (lambda: crowd.step(-1), "0 to 10 seconds"),
        (lambda: crowd.reset(-2), "seed -2"),
    ):
        with pytest.raises(SettingError, match=words):
            call()


def test_chance_is_even_and_told_by_everything() -> None:
    """The generator gives its published first words from 0; means are even, and rows are uncorrelated."""
    words = np.arange(3, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [int(word) for word in mixed(words)] == published
    rows = uniform(streams(5, np.arange(20000)), np.zeros(20000))
    assert abs(rows.mean() - 0.5) < 0.01
    assert abs(np.corrcoef(rows, uniform(streams(5, np.arange(20000)), np.ones(20000)))[0, 1]) < 0.03
    assert abs(np.corrcoef(rows, uniform(streams(6, np.arange(20000)), np.zeros(20000)))[0, 1]) < 0.03
    assert abs(np.corrcoef(rows[1:], rows[:-1])[0, 1]) < 0.03
