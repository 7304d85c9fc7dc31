"""Feet on uneven ground: landing places are predicted, and feet lie as the ground requires."""

from __future__ import annotations

import numpy as np
import pytest

from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.motion.feet import foot_points, foot_positions
from segue.motion.kinematics import world
from segue.runtime.heights import Ground, HeightGrid, bumps, slope, stairs
from segue.runtime.standing import _kernels as k
from segue.runtime.steered.footing import landing
from segue.runtime.steered.player import Command, LocomotionPlayer
from steered_models import small_model

FPS = 60
pytestmark = pytest.mark.slow  # hundreds of steps


def on(ground: Ground, seconds: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Walk: heights of heels and toes (F, 4) over the ground, their movement in a frame, and which parts carry."""
    player = LocomotionPlayer(small_model(), ground=ground, start=Command("walk", speed=1.2))
    poses, carries = [], []
    for _ in range(round(seconds * FPS)):
        poses.append(player.step(1 / FPS))
        rows = player.save()[0][k.FEET : k.FEET + 2 * k.FOOT_ROW].reshape(2, k.FOOT_ROW)
        toes = rows[:, k.WAS + 1] > 0
        carries.append(np.column_stack([(rows[:, k.WAS] > 0) & ~toes, toes]).ravel())
    clip = Clip(
        player.skeleton,
        np.array([pose.rotations for pose in poses]),
        np.array([pose.root_position for pose in poses]),
        FPS,
        name="walked",
    )
    feet = foot_positions(clip.skeleton, world(clip))
    level = np.array([[ground(float(x), float(z)) for x, _, z in row] for row in feet])
    over = feet[:, :, 1] - level - foot_points(clip.skeleton).rest_heights
    moves = np.linalg.norm(np.diff(feet, axis=0), axis=2)
    both = np.array(carries)[1:] & np.array(carries)[:-1]
    return over, np.where(both, moves, 0.0), both


def test_where_a_foot_comes_down_is_foreseen() -> None:
    """In mid step the predicted place and moment are those of the actual landing."""
    player = LocomotionPlayer(small_model(), start=Command("walk", speed=1.2, turn=0.1))
    given, seen, before, errors = None, 0.0, False, []
    for number in range(300):
        player.step(1 / FPS)
        row = player.save()[0][k.FEET : k.FEET + k.FOOT_ROW]
        down = bool(row[k.WAS] or row[k.WAS + 1])
        if not down and given is None and before is False and row[k.KNOWN]:
            given, seen = landing(small_model(), player.save()[0], player._packed.most, 0), number / FPS
        if down and given is not None:
            away = np.hypot(row[k.GOAL] - given.x, row[k.GOAL + 2] - given.z)
            errors.append((away, abs(number / FPS - seen - given.seconds[-1])))
        given, before = (None if down else given), down
    assert len(errors) >= 3
    assert max(away for away, _ in errors) < 0.03
    assert max(late for _, late in errors) < 0.04


@pytest.mark.parametrize("ground", [slope(np.radians(8)), slope(np.radians(-8)), bumps(0.16, 2.5)])
def test_planted_feet_lie_on_the_ground(ground: Ground) -> None:
    """Carrying parts are within centimetres of the ground and as still as on level ground."""
    over, moves, both = on(ground, 6.0)
    flat = on(lambda x, z: 0.0, 6.0)[0]
    near, meant = (np.abs(one[1:])[both] for one in (over, flat))
    assert np.median(near) < np.median(meant) + 0.01
    assert np.percentile(near, 95) < np.percentile(meant, 95) + 0.015
    assert moves.max() < 0.001


def test_stairs_are_climbed() -> None:
    """No carrying part sinks into a step, and it is still; a toe may project over the edge."""
    over, moves, both = on(stairs(0.15, 0.6), 6.0)
    assert over[1:][both].min() > -0.01
    assert moves.max() < 0.001
    assert np.median(np.abs(over[1:][both])) < 0.01


def test_feet_tilt_as_the_ground() -> None:
    """On a hill heel and toe of a flat foot lie along the slope."""
    player = LocomotionPlayer(small_model(), ground=slope(np.radians(10)), start=Command("walk", speed=1.2))
    tilts = []
    for number in range(360):
        player.step(1 / FPS)
        row = player.save()[0][k.FEET : k.FEET + k.FOOT_ROW]
        if number > 180 and row[k.WAS] and row[k.WAS + 1]:
            tilts.append(np.degrees(row[k.TILT]))
    assert np.abs(np.array(tilts) - 10.0).max() < 1.0


def test_a_state_is_whole_in_mid_step() -> None:
    """Restored with a foot in the air over uneven ground, a character continues bit for bit."""
    player = LocomotionPlayer(small_model(), ground=bumps(0.2, 2.0), start=Command("walk", speed=1.2))
    for _ in range(75):
        player.step(1 / FPS)
    state = player.save()
    then = [player.step(1 / FPS).root_position for _ in range(20)]
    for _ in range(30):
        player.step(1 / FPS)
    player.restore(state)
    assert np.array_equal(then, [player.step(1 / FPS).root_position for _ in range(20)])


def test_grounds_are_checked() -> None:
    """Too steep slopes, too high steps and grids with holes are refused."""
    for make in (lambda: slope(1.0), lambda: stairs(2.0, 0.3), lambda: bumps(1.0, 1.0)):
        with pytest.raises(SettingError):
            make()
    for places in ([1.0, 0.0], [0.0, np.nan], [0.0, np.inf]):
        with pytest.raises(SettingError, match="two or more rising x and z"):
            HeightGrid.of([0.0, 1.0], places, [[0.0, 0.0], [0.0, 0.0]])
