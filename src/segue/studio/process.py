"""Base of the studio's and the study's server: error answers, limits, start and stop."""

from __future__ import annotations

import errno
import logging
import socket as sockets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import uvicorn
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from segue.errors import SegueError, SettingError
from segue.studio.guard import Guard, TooLarge
from segue.studio.limits import ImpatientProtocol
from segue.studio.messages import Failure, Message
from segue.studio.sentences import with_remedy

if TYPE_CHECKING:
    from starlette.requests import Request

_log = logging.getLogger("segue.studio")
_SOCKET_BYTES = 1 << 16
_CONNECTIONS = 256
_FAILED = "unexpected error; see the terminal of the studio"


def answer_of(message: Message, status: int = 200) -> Response:
    """Return a message as a JSON response."""
    return Response(msgspec.json.encode(message), status, media_type="application/json")


async def _too_large(request: Request, error: Exception) -> Response:
    del request, error
    return answer_of(Failure("the request is too large; nothing was stored"), 413)


async def _too_slow(request: Request, error: Exception) -> Response:
    del request, error
    return answer_of(Failure("the rest of the request did not arrive; nothing was stored"), 408)


CUT_OFF: dict[Any, Any] = {TooLarge: _too_large, TimeoutError: _too_slow}
"""Handlers for requests that are too large or too slow."""


async def tried(work: Callable[[], Response]) -> Response:
    """Run ``work`` in a thread; an error is answered with one sentence."""
    try:
        return await run_in_threadpool(work)
    except SegueError as error:
        return answer_of(Failure(with_remedy(error)), 422)
    except MemoryError:
        return answer_of(Failure("the memory does not suffice; choose shorter clips, or fewer"), 507)
    except OSError as error:
        return answer_of(Failure(f"reading or writing a file failed: {error.strerror or error}"), 507)
    except Exception:  # noqa: BLE001  # last resort: the page gets a message, the terminal the traceback
        _log.exception("a call failed")
        return answer_of(Failure(_FAILED), 500)


def bound(port: int, host: str = "127.0.0.1") -> sockets.socket:
    """Return a socket bound to a port; 0 takes a free one.

    Raises
    ------
    SettingError
        If the port is taken, or the host is not an address of this machine.
    """
    listening = sockets.socket(sockets.AF_INET, sockets.SOCK_STREAM)
    listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRNOTAVAIL:
            msg = f"{host} is no address of this machine; choose another with --host"
        else:
            msg = (
                f"port {port} of {host} cannot be used: {error.strerror or error}; choose another with --port"
            )
        raise SettingError(msg) from None
    return listening


class Server(uvicorn.Server):
    """A server that calls back once it listens."""

    ready: Callable[[], None] | None = None

    async def startup(self, sockets: list[sockets.socket] | None = None) -> None:
        """Listen, then call back."""
        await super().startup(sockets)
        if self.ready is not None and not self.should_exit:
            self.ready()


@dataclass(frozen=True)
class Opened:
    """A server ready to run, and the address that opens its page."""

    server: Server
    listening: sockets.socket
    url: str
    guard: Guard

    def run(self) -> None:
        """Serve until the process is stopped."""
        with suppress(KeyboardInterrupt):
            self.server.run([self.listening])
        self.listening.close()


def configured(guard: Guard) -> Server:
    """Return a server behind a guard, with limits on message size and connections, and timeouts."""
    config = uvicorn.Config(
        guard,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        http=ImpatientProtocol,
        ws="websockets-sansio",
        ws_max_size=_SOCKET_BYTES,
        ws_ping_interval=10.0,
        ws_ping_timeout=10.0,
        ws_per_message_deflate=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=3,
        lifespan="on",
    )
    return Server(config)
