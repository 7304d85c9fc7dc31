"""Routes of the studio, and its server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from segue.studio.calls import CALLS, PACKED_CALLS, Call
from segue.studio.dropping import imported
from segue.studio.guard import Guard
from segue.studio.live import Hub
from segue.studio.messages import Failure
from segue.studio.process import CUT_OFF, Opened, answer_of, bound, configured, tried
from segue.studio.state import Studio
from segue.threads import background_thread

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.websockets import WebSocket

PAGE = Path(__file__).parent / "page"
"""The page, built from ``client/studio``."""


@dataclass
class StudioRoutes:
    """Routes behind the guard."""

    studio: Studio
    hub: Hub
    page: Path = PAGE
    pictures: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))

    def app(self) -> Starlette:
        """Return the application."""
        routes: list[Any] = [
            Route("/", self.index),
            Route("/api/motion/{word:path}", self.motion),
            Route("/api/body/{word:path}", self.body),
            Route("/api/matrix/{number:int}", self.matrix),
            Route("/api/thumbnail/{word:path}", self.thumbnail),
            Route("/api/import/{name:path}", self.bring, methods=["PUT"]),
            Route("/exports/{name}", self.exported),
            WebSocketRoute("/socket", self.socket),
        ]
        routes += [
            Route(f"/api/{name}", partial(self.call, call), methods=["POST"])
            for name, call in (*CALLS.items(), *PACKED_CALLS.items())
        ]
        app = Starlette(routes=routes, lifespan=self.lifespan, exception_handlers=CUT_OFF)
        if self.page.is_dir():
            app.mount("/", StaticFiles(directory=self.page))
        return app

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Run the clock and the survey of clips; at the end close the studio."""
        del app
        loop = asyncio.get_running_loop()
        self.studio.tell = lambda status: _soon(loop, self.hub.job_moved, status)
        clock = asyncio.create_task(self.hub.run())
        survey = self.studio.project.survey
        background_thread(
            partial(survey, partial(_soon, loop, self.hub.changed)), name="segue-survey"
        ).start()
        try:
            yield
        finally:
            clock.cancel()
            with suppress(asyncio.CancelledError):
                await clock
            await run_in_threadpool(self.studio.close)

    async def index(self, request: Request) -> Response:
        """Return the page."""
        del request
        file = self.page / "index.html"
        if not file.is_file():
            text = "The page of the studio was not built: run npm ci and npm run build in client/."
            return Response(text, 503, media_type="text/plain; charset=utf-8")
        return FileResponse(file)

    async def call(self, call: Call, request: Request) -> Response:
        """Answer one of `CALLS` or `PACKED_CALLS`."""
        body = await request.body()
        try:
            ask = msgspec.json.decode(body or b"{}", type=call.ask)
        except msgspec.MsgspecError as error:
            return answer_of(Failure(f"this is not understood: {error}"), 400)

        def work() -> Response:
            done = call.function(self.studio, ask)
            return _bytes(done) if isinstance(done, bytes) else answer_of(done)

        return await tried(work)

    async def motion(self, request: Request) -> Response:
        """Return a motion as float32."""
        word = unquote(request.path_params["word"])

        def work() -> Response:
            from segue.studio.packing import packed_motion

            return _bytes(packed_motion(self.studio.motion(word)))

        return await tried(work)

    async def body(self, request: Request) -> Response:
        """Return the figure grown from the body of a motion."""
        word = unquote(request.path_params["word"])

        def work() -> Response:
            from segue.pictures.player.bodies import packed_body

            body = msgspec.json.encode(packed_body(self.studio.motion(word).skeleton))
            return Response(body, media_type="application/json")

        return await tried(work)

    async def matrix(self, request: Request) -> Response:
        """Return the costs of a comparison as float32."""
        number = request.path_params["number"]

        def work() -> Response:
            from segue.studio.calls_of_transitions import matrix_bytes

            return _bytes(matrix_bytes(self.studio.pair(number)))

        return await tried(work)

    async def thumbnail(self, request: Request) -> Response:
        """Return a small picture of a motion."""
        word = unquote(request.path_params["word"])

        def work() -> Response:
            from segue.pictures.thumbnail import thumbnail

            picture = thumbnail(self.studio.motion(word))
            return Response(picture, media_type="image/svg+xml", headers={"cache-control": "max-age=600"})

        async with self.pictures:  # so that other requests do not wait for pictures
            return await tried(work)

    async def bring(self, request: Request) -> Response:
        """Import a file dropped on the page."""
        name = unquote(request.path_params["name"])
        room = await run_in_threadpool(self.studio.project.room)
        taken = await imported(self.studio.project, name, request.stream(), room)
        if not isinstance(taken, Failure):
            self.hub.changed()
        return answer_of(taken, 422 if isinstance(taken, Failure) else 200)

    async def exported(self, request: Request) -> Response:
        """Return a file of the export folder as a download."""
        folder = self.studio.project.export_folder.resolve()
        path = (folder / request.path_params["name"]).resolve()
        if path.parent != folder or not path.is_file():
            return answer_of(Failure("there is no such file in the export folder"), 404)
        return FileResponse(path, filename=path.name, media_type="application/octet-stream")

    async def socket(self, socket: WebSocket) -> None:
        """Serve the socket of a page."""
        await self.hub.seat(socket)


def _soon(loop: asyncio.AbstractEventLoop, work: Callable[..., None], *words: Any) -> None:
    with suppress(RuntimeError):  # the loop may be closed by now
        loop.call_soon_threadsafe(work, *words)


def _bytes(body: bytes) -> Response:
    return Response(body, media_type="application/octet-stream")


@dataclass(frozen=True)
class OpenedStudio(Opened):
    """A studio ready to run, with its sockets."""

    hub: Hub


def opened(
    studio: Studio, *, port: int = 0, page: Path = PAGE, ready: Callable[[str], None] | None = None
) -> OpenedStudio:
    """Bind a port on loopback and return the guarded server of a studio."""
    listening = bound(port)
    number = listening.getsockname()[1]
    hub = Hub(studio)
    guard = Guard(StudioRoutes(studio, hub, page).app(), number)
    server = configured(guard)
    url = f"http://127.0.0.1:{number}/?token={guard.token}"
    if ready is not None:
        server.ready = lambda: ready(url)
    return OpenedStudio(server, listening, url, guard, hub)
