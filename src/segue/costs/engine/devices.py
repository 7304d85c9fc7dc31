"""Which device computes tiles, and what is said when the one asked for is not there.

PyTorch is loaded only when a graphics processor is asked for.
"""

from __future__ import annotations

import importlib.util
import sys
from functools import lru_cache
from threading import Lock
from typing import Any, Literal, get_args

from segue.arrays import Costs
from segue.costs.engine.array_api import ArrayTiles, Place, formula_of
from segue.costs.engine.tiles import Tiles
from segue.errors import SettingError, installing

Device = Literal["cpu", "gpu", "auto"]
DEVICES: tuple[str, ...] = get_args(Device)
_ONE_LOOKS = Lock()
_WIDE = 16384
"""Columns of a strip that keep a graphics processor busy."""


def check_device(device: str) -> None:
    """Refuse a word that names no device.

    Raises
    ------
    SettingError
        If it is none of ``cpu``, ``gpu`` and ``auto``.
    """
    if device not in DEVICES:
        raise SettingError(f"device {device!r} is not known; it can be {', '.join(DEVICES)}")


def why_no_gpu() -> str | None:
    """What is missing to compute on a graphics processor; None if nothing is."""
    if importlib.util.find_spec("torch") is None:
        return f"PyTorch is not installed ({installing('gpu')})"
    import torch

    if not torch.cuda.is_available():
        return "PyTorch finds no graphics processor"
    return None


def torch_place(device: str) -> Place:
    """Tensors on one of PyTorch's devices; single precision products stay single precision."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False

    def put(array: Costs) -> Any:
        # A copy: features may be read-only, which tensors cannot say.
        return torch.tensor(array, device=device)

    def fetch(tensor: Any, out: Costs) -> None:
        torch.from_numpy(out).copy_(tensor)

    return Place(torch, put, fetch, 1344 if device == "cpu" else _WIDE, f"torch on {device}")


def place_for(device: Device) -> Place | None:
    """Where to compute; None for the kernels of this machine's cores.

    Says on standard error, once, that a graphics processor that was asked for is not there.
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
    """Tiles computed on a device; those without a formula stay as they are.

    Examples
    --------
    >>> import segue
    >>> from segue.costs.engine.layout import lay
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
