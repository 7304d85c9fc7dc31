"""Digests of files, and of what was read from them, made when somebody asks for it."""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path

from segue.file_bytes import file_bytes
from segue.io.animation_names import split_fragment

_SMALL = 50_000
"""Bytes that are hashed at once: that costs less than keeping them in mind."""
_ROOM = 32_000_000
"""Bytes that may wait in all; beyond, the oldest are hashed and let go."""

_waiting: list[weakref.ref[Digest]] = []
_lock = threading.Lock()


class Digest:
    """SHA-256 of bytes that were read, as 64 hexadecimal digits; call it to have them.

    Few who read a motion ask for its digest, and for those who do it must be that of the bytes that were read, also
    when the file has changed since. So the bytes are kept until it is asked for, at most `_ROOM` of them at a time.

    Examples
    --------
    >>> Digest(b"")()[:8]
    'e3b0c442'
    """

    def __init__(self, content: bytes) -> None:
        self._content: bytes | None = content
        self._text = ""
        if len(content) <= _SMALL:
            self()
        else:
            _keep(self)

    def __call__(self) -> str:
        """64 hexadecimal digits."""
        content = self._content
        if content is not None:
            self._text = hashlib.sha256(content).hexdigest()
            self._content = None
        return self._text

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Copied and sent elsewhere as the text it stands for."""
        return str, (self(),)

    @property
    def waits(self) -> int:
        """Bytes that are kept for it."""
        content = self._content
        return 0 if content is None else len(content)


def _keep(digest: Digest) -> None:
    """Keep a digest's bytes, and let the oldest go where they become too many.

    Any of them may be asked for by another thread meanwhile: sizes are taken once.
    """
    with _lock:
        found = [one for one in [*(ref() for ref in _waiting), digest] if one is not None]
        alive = [(one, size) for one in found if (size := one.waits)]
        total, first = sum(size for _, size in alive), 0
        while total > _ROOM:
            total -= alive[first][1]
            first += 1
        _waiting[:] = [weakref.ref(one) for one, _ in alive[first:]]
    for oldest, _ in alive[:first]:
        oldest()


def files_digest(paths: Sequence[Path]) -> str:
    """SHA-256 of the bytes of some files in turn: those of one motion."""
    out = hashlib.sha256()
    for path in paths:
        out.update(file_bytes(path))
    return out.hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file; of the whole file where the path names one animation in it."""
    return files_digest([split_fragment(path)[0]])
