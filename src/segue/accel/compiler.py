"""Decorators of kernels: every compiled loop is compiled here.

Kernels live in `_kernels.py` files. Their machine code is cached on disk, read only from a folder that no
other user can write, and only if it is unchanged.

A file of machine code holds pickles, so whoever can write one runs code in the process that reads it. Each
file begins with a digest of its content: a truncated, overwritten or empty file is compiled again. The folder
is named by a digest of the sources and paths of all kernels, because a cached kernel that calls a kernel of
another file would otherwise keep the old callee after that file changes, and refers to its modules by name.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import logging
import os
import pickle  # noqa: TID251 - what numba writes machine code in
import re
import shutil
import stat
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
from numba.core import caching, compiler, event, runtime, serialize

F = TypeVar("F", bound=Callable[..., Any])

KERNELS: dict[str, Callable[..., Any]] = {}
"""Every kernel by 'package.name', for the house tests."""

_events: Any = event  # untyped


class _Compiling(_events.Listener):  # type: ignore[misc]
    """Log once per machine that kernels are compiled, which takes some seconds at first use only.

    Garbage collection is paused during compilation, because a compiler allocates millions of objects: this
    saves a seventh of the time. The compiler works for one thread at a time.
    """

    def __init__(self) -> None:
        self.reported = self.collecting = False
        self.depth = 0

    def on_start(self, event: Any) -> None:
        """Log that a kernel of segue is compiled rather than read from the cache; pause garbage collection."""
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
        """Resume garbage collection."""
        if self.depth == 0:
            return
        self.depth -= 1
        if self.depth == 0 and self.collecting:
            gc.enable()


_events.register("numba:compile", _Compiling())


def kernel(function: F) -> F:
    """Compile a kernel: machine code cached, no GIL, exact arithmetic, numpy's rules for division.

    ``fastmath`` is off: sums would be reordered and results would differ between processors.
    """
    return _compiled(function, fastmath=False)


def fast_kernel(function: F) -> F:
    """Compile a kernel whose sums may be reordered, for cost matrices whose error is documented and tested.

    A kernel whose name begins with ``_`` is inlined into its callers. Otherwise it would also be compiled
    alone, with its sums in another order, and the linker takes the first code of that name: the separate
    version in the process that compiles, the caller's own version in processes that read the cache.
    """
    return _compiled(function, fastmath=True, forceinline=function.__name__.startswith("_"))


def _compiled(function: F, *, fastmath: bool, forceinline: bool = False) -> F:
    room = function.__module__.split(".")[-2]
    # Kernels are not called from C. All keep their Python wrappers, also those that only kernels call: for
    # each set of options the compiler loads the functions of every type again.
    options: dict[str, Any] = {"fastmath": fastmath, "forceinline": forceinline, "no_cfunc_wrapper": True}
    compiled: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if compiled is not function:  # not with numba's JIT disabled
        compiled._cache = KernelCache(function)
    KERNELS[f"{room}.{function.__name__}"] = compiled
    typed: F = compiled
    return typed


_caching: Any = caching  # untyped
_compiler: Any = compiler
_serialize: Any = serialize
_runtime: Any = runtime

KEPT_DAYS = 30
"""Days since last use after which machine code of other kernel versions is removed."""

_NAME = re.compile(r"kernels-[0-9a-f]{16}")
_DIGEST_BYTES = hashlib.sha256().digest_size
_VERSIONS = (sys.version, numba.__version__, llvmlite.__version__)


def wanted_folder() -> Path:
    """Folder of this version's machine code, which need not exist or be usable."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted([*(package / "accel").glob("*.py"), *package.rglob("_kernels.py")]):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()} {len(content)}\n".encode() + content)
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return (
        (base if base.is_absolute() else Path.home() / ".cache")
        / "segue"
        / f"kernels-{digest.hexdigest()[:16]}"
    )


