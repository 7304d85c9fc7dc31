"""Colours with a meaning, the same in every picture."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

LEFT = "#d9632f"
"""Left limbs."""
RIGHT = "#2b6ea6"
"""Right limbs."""
TRUNK = "#3d434c"
"""Trunk, neck and head."""
PLANTED = "#12a150"
"""A heel or toe in contact with the ground."""
TINT = "#fdeebb"
"""Background of a frame that blends two sources."""
FAULTY = "#f3c6c2"
"""Background of a frame that holds no motion and is not played."""
SEAM = "#c2185b"
"""A seam: the middle of a blend, or a cut."""
INK = "#333840"
"""Text."""
FAINT = "#8b9199"
"""Secondary text, scales."""
GROUND = "#b9bec5"
"""The ground line."""

# First choices far apart in hue and lightness; none equals a limb colour.
_FIRST = (
    "#6a51a3", "#e6a817", "#3a9d8f", "#d0578e", "#7f8c2f", "#8c5a3c", "#5b9bd5", "#b33a3a", "#9b7fd1", "#2e7d32",
    "#f28e8e", "#607d8b", "#c49a6c", "#1f9ecb", "#a83279", "#8fb339",
)  # fmt: skip


def source_colours(names: Sequence[str]) -> dict[str, str]:
    """Return one colour for each source clip in the order given; after sixteen, hues by the golden angle.

    Examples
    --------
    >>> source_colours(["walk", "run"])["walk"]
    '#6a51a3'
    """
    colours: dict[str, str] = {}
    for index, name in enumerate(dict.fromkeys(names)):
        if index < len(_FIRST):
            colours[name] = _FIRST[index]
            continue
        hue = (0.13 + index * 0.6180339887498949) % 1.0
        light = (0.42, 0.58, 0.5)[index % 3]
        red, green, blue = colorsys.hls_to_rgb(hue, light, 0.5)
        colours[name] = f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
    return colours


def readable_on(colour: str) -> str:
    """Return black or white, whichever is easier to read on a colour given as #rrggbb."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#1d2127" if 0.299 * red + 0.587 * green + 0.114 * blue > 150 else "#ffffff"
