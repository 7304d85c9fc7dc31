"""Free time between cores: where a motion can be placed among executed ones, and the reason why not."""

from __future__ import annotations

from collections.abc import Sequence

from segue.sequencing.decisions import PlacedCore
from segue.sequencing.phases import SHORTEST

BETWEEN_CORES = SHORTEST
"""Seconds between the last frame of a core and the first of the next: in less no foot moves, and a body jumps."""


def room_between(fps: float) -> int:
    """Return the minimum number of frames from the last of a core to the first of the next.

    Examples
    --------
    >>> room_between(60.0), room_between(24.0)
    (6, 2)
    """
    return max(round(BETWEEN_CORES * fps), 1)


def frames_apart(core: PlacedCore, begin: int, stop: int) -> int:
    """Return the frames between one core and another, [begin, stop), before or after it; 0 or less if they overlap.

    Examples
    --------
    >>> core = PlacedCore("jab", 0, start_frame=0, begin_frame=10, end_frame=20, n_frames=40)
    >>> [frames_apart(core, begin, begin + 5) for begin in (2, 12, 25)]
    [4, -6, 6]
    """
    return max(begin - (core.end_frame - 1), core.begin_frame - (stop - 1))


def conflicting(cores: Sequence[PlacedCore], begin: int, stop: int, *, fps: float) -> PlacedCore | None:
    """Return the core too near to another, [begin, stop); of several, the one that it overlaps most."""
    near = [core for core in cores if frames_apart(core, begin, stop) < room_between(fps)]
    return min(near, key=lambda core: (frames_apart(core, begin, stop), core.begin_frame), default=None)


def reason_of(core: PlacedCore, begin: int, stop: int, *, fps: float) -> str:
    """Return the reason why a core, [begin, stop), is too near to another."""
    other = f"{core.motion!r}, {core.begin_frame / fps:.2f} to {core.end_frame / fps:.2f} s"
    if core.begin_frame <= begin < core.end_frame:
        return f"its core would begin within that of {other}"
    if begin <= core.begin_frame < stop:
        return f"its core, {begin / fps:.2f} to {stop / fps:.2f} s, would overlap that of {other}"
    side = "after" if begin > core.begin_frame else "before"
    return (
        f"its core would be {frames_apart(core, begin, stop) / fps:.2f} s {side} that of {other}; "
        f"cores must be at least {BETWEEN_CORES:g} s apart"
    )


def nearest_free(cores: Sequence[PlacedCore], begin: int, length: int, *, fps: float, soonest: float) -> int:
    """Return the frame nearest to ``begin``, from ``soonest`` on, at which a core of ``length`` frames fits."""
    room, length = room_between(fps), max(length, 1)
    tried = [begin, *(core.end_frame - 1 + room for core in cores)]
    tried += [core.begin_frame - room - (length - 1) for core in cores]
    if soonest > begin:
        tried.append(int(soonest))
    free = [at for at in tried if at >= soonest and conflicting(cores, at, at + length, fps=fps) is None]
    return min(free, key=lambda at: (abs(at - begin), at))
