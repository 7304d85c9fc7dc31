"""A user-set parameter: the manner of a walk, over captured clips of two people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.app.steering import read_script, steer_script
from segue.locomotion.build import BuildSettings, build_locomotion
from segue.locomotion.edits import Edits
from segue.maths.quaternions import half_angle
from segue.runtime.steered.player import Command, LocomotionPlayer

pytestmark = pytest.mark.data


def test_a_walk_goes_from_one_persons_to_anothers(data: Path, tmp_path: Path) -> None:
    """At 0 one person's examples have the weight, at 1 the other's, half way both; a script has a column for it."""
    folder = data / "asf_amc"
    clips = [
        segue.load(folder / name) for name in ("16/16_15.amc", "16/16_32.amc", "02/02_01.amc", "02/02_02.amc")
    ]
    manner = {clip.name: {"parameters": {"manner": float(clip.name.startswith("02"))}} for clip in clips}
    given = Edits.of({"examples": manner})
    model = build_locomotion(clips, settings=BuildSettings(most=8, mirror=False), edit=given)
    assert model.parameters == ("speed", "turn", "manner")
    shares, poses = [], []
    for value in (0.0, 0.5, 1.0):
        player = LocomotionPlayer(model)
        for _ in range(90):
            pose = player.step(1 / 60, Command("walk", 1.17, more=(("manner", value),)))
        shares.append(sum(one.weight for one in player.sources if one.clip.startswith("02")))
        poses.append(pose.rotations)
    assert shares == pytest.approx([0.0, 0.5, 1.0], abs=0.15)
    assert shares[0] < 0.02
    apart = [float(half_angle(poses[0], other)[1:].max()) for other in poses[1:]]
    assert apart[1] > apart[0] > 0.02
    script = tmp_path / "wishes.csv"
    script.write_text("seconds,type,speed,turn,manner\n0,walk,1.17,0,0\n1,walk,1.17,0,1\n")
    made = steer_script(model, read_script(script, model), fps=30.0, seconds=3.0)
    theirs = [sum(one.weight for one in made.sources(f) if one.clip.startswith("02")) for f in (25, 89)]
    assert np.allclose(theirs, [0.0, 1.0], atol=0.15)
