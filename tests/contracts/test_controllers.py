"""The contract of every controller: starts, steps, states, recordings, and refusals."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import segue
from segue.errors import SettingError
from segue.motion.resample import cut
from segue.runtime.clip_player import ClipPlayer
from segue.runtime.graph_player import GraphPlayer, Request
from segue.runtime.motion_matcher import MotionMatcher
from segue.runtime.protocol import Controller, Recorder, played, replay
from segue.runtime.sequence_player import SequencePlayer, SequenceRequest
from segue.runtime.steered.player import Command, LocomotionPlayer
from segue.sequencing.elements import ElementaryMotion
from steered_models import small_model


@lru_cache(maxsize=1)
def _graph() -> segue.MotionGraph:
    return segue.MotionGraph.build([segue.sample(name, 30.0) for name in ("walk", "walk_fast", "walk_left")])


def _clips() -> list[segue.Clip]:
    return [segue.sample(name, 30.0) for name in ("stand", "walk", "walk_left")]


@lru_cache(maxsize=1)
def _moves() -> dict[str, ElementaryMotion]:
    clips = {"go": segue.sample("walk", 30.0), "turn": segue.sample("walk_left", 30.0)}
    return {name: ElementaryMotion(name, cut(clip, 20, 110), (30, 60)) for name, clip in clips.items()}


@lru_cache(maxsize=1)
def _idle() -> segue.Loop:
    return segue.loop(segue.sample("stand", 30.0))


CONTROLLERS: dict[str, tuple[Callable[[], Controller[Any]], tuple[Any, ...]]] = {
    "graph": (lambda: GraphPlayer(_graph()), (Request(clip="walk_left"), Request(clip="walk", stay=True))),
    "loop": (lambda: ClipPlayer(segue.loop(segue.sample("walk_left"))), ()),
    "clip": (lambda: ClipPlayer(segue.sample("stop")), ()),
    "matcher": (
        lambda: MotionMatcher(_clips(), fps=30.0),
        (Command("walk", speed=1.2), Command("walk", 1.0, 0.3)),
    ),
    "sequence": (
        lambda: SequencePlayer(_moves(), _idle()),
        (
            SequenceRequest("play", "turn"),
            SequenceRequest("play", "go", at=2.0, priority=1),
            SequenceRequest("withdraw", "go"),
        ),
    ),
    "steered": (
        lambda: LocomotionPlayer(small_model()),
        (Command("walk", speed=1.2), Command("walk", 1.0, 0.3)),
    ),
}
"""Name to what makes one, and what may be wanted of it."""


@pytest.fixture(params=CONTROLLERS)
def kind(request: pytest.FixtureRequest) -> tuple[Callable[[], Controller[Any]], tuple[Any, ...]]:
    """Each controller in turn."""
    return CONTROLLERS[request.param]


def steps(controller: Controller[Any], intents: tuple[Any, ...], count: int = 90) -> list[np.ndarray]:
    """Rotations and roots of uneven steps, with each intent in turn."""
    rng = np.random.default_rng(3)
    out = []
    for k in range(count):
        intent = intents[k // 30 % len(intents)] if intents and k % 30 == 10 else None
        pose = controller.step(float(rng.uniform(0.0, 0.06)), intent)
        out.append(np.concatenate([pose.rotations.ravel(), pose.root_position]))
    return out


def test_it_begins_where_it_begins_and_time_stands_still_without_time(kind: Any) -> None:
    """Two of one seed are alike; a step of zero seconds repeats the pose; poses are complete."""
    make, _ = kind
    one, other = make(), make()
    one.reset(5)
    other.reset(5)
    first = one.step(0.0)
    assert np.array_equal(first.rotations, other.step(0.0).rotations)
    assert np.array_equal(first.root_position, one.step(0.0).root_position)
    assert first.rotations.shape == (one.skeleton.n_joints, 4)
    assert np.allclose(np.linalg.norm(first.rotations, axis=-1), 1.0, atol=1e-9)
    assert first.skeleton is one.skeleton
    assert one.fps > 0


def test_the_same_steps_give_the_same_poses(kind: Any) -> None:
    """This holds after a reset, in another controller, after restoring a state or its copy, and for a recording."""
    make, intents = kind
    one: Recorder[Any] = Recorder(make())
    one.reset(2)
    seen = steps(one, intents)
    recording, state = one.recording, one.save()
    after = steps(one, intents)
    one.restore(copy.deepcopy(state))
    assert np.array_equal(steps(one, intents), after)
    other = make()
    other.reset(2)
    assert np.array_equal(steps(other, intents), seen)
    again = [np.concatenate([p.rotations.ravel(), p.root_position]) for p in replay(make(), recording)]
    assert np.array_equal(again, seen)


def test_a_state_does_not_change_with_the_controller(kind: Any) -> None:
    """A saved state can be restored twice, whatever was done in between."""
    make, intents = kind
    one = make()
    one.reset(1)
    steps(one, intents, 40)
    state = one.save()
    runs = []
    for _ in range(2):
        one.restore(state)
        runs.append(steps(one, intents, 40))
    assert np.array_equal(*runs)


def test_poses_given_stay_as_they_were(kind: Any) -> None:
    """The next step does not overwrite a returned pose."""
    make, _ = kind
    one = make()
    pose = one.step(0.1)
    kept = np.array(pose.rotations), np.array(pose.root_position)
    for _ in range(30):
        one.step(0.05)
    assert np.array_equal(pose.rotations, kept[0])
    assert np.array_equal(pose.root_position, kept[1])


def test_no_joint_jumps_between_frames(kind: Any) -> None:
    """At its own rate no rotation exceeds 25 rad/s and no root speed 6 m/s."""
    make, _ = kind
    clip = played(make(), seconds=6.0)
    turned = np.abs(np.sum(clip.rotations[1:] * clip.rotations[:-1], -1)).clip(0, 1)
    assert (2 * np.arccos(turned)).max() * clip.fps < 25.0
    assert np.linalg.norm(np.diff(clip.root_positions, axis=0), axis=1).max() * clip.fps < 6.0


@pytest.mark.parametrize("dt", [-0.01, float("nan"), float("inf"), 11.0])
def test_times_that_are_none_are_refused(kind: Any, dt: float) -> None:
    """The controller is unchanged."""
    make, _ = kind
    one = make()
    before = one.step(0.0)
    with pytest.raises(SettingError, match="0 to 10 seconds"):
        one.step(dt)
    assert np.array_equal(one.step(0.0).root_position, before.root_position)
