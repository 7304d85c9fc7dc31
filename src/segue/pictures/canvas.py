"""The only module that uses matplotlib: a sheet measured in pixels, and the finished picture.

Everything is drawn on a `Figure` of its own with the Agg renderer; pyplot and its global state are never touched.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from segue.arrays import Floats
from segue.errors import FileError, MissingExtraError
from segue.io.text import write_whole
from segue.texts import shown

DPI = 100
FONT = "DejaVu Sans"  # ships with matplotlib, so that a picture has the same letters everywhere
_LETTER, _BOLD = 0.62, 0.73  # upper estimate of the mean width of a letter of FONT, in units of its size


@dataclass(frozen=True)
class Picture:
    """A finished picture.

    Parameters
    ----------
    png
        Bytes of the file.
    width, height
        Pixels.
    notes
        What was drawn, by name: counts and frames for messages and tests.
    """

    png: bytes = field(repr=False)
    width: int
    height: int
    notes: Mapping[str, Any] = field(default_factory=dict)

    def save(self, path: str | Path) -> Path:
        """Write the picture; an existing file is replaced only once the new one is complete."""
        target = check_target(path)
        write_whole(target, self.png)
        return target

    def _repr_png_(self) -> bytes:
        return self.png


def check_target(path: str | Path) -> Path:
    """Return the path of a picture to write; `FileError` unless it ends in .png and its folder exists."""
    target = Path(path)
    if target.suffix.lower() != ".png":
        raise FileError(target, "pictures are written as PNG; give a name that ends in .png")
    if not target.parent.is_dir():
        raise FileError(target, f"the folder {target.parent} does not exist; make it first")
    return target


class Sheet:
    """A white page of ``width`` x ``height`` pixels; x to the right, y **up** from the lower left corner."""

    def __init__(self, width: int, height: int, *, what: str = "a picture") -> None:
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingExtraError(what, "plot") from None
        self.width, self.height = int(width), int(height)
        self.figure: Any = Figure(figsize=(self.width / DPI, self.height / DPI), dpi=DPI, facecolor="white")
        FigureCanvasAgg(self.figure)
        self.axes: Any = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.axes.set_xlim(0, self.width)
        self.axes.set_ylim(0, self.height)
        self.axes.axis("off")

    def polygons(
        self,
        shapes: Sequence[Floats],
        colours: Sequence[str],
        edges: Sequence[str],
        *,
        width: float,
        z: float,
    ) -> None:
        """Fill polygons, each (N, 2) in pixels, painted in the order given; ``width`` of edges in points."""
        from matplotlib.collections import PolyCollection

        if shapes:
            self.axes.add_collection(
                PolyCollection(
                    shapes,
                    facecolors=list(colours),
                    edgecolors=list(edges),
                    linewidths=width,
                    joinstyle="round",
                    zorder=z,
                ),
                autolim=False,
            )

    def lines(
        self,
        strokes: Sequence[Floats],
        colours: Sequence[str] | str,
        *,
        width: float,
        z: float,
        dash: Any = "solid",
    ) -> None:
        """Draw open strokes, each (N, 2) in pixels; ``width`` in points."""
        from matplotlib.collections import LineCollection

        if len(strokes):
            self.axes.add_collection(
                LineCollection(
                    strokes, colors=colours, linewidths=width, zorder=z, capstyle="round", linestyles=dash
                ),
                autolim=False,
            )

    def box(self, left: float, bottom: float, width: float, height: float, colour: str, *, z: float) -> None:
        """Fill a rectangle without an edge."""
        from matplotlib.patches import Rectangle

        self.axes.add_patch(
            Rectangle(
                (left, bottom), width, height, facecolor=colour, edgecolor="none", zorder=z, antialiased=False
            )
        )

    def dots(
        self,
        at: Any,
        colour: Any,
        *,
        size: float,
        z: float,
        edge: str = "white",
        marker: str = "o",
        rim: float = 0.8,
    ) -> None:
        """Draw markers at (N, 2) pixels; ``size`` is their width in pixels."""
        import numpy as np

        points = np.asarray(at, dtype=np.float64).reshape(-1, 2)
        if points.size:
            self.axes.scatter(
                points[:, 0],
                points[:, 1],
                s=(size * 72 / DPI) ** 2,
                c=colour,
                edgecolors=edge,
                linewidths=rim,
                marker=marker,
                zorder=z,
            )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 8.0,
        colour: str = "#333840",
        bold: bool = False,
        align: str = "left",
        vertical: str = "baseline",
        z: float = 9.0,
        halo: bool = False,
    ) -> None:
        """Draw one line of text, ``size`` in points; dollar signs are letters."""
        label = self.axes.text(
            x,
            y,
            shown(words),
            fontsize=size,
            color=colour,
            family=FONT,
            fontweight="bold" if bold else "normal",
            ha=align,
            va=vertical,
            zorder=z,
            parse_math=False,
        )
        if halo:
            from matplotlib.patheffects import withStroke

            label.set_path_effects([withStroke(linewidth=2.2, foreground="white")])

    def panel(self, left: float, bottom: float, width: float, height: float) -> Any:
        """Return axes with their own scales in a rectangle of the page (pixels), in the house style."""
        axes = self.figure.add_axes(
            (left / self.width, bottom / self.height, width / self.width, height / self.height), zorder=5
        )
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        for side in ("left", "bottom"):
            axes.spines[side].set_color("#9aa0a8")
        axes.tick_params(labelsize=7.5, colors="#555b63", labelfontfamily=FONT)
        axes.grid(visible=True, color="#e6e8eb", linewidth=0.6)
        axes.set_axisbelow(True)
        return axes

    def finish(self, path: str | Path | None, *, notes: Mapping[str, Any]) -> Picture:
        """Render to PNG, and write it if a path is given."""
        stream = io.BytesIO()
        # Without the program's version in the file, equal pictures have equal bytes.
        self.figure.savefig(stream, format="png", dpi=DPI, metadata={"Software": None}, facecolor="white")
        picture = Picture(stream.getvalue(), self.width, self.height, dict(notes))
        if path is not None:
            picture.save(path)
        return picture


def text_width(words: str, size: float, *, bold: bool = False) -> float:
    """Return an upper estimate of the width of a line of text in pixels, for layout."""
    return len(words) * size * DPI / 72 * (_BOLD if bold else _LETTER)


def shortened(words: str, size: float, room: float, *, bold: bool = False) -> str:
    """Return text with its middle replaced by an ellipsis so that it fits into ``room`` pixels."""
    fits = max(int(room / text_width("x", size, bold=bold)), 3)
    if len(words) <= fits:
        return words
    head = fits // 2
    tail = fits - 1 - head
    return f"{words[:head]}…{words[len(words) - tail :] if tail else ''}"
