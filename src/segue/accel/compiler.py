"""The decorators of kernels: every loop that is compiled is compiled here.

Kernels live in `_kernels.py` files. `segue.accel.cache` keeps their machine code on disk.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import event

from segue.accel.cache import KernelCache, folder

F = TypeVar("F", bound=Callable[..., Any])

KERNELS: dict[str, Callable[..., Any]] = {}
"""Every kernel by 'room.name', for the house tests."""

_events: Any = event  # untyped


class _Compiling(_events.Listener):  # type: ignore[misc]
    """Reports once a machine that kernels are compiled: people wait some seconds the first time, and never again.

    Python looks for garbage to collect every few hundred new objects, of which a compiler makes millions: it pauses
    until a kernel is done, which takes a seventh less time then. The compiler works for one thread at a time.
    """

    def __init__(self) -> None:
        self.reported = self.collecting = False
        self.depth = 0

    def on_start(self, event: Any) -> None:
        """Report that a kernel of segue's is about to be compiled rather than read from the cache."""
        if self.depth == 0:
            if event.data["dispatcher"] not in KERNELS.values():
                return
            self.collecting = gc.isenabled()
            gc.disable()
        self.depth += 1
        if self.reported:
            return
        self.reported = True
        place = folder()
        if place is None or not any(place.glob("*.kernel")):
            logging.getLogger("segue.kernels").info(
                "compiling kernels for this machine takes some seconds, once; later runs start at once"
            )

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        """Collect garbage again."""
        if self.depth == 0:
            return
        self.depth -= 1
        if self.depth == 0 and self.collecting:
            gc.enable()


_events.register("numba:compile", _Compiling())


def kernel(function: F) -> F:
    """Compile a kernel: machine code cached, no GIL, exact arithmetic, numpy's rules for division.

    ``fastmath`` stays off: sums would be reordered and results would differ between processors.
    """
    return _compiled(function, fastmath=False)


def fast_kernel(function: F) -> F:
    """Compile a kernel whose sums may be reordered, for cost matrices whose error is stated and tested.

    A kernel named ``_so`` belongs to the kernels that call it and becomes a part of their code. Left outside it would
    be compiled alone as well, its sums in another order, and a linker takes the first code it meets under a name: in
    the process that compiles the one made alone, in those that read the cache the caller's own.
    """
    return _compiled(function, fastmath=True, forceinline=function.__name__.startswith("_"))


def _compiled(function: F, *, fastmath: bool, forceinline: bool = False) -> F:
    room = function.__module__.split(".")[-2]
    # Nobody calls kernels from C. Doors for Python stay on all of them, also on those that only kernels call: what the
    # compiler knows of a type's functions it learns anew for every set of options.
    options: dict[str, Any] = {"fastmath": fastmath, "forceinline": forceinline, "no_cfunc_wrapper": True}
    compiled: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if compiled is not function:  # not run interpreted
        compiled._cache = KernelCache(function)
    KERNELS[f"{room}.{function.__name__}"] = compiled
    typed: F = compiled
    return typed
