"""Tiles written as expressions over arrays, so that they run on any library and device.

A cost's tiles may offer a `Formula`: features of both sides by slot, and a function that computes a block of costs from
a range of each with the operations common to NumPy, PyTorch and other libraries of the array API. `ArrayTiles` runs it
on a `Place`. The engine's strips, borders, minima, memory budget and stopping are unchanged.

A formula has no loop of its own and is independent of the device; products may be summed in another order
than by the kernels, so that results agree with theirs within each cost's float32 error, not to the last bit.

`place_for` selects the device and reports why a requested one is unavailable. PyTorch is loaded only if a
graphics processor is requested.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, Literal, get_args

import numpy as np

from segue.arrays import Costs, Ints
from segue.costs.engine.tiles import LANES, Fill, Tiles
from segue.errors import SettingError, installing

Arrays = Mapping[str, Any]
"""Arrays of some library by name."""


@dataclass(frozen=True, eq=False)
class Formula:
    """Costs of a block as an expression over arrays.

    Parameters
    ----------
    costs
        ``costs(xp, rows, columns)`` returns (R, C) costs, none below zero. ``xp`` is the arrays' library;
        rows hold (R + reach, K) and columns (C + reach, K) features.
    rows, columns
        Features (S, K) of both sides by slot; missing slots after the last are zeros.
    reach
        Slots after the last row or column that its window needs.
    each
        Temporary numbers per cell, for the memory budget.
    """

    costs: Callable[[Any, Arrays, Arrays], Any]
    rows: Mapping[str, Costs]
    columns: Mapping[str, Costs]
    reach: int = 0
    each: int = 6


@dataclass(frozen=True, eq=False)
class Place:
    """Library and device that hold and compute arrays.

    Parameters
    ----------
    xp
        The library: its functions ``abs``, ``sqrt``, ``clip`` and its arrays' operators are used.
    put
        Converts a NumPy array.
    fetch
        ``fetch(array, out)`` writes an array to a NumPy array.
    columns_at_once
        Widest strip that is fast there.
    name
        Name for the user.
    """

    xp: Any
    put: Callable[[Costs], Any]
    fetch: Callable[[Any, Costs], None]
    columns_at_once: int
    name: str


def numpy_place(columns_at_once: int = 1344) -> Place:
    """NumPy arrays: the reference for other places, also used for settings without a kernel.

    Examples
    --------
    >>> numpy_place().name
    'numpy'
    """

    def fetch(array: Costs, out: Costs) -> None:
        out[:] = array

    return Place(np, np.asarray, fetch, columns_at_once, "numpy")


class ArrayTiles(Tiles):
    """Tiles of a formula at a place.

    Parameters
    ----------
    formula
        Expression of the costs.
    place
        Library and device.
    dtype
        Type of the costs returned.
    """

    def __init__(self, formula: Formula, place: Place, dtype: str) -> None:
        self.formula, self.place, self.dtype = formula, place, dtype
        self.columns_at_once = place.columns_at_once
        self.rows = {name: place.put(part) for name, part in formula.rows.items()}
        self.columns = {
            name: self.rows[name] if part is formula.rows.get(name) else place.put(part)
            for name, part in formula.columns.items()
        }

    @property
    def nbytes(self) -> int:
        """Bytes of both sides' features."""
        held = {
            id(part): part.nbytes for part in (*self.formula.rows.values(), *self.formula.columns.values())
        }
        return sum(held.values())

    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes of temporary arrays per block."""
        reach = self.formula.reach
        return int((columns + reach) * (rows + reach) * self.formula.each * np.dtype(self.dtype).itemsize)

    def strip(self, first: int, last: int) -> Fill:
        """Cut the columns, with zeros for slots beyond the side."""
        place, formula = self.place, self.formula
        slots = slice(first, last + formula.reach)
        there = {name: _cut(self.columns[name], part, slots, place) for name, part in formula.columns.items()}

        def fill(start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
            skipped = 0 if left is None else min(int(left.min(initial=out.shape[1])), out.shape[1])
            skipped -= skipped % LANES
            if skipped == out.shape[1]:
                return
            taken = slice(start, stop + formula.reach)
            here = {name: _cut(self.rows[name], part, taken, place) for name, part in formula.rows.items()}
            right = {name: part[skipped:, ...] for name, part in there.items()}
            place.fetch(formula.costs(place.xp, here, right), out[:, skipped:])

        return fill


def _cut(array: Any, source: Costs, slots: slice, place: Place) -> Any:
    """A range of slots of an array; a range beyond the end is copied and padded with zeros."""
    if slots.stop <= source.shape[0]:
        return array[slots.start : slots.stop, ...]
    part = source[slots]
    missing = slots.stop - slots.start - part.shape[0]
    return place.put(np.pad(part, ((0, missing), *((0, 0),) * (part.ndim - 1))))


def squared_gaps(xp: Any, rows: Arrays, columns: Arrays) -> Any:
    """Inner products of features, clamped at zero."""
    return xp.clip(rows["features"] @ columns["features"].T, 0.0, None)


def absolute_sums(xp: Any, rows: Arrays, columns: Arrays) -> Any:
    """Sums of absolute differences of features."""
    x, y = rows["features"], columns["features"]
    out = xp.abs(x[:, :1] - y[:, :1].T)
    for k in range(1, x.shape[1]):
        out += xp.abs(x[:, k : k + 1] - y[:, k : k + 1].T)
    return out


def windowed(frames: Any, taps: tuple[float, ...], spare: int) -> Any:
    """Weighted sums (R, C) along the diagonals of frame pairs (R + spare, C + spare)."""
    rows, columns = (size - spare for size in frames.shape)
    out = taps[0] * frames[:rows, :columns]
    for o in range(1, len(taps)):
        out += taps[o] * frames[o : o + rows, o : o + columns]
    return out


BY_KERNEL: dict[str, Callable[[Any, Arrays, Arrays], Any]] = {
    "squared_gaps": squared_gaps,
    "absolute_sums": absolute_sums,
}
"""The expression equivalent to a compiled kernel of `FeatureTiles`, by the kernel's name."""


