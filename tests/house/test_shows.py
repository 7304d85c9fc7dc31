"""The benchmarks import existing names, and their page describes them: not every change runs all of them."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHOWS = ROOT / "benchmarks/show"
FILES = sorted(path for folder in ("benchmarks", "scripts") for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_a_show_imports_is_there(path: Path) -> None:
    """Imports inside functions are checked too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("segue."):
            continue
        module = importlib.import_module(str(node.module))
        for name in node.names:
            if not hasattr(module, name.name):
                importlib.import_module(f"{node.module}.{name.name}")


def test_the_page_of_shows_is_made_of_their_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of benchmarks/show/README.md are what `_table.py` writes, with a row for every script."""
    monkeypatch.syspath_prepend(str(SHOWS))
    table = importlib.import_module("_table")
    readme = table.README.read_text("utf-8")
    assert table.tables(readme) == readme, "run .venv/bin/python benchmarks/show/_table.py"
    assert set(table.rows(readme)) == {path.stem for path in table.scripts()}


def test_shows_of_other_programs_run_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """`scripts/show.sh` omits exactly the group that its table calls other programs and long runs."""
    monkeypatch.syspath_prepend(str(SHOWS))
    table = importlib.import_module("_table")
    every = table.rows(table.README.read_text("utf-8"))
    left_out = {name for name, row in every.items() if row["Group"] == "Other programs and long runs"}
    line = re.search(r'^ON_REQUEST="(.*)"$', (ROOT / "scripts/show.sh").read_text("utf-8"), re.MULTILINE)
    assert line is not None
    assert set(line[1].split()) == left_out


@pytest.mark.parametrize(
    ("value", "bar", "good"),
    [
        (5, "<= 5", True),
        (5, "< 5", False),
        (1e-9, "< 1e-8", True),
        (30_000, ">= 30,000", True),
        (1, "= 0", False),
    ],
)
def test_a_bar_judges_a_number(monkeypatch: pytest.MonkeyPatch, value: float, bar: str, good: bool) -> None:
    """A comparison with a number is judged automatically; NaN fails every bar."""
    monkeypatch.syspath_prepend(str(SHOWS))
    judged = importlib.import_module("_verdict").judged
    assert judged(value, bar) is good
    assert not judged(float("nan"), bar)


def test_a_bar_in_words_needs_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar that is no comparison with a number is refused, not passed."""
    monkeypatch.syspath_prepend(str(SHOWS))
    with pytest.raises(ValueError, match="no comparison"):
        importlib.import_module("_verdict").judged(3, "all")
