"""One set in its own process: `python _any_folder_one.py JOB` with a JSON job, one JSON line an event.

The first line describes the set, followed by a line per motion; lines written before a time limit are kept.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from _any_folder_kinds import played_kinds
from _any_folder_made import Built, built, keep, made
from _any_folder_measures import measured

from segue.errors import SegueError
from segue.io.files import motion_files


def main() -> None:
    job = json.loads(sys.argv[1])
    found = built(job["path"])
    tell({"set": holds(job["path"], found)})
    if found.refused:
        return
    for seconds, seed, long in [(job["seconds"], seed, False) for seed in job["seeds"]] + [
        (seconds, 1, True) for seconds in job["long"]
    ]:
        tell({"motion": one_motion(found, job, seconds, seed=seed, long=long)})


def tell(event: dict[str, Any]) -> None:
    """Write one line."""
    print(json.dumps(event), flush=True)


def holds(path: str, found: Built) -> dict[str, Any]:
    """Return the contents of a set, what was left out and why, and what is reached."""
    files, usable = motion_files([path]), found.usable
    return {
        "given": len(files),
        "read": len(found.originals),
        "skipped": [[str(file), why] for file, why in found.read.skipped],
        "usable": len(usable),
        "unusable": found.unusable,
        "bodies": len(found.bodies),
        "longest": max((clip.seconds for clip in usable), default=0.0),
        "reached": list(found.reached),
        "outside": found.outside,
        "build_seconds": found.seconds,
        "refused": found.refused,
    }


def one_motion(found: Built, job: dict[str, Any], seconds: float, *, seed: int, long: bool) -> dict[str, Any]:
    """Make one motion, measure it, and save it if a folder is given."""
    facts: dict[str, Any] = {"seed": seed, "asked": seconds, "long": long, "error": ""}
    try:
        motion = made(found, seconds=seconds, seed=seed)
        facts |= measured(motion, found.sources, seed=seed)
        if long:
            facts["kinds"] = played_kinds(motion, found.sources)
        kept = f"{slug(job['name'])}-{seconds:g}s-seed{seed}.npz"
        if job["out"]:
            path = Path(job["out"]) / kept
            keep(motion, found, path, seconds=seconds, seed=seed)
            facts["file"] = str(path)
        else:
            with tempfile.TemporaryDirectory() as folder:  # the command also writes files
                keep(motion, found, Path(folder) / kept, seconds=seconds, seed=seed)
    except SegueError as error:
        facts["error"] = str(error)
    return facts


def slug(name: str) -> str:
    """Return the name of a set for use in a file name."""
    return re.sub(r"[^\w.-]+", "_", name)


if __name__ == "__main__":
    main()
