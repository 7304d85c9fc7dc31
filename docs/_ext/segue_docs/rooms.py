"""Reference entries of a subpackage ("room"): its public names, then its modules."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.util.nodes import nested_parse_with_titles

import segue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parents[2]
GLOSSARY, GALLERY = DOCS / "glossary.md", DOCS / "gallery"


class Room(Directive):
    """``room:: motion``, one or several subpackages that share a page, with modules as lines below.

    Public names come first. Modules linked from the glossary are added at the end, so that every such link has a
    target.
    """

    required_arguments: ClassVar[int] = 1
    final_argument_whitespace: ClassVar[bool] = True
    has_content: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        """Return entries as autodoc makes them."""
        rooms = self.arguments[0].split()
        lines = entries(public_names(rooms))
        for module in modules(rooms, self.content):
            title = f"``segue.{module}``"
            lines += [title, "-" * len(title), "", f".. automodule:: segue.{module}", ""]
        node = nodes.Element()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(lines, f"rooms {rooms}"), node)
        return node.children


class Names(Directive):
    """``public-names``: a table of every public name with the first sentence of its docstring, linked to its entry."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """Return a table."""
        node = nodes.Element()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(index_lines(), "public names"), node)
        return node.children


def index_lines() -> list[str]:
    """Return the lines of the table of public names, in alphabetical order."""
    lines = [".. list-table::", "   :widths: 30 70", ""]
    for name in sorted(segue._HOMES, key=str.lower):
        first = (inspect.getdoc(getattr(segue, name)) or "").partition("\n\n")[0]
        lines += [f"   * - :py:obj:`segue.{name}`", f"     - {' '.join(first.split())}"]
    return lines


def public_names(rooms: Iterable[str]) -> list[str]:
    """Return the names of `segue` itself that are defined in these subpackages, in alphabetical order."""
    return sorted(name for name, home in segue._HOMES.items() if home.partition(".")[0] in set(rooms))


def modules(rooms: Iterable[str], listed: Iterable[str]) -> list[str]:
    """Return the modules listed, and the others of these subpackages that the glossary links to."""
    named = [line.strip() for line in listed if line.strip()]
    symbols = re.findall(r"\| `(segue\.[\w.]+)` \|$", GLOSSARY.read_text("utf-8"), re.MULTILINE)
    homes = sorted({module_of(symbol).removeprefix("segue.") for symbol in symbols})
    return named + [home for home in homes if home.partition(".")[0] in rooms and home not in named]


def module_of(symbol: str) -> str:
    """Return the longest importable prefix of a dotted path."""
    parts = symbol.split(".")
    for split in range(len(parts), 0, -1):
        try:
            return import_module(".".join(parts[:split])).__name__
        except ModuleNotFoundError:
            continue
    raise LookupError(symbol)


def entries(names: Iterable[str]) -> list[str]:
    """Return the lines that document public names, each with the gallery examples that use it."""
    lines: list[str] = []
    for name in names:
        kind = "class" if inspect.isclass(getattr(segue, name)) else "function"
        lines += [f".. auto{kind}:: segue.{name}", ""]
        if shown := examples_of(name):
            lines += [f"   In the gallery: {', '.join(f':doc:`/examples/{stem}`' for stem in shown)}", ""]
    return lines


def examples_of(name: str) -> list[str]:
    """Return at most three gallery examples that use a public name."""
    use = re.compile(rf"\bsegue\.{name}\b")
    found = [path.stem for path in sorted(GALLERY.glob("*.py")) if use.search(path.read_text("utf-8"))]
    return found[:3]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("room", Room)
    app.add_directive("public-names", Names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