@functools.cache
def folder() -> Path | None:
    """Folder of machine code; None if no folder is writable by this user alone, which is logged once."""
    wanted = wanted_folder()
    try:
        fresh = not wanted.exists()
        wanted.parent.parent.mkdir(parents=True, exist_ok=True)
        for path in (wanted.parent, wanted):
            path.mkdir(mode=0o700, exist_ok=True)
        reason = _doubt(wanted)
        if reason is None:
            _use(wanted, fresh=fresh)
            return wanted
    except OSError as error:
        reason = f"it cannot be written ({error.strerror})"
    logging.getLogger("segue.kernels").warning(
        "machine code is compiled in every run and cannot be cached in %s: %s; set XDG_CACHE_HOME to another folder",
        wanted,
        reason,
    )
    return None


def kept() -> tuple[int, Path | None]:
    """Number of cached pieces of machine code, one per kernel and signature, and their folder."""
    place = folder()
    return (0, None) if place is None else (sum(1 for _ in place.glob("*.kernel")), place)


def _doubt(wanted: Path) -> str | None:
    """Why another user could put files into a folder, or None."""
    if not hasattr(os, "getuid"):  # Windows: only the user can write to folders of the profile
        return None
    user = os.getuid()
    for path in dict.fromkeys((wanted, *wanted.parents, *wanted.resolve().parents)):
        held, own = path.stat(), path in {wanted, wanted.parent}
        if held.st_uid != user and (own or held.st_uid != 0):
            return f"{path} belongs to another user"
        # In a folder with the sticky bit nobody can move another user's files.
        safe = not own and held.st_mode & stat.S_ISVTX
        if held.st_mode & 0o022 and not safe and not _own_group(held):
            return f"others can write {path}"
    return None


def _own_group(held: os.stat_result) -> bool:
    """Whether a folder is writable by at most a group whose only member is this user."""
    import grp
    import pwd

    if held.st_mode & 0o002:
        return False
    try:
        name, group = pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(held.st_gid)
    except KeyError:
        return False
    return group.gr_name == name and set(group.gr_mem) <= {name}


def _use(wanted: Path, *, fresh: bool) -> None:
    """Mark a folder as used; if it is new, remove kernel folders unused for `KEPT_DAYS`."""
    probe = wanted / f".probe-{uuid.uuid4().hex}"
    probe.touch()
    probe.unlink()  # this also sets the folder's modification time
    if not fresh:
        return
    for other in wanted.parent.iterdir():
        old = time.time() - other.lstat().st_mtime > KEPT_DAYS * 86400
        if old and _NAME.fullmatch(other.name) and not other.is_symlink():
            shutil.rmtree(other, ignore_errors=True)


class KernelCache(_caching.NullCache):  # type: ignore[misc]
    """Machine code of one kernel, one file per signature, processor and compiler version."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__.split('.')[-2]}.{function.__name__}"

    @property
    def cache_path(self) -> str | None:
        """Folder of the files, as text."""
        place = folder()
        return None if place is None else str(place)

    def _file(self, signature: Any, codegen: Any) -> Path | None:
        place = folder()
        if place is None:
            return None
        key = repr((self._name, signature, codegen.magic_tuple(), _VERSIONS))
        return place / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.kernel"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled kernel of a signature, or None if no usable one is cached."""
        _runtime.rtsys.initialize(target_context)  # only compiling needs a refresh (decision 197)
        file = self._file(sig, target_context.codegen())
        if file is None:
            return None
        try:
            data = file.read_bytes()
        except OSError:  # missing, or not a file
            return None
        content = data[_DIGEST_BYTES:]
        if hashlib.sha256(content).digest() != data[:_DIGEST_BYTES]:
            return None
        signature, reduced = pickle.loads(content)  # noqa: S301 - this user's own file, as it was written
        if signature != sig:
            return None
        return _compiler.CompileResult._rebuild(target_context, *reduced)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache a compiled kernel; if that fails, it is compiled again next time."""
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        file = self._file(sig, data.codegen)
        if file is None:
            return
        content = _serialize.dumps((sig, data._reduce()))
        fresh = file.with_name(f"{file.name}.{uuid.uuid4().hex}")
        try:
            fresh.write_bytes(hashlib.sha256(content).digest() + content)
            fresh.replace(file)
        except OSError:
            fresh.unlink(missing_ok=True)
