"""Pictures of studies: psychometric functions with their answers, adaptive tracks, convergence of procedures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from segue.perception.estimators import Convergence
from segue.perception.fitting import PsychometricFit
from segue.perception.procedures import Track
from segue.perception.psychometric import JND
from segue.pictures.canvas import FONT, Picture, Sheet
from segue.pictures.palette import FAINT, INK, LEFT, PLANTED, RIGHT, SEAM
from segue.texts import shown

_WIDTH, _HEIGHT = 760, 420
_MARGIN = (64, 24, 52, 52)  # left, right, top, bottom
_COLOURS = (RIGHT, LEFT, "#3a9d8f", "#6a51a3", "#8c5a3c", "#7f8c2f", "#d0578e")


def psychometric_picture(
    fits: Mapping[str, tuple[int, PsychometricFit]],
    path: str | Path | None = None,
    *,
    title: str = "share of right answers by difference",
    unit: str = "frames",
) -> Picture:
    """Draw fitted functions over their answers, shorter to the left and longer to the right (as Wang, fig. VI.5, VI.6).

    Parameters
    ----------
    fits
        Sign of the direction (-1 or 1) and fit, by name; names that differ only after ", " share a colour.
    path
        PNG to write, or None.
    title, unit
        Heading; unit of the differences.

    Examples
    --------
    >>> from segue.perception.fitting import fit_psychometric
    >>> fit = fit_psychometric([2, 4, 6, 8], [20] * 4, [11, 13, 17, 20])
    >>> psychometric_picture({"all, longer": (1, fit)}).notes["curves"]
    1
    """
    sheet = Sheet(_WIDTH, _HEIGHT, what="a picture of a study")
    axes = _axes(sheet, title, f"difference [{unit}]", "right answers")
    names = list(dict.fromkeys(name.partition(", ")[0] for name in fits))
    most = 1.0
    for name, (sign, fit) in fits.items():
        colour = _COLOURS[names.index(name.partition(", ")[0]) % len(_COLOURS)]
        reach = float(np.max(fit.levels)) * 1.08
        most = max(most, reach)
        at = np.linspace(0.0, reach, 200)
        axes.plot(sign * at, fit.function.share(at), color=colour, linewidth=1.5, zorder=3)
        seen = fit.shown > 0
        sizes = 12.0 + 90.0 * fit.shown[seen] / max(int(fit.shown.max()), 1)
        axes.scatter(
            sign * fit.levels[seen],
            fit.right[seen] / fit.shown[seen],
            s=sizes,
            color=colour,
            alpha=0.45,
            zorder=2,
        )
        low, high = fit.interval()
        if np.isfinite(low):
            axes.plot([sign * low, sign * high], [JND, JND], color=colour, linewidth=4.0, alpha=0.6, zorder=4)
        axes.plot(
            [sign * fit.jnd] * 2, [0.4, JND], color=colour, linewidth=0.9, linestyle=(0, (3, 3)), zorder=1
        )
    axes.axhline(JND, color=FAINT, linewidth=0.8, zorder=0)
    axes.axhline(0.5, color=FAINT, linewidth=0.8, linestyle=(0, (2, 3)), zorder=0)
    axes.axvline(0.0, color=FAINT, linewidth=0.8, zorder=0)
    left = -most if any(sign < 0 for sign, _ in fits.values()) else 0.0
    axes.set_xlim(left, most if any(sign > 0 for sign, _ in fits.values()) else 0.0)
    axes.set_ylim(0.35, 1.03)
    for row, name in enumerate(names):
        _word(axes, row, name, _COLOURS[row % len(_COLOURS)])
    return sheet.finish(path, notes={"curves": len(fits)})


def track_picture(
    levels: Sequence[float],
    track: Track,
    path: str | Path | None = None,
    *,
    settled: float | None = None,
    title: str = "adaptive track",
    unit: str = "frames",
) -> Picture:
    """Draw the levels that one observer was shown, trial by trial, with right and wrong answers (as Wang, fig. VI.4).

    Examples
    --------
    >>> track_picture([2.0, 4.0, 6.0], Track((2, 1, 0, 1), (True, True, False, True)), settled=3.0).notes["trials"]
    4
    """
    sheet = Sheet(_WIDTH, _HEIGHT, what="a picture of a track")
    axes = _axes(sheet, title, "trial", f"difference [{unit}]")
    visited = np.array([levels[place] for place in track.places])
    trial = np.arange(1, len(visited) + 1)
    right = np.array(track.right, dtype=bool)
    axes.plot(trial, visited, color=FAINT, linewidth=1.0, zorder=1)
    axes.scatter(trial[right], visited[right], s=26, color=PLANTED, zorder=3, label="right")
    axes.scatter(
        trial[~right], visited[~right], s=30, color=SEAM, marker="x", linewidths=1.4, zorder=3, label="wrong"
    )
    if settled is not None:
        axes.axhline(settled, color=RIGHT, linewidth=1.4, zorder=2)
        axes.annotate(
            f"{settled:.1f}", (1.0, settled), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=8,
            color=RIGHT,
        )  # fmt: skip
    axes.set_ylim(0, max(levels) * 1.2)
    axes.legend(fontsize=7.5, frameon=False, loc="upper right", ncols=2)
    return sheet.finish(path, notes={"trials": len(track)})


def convergence_picture(
    found: Sequence[Convergence], path: str | Path | None = None, *, title: str = "where procedures converge"
) -> Picture:
    """Draw the mean level at each trial of many tracks, procedure by procedure, for one observer.

    Examples
    --------
    >>> from segue.perception.estimators import converge
    >>> from segue.perception.procedures import Staircase
    >>> from segue.perception.psychometric import Psychometric
    >>> observer, rng = Psychometric(6.0, 3.5), np.random.default_rng(1)
    >>> one = converge(Staircase(2), observer, np.arange(1.0, 20.0), tracks=5, rng=rng)
    >>> convergence_picture([one]).notes["procedures"]
    1
    """
    sheet = Sheet(_WIDTH, _HEIGHT, what="a picture of procedures")
    axes = _axes(sheet, title, "trial", "mean level over the threshold")
    longest = 1
    for row, one in enumerate(found):
        colour = _COLOURS[row % len(_COLOURS)]
        upto = max(int(np.median(one.trials)), 2)
        longest = max(longest, upto)
        course = one.course[:upto] / one.function.threshold
        axes.plot(np.arange(1, len(course) + 1), course, color=colour, linewidth=1.4, zorder=3)
        target = float(np.mean(one.estimates[next(iter(one.estimates))])) / one.function.threshold
        axes.axhline(target, color=colour, linewidth=0.7, linestyle=(0, (3, 3)), zorder=1)
        words = f"{one.procedure}: {one.share(next(iter(one.estimates))):.3f} right, {np.median(one.trials):.0f} trials"
        _word(axes, row, words, colour, right=True)
    axes.axhline(1.0, color=FAINT, linewidth=0.8, zorder=0)
    axes.set_xlim(1, longest)
    axes.set_ylim(bottom=0)
    return sheet.finish(path, notes={"procedures": len(found)})


def shares_picture(
    rows: Mapping[str, tuple[float, float, float]],
    path: str | Path | None = None,
    *,
    title: str = "share that prefers the first condition",
    middle: float = 0.5,
    ends: tuple[float, float] = (0.0, 1.0),
    unit: str = "share",
) -> Picture:
    """Draw values with their intervals, one a row: value, low and high by name.

    Examples
    --------
    >>> shares_picture({"all": (0.64, 0.58, 0.7)}).notes["rows"]
    1
    """
    height = 120 + 34 * len(rows)
    sheet = Sheet(_WIDTH, height, what="a picture of a study")
    axes = sheet.panel(220, _MARGIN[3], _WIDTH - 220 - _MARGIN[1], height - _MARGIN[2] - _MARGIN[3])
    sheet.text(20, height - 28, title, size=11, bold=True)
    for row, (value, low, high) in enumerate(rows.values()):
        axes.plot([low, high], [-row, -row], color=RIGHT, linewidth=4.0, alpha=0.45, solid_capstyle="butt")
        axes.scatter([value], [-row], s=44, color=RIGHT, zorder=3)
    axes.axvline(middle, color=FAINT, linewidth=0.9, zorder=0)
    axes.set_xlim(*ends)
    axes.set_ylim(-len(rows) + 0.4, 0.6)
    axes.set_yticks([-row for row in range(len(rows))], list(rows))
    axes.tick_params(axis="y", labelsize=8.5)
    axes.set_xlabel(unit, fontsize=8.5, color=INK, family=FONT)
    return sheet.finish(path, notes={"rows": len(rows)})


def _word(axes: Any, row: int, words: str, colour: str, *, right: bool = False) -> None:
    """Draw a line of a legend in the colour of its curve."""
    axes.annotate(
        shown(words),
        (0.99, 0.97) if right else (0.40, 0.97),
        xytext=(0, -12 * row),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="right" if right else "left",
        va="top",
        fontsize=8,
        color=colour,
        family=FONT,
    )


def _axes(sheet: Sheet, title: str, across: str, up: str) -> Any:
    left, right, top, bottom = _MARGIN
    axes = sheet.panel(left, bottom, sheet.width - left - right, sheet.height - top - bottom)
    sheet.text(left, sheet.height - 28, title, size=11, bold=True)
    axes.set_xlabel(across, fontsize=8.5, color=INK, family=FONT)
    axes.set_ylabel(up, fontsize=8.5, color=INK, family=FONT)
    return axes
