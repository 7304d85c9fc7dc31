"""Numbers of text and rotations of angles, in the simplest form."""

from __future__ import annotations

import math
import struct

import numpy as np


def rows_of(text: str, layout: list[tuple[str, int]]) -> list[list[float]] | None:
    """Numbers of lines that repeat a layout, by split and float; None where a line does not match the layout.

    Only what both float() and common files accept counts as a number: no underscores, no words such as nan.
    """
    lines = [line.split() for line in text.split("\n") if line.split()]
    if len(lines) % len(layout):
        return None
    rows = []
    for start in range(0, len(lines), len(layout)):
        row: list[float] = []
        for words, (name, count) in zip(lines[start : start + len(layout)], layout, strict=True):
            values = words[1:] if name else words
            if (name and words[0] != name) or len(values) != count:
                return None
            for word in values:
                try:
                    value = float(word)
                except ValueError:
                    return None
                if "_" in word or not math.isfinite(value):
                    return None
                row.append(value)
        rows.append(row)
    return rows


def bits(value: float) -> bytes:
    """The eight bytes of a double, which distinguish 0.0 from -0.0."""
    return struct.pack("<d", value)


def turn(angles: list[float], axes: str) -> np.ndarray:
    """Rotation matrix of angles in degrees about named axes, the first outermost."""
    out = np.eye(3)
    for angle, axis in zip(angles, axes, strict=True):
        s, c = math.sin(math.radians(angle)), math.cos(math.radians(angle))
        matrix = {
            "X": [[1, 0, 0], [0, c, -s], [0, s, c]],
            "Y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "Z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
        }[axis]
        out = out @ np.array(matrix)
    return out
