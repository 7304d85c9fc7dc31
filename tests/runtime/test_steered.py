"""Laws of steered characters: steps, states, crowds, changing wishes, feet that stay, uneven ground."""

from __future__ import annotations

import numpy as np
import pytest

from segue.errors import SettingError
from segue.maths.quaternions import half_angle
from segue.runtime.protocol import Recorder, replay
from segue.runtime.standing import _kernels as k
from segue.runtime.steered.crowd import Crowd
from segue.runtime.steered.packing import SteerSettings
from segue.runtime.steered.player import Command, LocomotionPlayer
from steered_models import small_model


@pytest.mark.slow
def test_it_reaches_the_speed_and_turning_rate_wished_for() -> None:
    """After a start the guide has the wished speed and turning rate; where it cannot, it reports so."""
    player = LocomotionPlayer(small_model())
    for _ in range(50):
        player.step(0.1, Command("walk", speed=1.1, turn=0.15))
    now = player.standing
    assert (now.kind, now.way, now.reached) == ("walk", None, "inside")
    assert (round(now.speed, 6), round(now.turn, 6)) == (1.1, 0.15)
    for _ in range(20):
        player.step(0.1, Command("walk", speed=40.0))
    assert player.standing.reached == "clamped"
    assert player.standing.speed < 4.0


def test_two_half_steps_are_one() -> None:
    """With the same wish, half as long steps lead to nearly the same place and pose."""
    ends = []
    for parts in (1, 2):
        player = LocomotionPlayer(small_model())
        for _ in range(90 * parts):
            pose = player.step(1 / 30 / parts, Command("walk", speed=1.2))
        ends.append((pose, player.standing))
    (one, at_one), (two, at_two) = ends
    assert np.abs(one.root_position - two.root_position).max() < 0.01
    assert half_angle(one.rotations, two.rotations).max() < 0.02
    assert at_one.generic_time == pytest.approx(at_two.generic_time, abs=0.02)


def test_a_saved_state_goes_on_bit_for_bit() -> None:
    """A restored character, or a replayed recording, has the same poses."""
    player = Recorder(LocomotionPlayer(small_model()))
    commands = [Command("walk", speed=1.1)] * 20 + [Command("stand")] * 20
    first = [player.step(1 / 20, command) for command in commands[:25]]
    state = player.save()
    then = [player.step(1 / 20, command) for command in commands[25:]]
    player.restore(state)
    again = [player.step(1 / 20, command) for command in commands[25:]]
    assert all(np.array_equal(a.rotations, b.rotations) for a, b in zip(then, again, strict=True))
    played = list(replay(LocomotionPlayer(small_model()), player.recording))
    for a, b in zip([*first, *then], played, strict=True):
        assert np.array_equal(a.rotations, b.rotations)
        assert np.array_equal(a.root_position, b.root_position)


def test_a_crowd_is_its_characters_one_by_one() -> None:
    """Stepping in a batch gives the same numbers as stepping alone."""
    model = small_model()
    crowd = Crowd(model, 3)
    alone = [LocomotionPlayer(model) for _ in range(3)]
    commands = [Command("walk", speed=1.0), Command("walk", speed=1.1, turn=0.3), Command("stand")]
    crowd.command_all(commands)
    for _ in range(15):
        together = crowd.step(0.1)
        for row, player, command in zip(together, alone, commands, strict=True):
            pose = player.step(0.1, command)
            assert np.array_equal(crowd.pose(row).rotations, pose.rotations)
            assert np.array_equal(crowd.pose(row).root_position, pose.root_position)


def test_a_wish_may_be_withdrawn_before_its_way_begins() -> None:
    """A request that has not begun leaves no trace."""
    model = small_model()
    one, other = LocomotionPlayer(model), LocomotionPlayer(model)
    walk = Command("walk", speed=1.1)
    for _ in range(60):
        one.step(0.05, walk)
        other.step(0.05, walk)
    one.step(0.0, walk)
    other.step(0.0, Command("walk", speed=1.1))
    assert np.array_equal(one.step(0.05, walk).rotations, other.step(0.05, walk).rotations)


def test_planted_feet_do_not_move() -> None:
    """A heel or toe on the ground in two consecutive frames stays in place."""
    player = LocomotionPlayer(small_model())
    before = None
    for number in range(240):
        player.step(1 / 60, Command("walk", speed=1.2, turn=0.1 if number > 120 else 0.0))
        rows = player._state[k.FEET : k.FEET + 2 * k.FOOT_ROW].reshape(2, k.FOOT_ROW)
        now = [(row[k.WAS : k.WAS + 2] > 0, row[k.HELD : k.HELD + 6].reshape(2, 3).copy()) for row in rows]
        for (down, places), (was, held) in zip(now, before or now, strict=True):
            part = 1 if down[1] and was[1] else 0
            if down[part] and was[part]:
                assert np.abs((places - held)[part, [0, 2]]).max() < 1e-9
        before = now


def test_uneven_ground_lifts_feet_and_root() -> None:
    """On a slope the character climbs with the slope."""
    player = LocomotionPlayer(small_model(), ground=lambda x, z: 0.1 * z)
    flat = LocomotionPlayer(small_model())
    for _ in range(300):
        pose, level = (one.step(1 / 60, Command("walk", speed=1.2)) for one in (player, flat))
    assert pose.root_position[1] - level.root_position[1] == pytest.approx(
        0.1 * pose.root_position[2], abs=0.06
    )


def test_told_where_to_be_the_root_is_there() -> None:
    """Along a path the root stays within a centimetre of it (ground plane)."""
    player = LocomotionPlayer(small_model())
    command = Command("walk", speed=1.2)
    for number in range(200):
        pose = player.step_along(1 / 60, command, (0.0, 0.02 * number, 0.0))
        assert abs(pose.root_position[0]) < 0.01


@pytest.mark.parametrize("dt", [-0.1, 11.0, float("nan")])
def test_steps_have_a_sensible_length(dt: float) -> None:
    """A negative time is refused, and so is a step of minutes, a mistake in units."""
    with pytest.raises(SettingError, match="a step of"):
        LocomotionPlayer(small_model()).step(dt)


def test_wishes_that_cannot_be_are_refused() -> None:
    """An unknown type, an unknown parameter and an invalid number give one sentence each, and nothing changes."""
    player = LocomotionPlayer(small_model())
    with pytest.raises(SettingError, match="no motion of type 'wlak'"):
        player.step(0.1, Command("wlak"))
    with pytest.raises(SettingError, match="no parameter 'mood'"):
        player.step(0.1, Command("walk", more=(("mood", 1.0),)))
    with pytest.raises(SettingError, match="finite numbers"):
        player.step(0.1, Command("walk", speed=float("inf")))
    assert player.standing.seconds == 0.0


def test_settings_are_checked() -> None:
    with pytest.raises(SettingError, match="agility"):
        SteerSettings(agility=0.0)
    with pytest.raises(SettingError, match="at least one character"):
        Crowd(small_model(), 0)


def test_a_stand_says_that_it_does_not_turn() -> None:
    """A request to stand and turn gives a stand, and its frames report that the examples do not reach it."""
    player = LocomotionPlayer(small_model())
    for _ in range(60):
        player.step(1 / 30, Command("stand", turn=1.0))
    now = player.standing
    assert (now.kind, now.reached) == ("stand", "clamped")
    assert abs(now.heading) < 0.01
