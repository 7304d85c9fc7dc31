"""The path of the root from above; with the path a walk was to follow and the points it was to pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats
from segue.maths.paths import GroundPath
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.pictures.canvas import Picture, Sheet
from segue.pictures.origins import SeamFrames, blended, joins, main_source
from segue.pictures.palette import FAINT, INK, PLANTED, SEAM, TINT, source_colours

_WIDTH, _MARGIN, _TOP, _FOOT = 900, 46, 52, 64
_LEAST, _MOST = 260.0, 900.0  # pixels of the ground's height on the page
_ARROWS = 0.5  # seconds between two marks of heading


def path_view(
    clip: Clip,
    path: GroundPath | None,
    *,
    points: Sequence[tuple[float, float, float]] = (),
    off: npt.ArrayLike = (),
    title: str | None = None,
    out: str | Path | None = None,
) -> Picture:
    """Draw the root's path from above, +X to the right and +Z down the page, over the given path as a broad pale band.

    It has the colour of the clip that is played, seams are diamonds, and a short stroke marks the heading every half
    second. Points are rings, joined to where the root was at their time.

    Parameters
    ----------
    clip
        The motion, placed on the ground.
    path
        Path it was to follow, if any.
    points
        x, z in metres and the second at which the root was to be there.
    off
        (F,) distance from the path in metres, for the sentence below.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> path_view(walk, GroundPath.through([[0, 0], [0, 2]])).width
    900
    """
    roots = clip.root_positions[:, [0, 2]]
    every = [roots] + ([] if path is None else [path.points])
    every += [np.array([[x, z] for x, z, _ in points])] if points else []
    low, high = np.concatenate(every).min(axis=0) - 0.4, np.concatenate(every).max(axis=0) + 0.4
    size = np.maximum(high - low, 0.5)
    unit = min((_WIDTH - 2 * _MARGIN) / size[0], _MOST / size[1])
    height = max(size[1] * unit, _LEAST)
    sheet = Sheet(_WIDTH, round(height + _TOP + _FOOT), what="a path from above")
    middle = (low + high) / 2

    def laid(ground: Floats) -> Floats:
        at = (np.asarray(ground, dtype=np.float64) - middle) * unit
        return np.column_stack([_WIDTH / 2 + at[:, 0], _FOOT + height / 2 - at[:, 1]])

    if path is not None:
        sheet.lines([laid(path.points)], "#d5dbe3", width=9, z=1.0)
        sheet.lines([laid(path.points)], FAINT, width=1.0, z=1.1, dash="dashed")
    _draw_path(sheet, clip, laid(roots), unit)
    for x, z, seconds in points:
        at = laid(np.array([[x, z]]))
        there = laid(roots[[min(round(seconds * clip.fps), clip.n_frames - 1)]])
        sheet.lines([np.concatenate([at, there])], PLANTED, width=1.2, z=3.0)
        sheet.dots(at, "white", size=13, z=3.1, edge=PLANTED, rim=2.0)
        sheet.text(at[0, 0] + 10, at[0, 1] + 6, f"{seconds:g} s", colour=PLANTED, halo=True)
    _words(sheet, clip, unit, np.asarray(off, dtype=np.float64), title)
    return sheet.finish(out, notes={"seams": len(joins(clip)), "metre": unit})


def _draw_path(sheet: Sheet, clip: Clip, ground: Floats, unit: float) -> None:
    source, _ = main_source(clip)
    colours = source_colours([clip.origin.clips[k] for k in source])
    names = [clip.origin.clips[k] for k in source[:-1]]
    steps = [ground[k : k + 2] for k in range(len(ground) - 1)]
    for seam in joins(clip):
        sheet.lines([ground[seam.start : seam.stop + 1]], TINT, width=7, z=1.6)
    sheet.lines(steps, [colours[name] for name in names], width=2.4, z=2.0)
    angles = heading(clip)
    for frame in range(0, clip.n_frames, max(round(_ARROWS * clip.fps), 1)):
        ahead = np.array([np.sin(angles[frame]), -np.cos(angles[frame])]) * min(0.22 * unit, 16.0)
        sheet.lines([np.stack([ground[frame], ground[frame] + ahead])], INK, width=1.1, z=2.2)
        sheet.dots(ground[frame], INK, size=4.5, z=2.3, rim=0.4)
    sheet.dots(ground[[seam.frame for seam in joins(clip)]], SEAM, size=7, z=2.4, marker="D")
    sheet.dots(ground[:1], "white", size=12, z=2.5, edge=INK, rim=1.6)
    sheet.dots(ground[-1:], INK, size=10, z=2.5, marker="s")


def _words(sheet: Sheet, clip: Clip, unit: float, off: Floats, title: str | None) -> None:
    seams = len(joins(clip))
    words = title or f"{clip.name}  ·  {clip.seconds:.2f} s, {seams} seam{'s' if seams != 1 else ''}"
    sheet.text(_MARGIN, sheet.height - 28, words, size=11, colour=INK, bold=True)
    if off.size:
        text = f"off the path {off.mean():.3f} m on average, {off.max():.3f} m at most"
        sheet.text(_MARGIN, sheet.height - 46, text, size=8.5, colour=INK)
    length = next((step for step in (0.5, 1, 2, 5, 10, 20, 50, 100) if step * unit >= 50), 100)
    right = sheet.width - _MARGIN
    sheet.lines([np.array([[right - length * unit, 26.0], [right, 26.0]])], FAINT, width=1.6, z=2.0)
    sheet.text(right - length * unit / 2, 31, f"{length:g} m", size=7, colour=FAINT, align="center")
    text = "ring: start, square: end, diamonds: seams, strokes: heading every half second, +Z down the page"
    sheet.text(_MARGIN, 14, text, size=7, colour=FAINT)


_LARGEST = 240.0  # pixels a metre: keeps a standing body's sway from filling the page


class Rectangle(NamedTuple):
    """Rectangle on a sheet in pixels, given by its lower left corner."""

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

    ``seams`` are marked with numbered diamonds, ``marks`` (frames) with numbered dots. Both directions have one scale,
    shown by a bar.
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
    """Return the height in pixels that a path needs when it fills ``width``, within limits."""
    ground, _ = _fitted(clip.root_positions, Rectangle(0.0, 0.0, width, most))
    return float(np.clip(np.ptp(ground[:, 1]) + 80.0, least, most))


def _fitted(roots: Floats, place: Rectangle) -> tuple[Floats, float]:
    """Root's ground points (F, 2) in pixels and pixels a metre; rotated so that the longest extent is horizontal."""
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
    """Draw dots at frames (number, frame) with their number where there is space for it."""
    size = 9.0 if marker == "D" else 5.5
    sheet.dots(ground[[frame for _, frame in marks]], colour, size=size, z=z, marker=marker)
    written: list[Floats] = []
    # Seams are numbered on the left of the path, frames on its right: a frame at a seam keeps both numbers.
    side = -1.0 if marker == "D" else 1.0
    for number, frame in marks:
        reach = 11.0 if 0 < frame < len(ground) - 1 else 15.0  # beyond the larger marks of the two ends
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
    """Direction (2,) to the right of the path at a frame, averaged over about 12 pixels; down if it stands still."""
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
