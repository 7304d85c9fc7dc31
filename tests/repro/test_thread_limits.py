"""The first judging of a process ran in as many threads as there are cores, which waited for one another.

The limit was set before the libraries were loaded, and only the thread pools of loaded libraries are limited.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from segue.errors import MissingExtraError, require_extra

try:
    require_extra("judging seams", "learn")
except MissingExtraError:
    pytest.skip("scikit-learn is not installed", allow_module_level=True)

PROGRAM = """
from threadpoolctl import threadpool_info
from segue.threads import one_thread

with one_thread("sklearn.ensemble"):
    import sklearn.ensemble
    print(*sorted((pool["user_api"], pool["num_threads"]) for pool in threadpool_info()), sep="\\n")
"""


def test_a_library_that_is_not_loaded_yet_is_limited_too() -> None:
    """In a process that has loaded nothing, OpenMP, which fits trees, and BLAS are limited."""
    lines = subprocess.check_output([sys.executable, "-c", PROGRAM], text=True).splitlines()
    assert any("openmp" in line for line in lines)
    assert all(line.endswith(", 1)") for line in lines), lines
