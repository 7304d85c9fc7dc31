"""A made transition turned the character by 52 degrees in a second although a turn of 0 was requested."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue.app.steering import steer_script
from segue.io import load
from segue.locomotion.build import build_locomotion
from segue.locomotion.cutting import guide_heading, straightened, transition_examples
from segue.locomotion.model import Locomotion
from segue.locomotion.phases import gait_phases
from segue.motion.facing import heading
from segue.motion.samples import sample
from segue.runtime.steered.player import Command

ASKED = (
    (0, "stand", 0.0),
    (2, "walk", 1.2),
    (7, "run", 3.0),
    (12, "walk", 1.2),
    (17, "stand", 0.0),
    (20, "run", 2.5),
)
SCRIPT = [(float(second), Command(kind, speed)) for second, kind, speed in (*ASKED, (25, "stand", 0.0))]


@pytest.fixture(scope="module", params=["samples", "captured"])
def walker(request: pytest.FixtureRequest) -> Locomotion:
    """A walker of the embedded clips, including turning ones, and one of CMU 16's."""
    if request.param == "samples":
        names = ("walk", "walk_left", "walk_turn_right", "run", "run_left", "start", "stop", "stand")
        return build_locomotion([sample(name) for name in names])
    folder: Path = request.getfixturevalue("data") / "asf_amc" / "16"
    return build_locomotion([load(path) for path in sorted(folder.glob("*.amc"))])


@pytest.mark.data
@pytest.mark.slow
def test_a_character_that_is_to_go_straight_goes_straight(walker: Locomotion) -> None:
    """From standing through walking to running and back, path and heading stay within 5 degrees."""
    clip = steer_script(walker, SCRIPT, seconds=28).clip
    ground, faces = clip.root_positions[:, [0, 2]], np.degrees(heading(clip))

    def rows(begin: float, end: float) -> slice:
        return slice(round(begin * clip.fps), round(end * clip.fps))

    goes = []
    for begin in (4.0, 9.0, 14.0, 22.5):
        path = ground[rows(begin, begin + 2.2)]
        goes.append(float(np.degrees(np.arctan2(*(path[-1] - path[0])))))
    stands = [float(faces[rows(begin, begin + 1)].mean()) for begin in (0.5, 19.0, 27.0)]
    assert np.ptp(goes) < 5
    assert np.ptp(stands) < 5
    assert max(abs(direction - stands[0]) for direction in goes) < 5


def test_a_straightened_way_has_a_guide_that_does_not_turn() -> None:
    """The guide does not turn whatever the clip turned; a path that is already straight changes little."""
    for name, turned in (("start", 0.0), ("stop", 0.0), ("start", 0.7), ("speed_up", 0.3)):
        clip = sample(name)
        if turned:
            from segue.maths.quaternions import from_yaw, multiply, rotate

            angle = np.linspace(0.0, turned, clip.n_frames)
            rotations = np.array(clip.rotations)
            rotations[:, 0] = multiply(from_yaw(angle), rotations[:, 0])
            steps = rotate(from_yaw(angle[1:]), np.diff(clip.root_positions, axis=0))
            roots = clip.root_positions[0] + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
            clip = clip.with_motion(rotations, roots)
        for path in transition_examples(gait_phases(clip))[0]:
            straight = straightened(path)
            assert np.degrees(np.ptp(guide_heading(straight))) < 1.0
            assert not straight.parameters[:, 1].any()
            before, after = (
                np.linalg.norm(np.diff(one.clip.root_positions, axis=0), axis=1) for one in (path, straight)
            )
            assert after == pytest.approx(before, abs=1e-9)
            if not turned:
                assert np.degrees(np.abs(heading(straight.clip) - heading(path.clip)).max()) < 12.0