def formula_of(tiles: Tiles) -> Formula | None:
    """The formula offered by tiles, or None.

    Examples
    --------
    >>> import numpy as np
    >>> from segue.costs._kernels import absolute_sums
    >>> from segue.costs.engine.tiles import FeatureTiles
    >>> features = np.zeros((8, 3))
    >>> formula_of(FeatureTiles(features, features, absolute_sums)).reach
    0
    """
    made = getattr(tiles, "formula", None)
    if made is not None:
        own: Formula | None = made if isinstance(made, Formula) else made()
        return own
    costs = BY_KERNEL.get(getattr(getattr(tiles, "kernel", None), "__name__", ""))
    if costs is None:
        return None
    rows, columns = tiles.rows, tiles.columns  # type: ignore[attr-defined]
    return Formula(costs, {"features": rows}, {"features": columns}, each=3)


Device = Literal["cpu", "gpu", "auto"]
DEVICES: tuple[str, ...] = get_args(Device)
_ONE_LOOKS = Lock()
_WIDE = 16384
"""Columns of a strip wide enough to keep a graphics processor busy."""


def check_device(device: str) -> None:
    """Refuse an unknown device name.

    Raises
    ------
    SettingError
        If it is none of ``cpu``, ``gpu`` and ``auto``.
    """
    if device not in DEVICES:
        raise SettingError(f"device {device!r} is not known; it can be {', '.join(DEVICES)}")


def why_no_gpu() -> str | None:
    """Return why no graphics processor can be used; None if one can."""
    if importlib.util.find_spec("torch") is None:
        return f"PyTorch is not installed ({installing('gpu')})"
    import torch

    if not torch.cuda.is_available():
        return "PyTorch finds no graphics processor"
    return None


def torch_place(device: str) -> Place:
    """Tensors on one of PyTorch's devices, without TF32 products."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False

    def put(array: Costs) -> Any:
        # A copy, because features may be read-only, which tensors do not support.
        return torch.tensor(array, device=device)

    def fetch(tensor: Any, out: Costs) -> None:
        torch.from_numpy(out).copy_(tensor)

    return Place(torch, put, fetch, 1344 if device == "cpu" else _WIDE, f"torch on {device}")


def place_for(device: Device) -> Place | None:
    """Return the place to compute; None for the compiled kernels on the CPU.

    Reports once on standard error if a requested graphics processor is unavailable.
    """
    check_device(device)
    with _ONE_LOOKS:
        return _looked_up(device)


@lru_cache(maxsize=3)
def _looked_up(device: Device) -> Place | None:
    missing = None if device == "cpu" else why_no_gpu()
    if device == "cpu" or missing:
        if device == "gpu":
            sys.stderr.write(f"segue: computing on the CPU: {missing}\n")
        return None
    return torch_place("cuda")


def tiles_at(tiles: Tiles, device: Device) -> Tiles:
    """Tiles computed on a device; tiles without a formula are returned unchanged.

    Examples
    --------
    >>> import segue
    >>> from segue.costs.engine.tiles import lay
    >>> from segue.costs.engine.tiles import tiles_of
    >>> cost = segue.cost("relative_distance")
    >>> side = lay([cost.prepare(segue.sample("walk"))])
    >>> type(tiles_at(tiles_of(cost, side, side), "cpu")).__name__
    'FeatureTiles'
    """
    place = place_for(device)
    formula = formula_of(tiles) if place else None
    if place is None or formula is None:
        return tiles
    return ArrayTiles(formula, place, tiles.dtype)
