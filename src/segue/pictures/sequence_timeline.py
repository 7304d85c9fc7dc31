"""A sequence of elementary motions on its clock: cores, foot phases, segments and weights, speeds, rejections.

Time runs to the right and wraps. Each row has, from above: the motions, their cores filled; when each foot moves; the
segments of the upper and of the lower body with their weight curves; the speeds of both halves (the source's figure 5);
seams as lines through all lanes; and motions that were not executed, where they were to begin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segue.arrays import Floats
from segue.measures.curves import half_speeds
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip
from segue.motion.flags import runs
from segue.motion.keytimes import keytimes
from segue.pictures.canvas import Picture, Sheet, shortened, text_width
from segue.pictures.palette import FAINT, FAULTY, INK, LEFT, RIGHT, SEAM, readable_on, source_colours
from segue.sequencing.decisions import BlendSegment, PairDecision
from segue.sequencing.sequence import MotionSequence

_WIDTH, _MARGIN, _HEAD = 1600, 78, 84
_ROW_SECONDS, _MOST_ROWS = 10.0, 12
_OVER = 0.15  # share of a row by which the last one may be longer before another is added
_ONE_SEAM = 0.1  # seconds between seams that are drawn as one
_MOTIONS, _FEET, _SEGMENTS, _SPEEDS = 44, 22, 38, 74  # heights of the lanes
_GAP = 8
_ROW = _MOTIONS + _FEET + 2 * _SEGMENTS + _SPEEDS + 4 * _GAP + 40
_LOWER, _UPPER = "#3a7ca5", "#c46b1f"
_KINDS = {
    "motion-to-motion": "#bfe0c8",
    "motion-to-pose": "#cfe3f2",
    "pose-to-motion": "#f4dcc0",
    "pose-to-pose": "#e3def2",
    "foothold kept": "#eceef0",
}


@dataclass(frozen=True, eq=False)
class PlacedSequence:
    """A sequence in a motion: the motion's frame at which it starts, and the end of what is shown (half open)."""

    sequence: MotionSequence
    start_frame: int = 0
    stop_frame: int | None = None


@dataclass(frozen=True)
class NotExecuted:
    """A motion that was not executed: name, the second of the motion at which its core was to begin, and reason."""

    motion: str
    seconds: float
    reason: str


def sequence_timeline(
    clip: Clip,
    parts: Sequence[PlacedSequence],
    path: str | Path | None = None,
    *,
    rejected: Iterable[NotExecuted] = (),
    title: str | None = None,
) -> Picture:
    """Draw the decisions in a sequence, and the speeds of both halves of the body.

    Parameters
    ----------
    clip
        The complete motion.
    parts
        Its sequences: one if it was made from a script, or one for each stretch between two rests of a player.
    path
        PNG to write, or None.
    rejected
        Motions that were not executed.
    title
        Heading; by default the clip's name, length and counts.

    Returns
    -------
    Picture
        ``notes`` holds the numbers of ``motions``, ``pairs``, ``segments`` and ``rejected`` that were drawn.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.
    """
    lost = sorted(rejected, key=lambda one: one.seconds)
    rows = min(max(int(np.ceil(clip.seconds / _ROW_SECONDS - _OVER)), 1), _MOST_ROWS)
    row_seconds = max(_ROW_SECONDS, clip.seconds / rows) if rows > 1 else max(clip.seconds, 1e-9)
    sheet = Sheet(_WIDTH, _HEAD + rows * _ROW + 18 * len(lost) + 24, what="a timeline of a sequence")
    drawn = _Rows(sheet, clip, row_seconds, rows)
    names = list(dict.fromkeys(core.motion for part in parts for core in part.sequence.cores))
    counts = {
        "motions": drawn.motions(parts, source_colours(names)),
        "pairs": sum(len(part.sequence.pairs) for part in parts),
        "segments": drawn.segments(parts),
        "rejected": len(lost),
    }
    drawn.feet(parts)
    drawn.speeds()
    drawn.seams()
    drawn.lost(lost)
    drawn.scale()
    words = f"{clip.name}  ·  {clip.seconds:.2f} s, {counts['motions']} motions, {counts['rejected']} not executed"
    sheet.text(_MARGIN, sheet.height - 28, title or words, size=12, bold=True)
    _legend(sheet, sheet.height - 52)
    return sheet.finish(path, notes=counts)


