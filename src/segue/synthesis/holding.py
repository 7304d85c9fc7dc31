"""The move of one foot along the ground that keeps its planted parts in place, and how it fades."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Floats
from segue.maths.easing import smoothstep
from segue.maths.planar import wrapped

Ground: TypeAlias = npt.NDArray[np.complex128]

_LONGEST = 3


@dataclass(frozen=True, eq=False)
class Hold:
    """A rigid move along the ground for every frame of a range.

    Parameters
    ----------
    start, stop
        Frames, half open.
    turn
        (n,) radians about the vertical.
    shift
        (n, 2) metres on x and z: of the plane's origin in a plant's own move, of the ankle once `faded`.
    moves
        Metres: the farthest that a held part is moved.
    """

    start: int
    stop: int
    turn: Floats
    shift: Floats
    moves: float = 0.0


def turned(angle: Floats, v: Floats) -> Floats:
    """Turn ground vectors (..., 2) about the vertical; a positive angle carries z towards x."""
    return _pairs(_spin(angle) * _ground(v))


def _ground(v: Floats) -> Ground:
    """Ground vectors (..., 2) as complex numbers z + ix, which a turn multiplies."""
    out: Ground = v[..., 1] + 1j * v[..., 0]
    return out


def _pairs(w: Ground) -> Floats:
    """Complex numbers as ground vectors (..., 2)."""
    return np.stack([w.imag, w.real], axis=-1)


def _spin(angle: Floats | float) -> Ground:
    out: Ground = np.exp(1j * np.asarray(angle))
    return out


def held(places: Floats, flags: Bools, start: int, stop: int, *, drift: Floats | None = None) -> Hold:
    """Move that keeps the planted parts of one foot in place from ``start`` to ``stop``.

    Parameters
    ----------
    places
        (F, 2, 2) ground places of heel and toe.
    flags
        (F, 2) which is planted.
    start, stop
        One plant: in every frame at least one part is.
    drift
        (F, 2, 2) ways that heel and toe may go all the same; none by default.

    Notes
    -----
    While one part is planted, the foot is shifted so that this part stays. While both are, it is turned as well; heel
    and toe come nearer on the ground as the foot tilts, so both cannot stay, and the one that was planted before hands
    over to the one that remains, smoothly. A part that is put down later stays where the move so far puts it. The whole
    move is then shifted and turned so that it is zero in the mean: the foot stays near where it was.
    """
    n = stop - start
    p, on = _ground(places[start:stop]), flags[start:stop]
    gone = np.zeros((n, 2), dtype=np.complex128) if drift is None else _ground(drift[start:stop])
    turn, shift = np.zeros(n), np.zeros(n, dtype=np.complex128)
    edges = [0, *(1 + np.flatnonzero(np.any(on[1:] != on[:-1], axis=1))), n]
    anchors: dict[int, complex] = {}
    for first, last in itertools.pairwise(edges):
        rows = slice(first, last)
        now = [part for part in (0, 1) if on[first, part]]
        anchors = {part: place for part, place in anchors.items() if part in now}
        before = max(first - 1, 0)
        angle = turn[before]
        moved = shift[before]
        spin = _spin(angle)
        if anchors:  # what stays planted says where the move goes on
            part, place = next(iter(anchors.items()))
            moved = place + gone[first, part] - spin * p[first, part]
        for part in now:
            anchors.setdefault(part, complex(spin * p[first, part] + moved - gone[first, part]))
        if len(now) == 2:
            wanted = anchors[1] + gone[rows, 1] - anchors[0] - gone[rows, 0]
            found = p[rows, 1] - p[rows, 0]
            turn[rows] = angle + wrapped(np.angle(wanted) - np.angle(found) - angle)
            toe = _handing_over(on, first, last)
            at = (1 - toe) * p[rows, 0] + toe * p[rows, 1]
            still = (1 - toe) * (anchors[0] + gone[rows, 0]) + toe * (anchors[1] + gone[rows, 1])
            shift[rows] = still - _spin(turn[rows]) * at
        else:
            turn[rows] = angle
            shift[rows] = anchors[now[0]] + gone[rows, now[0]] - spin * p[rows, now[0]]
    return _centred(start, stop, p, on, turn, shift)


def _handing_over(on: Bools, first: int, last: int) -> Floats:
    """Weight (n,) of the toe while both parts are planted: from the part planted before to the one that remains.

    It changes over the first third, in which the foot still lies flat.
    """
    start = float(on[first - 1, 1]) if first > 0 else 0.5
    end = float(on[last, 1]) if last < len(on) else 0.5
    t = np.minimum(3.0 * np.arange(last - first) / max(last - first - 1, 1), 1.0)
    out: Floats = start + (end - start) * smoothstep(t)
    return out


def _centred(start: int, stop: int, p: Ground, on: Bools, turn: Floats, shift: Ground) -> Hold:
    """Take the mean turn and the mean way of the planted parts out of a move."""
    back = -float(turn.mean())
    turn, shift = turn + back, _spin(back) * shift
    at = np.where(on.all(axis=1), 0.5 * (p[:, 0] + p[:, 1]), np.where(on[:, 0], p[:, 0], p[:, 1]))
    way = _spin(turn) * at + shift - at
    middle = way.mean()
    return Hold(start, stop, turn, _pairs(shift - middle), float(np.abs(way - middle).max(initial=0.0)))


def faded(
    holds: Sequence[Hold],
    ankle: Floats,
    *,
    ease: int,
    gentle: float = np.inf,
    strength: Floats | None = None,
) -> Hold:
    """One move for the whole motion: each plant's own, fading to nothing before and after it.

    Parameters
    ----------
    holds
        Plants of one foot in turn.
    ankle
        (F, 2) ground places of the ankle.
    ease
        Frames over which a move fades at least. Where two plants are nearer than their fades, one fades into the other.
    gentle
        Metres a frame and frame: a move that would have to change faster than that to be gone after ``ease`` frames
        takes longer, up to `_LONGEST` times as long. A foot that is let go while the blend carries it away is not
        thrown after it.
    strength
        (F,) share of the move that is made; all of it by default.

    Returns
    -------
    `Hold` over all F frames, its ``shift`` that of the ankle.
    """
    n = len(ankle)
    value = np.zeros((n, 3))  # shift of the ankle on x and z, turn
    none = np.zeros(3)
    fades = 0
    ends = []
    for hold in holds:
        rows = slice(hold.start, hold.stop)
        value[rows, :2] = turned(hold.turn, ankle[rows]) + hold.shift - ankle[rows]
        value[rows, 2] = hold.turn
        ends.append((hold.start, hold.stop, *_slopes(value[rows])))
    for hold, shift in zip(holds, _chained(holds, value, ease=ease), strict=True):
        value[hold.start : hold.stop, :2] += shift
    for k, (start, stop, first_slope, last_slope) in enumerate(ends):
        lengths = [
            _fade(value[at, :2], slope[:2], ease=ease, gentle=gentle)
            for at, slope in ((start, first_slope), (stop - 1, last_slope))
        ]
        room = start - ends[k - 1][1] if k else np.inf
        if room >= lengths[0] + fades:
            frames = np.arange(max(start - lengths[0], 0), start)
            value[frames] = _hermite(
                (none, value[start]), (none, first_slope), frames, start - lengths[0] - 1, start
            )
        fades = lengths[1]
        after = ends[k + 1] if k + 1 < len(ends) else None
        if after is not None:
            next_fade = _fade(value[after[0], :2], after[2][:2], ease=ease, gentle=gentle)
            if after[0] - stop < fades + next_fade:
                frames = np.arange(stop, after[0])
                slopes = (last_slope, after[2])
                value[frames] = _hermite(
                    (value[stop - 1], value[after[0]]), slopes, frames, stop - 1, after[0]
                )
                continue
        frames = np.arange(stop, min(stop + fades, n))
        value[frames] = _hermite((value[stop - 1], none), (last_slope, none), frames, stop - 1, stop + fades)
    if strength is not None:
        value *= strength[:, None]
    return Hold(0, n, value[:, 2], value[:, :2])


def _chained(holds: Sequence[Hold], value: Floats, *, ease: int) -> Floats:
    """Shifts (K, 2) of whole plants that let near ones hand over: the shorter the time between, the smaller the step.

    Least squares: a plant wants to stay where it is in the mean, frame by frame; a step to the next plant costs as much
    as three fades of that where the time between is two fades long, and 16 times as much at half of it.
    """
    count = len(holds)
    if count < 2:
        return np.zeros((count, 2))
    system = np.diag([float(hold.stop - hold.start) for hold in holds])
    wanted = np.zeros((count, 2))
    for k, (one, other) in enumerate(itertools.pairwise(holds)):
        gap = max(other.start - one.stop + 1, 1)
        weight = 6.0 * ease * min((2 * ease / gap) ** 4, 1e4)
        step = value[other.start, :2] - value[one.stop - 1, :2]
        system[k : k + 2, k : k + 2] += weight * np.array([[1.0, -1.0], [-1.0, 1.0]])
        wanted[k] += weight * step
        wanted[k + 1] -= weight * step
    out: Floats = np.linalg.solve(system, wanted).astype(np.float64)
    return out


def _fade(shift: Floats, slope: Floats, *, ease: int, gentle: float) -> int:
    """Frames in which a shift fades: the curvature of the cubic is at most (4 slope T + 6 shift) / T^2."""
    if not math.isfinite(gentle):
        return ease
    x, v = math.hypot(*shift), math.hypot(*slope)
    needed = (2 * v + math.sqrt(4 * v * v + 6 * x * gentle)) / gentle
    return min(max(math.ceil(needed), ease), _LONGEST * ease)


def _slopes(value: Floats) -> tuple[Floats, Floats]:
    """Change a frame at both ends of a plant's move (n, 3)."""
    if len(value) < 2:
        return np.zeros(3), np.zeros(3)
    return value[1] - value[0], value[-1] - value[-2]


def _hermite(
    ends: tuple[Floats, Floats], slopes: tuple[Floats, Floats], rows: np.ndarray, start: int, stop: int
) -> Floats:
    """Cubic (n, 3) at frames ``rows`` that leaves and arrives with given values and slopes a frame."""
    length = stop - start
    t = (rows - start) / length
    square, cube = t * t, t * t * t
    shares = np.stack(
        [
            2 * cube - 3 * square + 1,
            length * (cube - 2 * square + t),
            3 * square - 2 * cube,
            length * (cube - square),
        ]
    )
    out: Floats = shares.T @ np.stack([ends[0], slopes[0], ends[1], slopes[1]])
    return out
