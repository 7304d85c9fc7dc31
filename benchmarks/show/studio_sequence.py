"""Fifty motions of a minute's sequence dragged on the studio's timeline, one after the other.

Shows: milliseconds from the drop of a motion to its new frames, and how many of the frames are sent
Bars: 50 ms, the median of 50 drags; the page's frames equal those of the complete sequence, to 1e-6
Needs: nothing; `--pictures` opens the tab in Chromium, draws it in every look and next to its draft
Group: Steering
"""

from __future__ import annotations

import http.client
import json
import os
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from _browser import worked
from _data import require_data
from _runner import PICTURES, Show, run
from _sequences import CLIPS as SOURCES
from _sequences import FIGHT
from _studio import in_process, patched

import segue
from segue.app.demo import DEMO_ELEMENTS, DEMO_NAME, DEMO_SEQUENCE
from segue.library.element_files import ScriptedMotion, SequenceDocument, kept_sequence
from segue.sequencing.proposing import ElementRange
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
FIGHTERS, PUNCHES = ("boxing", "17_10", "02_05"), ("jab", "hook", "cross", "straight", "double", "low_punch")
ROUND = (
    ("guard", 0.5),
    ("jab", 2.2),
    ("hook", 3.8),
    ("step_in", 5.5),
    ("duck_cross", 8.6),
    ("cross", 8.7),
    ("straight", 11.2),
)
BAR = 50.0
"""Milliseconds."""


class Asked:
    """The studio over one connection, as a page uses it."""

    def __init__(self, url: str) -> None:
        place = urlsplit(url)
        port, token = place.port, place.query.removeprefix("token=")
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.headers = {"authorization": f"Bearer {token}", "host": f"127.0.0.1:{port}"}

    def ask(self, method: str, path: str, ask: dict[str, Any] | None = None) -> bytes:
        """Return the body of an answer."""
        body = None if ask is None else json.dumps(ask).encode()
        self.line.request(method, path, body, self.headers)
        answer = self.line.getresponse()
        content = answer.read()
        assert answer.status == 200, content[:300]
        return content


def minute(elements: list[dict[str, Any]], rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return random motions for a minute, each beginning before the previous one ends."""
    motions, at = [], 1.5
    while at < MINUTE:
        one = elements[int(rng.integers(len(elements)))]
        motions.append({"motion": one["name"], "at": round(at, 3), "priority": 0, "smoothness": None})
        at += (one["core"][1] - one["core"][0]) / one["fps"] + float(rng.uniform(0.7, 1.3))
    return motions


def spent(process: int) -> float:
    """Return the processor seconds of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(show: Show) -> None:
    library = show.folder / "moves.segue"
    with segue.Library.open(library) as made:
        made.add([segue.sample(name) for name in CLIPS])
    with in_process(library) as (url, process):
        drag_all(show, Asked(url), process)
    if show.options.pictures is not None:
        show.options.pictures.mkdir(parents=True, exist_ok=True)
        draw(show, show.options.pictures.resolve())


def draw(show: Show, folder: Path) -> None:
    """Draw the tab dark and light, at tablet size, with a rejected motion and empty; and next to the draft."""
    from _drafts import beside, make_small

    library = show.folder / "arranged.segue"
    with segue.Library.open(library) as made:
        made.add([segue.sample(name) for name in sorted({one.clip for one in DEMO_ELEMENTS})])
        made.add_elements(DEMO_ELEMENTS)
        made.add_sequence(kept_sequence(DEMO_NAME, DEMO_SEQUENCE))
    fight(show.folder / "fight.segue")
    faults = []
    for place, looks in ((library, "steps"), (show.folder / "fight.segue", "fight")):
        with in_process(place) as (url, _):
            faults += worked("sequence.mjs", {"url": url, "pictures": str(folder), "looks": looks})["faults"]
    make_small(folder, "studio-sequence*.png")
    beside("sequence.png", folder / "studio-sequence.png")
    show.check("page errors while it is drawn", len(faults), "= 0")


def fight(path: Path) -> None:
    """Make a library of three captures with the elementary motions of a fight, and a sequence of seven."""
    data = require_data()
    clips = {name: next(data.rglob(file)) for name, file in SOURCES.items() if name in FIGHTERS}
    found = {
        name: segue.load(place, skeleton=place.parent / f"{place.parent.name}.asf")
        if place.suffix == ".amc"
        else segue.load(place)
        for name, place in clips.items()
    }
    elements = []
    for row in FIGHT.strip().split("\n"):
        name, clip, *seconds = row.split()
        frames = (round(float(second) * found[clip].fps) for second in seconds)
        tag = "punch" if name in PUNCHES else "move"
        elements.append(ElementRange(name, found[clip].name, *frames, (tag,)))
    with segue.Library.open(path) as made:
        made.add(list(found.values()))
        made.add_elements(elements)
        document = SequenceDocument([ScriptedMotion(name, at) for name, at in ROUND])
        made.add_sequence(kept_sequence("fight", document))


def drag_all(show: Show, asked: Asked, process: int) -> None:
    """Drag motions and check the answers."""
    rng = np.random.default_rng(1)
    elements = json.loads(asked.ask("POST", "/api/propose_elements", {"clips": list(CLIPS)}))["elements"]
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
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    show.note(
        f"processor time of the server: {busy:.1f} ms a drag; the machine has {load:.1f} jobs a processor"
    )
    show.check("length of the sequence", round(view["frames"] / view["fps"], 1), ">= 58 s")
    show.check("drop to new frames, median", round(float(np.median(took)), 1), f"<= {BAR:g} ms")
    show.check("processor time a drag", round(busy, 1), f"<= {BAR:g} ms")
    show.check("frames of the page compared with the complete sequence", worst, "<= 1e-6")


if __name__ == "__main__":
    run(main, f"{DRAGS} drags in a sequence of a minute", PICTURES)
