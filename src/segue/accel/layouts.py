"""Names for the elements of flat arrays: a layout is a numpy structured dtype of 8-byte numbers, without gaps.

Kernels read and write numbers by column index; other code reads them by name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_WIDTH = 8  # bytes of a number


def columns(layout: np.dtype[np.void], names: str) -> tuple[int, ...]:
    """Index of the first column of each named field.

    Parameters
    ----------
    layout
        The dtype.
    names
        Field names, separated by spaces.

    Examples
    --------
    >>> columns(np.dtype([("x", "f8"), ("feet", "f8", 4), ("turn", "f8")]), "feet turn")
    (1, 5)
    """
    offsets = {name: found[1] for name, found in (layout.fields or {}).items()}
    return tuple(offsets[name] // _WIDTH for name in names.split())


def width(layout: np.dtype[np.void]) -> int:
    """Number of columns of a layout.

    Examples
    --------
    >>> width(np.dtype([("x", "f8"), ("feet", "f8", 4)]))
    5
    """
    return layout.itemsize // _WIDTH


def named(layout: np.dtype[np.void], numbers: npt.NDArray[Any]) -> Any:
    """View of the first columns of an array (..., N) by field names, N at least the layout's width: (...).

    Examples
    --------
    >>> state = np.arange(8.0)
    >>> character = named(np.dtype([("x", "f8"), ("feet", "f8", 4)]), state)
    >>> character["feet"][0] = 7.0
    >>> float(character["x"]), float(state[1])
    (0.0, 7.0)
    """
    return numbers[..., : width(layout)].view(layout)[..., 0]
