"""The decorators of kernels: every loop that is compiled is compiled here.

Kernels live in `_kernels.py` files. Their machine code is kept on disk, read only from a folder that nobody else can
write, and only as it was written.

A file of machine code holds pickles, so whoever can write one runs code in the process that reads it. Each file begins
with a digest of the rest: a file that was cut, overwritten or left empty is compiled again. The folder is named by a
digest of all kernel sources and of where they lie, because a cached kernel that calls a kernel of another file would
otherwise keep the old callee after that file changes, and names the modules that it was made from.
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


_caching: Any = caching  # untyped
_compiler: Any = compiler
_serialize: Any = serialize
_runtime: Any = runtime

KEPT_DAYS = 30
"""Days after which machine code of other versions of the kernels is removed, counted from its last use."""

_NAME = re.compile(r"kernels-[0-9a-f]{16}")
_DIGEST_BYTES = hashlib.sha256().digest_size
_VERSIONS = (sys.version, numba.__version__, llvmlite.__version__)


def wanted_folder() -> Path:
    """Folder of this version's machine code, whether or not it exists and may be used."""
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
    """Folder of machine code; None where there is none that this user alone can write, which is logged once."""
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
        "machine code is compiled anew in every run and not kept in %s: %s; XDG_CACHE_HOME names another place",
        wanted,
        reason,
    )
    return None


def kept() -> tuple[int, Path | None]:
    """How many pieces of machine code are kept, one a kernel and signature, and where."""
    place = folder()
    return (0, None) if place is None else (sum(1 for _ in place.glob("*.kernel")), place)


def _doubt(wanted: Path) -> str | None:
    """Why others could put files into a folder, or None."""
    if not hasattr(os, "getuid"):  # Windows: folders of a user's profile are the user's alone
        return None
    user = os.getuid()
    for path in dict.fromkeys((wanted, *wanted.parents, *wanted.resolve().parents)):
        held, own = path.stat(), path in {wanted, wanted.parent}
        if held.st_uid != user and (own or held.st_uid != 0):
            return f"{path} belongs to another user"
        # In a folder with the sticky bit nobody can move what belongs to somebody else.
        safe = not own and held.st_mode & stat.S_ISVTX
        if held.st_mode & 0o022 and not safe and not _own_group(held):
            return f"others can write {path}"
    return None


def _own_group(held: os.stat_result) -> bool:
    """Whether a folder is open to no more than a group that holds this user and nobody else."""
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
    """Note that a folder is in use; a new one replaces those that nobody has used for long."""
    probe = wanted / f".probe-{uuid.uuid4().hex}"
    probe.touch()
    probe.unlink()  # which also sets the folder's time
    if not fresh:
        return
    for other in wanted.parent.iterdir():
        old = time.time() - other.lstat().st_mtime > KEPT_DAYS * 86400
        if old and _NAME.fullmatch(other.name) and not other.is_symlink():
            shutil.rmtree(other, ignore_errors=True)


class KernelCache(_caching.NullCache):  # type: ignore[misc]
    """Machine code of one kernel, a file for every signature, processor and version of what compiles it."""

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
        """Compiled kernel of a signature, or None where there is none that can be used."""
        _runtime.rtsys.initialize(target_context)  # no refresh, which only compiling needs (decision 197)
        file = self._file(sig, target_context.codegen())
        if file is None:
            return None
        try:
            data = file.read_bytes()
        except OSError:  # none yet, or something that is no file
            return None
        content = data[_DIGEST_BYTES:]
        if hashlib.sha256(content).digest() != data[:_DIGEST_BYTES]:
            return None
        signature, reduced = pickle.loads(content)  # noqa: S301 - this user's own file, as it was written
        if signature != sig:
            return None
        return _compiler.CompileResult._rebuild(target_context, *reduced)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel; where that fails it is compiled again the next time."""
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
