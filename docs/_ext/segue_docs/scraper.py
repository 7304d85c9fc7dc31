"""Pictures of the gallery: what an example draws, described by the comment above it.

A line ``# Picture: what can be seen`` stands before each picture of a block, in the order in which they are drawn. A
picture without one stops the build, because a reader who cannot see it would have nothing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from segue.pictures.canvas import Picture

DESCRIBED = re.compile(r"^# Picture: (.*(?:\n# .*)*)", re.MULTILINE)


def scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the pictures that a block assigned to a name, and give the lines that show them."""
    names = block_vars["example_globals"]
    seen = names.setdefault("__seen__", set())
    drawn = [value for value in list(names.values()) if _is_picture(value) and id(value) not in seen]
    words = [re.sub(r"\n# ", " ", match) for match in DESCRIBED.findall(block[1])]
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
        place = "/" + path.relative_to(gallery_conf["src_dir"]).as_posix()
        lines += [
            f".. image:: {place}",
            f"   :alt: {alt}",
            f"   :width: {'60%' if _tall(value) else '100%'}",
            "   :class: drawn",
            "",
        ]
    return "\n".join(["", *lines, ""]) if lines else ""


def _tall(value: Any) -> bool:
    width, height = (value.width, value.height) if isinstance(value, Picture) else value.get_size_inches()
    return bool(height > 0.75 * width)


def _is_picture(value: Any) -> bool:
    return isinstance(value, Picture) or type(value).__name__ == "Figure"
