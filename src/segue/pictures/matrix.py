"""A cost matrix as an image, with its minima and the points chosen among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Ints
from segue.costs.matrix import CostMatrix
from segue.errors import SettingError
from segue.pictures.canvas import FONT, Picture, Sheet
from segue.pictures.palette import FAINT, INK
from segue.texts import shown

MINIMA = "#19c3e6"
"""Minima under the threshold."""
CHOSEN = "#ff3d8b"
"""Points chosen among them."""
_SIDE = 1000  # pixels of the longer side
_LEAST = 260  # minimum of the shorter side
_LEFT, _RIGHT, _TOP, _BOTTOM = 92, 150, 132, 64


class FramePoint(Protocol):
    """An object with a frame of each clip: a transition point."""

    @property
    def a_frame(self) -> int:
        """Frame of clip A."""

    @property
    def b_frame(self) -> int:
        """Frame of clip B."""


def grey_levels(values: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Map costs to grey levels: linear from the smallest (0, black) to the largest (255, white).

    Values that are not finite become white. Source: Wang, section 1; JRD motion graph, eq. 4.5.

    Examples
    --------
    >>> grey_levels([[2.0, 4.0], [3.0, 2.0]]).tolist()
    [[0, 255], [128, 0]]
    """
    costs = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(costs)
    if not finite.any():
        return np.full(costs.shape, 255, dtype=np.uint8)
    low, high = float(costs[finite].min()), float(costs[finite].max())
    span = high - low if high > low else 1.0
    scaled = np.where(finite, (np.where(finite, costs, low) - low) / span * 255.0, 255.0)
    return np.rint(scaled).astype(np.uint8)


