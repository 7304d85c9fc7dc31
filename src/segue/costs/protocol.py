"""The interface of every cost, and of a clip prepared for one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from segue.arrays import Costs, Floats, Ints, Positions, frozen
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.summaries import one_line

DTYPES = ("float32", "float64")


@dataclass(frozen=True, eq=False)
class Cloud:
    """Sample points of a clip at a cost's rate.

    Parameters
    ----------
    points
        (F, P, 3) world positions in metres.
    segments
        P names: the body part of each point.
    scale
        Factor that scales the body to the reference stature.
    """

    points: Positions
    segments: tuple[str, ...]
    scale: float

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Names of the body parts, each once, sorted."""
        return tuple(sorted(set(self.segments)))

    @cached_property
    def part_places(self) -> Positions:
        """Mean position (F, S, 3) of each of `parts`, scaled to the reference body."""
        places = [
            self.points[:, [name == part for name in self.segments]].mean(axis=1) for part in self.parts
        ]
        return frozen(self.scale * np.stack(places, axis=1))


@one_line
@dataclass(frozen=True, eq=False)
class Prepared:
    """One clip prepared for one cost: computed once, compared with any number of clips.

    Parameters
    ----------
    name, fps, n_frames
        Of the source clip.
    rate
        Frames a second of the cost.
    half_window
        Cost frames on either side of a row's centre; row 0 is cost frame ``half_window``.
    frames
        (n,) frame of the source clip, at its own rate, for each row or column.
    cloud
        World points used for alignments.
    features
        Arrays of the cost that prepared the clip.
    ahead
        Further cost frames after the half window that a moment needs.
    """

    name: str
    fps: float
    n_frames: int
    rate: float
    half_window: int
    frames: Ints
    cloud: Cloud
    features: Mapping[str, Any]
    ahead: int = 0

    @property
    def n(self) -> int:
        """Number of rows or columns: 0 if the clip is shorter than the window."""
        return int(self.frames.size)

    @property
    def first(self) -> int:
        """Cost frame of row 0."""
        return self.half_window

    @property
    def needed_frames(self) -> int:
        """Frames at the cost's rate that one row needs."""
        return 2 * self.half_window + 1 + self.ahead

    @property
    def cost_frames(self) -> int:
        """Frames of the clip at the cost's rate that its rows and their windows use."""
        return self.n + self.needed_frames - 1

    def too_short(self) -> str | None:
        """Return a sentence naming the clip, its frames and the window if the clip gives no row."""
        if self.n:
            return None
        have = self.cloud.points.shape[0]
        return (
            f"clip {self.name!r} has {have} frames at {self.rate:g} a second, "
            f"the window needs {self.needed_frames}: skipped"
        )


@runtime_checkable
class Cost(Protocol):
    """Measure of how unlike two moments of two clips are.

    A cost is a frozen dataclass of settings. Its docstring states unit, range, symmetry and invariances; the
    contract suite tests them for every registered name.
    """

    name: ClassVar[str]
    """Name in the registry."""

    @property
    def rate(self) -> float:
        """Frames a second at which clips are compared."""

    @property
    def half_window(self) -> int:
        """Cost frames compared on either side of a moment."""

    def prepare(self, clip: Clip) -> Prepared:
        """Resample a clip and compute everything that does not depend on the other clip."""

    def matrix(self, a: Prepared, b: Prepared) -> Costs:
        """Costs (N, M) of every moment of one clip against every moment of another."""

    def pairs(self, a: Prepared, b: Prepared, rows: Ints, columns: Ints) -> Floats:
        """Costs (K,) of chosen cells, each from its definition in float64."""

    def alignment(self, a: Prepared, b: Prepared, row: int, column: int) -> PlanarMotion:
        """Ground motion that places clip b onto clip a so that two moments coincide best.

        Rows and columns up to a half window outside the matrix are moments near the ends of the clips.
        """


def reach(cost: Cost) -> tuple[int, int]:
    """Cost frames that a moment needs before and after it; some costs look further ahead than back."""
    return cost.half_window, cost.half_window + int(getattr(cost, "ahead", 0))


def check_rate(rate: float) -> None:
    """Refuse a rate that is not a number of frames a second, up to 1000."""
    if not 0 < rate <= 1000:
        msg = f"a cost cannot work at {rate} frames a second; the rate must be positive, up to 1000 (default 30)"
        raise SettingError(msg)


def check_word(what: str, word: str, known: tuple[str, ...]) -> None:
    """Refuse a setting that is not one of the known words."""
    if word not in known:
        msg = f"{what} {word!r} is not known; it can be {', '.join(map(repr, known))}"
        raise SettingError(msg)


def source_frames(clip: Clip, rate: float, *, first: int, count: int) -> Ints:
    """Nearest source frame (count,) of cost frames ``first``, ``first + 1`` ..."""
    at = np.rint((first + np.arange(count)) * (clip.fps / rate))
    return frozen(np.minimum(at, clip.n_frames - 1), np.int64)
