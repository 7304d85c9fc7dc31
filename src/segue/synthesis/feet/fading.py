"""Values that are known in spans of frames fade to nothing around them, or from one span to the next."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from segue.arrays import Floats


def filled(values: Floats, spans: Sequence[tuple[int, int]], *, ease: int) -> Floats:
    """Curve (F,) that has values (F,) within spans of frames and fades to nothing around them, or from one to the next.

    Fades are cubics that go on as the values do at their ends; they take ``ease`` frames, or the time between two spans
    that lie nearer than two fades.

    Examples
    --------
    >>> import numpy as np
    >>> filled(np.ones(9), [(3, 5)], ease=2).round(2).tolist()
    [0.0, 0.26, 0.74, 1.0, 1.0, 0.74, 0.26, 0.0, 0.0]
    """
    n = len(values)
    out: Floats = np.zeros(n)
    for start, stop in spans:
        out[start:stop] = values[start:stop]
    fades = []
    if spans:
        fades += [(spans[0][0] - ease - 1, spans[0][0], 0.0, 0.0, *_end(values, spans[0], first=True))]
        fades += [(spans[-1][1] - 1, spans[-1][1] + ease, *_end(values, spans[-1], first=False), 0.0, 0.0)]
    for one, two in itertools.pairwise(spans):
        left, right = _end(values, one, first=False), _end(values, two, first=True)
        if two[0] - one[1] < 2 * ease:
            fades.append((one[1] - 1, two[0], *left, *right))
        else:
            fades.append((one[1] - 1, one[1] + ease, *left, 0.0, 0.0))
            fades.append((two[0] - ease - 1, two[0], 0.0, 0.0, *right))
    for first, last, a, leave, b, meet in fades:
        rows = np.arange(max(first + 1, 0), min(last, n))
        length = last - first
        t, p, q = (rows - first) / length, length * leave, length * meet
        out[rows] = a + t * (p + t * (3 * (b - a) - 2 * p - q + t * (p + q - 2 * (b - a))))
    return out


def _end(values: Floats, span: tuple[int, int], *, first: bool) -> tuple[float, float]:
    """Value at an end of a span, and how it changes by a frame there."""
    start, stop = span
    at, beside = (start, min(start + 1, stop - 1)) if first else (stop - 1, max(stop - 2, start))
    change = values[beside] - values[at]
    return float(values[at]), float(change if first else -change)
