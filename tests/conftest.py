"""Shared fixtures: a seeded generator per test, the real clips next to the project, hypothesis profiles."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("few", deadline=None, max_examples=3, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_configure(config: pytest.Config) -> None:
    """Ignore warnings of interpreted kernels: machine integers overflow and padding is divided, as when compiled."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        for what in ("overflow", "divide by zero", "invalid value"):
            config.addinivalue_line("filterwarnings", f"ignore:{what} encountered in scalar:RuntimeWarning")
        # Vector tiles divide a complete row, including its padding.
        for what in ("divide by zero", "invalid value"):
            config.addinivalue_line("filterwarnings", f"ignore:{what}:RuntimeWarning:segue.accel.cloud_tiles")


SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that read real clips, so that ``-m "not data"`` excludes them."""
    for item in items:
        if {"data", "cases"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("data")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """If the real clips are there, fail a test that skips because it does not find them."""
    report = yield
    if report.skipped and SHARED.is_dir() and "../shared" in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"skipped although {SHARED} is there: {report.longrepr}"
    return report


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed."""
    return np.random.default_rng(20240607)


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of real clips next to the project; skips without it."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("the real clips (../shared/data) are not beside the project")
    return folder


@pytest.fixture(scope="session")
def cases() -> Path:
    """Folder of awkward inputs next to the project; skips without it."""
    folder = SHARED / "cases"
    if not folder.is_dir():
        pytest.skip("the awkward inputs (../shared/cases) are not beside the project")
    return folder
