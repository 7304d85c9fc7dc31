"""Sockets, one per page: commands in, poses and messages out, with one clock of 60 ticks a second for all characters.

A pose is float32: its number, the number of the last `Steer` that it follows, seconds of the run, index of the clip
shown most, the root's position and each joint's rotation (`segue.studio.packing.packed_poses`). The page reports the
poses that it has shown; while it is far behind, poses are dropped and only the newest is sent.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import logging
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocketDisconnect

from segue.app.jobs import JobStatus
from segue.errors import SegueError
from segue.motion.clip import Clip, Origin
from segue.motion.pose import Pose
from segue.studio.limits import SOCKETS, Bucket
from segue.studio.project import MadeMotion
from segue.studio.runs import SHORTEST_RUN, run_view
from segue.studio.sentences import with_remedy
from segue.studio.socket_messages import (
    Began,
    Begin,
    Busy,
    Changed,
    End,
    JobMoved,
    Keep,
    Kept,
    Pause,
    Recorded,
    Refused,
    Seen,
    Steer,
    ToPage,
    ToServer,
)
from segue.studio.state import Studio, job_view

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

    from segue.studio.characters import Seated
    from segue.studio.sequence_characters import LivePlayer

RATE = 60.0
"""Ticks per second."""
AHEAD = 12
"""Most poses sent but not yet shown by the page; further poses replace one another until the page catches up."""
_BEHIND = 15  # most late ticks that are caught up; a longer delay is skipped
_LOOK = 6  # ticks between two updates of the clip shown
_NEWS = 200  # most messages that wait for a page; a page that exceeds it is disconnected
_log = logging.getLogger("segue.studio")
_DECODE = msgspec.json.Decoder(ToServer)
_TURNS = itertools.count()  # spreads the updates of the clip shown of all pages over the ticks


class Seat:
    """One socket, with its character and the queues of messages to its page."""

    def __init__(self, socket: WebSocket, studio: Studio) -> None:
        self.socket, self.studio = socket, studio
        self.bucket = Bucket()
        self.character: Seated | LivePlayer | None = None
        self.paused = False
        self.steered, self.shown = 0, -1
        self.number = self.seen = self.sent = self.dropped = 0
        self.look = next(_TURNS) % _LOOK
        self.pose: bytes | None = None
        self.news: deque[ToPage] = deque()
        self.wake = asyncio.Event()
        self.gone = False

    def tell(self, message: ToPage) -> None:
        """Queue a message to the page; a queued state of the same job is replaced."""
        if isinstance(message, JobMoved):
            waiting = [
                one for one in self.news if not (isinstance(one, JobMoved) and one.job.id == message.job.id)
            ]
            self.news = deque(waiting)
        if len(self.news) >= _NEWS:
            self.gone = True
        self.news.append(message)
        self.wake.set()

    def tick(self, dt: float) -> None:
        """Step the character and queue its pose, which replaces an unsent one."""
        if self.character is None or self.paused:
            return
        try:
            pose = self.character.tick(dt)
        except SegueError as error:
            self.character.guide = None
            self.tell(Refused(with_remedy(error)))
            return
        if (news := self.character.news()) is not None:
            self.tell(news)
        self.number += 1
        self.dropped += self.pose is not None
        self.pose = self._packed(pose)
        self.wake.set()

    def _packed(self, pose: Pose) -> bytes:
        assert self.character is not None  # noqa: S101  # checked by the caller
        live = self.character.live
        out = np.empty(7 + 4 * pose.rotations.shape[0], dtype="<f4")
        if self.number % _LOOK == self.look:  # costlier than the step itself
            self.shown = live.shown
        out[:4] = self.number, self.steered, live.seconds, self.shown
        out[4:7] = pose.root_position
        out[7:] = pose.rotations.ravel()
        return out.tobytes()

    async def send(self) -> None:
        """Send queued messages and poses until the socket is closed."""
        while not self.gone:
            await self.wake.wait()
            self.wake.clear()
            while self.news:
                await self.socket.send_text(msgspec.json.encode(self.news.popleft()).decode())
            if self.pose is not None and self.sent - self.seen < AHEAD:
                body, self.pose = self.pose, None
                self.sent = self.number
                await self.socket.send_bytes(body)

    async def take(self) -> None:
        """Receive messages until the socket is closed or exceeds its message rate."""
        while not self.gone:
            text = await self.socket.receive_text()
            if not self.bucket.take():
                await self.socket.close(1008, "more messages a second than may be sent")
                return
            try:
                message = _DECODE.decode(text.encode())
            except (msgspec.MsgspecError, UnicodeEncodeError):
                self.tell(Refused("this message is not understood here; reload the page"))
                continue
            try:
                await self.do(message)
            except SegueError as error:
                self.tell(Refused(str(error)))
            except Exception:  # noqa: BLE001  # last resort: the page gets a message, the terminal the traceback
                _log.exception("a command failed")
                self.tell(Refused("unexpected error; see the terminal of the studio"))

    async def do(self, message: ToServer) -> None:
        """Execute a message of the page."""
        if isinstance(message, Seen):
            self.seen = max(self.seen, min(message.number, self.number))
            if self.pose is not None:
                self.wake.set()
        elif isinstance(message, Begin):
            await self._begin(message)
        elif isinstance(message, Pause):
            self.paused = message.paused
        elif isinstance(message, End):
            self.over()
        elif self.character is None:
            self.tell(Refused("there is no character yet; begin one"))
        elif isinstance(message, Keep):
            await self._keep()
        else:
            self.character.command(message)
            if isinstance(message, Steer):
                self.steered = message.number

    async def _begin(self, message: Begin) -> None:
        self.over()
        self.tell(Busy("making the character from the clips"))
        made = await run_in_threadpool(_character, self.studio, message)
        word = await run_in_threadpool(self._body, made)
        body = made.live.controller.skeleton
        self.number = self.seen = self.sent = 0
        self.paused = False
        self.tell(Began(word, body.n_joints, RATE, made.kinds, made.speeds, list(made.live.sources)))
        gc.freeze()  # garbage collection over clips and compiled code would take several ticks
        self.character = made

    def _body(self, made: Seated | LivePlayer) -> str:
        """Keep a motion of one frame, from which the page gets the body, and return its word."""
        controller = made.live.controller
        state = controller.save()
        pose = controller.step(0.0)
        controller.restore(state)
        clip = Clip(
            controller.skeleton,
            pose.rotations[None],
            pose.root_position[None],
            RATE,
            name="live",
            origin=Origin.of("live", 1),
        )
        return self.studio.keep(MadeMotion(clip, (), "live", {})).word

    async def _keep(self) -> None:
        assert self.character is not None  # noqa: S101  # checked by the caller
        made = await run_in_threadpool(self.character.made)
        self.tell(Kept(self.studio.keep(made)))

    def over(self) -> None:
        """End the character; a run of at least `SHORTEST_RUN` seconds is recorded for replay."""
        one, self.character = self.character, None
        if one is not None and one.live.seconds >= SHORTEST_RUN:
            self.tell(Recorded(run_view(self.studio.runs.add(one), one)))


def _character(studio: Studio, begin: Begin) -> Seated | LivePlayer:
    if begin.controller == "sequence":
        from segue.studio.sequence_characters import live_player

        return live_player(studio, begin)
    from segue.studio.characters import seated

    return seated(studio, begin)


class Hub:
    """All sockets, and the clock that steps their characters."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.seats: set[Seat] = set()
        self.ticks: deque[float] = deque(maxlen=36_000)
        """Duration in seconds of the last ticks, for all characters together."""
        self.late = 0
        """Ticks skipped because they were too late."""
        self.waited: deque[float] = deque(maxlen=36_000)
        """Delay in seconds at the start of the last ticks."""

    async def run(self) -> None:
        """Tick forever; late ticks are caught up, so that characters stay on time."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due += 1.0 / RATE
            await asyncio.sleep(
                max(due - loop.time(), 0.0)
            )  # also between ticks that are caught up, so that poses are sent
            behind = loop.time() - due
            if behind > _BEHIND / RATE:
                self.late += int(behind * RATE)
                due += int(behind * RATE) / RATE
            begin = time.perf_counter()
            for seat in list(self.seats):
                seat.tick(1.0 / RATE)
            if self.seats:
                self.ticks.append(time.perf_counter() - begin)
                self.waited.append(max(behind, 0.0))

    def job_moved(self, status: JobStatus) -> None:
        """Send the state of a job to every page; call in the loop's thread."""
        for seat in self.seats:
            seat.tell(JobMoved(job_view(status)))

    def changed(self) -> None:
        """Notify every page that the list of clips has changed."""
        for seat in self.seats:
            seat.tell(Changed())

    async def seat(self, socket: WebSocket) -> None:
        """Serve a socket until it is closed."""
        if len(self.seats) >= SOCKETS:
            await socket.close(1013, "too many pages are open")
            return
        await socket.accept()
        seat = Seat(socket, self.studio)
        self.seats.add(seat)
        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(seat.send()), asyncio.create_task(seat.take())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.seats.discard(seat)
            seat.over()
            seat.gone = True
            if all(one.character is None for one in self.seats):
                gc.unfreeze()
            for task in tasks:
                task.cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                    await task
