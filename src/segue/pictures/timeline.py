"""A long motion at a glance: which clip plays when, the seams, and the path over the ground."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from segue.motion.clip import Clip
from segue.pictures.canvas import Picture, Sheet, shortened, text_width
from segue.pictures.origins import PlayedPiece, SeamFrames, blended, joins, pieces
from segue.pictures.palette import FAINT, INK, SEAM, readable_on, source_colours
from segue.pictures.path_view import Rectangle, draw_path, path_height

_WIDTH, _MARGIN = 1600, 32
_ROW_SECONDS = 15.0  # minimum duration of a row
_MOST_ROWS = 8
_BAR, _ROW = 34, 74
_ENTRY = 18  # height of a legend line


def timeline(clip: Clip, path: str | Path | None = None, *, title: str | None = None) -> Picture:
    """Draw which source clip plays when, as coloured bars with numbered seams, and the path from above.

    The bar's two colours at a seam show the weights of the blend. A list below gives the time shown of each clip.

    Parameters
    ----------
    clip
        The motion, usually one made by splicing.
    path
        PNG to write, or None.
    title
        Heading; by default the clip's name, length and counts.

    Returns
    -------
    Picture
        ``notes`` holds the numbers of ``pieces``, ``seams`` and distinct ``clips``.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> import segue
    >>> timeline(segue.sample("walk")).notes["pieces"]
    1
    """
    parts, seams = pieces(clip), joins(clip)
    played = _seconds_played(clip)
    colours = source_colours(clip.origin.clips)
    row_seconds = max(_ROW_SECONDS, clip.seconds / _MOST_ROWS)
    rows = max(int(np.ceil(clip.seconds / row_seconds - 1e-9)), 1)
    row_seconds = row_seconds if rows > 1 else max(clip.seconds, 1e-9)
    entry = 40 + max(text_width(f"{name}  00.0 s", 8) for name in played)
    a_line = max(int((_WIDTH - 2 * _MARGIN) // entry), 1)
    legend = _ENTRY * -(-len(played) // a_line)
    above = path_height(clip, _WIDTH - 2 * _MARGIN, least=140.0, most=460.0)
    sheet = Sheet(_WIDTH, round(86 + rows * _ROW + legend + above + _MARGIN / 2), what="a timeline")
    counts = f"{_counted(len(seams), 'seam')}, {_counted(len(played), 'clip')}"
    words = title or f"{clip.name}  ·  {clip.seconds:.2f} s, {counts}"
    sheet.text(_MARGIN, sheet.height - 30, words, size=12, bold=True)
    bars = _Bars(sheet, clip, sheet.height - 60, row_seconds, rows)
    bars.pieces(parts, colours)
    bars.blends(colours)
    bars.seams(seams)
    bars.scale()
    _legend(sheet, played, colours, sheet.height - 60 - rows * _ROW - 14, a_line)
    place = Rectangle(_MARGIN, _MARGIN / 2, _WIDTH - 2 * _MARGIN, above)
    sheet.box(*place, "#f6f7f8", z=0.5)
    sheet.text(place.left + 8, place.bottom + place.height - 16, "path from above", size=8, colour=FAINT)
    draw_path(sheet, clip, place, colours=colours, seams=seams)
    notes = {"pieces": len(parts), "seams": len(seams), "clips": len(played)}
    return sheet.finish(path, notes=notes)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


class _Bars:
    """Rows of bars: time runs to the right and wraps."""

    def __init__(self, sheet: Sheet, clip: Clip, top: float, row_seconds: float, rows: int) -> None:
        self.sheet, self.clip, self.top = sheet, clip, top
        self.row_seconds, self.rows = row_seconds, rows
        self.unit = (_WIDTH - 2 * _MARGIN) / row_seconds

    def _spans(self, start: float, stop: float) -> list[tuple[int, float, float]]:
        """Row, left and right pixel of each part of a stretch of time (seconds)."""
        out = []
        stop = min(stop, self.clip.seconds)
        for row in range(self.rows):
            low, high = max(start, row * self.row_seconds), min(stop, (row + 1) * self.row_seconds)
            if high > low or (start == stop and low == high):
                x = _MARGIN - row * self.row_seconds * self.unit
                out.append((row, x + low * self.unit, x + high * self.unit))
        return out

    def _bottom(self, row: int) -> float:
        return self.top - row * _ROW - 20 - _BAR

    def pieces(self, parts: Sequence[PlayedPiece], colours: dict[str, str]) -> None:
        for part in parts:
            colour = colours[part.name]
            ink = readable_on(colour)
            for row, left, right in self._spans(part.start / self.clip.fps, part.stop / self.clip.fps):
                bottom, room = self._bottom(row), right - left
                self.sheet.box(left, bottom, max(room, 0.5), _BAR, colour, z=2.0)
                name = shortened(part.name, 7.5, room - 6, bold=True)
                if name == part.name or len(name) >= 6:
                    middle = (left + right) / 2
                    self.sheet.text(
                        middle, bottom + 20, name, size=7.5, colour=ink, align="center", bold=True
                    )
                    frames = f"{part.first:.0f}–{part.last:.0f}"
                    if text_width(frames, 6.5) < room - 10:
                        self.sheet.text(middle, bottom + 8, frames, size=6.5, colour=ink, align="center")

    def blends(self, colours: dict[str, str]) -> None:
        """Draw over the bars: each blended frame divided by its weights."""
        origin = self.clip.origin
        shapes, fills = [], []
        for frame in np.flatnonzero(blended(self.clip)).tolist():
            for row, left, right in self._spans((frame - 0.5) / self.clip.fps, (frame + 0.5) / self.clip.fps):
                bottom = self._bottom(row)
                level = bottom + _BAR * float(origin.weight[frame, 1])
                for slot, (low, high) in enumerate(((level, bottom + _BAR), (bottom, level))):
                    shapes.append(np.array([[left, low], [right, low], [right, high], [left, high]]))
                    fills.append(colours[origin.clips[origin.clip[frame, slot]]])
        self.sheet.polygons(shapes, fills, fills, width=0.3, z=2.1)

    def seams(self, seams: Sequence[SeamFrames]) -> None:
        last: dict[int, float] = {}
        for seam in seams:
            at = seam.frame / self.clip.fps
            row = min(int(at / self.row_seconds), self.rows - 1)
            x = _MARGIN + (at - row * self.row_seconds) * self.unit
            bottom = self._bottom(row)
            self.sheet.lines([np.array([[x, bottom - 2], [x, bottom + _BAR + 3]])], SEAM, width=1.2, z=2.3)
            if x - last.get(row, -100.0) >= 16:
                self.sheet.text(
                    x, bottom + _BAR + 6, str(seam.number), size=7, colour=SEAM, align="center", bold=True
                )
                last[row] = x

    def scale(self) -> None:
        """Draw seconds under each row."""
        step = next(s for s in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 1e9) if s * self.unit >= 60)
        for row in range(self.rows):
            bottom = self._bottom(row)
            first = int(np.ceil(row * self.row_seconds / step - 1e-9))
            end = min((row + 1) * self.row_seconds, self.clip.seconds)
            for tick in range(first, int(np.floor(end / step + 1e-9)) + 1):
                x = _MARGIN + (tick * step - row * self.row_seconds) * self.unit
                self.sheet.lines([np.array([[x, bottom - 4], [x, bottom - 1]])], FAINT, width=0.8, z=2.0)
                self.sheet.text(x, bottom - 14, f"{tick * step:g} s", size=6.5, colour=FAINT, align="center")


def _seconds_played(clip: Clip) -> dict[str, float]:
    """Seconds for which each clip is shown, blended frames by weight; in order of first appearance."""
    origin = clip.origin
    played: dict[str, float] = {}
    for slot in (0, 1):
        used = (origin.clip[:, slot] >= 0) & (origin.weight[:, slot] > 0)
        sums = np.bincount(origin.clip[used, slot], origin.weight[used, slot], minlength=len(origin.clips))
        for index in np.flatnonzero(sums).tolist():
            name = origin.clips[index]
            played[name] = played.get(name, 0.0) + float(sums[index]) / clip.fps
    first = {origin.clips[index]: at for at, index in reversed(list(enumerate(origin.clip[:, 0].tolist())))}
    return dict(sorted(played.items(), key=lambda item: first.get(item[0], clip.n_frames)))


def _legend(sheet: Sheet, played: dict[str, float], colours: dict[str, str], top: float, a_line: int) -> None:
    width = (_WIDTH - 2 * _MARGIN) / a_line
    for index, (name, seconds) in enumerate(played.items()):
        line, column = divmod(index, a_line)
        x, y = _MARGIN + column * width, top - line * _ENTRY
        sheet.dots([[x + 5, y + 4]], colours[name], size=10, z=9, marker="s")
        words = f"{shortened(name, 8, width - 90)}  {seconds:.1f} s"
        sheet.text(x + 15, y, words, size=8, colour=INK)
