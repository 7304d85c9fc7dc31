"""Fifty motions of a minute's sequence dragged on the studio's timeline, one after the other.

Shows: milliseconds from the drop of a motion to its new frames, and how many of the frames are sent
Bars: 50 ms, the median of 50 drags; the frames that the page then has are those of the whole sequence, to 1e-6
Needs: nothing else
Group: The main job
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from _runner import Show, run

import segue
from segue.arrays import Floats
from segue.studio.packing import unpacked

MINUTE, DRAGS = 60.0, 50
CLIPS = (
    "walk",
    "walk_fast",
    "walk_slow",
    "walk_turn_left",
    "walk_turn_right",
    "run",
    "start",
    "stop",
    "step_touch",
)
BAR = 50.0
"""Milliseconds."""


class Asked:
    """The studio over one connection, as a page has it."""

    def __init__(self, url: str) -> None:
        port, token = int(url.split(":")[2].split("/", maxsplit=1)[0]), url.split("=")[1]
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.headers = {"authorization": f"Bearer {token}", "host": f"127.0.0.1:{port}"}

    def ask(self, method: str, path: str, ask: dict[str, Any] | None = None) -> bytes:
        """Body of an answer."""
        body = None if ask is None else json.dumps(ask).encode()
        self.line.request(method, path, body, self.headers)
        answer = self.line.getresponse()
        content = answer.read()
        assert answer.status == 200, content[:300]
        return content


def patched(poses: Floats, before: dict[str, Any], view: dict[str, Any], arrays: dict[str, Floats]) -> Floats:
    """Frames of the page with those that changed laid in."""
    out = np.full((view["frames"], poses.shape[1]), np.nan)
    ahead = view["first_frame"] - before["first_frame"]
    low, high = max(0, -ahead), min(view["frames"], before["frames"] - ahead)
    out[low:high] = poses[low + ahead : high + ahead]
    for name, width in (("poses", poses.shape[1]), ("places", 7)):
        at = 0
        for start, stop in view[name]:
            out[start:stop, :width] = arrays[name][at : at + stop - start]
            at += stop - start
    return out


def minute(elements: list[dict[str, Any]], rng: np.random.Generator) -> list[dict[str, Any]]:
    """Motions at random until a minute is full, each beginning before the one before it ends."""
    motions, at = [], 1.5
    while at < MINUTE:
        one = elements[int(rng.integers(len(elements)))]
        motions.append({"motion": one["name"], "at": round(at, 3), "priority": 0, "smoothness": None})
        at += (one["core"][1] - one["core"][0]) / one["fps"] + float(rng.uniform(0.7, 1.3))
    return motions


def spent(process: int) -> float:
    """Seconds of processor time of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(show: Show) -> None:
    library = show.folder / "moves.segue"
    with segue.Library.open(library) as made:
        made.add([segue.sample(name) for name in CLIPS])
    command = [sys.executable, "-m", "segue", "studio", str(library), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        drag_all(show, Asked(process.stdout.readline().strip()), process.pid)
    finally:
        process.terminate()
        process.wait(10)


def drag_all(show: Show, asked: Asked, process: int) -> None:
    """Drag motions and look at what comes back."""
    rng = np.random.default_rng(1)
    elements = json.loads(asked.ask("POST", "/api/propose", {"clips": list(CLIPS)}))["elements"]
    motions = minute(elements, rng)
    script = {"name": "minute", "motions": motions}
    view, arrays = unpacked(asked.ask("POST", "/api/arrange", {"script": script}))
    poses, worst, took, sent, kinds = arrays["poses"], 0.0, [], [], []
    busy = spent(process)
    for _ in range(DRAGS):
        one = motions[int(rng.integers(1, len(motions)))]
        one["at"] = round(one["at"] + float(rng.uniform(-0.3, 0.3)), 3)
        begin = time.perf_counter()
        body = asked.ask("POST", "/api/arrange", {"script": script, "base": view["number"]})
        later, changed = unpacked(body)
        poses = patched(poses, view, later, changed)
        took.append(1000 * (time.perf_counter() - begin))
        view = later
        sent.append(len(body) / 1024)
        kinds.append(sum(stop - start for start, stop in view["poses"]) / view["frames"])
    busy = 1000 * (spent(process) - busy) / DRAGS
    whole = unpacked(asked.ask("GET", f"/api/motion/{view['word']}"))[1]["poses"]
    worst = float(np.abs(poses - whole).max())
    show.note(
        f"{view['frames'] / view['fps']:.1f} s, {len(motions)} motions, {len(view['joins'])} pairs, "
        f"{len(view['rejected'])} rejected at the end"
    )
    show.table(
        ["", "median", "90 %", "most"],
        [
            [name, *(f"{np.percentile(values, share):.{digits}f}" for share in (50, 90, 100))]
            for name, values, digits in (
                ("drop to frames, ms", took, 1),
                ("sent, KiB", sent, 0),
                ("frames with another pose, share", kinds, 2),
            )
        ],
    )
    show.note(f"processor time of the server: {busy:.1f} ms a drag")
    show.check("length of the sequence", round(view["frames"] / view["fps"], 1), ">= 58 s")
    show.check("drop to new frames, median", round(float(np.median(took)), 1), f"<= {BAR:g} ms")
    show.check("processor time a drag", round(busy, 1), f"<= {BAR:g} ms")
    show.check("frames of the page beside the whole sequence", worst, "<= 1e-6")


if __name__ == "__main__":
    run(main, f"{DRAGS} drags in a sequence of a minute")
