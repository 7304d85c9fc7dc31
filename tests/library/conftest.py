"""A folder of small clips as a new user has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from library_clips import write_clips


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of clips."""
    return write_clips(tmp_path / "clips")
