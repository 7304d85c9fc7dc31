"""A live character: a controller stepped tick by tick, with a recording from which its motion is made again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from segue.errors import SettingError
from segue.motion.clip import Clip, Origin
from segue.motion.pose import Pose
from segue.runtime.protocol import Controller, Recording, replay

Intent = TypeVar("Intent")
LONGEST = 3600.0
"""Most seconds of a run that are recorded."""


@dataclass
class _Steps(Generic[Intent]):
    """Consecutive steps of one length; only the first may have an intent."""

    count: int
    dt: float
    intent: Intent | None


class LiveCharacter(Generic[Intent]):
    """One steered character.

    Parameters
    ----------
    make
        Makes the controller; called again when a run is rendered as a motion.
    seed
        Seed of the controller.
    sources
        Names of clips that may be shown.
    shown
        Returns the name of the clip that the controller shows most now.

    Examples
    --------
    >>> import segue
    >>> from segue.runtime.graph_player import GraphPlayer
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    >>> live = LiveCharacter(lambda: GraphPlayer(graph), seed=2)
    >>> seen = [live.tick(1 / 60) for _ in range(30)]
    >>> bool((live.motion().root_positions[-1] == seen[-1].root_position).all())
    True
    """

    def __init__(
        self,
        make: Callable[[], Controller[Intent]],
        *,
        seed: int = 0,
        sources: tuple[str, ...] = (),
        shown: Callable[[Any], str] | None = None,
    ) -> None:
        self._make, self.seed = make, seed
        self.controller = make()
        self.controller.reset(seed)
        self.sources = sources
        self._shown = shown
        self._numbers = {name: number for number, name in enumerate(sources)}
        self._rows: list[_Steps[Intent]] = []
        self._given: Intent | None = None
        self.seconds = 0.0
        self.ticks = 0

    def want(self, intent: Intent) -> None:
        """Set the intent from the next tick on."""
        self._given = intent

    def tick(self, dt: float) -> Pose:
        """Advance by ``dt`` seconds; the first tick returns the pose at the start.

        Raises
        ------
        SettingError
            If the intent is impossible; it is then dropped.
        """
        intent, self._given = self._given, None
        if not self.ticks:
            dt = 0.0
        pose = self.controller.step(dt, intent)
        self.ticks += 1
        self.seconds += dt
        if self.seconds <= LONGEST:
            row = self._rows[-1] if self._rows else None
            if row is not None and intent is None and row.dt == dt:
                row.count += 1
            else:
                self._rows.append(_Steps(1, dt, intent))
        return pose

    @property
    def shown(self) -> int:
        """Index into ``sources`` of the clip shown most, or -1."""
        if self._shown is None:
            return -1
        return self._numbers.get(self._shown(self.controller), -1)

    @property
    def recording(self) -> Recording[Intent]:
        """Recording of the run so far."""
        steps: list[tuple[float, Intent | None]] = []
        for row in self._rows:
            steps.append((row.dt, row.intent))
            steps += [(row.dt, None)] * (row.count - 1)
        return Recording(self.seed, tuple(steps))

    @property
    def rows(self) -> list[list[Any]]:
        """Summary of the run, one row per stretch: number of steps, seconds of each, and the intent of the first."""
        steps = [Recording(self.seed, ((row.dt, row.intent),)).document()["steps"][0] for row in self._rows]
        return [[row.count, *step] for row, step in zip(self._rows, steps, strict=True)]

    def motion(self, name: str = "live run") -> Clip:
        """Render the run so far as a clip of one pose per tick.

        Raises
        ------
        SettingError
            If nothing was shown yet.
        """
        return self.played(self.recording, name)

    def played(self, recording: Recording[Intent], name: str = "live run") -> Clip:
        """Play a recording on a new controller, as a clip of one pose per tick.

        Raises
        ------
        SettingError
            If the recording has no duration.
        """
        dt = max((step for step, _ in recording.steps), default=0.0)
        if len(recording.steps) < 2 or dt <= 0.0:
            raise SettingError(
                "nothing is recorded yet; let the character move for a moment, then save the run"
            )
        poses, shown = [], []
        controller = self._make()
        for pose in replay(controller, recording):
            poses.append((pose.rotations, pose.root_position))
            shown.append(-1 if self._shown is None else self._numbers.get(self._shown(controller), -1))
        known = [number for number in shown if number >= 0]
        for k, number in enumerate(shown):
            shown[k] = number if number >= 0 or not known else shown[k - 1] if k else known[0]
        origin = self._origin(np.array(shown)) if known else Origin.of(name, len(poses))
        return Clip(
            controller.skeleton,
            np.stack([rotations for rotations, _ in poses]),
            np.stack([root for _, root in poses]),
            1.0 / dt,
            name=name,
            origin=origin,
        )

    def _origin(self, shown: Any) -> Origin:
        """Origin with the clip that each frame shows most; a blend of many clips has no single source frame."""
        frames = np.arange(len(shown), dtype=np.float64)
        none = np.zeros(len(shown))
        return Origin(
            self.sources,
            np.column_stack([shown, none - 1]).astype(np.int64),
            np.column_stack([frames, none]),
            np.column_stack([none + 1, none]),
        )
