"""Draw the pictures of the concepts page before Sphinx reads the pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def draw(app: Sphinx) -> None:
    """Draw every picture of `segue_docs.concepts` into the folder `drawn` of the pages."""
    from segue.pictures.canvas import Picture
    from segue_docs.concepts import PICTURES

    folder = Path(app.srcdir) / "drawn"
    folder.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        drawn = picture()
        save = drawn.save if isinstance(drawn, Picture) else drawn.savefig
        save(folder / f"{name}.png")


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw when the builder is ready."""
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
