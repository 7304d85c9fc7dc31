"""Measures over time as one picture: joint speed, acceleration and jerk, and the feet on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from segue.arrays import Floats
from segue.errors import SettingError
from segue.measures.curves import MeasureCurves
from segue.measures.foot_skate import PARTS
from segue.motion.flags import runs
from segue.pictures.canvas import FONT, Picture, Sheet
from segue.pictures.palette import FAINT, INK, LEFT, PLANTED, RIGHT, SEAM, TINT

_WIDTH = 1080
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 52, 40
_PANEL, _FEET, _GAP = 92, 150, 24
_ROWS = ("angular speed [°/s]", "acceleration [m/s²]", "jerk [m/s³]")
_MOST = 2000  # points drawn in a panel: more than twice its pixels
_FOOT_COLOURS = (LEFT, "#f0a27c", RIGHT, "#8fbbdf")
_FULL = 0.6
"""m/s of a foot at the top of its panel: a foot in the air is faster, which is of no interest there."""


def curves_picture(
    curves: MeasureCurves,
    path: str | Path | None = None,
    *,
    seams: Sequence[tuple[int, int]] = (),
    tops: Sequence[float] | None = None,
    title: str = "measures over time",
) -> Picture:
    """Draw measures over time with the seams tinted.

    Parameters
    ----------
    curves
        See `segue.measures.curves.measure_curves`.
    path
        PNG to write, or None.
    seams
        Frame ranges of the blends (half open; equal for a cut).
    tops
        Upper ends of the scales of the first three panels, so that two pictures can be compared; by default the
        curves' own `scale_tops`.
    title
        Heading.

    Raises
    ------
    SettingError
        If the motion has a single frame.

    Examples
    --------
    >>> import segue
    >>> from segue.measures.curves import measure_curves
    >>> picture = curves_picture(measure_curves(segue.sample("walk")), seams=[(100, 120)])
    >>> picture.notes["seams"], picture.width
    (1, 1080)
    """
    if len(curves.seconds) < 2:
        msg = "a motion of a single frame has no curves"
        raise SettingError(msg)
    height = _TOP + _BOTTOM + 3 * _PANEL + _FEET + _PANEL + 4 * _GAP
    sheet = Sheet(_WIDTH, height, what="a picture of measures")
    fps = 1.0 / float(curves.seconds[1] - curves.seconds[0])
    spans = [(start / fps, max(stop - 1, start) / fps) for start, stop in seams]
    top = float(height - _TOP)
    values = _degrees(curves)
    ends = scale_tops(curves) if tops is None else tops
    for name, line, end in zip(_ROWS, values, ends, strict=True):
        top -= _PANEL
        axes = _axes(sheet, top, _PANEL, name, curves, spans)
        _draw(axes, curves.seconds, line, INK)
        axes.set_ylim(0, end)
        _over(axes, line, end)
        top -= _GAP
    top -= _FEET
    _feet(_axes(sheet, top, _FEET, "feet along the ground [m/s], planted below", curves, spans), curves)
    top -= _GAP + _PANEL
    axes = _axes(sheet, top, _PANEL, "below (red) and planted above (grey) the floor [cm]", curves, spans)
    _draw(axes, curves.seconds, -100.0 * curves.penetration, SEAM)
    _draw(axes, curves.seconds, 100.0 * curves.floating, FAINT)
    axes.tick_params(labelbottom=True)
    axes.set_xlabel("seconds", fontsize=8, color=INK, family=FONT)
    sheet.text(_LEFT, height - 28, title, size=11, bold=True)
    return sheet.finish(path, notes={"seams": len(spans), "frames": len(curves.seconds), "tops": tuple(ends)})


def scale_tops(*curves: MeasureCurves) -> tuple[float, ...]:
    """Return upper ends of scales so that all but 0.5 % of the frames of several motions are within them."""
    out = []
    for lines in zip(*(_degrees(one) for one in curves), strict=True):
        most = max(float(np.percentile(line, 99.5)) for line in lines)
        out.append(1.15 * most if most > 0 else 1.0)
    return tuple(out)


def _degrees(curves: MeasureCurves) -> tuple[Floats, Floats, Floats]:
    return np.degrees(curves.angular_speed), curves.acceleration, curves.jerk


def _axes(
    sheet: Sheet,
    bottom: float,
    height: float,
    name: str,
    curves: MeasureCurves,
    spans: Sequence[tuple[float, float]],
) -> Any:
    axes = sheet.panel(_LEFT, bottom, _WIDTH - _LEFT - _RIGHT, height)
    for start, stop in spans:
        axes.axvspan(start, stop, color=TINT, zorder=0)
        axes.axvline((start + stop) / 2, color=SEAM, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.tick_params(labelbottom=False)
    axes.set_xlim(float(curves.seconds[0]), float(curves.seconds[-1]))
    axes.set_title(name, fontsize=8.5, color=INK, family=FONT, loc="left", parse_math=False, pad=3)
    return axes


def _draw(axes: Any, seconds: Floats, values: Floats, colour: str, *, width: float = 0.9) -> None:
    """Draw a line through the values; of a long motion the largest magnitude of each bundle, to keep every peak."""
    bundle = -(-len(values) // _MOST)
    if bundle > 1:
        whole = np.pad(values, (0, -len(values) % bundle), mode="edge").reshape(-1, bundle)
        largest = np.argmax(np.abs(whole), axis=1)
        values = whole[np.arange(len(whole)), largest]
        seconds = seconds[np.minimum(np.arange(len(whole)) * bundle + largest, len(seconds) - 1)]
    axes.plot(seconds, values, color=colour, linewidth=width, zorder=3)


def _over(axes: Any, line: Floats, end: float) -> None:
    """Note the maximum of a curve that leaves the picture."""
    most = float(line.max())
    if most > end:
        axes.annotate(
            f"up to {most:,.0f}",
            (0.998, 0.9),
            xycoords="axes fraction",
            ha="right",
            va="top",
            fontsize=7.5,
            color=SEAM,
        )


def _feet(axes: Any, curves: MeasureCurves) -> None:
    """Ground speed of heels and toes, cut off where a foot is in the air, and a bar below while each is planted."""
    row = 0.09 * _FULL
    for part, colour in enumerate(_FOOT_COLOURS):
        _draw(axes, curves.seconds, np.minimum(curves.foot_speed[:, part], 1.2 * _FULL), colour, width=0.8)
        level = -(part + 1) * row
        bars = [
            (float(curves.seconds[start]), float(curves.seconds[min(stop, len(curves.seconds) - 1)]))
            for start, stop in runs(curves.planted[:, part])
        ]
        axes.broken_barh([(a, b - a) for a, b in bars], (level, 0.7 * row), color=PLANTED, zorder=2)
        axes.annotate(
            PARTS[part],
            (-0.004, level + 0.35 * row),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="center",
            fontsize=6.5,
            color=colour,
        )
    axes.set_ylim(-5 * row, _FULL)
    axes.set_yticks([0.2, 0.4, 0.6])
