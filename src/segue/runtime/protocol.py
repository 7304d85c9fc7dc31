"""The interface of every live character: start with a seed, step by any time, save and restore its state.

A controller is the only kind of object here that changes. Its output depends only on its seed and the steps it was
asked for, so a run is recorded as those (`Recorder`) and replayed (`replay`) to the same poses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.motion.pose import Pose
from segue.motion.skeleton import Skeleton

Intent = TypeVar("Intent")
Wanted_contra = TypeVar("Wanted_contra", contravariant=True)

LONGEST_STEP = 10.0
"""Seconds. A longer step is taken for a mistake in units, not for a slow machine."""


class Controller(Protocol[Wanted_contra]):
    """One character.

    ``step`` advances by ``dt`` seconds, then returns the pose of that moment, so ``step(0.0)`` right after ``reset``
    returns the first pose. An intent sets what the user wants from now on; without one the previous intent stays in
    force. After the same seed the same steps return the same poses.
    """

    @property
    def skeleton(self) -> Skeleton:
        """Body of every pose."""

    @property
    def fps(self) -> float:
        """Frame rate of the source motion; steps of ``1 / fps`` show its frames unchanged."""

    def reset(self, seed: int = 0) -> None:
        """Restart from a seed."""

    def step(self, dt: float, intent: Wanted_contra | None = None) -> Pose:
        """Advance by ``dt`` seconds, 0 or more, and return the pose."""

    def save(self) -> Any:
        """Return the state for `restore`; later steps of the controller do not change it."""

    def restore(self, state: Any) -> None:
        """Restore a state that `save` of such a controller returned."""


@dataclass(frozen=True)
class Recording(Generic[Intent]):
    """A run: its seed, and the seconds and intent of each step (None for no new intent).

    Examples
    --------
    >>> Recording(7, ((0.0, None), (0.02, {"speed": 1.5}))).document()["steps"]
    [[0.0, None], [0.02, {'speed': 1.5}]]
    """

    seed: int
    steps: tuple[tuple[float, Intent | None], ...]

    def document(self) -> dict[str, Any]:
        """Return a JSON document; intents are mappings or dataclasses of plain values."""
        return {"seed": self.seed, "steps": [[dt, _plain(intent)] for dt, intent in self.steps]}

    @staticmethod
    def of(document: Mapping[str, Any], intent: Callable[..., Intent] = dict) -> Recording[Intent]:  # type: ignore[assignment]
        """Return the recording of a document; ``intent`` makes an intent from its fields, as a dataclass does.

        Raises
        ------
        SettingError
            If the document is not a recording.
        """
        try:
            steps = tuple(
                (float(dt), None if fields is None else intent(**fields)) for dt, fields in document["steps"]
            )
            return Recording(int(document["seed"]), steps)
        except (KeyError, TypeError, ValueError) as error:
            msg = f"is not a recording ({error!r}); a recording has a seed, and steps of seconds and an intent or null"
            raise SettingError(msg) from None


def _plain(intent: Any) -> Any:
    return asdict(intent) if is_dataclass(intent) and not isinstance(intent, type) else intent


class Recorder(Generic[Intent]):
    """A controller that records its calls and passes them to another controller.

    Examples
    --------
    >>> import segue
    >>> from segue.runtime.graph_player import GraphPlayer
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    >>> live = Recorder(GraphPlayer(graph))
    >>> live.reset(seed=3)
    >>> seen = [live.step(0.01).root_position for _ in range(50)]
    >>> again = [pose.root_position for pose in replay(GraphPlayer(graph), live.recording)]
    >>> bool(np.array_equal(seen, again))
    True
    """

    def __init__(self, controller: Controller[Intent]) -> None:
        self.controller = controller
        self.reset()

    @property
    def skeleton(self) -> Skeleton:
        """Body of the wrapped controller."""
        return self.controller.skeleton

    @property
    def fps(self) -> float:
        """Frame rate of the wrapped controller."""
        return self.controller.fps

    @property
    def recording(self) -> Recording[Intent]:
        """Steps and intents since the last reset or restore."""
        return Recording(self._seed, tuple(self._steps))

    def reset(self, seed: int = 0) -> None:
        """Restart with an empty recording."""
        self.controller.reset(seed)
        self._seed = seed
        self._steps: list[tuple[float, Intent | None]] = []

    def step(self, dt: float, intent: Intent | None = None) -> Pose:
        """Take a step and record it; a refused step is not recorded."""
        pose = self.controller.step(dt, intent)
        self._steps.append((float(dt), intent))
        return pose

    def save(self) -> Any:
        """Return the state of the wrapped controller and the recording so far."""
        return (self.controller.save(), self._seed, tuple(self._steps))

    def restore(self, state: Any) -> None:
        """Restore a state and its recording."""
        inner, self._seed, steps = state
        self.controller.restore(inner)
        self._steps = list(steps)


def replay(controller: Controller[Intent], recording: Recording[Intent]) -> Iterator[Pose]:
    """Yield the poses of a recorded run."""
    controller.reset(recording.seed)
    for dt, intent in recording.steps:
        yield controller.step(dt, intent)


def played(
    controller: Controller[Intent],
    *,
    seconds: float,
    fps: float | None = None,
    intent: Intent | None = None,
    name: str = "live",
) -> Clip:
    """Step a controller and return its poses as a clip: ``round(seconds * fps) + 1`` frames from now.

    Parameters
    ----------
    controller
        The controller to step; it is left at the last pose.
    seconds
        Duration.
    fps
        Poses a second; the controller's own rate by default.
    intent
        Passed with the first step.
    name
        Name of the clip.

    Raises
    ------
    SettingError
        If the duration is negative, or the rate is not a positive number.
    """
    rate = controller.fps if fps is None else fps
    if not (np.isfinite(rate) and rate > 0 and np.isfinite(seconds) and seconds >= 0):
        msg = f"{seconds} s at {rate} poses a second cannot be played; give a time from 0 and a positive rate"
        raise SettingError(msg)
    poses = [controller.step(0.0, intent)]
    poses += [controller.step(1.0 / rate) for _ in range(round(seconds * rate))]
    return Clip(
        controller.skeleton,
        np.stack([pose.rotations for pose in poses]),
        np.stack([pose.root_position for pose in poses]),
        rate,
        name=name,
    )


def check_step(dt: float) -> None:
    """Raise an error for a step that cannot be taken; every controller calls this.

    Raises
    ------
    SettingError
        If ``dt`` is not 0 to `LONGEST_STEP` seconds.

    Examples
    --------
    >>> check_step(1 / 60)
    """
    if not 0.0 <= dt <= LONGEST_STEP:
        msg = f"a step of {dt} s is not possible; give 0 to {LONGEST_STEP:g} seconds"
        raise SettingError(msg)
