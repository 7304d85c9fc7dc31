"""A floor of many characters: several moments in one view, and all paths from above, coloured by source clip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from segue.arrays import Floats, Positions
from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.pictures.bodies import Body, body, outline
from segue.pictures.canvas import Picture, Sheet, shortened
from segue.pictures.origins import main_source
from segue.pictures.palette import FAINT, GROUND, INK

WIDTH, MARGIN, _PANEL, _ABOVE, _LEGEND = 1600, 24, 420, 560, 22
_TILT = np.radians(24.0)  # downward tilt of the camera


def floor_picture(
    motions: Sequence[Clip],
    colours: dict[str, str],
    path: str | Path | None = None,
    *,
    moments: int = 4,
    title: str = "",
) -> Picture:
    """Draw characters at a few moments, seen from one corner above, and their paths from above.

    A body and its path have the colour of the clip that is shown at that moment; a dot marks the start of a path.

    Parameters
    ----------
    motions
        One motion for each character, all with the same number of frames.
    colours
        Colour of every source clip.
    path
        PNG to write, or None.
    moments
        Number of moments to draw, evenly spaced in time.
    title
        Heading.

    Returns
    -------
    Picture
        ``notes`` holds ``frames`` drawn, ``bodies`` and ``clips`` shown.

    Raises
    ------
    SettingError
        No motion, motions of different lengths, or no moment.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk", 30)
    >>> floor_picture([walk], {"walk": "#6a51a3"}, moments=2).notes["bodies"]
    1
    """
    if not motions or moments < 1 or len({motion.n_frames for motion in motions}) > 1:
        msg = "a picture of a floor needs one motion or more, all of one length, and a moment or more"
        raise SettingError(msg)
    frames = [int(f) for f in np.rint(np.linspace(0, motions[0].n_frames - 1, moments))]
    sources = [_names(motion) for motion in motions]
    shown = [name for name in colours if any(name in names for names in sources)]
    rows = -(-len(shown) // 6)
    height = 48 + _PANEL * -(-moments // 2) + _ABOVE + rows * _LEGEND + 2 * MARGIN
    sheet = Sheet(WIDTH, height, what="a picture of a floor")
    sheet.text(MARGIN, height - 34, title or f"{len(motions)} characters", size=12, bold=True)
    bodies = [body(motion) for motion in motions]
    top = height - 52
    half = (WIDTH - 3 * MARGIN) / 2
    for number, frame in enumerate(frames):
        left = MARGIN + (number % 2) * (half + MARGIN)
        bottom = top - (number // 2 + 1) * _PANEL
        inside = [colours[names[frame]] for names in sources]
        seconds = frame / motions[0].fps
        _moment(sheet, bodies, frame, inside, (left, bottom + 20, half, _PANEL - 40), f"{seconds:.1f} s")
    _paths(
        sheet, motions, sources, colours, (MARGIN, rows * _LEGEND + MARGIN, WIDTH - 2 * MARGIN, _ABOVE - 30)
    )
    _legend(sheet, shown, colours, rows)
    notes = {"frames": frames, "bodies": len(motions), "clips": shown}
    return sheet.finish(path, notes=notes)


def _names(motion: Clip) -> list[str]:
    source, _ = main_source(motion)
    return [motion.origin.clips[number] for number in source]


def _seen(points: Positions) -> tuple[Floats, Floats]:
    """2D positions (..., 2) in metres of points (..., 3) seen from a corner above, and their nearness."""
    across = (points[..., 0] - points[..., 2]) / np.sqrt(2.0)
    deep = (points[..., 0] + points[..., 2]) / np.sqrt(2.0)
    up = points[..., 1] * np.cos(_TILT) - deep * np.sin(_TILT)
    return np.stack([across, up], axis=-1), deep


def _moment(
    sheet: Sheet,
    bodies: Sequence[Body],
    frame: int,
    colours: Sequence[str],
    place: tuple[float, float, float, float],
    words: str,
) -> None:
    """Draw all bodies at one moment, far ones first."""
    left, bottom, width, height = place
    seen = [_seen(one.points[frame]) for one in bodies]
    every = np.concatenate([flat for flat, _ in seen])
    low, high = every.min(axis=0) - 0.25, every.max(axis=0) + 0.25
    unit = float(min(width / (high[0] - low[0]), height / (high[1] - low[1]), 170.0))
    middle = np.array([left + width / 2, bottom + height / 2]) - unit * (low + high) / 2
    for k in np.argsort([deep.mean() for _, deep in seen], kind="stable"):
        flat, deep = seen[k]
        ground, _ = _seen(np.array([bodies[k].points[frame, 0] * [1.0, 0.0, 1.0]]))
        sheet.dots(ground * unit + middle, GROUND, size=0.42 * unit, z=1.0 + 0.001 * k, edge="none")
        shapes, nearness = [], []
        for part in bodies[k].parts:
            for hull in part.hulls:
                at = list(hull.points)
                shapes.append(outline(flat[at], hull.radii) * unit + middle)
                nearness.append(float(deep[at].mean()))
        order = np.argsort(nearness, kind="stable")
        sheet.polygons(
            [shapes[n] for n in order],
            [colours[k]] * len(order),
            ["white"] * len(order),
            width=0.35,
            z=2.0 + float(deep.mean() - min(d.mean() for _, d in seen)) * 0.01,
        )
    sheet.text(left + 6, bottom + height - 8, words, size=9, colour=INK, bold=True)


def _paths(
    sheet: Sheet,
    motions: Sequence[Clip],
    sources: Sequence[Sequence[str]],
    colours: dict[str, str],
    place: tuple[float, float, float, float],
) -> None:
    """Draw every path from above, +Z down the page, in one scale shown by a bar."""
    left, bottom, width, height = place
    ground = [np.column_stack([m.root_positions[:, 0], -m.root_positions[:, 2]]) for m in motions]
    every = np.concatenate(ground)
    low, high = every.min(axis=0), every.max(axis=0)
    extent = np.maximum(high - low, 1.0)
    unit = float(min((width - 40) / extent[0], (height - 40) / extent[1], 200.0))
    middle = np.array([left + width / 2, bottom + height / 2]) - unit * (low + high) / 2
    for path, names in zip(ground, sources, strict=True):
        at = path * unit + middle
        steps = [at[k : k + 2] for k in range(len(at) - 1)]
        sheet.lines(steps, [colours[name] for name in names[:-1]], width=2.0, z=2.0)
        sheet.dots(at[:1], "white", size=10, z=2.4, edge=INK, rim=1.2)
    length = next((step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500) if step * unit >= 60), 500)
    right = left + width - 10
    sheet.lines(
        [np.array([[right - length * unit, bottom + 8], [right, bottom + 8]])], FAINT, width=1.6, z=2.0
    )
    sheet.text(right - length * unit / 2, bottom + 13, f"{length} m", size=8, colour=FAINT, align="center")
    sheet.text(left + 6, bottom + height - 4, "from above", size=9, bold=True)


def _legend(sheet: Sheet, names: Sequence[str], colours: dict[str, str], rows: int) -> None:
    room = (WIDTH - 2 * MARGIN) / 6
    for number, name in enumerate(names):
        x = MARGIN + (number % 6) * room
        y = MARGIN / 2 + (rows - 1 - number // 6) * _LEGEND
        sheet.dots([(x + 6, y + 5)], colours[name], size=11, z=3.0)
        sheet.text(x + 18, y, shortened(name, 8.5, room - 24), size=8.5)
