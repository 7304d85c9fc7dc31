"""A clip: one motion of one skeleton at one frame rate, with the origin of each frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import FARTHEST, Bools, Floats, Ints, Positions, Quaternions, frozen
from segue.displays import Displayed
from segue.errors import SettingError
from segue.motion.pose import Pose
from segue.motion.skeleton import Skeleton
from segue.summaries import listed
from segue.texts import well_formed

_ROUNDING = 1e-6  # frames; a frame nearer to the end of a cycle than this is its beginning

SLOWEST, FASTEST = 1e-4, 1e5
"""Lowest and highest valid frame rate, in frames a second."""


@dataclass(frozen=True, eq=False)
class Origin:
    """Origin of each frame of a made motion: up to two source frames and their weights.

    Parameters
    ----------
    clips
        Names of the source clips.
    clip
        (F, 2) index into ``clips``; -1 if there is no second source.
    frame
        (F, 2) frame of that source, at the source's own rate; fractional after resampling.
    weight
        (F, 2) blend weight; rows sum to 1.
    periods
        (C,) frames of one cycle of each source clip, 0 if it is not cyclic; empty if none is. A cyclic source continues
        at its beginning after its end: its frames are modulo the period.

    Raises
    ------
    SettingError
        If the number of periods is neither 0 nor that of the clips, or a period is negative or not finite.

    Examples
    --------
    >>> origin = Origin.of("walk", 100).take([40, 41])
    >>> origin.clips, origin.frame[:, 0].tolist()
    (('walk',), [40.0, 41.0])
    """

    clips: tuple[str, ...]
    clip: Ints
    frame: Floats
    weight: Floats
    periods: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"<Origin of {len(self.clip)} frames in {listed([repr(name) for name in self.clips])}>"

    def __post_init__(self) -> None:
        """Check the periods; make names `well_formed`, as those of clips are."""
        object.__setattr__(self, "clips", tuple(map(well_formed, self.clips)))
        if not self.periods:
            return
        if len(self.periods) != len(self.clips) or not all(0 <= each < np.inf for each in self.periods):
            msg = f"{len(self.clips)} source clips need as many periods from 0 frames, not {self.periods}"
            raise SettingError(msg)

    @staticmethod
    def of(name: str, n_frames: int) -> Origin:
        """Return the origin of an unedited clip: itself, frame by frame."""
        frames = np.arange(n_frames, dtype=np.float64)
        none = np.zeros(n_frames)
        return Origin(
            (name,),
            frozen(np.column_stack([none, none - 1]), np.int64),
            frozen(np.column_stack([frames, none])),
            frozen(np.column_stack([none + 1, none])),
        )

    def checked(self) -> Origin:
        """Validate an origin read from a file, and return it.

        Raises
        ------
        SettingError
            If its arrays do not fit one another, refer to a missing clip, or hold non-finite values.
        """
        rows = len(self.clip) if self.clip.ndim else 0
        if {self.clip.shape, self.frame.shape, self.weight.shape} != {(rows, 2)}:
            shapes = f"{self.clip.shape}, {self.frame.shape} and {self.weight.shape}"
            msg = f"its origin has arrays of shapes {shapes}; they must be (F, 2)"
            raise SettingError(msg)
        if np.any(self.clip >= len(self.clips)) or np.any(self.clip < -1):
            wrong = int(self.clip.max()) if np.any(self.clip >= len(self.clips)) else int(self.clip.min())
            msg = f"its origin names source {wrong} of {len(self.clips)}"
            raise SettingError(msg)
        if not (np.isfinite(self.frame).all() and np.isfinite(self.weight).all()):
            msg = "its origin holds frames or weights that are no finite numbers"
            raise SettingError(msg)
        return self

    def take(self, rows: npt.ArrayLike) -> Origin:
        """Return the origin of selected frames."""
        index = np.asarray(rows)
        return Origin(
            self.clips,
            frozen(self.clip[index], np.int64),
            frozen(self.frame[index]),
            frozen(self.weight[index]),
            self.periods,
        )

    def period_of(self, clip: npt.ArrayLike) -> Floats:
        """Return the periods in frames of source clips, for indices of any shape into ``clips``; 0 if not cyclic or -1.

        Examples
        --------
        >>> Origin.of("walk", 4).period_of([0, -1]).tolist()
        [0.0, 0.0]
        """
        numbers = np.asarray(clip)
        if not any(self.periods):
            return np.zeros(numbers.shape)
        # Index -1, no clip, selects the last entry.
        out: Floats = np.array([*self.periods, 0.0])[numbers]
        return out


def merged_periods(names: Sequence[str], origins: Sequence[Origin]) -> tuple[float, ...]:
    """Return the periods of named clips from several origins; empty if none is cyclic.

    Examples
    --------
    >>> merged_periods(["walk"], [Origin.of("walk", 4)])
    ()
    """
    given = {
        name: period
        for origin in origins
        for name, period in zip(origin.clips, origin.periods, strict=False)
        if period
    }
    return tuple(given.get(name, 0.0) for name in names) if given else ()


def steps_round(steps: Floats, periods: Floats) -> Floats:
    """Return steps in source frames, wrapped to the shorter direction for cyclic sources (period not 0).

    Examples
    --------
    >>> import numpy as np
    >>> steps_round(np.array([-31.0, 1.0, -31.0]), np.array([32.0, 32.0, 0.0])).tolist()
    [1.0, 1.0, -31.0]
    """
    if not periods.any():
        return steps
    there = np.where(periods > 0, periods, 1.0)
    out: Floats = np.where(periods > 0, steps - there * np.rint(steps / there), steps)
    return out


def frames_round(frames: Floats, periods: Floats) -> Floats:
    """Return source frames modulo the period for cyclic sources (period not 0), others unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> frames_round(np.array([33.5, -1.0, 33.5]), np.array([32.0, 32.0, 0.0])).tolist()
    [1.5, 31.0, 33.5]
    """
    if not periods.any():
        return frames
    there = np.where(periods > 0, periods, 1.0)
    left = np.mod(frames, there)
    left = np.where(there - left < _ROUNDING, 0.0, left)
    out: Floats = np.where(periods > 0, left, frames)
    return out


class _OnDemand:
    """A string field of a dataclass that may be set to a function, which is called when the field is first read."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._key = f"_{name}"

    def __get__(self, instance: object, owner: type | None = None) -> str:
        if instance is None:
            return ""  # default of the field
        given: str | Callable[[], str] = instance.__dict__[self._key]
        if not isinstance(given, str):
            given = instance.__dict__[self._key] = given()
        return given

    def __set__(self, instance: object, value: str | Callable[[], str]) -> None:
        instance.__dict__[self._key] = value


