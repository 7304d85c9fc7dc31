"""Pictures of several costs on the same clips: where two of them differ, and their sorted costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats
from segue.costs.matrix import CostMatrix
from segue.errors import SettingError
from segue.pictures.canvas import FONT, Picture, Sheet
from segue.pictures.palette import FAINT, INK
from segue.texts import shown

ONLY_FIRST, ONLY_SECOND, BOTH = "#2fd35a", "#ff3df0", "#ffffff"
"""Points chosen by the first cost, by the second, and by both."""
LINES = ("#d9632f", "#2b6ea6", "#3a9d8f", "#6a51a3", "#8c5a3c", "#7f8c2f", "#d0578e")
_SIDE, _LEAST = 900, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 92, 40, 132, 64


def difference_colours(first: npt.ArrayLike, second: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Map the difference of two normalised matrices to colours (N, M, 3): black where equal, blue above, red below.

    The 99th percentile of the magnitudes has full colour. Source: dynamics-weighted point clouds, fig. 3c.

    Examples
    --------
    >>> difference_colours([[2.0, 0.0, 1.0]], [[1.0, 1.0, 1.0]]).tolist()
    [[[0, 0, 255], [255, 0, 0], [0, 0, 0]]]
    """
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    size = np.abs(difference)
    full = float(np.percentile(size, 99)) if size.size else 0.0
    shade = np.rint(np.clip(size / full if full > 0 else size, 0.0, 1.0) * 255.0).astype(np.uint8)
    out = np.zeros((*difference.shape, 3), dtype=np.uint8)
    out[..., 0] = np.where(difference < 0, shade, 0)
    out[..., 2] = np.where(difference > 0, shade, 0)
    return out


def difference_picture(
    first: CostMatrix,
    second: CostMatrix,
    path: str | Path | None = None,
    *,
    labels: tuple[str, str],
    chosen: Mapping[str, Sequence[tuple[int, int]]],
) -> Picture:
    """Draw where two normalised cost matrices differ, with the transitions that each cost chose.

    Parameters
    ----------
    first, second
        Matrices of one pair of clips, each divided by its median.
    path
        PNG to write, or None.
    labels
        Names of the two costs.
    chosen
        Frames of A and B: ``"first"`` and ``"second"`` for points that only one chose, ``"both"``.

    Raises
    ------
    SettingError
        If the matrices have no moment in common.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> one, two = (segue.cost_matrix(walk, walk, cost=segue.cost(n)) for n in ("point_cloud", "relative_distance"))
    >>> picture = difference_picture(one, two, labels=("points", "pairs"), chosen={"both": [(20, 50)]})
    >>> picture.notes["both"]
    1
    """
    a_frames, rows = _common(first.a_frames, second.a_frames)
    b_frames, columns = _common(first.b_frames, second.b_frames)
    if not a_frames.size or not b_frames.size:
        msg = f"the matrices of {first.a_name!r} and {first.b_name!r} by the two costs share no moment"
        raise SettingError(msg)
    one, two = (
        matrix.values[np.ix_(row, column)]
        for matrix, row, column in zip((first, second), rows, columns, strict=True)
    )
    scale = _SIDE / max(one.shape)
    width, height = (max(round(count * scale), _LEAST) for count in one.shape)
    sheet = Sheet(max(_LEFT + width + _RIGHT, 640), _TOP + height + _BOTTOM, what="a difference picture")
    axes = sheet.panel(_LEFT, _BOTTOM, width, height)
    axes.grid(visible=False)
    axes.imshow(
        difference_colours(one, two).transpose(1, 0, 2),
        origin="upper",
        extent=(a_frames[0], a_frames[-1], b_frames[-1], b_frames[0]),
        aspect="auto",
        interpolation="antialiased",
    )
    groups = (("first", ONLY_FIRST), ("second", ONLY_SECOND), ("both", BOTH))
    for name, colour in groups:
        places = np.asarray(chosen.get(name, ()), dtype=np.float64).reshape(-1, 2)
        axes.scatter(
            places[:, 0],
            places[:, 1],
            s=34,
            c=colour,
            edgecolors="black",
            linewidths=0.7,
            zorder=4,
            clip_on=False,
        )
    axes.set_xlabel(f"{shown(first.a_name)}: frame", fontsize=9, color=INK, family=FONT, parse_math=False)
    axes.set_ylabel(f"{shown(first.b_name)}: frame", fontsize=9, color=INK, family=FONT, parse_math=False)
    sheet.text(_LEFT, sheet.height - 30, f"{labels[0]} less {labels[1]}", size=12, bold=True)
    _legend(sheet, labels, chosen)
    return sheet.finish(path, notes={name: len(chosen.get(name, ())) for name, _ in groups})


