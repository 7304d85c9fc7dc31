"""Moves of feet fade: each plant's own comes in before it and goes after it, or hands over to the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from segue.arrays import Floats
from segue.synthesis.holding import Hold

_LONGEST = 3
"""Times as long as its ease a fade may take."""

_End: TypeAlias = tuple[list[float], list[float]]
"""A move at the first or last frame of a plant, x, z and turn, and its change by a frame there."""
_NOTHING: _End = ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
_Spans: TypeAlias = Sequence[tuple[int, int]]


def faded(
    holds: Sequence[Sequence[Hold]],
    ankles: Floats,
    *,
    ease: int,
    gentle: float = np.inf,
    strength: Floats | None = None,
) -> list[Hold]:
    """One move a foot for the whole motion: each plant's own, fading to nothing before and after it.

    Parameters
    ----------
    holds
        Plants of each of S feet in turn.
    ankles
        (F, S, 2) ground places of the ankles.
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
    S times a `Hold` over all F frames, its ``shift`` that of the ankle.

    Notes
    -----
    Whole plants are shifted so that near ones hand over, by least squares: a plant wants to stay where it is in the
    mean, frame by frame; a step to the next plant costs as much as three fades of that where the time between is two
    fades long, 16 times as much at half of it, and nothing where the longest fades do not meet.
    """
    n = len(ankles)
    value = np.zeros((3, len(holds) * n))  # x, z and the turn, foot after foot
    plants = [hold for foot in holds for hold in foot]
    if plants:
        spans = [[(k * n + hold.start, k * n + hold.stop) for hold in foot] for k, foot in enumerate(holds)]
        rows = np.concatenate([np.arange(*span) for foot in spans for span in foot])
        x, z = ankles.T.reshape(2, -1)[:, rows]
        turn = np.concatenate([hold.turn for hold in plants])
        shift = np.concatenate([hold.shift for hold in plants])
        c, s = np.cos(turn), np.sin(turn)
        value[0, rows] = c * x + s * z + shift[:, 0] - x
        value[1, rows] = c * z - s * x + shift[:, 1] - z
        value[2, rows] = turn
        curves = []
        for k, foot in enumerate(spans):
            ends = _ends(value, foot)
            if len(foot) > 1:
                _hand_over(value, ends, foot, ease)
            curves += [(k * n, k * n + n, *curve) for curve in _curves(ends, foot, ease, gentle)]
        _fill(value, curves)
    if strength is not None:
        value *= np.tile(strength, len(holds))
    return [Hold(0, n, foot[2], foot[:2].T) for foot in value.reshape(3, -1, n).swapaxes(0, 1)]


def filled(values: Floats, spans: _Spans, *, ease: int) -> Floats:
    """Curve (F,) that has values (F,) within spans of frames and fades to nothing around them, or from one to the next.

    Examples
    --------
    >>> import numpy as np
    >>> filled(np.ones(9), [(3, 5)], ease=2).round(2).tolist()
    [0.0, 0.26, 0.74, 1.0, 1.0, 0.74, 0.26, 0.0, 0.0]
    """
    value: Floats = np.zeros((3, len(values)))
    if not spans:
        return np.zeros(len(values))
    for start, stop in spans:
        value[0, start:stop] = values[start:stop]
    curves = _curves(_ends(value, spans), spans, ease, np.inf)
    _fill(value, [(0, len(values), *curve) for curve in curves])
    return np.array(value[0], dtype=np.float64)


def _ends(value: Floats, spans: _Spans) -> list[tuple[_End, _End]]:
    """What a move (3, F) is at the first and at the last frame of each plant."""
    near = [(start, min(start + 1, stop - 1), max(stop - 2, start), stop - 1) for start, stop in spans]
    return [
        ((a, [y - x for x, y in zip(a, b, strict=True)]), (d, [y - x for x, y in zip(c, d, strict=True)]))
        for a, b, c, d in value.T[np.array(near, dtype=np.int64).reshape(-1, 4)].tolist()
    ]


def _hand_over(value: Floats, ends: list[tuple[_End, _End]], spans: _Spans, ease: int) -> None:
    """Shift whole plants so that near ones hand over: a chain of equations, each with the next."""
    count = len(spans)
    own, beside = [float(stop - start) for start, stop in spans], []
    wanted = [[0.0, 0.0] for _ in spans]
    for k in range(count - 1):
        gap = max(spans[k + 1][0] - spans[k][1] + 1, 1)
        weight = 6.0 * ease * min((2 * ease / gap) ** 4, 1e4) if gap <= 2 * _LONGEST * ease else 0.0
        own[k] += weight
        own[k + 1] += weight
        beside.append(-weight)
        for c in (0, 1):
            step = weight * (ends[k + 1][0][0][c] - ends[k][1][0][c])
            wanted[k][c] += step
            wanted[k + 1][c] -= step
    for k in range(1, count):
        share = beside[k - 1] / own[k - 1]
        own[k] -= share * beside[k - 1]
        for c in (0, 1):
            wanted[k][c] -= share * wanted[k - 1][c]
    for k in range(count - 1, -1, -1):
        for c in (0, 1):
            if k + 1 < count:
                wanted[k][c] -= beside[k] * wanted[k + 1][c]
            wanted[k][c] /= own[k]
            value[c, slice(*spans[k])] += wanted[k][c]
            for at, _ in ends[k]:
                at[c] += wanted[k][c]


def _frames_to_fade(end: _End, ease: int, gentle: float) -> int:
    """Frames in which a shift fades: the curvature of the cubic is at most (4 slope T + 6 shift) / T^2."""
    if not math.isfinite(gentle):
        return ease
    x, v = (math.hypot(*each[:2]) for each in end)
    needed = (2 * v + math.sqrt(4 * v * v + 6 * x * gentle)) / gentle
    return min(max(math.ceil(min(needed, 1e9)), ease), _LONGEST * ease)


def _curves(
    ends: list[tuple[_End, _End]], spans: _Spans, ease: int, gentle: float
) -> list[tuple[int, int, _End, _End]]:
    """Frames between which a move changes, and what it is at both."""
    fades = [
        (_frames_to_fade(begin, ease, gentle), _frames_to_fade(end, ease, gentle)) for begin, end in ends
    ]
    out, meets = [], False
    for k, ((start, stop), (begin, end), (before, after)) in enumerate(zip(spans, ends, fades, strict=True)):
        if not meets:
            out.append((start - before - 1, start, _NOTHING, begin))
        meets = k + 1 < len(spans) and spans[k + 1][0] - stop < after + fades[k + 1][0]
        if meets:
            out.append((stop - 1, spans[k + 1][0], end, ends[k + 1][0]))
        else:
            out.append((stop - 1, stop + after, end, _NOTHING))
    return out


def _fill(value: Floats, curves: list[tuple[int, int, int, int, _End, _End]]) -> None:
    """Fill frames of moves (3, F) with cubics: within which frames, between which, what is left and what is met."""
    cubics, rows, times = [], [], []
    for low, high, first, last, (a, rate_a), (b, rate_b) in curves:
        begin, stop, length = max(first + 1, low), min(last, high), last - first
        for x, p, y, q in zip(a, rate_a, b, rate_b, strict=True):
            way, leave, meet = y - x, length * p, length * q
            cubics.append((x, leave, 3 * way - 2 * leave - meet, leave + meet - 2 * way))
        rows.append(np.arange(begin, stop))
        times.append((rows[-1] - first) / length)
    counts = [len(each) for each in rows]
    c = np.repeat(np.array(cubics).reshape(-1, 3, 4).transpose(2, 1, 0), counts, axis=-1)
    t = np.concatenate(times)
    value[:, np.concatenate(rows)] = c[0] + t * (c[1] + t * (c[2] + t * c[3]))
