"""A graph walked live: the frames of the walk made ahead of time, any time step, requests, states."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue.errors import SettingError
from segue.maths.quaternions import slerp
from segue.runtime.graph_player import GraphPlayer, Request, labelled_frames
from segue.runtime.protocol import Recorder, Recording, played, replay

FRAME = 1 / 30


def live(player: GraphPlayer, seconds: float, seed: int) -> segue.Clip:
    """A run from the first frame on."""
    player.reset(seed)
    return played(player, seconds=seconds)


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("by", ["cost", "probability"])
def test_live_is_what_was_made_ahead_of_time(graph: segue.MotionGraph, seed: int, by: str) -> None:
    """Frames are bit for bit the same up to where a walk of given length stops taking transitions."""
    made = segue.render(graph.wander(seconds=20, seed=seed, by=by), feet="free")  # type: ignore[arg-type]
    ours = live(GraphPlayer(graph, by=by), 18.0, seed)  # type: ignore[arg-type]
    n = ours.n_frames
    assert np.array_equal(ours.rotations, made.rotations[:n])
    assert np.array_equal(ours.root_positions, made.root_positions[:n])


def test_on_captured_clips_too(data: Path) -> None:
    """This includes displacement and inertialization."""
    clips = [segue.load(data / "cmu" / "from_amc" / f"16_{k}.bvh") for k in ("15", "17", "31")]
    for blend in (segue.Blend(root="displacement"), segue.Blend(way="inertialization", seconds=0.4)):
        graph = segue.MotionGraph.build(clips, blend=blend, fps=30.0)
        made = segue.render(graph.wander(seconds=12, seed=2), feet="free")
        ours = live(GraphPlayer(graph), 10.0, 2)
        assert np.array_equal(ours.rotations, made.rotations[: ours.n_frames])
        assert np.array_equal(ours.root_positions, made.root_positions[: ours.n_frames])


@settings(max_examples=8)
@given(st.lists(st.floats(0.0, 0.4), min_size=1, max_size=25))
def test_steps_of_any_length_lie_between_frames(graph: segue.MotionGraph, steps: list[float]) -> None:
    """After uneven steps the pose is interpolated between the two frames around that time."""
    made = live(GraphPlayer(graph), 11.0, 3)
    player = GraphPlayer(graph)
    player.reset(3)
    for dt in steps:
        pose = player.step(dt)
    at = sum(steps) * 30.0
    low = min(int(at + 1e-6), made.n_frames - 2)
    share = np.clip(at - low, 0.0, 1.0)
    root = (1 - share) * made.root_positions[low] + share * made.root_positions[low + 1]
    assert np.allclose(pose.root_position, root, atol=1e-5)
    turned = slerp(made.rotations[low], made.rotations[low + 1], share)
    assert np.allclose(np.abs(np.sum(turned * pose.rotations, -1)), 1.0, atol=1e-9)


def test_time_lost_in_small_steps_is_nothing(graph: segue.MotionGraph) -> None:
    """After ten seconds in steps of 1/210 s the pose is exactly that of steps of one frame."""
    player, other = GraphPlayer(graph), GraphPlayer(graph)
    for _ in range(2100):
        pose = player.step(1 / 210)
    for _ in range(300):
        same = other.step(FRAME)
    assert np.array_equal(pose.rotations, same.rotations)


def test_a_request_takes_the_quickest_way(graph: segue.MotionGraph) -> None:
    """Each requested clip is shown within the time of the shortest path, and another walk does not show it."""
    for name in graph.clips_reached:
        player = GraphPlayer(graph)
        player.reset(4)
        player.step(1.0)
        came = None
        for k in range(600):
            player.step(FRAME, Request(clip=name) if k == 0 else None)
            if player.source[0] == name:
                came = k
                break
        assert came is not None
        assert came < 90


def test_staying_keeps_to_a_clip(graph: segue.MotionGraph) -> None:
    """With stay nearly every frame shows the requested clip; without a request the walk leaves it again."""
    player = GraphPlayer(graph)
    player.step(0.0, Request(clip="walk_fast", stay=True))
    for _ in range(90):
        player.step(FRAME)
    shown = []
    for _ in range(600):
        player.step(FRAME)
        shown.append(player.source[0])
    assert shown.count("walk_fast") > 0.85 * len(shown)
    player.step(0.0, Request())
    shown = []
    for _ in range(900):
        player.step(FRAME)
        shown.append(player.source[0])
    assert len(set(shown)) > 1


def test_one_frame_and_a_label_are_reached(graph: segue.MotionGraph) -> None:
    """The requested frame is shown exactly; a label is at its seconds."""
    labels = labelled_frames(graph.clips, {"turning": [("walk_left", 2.0, 3.0)]}, fps=30)
    assert labels == {"turning": [("walk_left", 60, 90)]}
    player = GraphPlayer(graph, labels=labels)
    for request, name, low, high in (
        (Request(clip="walk", frame=80), "walk", 80, 80),
        (Request(label="turning"), "walk_left", 60, 89),
    ):
        player.reset(7)
        player.step(0.5, request)
        seen = []
        for _ in range(450):
            player.step(FRAME)
            seen.append(player.source)
        assert any(clip == name and low <= frame <= high for clip, frame in seen)


def test_nonsense_is_refused(graph: segue.MotionGraph) -> None:
    """Unknown clips, frames and labels and invalid times are refused, and the player continues as before."""
    player = GraphPlayer(graph, labels={"a": [("walk", 0, 500)]})
    for request, words in (
        (Request(clip="run"), "no clip 'run'"),
        (Request(clip="walk", frame=999), "frames 0 to 180"),
        (Request(label="b"), "no frame is labelled 'b'"),
        (Request(stay=True), "names a clip or a label"),
    ):
        with pytest.raises(SettingError, match=words):
            player.step(0.0, request)
    for dt in (-0.1, float("nan"), 11.0):
        with pytest.raises(SettingError, match="0 to 10 seconds"):
            player.step(dt)
    with pytest.raises(SettingError, match="no clip 'run'"):
        GraphPlayer(graph, labels={"a": [("run", 0, 5)]})
    with pytest.raises(SettingError, match="seed -1"):
        player.reset(-1)
    with pytest.raises(SettingError, match="clip 'run'"):
        GraphPlayer(graph, start="run")
    again = GraphPlayer(graph)
    assert np.array_equal(player_frames(again, 30), player_frames(GraphPlayer(graph), 30))


def player_frames(player: GraphPlayer, count: int) -> np.ndarray:
    """Root positions of the next steps."""
    return np.array([player.step(0.021).root_position for _ in range(count)])


def test_saved_it_comes_back_to_the_same_frames(graph: segue.MotionGraph) -> None:
    """This holds in the same player, and in another one from a copy, with a request in progress."""
    player = GraphPlayer(graph)
    player.reset(2)
    player_frames(player, 100)
    player.step(0.01, Request(clip="walk_left", stay=True))
    state = player.save()
    first = player_frames(player, 400)
    player.restore(state)
    assert np.array_equal(player_frames(player, 400), first)
    other = GraphPlayer(graph)
    other.restore(copy.deepcopy(state))  # created by this test
    assert np.array_equal(player_frames(other, 400), first)


def test_a_recorded_run_is_played_again(graph: segue.MotionGraph) -> None:
    """Steps and requests are replayed through a JSON document; a refused step is not in it."""
    recorder: Recorder[Request] = Recorder(GraphPlayer(graph))
    recorder.reset(seed=9)
    seen = [recorder.step(0.017).rotations for _ in range(50)]
    with pytest.raises(SettingError):
        recorder.step(-1.0)
    kept = recorder.save()
    seen += [recorder.step(0.03, Request(clip="walk")).rotations for _ in range(50)]
    document = json.loads(json.dumps(recorder.recording.document()))
    recording = Recording.of(document, Request)
    again = [pose.rotations for pose in replay(GraphPlayer(graph), recording)]
    assert np.array_equal(seen, again)
    recorder.restore(kept)
    assert len(recorder.recording.steps) == 50
    for wrong in ({}, {"seed": 1, "steps": [[1]]}, {"seed": "x", "steps": []}):
        with pytest.raises(SettingError, match="is not a recording"):
            Recording.of(wrong)


def test_played_keeps_poses_as_a_clip(graph: segue.MotionGraph) -> None:
    """This works at another rate; an invalid time is refused."""
    clip = played(GraphPlayer(graph), seconds=2.0, fps=50, name="mine")
    assert (clip.n_frames, clip.fps, clip.name) == (101, 50.0, "mine")
    with pytest.raises(SettingError, match="cannot be played"):
        played(GraphPlayer(graph), seconds=-1)
