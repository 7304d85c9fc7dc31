"""One seam, frame by frame: figures around the join, and the speeds and accelerations of its worst joints."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Floats
from segue.errors import SettingError
from segue.measures.seams import accelerations, angular_speeds, seams
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.pictures.canvas import FONT, Picture, shortened
from segue.pictures.origins import SeamFrames, joins
from segue.pictures.palette import INK, SEAM, TINT
from segue.pictures.strips import MARGIN, WIDTH, Strip
from segue.settings import SeamBounds

Curves = Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]]

_MOST = 64  # figures on one page
_STEPS = (1, 2, 4, 8, 16, 32, 64)
_WORST = 3  # joints a panel
_PANEL, _GAP, _FOOT, _HEAD = 230, 76, 44, 40
_PANEL_WIDTH = (WIDTH - 2 * MARGIN - 44 - _GAP) / 2
_LINES = ("#1d2127", "#2b6ea6", "#e0702c", "#3a9d8f", "#6a51a3", "#8c5a3c")


class _Line(NamedTuple):
    """One curve: times in seconds, values, and the bound it should stay under (nan: none)."""

    label: str
    times: Floats
    values: Floats
    limit: float


def seam_strip(
    clip: Clip,
    seam_frame: int,
    path: str | Path | None = None,
    *,
    half_seconds: float = 0.5,
    step: int | None = None,
    sources: Sequence[Clip] | None = None,
    contacts: npt.ArrayLike | None = None,
    curves: Curves | None = None,
    view: str = "auto",
    title: str | None = None,
) -> Picture:
    """Draw every frame around a seam, and below the curves of its worst joints.

    Parameters
    ----------
    clip
        The made motion.
    seam_frame
        Frame in the middle of the picture: the middle of a blend, or the first frame after a cut.
    path
        PNG to write, or None.
    half_seconds
        Seconds drawn to either side.
    step
        Frames between two figures; by default 1, 2, 4, ... so that at most 64 fit. The title states it.
    sources
        The clips from which the motion was made, on its skeleton and at its rate. With them the worst joints are those
        nearest to the bounds of `segue.measures.seams.SeamBounds`, drawn as dashed lines; without them those that
        rise most above their own motion outside the seam.
    contacts
        As in `filmstrip`.
    curves
        Curves to draw instead, by label: times (seconds of the motion) and values. A unit in brackets at the end of
        a label (``"left knee [m/s²]"``) selects the panel; there are at most two.
    view, title
        As in `filmstrip`.

    Returns
    -------
    Picture
        ``notes`` holds ``frames``, ``tinted``, ``planted``, ``seams``, ``view``, ``step`` and ``curves`` (labels).

    Raises
    ------
    SettingError
        A frame outside the clip, an unknown view, a step below 1, a source that is missing.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import segue
    >>> picture = seam_strip(segue.sample("walk"), 30, half_seconds=0.2, contacts=())
    >>> 30 in picture.notes["frames"]
    True
    """
    low, high = _window(clip, seam_frame, half_seconds)
    step = _step(step, high - low)
    frames = range(seam_frame - (seam_frame - low) // step * step, high, step)
    around = joins(clip)
    join = next((j for j in around if j.start <= seam_frame <= max(j.stop - 1, j.start)), None)
    shown = tuple(j for j in around if low < j.frame < high)
    strip = Strip(
        clip,
        frames,
        contacts=contacts,
        view=view,
        seams=shown,
        title=title or _title(clip, seam_frame, step, around, join),
        unit=104.0,
    )
    panels = _given(curves) if curves is not None else _worst(clip, (low, high), join, sources)
    sheet = strip.sheet(below=_PANEL + _HEAD + _FOOT)
    strip.draw(sheet)
    span = (low / clip.fps, (high - 1) / clip.fps)
    for column, (unit, lines) in enumerate(panels.items()):
        left = MARGIN + 44 + column * (_PANEL_WIDTH + _GAP)
        axes = sheet.panel(left, _FOOT, _PANEL_WIDTH, _PANEL - 20)
        _panel(axes, unit, lines, span=span, shades=_shades(shown, clip.fps))
    labels = tuple(line.label for lines in panels.values() for line in lines)
    return sheet.finish(path, notes={**strip.notes(), "step": step, "curves": labels})


def _window(clip: Clip, seam_frame: int, half_seconds: float) -> tuple[int, int]:
    if not 0 <= seam_frame < clip.n_frames:
        msg = f"clip {clip.name!r} has frames 0 to {clip.n_frames - 1}, not {seam_frame}"
        raise SettingError(msg)
    if not half_seconds > 0:
        msg = f"half_seconds is {half_seconds}; it must be above 0"
        raise SettingError(msg)
    reach = max(int(np.floor(half_seconds * clip.fps + 1e-6)), 1)
    return max(seam_frame - reach, 0), min(seam_frame + reach + 1, clip.n_frames)


def _step(step: int | None, count: int) -> int:
    if step is None:
        return next((s for s in _STEPS if count / s <= _MOST), _STEPS[-1])
    if step < 1:
        msg = f"step is {step}; it must be at least 1"
        raise SettingError(msg)
    return int(step)


def _title(clip: Clip, frame: int, step: int, around: Sequence[SeamFrames], join: SeamFrames | None) -> str:
    where = f"{clip.name}  ·  "
    if join is None:
        where += f"frame {frame}"
    else:
        kind = "hard cut" if join.start == join.stop else f"{join.stop - join.start} frames blended"
        where += f"seam {join.number} of {len(around)}, {kind}"
    every = {1: "every frame", 2: "every 2nd frame", 3: "every 3rd frame"}.get(step, f"every {step}th frame")
    return f"{where}  ·  {frame / clip.fps:.2f} s  ·  {every} at {clip.fps:g} frames/s"


def _shades(shown: Sequence[SeamFrames], fps: float) -> list[tuple[float, float]]:
    return [(join.start / fps, max(join.stop - 1, join.start) / fps) for join in shown]


def _worst(
    clip: Clip, window: tuple[int, int], join: SeamFrames | None, sources: Sequence[Clip] | None
) -> dict[str, list[_Line]]:
    """Curves of the worst joints of a seam, by unit."""
    low, high = window
    if high - low < 3:
        return {}
    speed = np.degrees(angular_speeds(clip.rotations[low:high], clip.fps))
    acceleration = accelerations(world_positions(clip)[low:high], clip.fps)
    times = np.arange(low, high) / clip.fps
    speed_limit, acceleration_limit = _limits(clip, join, sources)
    # A speed belongs to the step between two frames, an acceleration to the frame in the middle of three.
    measured = (
        ("angular speed [°/s]", times[:-1] + 0.5 / clip.fps, speed, speed_limit),
        ("world acceleration [m/s²]", times[1:-1], acceleration, acceleration_limit),
    )
    inside = (join.start - 1.5, max(join.stop, join.start) + 0.5) if join else (low, high)
    panels = {}
    for unit, at, values, limit in measured:
        frames = at * clip.fps
        within = (frames >= inside[0]) & (frames <= inside[1])
        order = _order(values, within, limit)
        bounds = np.full(len(clip.skeleton.names), np.nan) if limit is None else limit
        panels[unit] = [
            _Line(clip.skeleton.names[j], at, values[:, j], float(bounds[j])) for j in order[:_WORST]
        ]
    return panels


def _order(values: Floats, within: Bools, limit: Floats | None) -> list[int]:
    """Joints, worst first: by share of the limit, else by how far the seam exceeds the rest of the window."""
    if not within.any():
        within = np.ones(len(values), dtype=bool)
    peak = values[within].max(axis=0)
    if limit is not None:
        share = peak / np.maximum(limit, 1e-9)
    elif within.all():
        share = peak
    else:
        # A tenth of the most active joint is the least reference: otherwise the noise of a still joint would win.
        share = peak / np.maximum(values[~within].max(axis=0), 0.1 * peak.max() + 1e-12)
    return [int(j) for j in np.argsort(-share, kind="stable")]


def _limits(
    clip: Clip, join: SeamFrames | None, sources: Sequence[Clip] | None
) -> tuple[Floats, Floats] | tuple[None, None]:
    """Bounds (J,) of this seam in °/s and m/s² by its sources, or None."""
    if sources is None or join is None:
        return None, None
    bounds = SeamBounds()
    found = next((s for s in seams(clip, sources) if (s.start, s.stop) == (join.start, join.stop)), None)
    if found is None:
        return None, None
    speed = np.degrees(bounds.speed_factor * found.source_speed + bounds.speed_extra)
    return speed, bounds.acceleration_factor * found.source_acceleration


def _given(curves: Curves) -> dict[str, list[_Line]]:
    """Curves of the caller, by the unit in brackets at the end of their labels."""
    panels: dict[str, list[_Line]] = {}
    for label, (times, values) in curves.items():
        found = re.fullmatch(r"(.*?)\s*\[(.*)\]\s*", label)
        name, unit = (found[1], f"[{found[2]}]") if found else (label, "")
        x, y = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
        if x.shape != y.shape or x.ndim != 1:
            msg = (
                f"curve {label!r} needs as many times as values, in one row each; got {x.shape} and {y.shape}"
            )
            raise SettingError(msg)
        panels.setdefault(unit, []).append(_Line(name, x, y, float("nan")))
    if len(panels) > 2:
        msg = f"curves have {len(panels)} units ({', '.join(panels)}); there is room for two"
        raise SettingError(msg)
    return panels


def _panel(
    axes: Any,
    unit: str,
    lines: Sequence[_Line],
    *,
    span: tuple[float, float],
    shades: Sequence[tuple[float, float]],
) -> None:
    for start, stop in shades:
        axes.axvspan(start, stop, color=TINT, zorder=0)
        axes.axvline((start + stop) / 2, color=SEAM, linewidth=1.2, linestyle=(0, (4, 3)), zorder=1)
    peak = max((float(np.max(line.values, initial=0.0)) for line in lines), default=0.0)
    bounds = [line.limit for line in lines if np.isfinite(line.limit)]
    # Bounds far above the curves are only in the legend: drawn, they would flatten the curves.
    top = max([peak, *(bound for bound in bounds if bound <= 2.0 * peak)])
    for line, colour in zip(lines, _LINES, strict=False):
        name = shortened(line.label, 7.5, 110)
        label = f"{name} (bound {line.limit:.0f})" if np.isfinite(line.limit) else name
        axes.plot(line.times, line.values, color=colour, linewidth=1.6, label=label, zorder=3)
        axes.axhline(line.limit, color=colour, linewidth=1.0, linestyle=(0, (2, 2)), zorder=2)
    axes.set_xlim(*span)
    axes.set_ylim(
        0.0 if all(np.min(line.values, initial=0.0) >= 0 for line in lines) else None, 1.1 * top or 1.0
    )
    axes.set_xlabel("seconds", fontsize=8, color=INK, family=FONT)
    axes.set_title(unit, fontsize=8.5, color=INK, family=FONT, loc="left", parse_math=False)
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncol=3,
        frameon=False,
        handlelength=1.4,
        columnspacing=1.2,
        prop={"family": FONT, "size": 7.5},
    )
