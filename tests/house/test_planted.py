"""The planted faults still fit the sources, and their page lists each one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from shown import script

ROOT = Path(__file__).resolve().parents[2]
FAULTS = script("scripts/planted_faults.py").FAULTS
SOURCE = ROOT / "src" / "segue"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_applies_to_the_source_of_today(fault) -> None:
    """The text to be replaced occurs exactly once, and the result is a different program."""
    before = (SOURCE / fault.file).read_text("utf-8")
    after = fault.planted(before)
    assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_its_tests_exist(fault) -> None:
    """At least one test file is named, and each exists."""
    assert fault.tests
    assert not [test for test in fault.tests if not (ROOT / "tests" / test).is_file()]


def test_a_fault_that_no_longer_applies_says_so() -> None:
    """The error names the fault, the file and how often the text occurs."""
    with pytest.raises(ValueError, match=r"occurs 0 times in src/segue/.*; it must once"):
        FAULTS[0].planted("")


def test_names_and_replacements_are_each_there_once() -> None:
    """No fault has two names, and no name has two faults."""
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert len({(fault.file, fault.old, fault.new) for fault in FAULTS}) == len(FAULTS)


def test_the_page_lists_every_fault() -> None:
    """docs/planted-faults.md has exactly one row for each fault, with the file it is planted in."""
    page = (ROOT / "docs/planted-faults.md").read_text("utf-8")
    rows = [
        tuple(cell.strip() for cell in line.split("|")[1:4]) for line in page.splitlines() if "| `" in line
    ]
    assert sorted(rows) == sorted((f.name, f.says, f"`{f.file}`") for f in FAULTS)
