"""Example motions: stretches of clips with their type, named parameters and keytimes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Bools, Floats, frozen
from segue.motion.clip import Clip

STAND, WALK, RUN = "stand", "walk", "run"
PARAMETERS: tuple[str, ...] = ("speed", "turn")
"""Parameters of every example: metres a second, and radians a second to the left."""

Events = tuple[str, ...]

CYCLES: dict[str, Events] = {
    WALK: ("left strike", "right off", "right strike", "left off"),
    RUN: ("left strike", "left off", "right strike", "right off"),
}
"""Order of events that makes a cycle: walking has double support, running has flight."""


@dataclass(frozen=True)
class ExampleQuality:
    """Quality of an example.

    Parameters
    ----------
    closure
        Radians a joint, root mean square: difference between the poses at the end and at the start.
    residual
        Metres of the root's trace from its arc, root mean square.
    steadiness
        Change of speed between its halves, as a share of its speed.
    """

    closure: float
    residual: float
    steadiness: float

    @property
    def score(self) -> float:
        """Score by which to order examples, lower is better: 0.5 rad, 10 cm and a fifth of the speed count the same."""
        return self.closure / 0.5 + self.residual / 0.1 + self.steadiness / 0.2


@dataclass(frozen=True, eq=False)
class Example:
    """One example of a type of motion.

    Parameters
    ----------
    name
        Clip and frames, with ``mirrored`` for a mirror image; unique in a build.
    kind
        Its type: the node it belongs to.
    clip
        Frames of the stretch, first and last keytime included.
    keytimes
        (K,) frames within ``clip``, rising, from 0 to its last frame.
    events
        K event names, one a keytime.
    parameters
        Named numbers, at least `PARAMETERS`.
    planted
        (F, 4) whether left heel, left toe, right heel and right toe are still on the ground.
    floor
        Height in metres of the ground it stands on.
    quality
        Measures of its quality.
    """

    name: str
    kind: str
    clip: Clip
    keytimes: Floats
    events: Events
    parameters: Mapping[str, float]
    planted: Bools
    floor: float
    quality: ExampleQuality

    @property
    def seconds(self) -> float:
        """Duration in seconds."""
        return self.clip.seconds

    def with_(self, **changes: object) -> Example:
        """Return a copy with another name, kind or parameters."""
        return replace(self, **changes)  # type: ignore[arg-type]  # names are the fields'


@dataclass(frozen=True, eq=False)
class TransitionExample:
    """One example transition between types: it shares its first and last intervals with the types.

    Parameters
    ----------
    name
        As of an `Example`.
    source, target
        The types it leads from and to.
    clip, keytimes, events, planted, floor
        As of an `Example`.
    before, after
        Number of intervals between keytimes that it shares with the source at its start and the target at its end.
    from_interval, to_interval
        Interval of the source's cycle in which it starts, and of the target's cycle in which its shared end starts.
    parameters
        (2, P) of `PARAMETERS`, over the parts shared with the source and with the target.
    made
        Whether it was made from two clips because none was captured.
    """

    name: str
    source: str
    target: str
    clip: Clip
    keytimes: Floats
    events: Events
    before: int
    after: int
    from_interval: int
    to_interval: int
    parameters: Floats
    planted: Bools
    floor: float
    made: bool = False

    @property
    def structure(self) -> tuple[object, ...]:
        """Structure that examples must share to be blended."""
        return (self.source, self.target, self.events, self.before, self.after)


CLIP = "clip"
"""Kind of a `LeftOut` that concerns a complete clip, in which no gait was found."""


@dataclass(frozen=True)
class LeftOut:
    """A stretch left out, and why; ``kind`` is its type, two types for a transition, or `CLIP`."""

    name: str
    kind: str
    reason: str


def frozen_keytimes(frames: Floats | list[float]) -> Floats:
    """Return keytimes as a read-only array that starts at 0."""
    values = np.asarray(frames, dtype=np.float64)
    return frozen(values - values[0])
