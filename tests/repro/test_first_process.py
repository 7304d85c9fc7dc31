"""Point-cloud costs of the process that compiled the kernels differed in the last digit from those of later ones."""

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
    """Of two processes with an empty machine code folder, the first compiles and the second loads."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    run = [sys.executable, "-c", CODE]
    first, second = (subprocess.check_output(run, env=environment, text=True) for _ in range(2))
    assert list(tmp_path.rglob("*.kernel"))
    assert first == second
