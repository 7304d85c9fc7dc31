"""The command line and clips, as the awkward inputs are tried with them."""

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
    """What one input should do: a function that returns whether it does, and what was seen."""

    name: str
    run: Callable[[Path], tuple[object, object]]


def command(*words: object, folder: Path, memory: int = 8 << 30) -> subprocess.CompletedProcess[str]:
    """Run ``segue`` with words in a folder."""
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
    """The document that a command prints with ``--json``; an error as the key ``error``."""
    done = command(*words, "--json", folder=folder)
    if done.returncode or not done.stdout.strip():
        return {"error": (done.stderr.strip().splitlines() or ["no word"])[-1]}
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def one_clip(*words: object, folder: Path) -> dict[str, Any]:
    """What ``segue info`` reports of one clip."""
    given = document("info", *words, folder=folder)
    return given if "error" in given else dict(given["clips"][0])


def faults(info: dict[str, Any]) -> list[dict[str, Any]]:
    """Faults that ``segue info`` reports of a clip."""
    return list(info.get("faults", []))


def place(clip: Clip, joint: str) -> np.ndarray:
    """World places (F, 3) of a joint by its name."""
    return segue.world_positions(clip)[:, list(clip.skeleton.names).index(joint)]


def role_place(clip: Clip, role: str) -> np.ndarray:
    """World places (F, 3) of a joint by its role."""
    return segue.world_positions(clip)[:, segue.roles(clip.skeleton)[role]]


def trunk_angles(clip: Clip) -> np.ndarray:
    """Degrees between the trunk, pelvis to neck, and the vertical, in each frame."""
    trunk = role_place(clip, "neck") - role_place(clip, "pelvis")
    return np.degrees(np.arccos(trunk[:, 1] / np.linalg.norm(trunk, axis=1)))
