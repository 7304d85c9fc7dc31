"""Which placements of a script are executed, when, and how each is joined to the one before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from segue.errors import SettingError, nearest
from segue.maths.planar import PlanarMotion
from segue.motion.skeleton import Skeleton
from segue.sequencing.asap import earliest_offset
from segue.sequencing.decisions import PlacedCore, RejectedMotion
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.footholds import HeldMotion, unheld
from segue.sequencing.joining import JoinedPair, join_pair
from segue.sequencing.prepared import BodyOrientation, ReadyMotion, ready
from segue.sequencing.script import Placement, SequenceMethod, SequenceScript


@dataclass(frozen=True, eq=False)
class Material:
    """What sequences are made of: elementary motions for one body at one rate.

    Parameters
    ----------
    elements
        By name.
    skeleton, fps
        Body and rate of the sequence.
    orientation
        What aligns two bodies.
    """

    elements: Mapping[str, ElementaryMotion]
    skeleton: Skeleton
    fps: float
    orientation: BodyOrientation = "facing"

    def motion(self, name: str) -> ReadyMotion:
        """An elementary motion for this body and rate.

        Raises
        ------
        SettingError
            If none has the name.
        """
        return ready(element_named(self.elements, name), self.skeleton, self.fps, self.orientation)


def element_named(elements: Mapping[str, ElementaryMotion], name: str) -> ElementaryMotion:
    """The elementary motion of a name.

    Raises
    ------
    SettingError
        If none has it.
    """
    if name not in elements:
        msg = f"no elementary motion is called {name!r}; {nearest(name, elements)}"
        raise SettingError(msg)
    return elements[name]


@dataclass(frozen=True, eq=False)
class PlacedMotion:
    """One executed motion.

    Parameters
    ----------
    placement, number
        What was asked for, and its place in the script.
    motion
        The motion as it is shown, with a foothold that it may keep.
    start
        Frame of the clock at which its clip begins.
    placed
        Ground motion that takes its clip there.
    pair
        How it is joined to the one before it; None for the first.
    after
        Frame of the clock up to which nothing was to change when it was joined.
    """

    placement: Placement
    number: int
    motion: HeldMotion
    start: int
    placed: PlanarMotion
    pair: JoinedPair | None = None
    after: int | None = None

    @property
    def core(self) -> PlacedCore:
        """Its core on the clock."""
        first, stop = self.motion.motion.core
        return PlacedCore(
            self.placement.motion,
            self.number,
            self.start,
            self.start + first,
            self.start + stop,
            self.motion.n_frames,
        )

    @property
    def last_core_frame(self) -> int:
        """Frame of the clock from which on it may be left."""
        return self.start + max(self.motion.motion.core[1] - 1, 0)

    @property
    def begun(self) -> int:
        """First frame of the clock that shows that it is coming."""
        return self.start if self.pair is None else self.start - self.pair.offset + self.pair.frames.begin


@dataclass(frozen=True)
class Wanted:
    """A placement that is to be executed; `frame` is when its core begins, None as soon as possible."""

    placement: Placement
    number: int
    frame: int | None


def in_order(script: Sequence[tuple[int, Placement]], fps: float) -> list[Wanted]:
    """Placements in the order in which they are tried: by time, then priority, then their place in the script.

    A placement as soon as possible comes right after the one before it in the script.
    """
    groups: list[tuple[float, int, int, list[Wanted]]] = []
    for number, placement in script:
        frame = None if placement.at is None else round(placement.at * fps)
        one = Wanted(placement, number, frame)
        if frame is None and groups:
            groups[-1][3].append(one)
        else:
            time = -np.inf if frame is None else float(frame)
            groups.append((time, -placement.priority, number, [one]))
    groups.sort(key=lambda group: group[:3])
    return [one for group in groups for one in group[3]]


def executed(
    material: Material,
    wanted: Sequence[Wanted],
    *,
    script: SequenceScript,
    before: Sequence[PlacedMotion] = (),
    after: int | None = None,
) -> tuple[tuple[PlacedMotion, ...], tuple[RejectedMotion, ...]]:
    """Execute placements in turn, after those that are executed already; what overlaps is rejected.

    ``after`` is the last frame of the clock that must not change.
    """
    done = list(before)
    late: list[tuple[Wanted, int, str]] = []
    for one in wanted:
        motion = material.motion(one.placement.motion)
        smoothness = script.smoothness if one.placement.smoothness is None else one.placement.smoothness
        if not done:
            begin = motion.core[0] if one.frame is None else one.frame
            done.append(
                PlacedMotion(
                    one.placement, one.number, unheld(motion), begin - motion.core[0], PlanarMotion()
                )
            )
            continue
        last = done[-1]
        limit = None if after is None else after - last.start
        if one.frame is None:
            start = last.start + earliest_offset(last.motion, motion, smoothness=smoothness, after=limit)
        else:
            start = one.frame - motion.core[0]
        begin = start + motion.core[0]
        edge = last.last_core_frame if after is None else max(last.last_core_frame, after)
        if begin <= edge:
            late.append((one, begin, _overlap(one, last, begin, edge, material.fps)))
            continue
        done.append(
            follow(
                last,
                motion,
                start,
                placement=one.placement,
                number=one.number,
                smoothness=smoothness,
                after=after,
                method=script.method,
            )
        )
    rejected = tuple(
        RejectedMotion(
            one.placement.motion,
            begin / material.fps,
            reason,
            _nearest(done, material.motion(one.placement.motion), begin, after) / material.fps,
            one.number,
        )
        for one, begin, reason in late
    )
    return tuple(done), rejected


def follow(
    last: PlacedMotion,
    motion: ReadyMotion,
    start: int,
    *,
    placement: Placement,
    number: int,
    smoothness: float,
    after: int | None,
    method: SequenceMethod,
) -> PlacedMotion:
    """Join one more motion to the last, its clip beginning at a frame of the clock."""
    limit = None if after is None else after - last.start
    # What lies before the previous core is no limit, and the same pair is not made twice.
    if limit is not None and limit <= last.motion.motion.core[1] - 1:
        limit = None
    pair = join_pair(
        last.motion, motion, start - last.start, smoothness=smoothness, after=limit, method=method
    )
    return PlacedMotion(placement, number, pair.following, start, pair.placed.then(last.placed), pair, after)


def _overlap(one: Wanted, last: PlacedMotion, begin: int, edge: int, fps: float) -> str:
    """Why a motion cannot begin where it was to."""
    other = last.core
    if begin == other.begin_frame and last.placement.priority > one.placement.priority:
        return f"{last.placement.motion!r} begins at the same time, with a higher priority"
    if edge > last.last_core_frame:
        return f"the sequence is already played up to {edge / fps:.2f} s"
    return (
        f"its core would begin within that of {last.placement.motion!r}, "
        f"{other.begin_frame / fps:.2f} to {other.end_frame / fps:.2f} s"
    )


def _nearest(done: Sequence[PlacedMotion], motion: ReadyMotion, begin: int, after: int | None) -> int:
    """Nearest frame to one at which a core would overlap no other."""
    length = max(motion.core[1] - motion.core[0], 1)
    cores = [(one.core.begin_frame, max(one.core.end_frame, one.core.begin_frame + 1)) for one in done]
    soonest = -np.inf if after is None else after + 1
    tried = [begin, *(end for _, end in cores), *(first - length for first, _ in cores)]
    if after is not None:
        tried.append(after + 1)
    free = [
        at for at in tried if at >= soonest and all(at >= end or at + length <= first for first, end in cores)
    ]
    return min(free, key=lambda at: (abs(at - begin), at))
