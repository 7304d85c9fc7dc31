"""Counter-based random numbers: each is a function of a seed, a character and a count, so no state is kept.

The mixing function of SplitMix64 (Steele, Lea & Flood 2014), vectorised.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats

Words = npt.NDArray[np.uint64]
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mixed(words: Words) -> Words:
    """Hash words (...,) so that every bit of the result depends on every bit of its word.

    Examples
    --------
    >>> import numpy as np
    >>> hex(int(mixed(np.array([0], dtype=np.uint64))[0]))
    '0xe220a8397b1dcdaf'
    """
    with np.errstate(over="ignore"):
        z = words + _STEP
        z = (z ^ (z >> np.uint64(30))) * _FIRST
        z = (z ^ (z >> np.uint64(27))) * _SECOND
        return z ^ (z >> np.uint64(31))


def streams(seed: int, numbers: npt.ArrayLike) -> Words:
    """Return one word (N,) for each number under a seed: the start of its own stream of random numbers."""
    first = mixed(np.array([seed % 2**64], dtype=np.uint64))
    return mixed(first ^ np.asarray(numbers, dtype=np.uint64) * _STEP)


def uniform(stream: Words, counts: npt.ArrayLike, which: int = 0) -> Floats:
    """Draw numbers in (0, 1) from streams (N,), each at its own count (N,); ``which`` numbers the draws of one count.

    Examples
    --------
    >>> rows = uniform(streams(1, [0, 1]), [5, 5])
    >>> bool((rows > 0).all() and (rows < 1).all() and rows[0] != rows[1])
    True
    """
    with np.errstate(over="ignore"):
        given = np.asarray(counts).astype(np.uint64) * np.uint64(16) + np.uint64(which)
        words = mixed(stream ^ mixed(given))
    out: Floats = ((words >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53
    return out
