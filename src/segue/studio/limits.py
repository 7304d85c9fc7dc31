"""How much a socket may send, and for how long a connection may say nothing."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MESSAGES, BURST = 240.0, 480.0
"""Messages a second that a socket may send, and at once."""
OPENING = 10.0
"""Seconds in which a connection must have sent the head of its first request."""
SOCKETS = 64
"""Sockets that may be open."""


@dataclass
class Bucket:
    """Tokens that come at a rate and go with each message.

    Examples
    --------
    >>> bucket = Bucket(rate=1.0, most=2.0)
    >>> [bucket.take() for _ in range(3)]
    [True, True, False]
    """

    rate: float = MESSAGES
    most: float = BURST
    left: float = field(init=False)
    at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.left = self.most

    def take(self) -> bool:
        """Take one; tell whether there was one."""
        now = time.monotonic()
        self.left = min(self.most, self.left + (now - self.at) * self.rate)
        self.at = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


class ImpatientProtocol(H11Protocol):
    """HTTP whose connections are closed where no request comes in time."""

    _opening: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the clock."""
        super().connection_made(transport)
        self._opening = self.loop.call_later(OPENING, self._too_late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        if self._opening is not None:
            self._opening.cancel()
        super().connection_lost(exc)

    def _too_late(self) -> None:
        mine = self.transport.get_protocol() is self  # a socket has a protocol of its own
        begun: Any = self.scope  # None until the head of a request is there
        if mine and begun is None and not self.transport.is_closing():
            self.transport.close()
