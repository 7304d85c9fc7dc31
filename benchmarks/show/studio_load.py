"""Many live characters on one studio: tick times while twenty pages steer at 60 Hz.

Shows: twenty sockets that steer walkers at 60 Hz: time of a tick, poses received, memory over the run
Bars: no tick is missed, the 99th percentile of a tick stays below 16.7 ms, memory grows by less than 8 MB after the
    first quarter of the run
Needs: clips
Group: Steering
"""

from __future__ import annotations

import asyncio
import json
import resource
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import websockets
from _runner import Show, run
from _studio import studio_of
from _walkers import clips

import segue


def resident() -> float:
    """Return the memory of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def steer(port: int, token: str, seconds: float, number: int) -> tuple[int, int]:
    """Steer as one page that turns now and then; return the number of poses received, and the last pose's number."""
    address, came, last = f"ws://127.0.0.1:{port}/socket", 0, 0
    headers = {"authorization": f"Bearer {token}"}
    async with websockets.connect(address, additional_headers=headers, proxy=None) as socket:
        await socket.send(json.dumps({"type": "begin", "controller": "locomotion"}))
        while True:
            message = await asyncio.wait_for(socket.recv(), 120)
            if isinstance(message, str) and json.loads(message)["type"] == "began":
                break
        end, due, turn = time.monotonic() + seconds, 0.0, 1.0
        while time.monotonic() < end:
            message = await socket.recv()
            if isinstance(message, str):
                continue
            came, last = came + 1, int(np.frombuffer(message, "<f4", 1)[0])
            await socket.send(json.dumps({"type": "seen", "number": last}))
            if time.monotonic() > due:
                due, turn = time.monotonic() + 0.5 + 0.05 * number, -turn
                wish = {"type": "steer", "kind": "walk", "speed": 1.2, "turn": 0.8 * turn, "number": last}
                await socket.send(json.dumps(wish))
    return came, last


def pages(port: int, token: str, seconds: float, count: int, out: Any) -> None:
    """Run that many pages in their own process; output the poses each received."""

    async def together() -> list[tuple[int, int]]:
        return list(await asyncio.gather(*(steer(port, token, seconds, k) for k in range(count))))

    out.put(asyncio.run(together()))


def main(show: Show) -> None:
    library = show.folder / "moves.segue"
    with segue.Library.open(library) as made:
        made.add(clips(only_16=True))
    with studio_of(library, show.folder / "out") as studio:
        came, memory = _steered_by_many(studio, show.options.seconds, show.options.pages)
    ticks, waited = 1000 * np.array(studio.hub.ticks), 1000 * np.array(studio.hub.waited)
    _judge(show, ticks, waited, studio.hub.late, came, memory)


def _steered_by_many(studio: Any, seconds: float, count: int) -> tuple[list[tuple[int, int]], list[float]]:
    """Return the poses each page received, and the megabytes of this process twice a second."""
    context = get_context("spawn")
    place = studio.guard.port, studio.guard.token

    def steered(span: float, many: int) -> list[tuple[int, int]]:
        out = context.Queue()
        process = context.Process(target=pages, args=(*place, span, many, out))
        process.start()
        while process.is_alive() and out.empty():
            memory.append(resident())
            time.sleep(0.5)
        came: list[tuple[int, int]] = out.get(timeout=30)
        process.join()
        return came

    memory: list[float] = []
    steered(1.0, 1)  # builds the walker, once
    studio.hub.ticks.clear()
    studio.hub.waited.clear()
    studio.hub.late = 0
    memory.clear()
    return steered(seconds, count), memory


def _judge(
    show: Show, ticks: Any, waited: Any, late: int, came: list[tuple[int, int]], memory: list[float]
) -> None:
    quarter = len(memory) // 4
    show.table(
        ["", "value"],
        [
            ["pages", len(came)],
            ["seconds", show.options.seconds],
            ["tick, median ms", f"{np.median(ticks):.2f}"],
            ["tick, 99th percentile ms", f"{np.percentile(ticks, 99):.2f}"],
            ["tick, longest ms", f"{ticks.max():.2f}"],
            ["begun after its time, 99th percentile ms", f"{np.percentile(waited, 99):.2f}"],
            ["begun after its time, longest ms", f"{waited.max():.2f}"],
            ["poses a page and second", f"{np.mean([one for one, _ in came]) / show.options.seconds:.1f}"],
            ["memory MB", f"{memory[0]:.0f} to {memory[-1]:.0f}"],
        ],
    )
    show.check("ticks missed", late, "<= 0")
    show.check("99th percentile of a tick", round(float(np.percentile(ticks, 99)), 2), "<= 16.7 ms")
    show.check(
        "memory grown after the first quarter", round(max(memory[quarter:]) - memory[quarter], 1), "<= 8 MB"
    )


if __name__ == "__main__":
    run(
        main,
        "twenty pages steer at 60 Hz",
        {
            "--seconds": {
                "type": float,
                "default": 20.0,
                "help": "how long they steer (600 for ten minutes)",
            },
            "--pages": {"type": int, "default": 20, "help": "how many pages"},
        },
    )
