"""A player of sequences: played frames stay, requests are answered, the loop continues as long as needed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.motion.resample import cut
from segue.runtime.protocol import played
from segue.runtime.sequence_plan import LEAD, TO_IDLE, many
from segue.runtime.sequence_player import SequencePlayer, SequenceRequest
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.halves import body_halves

FPS = 30.0
PLAY = SequenceRequest


@lru_cache(maxsize=1)
def motions() -> dict[str, ElementaryMotion]:
    """Two motions with steps, and one without."""
    clips = {"go": segue.sample("walk", FPS), "turn": segue.sample("walk_left", FPS)}
    found = {name: ElementaryMotion(name, cut(clip, 20, 110), (30, 60)) for name, clip in clips.items()}
    return {**found, "rest": ElementaryMotion("rest", cut(segue.sample("stand", FPS), 0, 60), (20, 30))}


@lru_cache(maxsize=2)
def idle(word: str = "stand") -> segue.Loop:
    """A loop of standing, or of walking on."""
    return segue.loop(segue.sample(word, FPS))


def frames(player: SequencePlayer, requests: dict[int, list[SequenceRequest]], count: int) -> np.ndarray:
    """Frames of a player stepped at its rate, with requests at some of them."""
    player.reset()
    out = []
    for frame in range(count):
        pose = player.step(1 / FPS if frame else 0.0)
        for request in requests.get(frame, []):
            pose = player.step(0.0, request)
        out.append(np.concatenate([pose.rotations.ravel(), pose.root_position]))
    return np.stack(out)


ASKED = st.lists(
    st.tuples(
        st.integers(0, 200),
        st.builds(
            SequenceRequest,
            st.sampled_from(["play", "play", "play", "withdraw"]),
            st.sampled_from(["go", "turn", "rest"]),
            st.one_of(st.none(), st.floats(0.0, 9.0)),
            st.integers(0, 2),
        ),
    ),
    min_size=1,
    max_size=5,
)


@given(ASKED)
@settings(max_examples=12, deadline=None)
def test_what_was_played_stays(asked: list[tuple[int, SequenceRequest]]) -> None:
    """Whatever is requested at a frame, all frames up to it are the same as without the request."""
    asked = sorted(asked, key=lambda one: one[0])
    player = SequencePlayer(motions(), idle())
    plans: dict[int, list[SequenceRequest]] = {}
    before = frames(player, {}, 201)
    for frame, request in asked:
        plans.setdefault(frame, []).append(request)
        now = frames(player, plans, 201)
        assert np.array_equal(now[: frame + 1], before[: frame + 1])
        before = now
    assert len(player.answers) == len(asked)


def test_requests_are_answered() -> None:
    """A motion is planned as soon as possible, at its time, withdrawn, or rejected with the nearest time."""
    player = SequencePlayer(motions(), idle())
    player.step(1.0, PLAY("play", "go"))
    soon = player.answers[0]
    assert (soon.outcome, soon.seconds) == ("planned", 1.0)
    assert soon.method
    assert soon.latency is not None
    assert 0 < soon.latency < 1.5
    player.step(0.5, PLAY("play", "turn", at=9.0))
    assert (player.answers[1].outcome, player.answers[1].begins_at) == ("waiting", 9.0)
    for _ in range(10):
        player.step(0.7)
    assert player.answers[1].outcome == "planned"
    assert abs(player.answers[1].begins_at - 9.0) < 1 / FPS
    player.step(0.0, PLAY("play", "rest", at=9.2))
    lost = player.answers[2]
    assert lost.outcome == "rejected"
    assert "within that of 'turn'" in lost.reason
    assert lost.begins_at > player.seconds
    player.step(0.0, PLAY("withdraw", "rest"))
    assert player.answers[3].reason == "it is neither planned nor waiting"


def test_a_core_is_played_as_it_was_captured() -> None:
    """The upper body's joints are as in its clip; with a kept foothold the legs reach elsewhere."""
    player = SequencePlayer(motions(), idle())
    shown = frames(player, {30: [PLAY("play", "go")]}, 150)
    begins = round(player.answers[0].begins_at * FPS)
    go = motions()["go"]
    upper = body_halves(player.skeleton).upper
    core = go.clip.rotations[go.core[0] : go.core[1], upper]
    made = shown[begins : begins + 30, :-3].reshape(30, -1, 4)[:, upper]
    assert np.allclose(np.abs(np.sum(made * core, axis=-1)), 1.0, atol=1e-9)


