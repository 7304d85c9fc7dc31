"""The creep of planted feet is a user setting."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.errors import SettingError
from segue.settings import SeamSettings, Settings
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.feet.steps import PlantMotion


@pytest.mark.parametrize("creep", [0.0, 0.005, 0.02])
def test_a_sliding_foot_creeps_as_far_as_it_may(creep: float) -> None:
    """Planted feet of a walk that slides 8 % move up to the bound plus a few millimetres of their own."""
    walk = segue.sample("walk", 60.0)
    made = walk.with_motion(root_positions=walk.root_positions * [1.0, 1.0, 1.08])
    held = plant_feet(made, planted=segue.contacts(walk).flags, keep=PlantMotion(creep=creep))
    gone = np.array([plant.start_to_end for plant in held.after])
    assert gone.max() <= creep + 0.005
    assert np.median(gone) >= 0.5 * min(creep, 0.01)


def test_the_command_and_its_record_hold_it(segue, tmp_path: Path) -> None:
    """`--creep` is in the record, and `replay` makes the same motion with it."""
    words = (
        "wander",
        "sample:walk",
        "sample:walk_slow",
        "--seconds",
        4,
        "--creep",
        0.002,
        "-o",
        "m.bvh",
        "--json",
    )
    assert segue(*words).code == 0
    record = json.loads(Path("m.origin.json").read_text("utf-8"))
    assert record["settings"]["make"]["creep"] == 0.002
    assert segue("replay", "m.origin.json", "-o", "again.bvh", "--json").document["same"]


@pytest.mark.parametrize("creep", [-0.001, float("nan"), 2.0])
def test_a_creep_that_cannot_be_is_refused(creep: float) -> None:
    """The error states the valid range."""
    for kind in (Settings, SeamSettings):
        with pytest.raises(SettingError, match="give metres from 0 to 1"):
            kind(creep=creep)
