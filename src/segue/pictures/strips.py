"""Filmstrips: figures in rows, with the ground, the source clips and the times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Floats
from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.motion.faults import unusable_frames
from segue.motion.feet import FOOT_PARTS
from segue.motion.stance import stance
from segue.pictures.bodies import Body, BodyPart, body, cameras, choose_view, outline, project
from segue.pictures.canvas import Sheet, shortened, text_width
from segue.pictures.origins import SeamFrames, blended, heavier
from segue.pictures.palette import (
    FAINT,
    FAULTY,
    GROUND,
    INK,
    LEFT,
    PLANTED,
    RIGHT,
    SEAM,
    TINT,
    TRUNK,
    readable_on,
    source_colours,
)
from segue.pictures.path_view import Rectangle, draw_path

WIDTH = 1600
MARGIN = 32
_HEAD = 66  # title and legend
_LABEL = 54  # under each figure: source band, source frame, time
_GAP = 12  # between rows
_SCALE = 128.0  # pixels a metre, at first
_SOLE, _SAME_GROUND = 0.015, 0.05  # metres: flesh under the lowest joint; noise in the height of a body
_BELOW = 0.2  # metres below the ground from which a figure would reach into the next row
_LEAST_NAME = 7  # letters of a shortened name that still identify it
_NARROWEST = 104.0  # pixels a cell needs for its labels


@dataclass(frozen=True)
class _Grid:
    """Layout: figures a row, cell size, pixels a metre, root's place in the cell, ground height (metres)."""

    columns: int
    rows: int
    cell_width: float
    figure_height: float
    unit: float
    root: float
    floor: float

    @property
    def row_height(self) -> float:
        return self.figure_height + _LABEL + _GAP


@dataclass(frozen=True)
class _Figure:
    """One drawn frame in metres: outlines, far ones first, with fill and edge colours, and the planted points."""

    shapes: tuple[Floats, ...]
    colours: tuple[str, ...]
    edges: tuple[str, ...]
    planted: Floats


