"""Boolean flags per frame: stretches, hysteresis, short gaps and short stretches."""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools


def runs(flags: Bools) -> list[tuple[int, int]]:
    """Half-open frame ranges of the true stretches of flags (F,)."""
    edges = ((flags[1:] != flags[:-1]).nonzero()[0] + 1).tolist()
    if flags.size and flags[0]:
        edges.insert(0, 0)
    if flags.size and flags[-1]:
        edges.append(flags.size)
    return list(zip(edges[::2], edges[1::2], strict=True))


def column_runs(flags: Bools) -> list[tuple[int, int, int]]:
    """Column and half-open frame range of every true stretch of flags (F, P), by column.

    Examples
    --------
    >>> import numpy as np
    >>> column_runs(np.array([[1, 0], [1, 1], [0, 1]], bool))
    [(0, 0, 2), (1, 1, 3)]
    """
    n_frames, columns = flags.shape
    # A false flag after each column ends its last stretch.
    apart = np.zeros((columns, n_frames + 1), dtype=bool)
    apart[:, :n_frames] = flags.T
    out = []
    for start, stop in runs(apart.ravel()):
        column, first = divmod(start, n_frames + 1)
        out.append((column, first, first + stop - start))
    return out


def hysteresis(strong: Bools, weak: Bools) -> Bools:
    """Return the stretches of weak flags (F,) that contain at least one strong one.

    Examples
    --------
    >>> import numpy as np
    >>> hysteresis(np.array([0, 0, 1, 0, 0], bool), np.array([1, 0, 1, 1, 0], bool)).astype(int).tolist()
    [0, 0, 1, 1, 0]
    """
    both = strong | weak
    out = np.zeros(both.size, dtype=bool)
    for start, stop in runs(both):
        out[start:stop] = np.any(strong[start:stop])
    return out


def without_short(flags: Bools, frames: float) -> Bools:
    """Fill gaps shorter than a number of frames, then drop shorter stretches; runs at the clip's ends are kept.

    Flags are (F,), or (F, P) for P parts, each processed separately.

    Examples
    --------
    >>> import numpy as np
    >>> without_short(np.array([1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0], bool), 2).astype(int).tolist()
    [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    """
    n_frames, out = len(flags), flags.T.ravel().copy()  # one part after another
    if not out.size:
        return flags.copy()
    for turned in (False, True):
        ends = out[1:] != out[:-1]
        ends[n_frames - 1 :: n_frames] = True
        edges = ends.nonzero()[0] + 1
        for k in (edges[1:] - edges[:-1] < frames).nonzero()[0]:
            start, stop = edges[k], edges[k + 1]
            if out[start] == turned and start % n_frames and stop % n_frames:
                out[start:stop] = not turned
    return out.reshape(flags.T.shape).T
