"""Decide which placements of a script are executed, when, and how each is joined to the one before it."""

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
from segue.sequencing.spacing import BETWEEN_CORES, conflicting, nearest_free, reason_of, room_between


@dataclass(frozen=True, eq=False)
class Material:
    """Material of a sequence: elementary motions for one body at one rate.

    Parameters
    ----------
    elements
        By name.
    skeleton, fps
        Body and rate of the sequence.
    orientation
        Direction by which two bodies are aligned.
    """

    elements: Mapping[str, ElementaryMotion]
    skeleton: Skeleton
    fps: float
    orientation: BodyOrientation = "facing"

    def motion(self, name: str) -> ReadyMotion:
        """Return an elementary motion prepared for this body and rate.

        Raises
        ------
        SettingError
            If the name is unknown.
        """
        return ready(element_named(self.elements, name), self.skeleton, self.fps, self.orientation)


def element_named(elements: Mapping[str, ElementaryMotion], name: str) -> ElementaryMotion:
    """Return the elementary motion of a name.

    Raises
    ------
    SettingError
        If the name is unknown.
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
        The placement, and its position in the script.
    motion
        The motion as shown, with a foothold that it may keep.
    start
        Frame of the clock at which its clip begins.
    placed
        Ground motion that moves its clip to where it is shown.
    pair
        Join to the motion before it; None for the first.
    after
        Last frame of the clock that must not change when it was joined.
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
    def begun(self) -> int:
        """First frame of the clock that it affects."""
        return self.start if self.pair is None else self.start - self.pair.offset + self.pair.frames.begin


@dataclass(frozen=True)
class Wanted:
    """A placement to execute; `frame` is when its core begins, None for as soon as possible."""

    placement: Placement
    number: int
    frame: int | None


def in_order(script: Sequence[tuple[int, Placement]], fps: float) -> list[Wanted]:
    """Sort placements into the order in which they are tried: by time, priority, and position in the script.

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
    """Execute placements in turn, in addition to those already executed; a core without enough free time is rejected.

    A motion with its own time may come between others that are as soon as possible. ``after`` is the last frame of the
    clock that must not change.
    """
    done, played = list(before), _Played(tuple(before), after, material.fps)
    late: list[tuple[Wanted, int, str]] = []
    for one in wanted:
        motion = material.motion(one.placement.motion)
        if one.frame is not None:
            begin = one.frame
        elif not done:
            begin = motion.core[0]
        else:
            limit = None if after is None else after - done[-1].start
            smoothness = _smoothness(one.placement, script)
            offset = earliest_offset(done[-1].motion, motion, smoothness=smoothness, after=limit)
            begin = done[-1].start + offset + motion.core[0]
        reason = _no_room(one, motion, begin, done, played)
        if reason:
            late.append((one, begin, reason))
            continue
        place = sum(other.core.begin_frame <= begin for other in done)
        later = done[place:]
        _join(done, place, one.placement, one.number, motion, begin - motion.core[0], script, after)
        for other in later:
            _join(
                done,
                len(done),
                other.placement,
                other.number,
                other.motion.motion,
                other.start,
                script,
                after,
            )
    rejected = tuple(
        RejectedMotion(
            one.placement.motion,
            begin / material.fps,
            reason,
            _nearest(done, material.motion(one.placement.motion), begin, played) / material.fps,
            one.number,
        )
        for one, begin, reason in late
    )
    return tuple(done), rejected


def _smoothness(placement: Placement, script: SequenceScript) -> float:
    return script.smoothness if placement.smoothness is None else placement.smoothness


def _join(
    done: list[PlacedMotion],
    place: int,
    placement: Placement,
    number: int,
    motion: ReadyMotion,
    start: int,
    script: SequenceScript,
    after: int | None,
) -> None:
    """Execute a motion at an index of the sequence, with its clip beginning at a frame; later ones are removed."""
    del done[place:]
    if not done:
        done.append(PlacedMotion(placement, number, unheld(motion), start, PlanarMotion()))
        return
    done.append(
        follow(
            done[-1],
            motion,
            start,
            placement=placement,
            number=number,
            smoothness=_smoothness(placement, script),
            after=after,
            method=script.method,
        )
    )


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
    """Join one more motion to the last, with its clip beginning at a frame of the clock."""
    limit = None if after is None else after - last.start
    # A limit before the end of the previous core has no effect; without it the cached pair is found.
    if limit is not None and limit <= last.motion.motion.core[1] - 1:
        limit = None
    pair = join_pair(
        last.motion, motion, start - last.start, smoothness=smoothness, after=limit, method=method
    )
    return PlacedMotion(placement, number, pair.following, start, pair.placed.then(last.placed), pair, after)


@dataclass(frozen=True, eq=False)
class _Played:
    """What can no longer change: motions that have begun, and the last frame of the clock that was shown."""

    motions: tuple[PlacedMotion, ...]
    after: int | None
    fps: float

    @property
    def soonest(self) -> float:
        """First frame at which another core can begin."""
        out = -np.inf if self.after is None else float(self.after + room_between(self.fps))
        return max(out, float(self.motions[-1].core.begin_frame)) if self.motions else out


def _no_room(
    one: Wanted, motion: ReadyMotion, begin: int, done: Sequence[PlacedMotion], played: _Played
) -> str:
    """Reason why a core cannot begin at a frame; empty if it can."""
    fps, after = played.fps, played.after
    if after is not None and begin - after < room_between(fps):
        shown = f"the sequence is already played up to {after / fps:.2f} s"
        return shown if begin <= after else f"{shown}, and {BETWEEN_CORES:g} s are needed to get there"
    stop = begin + motion.core[1] - motion.core[0]
    core = conflicting([each.core for each in done], begin, stop, fps=fps)
    if core is None and begin < played.soonest:
        core = played.motions[-1].core
        return f"the transition to {core.motion!r}, at {core.begin_frame / fps:.2f} s, has begun"
    if core is None:
        return ""
    other = next(each.placement for each in done if each.number == core.number)
    if begin == core.begin_frame and other.priority > one.placement.priority:
        return f"{core.motion!r} begins at the same time, with a higher priority"
    return reason_of(core, begin, stop, fps=fps)


def _nearest(done: Sequence[PlacedMotion], motion: ReadyMotion, begin: int, played: _Played) -> int:
    """Frame nearest to ``begin`` at which a core has enough free time."""
    length, cores = motion.core[1] - motion.core[0], [one.core for one in done]
    return nearest_free(cores, begin, length, fps=played.fps, soonest=played.soonest)
