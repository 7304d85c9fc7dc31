"""Digests of the bytes read from files, computed on demand."""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path

from segue.file_bytes import file_bytes
from segue.io.animation_names import split_fragment

_SMALL = 50_000
"""Up to this size the bytes are hashed immediately, which costs less than keeping them."""
_ROOM = 32_000_000
"""Total bytes kept unhashed; beyond, the oldest are hashed and released."""

_waiting: list[weakref.ref[Digest]] = []
_lock = threading.Lock()


class Digest:
    """SHA-256 of bytes that were read, as 64 hexadecimal digits; call it to get them.

    Few readers need the digest, but it must be that of the bytes read, even if the file has changed since. So
    the bytes are kept until the digest is needed, at most `_ROOM` of them in total.

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
        """Return 64 hexadecimal digits."""
        content = self._content
        if content is not None:
            self._text = hashlib.sha256(content).hexdigest()
            self._content = None
        return self._text

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Copy and pickle as the text of the digest."""
        return str, (self(),)

    @property
    def waits(self) -> int:
        """Number of bytes kept for hashing."""
        content = self._content
        return 0 if content is None else len(content)


def _keep(digest: Digest) -> None:
    """Keep a digest's bytes, and hash the oldest ones while the total is above the limit.

    Another thread may hash any of them meanwhile: each size is read only once.
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
    """Return the SHA-256 of the concatenated bytes of one motion's files."""
    out = hashlib.sha256()
    for path in paths:
        out.update(file_bytes(path))
    return out.hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file; of the complete file if the path names one animation in it."""
    return files_digest([split_fragment(path)[0]])