class Strip:
    """Laid-out figures of a strip; `filmstrip` and `seam_strip` draw them on their pages."""

    def __init__(
        self,
        clip: Clip,
        frames: Sequence[int],
        *,
        contacts: npt.ArrayLike | None,
        view: str,
        seams: Sequence[SeamFrames],
        title: str,
        unit: float = _SCALE,
    ) -> None:
        self.clip, self.frames, self.seams, self.title = clip, tuple(frames), tuple(seams), title
        self.view = choose_view(clip, view)
        self.colours = source_colours(clip.origin.clips)
        self.mixed, self.slot, self.faulty = blended(clip), heavier(clip), unusable_frames(clip)
        drawn = body(clip)
        flags = planted_flags(clip, contacts, human=bool(drawn.feet))
        angles = cameras(clip, self.view)
        self.figures = tuple(
            _figure(
                drawn,
                project(drawn.points[frame], clip.root_positions[frame], float(angles[frame]), self.view),
                [part for part, down in zip(FOOT_PARTS, flags[frame], strict=True) if down],
            )
            for frame in self.frames
        )
        floor = _floor(drawn, self.faulty)
        self.figures = tuple(
            _raised(figure, floor) if self.faulty[frame] else figure
            for figure, frame in zip(self.figures, self.frames, strict=True)
        )
        self.grid = _grid(self.figures, floor, unit)
        self.top = 0.0

    def sheet(self, *, below: float) -> Sheet:
        """Return a page high enough for the strip and ``below`` more pixels under it."""
        height = round(_HEAD + self.grid.rows * self.grid.row_height + below + MARGIN / 2)
        self.top = height - _HEAD
        return Sheet(WIDTH, height, what="a filmstrip")

    def notes(self) -> dict[str, object]:
        """Return frames, counts and view for `Picture.notes`."""
        return {
            "frames": self.frames,
            "tinted": tuple(frame for frame in self.frames if self.mixed[frame]),
            "faulty": tuple(frame for frame in self.frames if self.faulty[frame]),
            "planted": sum(len(figure.planted) for figure in self.figures),
            "seams": tuple(seam.frame for seam in self.seams),
            "view": self.view,
        }

    def draw(self, sheet: Sheet) -> None:
        """Draw title, legend and every figure with its labels."""
        self._head(sheet)
        grid = self.grid
        shapes: list[Floats] = []
        colours: list[str] = []
        edges: list[str] = []
        dots: list[Floats] = []
        for index, figure in enumerate(self.figures):
            left, ground = self._corner(index)
            origin = np.array([left + grid.root, ground - grid.floor * grid.unit])
            shapes += [shape * grid.unit + origin for shape in figure.shapes]
            colours += figure.colours
            edges += figure.edges
            dots += [figure.planted * grid.unit + origin]
            self._cell(sheet, index, left, ground)
        for row in range(grid.rows):
            left, ground = self._corner(row * grid.columns)
            shown = min(grid.columns, len(self.frames) - row * grid.columns)
            ends = np.array([[left, ground], [left + shown * grid.cell_width, ground]])
            sheet.lines([ends], GROUND, width=1.2, z=2.0)
        sheet.polygons(shapes, colours, edges, width=0.7, z=3.0)
        sheet.dots(np.concatenate(dots), PLANTED, size=8.5, z=4.0)

    def _corner(self, index: int) -> tuple[float, float]:
        """Left edge and ground height in pixels of a figure's cell."""
        row, column = divmod(index, self.grid.columns)
        bottom = self.top - row * self.grid.row_height - self.grid.figure_height
        return MARGIN + column * self.grid.cell_width, bottom

    def _cell(self, sheet: Sheet, index: int, left: float, ground: float) -> None:
        grid, frame = self.grid, self.frames[index]
        if self.mixed[frame] or self.faulty[frame]:
            height, colour = grid.figure_height + _LABEL, FAULTY if self.faulty[frame] else TINT
            sheet.box(left, ground - _LABEL, grid.cell_width, height, colour, z=1.0)
        begun = self._seams_before(index)
        if begun:
            rule = np.array([[left, ground - _LABEL], [left, ground + grid.figure_height]])
            sheet.lines([rule], SEAM, width=1.4, z=2.5, dash=(0, (4, 3)))
            words = str(begun[0]) if len(begun) == 1 else f"{begun[0]}–{begun[-1]}"
            sheet.text(left + 5, ground + grid.figure_height - 27, words, size=7, colour=SEAM, bold=True)
        self._band(sheet, frame, left, ground - 20)
        middle = left + grid.cell_width / 2
        sheet.text(middle, ground - 33, self._source_frame(frame), size=7.5, align="center")
        time = f"{frame / self.clip.fps:.2f} s"
        sheet.text(middle, ground - 47, time, size=7.5, colour=FAINT, align="center")
        number = str(index + 1)
        sheet.text(left + 5, ground + grid.figure_height - 14, number, size=7, colour=FAINT)

    def _seams_before(self, index: int) -> list[int]:
        """Numbers of the seams whose middle is after the previous figure and not after this one."""
        frame = self.frames[index]
        before = self.frames[index - 1] if index else frame - 1
        return [seam.number for seam in self.seams if before < seam.frame <= frame]

    def _band(self, sheet: Sheet, frame: int, left: float, bottom: float) -> None:
        """Draw a band in the colours of the sources, divided by weight, with their names."""
        origin, width = self.clip.origin, self.grid.cell_width - 6
        slots = (0, 1) if self.mixed[frame] else (int(self.slot[frame]),)
        at = left + 3
        for slot in slots:
            name = origin.clips[origin.clip[frame, slot]]
            part = width * (float(origin.weight[frame, slot]) if len(slots) > 1 else 1.0)
            colour = self.colours[name]
            gap = 1.5 if slot and len(slots) > 1 else 0.0  # separates the two if a clip is joined to itself
            sheet.box(at + gap, bottom, max(part - gap, 0.0), 15, colour, z=2.2)
            words = shortened(name, 7.5, part - 4, bold=True)
            if words == name or len(words) >= _LEAST_NAME:
                ink = readable_on(colour)
                sheet.text(at + part / 2, bottom + 4, words, size=7.5, colour=ink, align="center", bold=True)
            at += part

    def _source_frame(self, frame: int) -> str:
        origin = self.clip.origin
        if not self.mixed[frame]:
            return f"frame {origin.frame[frame, self.slot[frame]]:.0f}"
        share = round(100 * float(origin.weight[frame, 1]))
        return f"{origin.frame[frame, 0]:.0f} → {origin.frame[frame, 1]:.0f}  {share} %"

    def _head(self, sheet: Sheet) -> None:
        top = self.top + _HEAD
        sheet.text(MARGIN, top - 30, self.title, size=12, bold=True)
        at, low = float(MARGIN), top - 54
        limbs = [("left", LEFT, "s"), ("right", RIGHT, "s"), ("trunk", TRUNK, "s")]
        drawn = {colour for figure in self.figures for colour in figure.colours}
        items = [item for item in limbs if item[1] in drawn and len(drawn) > 1]
        if any(len(figure.planted) for figure in self.figures):
            items.append(("planted heel or toe", PLANTED, "o"))
        if any(self.mixed[frame] for frame in self.frames):
            items.append(("blended frame", TINT, "s"))
        if any(self.faulty[frame] for frame in self.frames):
            items.append(("faulty frame, not played", FAULTY, "s"))
        if self.seams:
            items.append(("seam", SEAM, "D"))
        for words, colour, marker in items:
            sheet.dots(
                [[at + 5, low + 4]],
                colour,
                size=10,
                z=9,
                marker=marker,
                edge=FAINT if colour in (TINT, FAULTY) else "white",
            )
            sheet.text(at + 15, low, words, size=8.5, colour=INK)
            at += 15 + text_width(words, 8.5) + 18
        seen = {
            "side": "seen from its right side",
            "front": "seen from the front",
            "travel": "seen from the side of its path",
        }
        sheet.text(WIDTH - MARGIN, low, seen[self.view], size=8.5, colour=FAINT, align="right")

    def draw_from_above(self, sheet: Sheet, *, height: float) -> None:
        """Draw the root's path at the foot of the page, with the number of every figure and seam."""
        place = Rectangle(MARGIN, MARGIN / 2, WIDTH - 2 * MARGIN, height)
        sheet.box(*place, "#f6f7f8", z=0.5)
        sheet.text(MARGIN + 8, place.bottom + height - 16, "path from above", size=8, colour=FAINT)
        draw_path(sheet, self.clip, place, colours=self.colours, seams=self.seams, marks=self.frames)


