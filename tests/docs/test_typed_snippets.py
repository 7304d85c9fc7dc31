"""mypy and pyright find no fault in the Python code of the pages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import segue

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def snippets(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one module a page: its Python blocks, one after the other."""
    folder = tmp_path_factory.mktemp("snippets")
    pages = [docs.parent / "README.md", *sorted(docs.rglob("*.md"))]
    for page in pages:
        if code := BLOCK.findall(page.read_text("utf-8")):
            name = re.sub(r"\W", "_", str(page.relative_to(docs.parent)))
            (folder / f"{name}.py").write_text("\n".join(code), "utf-8")
    assert len(list(folder.iterdir())) > 5
    return folder


@pytest.mark.slow
def test_pyright_is_content(snippets: Path) -> None:
    """The check is the one that an editor shows while typing."""
    pytest.importorskip("basedpyright")
    source = Path(segue.__file__).parents[1]
    config = {"typeCheckingMode": "standard", "extraPaths": [str(source)], "include": ["."]}
    (snippets / "pyrightconfig.json").write_text(json.dumps(config), "utf-8")
    command = [sys.executable, "-m", "basedpyright", "-p", str(snippets), "--pythonpath", sys.executable]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=snippets)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_mypy_is_content(snippets: Path, tmp_path: Path) -> None:
    """The check is as strict as for segue itself; two wrong lines are found."""
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import segue\n\nn: int = segue.sample("walk")\nsegue.splice(n)\n', "utf-8")
    modules = [*sorted(map(str, snippets.glob("*.py"))), str(wrong)]
    command = [sys.executable, "-m", "mypy", "--scripts-are-modules", *modules]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    *errors, last = done.stdout.splitlines()
    # mypy's cache of earlier modules reports the folder they were in then, so only file names are compared.
    where = {Path(line.split(": error: ")[0]).name for line in errors}
    assert where == {"wrong.py:3", "wrong.py:4"}, done.stdout
    assert last.startswith("Found 3 errors in 1 file"), done.stderr