def _common(one: Any, two: Any) -> tuple[Any, tuple[Any, Any]]:
    """Frames that both have, and their indices in each."""
    frames, first, second = np.intersect1d(one, two, return_indices=True)
    return frames, (first, second)


def _legend(sheet: Sheet, labels: tuple[str, str], chosen: Mapping[str, Any]) -> None:
    words = (
        ("first", ONLY_FIRST, f"chosen by {labels[0]} alone"),
        ("second", ONLY_SECOND, f"by {labels[1]} alone"),
        ("both", BOTH, "by both"),
    )
    x = float(_LEFT)
    for name, colour, sentence in words:
        line = f"{len(chosen.get(name, ()))} {sentence}"
        sheet.dots([[x + 6, sheet.height - 52]], colour, size=10, z=9, edge="black")
        sheet.text(x + 17, sheet.height - 56, line, size=8.5)
        x += 17 + 6.6 * len(line) + 16
    line = f"red: {labels[0]} is relatively lower; blue: {labels[1]} is; black: they agree"
    sheet.text(_LEFT, sheet.height - 76, line, size=8.5, colour=FAINT)


def curves_picture(
    curves: Mapping[str, Floats],
    path: str | Path | None = None,
    *,
    knees: Mapping[str, int | None] | None = None,
    count: int | None = None,
    title: str = "sorted costs",
    most: int | None = None,
) -> Picture:
    """Draw sorted normalised costs over their rank, one curve for each cost, with its knee.

    Parameters
    ----------
    curves
        (K,) rising costs over the median, by label.
    path
        PNG to write, or None.
    knees
        Rank of each curve's knee, from 1, drawn as a dot.
    count
        Rank at which a red line is drawn: the number of transitions taken.
    title
        Heading.
    most
        Highest rank drawn.

    Raises
    ------
    SettingError
        If there is no curve.

    Examples
    --------
    >>> import numpy as np
    >>> curves_picture({"a": np.arange(5.0)}, knees={"a": 2}, count=2).notes["curves"]
    ['a']
    """
    if not curves:
        msg = "there is no curve to draw; give the sorted costs of at least one cost"
        raise SettingError(msg)
    sheet = Sheet(1000, 520, what="a plot of sorted costs")
    axes = sheet.panel(78, 58, 880, 380)
    most = max(len(curve) for curve in curves.values()) if most is None else most
    for number, (label, curve) in enumerate(curves.items()):
        shown = np.asarray(curve[:most])
        colour = LINES[number % len(LINES)]
        axes.plot(np.arange(1, len(shown) + 1), shown, color=colour, linewidth=1.8, label=label)
        rank = (knees or {}).get(label)
        if rank is not None and rank <= len(shown):
            axes.scatter([rank], [shown[rank - 1]], color=colour, edgecolors="white", s=54, zorder=5)
    if count is not None:
        axes.axvline(count, color="#c62828", linewidth=1.2)
        axes.text(
            count, 1.01, f" T = {count}", transform=axes.get_xaxis_transform(), color="#c62828", fontsize=8.5
        )
    axes.set_xlim(1, max(most, 2))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("rank of the transition, cheapest first", fontsize=9, color=INK, family=FONT)
    axes.set_ylabel("cost over the median of its matrix", fontsize=9, color=INK, family=FONT)
    legend = axes.legend(loc="lower right", fontsize=8.5, frameon=False)
    for text in legend.get_texts():
        text.set_family(FONT)
        text.set_parse_math(False)
    sheet.text(78, 490, title, size=12, bold=True)
    return sheet.finish(path, notes={"curves": list(curves)})
