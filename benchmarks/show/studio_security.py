"""The studio refuses unauthorised and excessive requests, and keeps running.

Shows: wrong tokens, foreign origins and hosts, paths that lead outside, a gigabyte, a flood of messages, silent
    connections: how each ends, and the files on the disk afterwards
Bars: every one is refused or bounded, the server answers after each, no file is written outside the export folder
Needs: nothing
Group: The house
"""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import time
from pathlib import Path
from typing import Any

import websockets
from _runner import Show, run
from _studio import studio_of

import segue

TOKEN = "token"
OUTSIDE = (
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/exports/..%2f..%2fetc%2fpasswd",
    "/exports/%2fetc%2fpasswd",
    "//etc/passwd",
    "/api/motion/file:/etc/passwd",
    "/api/motion/clip:..%2f..%2fetc%2fpasswd",
    "/api/thumbnail/..%2f..%2fetc",
)
NAMES = ("../x", "/tmp/x", "a/b", "..", ".hidden", "x\0y", "con/../../x", "x" * 99)


class Attacker:
    """A client with the right token, unless other headers are given."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.headers = port, {"authorization": f"Bearer {token}", "host": f"127.0.0.1:{port}"}

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Return status and body."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        line.request(method, path, body, self.headers if headers is None else headers)
        answer = line.getresponse()
        try:
            return answer.status, answer.read()
        finally:
            line.close()

    @property
    def alive(self) -> bool:
        """Return whether the server answers a valid request."""
        return self.ask("POST", "/api/project", b"{}")[0] == 200

    def raw(self) -> socket.socket:
        """Return a raw socket connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)


def strangers(attacker: Attacker) -> list[int]:
    """Return statuses for wrong and missing tokens, foreign origins and hosts."""
    host = {"host": attacker.headers["host"]}
    tries = [
        host,
        host | {"authorization": "Bearer wrong"},
        host | {"cookie": f"segue-{attacker.port}=wrong"},
    ]
    tries += [
        attacker.headers | {"origin": origin}
        for origin in ("http://evil.example", "null", f"http://localhost:{attacker.port}")
    ]
    tries += [
        attacker.headers | {"host": name}
        for name in ("evil.example", "127.0.0.1:1", f"127.0.0.1.evil.example:{attacker.port}")
    ]
    return [attacker.ask("POST", "/api/project", b"{}", headers)[0] for headers in tries]


def paths(attacker: Attacker) -> list[bool]:
    """Return, for each path and name that leads outside, whether it is refused."""
    out = []
    for path in OUTSIDE:
        status, body = attacker.ask("GET", path)
        out.append(status >= 400 and b"root:" not in body)
    for name in NAMES:
        ask = json.dumps({"word": "clip:walk", "name": name, "format": ".bvh"}).encode()
        out.append(attacker.ask("POST", "/api/export", ask)[0] == 422)
    names = ("..%2fx.bvh", "%2ftmp%2fx.bvh", "x.exe")
    out += [attacker.ask("PUT", f"/api/import/{name}", b"HIERARCHY")[0] >= 400 for name in names]
    return out


def gigabyte(attacker: Attacker) -> tuple[bool, float]:
    """Return whether a gigabyte is refused, announced or not, and after how many megabytes the connection was cut."""
    head = "".join(f"{name}: {value}\r\n" for name, value in attacker.headers.items())
    with attacker.raw() as line:
        line.sendall(f"PUT /api/import/big.bvh HTTP/1.1\r\n{head}content-length: {1 << 30}\r\n\r\n".encode())
        refused = b" 413 " in line.recv(200)
    piece, sent = b"100000\r\n" + b" " * (1 << 20) + b"\r\n", 0
    with attacker.raw() as line:
        line.sendall(f"PUT /api/import/big.bvh HTTP/1.1\r\n{head}transfer-encoding: chunked\r\n\r\n".encode())
        try:
            while sent < 1024:
                line.sendall(piece)
                sent += 1
        except OSError:
            pass
    return refused, float(sent)


def flood(attacker: Attacker) -> int:
    """Return the close code of a socket that sends a hundred thousand messages in a burst."""

    async def send() -> int:
        address = f"ws://127.0.0.1:{attacker.port}/socket"
        headers = {"authorization": attacker.headers["authorization"]}
        async with websockets.connect(address, additional_headers=headers, proxy=None) as line:
            try:
                for _ in range(100_000):
                    await line.send('{"type":"seen","number":0}')
                while True:
                    await asyncio.wait_for(line.recv(), 30)
            except websockets.exceptions.ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else 0

    return asyncio.run(send())


def silent(attacker: Attacker) -> float:
    """Return the seconds until fifty connections that send nothing, or half a header, are closed."""
    begin = time.monotonic()
    lines = [attacker.raw() for _ in range(50)]
    for line in lines[::2]:
        line.sendall(b"GET / HTTP/1.1\r\nhost: ")
    for line in lines:
        line.recv(10)
        line.close()
    return time.monotonic() - begin


def silence(attacker: Attacker) -> bool:
    """Return whether no server is listening any more."""
    try:
        attacker.raw().close()
    except ConnectionRefusedError:
        return True
    return False


def files(folder: Path) -> set[str]:
    """Return all files below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def main(show: Show) -> None:
    room = show.folder / "room"
    room.mkdir(parents=True)
    with segue.Library.open(room / "moves.segue") as made:
        made.add(segue.sample("walk"))
    rows: list[list[Any]] = []
    alive = []
    with studio_of(room / "moves.segue", room / "out") as studio:
        attacker, before = Attacker(studio.guard.port, studio.guard.token), files(show.folder)

        def tried(what: str, seen: object) -> None:
            alive.append(attacker.alive)
            rows.append([what, seen, "answers" if alive[-1] else "silent"])

        statuses = strangers(attacker)
        tried("tokens, origins, hosts", " ".join(map(str, statuses)))
        refused = paths(attacker)
        tried("paths and names that lead outside", f"{sum(refused)} of {len(refused)} refused")
        at_once, sent = gigabyte(attacker)
        how = "refused immediately" if at_once else "taken"
        tried("a gigabyte", f"{how}; unannounced: cut off after {sent:.0f} MB")
        code = flood(attacker)
        tried("100,000 messages in a burst", f"closed with {code}")
        waited = silent(attacker)
        tried("50 silent connections", f"closed after {waited:.1f} s")
        after = files(show.folder) - before
    show.table(["tried", "result", "valid request then"], rows)
    show.check("unauthorised requests accepted", sum(status < 400 for status in statuses), "<= 0")
    show.check("outside paths accepted", len(refused) - sum(refused), "<= 0")
    show.check("an announced gigabyte is refused", at_once, "at once", ok=at_once)
    show.check("megabytes accepted of an unannounced one", sent, "<= 600 MB")
    show.check("a flood of messages is ended", code, "= 1008")
    show.check("seconds a silent connection stays", round(waited, 1), "<= 15 s")
    show.check("a friend is answered after each", sum(alive), f"= {len(alive)}")
    written = {name for name in after if not name.endswith(("-wal", "-shm"))}
    show.check("files written", len(written), "<= 0")
    ended = silence(attacker)
    show.check("the server ends when asked to", ended, "yes", ok=ended)


if __name__ == "__main__":
    run(main, "the studio refuses invalid requests")