def _figure(drawn: Body, seen: tuple[Floats, Floats], down: Sequence[str]) -> _Figure:
    """Outlines of one frame from its points' 2D positions and depths, with the planted feet."""
    flat, depth = seen

    def nearness(part: BodyPart) -> float:
        return float(np.mean([depth[point] for hull in part.hulls for point in hull.points]))

    shapes: list[Floats] = []
    colours: list[str] = []
    edges: list[str] = []
    for part in sorted(drawn.parts, key=nearness):
        outlines = [outline(flat[list(hull.points)], hull.radii) for hull in part.hulls]
        # Painted with a rim and then again without it, so that hulls of one part merge.
        again = outlines if len(outlines) > 1 else []
        shapes += outlines + again
        colours += [part.colour] * len(outlines + again)
        edges += ["white"] * len(outlines) + ["none"] * len(again)
    planted = [flat[drawn.feet[name]] for name in down]
    return _Figure(tuple(shapes), tuple(colours), tuple(edges), np.array(planted).reshape(-1, 2))


def _grid(figures: Sequence[_Figure], floor: float, unit: float) -> _Grid:
    """Cells as narrow as the widest figure allows, balanced over rows, then as large as the page allows."""
    every = np.concatenate([shape for figure in figures for shape in figure.shapes])
    reach = float(np.abs(every[:, 0]).max())
    left, right = min(float(every[:, 0].min()), -0.3), max(float(every[:, 0].max()), 0.3)
    left, right = (left, right) if right - left > 0.8 * reach else (-reach, reach)
    high, wide = max(float(every[:, 1].max()) - floor, 0.5), right - left
    unit = unit * min(1.0, 1.9 / high)
    room, rows = WIDTH - 2 * MARGIN, 1
    while True:
        columns = -(-len(figures) // rows)
        fits = (room / columns - 14) / wide
        if columns == 1 or (fits >= 0.8 * unit and room / columns >= _NARROWEST):
            break
        rows += 1
    used = min(fits, 1.5 * unit)
    cell = min(room / columns, 1.6 * (wide * used + 14))
    return _Grid(columns, rows, cell, high * used + 22, used, -left * used + (cell - wide * used) / 2, floor)


def _raised(figure: _Figure, floor: float) -> _Figure:
    """Move a figure of a faulty frame up to the ground if it lies below it, so that it stays in its row."""
    lowest = min(float(shape[:, 1].min()) for shape in figure.shapes)
    if lowest > floor - _BELOW:
        return figure
    up = np.array([0.0, floor - lowest])
    return replace(figure, shapes=tuple(shape + up for shape in figure.shapes), planted=figure.planted + up)


def _floor(drawn: Body, faulty: Bools) -> float:
    """Height of the ground in metres: 0, unless the body is clearly above or below it in its sound frames."""
    lows = drawn.points[..., 1].min(axis=1)
    lowest = float(np.percentile(lows if faulty.all() else lows[~faulty], 5)) - _SOLE
    return 0.0 if abs(lowest) < _SAME_GROUND else lowest


def planted_flags(clip: Clip, contacts: npt.ArrayLike | None, *, human: bool) -> Bools:
    """Return flags (F, 4) of planted feet: as given, else detected; none without known legs."""
    none = np.zeros((clip.n_frames, len(FOOT_PARTS)), dtype=bool)
    if not human:
        return none
    if contacts is None:
        return stance(clip).flags
    flags = np.asarray(contacts, dtype=bool)
    if flags.size == 0:
        return none
    if flags.shape != none.shape:
        msg = (
            f"contacts must be {none.shape}, a column for each of {', '.join(FOOT_PARTS)}; got {flags.shape}"
        )
        raise SettingError(msg)
    return flags
