"""Many steered characters in one call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.accel.layouts import named
from segue.arrays import Floats, aligned
from segue.errors import SettingError
from segue.locomotion.model import Locomotion
from segue.motion.pose import Pose
from segue.runtime.protocol import check_step
from segue.runtime.standing import _kernels as k
from segue.runtime.steered.packing import SteerSettings, packed
from segue.runtime.steered.player import (
    Command,
    Standing,
    command_array,
    first_command,
    first_state,
    standing_of,
)


class Crowd:
    """Characters of one model, stepped together, with the same poses as one by one.

    Parameters
    ----------
    model
        Model built from clips.
    count
        Number of characters.
    settings
        Settings of all characters.
    seed
        Sets the phases and places at which they start.
    spread
        Side in metres of the square in which they start.

    Raises
    ------
    SettingError
        If there is no character.

    Examples
    --------
    >>> import segue
    >>> from segue.locomotion.build import build_locomotion
    >>> crowd = Crowd(build_locomotion([segue.sample("walk")]), 5)
    >>> crowd.step(1 / 30).shape == (5, 4 * crowd.model.skeleton.n_joints + 3)
    True
    """

    def __init__(
        self,
        model: Locomotion,
        count: int,
        settings: SteerSettings | None = None,
        *,
        seed: int = 0,
        spread: float = 0.0,
    ) -> None:
        from segue.runtime.steered._kernels import step_many

        if count < 1:
            msg = f"a crowd has at least one character, not {count}"
            raise SettingError(msg)
        self.model = model
        self._step_many = step_many
        self._packed = packed(model, settings or SteerSettings())
        command = command_array(model, first_command(model))
        self._states = aligned((count, self._packed.state_size), np.float64)
        self._states[:] = first_state(model, self._packed, command)
        self._commands = np.tile(command, (count, 1))
        if spread > 0.0:
            chance = np.random.default_rng(seed)
            now = named(k.STATE, self._states)
            now["x"], now["z"] = chance.uniform(-spread / 2, spread / 2, (count, 2)).T
            now["heading"] = chance.uniform(-np.pi, np.pi, count)
            node = model.nodes[int(now["node"][0])].set
            now["at"] = chance.uniform(0, node.n_intervals, count)

    def __len__(self) -> int:
        """Return the number of characters."""
        return len(self._states)

    def command(self, character: int, command: Command) -> None:
        """Give one character a command."""
        self._commands[character] = command_array(self.model, command)

    def command_all(self, commands: Sequence[Command]) -> None:
        """Give every character a command."""
        if len(commands) != len(self):
            msg = f"{len(self)} characters need as many commands, not {len(commands)}"
            raise SettingError(msg)
        for character, command in enumerate(commands):
            self.command(character, command)

    def step(self, dt: float) -> Floats:
        """Advance by ``dt`` seconds; return poses (C, 4J + 3): local rotations by joint, then the root in metres."""
        check_step(dt)
        out = np.empty((len(self), 4 * self.model.skeleton.n_joints + 3))
        self._step_many(self._packed.data, self._packed.index, self._states, self._commands, dt, out)
        return out

    def pose(self, row: Floats) -> Pose:
        """Return one row of the result of `step` as a `Pose`."""
        last = 4 * self.model.skeleton.n_joints
        return Pose(self.model.skeleton, row[:last].reshape(-1, 4), row[last:])

    def standing(self, character: int) -> Standing:
        """Return the current values of one character."""
        return standing_of(self.model, self._states[character])
