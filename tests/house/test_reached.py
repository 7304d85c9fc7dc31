"""No module is unreachable."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import segue

SRC = Path(segue.__file__).parent
PAGE = Path(__file__).parents[2] / "docs/reference/api/for-your-code.md"
_ROW = re.compile(r"^\| `([\w.]+)` \| (\S.*) \|$", re.MULTILINE)
_FUNCTION = re.compile(r"(\w+):\w+")


def _modules() -> dict[str, Path]:
    """Every module and package by its dotted name, without the leading ``segue.``."""
    out = {}
    for path in SRC.rglob("*.py"):
        parts = path.relative_to(SRC).with_suffix("").parts
        out[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return out


def _names(path: Path) -> Iterator[str]:
    """Dotted names a module imports anywhere in it, and modules of its registry rows (``module:function``)."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("segue"):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and (found := _FUNCTION.fullmatch(str(node.value))):
            yield ".".join(["segue", *path.relative_to(SRC).parts[:-1], found[1]])


def _reached(modules: dict[str, Path], todo: list[str]) -> set[str]:
    """Modules reachable from ``todo``, with their packages."""
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        while name and name not in modules:
            name = name.rpartition(".")[0]
        if name in seen:
            continue
        seen.add(name)
        todo.append(name.rpartition(".")[0])
        todo += [other.removeprefix("segue.") for other in _names(modules[name])]
    return seen


def _listed() -> dict[str, str]:
    """Modules of the page for users who write their own code, each with a reason."""
    return dict(_ROW.findall(PAGE.read_text("utf-8")))


def test_every_module_is_reached() -> None:
    """Each is reached from a command, a public name or a module listed with a reason on a docs page."""
    modules = _modules()
    start = ["__main__", "cli", *segue._HOMES.values(), *_listed()]
    assert not sorted(set(modules) - _reached(modules, start) - {""})


def test_the_page_lists_only_modules_that_nothing_else_reaches() -> None:
    """A module that a command or a public name reaches needs no row, and every row is an existing module."""
    modules = _modules()
    assert not sorted(set(_listed()) - set(modules))
    assert not sorted(set(_listed()) & _reached(modules, ["__main__", "cli", *segue._HOMES.values()]))