def cost_picture(
    matrix: CostMatrix,
    path: str | Path | None = None,
    *,
    minima: Iterable[FramePoint] | npt.ArrayLike | None = None,
    chosen: Iterable[FramePoint] | npt.ArrayLike | None = None,
    threshold: float | None = None,
    title: str | None = None,
) -> Picture:
    """Draw a cost matrix: frames of A from left to right, of B from top to bottom, black where they are most alike.

    Parameters
    ----------
    matrix
        The costs.
    path
        PNG to write, or None.
    minima
        Minima under the threshold: transition points, or (K, 2) frames of A and B. Drawn as rings.
    chosen
        Points chosen among them, in the same form. Drawn as dots.
    threshold
        Threshold named in the legend.
    title
        Heading; by default the names of the clips.

    Returns
    -------
    Picture
        ``notes`` holds the counts ``minima`` and ``chosen`` and the range ``low``, ``high``.

    Raises
    ------
    SettingError
        The matrix has no rows or columns, or points are not pairs of frames.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> matrix = segue.cost_matrix(walk, walk, cost=segue.cost("point_cloud"))
    >>> cost_picture(matrix, minima=[(20, 50)]).notes["minima"]
    1
    """
    rows, columns = matrix.values.shape
    if rows == 0 or columns == 0:
        msg = (
            f"the cost matrix of {matrix.a_name!r} and {matrix.b_name!r} is empty ({rows} x {columns}): "
            "a clip is shorter than the cost's window; use a longer clip or a shorter window"
        )
        raise SettingError(msg)
    scale = _SIDE / max(rows, columns)
    width, height = max(round(rows * scale), _LEAST), max(round(columns * scale), _LEAST)
    page = max(_LEFT + width + _RIGHT, 660)
    sheet = Sheet(page, _TOP + height + _BOTTOM, what="a cost matrix picture")
    axes = sheet.panel(_LEFT, _BOTTOM, width, height)
    finite = matrix.values[np.isfinite(matrix.values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    _image(axes, matrix)
    rings, dots = _frames(minima, "minima"), _frames(chosen, "chosen")
    size = float(np.clip(0.012 * min(width, height), 4.0, 8.0))
    _points(axes, rings, size=size, filled=False)
    _points(axes, dots, size=size, filled=True)
    _scales(axes, matrix)
    _bar(sheet, _LEFT + width + 66, height, low, high)
    sheet.text(_LEFT, sheet.height - 30, title or f"{matrix.a_name}  →  {matrix.b_name}", size=12, bold=True)
    limit = "" if threshold is None else f" (below {threshold:.4g})"
    legend = []
    if minima is not None:
        legend.append((f"{len(rings)} minima under the threshold{limit}", MINIMA, False))
    if chosen is not None:
        legend.append((f"{len(dots)} chosen points", CHOSEN, True))
    _legend(sheet, legend)
    return sheet.finish(path, notes={"minima": len(rings), "chosen": len(dots), "low": low, "high": high})


def _image(axes: Any, matrix: CostMatrix) -> None:
    left, right = _edges(matrix.a_frames)
    top, bottom = _edges(matrix.b_frames)
    axes.grid(visible=False)
    axes.imshow(
        grey_levels(matrix.values).T,
        cmap="gray",
        vmin=0,
        vmax=255,
        origin="upper",
        extent=(left, right, bottom, top),
        aspect="auto",
        interpolation="antialiased",
    )


def _edges(frames: Ints) -> tuple[float, float]:
    """First and last frame extended by half a step, so that the middle of a cell is its frame."""
    half = 0.5 * float(frames[1] - frames[0]) if frames.size > 1 else 0.5
    return float(frames[0]) - half, float(frames[-1]) + half


def _points(axes: Any, places: Floats, *, size: float, filled: bool) -> None:
    if not len(places):
        return
    axes.scatter(
        places[:, 0],
        places[:, 1],
        s=size**2 if filled else (size + 2.5) ** 2,
        facecolors=CHOSEN if filled else "none",
        edgecolors="white" if filled else MINIMA,
        linewidths=0.7 if filled else 1.4,
        zorder=4 if filled else 3,
        clip_on=False,
    )


def _scales(axes: Any, matrix: CostMatrix) -> None:
    """Label frames along the left and lower edge, seconds along the right and upper one."""
    a_rate, b_rate = (_frames_a_second(frames, matrix.rate) for frames in (matrix.a_frames, matrix.b_frames))
    axes.set_xlim(*_edges(matrix.a_frames))
    axes.set_ylim(*reversed(_edges(matrix.b_frames)))
    axes.set_xlabel(f"{shown(matrix.a_name)}: frame", fontsize=9, color=INK, family=FONT, parse_math=False)
    axes.set_ylabel(f"{shown(matrix.b_name)}: frame", fontsize=9, color=INK, family=FONT, parse_math=False)
    upper = axes.secondary_xaxis("top", functions=(lambda f: f / a_rate, lambda s: s * a_rate))
    right = axes.secondary_yaxis("right", functions=(lambda f: f / b_rate, lambda s: s * b_rate))
    for axis, name in ((upper, "set_xlabel"), (right, "set_ylabel")):
        axis.tick_params(labelsize=7.5, colors="#555b63", labelfontfamily=FONT)
        getattr(axis, name)("seconds", fontsize=8, color=FAINT, family=FONT)
        for spine in axis.spines.values():
            spine.set_color("#9aa0a8")


def _frames_a_second(frames: Ints, rate: float) -> float:
    """Rate of the clip's own frames: rows are 1/rate seconds apart."""
    if frames.size < 2:
        return rate
    return float(frames[-1] - frames[0]) / (frames.size - 1) * rate


def _bar(sheet: Sheet, left: float, height: float, low: float, high: float) -> None:
    """Draw a grey scale with the costs at its ends."""
    axes = sheet.panel(left, _BOTTOM, 14, min(height, 220))
    axes.grid(visible=False)
    axes.imshow(
        np.linspace(255, 0, 256)[:, None],
        cmap="gray",
        vmin=0,
        vmax=255,
        aspect="auto",
        extent=(0, 1, low, high if high > low else low + 1),
    )
    axes.set_xticks([])
    axes.yaxis.tick_right()
    axes.set_title("cost", fontsize=8, color=FAINT, family=FONT)


def _legend(sheet: Sheet, rows: Sequence[tuple[str, str, bool]]) -> None:
    y = sheet.height - 52
    for words, colour, filled in rows:
        face = colour if filled else "none"
        edge = "white" if filled else colour
        sheet.dots([[_LEFT + 6, y + 4]], face, size=10, z=9, edge=edge, rim=0.8 if filled else 1.8)
        sheet.text(_LEFT + 18, y, words, size=8.5)
        y -= 18


def _frames(points: Iterable[FramePoint] | npt.ArrayLike | None, what: str) -> Floats:
    """Pairs of frames (K, 2) of points in any of the accepted forms."""
    if points is None:
        return np.empty((0, 2))
    rows: list[Any] = list(points)  # type: ignore[arg-type]
    pairs = [(row.a_frame, row.b_frame) if hasattr(row, "a_frame") else row for row in rows]
    if not pairs:
        return np.empty((0, 2))
    places = np.asarray(pairs, dtype=np.float64)
    if places.ndim != 2 or places.shape[1] != 2:
        msg = f"{what} must be transition points or (K, 2) frames of A and B; got an array of shape {places.shape}"
        raise SettingError(msg)
    return places
