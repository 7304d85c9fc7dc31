"""Packages import only from lower layers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_no_room_looks_up() -> None:
    """import-linter finds no broken contract."""
    tool = Path(sys.executable).with_name("lint-imports")
    if not tool.exists():
        pytest.skip("import-linter is not installed beside this Python")
    run = subprocess.run([tool, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_room_says_what_it_owns() -> None:
    """The docstring of each package begins with a sentence about its contents."""
    import ast

    silent = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "src/segue").rglob("__init__.py")
        if not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert not silent
