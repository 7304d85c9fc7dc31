"""Pictures of the gallery: figures drawn by an example, described by the comment above them.

A line ``# Picture: description`` comes before each picture of a block, in drawing order. A picture without one
stops the build, because readers who cannot see it would have no description. A line ``# Film of NAME: description``
plays the motion of that name, or several in step with commas between their names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

from segue.pictures.canvas import Picture
from segue_docs.player import film_html

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_FILMED = re.compile(r"^# Film of ([^:]+): (.*(?:\n# .*)*)", re.MULTILINE)
_DESCRIBED = re.compile(r"^# Picture: (.*(?:\n# .*)*)", re.MULTILINE)


def described(code: str) -> list[str]:
    """Return the picture descriptions in the comments of some code."""
    return [re.sub(r"\n# ", " ", words) for words in _DESCRIBED.findall(code)]


def pictures(names: Mapping[str, Any], *, seen: set[int]) -> list[Any]:
    """Return the pictures and figures among an example's names that were not shown before, in their order."""
    found = {
        id(value): value
        for value in names.values()
        if isinstance(value, Picture) or type(value).__name__ == "Figure"
    }
    return [value for key, value in found.items() if key not in seen]


def scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the pictures that a block assigned to a name, and return the lines that show them."""
    names = block_vars["example_globals"]
    seen = names.setdefault("__seen__", set())
    drawn, words = pictures(names, seen=seen), described(block[1])
    if len(words) != len(drawn):
        where = Path(block_vars["src_file"]).name
        msg = f"{where}, line {block[2]}: {len(drawn)} pictures, {len(words)} comments '# Picture: ...'"
        raise ValueError(msg)
    lines = []
    for value, alt in zip(drawn, words, strict=True):
        path = Path(next(block_vars["image_path_iterator"]))
        if isinstance(value, Picture):
            path.write_bytes(value.png)
        else:
            value.savefig(path, dpi=100)
        seen.add(id(value))
        lines += [
            f".. image:: /{path.relative_to(gallery_conf['src_dir']).as_posix()}",
            f"   :alt: {alt}",
            f"   :width: {'60%' if _tall(value) else '100%'}",
            "   :class: drawn",
            "",
        ]
    if _FILMED.search(block[1]):
        stem = f"{Path(block_vars['src_file']).stem}_{block[2]}"
        lines += films(block[1], names, stem, Path(block_vars["target_file"]).parent)
    return "\n".join(["", *lines, ""]) if lines else ""


def films(code: str, names: Mapping[str, Any], stem: str, folder: Path) -> list[str]:
    """Return the lines that play a block's motions, from pages written to a folder; file names begin with a stem."""
    lines = []
    for number, (which, given) in enumerate(_FILMED.findall(code), start=1):
        words = re.sub(r"\n# ", " ", given)
        clips = [names[name.strip()] for name in which.split(",")]
        page = folder / f"{stem}_film_{number}.html"
        page.write_text(film_html(clips, words), "utf-8")
        lines += [".. raw:: html", f"   :file: {page.name}", "", ".. rst-class:: film-words", "", words, ""]
    return lines


def _tall(value: Any) -> bool:
    width, height = (value.width, value.height) if isinstance(value, Picture) else value.get_size_inches()
    return bool(height > 0.95 * width)


def thumbnails(app: Sphinx, doctree: nodes.document) -> None:
    """Describe the thumbnails of the gallery with the first picture description of each example."""
    for image in doctree.findall(nodes.image):
        if match := re.search(r"sphx_glr_(\w+)_thumb", str(image.get("uri", ""))):
            source = Path(app.srcdir) / "gallery" / f"{match[1]}.py"
            image["alt"] = described(source.read_text("utf-8"))[0]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the thumbnail descriptions."""
    app.connect("doctree-read", thumbnails)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
