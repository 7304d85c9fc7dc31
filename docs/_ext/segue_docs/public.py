"""Entries of the public names, by the room they come from."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

import segue

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class PublicNames(Directive):
    """``public-names:: motion maths``: every public name whose home is in one of the rooms, by the alphabet."""

    required_arguments: ClassVar[int] = 1
    final_argument_whitespace: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        """Entries as autodoc makes them; a room without public names is an error, for it may be misspelt."""
        rooms = self.arguments[0].split()
        names = [name for name, home in sorted(segue._HOMES.items()) if home.partition(".")[0] in rooms]
        if not names:
            msg = f"no public name comes from {' or '.join(rooms)}"
            raise self.error(msg)
        lines: list[str] = []
        for name in names:
            kind = "class" if inspect.isclass(getattr(segue, name)) else "function"
            lines += [f".. auto{kind}:: segue.{name}", ""]
        node = nodes.Element()
        self.state.nested_parse(StringList(lines, "public names"), 0, node)
        return node.children


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("public-names", PublicNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
