"""Captured clips without labels: detected types, and steering as wished."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.locomotion.build import BuildSettings, build_locomotion, find_examples
from segue.locomotion.cutting import transition_examples
from segue.locomotion.phases import gait_phases
from segue.runtime.steered.player import Command, LocomotionPlayer

pytestmark = pytest.mark.data


def clip(data: Path, number: str) -> segue.Clip:
    """A CMU clip by its number."""
    subject = number[: number.index("_")]
    if subject == "131":
        return segue.load(data / "cmu" / "max_friendly" / f"{number}.bvh")
    return segue.load(data / "asf_amc" / subject / f"{number}.amc")


@pytest.mark.parametrize(
    ("number", "kinds"),
    [
        ("16_21", ["walk"]),
        ("16_36", ["run"]),
        ("16_32", ["stand", "walk"]),
        ("127_03", ["stand", "run"]),
        ("127_04", ["stand", "walk", "run"]),
        ("16_08", ["run", "stand"]),
        ("16_57", ["run", "walk", "stand"]),
        ("127_17", ["run", "stand"]),
        ("131_02", ["stand", "stand", "stand", "walk", "walk", "stand"]),
    ],
)
def test_types_are_seen_without_labels(data: Path, number: str, kinds: list[str]) -> None:
    """Walks, runs, and clips that begin standing, in their order."""
    assert [phase.kind for phase in gait_phases(clip(data, number)).phases] == kinds


def test_all_six_ways_are_captured(data: Path) -> None:
    """Starts, stops and changes of gait are found as captured; a stop within a run is no transition of a walk."""
    numbers = ("16_08", "16_32", "16_57", "127_03", "127_04")
    found = [
        example for number in numbers for example in transition_examples(gait_phases(clip(data, number)))[0]
    ]
    assert [(example.source, example.target) for example in found] == [
        ("run", "stand"),
        ("stand", "walk"),
        ("run", "walk"),
        ("walk", "stand"),
        ("stand", "run"),
        ("stand", "walk"),
        ("walk", "run"),
    ]
    kept, left = transition_examples(gait_phases(clip(data, "127_21")))
    assert not kept
    assert "pauses for 0.8 s" in left[0].reason


def test_a_slow_stop_of_another_body_is_seen_and_left_out(data: Path) -> None:
    """Phases are detected on the captured body; a transition that takes twice as long as another is not used."""
    clips = [clip(data, number) for number in ("16_34", "16_21", "131_01")]
    assert [
        (example.name, example.target) for example in find_examples(clips, mirror_too=False).transitions
    ] == [
        ("16_34:118-346", "stand"),
        ("131_01:569-993", "stand"),
    ]
    model = build_locomotion(clips, settings=BuildSettings(most=4, mirror=False))
    stops = [example for example in model.transitions if model.nodes[example.target].kind == "stand"]
    assert [example.set.names for example in stops] == [("16_34:118-346",)]
    assert ("131_01:569-993", "takes 3.5 s, another 1.9 s") in [
        (one.name, one.reason) for one in model.left_out
    ]


def test_a_walker_of_captured_clips_goes_as_wished(data: Path) -> None:
    """Types, captured transitions, turning both ways by mirroring; speed and turning rate as wished."""
    numbers = ("16_12", "16_21", "16_29", "16_32", "16_33", "16_36", "127_03", "127_04")
    model = build_locomotion([clip(data, number) for number in numbers], settings=BuildSettings(most=8))
    kinds = [node.kind for node in model.nodes]
    assert kinds == ["stand", "walk", "run"]
    captured = {
        (kinds[example.source], kinds[example.target]) for example in model.transitions if not example.made
    }
    assert {("stand", "walk"), ("stand", "run"), ("walk", "stand"), ("walk", "run")} <= captured
    turns = model.nodes[1].set.parameters[:, 1]
    assert turns.min() < -0.5 < 0.5 < turns.max()
    player = LocomotionPlayer(model)
    for _ in range(90):
        player.step(0.05, Command("walk", speed=1.4, turn=np.radians(20.0)))
    now = player.standing
    assert (now.kind, now.transition) == ("walk", None)
    assert (now.speed, now.turn) == pytest.approx((1.4, np.radians(20.0)), rel=1e-3)
