"""Helpers of the benchmarks, for tests that look at the same things."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

SHOW = Path(__file__).resolve().parents[1] / "benchmarks" / "show"


@cache
def shown(name: str) -> ModuleType:
    """A module of ``benchmarks/show`` that imports none of its neighbours."""
    spec = importlib.util.spec_from_file_location(f"shown{name}", SHOW / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
