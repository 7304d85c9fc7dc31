"""No file of the package imports the package itself: that would bypass the layer contracts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "segue"


def root_imports(text: str) -> list[int]:
    """Lines that import the root package or a name of it that is not a module."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            # `import segue.motion.clip` binds the name `segue`, and with it every public name.
            bad = [
                a for a in node.names if a.name == "segue" or (a.name.startswith("segue.") and not a.asname)
            ]
        elif isinstance(node, ast.ImportFrom):
            bad = [node] if node.level or node.module == "segue" else []
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            bad = [a for a in node.args if isinstance(a, ast.Constant) and a.value == "segue"]
        else:
            continue
        found += [node.lineno] if bad else []
    return found


def test_no_file_imports_the_root_package() -> None:
    """Inside the package every import names the module it needs."""
    bad = {
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in PACKAGE.rglob("*.py")
        for line in root_imports(path.read_text("utf-8"))
    }
    assert not bad


@pytest.mark.parametrize(
    "text",
    [
        "import segue",
        "import segue as s",
        "import segue.motion.clip",
        "from segue import load",
        "def f():\n    from segue import load",
        "from . import clip",
        "from importlib import import_module\nimport_module('segue')",
    ],
)
def test_the_check_sees_every_way_in(text: str) -> None:
    """Each form of importing the root package is found, also inside a function."""
    assert root_imports(text)


@pytest.mark.parametrize(
    "text", ["from segue.motion.clip import Clip", "import segue.motion.clip as clip", "import numpy"]
)
def test_the_check_lets_modules_through(text: str) -> None:
    """Imports that name a module are allowed."""
    assert not root_imports(text)
