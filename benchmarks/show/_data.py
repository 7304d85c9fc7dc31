"""Location of the real clips, and the sets that several scripts use."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
"""Folder of the real clips, next to the project."""


def require_data() -> Path:
    """Return the folder of real clips; exit if it is missing."""
    if not DATA.is_dir():
        print(f"the real clips are not next to the project ({DATA}): nothing can be measured")
        sys.exit(1)
    return DATA


def subject_16() -> list[str]:
    """Return all 58 clips of CMU subject 16."""
    return [str(require_data() / "asf_amc" / "16")]


def mixed_subjects() -> list[str]:
    """Return all clips of CMU 16 and 127, and the 131 clips in 3ds Max flavour: three skeletons, two formats."""
    return [
        *subject_16(),
        str(DATA / "asf_amc" / "127"),
        *(str(path) for path in sorted((DATA / "cmu" / "max_friendly").glob("131_*.bvh"))),
    ]
