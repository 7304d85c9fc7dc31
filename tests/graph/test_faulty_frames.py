"""Faulty frames are neither played nor blended."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from segue.graph.build import build_graph
from segue.graph.parts import Parts
from segue.graph.stitch import stitch
from segue.graph.walk import render, wander
from segue.motion.clip import Clip
from segue.motion.faults import unusable_frames

FAULTY = ("16_15", "16_23", "16_28", "16_33")


def shown(motion: Clip, name: str) -> np.ndarray:
    """Source frames of a clip that a motion shows, including blends and both neighbours of fractional frames."""
    origin = motion.origin
    mine = (origin.clip == (origin.clips.index(name) if name in origin.clips else -2)) & (origin.weight > 0)
    at = origin.frame[mine]
    return np.unique(np.concatenate([np.floor(at + 1e-6), np.ceil(at - 1e-6)]).astype(int))


def broken(clip: Clip, rows: slice) -> Clip:
    """Set the left arm to zeros."""
    rotations = clip.rotations.copy()
    rotations[rows, clip.skeleton.index("LeftArm")] = [1.0, 0, 0, 0]
    return clip.with_motion(rotations)


def test_no_walk_plays_through_faulty_frames() -> None:
    """Zeros in the middle of a clip split it in two: both halves are played, the frames between never."""
    walk = broken(segue.sample("walk"), slice(180, 184))
    fast = broken(segue.sample("walk_left"), slice(150, 151))
    graph = build_graph([walk, fast])
    played: set[int] = set()
    for seed in range(6):
        motion = render(wander(graph, seconds=30, seed=seed))
        frames = shown(motion, "walk")
        assert not set(frames) & {180, 181, 182, 183}
        assert 150 not in shown(motion, "walk_left")
        played |= set(frames.tolist())
    assert min(played) < 180 < 184 <= max(played)
    assert "4 faulty frames of 'walk' will not be played" in graph.report.notes
    assert graph.report.steps["away from faulty frames"] < graph.report.steps["blend fits into both clips"]


def test_pieces_end_at_faulty_frames() -> None:
    """Forward edges of the graph never cross them."""
    walk = broken(segue.sample("walk"), slice(180, 184))
    graph = build_graph([walk, segue.sample("stop"), segue.sample("start")])
    bad = unusable_frames(walk)
    for node, following in enumerate(graph.next_node):
        if following >= 0 and graph.clips[graph.node_clip[node]].name == "walk":
            assert not bad[graph.node_frame[node] : graph.node_frame[following]].any()


def test_sound_clips_make_the_same_graph_as_ever() -> None:
    """Without faults there is no additional step and no note."""
    graph = build_graph([segue.sample("walk"), segue.sample("stop"), segue.sample("start")])
    assert graph.report.notes == ()
    assert "away from faulty frames" not in graph.report.steps


def test_stitching_plays_the_longest_sound_stretch() -> None:
    """The clip has zeros at its start and inside."""
    walk = broken(broken(segue.sample("walk"), slice(0, 2)), slice(100, 103))
    made = stitch([walk, segue.sample("stop")])
    frames = shown(render(made.walk), "walk")
    assert frames.min() == 103


@pytest.mark.parametrize("fps", [None, 30.0, 50.0])
def test_dropouts_of_captured_clips_are_never_played(data: Path, fps: float | None) -> None:
    """Four walks of CMU subject 16 begin with an arm of zeros: walks omit those frames."""
    names = [*FAULTY, "16_21", "16_22", "16_31", "16_32"]
    clips = [segue.load(data / f"asf_amc/16/{name}.amc") for name in names]
    graph = build_graph(clips, fps=fps)
    reached = 0
    for seed in range(3):
        motion = render(wander(graph, seconds=60, seed=seed))
        for clip in clips:
            frames = shown(motion, clip.name)
            reached += clip.name in FAULTY and len(frames) > 0
            assert not unusable_frames(clip)[frames].any(), clip.name
    assert reached


# -- law ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=12), min_size=1, max_size=4), st.data())
def test_parts_tell_what_a_loop_tells(flags: list[list[bool]], drawn: st.DataObject) -> None:
    """Part numbers are equal exactly when no faulty frame lies between, and every number leads back to its clip."""
    parts = Parts.from_flags([np.array(one) for one in flags])
    clip = drawn.draw(st.integers(0, len(flags) - 1))
    first = drawn.draw(st.integers(0, len(flags[clip]) - 1))
    last = drawn.draw(st.integers(first, len(flags[clip])))
    number = parts.number(np.array([clip, clip]), np.array([first, last]))
    assert (number[0] == number[1]) == (not any(flags[clip][first:last]))
    if last < len(flags[clip]):
        assert parts.clip(number).tolist() == [clip, clip]
    assert bool(parts.clear(np.array([clip]), np.array([first]), np.array([last]))[0]) == (
        not any(flags[clip][first:last])
    )
    assert parts.unusable[clip] == sum(flags[clip])
