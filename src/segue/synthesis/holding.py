"""The move of one foot along the ground that keeps its planted parts in place, and how it fades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats


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
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * v[..., 0] + s * v[..., 1], c * v[..., 1] - s * v[..., 0]], axis=-1)


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
    from segue.synthesis import _kernels

    rows = slice(start, stop)
    gone = np.zeros((stop - start, 2, 2)) if drift is None else np.ascontiguousarray(drift[rows])
    found = _kernels.hold_plant(np.ascontiguousarray(places[rows]), np.ascontiguousarray(flags[rows]), gone)
    return Hold(start, stop, *found)


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
        takes longer, up to three times as long. A foot that is let go while the blend carries it away is not
        thrown after it.
    strength
        (F,) share of the move that is made; all of it by default.

    Returns
    -------
    `Hold` over all F frames, its ``shift`` that of the ankle.

    Notes
    -----
    Whole plants are shifted so that near ones hand over, by least squares: a plant wants to stay where it is in the
    mean, frame by frame; a step to the next plant costs as much as three fades of that where the time between is two
    fades long, and 16 times as much at half of it.
    """
    from segue.synthesis import _kernels

    moves = np.zeros((len(ankle), 3))
    for hold in holds:
        moves[hold.start : hold.stop, :2] = hold.shift
        moves[hold.start : hold.stop, 2] = hold.turn
    spans = np.array([(hold.start, hold.stop) for hold in holds], dtype=np.int64).reshape(-1, 2)
    value = _kernels.fade_moves(np.ascontiguousarray(ankle), spans, moves, ease, float(gentle))
    if strength is not None:
        value *= strength[:, None]
    return Hold(0, len(ankle), value[:, 2], value[:, :2])
