"""`import segue` stays light, and so does the command line's help."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numba", "scipy", "typer", "rich", "matplotlib", "sqlite3", "msgspec")


def loaded(code: str) -> set[str]:
    """Top-level packages loaded after some code ran in a fresh interpreter."""
    code += "\nimport sys; print('loaded:', *{name.split('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.rsplit("loaded:", 1)[1].split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    """Neither the compiler nor scipy, the command line or plots are loaded."""
    assert not loaded("import segue; dir(segue); segue.__version__") & set(HEAVY)


@pytest.mark.parametrize("name", ["Clip", "Skeleton", "PlanarMotion", "SegueError", "roles"])
def test_plain_data_needs_no_compiler(name: str) -> None:
    """Names of plain data load neither numba nor scipy."""
    assert not loaded(f"import segue; segue.{name}") & {"numba", "scipy", "matplotlib", "typer"}


def test_help_needs_no_compiler() -> None:
    """The help of the command line loads neither numba, scipy nor matplotlib."""
    code = (
        "import sys\nsys.argv = ['segue', '--help']\nfrom segue.cli import main\n"
        "try:\n    main()\nexcept SystemExit as done:\n    assert not done.code, done.code"
    )
    assert not loaded(code) & {"numba", "scipy", "matplotlib"}
