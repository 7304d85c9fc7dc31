"""Files and functions are short enough to understand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE, KERNELS, FUNCTION, ARGUMENTS = 400, 600, 60, 12


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef, path: Path) -> int:
    """Number of lines without the docstring; the arguments of a command count as declaration, not code."""
    assert node.end_lineno is not None
    total = node.end_lineno - (node.body[0].lineno if path.parent.name == "cli" else node.lineno) + 1
    first = node.body[0]
    if ast.get_docstring(node) and first.end_lineno is not None:
        total -= first.end_lineno - first.lineno + 1
    return total


def test_files_stay_short() -> None:
    """No source, test, script or benchmark has more than 400 lines; related kernels may have 600."""
    long = {}
    for folder in ("src", "tests", "scripts", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            lines = len(path.read_text("utf-8").splitlines())
            if lines > (KERNELS if path.name == "_kernels.py" else FILE):
                long[str(path.relative_to(ROOT))] = lines
    assert not long


def test_functions_stay_short() -> None:
    """No function of the package has more than 60 lines without its docstring."""
    long = {
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}": _lines(node, path)
        for path in (ROOT / "src").rglob("*.py")
        for node in _functions(path)
        if _lines(node, path) > FUNCTION
    }
    assert not long


def test_kernels_take_few_arguments() -> None:
    """Kernels take at most twelve arguments: with many, compilation is slow and calls go wrong."""
    wide = {
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}": len(node.args.args) + len(node.args.kwonlyargs)
        for path in (ROOT / "src").rglob("_kernels.py")
        for node in _functions(path)
        if len(node.args.args) + len(node.args.kwonlyargs) > ARGUMENTS
    }
    assert not wide