class _Rows:
    """Rows of lanes: time runs to the right and wraps."""

    def __init__(self, sheet: Sheet, clip: Clip, row_seconds: float, rows: int) -> None:
        self.sheet, self.clip, self.rows, self.row_seconds = sheet, clip, rows, row_seconds
        self.unit = (_WIDTH - _MARGIN - 24) / row_seconds
        self.top = sheet.height - _HEAD
        lanes = (
            ("motions", _MOTIONS),
            ("feet", _FEET),
            ("upper", _SEGMENTS),
            ("lower", _SEGMENTS),
            ("speeds", _SPEEDS),
        )
        self.below: dict[str, float] = {}
        down = 0.0
        for name, height in lanes:
            down += height + _GAP
            self.below[name] = down
        for row in range(rows):
            for name, height in lanes:
                words = {"upper": "upper body", "lower": "lower body"}.get(name, name)
                self.sheet.text(
                    _MARGIN - 8,
                    self.bottom(row, name) + height / 2,
                    words,
                    size=7,
                    colour=FAINT,
                    align="right",
                )

    def bottom(self, row: int, lane: str) -> float:
        """Lower edge of a lane of a row."""
        return self.top - row * _ROW - self.below[lane]

    def x(self, seconds: float, row: int) -> float:
        """Return the pixel of a moment in a row."""
        return _MARGIN + (seconds - row * self.row_seconds) * self.unit

    def spans(self, start: float, stop: float) -> list[tuple[int, float, float]]:
        """Return row, left and right pixel of each part of a stretch of time (seconds)."""
        out = []
        start, stop = max(start, 0.0), min(stop, self.clip.seconds)
        for row in range(self.rows):
            low, high = max(start, row * self.row_seconds), min(stop, (row + 1) * self.row_seconds)
            if high > low:
                out.append((row, self.x(low, row), self.x(high, row)))
        return out

    def motions(self, parts: Sequence[PlacedSequence], colours: dict[str, str]) -> int:
        """Draw bars of motions, alternating between two levels so that neighbours may overlap; cores are filled."""
        count = 0
        fps, height = self.clip.fps, (_MOTIONS - 4) / 2
        for part in parts:
            for core in part.sequence.cores:
                shift = part.start_frame - part.sequence.first_frame
                ends = [core.start_frame, core.start_frame + core.n_frames, core.begin_frame, core.end_frame]
                begin, end, first, last = ((frame + shift) / fps for frame in ends)
                stop = self.clip.seconds if part.stop_frame is None else part.stop_frame / fps
                if begin >= stop or end <= 0:
                    continue
                level, colour = (count % 2) * (height + 4), colours[core.motion]
                for row, left, right in self.spans(begin, min(end, stop)):
                    y = self.bottom(row, "motions") + level
                    self.sheet.box(left, y + height / 2 - 1, right - left, 2, colour, z=2.0)
                for row, left, right in self.spans(first, min(max(last, first + 0.02), stop)):
                    y, room = self.bottom(row, "motions") + level, max(right - left, 1.5)
                    self.sheet.box(left, y, room, height, colour, z=2.2)
                    inside = text_width(core.motion, 7, bold=True) < room - 4
                    words = core.motion if inside else shortened(core.motion, 7, 110)
                    fits = right + 3 + text_width(words, 7) < _WIDTH - 4
                    where = (left + right) / 2 if inside else (right + 3 if fits else left - 3)
                    ink = readable_on(colour) if inside else INK
                    align = "center" if inside else ("left" if fits else "right")
                    self.sheet.text(
                        where, y + (6 if inside else 13), words, size=7, colour=ink, align=align, bold=inside
                    )
                count += 1
        return count

    def feet(self, parts: Sequence[PlacedSequence]) -> None:
        """Draw when each foot moves in the made motion, and the phases used by pairs."""
        fps, height = self.clip.fps, _FEET / 2 - 1
        support = keytimes(self.clip).support
        for foot, colour in ((0, LEFT), (1, RIGHT)):
            for a, b in runs(~support[:, foot]):
                for row, left, right in self.spans(a / fps, b / fps):
                    y = self.bottom(row, "feet") + (1 - foot) * (height + 2)
                    self.sheet.box(left, y, right - left, height, colour, z=2.0)
        for part in parts:
            for pair in part.sequence.pairs:
                for phase in (pair.previous_phase, pair.following_phase):
                    if phase is None:
                        continue
                    begin, end = (
                        part.start_frame - part.sequence.first_frame + f
                        for f in (phase.begin_frame, phase.end_frame)
                    )
                    for row, left, right in self.spans(begin / fps, end / fps):
                        y = self.bottom(row, "feet")
                        corners = [
                            [left, y - 2],
                            [right, y - 2],
                            [right, y + _FEET + 1],
                            [left, y + _FEET + 1],
                            [left, y - 2],
                        ]
                        self.sheet.lines([np.array(corners)], INK, width=0.9, z=2.6)

    def segments(self, parts: Sequence[PlacedSequence]) -> int:
        """Draw boxes of segments with their weight curves."""
        count = 0
        for part in parts:
            shift = part.start_frame - part.sequence.first_frame
            for pair in part.sequence.pairs:
                for segment in pair.segments:
                    for lane in ("lower", "upper") if segment.half == "whole" else (segment.half,):
                        self._segment(segment, pair, lane, shift)
                    count += 1
        return count

    def _segment(self, segment: BlendSegment, pair: PairDecision, lane: str, shift: int) -> None:
        fps = self.clip.fps
        begin, end = (segment.begin_frame + shift) / fps, (segment.end_frame + shift) / fps
        spans = self.spans(begin, end)
        for row, left, right in spans:
            y = self.bottom(row, lane)
            self.sheet.box(left, y, right - left, _SEGMENTS, _KINDS.get(segment.kind, "#eeeeee"), z=1.5)
            at = np.linspace(begin, end, len(segment.weights)) if len(segment.weights) else np.zeros(0)
            inside = (at >= row * self.row_seconds - 1e-9) & (at <= (row + 1) * self.row_seconds + 1e-9)
            if inside.sum() > 1 and segment.kind != "foothold kept":
                curve = np.column_stack(
                    [
                        self.x(0, row) + at[inside] * self.unit,
                        y + 3 + segment.weights[inside] * (_SEGMENTS - 6),
                    ]
                )
                self.sheet.lines([curve], _LOWER if lane == "lower" else _UPPER, width=1.4, z=2.4)
        if spans and lane == "lower" and segment.kind != "foothold kept":
            row, left, _ = spans[0]
            self.sheet.text(left, self.bottom(row, lane) - 8, pair.method, size=6, colour=FAINT)

    def speeds(self) -> None:
        """Draw the speeds of both halves of the body."""
        found = half_speeds(self.clip)
        top = max(float(np.percentile(np.concatenate([found.lower, found.upper]), 99.8)), 0.1)
        at = np.arange(self.clip.n_frames) / self.clip.fps
        for row in range(self.rows):
            y = self.bottom(row, "speeds")
            inside = (at >= row * self.row_seconds) & (at <= (row + 1) * self.row_seconds)
            if not inside.any():
                continue
            width = (
                min((row + 1) * self.row_seconds, self.clip.seconds) - row * self.row_seconds
            ) * self.unit
            self.sheet.box(_MARGIN, y, width, _SPEEDS, "#f6f7f8", z=0.5)
            self.sheet.text(_MARGIN + 3, y + _SPEEDS - 9, f"{top:.1f} m/s", size=6, colour=FAINT)
            for values, colour in ((found.lower, _LOWER), (found.upper, _UPPER)):
                self.sheet.lines(
                    [self._curve(at[inside], values[inside], row, y, top)], colour, width=1.0, z=2.0
                )

    def _curve(self, at: Floats, values: Floats, row: int, y: float, top: float) -> Floats:
        heights = y + np.minimum(values / top, 1.05) * (_SPEEDS - 4)
        return np.column_stack([_MARGIN + (at - row * self.row_seconds) * self.unit, heights])

    def seams(self) -> None:
        """Draw the seams of the lower body, through all lanes."""
        drawn, number = -np.inf, 0
        for start, stop in seam_ranges(self.clip.origin):
            begins, drawn = start / self.clip.fps > drawn + _ONE_SEAM, stop / self.clip.fps
            if not begins:
                continue
            number += 1
            middle = (start + stop) / 2 / self.clip.fps
            for row, left, _ in self.spans(middle, middle + 1e-6):
                ends = [[left, self.bottom(row, "speeds")], [left, self.bottom(row, "feet") - 3]]
                self.sheet.lines([np.array(ends)], SEAM, width=0.6, z=1.8, dash=(0, (4, 3)))
                self.sheet.text(
                    left + 2, self.bottom(row, "speeds") + 3, str(number), size=6, colour=SEAM, bold=True
                )

    def lost(self, rejected: Sequence[NotExecuted]) -> None:
        """Mark where motions were to begin, and list the reasons."""
        for number, one in enumerate(rejected, 1):
            at = min(max(one.seconds, 0.0), self.clip.seconds)
            row = min(int(at / self.row_seconds), self.rows - 1)
            x, y = self.x(at, row), self.bottom(row, "motions") + _MOTIONS
            self.sheet.dots([[x, y + 2]], FAULTY, size=13, z=4, edge=SEAM, marker="X")
            self.sheet.text(
                x + 9, y - 1, f"r{number} {shortened(one.motion, 6.5, 90)}", size=6.5, colour=SEAM, halo=True
            )
            place = 16 + 18 * (len(rejected) - number)
            words = f"r{number}  {one.seconds:.2f} s  {one.motion}: {one.reason}"
            self.sheet.text(_MARGIN, place, shortened(words, 8, _WIDTH - _MARGIN - 30), size=8, colour=INK)

    def scale(self) -> None:
        """Draw seconds under each row."""
        step = next(s for s in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 1e9) if s * self.unit >= 60)
        for row in range(self.rows):
            y = self.bottom(row, "speeds")
            first = int(np.ceil(row * self.row_seconds / step - 1e-9))
            end = min((row + 1) * self.row_seconds, self.clip.seconds)
            for tick in range(first, int(np.floor(end / step + 1e-9)) + 1):
                x = self.x(tick * step, row)
                self.sheet.lines([np.array([[x, y - 4], [x, y]])], FAINT, width=0.8, z=2.0)
                self.sheet.text(x, y - 14, f"{tick * step:g} s", size=6.5, colour=FAINT, align="center")


def _legend(sheet: Sheet, y: float) -> None:
    x = float(_MARGIN)
    for words, colour in (
        ("left foot moves", LEFT),
        ("right foot moves", RIGHT),
        ("lower body: weight, speed", _LOWER),
        ("upper body: weight, speed", _UPPER),
        *_KINDS.items(),
    ):
        sheet.box(x, y, 14, 10, colour, z=3)
        sheet.text(x + 18, y + 1, words, size=7.5)
        x += 34 + text_width(words, 7.5)
    sheet.text(
        _MARGIN, y - 15, "framed: the foot-moving phases that a pair is joined by", size=7.5, colour=FAINT
    )
