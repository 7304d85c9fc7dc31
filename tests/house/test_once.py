"""Some things are defined once: class names, defaults, threads, forms of the point-cloud cost."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from shown import script

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def counting() -> ModuleType:
    """The module with which the house benchmark counts."""
    return script("benchmarks/show/_house.py")


@pytest.fixture(scope="module")
def house(counting: ModuleType) -> Any:
    """The current sources."""
    return counting.House(ROOT)


def test_no_class_name_stands_in_two_modules(house: Any) -> None:
    """A class can be found by its name alone."""
    assert not house.twice


def test_threads_are_made_in_one_module(house: Any) -> None:
    """The number of threads is decided in one module."""
    assert house.pools == ["segue.threads"]


def test_a_default_is_defined_once(counting: ModuleType, house: Any) -> None:
    """A default can be changed in one line."""
    more = {setting: house.definitions(setting) for setting in counting.DEFAULTS}
    assert not {setting: found for setting, found in more.items() if len(found) > 1}


def test_the_point_cloud_has_three_forms(house: Any) -> None:
    """The three are the definition, one compiled tile, and one for arrays of any library."""
    assert len(house.forms) == 3
