"""The only door to the compiler: every kernel is decorated here and nowhere else.

Kernels live in `_kernels.py` files. Their machine code is cached on disk in a folder named by a digest of all
kernel sources, because a cached kernel that calls a kernel of another file would otherwise keep the old callee
after that file changes.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import codegen, event

F = TypeVar("F", bound=Callable[..., Any])

KERNELS: dict[str, Callable[..., Any]] = {}
"""Every kernel by 'room.name', for the house tests."""


def _digest() -> str:
    """Digest of every kernel source of the package, and of the vector tiles that kernels call."""
    package = Path(__file__).parent
    sources = [*sorted(package.glob("_vector*.py")), *sorted(package.rglob("_kernels.py"))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def _cache_folder() -> Path:
    """Return a writable folder for machine code, named by the digest."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(base) / "segue" / f"kernels-{_digest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return Path(tempfile.gettempdir()) / f"segue-kernels-{_digest()}"
    return folder


_config: Any = numba.config  # its settings are made at import and unknown to type checkers
_config.CACHE_DIR = str(_cache_folder())

_codegen: Any = codegen  # untyped


def _features() -> str:
    """Features of this processor, with vectors as wide as it has: LLVM takes half of an Intel's by default."""
    known: str = _codegen.get_host_cpu_features()
    return f"{known},-prefer-256-bit" if "+avx512f" in known.split(",") else known


if _config.CPU_FEATURES is None:  # a person may have set NUMBA_CPU_FEATURES
    _config.CPU_FEATURES = _features()


_events: Any = event  # untyped


class _Compiling(_events.Listener):  # type: ignore[misc]
    """Says once a process that kernels are compiled: people wait some seconds the first time, and never again.

    Python looks for garbage to collect every few hundred new objects, of which a compiler makes millions: it pauses
    until a kernel is done, which takes a seventh less time then. The compiler works for one thread at a time.
    """

    def __init__(self) -> None:
        self.told = self.collecting = False
        self.depth = 0

    def on_start(self, event: Any) -> None:
        """Speak when a kernel of segue's is about to be compiled rather than read from the cache."""
        if self.depth == 0:
            self.collecting = gc.isenabled()
            gc.disable()
        self.depth += 1
        if self.told or event.data["dispatcher"] not in KERNELS.values():
            return
        self.told = True
        logging.getLogger("segue.kernels").info(
            "compiling kernels for this machine takes some seconds, once; later runs start at once"
        )

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        """Collect garbage again."""
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
    compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    KERNELS[f"{room}.{function.__name__}"] = compiled
    typed: F = compiled
    return typed
