"""Find the files of the package that the value of a command-line option passes through."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import segue
from segue.cli import app

PACKAGE = Path(segue.__file__).parent
PRINTS = {"cli/output.py"}
"""Files that print results: a value returns there, it is not passed on."""
GIVEN: dict[str, tuple[str, tuple[object, ...]]] = {
    "threshold": ("0.04321", ("0.04321", 0.04321)),
    "blend": ("0.31234", ("0.31234", 0.31234)),
    "feet": ("free", ("free",)),
}
"""Options, the value given for each, and its text and number forms: values that occur nowhere else."""


def stops(option: str, folder: Path) -> list[str]:
    """Return the files in which a function takes the value, or an object keeps it, while `segue wander` runs.

    Passing on an object that holds the value does not count: settings that travel together count once, where they
    are kept.
    """
    text, values = GIVEN[option]
    found: set[str] = set()

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and any(_is(value, values) for value in _arguments(frame)):
            found.update(_file(frame))

    command = [
        "wander",
        "sample:walk",
        "sample:stop",
        "sample:start",
        "--seconds",
        "4",
        "--json",
        "-o",
        str(folder / f"{option}.bvh"),
    ]
    threading.setprofile(look)
    sys.setprofile(look)
    try:
        app([*command, f"--{option}", text], standalone_mode=False)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return sorted(found - PRINTS)


def _is(value: object, values: tuple[object, ...]) -> bool:
    return any(type(value) is type(one) and value == one for one in values)


def _file(frame: FrameType) -> Iterator[str]:
    """The file of a function of the package; that of its class where a decorator made the function."""
    path = Path(frame.f_code.co_filename)
    if path.is_relative_to(PACKAGE):
        yield str(path.relative_to(PACKAGE))
    elif frame.f_code.co_name == "__init__" and path.name.startswith("<"):
        owner = type(next(iter(frame.f_locals.values())))
        if owner.__module__.startswith("segue."):
            yield str(Path(*owner.__module__.split(".")[1:]).with_suffix(".py"))


def _arguments(frame: FrameType) -> Iterator[object]:
    """Argument values of a function call; those of ``**words`` one by one."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:count]
    local = frame.f_locals
    yield from (local[name] for name in names if name in local)
    if code.co_flags & inspect.CO_VARKEYWORDS:
        words = local.get(code.co_varnames[count + bool(code.co_flags & inspect.CO_VARARGS)])
        yield from words.values() if isinstance(words, dict) else ()
