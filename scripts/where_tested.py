"""Find the tests of each module: write the table of tests/README.md, and list the tests of changed files.

    .venv/bin/python scripts/where_tested.py           writes the table
    .venv/bin/python scripts/where_tested.py --changed tests of what changed since the main branch, one a line

A module is tested by the file of its name in the folder of its subpackage (`tests/costs/test_clouds.py`) and by
files that import it, else by those whose names share a word with its own, else through a module that imports it.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "tests/README.md"
BEGIN, END = "<!-- table: written by scripts/where_tested.py -->\n", "<!-- end of table -->\n"
MOST = 3
"""Test files listed per module; those whose folder and name are closest to its own come first."""
BY_HAND = {
    "segue": "house/test_public_names.py",
    "segue.__main__": "cli/test_process.py",
    "segue._version": "house/test_versions.py",
    "segue.app.cleaning": "cli/test_clean.py",
    "segue.app.dance_floor": "cli/test_floor.py",
    "segue.app.looping": "cli/test_loop.py",
    "segue.app.measure_numbers": "cli/test_commands.py",
    "segue.app.replacing": "cli/test_replace.py",
    "segue.cli.comparing": "cli/test_compare_costs.py",
    "segue.cli.options": "cli/test_compare_costs.py",
    "segue.cli.direct": "cli/test_walk.py",
    "segue.cli.common": "cli/test_names_and_encodings.py",
    "segue.cli.inspect": "cli/test_info.py",
    "segue.cli.look": "cli/test_commands.py",
    "segue.cli.motion_text": "cli/test_wander.py",
    "segue.cli.make": "cli/test_commands.py",
    "segue.cli.measuring": "cli/test_commands.py",
    "segue.cli.output": "cli/test_progress.py",
    "segue.io.c3d": "io/test_markers.py",
    "segue.io.trc": "io/test_markers.py",
    "segue.library.salvaging": "library/test_checking.py",
}
"""Modules that tests reach through a command or a separate process, which no import shows."""
HOUSE = {
    "src/*.py": ("no_root_import", "sizes", "public_names", "shows", "planted", "where_tested"),
    "src/_*.py": ("kernels",),
    "src/segue/accel/*.py": ("kernels", "floors", "lazy_import"),
    "tests/*.py": ("sizes", "where_tested"),
    "benchmarks/*": ("sizes", "shows"),
    "scripts/*": ("sizes", "shows", "versions", "planted"),
    "*.md": ("docs",),
    "docs/*": ("docs",),
    "pyproject.toml": ("versions", "floors"),
}
"""Tests of the complete tree, in tests/house, that a change of such files may break."""


@cache
def modules() -> Mapping[str, Path]:
    """Return the dotted name and file of every module of the package."""
    found = {}
    for path in sorted((ROOT / "src/segue").rglob("*.py")):
        parts = path.relative_to(ROOT / "src").with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imported(path: Path) -> frozenset[str]:
    """Return the modules of the package that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "segue"
        ):
            found.add(_home(node.attr))
    return frozenset(found & modules().keys())


@cache
def _homes() -> Mapping[str, str]:
    tree = ast.parse((ROOT / "src/segue/__init__.py").read_text("utf-8"))
    block = next(
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES"
    )
    homes: dict[str, str] = ast.literal_eval(block)
    return homes


def _home(name: str) -> str:
    """Return the module that defines a public name."""
    return f"segue.{_homes()[name]}" if name in _homes() else ""


@cache
def importers() -> Mapping[str, list[Path]]:
    """Return the test files that import each module."""
    found = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in imported(path):
            found[name].append(path)
    return found


def tested(module: str) -> tuple[list[Path], str]:
    """Return the test files of a module, and the module that leads to them if they neither name nor import it."""
    if module in BY_HAND:
        return [ROOT / "tests" / BY_HAND[module]], ""
    direct = set(importers().get(module, []))
    own = {path for path in direct if "repro" not in path.parts} or _named(module) or direct
    if own:
        return _nearest(module, own | {path for path in _named(module) if path.stem == _stem(module)}), ""
    seen, row = {module}, [module]
    while row:
        row = sorted(
            (name for name, path in modules().items() if name not in seen and imported(path) & set(row)),
            key=lambda name: (name.rpartition(".")[0] != module.rpartition(".")[0], name),
        )
        seen |= set(row)
        for name in row:
            if importers().get(name):
                return _nearest(module, importers()[name]), name
    return [], ""


def _stem(module: str) -> str:
    return f"test_{module.rpartition('.')[2].strip('_')}"


def _named(module: str) -> set[Path]:
    """Return the test files in the subpackage's folder whose names share a word with the module's."""
    room = module.split(".")[1] if "." in module else module
    folder = ROOT / "tests" / room if (ROOT / "tests" / room).is_dir() else ROOT / "tests"
    files = folder.rglob("test_*.py") if folder.name == room else folder.glob("test_*.py")
    return {path for path in files if _words(module) & set(path.stem.split("_")[1:])}


def _words(module: str) -> set[str]:
    return {word for word in module.rpartition(".")[2].split("_") if len(word) > 2}


def _nearest(module: str, paths: Iterable[Path]) -> list[Path]:
    """Return at most `MOST` files: the one of the module's name, then those in its folders and with its words."""
    parts = module.split(".")

    def rank(path: Path) -> tuple[bool, int, int, str]:
        near = sum(part in path.parts for part in parts[1:-1])
        shared = len(_words(module) & set(path.stem.split("_")))
        return (path.stem != _stem(module), -near, -shared, str(path))

    return sorted(paths, key=rank)[:MOST]


def table() -> str:
    """Return the rows of all modules, by subpackage."""
    lines = ["| module | tested in | through |\n", "| --- | --- | --- |\n"]
    for module, path in modules().items():
        if is_bare(path):
            continue
        paths, through = tested(module)
        files = ", ".join(f"`{path.relative_to(ROOT / 'tests')}`" for path in paths)
        lines.append(f"| `{module}` | {files} | {f'`{through}`' if through else ''} |\n")
    return "".join(lines)


def is_bare(path: Path) -> bool:
    """Return whether a file holds nothing but its docstring."""
    body = ast.parse(path.read_text("utf-8")).body
    return all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in body)


def page() -> str:
    """Return tests/README.md with its table updated."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


def changed() -> list[str]:
    """Return the files that differ from the branch point, or from the last commit if on the main branch."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    return sorted(
        {*_git("diff", "--name-only", base[0]), *_git("ls-files", "--others", "--exclude-standard")}
    )


def _git(*words: str) -> list[str]:
    run = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.split() if run.returncode == 0 else []


def tests_of(files: Iterable[str]) -> list[str]:
    """Return the test files to run after these files have changed."""
    found: set[str] = set()
    names = {str(path.relative_to(ROOT)): name for name, path in modules().items()}
    for file in files:
        if file in names:
            found |= {str(path.relative_to(ROOT)) for path in tested(names[file])[0]}
        elif Path(file).name.startswith("test_") and file.endswith(".py"):
            found.add(file)
        found |= {
            f"tests/house/test_{name}.py"
            for kind, some in HOUSE.items()
            if _fits(file, kind)
            for name in some
        }
    return sorted(one for one in found if (ROOT / one).exists())


def _fits(file: str, kind: str) -> bool:
    folder, _, name = kind.rpartition("/")
    return (file.startswith(f"{folder}/") if folder else "/" not in file) and fnmatch(Path(file).name, name)


if __name__ == "__main__":
    if sys.argv[1:] == ["--changed"]:
        print("\n".join(tests_of(changed())))
    else:
        PAGE.write_text(page(), encoding="utf-8")
