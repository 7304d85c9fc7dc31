"""Link words in backquotes that name a symbol or a command, in pages and in docstrings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.addnodes import desc_signature, pending_xref
from sphinx.transforms import SphinxTransform

import segue

if TYPE_CHECKING:
    from docutils.nodes import Element
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

SYMBOL = re.compile(r"segue(\.\w+)+")
COMMAND = re.compile(r"segue ([a-z]+)(?: ([a-z]+))?(?= |$)")
PUBLIC = {f"segue.{home}.{name}": f"segue.{name}" for name, home in segue._HOMES.items()}
PUBLIC |= {
    f"{value.__module__}.{value.__qualname__}": f"segue.{name}"
    for name in segue._HOMES
    if hasattr(value := getattr(segue, name), "__qualname__")
}
"""Public names by where they are defined, and by where they are imported from."""
SHORT = 24
"""Length of a code word that is not broken at the end of a line."""
RETURNS = re.compile(r"^(?:Returns|Yields)\n-+\n((?:\S.*\n)*\S.*)(?=\n\n|\n?\Z)", re.MULTILINE)


class Links(SphinxTransform):
    """Wrap literals in cross-references; those that do not resolve stay literals."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Wrap the literals of one page."""
        from segue_docs.commands import names

        known = names()
        for literal in list(self.document.findall(nodes.literal)):
            if isinstance(
                literal.parent, nodes.reference | pending_xref | desc_signature | nodes.term | nodes.title
            ):
                continue
            text = literal.astext()
            if len(text) <= SHORT:
                literal["classes"].append("short")
            if SYMBOL.fullmatch(text):
                target = {"refdomain": "py", "reftype": "obj", "reftarget": text, "refexplicit": True}
            elif (command := COMMAND.match(text)) and (path := _path(command, known)):
                target = {"refdomain": "std", "reftype": "ref", "reftarget": path, "refexplicit": True}
            else:
                continue
            link = pending_xref("", refdoc=self.env.docname, refwarn=False, **target)
            link["py:module"] = link["py:class"] = None
            literal.replace_self(link)
            link += literal


def _path(command: re.Match[str], known: frozenset[str]) -> str | None:
    """Return the anchor of the longest command that the words name."""
    paths = ["-".join(["segue", *[w for w in command.groups()[:count] if w]]) for count in (2, 1)]
    return next((path for path in paths if path in known), None)


def resolve(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: Element) -> Element | None:
    """Link a name to its public name where it is defined, and a field without an entry to its class."""
    if node.get("refdomain") != "py":
        return None
    domain, target = env.get_domain("py"), str(node["reftarget"])
    for name in (PUBLIC.get(target), *_owners(target)):
        found = name and domain.resolve_xref(env, node["refdoc"], app.builder, "obj", name, node, content)
        if found:
            return found
    return None


def _owners(target: str) -> list[str]:
    """Return the class that would hold a field, where it is defined and by its public name."""
    owner = target.rpartition(".")[0]
    return [name for name in (owner, PUBLIC.get(owner)) if name and name.rpartition(".")[2][:1].isupper()]


def skip(_app: Sphinx, what: str, _name: str, member: Any, _skip: bool, _options: Any) -> bool | None:
    """Leave public names to the pages of public names."""
    home = f"{getattr(member, '__module__', '')}.{getattr(member, '__qualname__', '')}"
    return True if what == "module" and home in PUBLIC else None


def worded(_app: Sphinx, what: str, name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Prepare a docstring.

    Modules list the public names they define. A property's colon does not separate a type, and a return value may be
    described in prose, without a type on a line of its own: then it becomes a field, after the two blank lines that
    end the previous section.
    """
    if what in {"property", "attribute"} and ": " in lines[0]:
        lines[0] = lines[0].replace(": ", "\u2236 ")
    text = RETURNS.sub(lambda found: f"\n:returns: {' '.join(found[1].split())}\n", "\n".join(lines))
    lines[:] = text.split("\n")
    here = sorted({public for home, public in PUBLIC.items() if home.rpartition(".")[0] == name})
    if what == "module" and here:
        lines += ["", "Public names: " + ", ".join(f":py:obj:`{public}`" for public in here) + ".", ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform and the resolvers."""
    from sphinx.util.inspect import TypeAliasForwardRef

    TypeAliasForwardRef.__repr__ = lambda self: self.name  # else an optional alias is printed with its class
    app.add_transform(Links)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-docstring", worded, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
