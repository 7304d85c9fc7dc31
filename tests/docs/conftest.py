"""The docs folder, with the modules that the pages need beyond Sphinx importable."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))


@pytest.fixture(scope="session")
def docs() -> Path:
    """The docs folder."""
    return DOCS
