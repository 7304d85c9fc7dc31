"""Names for the numbers of flat arrays: a layout is a numpy structured dtype of 8-byte numbers, without gaps.

Kernels read and write one number after the other by its column; everybody else reads them by name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_WIDTH = 8  # bytes of a number


def columns(layout: np.dtype[np.void], names: str) -> tuple[int, ...]:
    """First column of each of some fields.

    Parameters
    ----------
    layout
        The dtype.
    names
        Fields, parted by blanks.

    Examples
    --------
    >>> columns(np.dtype([("x", "f8"), ("feet", "f8", 4), ("turn", "f8")]), "feet turn")
    (1, 5)
    """
    offsets = {name: found[1] for name, found in (layout.fields or {}).items()}
    return tuple(offsets[name] // _WIDTH for name in names.split())


def width(layout: np.dtype[np.void]) -> int:
    """Columns of a layout.

    Examples
    --------
    >>> width(np.dtype([("x", "f8"), ("feet", "f8", 4)]))
    5
    """
    return layout.itemsize // _WIDTH


def named(layout: np.dtype[np.void], numbers: npt.NDArray[Any]) -> Any:
    """View of the first numbers of an array (..., N), N as many as the layout has or more, by name: (...).

    Examples
    --------
    >>> state = np.arange(8.0)
    >>> character = named(np.dtype([("x", "f8"), ("feet", "f8", 4)]), state)
    >>> character["feet"][0] = 7.0
    >>> float(character["x"]), float(state[1])
    (0.0, 7.0)
    """
    return numbers[..., : width(layout)].view(layout)[..., 0]
