"""Limits of connections: message rate of a socket, timeout of the first request."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MESSAGES, BURST = 240.0, 480.0
"""Messages per second that a socket may send, and the largest burst."""
OPENING = 10.0
"""Seconds within which a connection must send the head of its first request."""
SOCKETS = 64
"""Most open sockets."""


@dataclass
class Bucket:
    """Token bucket that limits the rate of messages.

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
        """Take a token and return True, or return False if there is none."""
        now = time.monotonic()
        self.left = min(self.most, self.left + (now - self.at) * self.rate)
        self.at = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


class ImpatientProtocol(H11Protocol):
    """HTTP protocol that closes connections without a request within `OPENING` seconds."""

    _opening: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timer."""
        super().connection_made(transport)
        self._opening = self.loop.call_later(OPENING, self._too_late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        if self._opening is not None:
            self._opening.cancel()
        super().connection_lost(exc)

    def _too_late(self) -> None:
        mine = self.transport.get_protocol() is self  # False once a web socket has replaced this protocol
        begun: Any = self.scope  # None until the head of a request has arrived
        if mine and begun is None and not self.transport.is_closing():
            self.transport.close()
