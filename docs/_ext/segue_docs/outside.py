"""Links to files outside the pages: links to files that are also pages go to the page, others become names.

Toctree patterns that match nothing yet are left out, because Sphinx warns about them and no setting disables that.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAGES = {
    "CONTRIBUTING.md": "about/contributing.md",
    "CHANGELOG.md": "about/changelog.md",
    "benchmarks/show/README.md": "about/benchmarks.md",
}
"""Files of the project's root and the pages that show them."""
_LINK = re.compile(r"\[([^]]*)\]\(((?!https?:|#|mailto:)[^)\s]+)\)")

_PATTERN = re.compile(r"^([\w/]*\*)\n", re.MULTILINE)


def shown(app: Sphinx, docname: str, source: list[str]) -> None:
    """Insert the file that a page represents, and redirect links to it."""
    docs = Path(app.srcdir)
    page = app.env.doc2path(docname).relative_to(docs).as_posix()
    origin = next((root for root, stand_in in PAGES.items() if stand_in == page), None)
    here = (docs / page).parent
    folder = here
    if origin is not None:
        path = docs.parent / origin
        app.env.note_dependency(str(path), docname=docname)
        source[0] = path.read_text("utf-8")
        folder = path.parent

    def turned(match: re.Match[str]) -> str:
        words, target = match.groups()
        name, _, anchor = target.partition("#")
        aim = Path(os.path.normpath(folder / name))
        inside = aim.relative_to(docs.parent).as_posix() if aim.is_relative_to(docs.parent) else ""
        if aim.is_relative_to(docs):
            found = aim
        elif inside in PAGES:
            found = docs / PAGES[inside]
        else:
            return f"{words} (`{inside or name}`)"
        return f"[{words}]({os.path.relpath(found, here)}{'#' + anchor if anchor else ''})"

    if docname.startswith("examples/"):
        return
    text = _LINK.sub(turned, source[0])
    source[0] = _PATTERN.sub(lambda line: line[0] if _matched(docs, here, line[1]) else "", text)


def _matched(docs: Path, here: Path, pattern: str) -> bool:
    """Return whether a toctree pattern matches a page; a leading slash means the folder of all pages."""
    return any((docs if pattern.startswith("/") else here).glob(f"{pattern.lstrip('/')}.md"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Change a page's text before it is read."""
    app.connect("source-read", shown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
