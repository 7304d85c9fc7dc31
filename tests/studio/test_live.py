"""The socket: who may open one, the messages it accepts, and a character steered over it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import numpy as np
import pytest

from segue.studio.limits import BURST

websockets = pytest.importorskip("websockets")
BEGIN = {"type": "begin", "controller": "locomotion", "clips": ["walk", "walk_slow"]}


def _socket(studio, headers: dict[str, str] | None = None) -> Any:
    wanted = studio.headers if headers is None else headers
    wanted = {name: value for name, value in wanted.items() if name != "host"}
    return websockets.connect(f"ws://127.0.0.1:{studio.port}/socket", additional_headers=wanted, proxy=None)


async def _until(socket: Any, kind: str) -> dict[str, Any]:
    while True:
        message = await asyncio.wait_for(socket.recv(), 30)
        if isinstance(message, str) and json.loads(message)["type"] == kind:
            return json.loads(message)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer wrong"},
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:{port}"},
    ],
)
def test_a_socket_needs_token_and_origin(studio, headers: dict[str, str]) -> None:
    """Without the token, or for another page, no socket opens."""
    if headers.get("origin") == "http://evil.example":
        headers = headers | {"authorization": f"Bearer {studio.token}"}
    wanted = {name: value.format(port=studio.port) for name, value in headers.items()}

    async def knock() -> None:
        async with _socket(studio, wanted):
            pass

    with pytest.raises(websockets.exceptions.InvalidStatus) as refused:
        asyncio.run(knock())
    assert refused.value.response.status_code == 403


def test_a_character_is_steered_and_its_run_kept(studio) -> None:
    """A wish moves the root; the stored run is the displayed motion, pose by pose."""

    async def steer() -> tuple[list[np.ndarray], dict[str, Any]]:
        poses = []
        async with _socket(studio) as socket:
            await socket.send(json.dumps(BEGIN))
            began = await _until(socket, "began")
            assert "walk" in began["kinds"]
            await socket.send(
                json.dumps({"type": "steer", "kind": "walk", "speed": 1.2, "turn": 0.3, "number": 7})
            )
            while len(poses) < 60:
                message = await asyncio.wait_for(socket.recv(), 30)
                if isinstance(message, bytes):
                    poses.append(np.frombuffer(message, "<f4"))
                    await socket.send(json.dumps({"type": "seen", "number": int(poses[-1][0])}))
            await socket.send(json.dumps({"type": "keep"}))
            return poses, await _until(socket, "kept")

    poses, kept = asyncio.run(steer())
    assert poses[-1][1] == 7
    assert np.hypot(*(poses[-1][[4, 6]] - poses[0][[4, 6]])) > 0.3
    from segue.studio.packing import unpacked

    head, arrays = unpacked(studio.ask("GET", f"/api/motion/{kept['motion']['word']}")[1])
    assert head["fps"] == pytest.approx(60.0)
    seen = np.array([pose[4:] for pose in poses])
    rows = np.array([int(pose[0]) - 1 for pose in poses])
    assert np.abs(arrays["poses"][rows] - seen).max() < 1e-5


def test_a_slow_page_gets_new_poses_and_not_old_ones(studio) -> None:
    """While a page draws nothing, poses are dropped; afterwards it gets the newest."""

    async def sleep() -> list[int]:
        async with _socket(studio) as socket:
            await socket.send(json.dumps(BEGIN))
            await _until(socket, "began")
            await asyncio.sleep(1.2)
            numbers = []
            while True:
                try:
                    message = await asyncio.wait_for(socket.recv(), 0.15)
                except TimeoutError:
                    break
                if isinstance(message, bytes):
                    numbers.append(int(np.frombuffer(message, "<f4")[0]))
            await socket.send(json.dumps({"type": "seen", "number": numbers[-1]}))
            numbers.append(int(np.frombuffer(await asyncio.wait_for(socket.recv(), 5), "<f4")[0]))
            return numbers

    numbers = asyncio.run(sleep())
    assert len(numbers) < 20
    assert numbers[-1] - numbers[-2] > 30


def test_a_flood_of_messages_ends_the_socket(studio) -> None:
    """Hundreds of thousands of messages are cut off after a second's worth, and other clients are served meanwhile."""

    async def flood() -> None:
        async with _socket(studio) as socket:
            for _ in range(100_000):
                await socket.send('{"type":"seen","number":0}')
            while True:  # sent messages may still be in the machine's buffers
                await asyncio.wait_for(socket.recv(), 20)

    with pytest.raises(websockets.exceptions.ConnectionClosed) as closed:
        asyncio.run(flood())
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008
    assert studio.call("project")["kind"] == "samples"
    assert BURST < 1000


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "not understood"),
        ('{"type":"steer","kind":"walk","speed":1,"turn":0}', "no character"),
        ('{"type":"begin","controller":"locomotion","clips":["../x"]}', "no clip"),
        ('{"type":"begin","controller":"graph","graph":9}', "build it again"),
        ('{"type":"seen","number":1,"more":2}', "not understood"),
    ],
)
def test_what_is_not_possible_is_said(studio, text: str, why: str) -> None:
    """An invalid message is answered with one sentence, and the socket stays open."""

    async def ask() -> str:
        async with _socket(studio) as socket:
            await socket.send(text)
            return (await _until(socket, "refused"))["error"]

    assert why in asyncio.run(ask())


def test_a_sequence_player_answers_over_the_socket(studio) -> None:
    """A requested motion is planned, with its method and delay; a wish to walk is refused with a sentence."""

    async def play() -> tuple[dict[str, Any], dict[str, Any]]:
        async with _socket(studio) as socket:
            await socket.send(json.dumps({"type": "begin", "controller": "sequence", "idle": "stand"}))
            began = await _until(socket, "began")
            assert "stride" in began["sources"]
            await socket.send(json.dumps({"type": "steer", "kind": "walk", "speed": 1.0, "turn": 0.0}))
            refused = await _until(socket, "refused")
            await socket.send(json.dumps({"type": "play", "motion": "stride"}))
            return refused, await _until(socket, "answers")

    refused, news = asyncio.run(play())
    assert "is not steered" in refused["error"]
    (answer,) = news["answers"]
    assert (answer["outcome"], answer["motion"]) == ("planned", "stride")
    assert 0 < answer["latency"] < 2
