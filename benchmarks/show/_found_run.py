"""Helpers to run the awkward inputs with the command line and clips."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _data import ROOT

import segue
from segue.motion.clip import Clip

FOUND = ROOT.parent / "shared" / "found"


@dataclass(frozen=True)
class Try:
    """One input: a function that returns whether the result is right, and what was found."""

    name: str
    run: Callable[[Path], tuple[object, object]]


def command(*words: object, folder: Path, memory: int = 8 << 30) -> subprocess.CompletedProcess[str]:
    """Run ``segue`` with arguments in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "segue", *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
    )


def document(*words: object, folder: Path) -> dict[str, Any]:
    """Return the JSON document of a command; an error has the key ``error``."""
    done = command(*words, "--json", folder=folder)
    if done.returncode or not done.stdout.strip():
        return {"error": (done.stderr.strip().splitlines() or ["no word"])[-1]}
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def one_clip(*words: object, folder: Path) -> dict[str, Any]:
    """Return the report of ``segue info`` on one clip."""
    given = document("info", *words, folder=folder)
    return given if "error" in given else dict(given["clips"][0])


def faults(info: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the faults that ``segue info`` reports of a clip."""
    return list(info.get("faults", []))


def place(clip: Clip, joint: str) -> np.ndarray:
    """Return world positions (F, 3) of a joint by its name."""
    return segue.world_positions(clip)[:, list(clip.skeleton.names).index(joint)]


def role_place(clip: Clip, role: str) -> np.ndarray:
    """Return world positions (F, 3) of a joint by its role."""
    return segue.world_positions(clip)[:, segue.roles(clip.skeleton)[role]]


def trunk_angles(clip: Clip) -> np.ndarray:
    """Return degrees between the trunk, pelvis to neck, and the vertical, in each frame."""
    trunk = role_place(clip, "neck") - role_place(clip, "pelvis")
    return np.degrees(np.arccos(trunk[:, 1] / np.linalg.norm(trunk, axis=1)))
