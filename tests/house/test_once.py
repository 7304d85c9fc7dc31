"""What stands in one place stays there: class names, defaults, threads, forms of the point-cloud cost."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from shown import script

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def counting() -> ModuleType:
    """The module that the benchmark of the house counts with."""
    return script("benchmarks/show/_house.py")


@pytest.fixture(scope="module")
def house(counting: ModuleType) -> Any:
    """The sources of today."""
    return counting.House(ROOT)


def test_no_class_name_stands_in_two_modules(house: Any) -> None:
    """A class is found by its name alone."""
    assert not house.twice


def test_threads_are_made_in_one_module(house: Any) -> None:
    """How many threads there are is decided in one place."""
    assert house.pools == ["segue.threads"]


def test_a_default_is_defined_once(counting: ModuleType, house: Any) -> None:
    """A default changes in one line."""
    more = {setting: house.definitions(setting) for setting in counting.DEFAULTS}
    assert not {setting: found for setting, found in more.items() if len(found) > 1}


def test_the_point_cloud_has_three_forms(house: Any) -> None:
    """The definition, one compiled tile, one for arrays of any library."""
    assert len(house.forms) == 3
