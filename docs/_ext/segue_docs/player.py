"""Motions that play on a page: the directive ``film``, and the shared copy of the player's script.

A page holds the motion itself and a still picture, which is shown when scripts are off. Only pages with a film load
the script.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.parsers.rst import Directive

from segue.motion.clip import Clip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sphinx.application import Sphinx

SCRIPT = "segue-player.js"
_TAG = "<segue-player"


def film_html(clips: Sequence[Clip], words: str) -> str:
    """Return an element that plays motions, with a still picture and a text description."""
    from segue.pictures.player.film import film
    from segue.pictures.player.page import element
    from segue.pictures.player.still import still

    document = film(clips, title=words)
    return f'<div class="film">{element(document, compact=True, still=still(clips[0]), attributes="")}</div>'


class Film(Directive):
    """Show a film of `segue_docs.films` with the directive's content as its caption."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Make the film now, from the embedded clips."""
        from segue_docs.films import FILMS

        name = self.arguments[0]
        if name not in FILMS:
            raise self.error(f"there is no film {name!r}; choose from {', '.join(FILMS)}")
        words = " ".join(self.content)
        if not words:
            raise self.error(f"film {name!r} needs a description as its content")
        shown = nodes.raw("", film_html(FILMS[name](), words), format="html")
        return [shown, nodes.paragraph("", words, classes=["film-words"])]


def needs_script(
    app: Sphinx,
    _page: str,
    _template: str,
    _context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Load the script on pages that hold a film."""
    if doctree is not None and any(_TAG in node.astext() for node in doctree.findall(nodes.raw)):
        app.add_js_file(SCRIPT, loading_method="defer")


def build(app: Sphinx) -> None:
    """Build the client from the current sources before a page needs it."""
    subprocess.run([sys.executable, str(Path(app.srcdir).parent / "scripts" / "client.py")], check=True)


def copy(app: Sphinx, exception: Exception | None) -> None:
    """Copy the script next to the pages, once."""
    from segue.pictures.player.page import script

    if exception is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / SCRIPT).write_text(script(), "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive and the script."""
    app.add_directive("film", Film)
    app.connect("builder-inited", build, priority=100)
    app.connect("html-page-context", needs_script)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
