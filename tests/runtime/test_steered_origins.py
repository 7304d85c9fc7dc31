"""Every steered frame names its sources: examples, clips and seconds in them, weights."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.locomotion._kernels import PER_INTERVAL
from segue.locomotion.blend_set import generic_frames
from segue.locomotion.traces import Piece, traced
from segue.maths.quaternions import half_angle
from segue.runtime.steered.player import Command, LocomotionPlayer
from steered_models import small_model, three_types


@pytest.mark.slow
def test_weights_add_up_on_every_frame_and_ways_are_named() -> None:
    """From standing to running: the stand, both, the transition alone, both, the run."""
    player = LocomotionPlayer(three_types())
    seen = []
    for number in range(240):
        player.step(1 / 60, Command("run", speed=2.6) if number > 30 else Command("stand"))
        sources = player.sources
        assert sum(one.weight for one in sources) == pytest.approx(1.0, abs=1e-5)
        kinds = {one.of for one in sources}
        if not seen or seen[-1] != kinds:
            seen.append(kinds)
        assert all(one.made == (" to " in one.of) for one in sources if "run" in one.of)
    stages = [{"stand"}, {"stand", "stand to run"}, {"stand to run"}, {"run", "stand to run"}, {"run"}]
    assert seen == stages


@pytest.mark.slow
def test_shares_are_those_of_the_kernel() -> None:
    """Next to the guide is the blend of both sets by their shares."""
    model = small_model()
    player = LocomotionPlayer(model)
    both = 0
    for _ in range(120):
        player.step(1 / 60, Command("walk", speed=1.2))
        parts = player.parts
        if len(parts) != 2:
            continue
        both += 1
        paces = []
        for part in parts:
            one = [*(n.set for n in model.nodes), *(w.set for w in model.transitions)][part.set]
            row = part.at * 24
            low = min(int(row), len(one.beside) - 2)
            values = (1 - row + low) * one.beside[low, :, 4] + (row - low) * one.beside[low + 1, :, 4]
            paces.append(part.share * float(part.weights @ values))
        assert sum(paces) == pytest.approx(player.standing.speed, abs=1e-9)
    assert both > 10


@pytest.mark.slow
def test_a_wish_that_an_example_fits_plays_that_clip() -> None:
    """At an example's own parameters its weight is 1, and the pose is the clip's at the reported second."""
    model = small_model()
    walk = model.nodes[model.index("walk")].set
    number = next(i for i, name in enumerate(walk.names) if "mirrored" not in name)
    speed, turn = walk.parameters[number]
    player = LocomotionPlayer(model, start=Command("walk", float(speed), float(turn)))
    player.reset()
    off = []
    for _ in range(90):
        pose = player.step(1 / 60)
        (source,) = [one for one in player.sources if one.weight > 0.5]
        assert source.weight == pytest.approx(1.0, abs=1e-6)
        clip = segue.sample(source.clip)
        frame = round(source.seconds * clip.fps)
        arms = [j for j, name in enumerate(clip.skeleton.names) if "Arm" in name]
        off.append(half_angle(pose.rotations[arms], clip.rotations[frame, arms]).max())
    assert max(off) < 0.05


def test_samples_meet_the_keytimes() -> None:
    """Each interval between keytimes has the same number of samples, and one lies on each keytime."""
    frames = generic_frames(np.array([0.0, 10.0, 46.0]))
    assert frames[[0, PER_INTERVAL, 2 * PER_INTERVAL]].tolist() == [0.0, 10.0, 46.0]
    assert frames[PER_INTERVAL // 2] == 5.0


def test_pieces_and_seconds() -> None:
    """Within the second piece seconds count from its start."""
    pieces = (Piece("a", 0.0, 2.0), Piece("b", 0.5, 7.0))
    rates = np.array([2.0, 4.0])  # half a second, then a quarter
    assert traced(pieces, rates, 0.5) == ("a", 2.25)
    assert traced(pieces, rates, 1.5) == ("b", 7.125)
