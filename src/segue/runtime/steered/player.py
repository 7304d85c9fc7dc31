"""One steered character: a command in, a pose out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from segue.accel.layouts import named
from segue.arrays import Floats, aligned
from segue.errors import SettingError
from segue.locomotion.model import Locomotion
from segue.maths.quaternions import normalise
from segue.motion.pose import Pose
from segue.motion.skeleton import Skeleton
from segue.runtime.heights import Ground
from segue.runtime.protocol import check_step
from segue.runtime.standing import _kernels as k
from segue.runtime.steered.footing import Footing, Steps
from segue.runtime.steered.origins import BlendPart, FrameSource, frame_sources, parts_of
from segue.runtime.steered.packing import SteerModel, SteerSettings, in_blocks, packed

REACHED: tuple[str, ...] = ("inside", "outside", "clamped")
"""How the examples reach requested parameters: enclosed by them, extrapolated, or moved to the nearest reachable."""
LARGEST = 1e6
"""Largest magnitude of a number in a command; no body has such a speed, turn or manner."""


@dataclass(frozen=True)
class Command:
    """Command for a steered character: type, speed, turning rate.

    Parameters
    ----------
    kind
        Type of motion, for example ``"walk"``.
    speed
        Metres a second.
    turn
        Radians a second, positive to the left.
    more
        Further parameters by name; those not named stay at their start value, 0.

    Examples
    --------
    >>> Command("walk", speed=1.3).turn
    0.0
    """

    kind: str
    speed: float = 0.0
    turn: float = 0.0
    more: tuple[tuple[str, float], ...] = ()


Wish = Command
"""The former name of `Command`."""


@dataclass(frozen=True)
class Standing:
    """State of a steered character: seconds since the start, type, transition if any, place, heading, parameters.

    ``reached`` is ``"inside"``, ``"outside"`` or ``"clamped"``: how the examples reach the parameters.
    ``parameters`` are the followed ones; ``place`` is x and z of the guide in metres.
    """

    seconds: float
    kind: str
    transition: tuple[str, str] | None
    made: bool
    generic_time: float
    place: tuple[float, float]
    heading: float
    speed: float
    turn: float
    reached: str
    parameters: dict[str, float] = field(default_factory=dict)

    @property
    def way(self) -> tuple[str, str] | None:
        """Former name of ``transition``."""
        return self.transition


class LocomotionPlayer:
    """A live character that is steered by type, speed and turning rate.

    Parameters
    ----------
    model
        Model built from clips.
    settings
        Settings of the character.
    start
        Command at the start; by default that for which the model was first built: standing, if possible.
    ground
        Height of the ground at x and z; flat by default.

    Raises
    ------
    SettingError
        If the start names an unknown type, or the model has more parameters than can be steered.

    Notes
    -----
    Park, Shin, Kim & Shin 2004. Time passes each keytime exactly, so steps may be of any length.

    Examples
    --------
    >>> import segue
    >>> from segue.locomotion.build import build_locomotion
    >>> model = build_locomotion([segue.sample("walk"), segue.sample("walk_slow")])
    >>> player = LocomotionPlayer(model)
    >>> for _ in range(60):
    ...     pose = player.step(1 / 60, Command("walk", speed=1.2))
    >>> player.standing.kind, round(player.standing.speed, 1)
    ('walk', 1.2)
    """

    def __init__(
        self,
        model: Locomotion,
        settings: SteerSettings | None = None,
        *,
        start: Command | None = None,
        ground: Ground | None = None,
    ) -> None:
        from segue.runtime.steered._kernels import step_apart

        self.model = model
        self.settings = settings or SteerSettings()
        self.ground = ground
        self._packed = packed(model, self.settings)
        self._step = step_apart
        self._shape = (model.skeleton.n_joints, 4)
        release = self.settings.release
        self._footing = None if ground is None else Footing(model, ground, self._packed.most, release=release)
        self._start = start or first_command(model)
        self._first = first_state(model, self._packed, command_array(model, self._start))
        self._first_command = command_array(model, self._start)
        self.reset()

    def __repr__(self) -> str:
        now = self.standing
        return f"<LocomotionPlayer in {now.kind!r} at {now.speed:.2f} m/s, turning {now.turn:.2f} rad/s>"

    @property
    def skeleton(self) -> Skeleton:
        """Body of every pose."""
        return self.model.skeleton

    @property
    def fps(self) -> float:
        """Usual frame rate; steps of any other duration work too."""
        return 60.0

    @property
    def standing(self) -> Standing:
        """Current state of the character."""
        return standing_of(self.model, self._state)

    @property
    def parts(self) -> tuple[BlendPart, ...]:
        """Blend sets that made the last pose."""
        return parts_of(self.model, self._state)

    @property
    def sources(self) -> tuple[FrameSource, ...]:
        """Examples that made the last pose, with clip, second and weight, heaviest first."""
        return frame_sources(self.model, self.parts)

    @property
    def command(self) -> Command:
        """Current or pending command."""
        return self._intent

    def reset(self, seed: int = 0) -> None:
        """Restart at the origin, facing +Z; nothing is random: the seed only shifts the phase."""
        self._state = _own(self._first)
        self._command = np.array(self._first_command)
        self._intent = self._start
        if self._footing is not None:
            self._footing.steps = (None, None)
        if seed:
            now = named(k.STATE, self._state)
            node = self.model.nodes[int(now["node"])]
            now["at"] = float(np.random.default_rng(seed).uniform(0, node.set.n_intervals))

    def step(self, dt: float, intent: Command | None = None) -> Pose:
        """Advance by ``dt`` seconds and return the pose; an intent applies from this step on.

        A command for another type is followed as soon as a transition to it may begin, and may be changed or withdrawn
        until then.

        Raises
        ------
        SettingError
            If ``dt`` is negative, not finite or longer than 10 s, or the command names an unknown type.
        """
        check_step(dt)
        if intent is not None and intent is not self._intent:
            self._command = command_array(self.model, intent)
            self._intent = intent
        if self._footing is not None:
            self._footing.feel(self._state, self._command)
        return self._stepped(dt)

    def step_along(self, dt: float, intent: Command, place: tuple[float, float, float]) -> Pose:
        """Advance by ``dt`` seconds with the guide at x, z and heading: for paths (Park et al., eq. 20 and 21)."""
        if intent is not self._intent:
            self._command = command_array(self.model, intent)
            self._intent = intent
        given = named(k.COMMAND, self._command)
        given["given"], (given["given_x"], given["given_z"], given["given_heading"]) = 1.0, place
        try:
            if self._footing is not None:
                self._footing.feel(self._state, self._command)
            return self._stepped(dt)
        finally:
            given["given"] = 0.0

    def save(self) -> tuple[Floats, Floats, Command, Steps]:
        """Return the state for `restore`."""
        steps = (None, None) if self._footing is None else self._footing.steps
        return np.array(self._state), np.array(self._command), self._intent, steps

    def restore(self, state: tuple[Floats, Floats, Command, Steps]) -> None:
        """Restore a state that `save` returned."""
        self._state, self._command, self._intent = _own(state[0]), np.array(state[1]), state[2]
        if self._footing is not None:
            self._footing.steps = state[3]

    def _stepped(self, dt: float) -> Pose:
        turns, root = np.empty(self._shape), np.empty(3)
        laid = self._packed
        self._step(laid.data, laid.index, self._state, self._command, dt, turns, root)
        pose = object.__new__(Pose)  # a frozen dataclass's constructor takes a tenth of the time of a step
        fields = pose.__dict__
        fields["skeleton"], fields["rotations"], fields["root_position"] = self.model.skeleton, turns, root
        return pose


def _own(array: Floats) -> Floats:
    """Copy an array to one that begins on a cache line."""
    copy: Floats = aligned(array.shape, np.float64)
    copy[:] = array
    return copy


def first_command(model: Locomotion) -> Command:
    """Return the command to stand if there is a standing type, else the first type at its median speed."""
    node = model.nodes[0]
    return Command(node.kind, speed=float(np.median(node.set.parameters[:, 0])))


def command_array(model: Locomotion, command: Command) -> Floats:
    """Return a command as the kernels read it.

    Raises
    ------
    SettingError
        If it names an unknown type, a parameter that the model lacks, or a number beyond `LARGEST`.
    """
    out = np.zeros(k.WANTED + len(model.parameters))
    named(k.COMMAND, out)["kind"] = model.index(command.kind)
    out[k.WANTED], out[k.WANTED + 1] = command.speed, command.turn
    for name, value in command.more:
        if name not in model.parameters[2:]:
            msg = f"the model has no parameter {name!r}; it has {', '.join(model.parameters)}"
            raise SettingError(msg)
        out[k.WANTED + model.parameters.index(name)] = value
    if not np.all(np.abs(out) <= LARGEST):
        msg = f"a command holds finite numbers up to {LARGEST:g}, not {command}"
        raise SettingError(msg)
    return out


def reach_of(model: Locomotion, command: Command) -> str:
    """Return how the examples of a command's type reach it, whatever the character's state: a word of `REACHED`.

    Raises
    ------
    SettingError
        As `command_array`.
    """
    from segue.maths.scattered import nearest_reachable

    fitted = model.nodes[model.index(command.kind)].set.weights
    return nearest_reachable(fitted, command_array(model, command)[k.WANTED :])[1]


def first_state(model: Locomotion, laid: SteerModel, command: Floats) -> Floats:
    """Return the state of a character at the origin that plays a command, with its first reference.

    The first reference of a joint is the weighted mean of the examples' rotations: the eigenvector of the
    largest eigenvalue of the weighted sum of ``q q^T``.
    """
    from segue.maths.scattered import nearest_reachable, pose_weights

    state = aligned((laid.state_size,), np.float64)
    begun, kind = named(k.STATE, state), int(named(k.COMMAND, command)["kind"])
    node = model.nodes[kind].set
    place, _ = nearest_reachable(node.weights, command[k.WANTED :])
    begun["node"], begun["place"][: len(place)] = kind, place
    weights = pose_weights(node.weights, place)
    begun["ahead"], begun["turn"] = (float(weights @ node.beside[0, :, column]) for column in (4, 5))
    mean = mean_rotations(node.rotations[0], weights)
    at = k.ROOM + 2 * laid.most
    refs = state[at : at + 12 * laid.padded].reshape(3, -1)
    refs[:] = in_blocks(mean, laid.padded).ravel()
    return state


def mean_rotations(rotations: Floats, weights: Floats) -> Floats:
    """Compute the weighted mean (4, J) of rotations (N, 4, J) as the main eigenvector of the sum of ``q q^T``."""
    outer = np.einsum("n,naj,nbj->jab", weights, rotations, rotations)
    _, vectors = np.linalg.eigh(outer)
    mean = vectors[:, :, -1]
    side = np.where(np.sum(mean * rotations[0].T, axis=1) < 0, -1.0, 1.0)
    return np.asarray(normalise(mean * side[:, None]).T)


def standing_of(model: Locomotion, state: Floats) -> Standing:
    """Return the current values of a character from its state array."""
    now = named(k.STATE, state)
    transition = model.transitions[int(now["transition"])] if now["mode"] else None
    names = (
        None
        if transition is None
        else (model.nodes[transition.source].kind, model.nodes[transition.target].kind)
    )
    place = now["place"][: len(model.parameters)]
    return Standing(
        float(now["seconds"]),
        model.nodes[int(now["node"])].kind,
        names,
        transition is not None and transition.made,
        float(now["at"] if transition is None else now["transition_at"]),
        (float(now["x"]), float(now["z"])),
        float(now["heading"]),
        float(now["ahead"]),
        float(now["turn"]),
        REACHED[int(now["reached"])],
        dict(zip(model.parameters, place.tolist(), strict=True)),
    )
