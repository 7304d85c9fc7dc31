"""The guide pages are correct: files and names to change, and decisions by their numbers."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/find-your-way.md").read_text("utf-8")
TASKS = {
    title: re.findall(r"^\| `([^`]+)` \| (.*?) ?\| (.+) \|$", text, re.MULTILINE)
    for title, _, text in (part.partition("\n") for part in PAGE.split("\n## ")[1:])
}
WANTED = (
    *(f"Add a {thing}" for thing in ("cost", "format", "measure", "verb", "blend method", "controller")),
    "Change a default",
    *(f"Find where {what}" for what in ("a seam is made", "feet are held", "a record is read")),
)
DECISIONS = (ROOT / "docs/decisions.md").read_text("utf-8")
NUMBERS = [int(number) for number in re.findall(r"^\*\*(\d+)\. ", DECISIONS, re.MULTILINE)]


@cache
def names(path: Path) -> frozenset[str]:
    """Names a file defines at top level: functions, classes and assigned names."""
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(found)


def homes(name: str) -> list[str]:
    """Files of the package that define a name today."""
    return [str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.py") if name in names(path)]


def test_the_page_has_ten_tasks() -> None:
    """Each task occurs once, with files to change."""
    assert tuple(TASKS) == WANTED
    assert all(TASKS.values())


@pytest.mark.parametrize("task", TASKS)
def test_the_files_to_touch_are_there(task: str) -> None:
    """Every file of a task exists and defines the names listed with it."""
    for file, words, _ in TASKS[task]:
        wanted = re.findall(r"`([^`]+)`", words)
        path = ROOT / file
        assert path.is_file(), f"{file} is gone; {', '.join(f'{name}: {homes(name)}' for name in wanted)}"
        for name in wanted:
            assert name in names(path), f"{file} defines no {name}; it is in {homes(name)}"


def test_every_decision_has_one_number() -> None:
    """Numbers start at 1, occur once, and rise within a section."""
    assert sorted(NUMBERS) == list(range(1, len(NUMBERS) + 1))
    for section in DECISIONS.split("\n## ")[1:]:
        mine = [int(number) for number in re.findall(r"^\*\*(\d+)\. ", section, re.MULTILINE)]
        assert mine == sorted(mine) != [], section.partition("\n")[0]


def test_every_decision_says_since_when_it_holds() -> None:
    """The last line of a decision gives the date, or the decision that took it back."""
    for part in re.split(r"^(?=\*\*\d+\. )", DECISIONS, flags=re.MULTILINE)[1:]:
        text = part.partition("\n## ")[0].strip()
        last = text.splitlines()[-1]
        back = re.match(r"\*Taken back by (\d+)", last)
        assert re.fullmatch(r"\*Still true since \d{4}-\d\d-\d\d\.\*", last) or (
            back and int(back[1]) in NUMBERS
        ), text.partition("**.")[0]


def test_decisions_that_code_and_pages_name_exist() -> None:
    """Each "decision 104" in a comment or on a page can be looked up."""
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.py")]
    for path in files:
        for number in re.findall(r"(?i)\bdecisions? (\d+)", path.read_text("utf-8")):
            assert int(number) in NUMBERS, f"{path.relative_to(ROOT)}: decision {number}"
