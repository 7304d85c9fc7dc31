"""A running studio, in a thread of this process or in its own process, and a page's handling of its answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np


@contextmanager
def in_thread(start: Callable[[Callable[[str], None]], Any]) -> Iterator[Any]:
    """Run the server opened by ``start(ready)`` in a thread until the end.

    Raises
    ------
    RuntimeError
        If it does not listen, or does not stop on request.
    """
    ready = Event()
    server = start(lambda _url: ready.set())
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    if not ready.wait(30):
        raise RuntimeError("the server does not listen")
    try:
        yield server
    finally:
        server.server.should_exit = True
        thread.join(15)
    if thread.is_alive():
        raise RuntimeError("the server does not shut down")


@contextmanager
def studio_of(place: Path | None, exports: Path) -> Iterator[Any]:
    """Run a studio over a library, a folder or the embedded clips, in a thread."""
    from segue.studio.project import Project
    from segue.studio.server import opened
    from segue.studio.state import Studio

    with in_thread(lambda ready: opened(Studio(Project(place, exports)), ready=ready)) as studio:
        yield studio


@contextmanager
def in_process(*words: object) -> Iterator[tuple[str, int]]:
    """Run ``segue studio`` with some arguments; yield its address and process id."""
    command = [sys.executable, "-m", "segue", "studio", *map(str, words), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def patched(
    poses: np.ndarray, before: Mapping[str, Any], view: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Return the frames of a sequence after an edit, as a page has them: old frames with the changed ones inserted."""
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
