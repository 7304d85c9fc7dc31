"""Every setting of a motion is defined once, and adding one touches two files."""

from __future__ import annotations

import ast
import importlib
import inspect
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

import segue
from segue.blending.durations import METHODS
from segue.blending.ways import WAYS
from segue.cli.direct import walk_command
from segue.cli.floor import floor_command
from segue.cli.make import stitch_command
from segue.cli.options import OPTIONS
from segue.cli.wander import wander_command
from segue.costs.registry import COSTS
from segue.errors import SettingError
from segue.graph.build import build_graph
from segue.settings import DEFAULTS, Settings, feet_named, words

SOURCE = Path(segue.__file__).parent
APART = {"verdicts", "search", "bounds"}
"""Settings without an option: a library holds the first, functions take the others."""


@pytest.mark.parametrize("option", ["threshold", "blend", "way", "root", "share", "quality", "component"])
def test_an_option_of_a_motion_is_declared_once(option: str) -> None:
    """One file declares it; a command takes all options as one parameter."""
    declared = [
        path.name
        for path in sorted((SOURCE / "cli").glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value == f"--{option}"
        and path.name not in {"replace.py", "retarget.py"}  # a blend in seconds, feet on another body
    ]
    assert set(declared) <= {"options.py"}, declared


@pytest.mark.parametrize("option", ["threshold", "blend", "feet"])
def test_a_value_of_an_option_passes_through_four_files(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are where it is typed, where it is stored and checked, and at most two that use it; objects pass it on."""
    monkeypatch.syspath_prepend(str(SOURCE.parents[1] / "benchmarks/show"))
    passed = importlib.import_module("_house_stops").stops(option, tmp_path)
    assert {"cli/options.py", "settings/motion.py"} <= set(passed)
    assert len(passed) <= 4, passed


def test_feet_are_named_in_one_place() -> None:
    """Only one module checks the words for feet at seams, and each older name maps to one of them."""
    assert {*words.OLD_FEET.values()} <= {*words.FEET} == {*get_args(words.SeamFeet)}
    assert DEFAULTS.feet in words.FEET
    for word, name in {**{name: name for name in words.FEET}, **words.OLD_FEET}.items():
        assert feet_named(word) == Settings(feet=word).feet == name  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="'free'"):
        feet_named("glued")


def test_every_setting_is_an_option_and_every_option_a_setting() -> None:
    """The options set each field of the settings, and nothing else."""
    given = {"blend": "0.25", "threshold": "0.5"}
    made: set[str] = set()
    for name, option in OPTIONS.items():
        made |= set(option.read(given.get(name, option.default)))
    made |= set(OPTIONS["blend"].read("auto"))
    assert made == {one.name for one in fields(Settings)} - APART


@pytest.mark.parametrize("command", [wander_command, walk_command, floor_command, stitch_command])
def test_a_new_option_is_in_every_command_that_makes_motion(command: object) -> None:
    """Commands name the options that they omit, not those that they take."""
    taken = set(inspect.signature(command).parameters)  # type: ignore[arg-type]
    assert set(OPTIONS) - taken <= {"component", "quality", "share", "bridges", "check"}


def test_functions_and_commands_have_one_set_of_defaults() -> None:
    """Graphs, motions and commands without settings are made with equal defaults."""
    defaults = {
        name: one.default
        for name, one in inspect.signature(build_graph).parameters.items()
        if name in {field.name for field in fields(Settings)} and one.default is not None
    }
    assert defaults
    for name, value in defaults.items():
        assert value == getattr(DEFAULTS, name), name
    for function in (segue.render, segue.splice):
        assert inspect.signature(function).parameters["feet"].default == DEFAULTS.feet
    words_of_none = {name: option.read(option.default) for name, option in OPTIONS.items()}
    for name, value in (pair for given in words_of_none.values() for pair in given.items()):
        assert name == "cost_settings" or value == getattr(DEFAULTS, name), name


def test_names_of_settings_are_those_of_the_registries() -> None:
    """Names of costs, blend methods and length methods agree."""
    assert list(words.COSTS) == list(COSTS)
    assert list(words.BLENDS) == list(WAYS)
    assert list(words.LENGTHS) == [name for name in METHODS if name not in ("cut", "timewarped")]


def test_settings_load_nothing_else() -> None:
    """Their module imports only the errors and the standard library, so every layer may use it."""
    for path in sorted((SOURCE / "settings").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("segue"):
                assert node.module.startswith(("segue.settings", "segue.errors")), path.name