def test_a_motion_that_waits_is_taken_back() -> None:
    """The answer to its request changes too, and the frames are those of the loop alone."""
    player = SequencePlayer(motions(), idle())
    alone = frames(player, {}, 240)
    asked = {10: [PLAY("play", "go", at=7.0)], 60: [PLAY("withdraw", "go")]}
    assert np.array_equal(frames(player, asked, 240), alone)
    assert [one.outcome for one in player.answers] == ["withdrawn", "withdrawn"]
    planned = {10: [PLAY("play", "go", at=7.0)], 125: [PLAY("withdraw", "go")]}
    frames(player, planned, 240)
    assert [one.outcome for one in player.answers] == ["withdrawn", "withdrawn"]


def test_the_loop_goes_on_for_hours() -> None:
    """After an hour of steps it plays as before, holds no more than at the start, and accepts requests."""
    player = SequencePlayer(motions(), idle())
    size = player.plan.clip.n_frames
    for _ in range(400):
        pose = player.step(9.0)
    assert player.plan.clip.n_frames == size
    assert np.isfinite(pose.root_position).all()
    player.step(0.0, PLAY("play", "go"))
    assert player.answers[-1].outcome == "planned"
    clip = played(player, seconds=8.0)
    assert np.linalg.norm(np.diff(clip.root_positions, axis=0), axis=1).max() * FPS < 4.0


def test_a_loop_that_travels_goes_on_travelling() -> None:
    """A walk between motions continues at its own speed across every end of a round."""
    player = SequencePlayer(motions(), idle("walk"))
    clip = played(player, seconds=40.0)
    steps = np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1) * FPS
    assert steps.min() > 0.8
    assert steps.max() < 1.8


@given(st.floats(-3, 3), st.floats(-2, 2), st.integers(0, 40))
def test_many_rounds_are_one_after_another(turn: float, x: float, rounds: int) -> None:
    """The ground motion of many rounds is one round's, repeated."""
    step, expected = PlanarMotion(turn, x, 0.3), PlanarMotion()
    for _ in range(rounds):
        expected = expected.then(step)
    found = many(step, rounds)
    assert np.allclose([found.turn, found.x, found.z], [expected.turn, expected.x, expected.z], atol=1e-6)


def test_a_motion_comes_due_at_its_own_frame() -> None:
    """Long and short steps plan it at the same moment, so that both show the same frames."""
    short, long = (SequencePlayer(motions(), idle()) for _ in range(2))
    for player in (short, long):
        player.step(0.0, PLAY("play", "go", at=LEAD + 5.0))
    for _ in range(270):
        one = short.step(1 / FPS)
    for _ in range(3):
        other = long.step(3.0)
    assert np.array_equal(one.rotations, other.rotations)


def test_the_highest_priority_is_played() -> None:
    """This holds for two motions at one time; the other's answer reports it."""
    player = SequencePlayer(motions(), idle())
    player.step(0.1, PLAY("play", "go", at=3.0))
    player.step(0.1, PLAY("play", "turn", at=3.0, priority=2))
    assert [one.outcome for one in player.answers] == ["rejected", "planned"]
    assert "higher priority" in player.answers[0].reason or "within that of" in player.answers[0].reason


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (PLAY("play", "gow"), "nearest: go"),
        (PLAY("stop", "go"), "asked to play or to withdraw"),  # type: ignore[arg-type]
        (PLAY("play", "go", at=float("nan")), "cannot begin at nan s"),
    ],
)
def test_what_cannot_be_asked_is_refused(request_: SequenceRequest, words: str) -> None:
    """The player stays where it was."""
    player = SequencePlayer(motions(), idle())
    with pytest.raises(SettingError, match=words):
        player.step(1.0, request_)
    assert player.seconds == 0.0
    with pytest.raises(SettingError, match="give that elementary motion another name"):
        SequencePlayer({TO_IDLE: motions()["go"]}, idle())
