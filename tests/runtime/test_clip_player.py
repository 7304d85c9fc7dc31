"""Loops and clips played live: the same rounds as made ahead of time, and no travel lost at any rate."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.errors import SettingError
from segue.runtime.clip_player import ClipPlayer
from segue.runtime.protocol import Recorder, played, replay
from segue.synthesis.loop import repeated


@pytest.mark.parametrize("name", ["walk", "walk_left", "stand"])
def test_live_rounds_are_those_made_ahead(name: str) -> None:
    """Ten rounds of a straight loop, a turning one, and one in place are the same live."""
    loop = segue.loop(segue.sample(name, 30.0))
    ten = repeated(loop, 10)
    live = played(ClipPlayer(loop), seconds=ten.seconds - 1 / 30)
    assert np.allclose(live.root_positions, ten.root_positions[:-1], atol=1e-9)
    assert np.allclose(np.abs(np.sum(live.rotations * ten.rotations[:-1], -1)), 1.0, atol=1e-12)


def test_case068_no_travel_is_lost_at_the_end(cases: Path) -> None:
    """Root deltas summed over playback at 60, 50 and 7 steps a second are the full travel, in the file's units."""
    path = next(cases.glob("case068-*.json"))
    case = json.loads(path.read_text("utf-8"))
    clip = segue.load(path.with_suffix(".bvh"))
    unit = clip.source.metres_per_unit if clip.source is not None else 0.01
    for rate in case["inputs"]["rates"]:
        player = ClipPlayer(clip)
        at, total = player.step(0.0).root_position, np.zeros(3)
        while not player.ended:
            now = player.step(1.0 / rate).root_position
            total, at = total + now - at, now
        assert np.linalg.norm(total) / unit == pytest.approx(
            case["expect"]["total"], abs=case["expect"]["tol"]
        )


def test_states_recordings_and_the_end() -> None:
    """States are restored; a run is replayed; a clip stays at its last pose; intents are refused."""
    loop = segue.loop(segue.sample("walk_left"))
    recorder: Recorder[None] = Recorder(ClipPlayer(loop))
    first = [recorder.step(0.07).root_position for _ in range(60)]
    state = recorder.save()
    after = [recorder.step(0.07).root_position for _ in range(60)]
    recorder.restore(state)
    assert np.array_equal(after, [recorder.step(0.07).root_position for _ in range(60)])
    again = [pose.root_position for pose in replay(ClipPlayer(loop), recorder.recording)]
    assert np.array_equal(again, first + after)
    once = ClipPlayer(segue.sample("walk"))
    for _ in range(3):
        pose = once.step(5.0)
    assert once.ended
    assert np.array_equal(pose.root_position, segue.sample("walk").root_positions[-1])
    with pytest.raises(SettingError, match="takes no intent"):
        once.step(0.1, "run")
    with pytest.raises(SettingError, match="0 to 10 seconds"):
        once.step(-0.1)
