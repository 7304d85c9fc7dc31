"""Routes of the studio, and the process from start to end."""

from __future__ import annotations

import asyncio
import logging
import socket as sockets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from segue.errors import SegueError, SettingError
from segue.studio.calls import CALLS, Call
from segue.studio.dropping import imported
from segue.studio.guard import Guard, TooLarge
from segue.studio.limits import ImpatientProtocol
from segue.studio.live import Hub
from segue.studio.messages import Failure, Message
from segue.studio.state import Studio

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.websockets import WebSocket

PAGE = Path(__file__).parent / "page"
"""The page, built from ``client/studio``."""
_log = logging.getLogger("segue.studio")
_SOCKET_BYTES = 1 << 16
_CONNECTIONS = 256
_FAILED = "failed on something that was not foreseen; the terminal of the studio shows what"


def _answer(message: Message, status: int = 200) -> Response:
    return Response(msgspec.json.encode(message), status, media_type="application/json")


async def _too_large(request: Request, error: Exception) -> Response:
    del request, error
    return _answer(Failure("more came than may be sent at once; nothing was kept"), 413)


async def _too_slow(request: Request, error: Exception) -> Response:
    del request, error
    return _answer(Failure("the rest of the request did not come; nothing was kept"), 408)


async def _tried(work: Callable[[], Response]) -> Response:
    """Do some work in a thread; what goes wrong becomes one sentence."""
    try:
        return await run_in_threadpool(work)
    except SegueError as error:
        return _answer(Failure(str(error)), 422)
    except MemoryError:
        return _answer(Failure("the memory does not suffice; choose shorter clips, or fewer"), 507)
    except OSError as error:
        return _answer(Failure(f"the disk would not: {error.strerror or error}"), 507)
    except Exception:  # noqa: BLE001  # the last net: the page gets a sentence, the terminal the rest
        _log.exception("a call failed")
        return _answer(Failure(_FAILED), 500)


