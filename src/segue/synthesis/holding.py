"""The move of a foot along the ground that keeps its planted parts in place.

Ground places and ways are complex numbers x + i z here: a turn about the vertical is a product.
"""

from __future__ import annotations

import cmath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Floats, Ints
from segue.maths.easing import smoothstep

Ground: TypeAlias = npt.NDArray[np.complex128]
"""Places or ways on the ground, x + i z."""

_TOE, _BOTH = 2, 3  # parts of a foot as a number: 1 is the heel


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


def as_complex(v: Floats) -> Ground:
    """Ground vectors (..., 2) as numbers x + i z (...)."""
    out: Ground = np.ascontiguousarray(v).view(np.complex128)[..., 0]
    return out


def as_pairs(v: Ground) -> Floats:
    """Numbers x + i z (...) as ground vectors (..., 2)."""
    return np.ascontiguousarray(v).view(np.float64).reshape(*v.shape, 2)


def spin(angle: Floats) -> Ground:
    """Factor by which numbers x + i z turn about the vertical: a positive angle carries z towards x."""
    out: Ground = np.exp(-1j * angle)
    return out


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
    spans = [(foot, *span) for foot, spans in enumerate(plants) for span in spans]
    out: list[list[Hold]] = [[] for _ in plants]
    if not spans:
        return out
    rows = _Rows(
        _of_plants(as_complex(places), spans),
        _of_plants(flags, spans),
        None if drift is None else _of_plants(as_complex(drift), spans),
        np.array([0, *accumulate(stop - start for _, start, stop in spans)]),
    )
    turn, way, shift = _kept(rows)
    most = _centred(rows, turn, way, shift)
    ways, begins = as_pairs(shift), rows.begins.tolist()
    for (foot, start, stop), first, last, moves in zip(
        spans, begins, begins[1:], most.tolist(), strict=False
    ):
        out[foot].append(Hold(start, stop, turn[first:last], ways[first:last], moves))
    return out


def _of_plants(values: npt.NDArray[Any], spans: Iterable[tuple[int, int, int]]) -> npt.NDArray[Any]:
    """Columns of each plant's own foot at its frames, plant after plant."""
    return np.concatenate([values[start:stop, 2 * foot : 2 * foot + 2] for foot, start, stop in spans])


@dataclass(frozen=True, eq=False)
class _Rows:
    """Frames of plants, one plant after the other.

    ``places``, ``flags`` and what may be ``gone`` all the same of heel and toe (n, 2); where plants begin, and the end.
    """

    places: Ground
    flags: Bools
    gone: Ground | None
    begins: Ints


def _kept(rows: _Rows) -> tuple[Floats, Ground, Ground]:
    """Turns (n,), their factors, and shifts that keep what is planted where its stretch of frames is anchored."""
    parts = rows.flags[:, 0] + _TOE * rows.flags[:, 1]
    cuts = parts[1:] != parts[:-1]
    cuts[rows.begins[1:-1] - 1] = True
    edges = np.array([0, *(np.flatnonzero(cuts) + 1).tolist(), len(parts)])
    lengths = np.diff(edges)
    table = np.repeat(_anchored(rows, parts, edges), lengths, axis=0)
    angle, anchors, way, toe, then = (
        table[:, 0].real,
        table[:, 1:3],
        table[:, 3],
        table[:, 4].real,
        table[:, 5].real,
    )
    if rows.gone is not None:
        anchors = anchors + rows.gone
    # A foot with both parts down hands over in the first third.
    t = np.arange(len(parts)) - np.repeat(edges[:-1], lengths)
    t = np.minimum(t * np.repeat(3.0 / np.maximum(lengths - 1, 1), lengths), 1.0)
    toe = toe + (then - toe) * smoothstep(t)
    wanted, found = anchors[:, 1] - anchors[:, 0], rows.places[:, 1] - rows.places[:, 0]
    turn = angle + np.where(parts == _BOTH, np.angle(way * found * wanted.conj()), 0.0)
    way = spin(turn)
    return turn, way, _between(anchors, toe) - way * _between(rows.places, toe)


def _between(pairs: Ground, toe: Floats) -> Ground:
    """Places between heel and toe (n, 2), by the toe's weight (n,)."""
    out: Ground = (1.0 - toe) * pairs[:, 0] + toe * pairs[:, 1]
    return out


def _anchored(rows: _Rows, parts: Ints, edges: Ints) -> Ground:
    """Go through stretches of frames in turn: what stays planted says where the move goes on, what comes is anchored.

    ``parts`` (n,) are what is planted, 1 for the heel and 2 for the toe, and change at the edges alone. Told of each
    stretch are the turn so far, anchors of heel and toe, the turn's factor, and the toe's weight at both ends.
    """
    first, last = edges[:-1], edges[1:] - 1
    places, ends = rows.places[first].tolist(), rows.places[last].tolist()
    gone = gone_ends = [[0j, 0j]] * len(places)
    if rows.gone is not None:
        gone, gone_ends = rows.gone[first].tolist(), rows.gone[last].tolist()
    begins, planted, out = {*rows.begins.tolist()}, parts[first].tolist(), []
    for k, (edge, now) in enumerate(zip(edges.tolist(), planted, strict=False)):
        before = 0 if edge in begins else planted[k - 1]
        if not before:
            angle, way, moved, anchors = 0.0, 1 + 0j, 0j, [0j, 0j]
        if before & now:
            part = (before & now) - 1
            moved = anchors[part] + gone[k][part] - way * places[k][part]
        elif before:  # heel for toe in one step, or toe for heel: the move goes on as it was
            moved = anchors[before - 1] + gone_ends[k - 1][before - 1] - way * ends[k - 1][before - 1]
        for part in (0, 1):
            if now & ~before & (part + 1):
                anchors[part] = way * places[k][part] + moved - gone[k][part]
        toe = then = now - 1.0
        if now == _BOTH:
            toe = before - 1.0 if before else 0.5
            then = 0.5 if int(last[k]) + 1 in begins else planted[k + 1] - 1.0
        out.append((angle, *anchors, way, toe, then))
        if now == _BOTH:
            wanted = anchors[1] + gone_ends[k][1] - anchors[0] - gone_ends[k][0]
            angle += cmath.phase(way * (ends[k][1] - ends[k][0]) * wanted.conjugate())
            way = cmath.rect(1.0, -angle)
    return np.array(out)


def _centred(rows: _Rows, turn: Floats, way: Ground, shift: Ground) -> Floats:
    """Take the mean turn and the mean way of the planted parts out of moves; the longest way that is left, by plant."""
    first, lengths = rows.begins[:-1], np.diff(rows.begins)
    back = -np.add.reduceat(turn, first) / lengths
    turn += np.repeat(back, lengths)
    back = np.repeat(spin(back), lengths)
    shift *= back
    places = _between(rows.places, np.where(rows.flags[:, 0], 0.5 * rows.flags[:, 1], 1.0))
    ways = way * back * places + shift - places
    middle = np.repeat(np.add.reduceat(ways, first) / lengths, lengths)
    shift -= middle
    most: Floats = np.maximum.reduceat(np.abs(ways - middle), first)
    return most
