"""Each public name loads, is documented, typed and listed once."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import segue

SOURCE = ast.parse(Path(segue.__file__).read_text("utf-8"))


def _typed() -> dict[str, str]:
    """Names imported for type checkers only, with their modules."""
    block = next(node for node in SOURCE.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    return {
        alias.name: str(node.module).removeprefix("segue.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@pytest.mark.parametrize("name", segue.__all__)
def test_every_public_name_loads_and_is_documented(name: str) -> None:
    """The name resolves and its docstring describes it."""
    value = getattr(segue, name)
    if name != "__version__":
        assert inspect.getdoc(value)
        assert value.__doc__ != object.__doc__


@pytest.mark.parametrize("name", [n for n in segue.__all__ if n != "__version__"])
def test_public_docstrings_show_an_example_or_explain_an_error(name: str) -> None:
    """A public function or class has an example that runs; an error is explained in a line."""
    value = getattr(segue, name)
    if inspect.isclass(value) and issubclass(value, Exception):
        return
    members = [value, *(vars(value).values() if inspect.isclass(value) else [])]
    texts = [inspect.getdoc(getattr(m, "__func__", m)) or "" for m in members]
    assert any(">>>" in text for text in texts), f"segue.{name} shows no example"


def test_type_checkers_see_the_same_names() -> None:
    """Names for type checkers, their modules and the list of public names agree."""
    assert _typed() == segue._HOMES
    assert sorted(segue.__all__) == sorted([*segue._HOMES, "__version__"])
    assert set(dir(segue)) == set(segue.__all__)


def test_unknown_names_are_refused() -> None:
    """A misspelt name raises AttributeError, as for any module."""
    with pytest.raises(AttributeError, match="'lode'"):
        _ = segue.lode