@dataclass
class Routes:
    """What is behind the guard."""

    studio: Studio
    hub: Hub
    page: Path = PAGE
    pictures: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))

    def app(self) -> Starlette:
        """The application."""
        routes: list[Any] = [
            Route("/", self.index),
            Route("/api/motion/{word:path}", self.motion),
            Route("/api/body/{word:path}", self.body),
            Route("/api/matrix/{number:int}", self.matrix),
            Route("/api/thumbnail/{name:path}", self.thumbnail),
            Route("/api/import/{name:path}", self.bring, methods=["PUT"]),
            Route("/exports/{name}", self.exported),
            WebSocketRoute("/socket", self.socket),
        ]
        routes += [
            Route(f"/api/{name}", partial(self.call, call), methods=["POST"]) for name, call in CALLS.items()
        ]
        cut_off: dict[Any, Any] = {TooLarge: _too_large, TimeoutError: _too_slow}
        app = Starlette(routes=routes, lifespan=self.lifespan, exception_handlers=cut_off)
        if self.page.is_dir():
            app.mount("/", StaticFiles(directory=self.page))
        return app

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Run the clock; at the end cancel jobs."""
        del app
        loop = asyncio.get_running_loop()
        self.studio.tell = lambda status: _soon(loop, self.hub.job_moved, status)
        clock = asyncio.create_task(self.hub.run())
        survey = self.studio.project.survey
        Thread(target=survey, args=(partial(_soon, loop, self.hub.changed),), daemon=True).start()
        try:
            yield
        finally:
            clock.cancel()
            with suppress(asyncio.CancelledError):
                await clock
            await run_in_threadpool(self.studio.close)

    async def index(self, request: Request) -> Response:
        """The page."""
        del request
        file = self.page / "index.html"
        if not file.is_file():
            text = "The page of the studio was not built: run npm ci and npm run build in client/."
            return Response(text, 503, media_type="text/plain; charset=utf-8")
        return FileResponse(file)

    async def call(self, call: Call, request: Request) -> Response:
        """One of `CALLS`."""
        body = await request.body()
        try:
            ask = msgspec.json.decode(body or b"{}", type=call.ask)
        except msgspec.MsgspecError as error:
            return _answer(Failure(f"this is not understood: {error}"), 400)
        return await _tried(lambda: _answer(call.function(self.studio, ask)))

    async def motion(self, request: Request) -> Response:
        """A motion as float32."""
        word = unquote(request.path_params["word"])

        def work() -> Response:
            from segue.studio.packing import packed_motion

            return _bytes(packed_motion(self.studio.motion(word)))

        return await _tried(work)

    async def body(self, request: Request) -> Response:
        """The figure grown from the body of a motion."""
        word = unquote(request.path_params["word"])

        def work() -> Response:
            from segue.pictures.player.bodies import packed_body

            body = msgspec.json.encode(packed_body(self.studio.motion(word).skeleton))
            return Response(body, media_type="application/json")

        return await _tried(work)

    async def matrix(self, request: Request) -> Response:
        """Costs of a comparison as float32."""
        number = request.path_params["number"]

        def work() -> Response:
            from segue.studio.calls_of_transitions import matrix_bytes

            return _bytes(matrix_bytes(self.studio.pair(number)))

        return await _tried(work)

    async def thumbnail(self, request: Request) -> Response:
        """A small picture of a clip."""
        name = unquote(request.path_params["name"])

        def work() -> Response:
            from segue.pictures.thumbnail import thumbnail

            picture = thumbnail(self.studio.project.clip(name))
            return Response(picture, media_type="image/svg+xml", headers={"cache-control": "max-age=600"})

        async with self.pictures:  # so that whatever else is asked for does not wait for pictures
            return await _tried(work)

    async def bring(self, request: Request) -> Response:
        """Take a file that was dropped on the page."""
        name = unquote(request.path_params["name"])
        room = await run_in_threadpool(self.studio.project.room)
        taken = await imported(self.studio.project, name, request.stream(), room)
        if not isinstance(taken, Failure):
            self.hub.changed()
        return _answer(taken, 422 if isinstance(taken, Failure) else 200)

    async def exported(self, request: Request) -> Response:
        """A file of the export folder, to be saved elsewhere."""
        folder = self.studio.project.export_folder.resolve()
        path = (folder / request.path_params["name"]).resolve()
        if path.parent != folder or not path.is_file():
            return _answer(Failure("there is no such file in the export folder"), 404)
        return FileResponse(path, filename=path.name, media_type="application/octet-stream")

    async def socket(self, socket: WebSocket) -> None:
        """One page's socket."""
        await self.hub.seat(socket)


def _soon(loop: asyncio.AbstractEventLoop, work: Callable[..., None], *words: Any) -> None:
    with suppress(RuntimeError):  # the loop may be closed by now
        loop.call_soon_threadsafe(work, *words)


def _bytes(body: bytes) -> Response:
    return Response(body, media_type="application/octet-stream")


def bound(port: int, host: str = "127.0.0.1") -> sockets.socket:
    """Socket that listens at a port; 0 takes a free one.

    Raises
    ------
    SettingError
        If the port is taken.
    """
    listening = sockets.socket(sockets.AF_INET, sockets.SOCK_STREAM)
    listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        why = error.strerror or error
        raise SettingError(
            f"port {port} of {host} cannot be used: {why}; choose another with --port"
        ) from None
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
    hub: Hub

    def run(self) -> None:
        """Serve until the process is stopped."""
        with suppress(KeyboardInterrupt):
            self.server.run([self.listening])
        self.listening.close()


def opened(
    studio: Studio, *, port: int = 0, page: Path = PAGE, ready: Callable[[str], None] | None = None
) -> Opened:
    """Bind a port on loopback and put the guard before the routes."""
    listening = bound(port)
    number = listening.getsockname()[1]
    hub = Hub(studio)
    guard = Guard(Routes(studio, hub, page).app(), number)
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
    server = Server(config)
    url = f"http://127.0.0.1:{number}/?token={guard.token}"
    if ready is not None:
        server.ready = lambda: ready(url)
    return Opened(server, listening, url, guard, hub)
