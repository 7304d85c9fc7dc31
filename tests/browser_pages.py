"""Pages opened in a real browser, for tests of what segue writes and serves for one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from shown import shown

CLIENT = Path(__file__).resolve().parents[1] / "client"
PLAYER: str = shown("_browser").PLAYER
READY: str = shown("_browser").READY


def chromium() -> str:
    """Path of a Chromium; without one the test is skipped, or fails if SEGUE_BROWSER=1 requires it."""
    try:
        found: str = shown("_browser").chromium()
    except RuntimeError:
        found = ""
    if found and (CLIENT / "node_modules" / "playwright-core").is_dir():
        return found
    if os.environ.get("SEGUE_BROWSER") == "1":
        pytest.fail("browser tests need Debian's chromium and the packages of client/")
    pytest.skip("no chromium, or client/node_modules is not installed")


def worked(script: str, order: dict[str, Any]) -> dict[str, Any]:
    """Observations of a script of ``client/browser`` on a page; the page must have no fault."""
    chromium()
    seen: dict[str, Any] = shown("_browser").worked(script, order)
    assert seen["faults"] == [], seen
    return seen


def visited(visits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers of visits, both as in ``client/browser/open.mjs``."""
    chromium()
    answers: list[dict[str, Any]] = shown("_browser").visited(visits)
    return answers


def visit(page: Path, *steps: Any, wait: str = READY, **more: Any) -> dict[str, Any]:
    """Visit a page on disk with the network off; the page must have no fault and request nothing."""
    small = {"width": 480, "height": 320}  # software rendering is faster with few pixels
    answer = visited([{"url": page.as_uri(), "wait": wait, "steps": list(steps), **small, **more}])[0]
    assert answer["faults"] == [], answer
    assert answer["requests"] == [], answer
    return answer
