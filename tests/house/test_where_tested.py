"""The table of tests names the tests of each module, and `make check` finds the tests of a change."""

from __future__ import annotations

from types import ModuleType

import pytest

from shown import script


@pytest.fixture(scope="module")
def where() -> ModuleType:
    """The script."""
    return script("scripts/where_tested.py")


def test_the_table_is_that_of_today(where: ModuleType) -> None:
    """Every module has its row, as the script writes it."""
    assert where.PAGE.read_text("utf-8") == where.page(), "run .venv/bin/python scripts/where_tested.py"


def test_every_module_is_tested_somewhere(where: ModuleType) -> None:
    """Each module that holds more than its docstring has a test file, and that file exists."""
    for module, path in where.modules().items():
        if not where.is_bare(path):
            files, _ = where.tested(module)
            assert files, module
            assert all(file.is_file() for file in files), module


def test_the_tests_of_a_module_come_with_it(where: ModuleType) -> None:
    """A changed module selects its own tests and those of the complete tree; a page selects the test of pages."""
    found = where.tests_of(["src/segue/maths/quaternions.py"])
    assert "tests/maths/test_quaternions.py" in found
    assert "tests/house/test_sizes.py" in found
    assert where.tests_of(["README.md", "docs/faults.md"]) == ["tests/house/test_docs.py"]
    assert where.tests_of(["LICENSE"]) == []
