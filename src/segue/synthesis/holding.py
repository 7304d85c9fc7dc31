"""The move of a foot along the ground that keeps its planted parts in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

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
        (n, 2) metres on x and z: of the plane's origin in a plant's own move, of the ankle once faded
        (`segue.synthesis.fading`).
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


def held(
    places: Floats, flags: Bools, plants: Sequence[Sequence[tuple[int, int]]], *, drift: Floats | None = None
) -> list[list[Hold]]:
    """Moves that keep the planted parts of feet in place, one a plant.

    Parameters
    ----------
    places
        (F, 2 S, 2) ground places of heel and toe of S feet in turn.
    flags
        (F, 2 S) which is planted.
    plants
        Frames from start to stop of the plants of each foot: in every one of them heel or toe is planted.
    drift
        (F, 2 S, 2) ways that heels and toes may go all the same; none by default.

    Notes
    -----
    While one part is planted, the foot is shifted so that this part stays. While both are, it is turned as well; heel
    and toe come nearer on the ground as the foot tilts, so both cannot stay, and the one that was planted before hands
    over to the one that remains, smoothly. A part that is put down later stays where the move so far puts it. The whole
    move is then shifted and turned so that it is zero in the mean: the foot stays near where it was.
    """
    from segue.synthesis import _kernels

    spans = [(foot, *span) for foot, spans in enumerate(plants) for span in spans]
    out: list[list[Hold]] = [[] for _ in plants]
    if not spans:
        return out
    begins = [0, *accumulate(stop - start for _, start, stop in spans)]
    rows = [(slice(start, stop), slice(2 * foot, 2 * foot + 2)) for foot, start, stop in spans]
    own, planted = np.concatenate([places[at] for at in rows]), np.concatenate([flags[at] for at in rows])
    gone = np.zeros_like(own) if drift is None else np.concatenate([drift[at] for at in rows])
    parts, moves, most = planted[:, 0] + 2 * planted[:, 1], np.empty((len(own), 5)), np.empty(len(spans))
    _kernels.hold_plants(own.reshape(-1, 4), parts, gone.reshape(-1, 4), np.array(begins), moves, most)
    for k, (foot, start, stop) in enumerate(spans):
        way = moves[begins[k] : begins[k + 1]]
        out[foot].append(Hold(start, stop, way[:, 2], way[:, :2], float(most[k])))
    return out
