"""The digest of what was read, made when somebody asks for it."""

from __future__ import annotations

import hashlib
import weakref

_SMALL = 50_000
"""Bytes that are hashed at once: that costs less than keeping them in mind."""
_ROOM = 32_000_000
"""Bytes that may wait in all; beyond, the oldest are hashed and let go."""

_waiting: list[weakref.ref[Digest]] = []


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
    """Keep a digest's bytes, and let the oldest go where they become too many."""
    alive = [one for one in [*(ref() for ref in _waiting), digest] if one is not None and one.waits]
    total = sum(one.waits for one in alive)
    while total > _ROOM:
        oldest = alive.pop(0)
        total -= oldest.waits
        oldest()
    _waiting[:] = [weakref.ref(one) for one in alive]
