"""Animated scales: a bone has one length, that of the rest pose, whatever a file scales it by over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Bools, Floats

_VARIES = 1e-3
"""Share of its largest value by which a scale varies that is animated."""
_NOTHING = 1e-6
_NAMED = 6


def varies(scales: Floats) -> Bools:
    """Whether scales (F, ..., 3) change over time: (...,).

    Examples
    --------
    >>> varies(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])), varies(np.full((2, 3), 0.01))
    (np.True_, np.False_)
    """
    most = np.abs(scales).max(axis=(0, -1))
    out: Bools = np.ptp(scales, axis=0).max(axis=-1) > _VARIES * np.maximum(most, _NOTHING)
    return out


def held(rest: Floats, scales: Floats) -> Floats:
    """Scale (3,) to keep where it is animated: the rest pose's, or where that is nothing the median of what is more.

    Parameters
    ----------
    rest
        (3,) of the rest pose.
    scales
        (F, 3) over time.

    Examples
    --------
    >>> held(np.ones(3), np.zeros((4, 3))).tolist()
    [1.0, 1.0, 1.0]
    """
    if np.abs(rest).min() > _NOTHING:
        return rest
    shown = scales[np.abs(scales).min(axis=-1) > _NOTHING]
    return np.median(shown, axis=0) if len(shown) else np.ones(3)


def said_held(names: Sequence[str]) -> list[str]:
    """Sentence for a clip's notes on the nodes whose scale is animated; none where there are none."""
    if not names:
        return []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    shown = ", ".join(map(repr, names[:_NAMED])) + more
    return [f"the scale of {shown} is animated; bones keep the lengths of the rest pose"]