@dataclass(frozen=True)
class SourceFormat:
    """Source format of a motion: everything that a writer needs to write it back unchanged.

    ``metres_per_unit`` is the length of one file unit; ``up`` is ``"Y"``, ``"Z"``, ``"X"`` or one of them with a minus,
    and ``extra["rest_up"]`` that of the rest pose if it differs; ``channels`` holds each joint's channel names in file
    order; ``frame_time`` the digits of the file's frame time; ``notes`` the reader's assumptions, one sentence each.
    ``digest`` is the SHA-256 of the bytes read from the file; a reader may pass a function that computes it.
    """

    path: str = ""
    format: str = ""
    metres_per_unit: float = 0.01
    up: str = "Y"
    channels: tuple[tuple[str, ...], ...] = ()
    frame_time: str = ""
    digest: _OnDemand = _OnDemand()  # its default value is a string
    notes: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Clip(Displayed):
    """One motion: rotations of every joint, positions of the root, and the frame rate.

    Parameters
    ----------
    skeleton
        The body.
    rotations
        (F, J, 4) local unit quaternions wxyz.
    root_positions
        (F, 3) metres, world position of joint 0, Y up.
    fps
        Frames a second, from `SLOWEST` to `FASTEST`.
    name
        Display name, usually the file's stem; bytes in it that are not text are escaped.
    origin
        Source of each frame; by default the clip itself.
    source
        Format of the file, if it was read from one.
    planted
        (F, 4) left heel, left toe, right heel, right toe on the ground, as set by the user; None if contacts are found
        from the motion. Kept until the frames change.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> walk.rotations.shape == (walk.n_frames, walk.skeleton.n_joints, 4)
    True
    """

    skeleton: Skeleton
    rotations: Quaternions
    root_positions: Positions
    fps: float
    name: str
    origin: Origin
    source: SourceFormat | None
    planted: Bools | None

    def __repr__(self) -> str:
        return (
            f"<Clip {self.name!r} {self.n_frames} frames, {self.fps:g} fps, {self.skeleton.n_joints} joints>"
        )

    def __init__(
        self,
        skeleton: Skeleton,
        rotations: npt.ArrayLike,
        root_positions: npt.ArrayLike,
        fps: float,
        *,
        name: str = "clip",
        origin: Origin | None = None,
        source: SourceFormat | None = None,
        planted: npt.ArrayLike | None = None,
    ) -> None:
        rotations = np.asarray(rotations, dtype=np.float64)
        root_positions = np.asarray(root_positions, dtype=np.float64)
        n_frames = rotations.shape[0] if rotations.ndim else 0
        if rotations.shape != (n_frames, skeleton.n_joints, 4) or root_positions.shape != (n_frames, 3):
            msg = (
                f"clip {name!r}: rotations must be (F, {skeleton.n_joints}, 4) and root positions (F, 3); "
                f"got {rotations.shape} and {root_positions.shape}"
            )
            raise SettingError(msg)
        if n_frames == 0:
            msg = f"clip {name!r} has no frames"
            raise SettingError(msg)
        if not SLOWEST <= fps <= FASTEST:
            msg = f"clip {name!r}: {fps} is not a frame rate; it lies from {SLOWEST:g} to {FASTEST:g} frames a second"
            raise SettingError(msg)
        if not (np.all(np.isfinite(rotations)) and np.all(np.abs(root_positions) <= FARTHEST)):
            finite = np.isfinite(rotations).all(axis=(1, 2)) & np.isfinite(root_positions).all(axis=1)
            bad, what = np.flatnonzero(~finite), "holds values that are not numbers"
            if finite.all():
                bad = np.flatnonzero((np.abs(root_positions) > FARTHEST).any(axis=1))
                what = f"lies farther than {FARTHEST:g} m away"
            msg = f"clip {name!r}: frame {bad[0]} {what} ({bad.size} such frames)"
            raise SettingError(msg)
        if origin is not None and not (
            origin.clip.shape == origin.frame.shape == origin.weight.shape == (n_frames, 2)
        ):
            msg = (
                f"clip {name!r}: {n_frames} frames need an origin of as many rows, not {origin.clip.shape[0]}"
            )
            raise SettingError(msg)
        if planted is not None and np.shape(planted) != (n_frames, 4):
            msg = f"clip {name!r}: contacts that are set must be ({n_frames}, 4), not {np.shape(planted)}"
            raise SettingError(msg)
        object.__setattr__(self, "skeleton", skeleton)
        object.__setattr__(self, "rotations", frozen(rotations))
        object.__setattr__(self, "root_positions", frozen(root_positions))
        object.__setattr__(self, "fps", float(fps))
        name = well_formed(name)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "origin", Origin.of(name, n_frames) if origin is None else origin)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "planted", None if planted is None else frozen(planted, np.bool_))

    @property
    def notes(self) -> tuple[str, ...]:
        """The reader's assumptions about what the file leaves open, one sentence each."""
        return () if self.source is None else self.source.notes

    @property
    def n_frames(self) -> int:
        """Number of frames F."""
        return int(self.rotations.shape[0])

    @property
    def seconds(self) -> float:
        """Duration: F frames span (F-1)/fps seconds."""
        return (self.n_frames - 1) / self.fps

    def pose(self, frame: int) -> Pose:
        """Return one frame as a `Pose`."""
        if not -self.n_frames <= frame < self.n_frames:
            msg = f"clip {self.name!r} has frames 0 to {self.n_frames - 1}, not {frame}"
            raise SettingError(msg)
        return Pose(self.skeleton, self.rotations[frame], self.root_positions[frame])

    def with_motion(
        self,
        rotations: npt.ArrayLike | None = None,
        root_positions: npt.ArrayLike | None = None,
        *,
        fps: float | None = None,
        origin: Origin | None = None,
        name: str | None = None,
    ) -> Clip:
        """Return a copy with other frames; the number of frames may change only if an origin is given."""
        return Clip(
            self.skeleton,
            self.rotations if rotations is None else rotations,
            self.root_positions if root_positions is None else root_positions,
            self.fps if fps is None else fps,
            name=self.name if name is None else name,
            origin=self.origin if origin is None else origin,
            source=self.source,
            planted=self.planted if rotations is None and root_positions is None else None,
        )

    def renamed(self, name: str) -> Clip:
        """Return the same motion under another name, with itself as the origin of its frames."""
        return self.with_motion(name=name, origin=Origin.of(name, self.n_frames))

    def with_contacts(self, planted: Bools | None) -> Clip:
        """Return the same motion with user-set contacts (F, 4); None finds them from the motion again."""
        return replace(self, planted=planted)

    def with_source(self, source: SourceFormat | None = None, **changes: Any) -> Clip:
        """Return a copy with another `SourceFormat`, by default its own, with some fields changed."""
        source = source or self.source or SourceFormat()
        return replace(self, source=replace(source, **changes) if changes else source)

    def with_skeleton(self, skeleton: Skeleton) -> Clip:
        """Return the same frames on another skeleton with as many joints, such as other lengths or user-set roles.

        Examples
        --------
        >>> import segue
        >>> from segue.motion.roles import given
        >>> walk = segue.sample("walk")
        >>> walk.with_skeleton(given(walk.skeleton, {"head": ""})).skeleton.roles_given
        (('head', ''),)
        """
        return replace(self, skeleton=skeleton)
