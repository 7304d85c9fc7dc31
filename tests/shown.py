"""Load files outside the package as modules: scripts/ and benchmarks/ are no packages."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]


@cache
def script(path: str) -> ModuleType:
    """Load a file by its path from the project's root; it can import the files of its folder."""
    file = ROOT / path
    name = f"loaded_{file.parent.name}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(file.parent))
    return module


def shown(name: str) -> ModuleType:
    """A module of ``benchmarks/show``, so that tests check the same things."""
    return script(f"benchmarks/show/{name}.py")
