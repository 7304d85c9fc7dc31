"""A small space in two views: residual variances by number of dimensions, and the first three coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from segue.arrays import Floats
from segue.manifold.embedding import By
from segue.manifold.space import Space, calmed
from segue.motion.flags import runs
from segue.pictures.canvas import DPI, FONT, Picture, Sheet, shortened
from segue.pictures.palette import FAINT, INK, SEAM, source_colours

WIDTH, HEIGHT, MARGIN = 1100, 520, 24
_COLOURS: dict[By, str] = {"isomap": "#2b6ea6", "mds": "#3a9d8f", "pca": "#d9632f"}
_NAMES: dict[By, str] = {"isomap": "Isomap", "mds": "multidimensional scaling", "pca": "principal components"}


def space_picture(
    space: Space,
    path: str | Path | None = None,
    *,
    title: str = "",
    view: tuple[float, float] = (28.0, -60.0),
) -> Picture:
    """Draw residual variances of all methods with their knees, and the captured poses in three dimensions.

    Each unbroken stretch of a clip is a line from light to dark; a ring marks its start.

    Parameters
    ----------
    space
        The space.
    path
        PNG to write, or None.
    title
        Heading.
    view
        Elevation above the floor and angle about the vertical, in degrees, of the camera on the coordinates.

    Returns
    -------
    Picture
        ``notes`` holds the ``knees`` by method and the number of ``stretches`` drawn.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import segue
    >>> from segue.manifold.space import fit_space
    >>> space_picture(fit_space([segue.sample("walk")], by="pca", fps=10.0)).notes["stretches"]
    1
    """
    sheet = Sheet(WIDTH, HEIGHT, what="a picture of a space")
    head = title or f"{len(space.clip)} poses of {', '.join(space.clips[:3])}"
    sheet.text(MARGIN, HEIGHT - 32, shortened(head, 12, WIDTH - 2 * MARGIN, bold=True), size=12, bold=True)
    _draw_variances(sheet, space)
    stretches = _draw_coordinates(sheet, space, view)
    knees = {fit.by: fit.knee for fit in space.fits}
    return sheet.finish(path, notes={"knees": knees, "stretches": stretches})


def _draw_variances(sheet: Sheet, space: Space) -> None:
    left, bottom, width, height = MARGIN + 44, 60, 400, HEIGHT - 150
    sheet.text(
        MARGIN, HEIGHT - 60, "residual variance by dimensions; a ring is the knee", size=8.5, colour=FAINT
    )
    axes = sheet.panel(left, bottom, width, height)
    most = 0.0
    for fit in space.fits:
        dimensions = np.arange(1, len(fit.variances) + 1)
        colour, wide = _COLOURS[fit.by], 2.2 if fit.by == space.by else 1.2
        line = "--" if fit.by == "mds" else "-"  # where poses are planar it coincides with that of PCA
        axes.plot(
            dimensions, fit.variances, color=colour, linewidth=wide, linestyle=line, marker="o", markersize=4
        )
        axes.plot(
            [fit.knee], [fit.variances[fit.knee - 1]], "o", markersize=12, mfc="none", mec=colour, mew=1.6
        )
        most = max(most, *fit.variances)
    axes.set_ylim(0.0, 1.08 * max(most, 0.1))
    axes.set_xlim(0.6, max(len(fit.variances) for fit in space.fits) + 0.4)
    axes.set_xticks(range(1, max(len(fit.variances) for fit in space.fits) + 1))
    axes.set_xlabel("dimensions", fontsize=8, color=INK, family=FONT)
    for row, fit in enumerate(space.fits):
        axes.text(
            0.98,
            0.97 - 0.055 * row,
            _NAMES[fit.by],
            transform=axes.transAxes,
            ha="right",
            va="top",
            fontsize=8.5,
            color=_COLOURS[fit.by],
            family=FONT,
        )


def _draw_coordinates(sheet: Sheet, space: Space, view: tuple[float, float]) -> int:
    """Draw the first three coordinates; return the number of stretches."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    left, bottom, width, height = 520, 10, WIDTH - 530, HEIGHT - 80
    sheet.text(left + 20, HEIGHT - 60, _heading(space), size=8.5, colour=FAINT)
    place = (left / sheet.width, bottom / sheet.height, width / sheet.width, height / sheet.height)
    axes: Any = sheet.figure.add_axes(place, projection="3d", zorder=5)
    points = _three(calmed(space.coordinates, space.follows))
    colours = source_colours(space.clips)
    spans = _stretches(space)
    for start, stop in spans:
        line = points[start:stop]
        colour = colours[space.clips[int(space.clip[start])]]
        shares = np.linspace(0.25, 1.0, max(len(line) - 1, 1))
        parts = np.stack([line[:-1], line[1:]], axis=1)
        axes.add_collection3d(
            Line3DCollection(parts, colors=[_tint(colour, share) for share in shares], linewidths=1.4)
        )
        axes.plot(*line[:1].T, "o", mfc="none", mec=SEAM, markersize=7)
    axes.plot(*points.T, ".", color="none")  # gives the axes their range
    for word, setter in zip("123", (axes.set_xlabel, axes.set_ylabel, axes.set_zlabel), strict=True):
        setter(f"x{word}", fontsize=8, color=INK, family=FONT)
    axes.tick_params(labelsize=6.5, colors="#555b63")
    axes.set_box_aspect(np.maximum(np.ptp(points, axis=0), 0.3 * np.ptp(points, axis=0).max() + 1e-9))
    axes.view_init(*view)
    return len(spans)


def _heading(space: Space) -> str:
    names = ", ".join(space.clips[:3]) + (f" and {len(space.clips) - 3} more" if len(space.clips) > 3 else "")
    text = f"{_NAMES[space.by]} of {len(space.clip)} poses: {names}; light to dark in time"
    return shortened(text, 8.5, (WIDTH - 560) * 100 / DPI)


def _three(coordinates: Floats) -> Floats:
    out = np.zeros((len(coordinates), 3))
    out[:, : min(3, coordinates.shape[1])] = coordinates[:, :3]
    return out


def _stretches(space: Space) -> list[tuple[int, int]]:
    """Rows of unbroken stretches, half open, of two poses or more."""
    return [(start, stop + 1) for start, stop in runs(space.follows)]


def _tint(colour: str, share: float) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return tuple(1.0 - share * (1.0 - one) for one in (red, green, blue))  # type: ignore[return-value]
