"""A live character: its compact recording gives the motion that was shown."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.app.live import LiveCharacter
from segue.errors import SettingError
from segue.runtime.graph_player import GraphPlayer, Request


@pytest.fixture(scope="module")
def made():
    """A function that makes a player over two walks."""
    graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    return lambda: GraphPlayer(graph)


def test_a_run_is_made_again_pose_by_pose(made) -> None:
    """Every tick is a frame, commands keep their ticks, and the origin names the clip shown."""
    live = LiveCharacter(made, seed=4, sources=("walk", "walk_fast"), shown=lambda player: player.source[0])
    seen = []
    for k in range(150):
        if k in {40, 41}:
            live.want(Request(leave=True))
        seen.append(live.tick(1 / 60))
    motion = live.motion("run")
    assert motion.n_frames == 150
    assert np.array_equal(motion.root_positions, [pose.root_position for pose in seen])
    assert motion.fps == pytest.approx(60.0)
    assert {motion.origin.clips[k] for k in motion.origin.clip[:, 0]} <= {"walk", "walk_fast"}
    assert live.shown in {0, 1}


def test_a_long_run_takes_little_room(made) -> None:
    """Ticks without a command are counted, not stored one by one."""
    live = LiveCharacter(made)
    for _ in range(400):
        live.tick(1 / 60)
    assert len(live._rows) == 2
    assert len(live.recording.steps) == 400


def test_what_is_refused_is_not_recorded(made) -> None:
    """A command that fails is discarded after its error; an empty recording gives no motion."""
    live = LiveCharacter(made)
    with pytest.raises(SettingError, match="nothing is recorded yet"):
        live.motion()
    live.tick(1 / 60)
    live.want(Request(clip="none"))
    with pytest.raises(SettingError, match="none"):
        live.tick(1 / 60)
    live.tick(1 / 60)
    assert [intent for _, intent in live.recording.steps] == [None, None]
