"""The path of the root over the ground, seen from above."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from segue.arrays import Floats
from segue.motion.clip import Clip
from segue.pictures.canvas import Sheet
from segue.pictures.origins import SeamFrames, blended, main_source
from segue.pictures.palette import FAINT, INK, SEAM, TINT

_LARGEST = 240.0  # pixels a metre: a body that stands still does not fill the page with its sway


class Rectangle(NamedTuple):
    """Place on a sheet in pixels, from its lower left corner."""

    left: float
    bottom: float
    width: float
    height: float


def draw_path(
    sheet: Sheet,
    clip: Clip,
    place: Rectangle,
    *,
    colours: dict[str, str],
    seams: Sequence[SeamFrames] = (),
    marks: Sequence[int] = (),
) -> None:
    """Draw the root's path into a rectangle, its longest extent across, coloured by source clip.

    ``seams`` are marked with numbered diamonds, ``marks`` (frames) with numbered dots. One scale for both
    directions; a bar tells it.
    """
    ground, unit = _fitted(clip.root_positions, place)
    source, _ = main_source(clip)
    names = [clip.origin.clips[index] for index in source]
    steps = [ground[i : i + 2] for i in range(clip.n_frames - 1)]
    soft = [step for step, flag in zip(steps, blended(clip), strict=False) if flag]
    sheet.lines(soft, TINT, width=9, z=2.0)
    sheet.lines(steps, [colours[name] for name in names[:-1]], width=2.2, z=2.1)
    _labelled(sheet, ground, list(enumerate(marks, start=1)), INK, marker="o", z=2.3)
    sheet.dots(ground[:1], "white", size=11, z=2.4, edge=INK, rim=1.4)
    sheet.dots(ground[-1:], INK, size=9, z=2.4, marker="s")
    _labelled(sheet, ground, [(seam.number, seam.frame) for seam in seams], SEAM, marker="D", z=2.5)
    _scale_bar(sheet, place, unit)


def path_height(clip: Clip, width: float, *, least: float, most: float) -> float:
    """Height in pixels that a path needs when it fills ``width``, within limits."""
    ground, _ = _fitted(clip.root_positions, Rectangle(0.0, 0.0, width, most))
    return float(np.clip(np.ptp(ground[:, 1]) + 80.0, least, most))


def _fitted(roots: Floats, place: Rectangle) -> tuple[Floats, float]:
    """Root's ground points (F, 2) in pixels and pixels a metre: turned so that the longest extent lies across."""
    flat = np.column_stack([roots[:, 0], -roots[:, 2]])  # seen from above with +Z down the page: not mirrored
    flat = flat - flat.mean(axis=0)
    _, _, axes = np.linalg.svd(flat, full_matrices=False) if len(flat) > 1 else (None, None, np.eye(2))
    across = axes[0]
    if (flat[-1] - flat[0]) @ across < 0:
        across = -across
    turned = np.column_stack([flat @ across, flat @ np.array([-across[1], across[0]])])
    low, high = turned.min(axis=0), turned.max(axis=0)
    extent = np.maximum(high - low, [0.5, 0.2])
    unit = float(min((place.width - 40) / extent[0], (place.height - 36) / extent[1], _LARGEST))
    middle = np.array([place.left + place.width / 2, place.bottom + place.height / 2])
    return (turned - (low + high) / 2) * unit + middle, unit


def _labelled(
    sheet: Sheet, ground: Floats, marks: Sequence[tuple[int, int]], colour: str, *, marker: str, z: float
) -> None:
    """Draw dots at frames (number, frame) with their number where there is room for it."""
    size = 9.0 if marker == "D" else 5.5
    sheet.dots(ground[[frame for _, frame in marks]], colour, size=size, z=z, marker=marker)
    written: list[Floats] = []
    # Seams are numbered on the left of the path, frames on its right: a frame at a seam keeps both numbers.
    side = -1.0 if marker == "D" else 1.0
    for number, frame in marks:
        reach = 11.0 if 0 < frame < len(ground) - 1 else 15.0  # past the larger marks of the two ends
        at = ground[frame] + side * reach * _right_of(ground, frame)
        if any(np.hypot(*(at - other)) < 13 + 3 * (number > 9) for other in written):
            continue
        written.append(at)
        sheet.text(
            at[0],
            at[1],
            str(number),
            size=7,
            colour=colour,
            align="center",
            vertical="center",
            bold=marker == "D",
            halo=True,
        )


def _right_of(ground: Floats, frame: int) -> Floats:
    """Direction (2,) to the right of the path at a frame, looked at over about 12 pixels; down where it stands."""
    near = np.flatnonzero(np.hypot(*(ground - ground[frame]).T) > 6.0)
    before, after = near[near < frame], near[near > frame]
    a = ground[before[-1]] if before.size else ground[frame]
    b = ground[after[0]] if after.size else ground[frame]
    along = b - a
    length = float(np.hypot(*along))
    return np.array([along[1], -along[0]]) / length if length > 1e-9 else np.array([0.0, -1.0])


def _scale_bar(sheet: Sheet, place: Rectangle, unit: float) -> None:
    length = next((step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if step * unit >= 50), 1000)
    right, low = place.left + place.width - 14, place.bottom + 10
    sheet.lines([np.array([[right - length * unit, low], [right, low]])], FAINT, width=1.6, z=2.0)
    sheet.text(right - length * unit / 2, low + 5, f"{length} m", size=7, colour=FAINT, align="center")
