"""The process that compiles the kernels gave point-cloud costs of another last digit than all that read them back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import hashlib, segue
walk, run = segue.sample("walk", 30), segue.sample("run", 30)
costs = segue.cost_matrix(walk, run, cost=segue.cost("point_cloud")).values
print(hashlib.sha256(costs.tobytes()).hexdigest())
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="kernels run interpreted")
def test_the_first_process_computes_what_all_later_ones_do(tmp_path: Path) -> None:
    """Of two processes with an empty folder for machine code the first compiles and the second reads."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    run = [sys.executable, "-c", CODE]
    first, second = (subprocess.check_output(run, env=environment, text=True) for _ in range(2))
    assert list(tmp_path.rglob("*.kernel"))
    assert first == second
