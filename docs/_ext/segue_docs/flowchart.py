"""Flow charts in mermaid notation, drawn in the page: a row for each step, in the page's own colours."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive

if TYPE_CHECKING:
    from sphinx.application import Sphinx

EDGE = re.compile(r"(\w+)(?:\[([^]]*)\])?\s+(?:-- (.*?) )?-->\s+(\w+)(?:\[([^]]*)\])?")
BOX, GAP, ROW, WIDTH = 34, 16, 72, 720


class Flowchart(Directive):
    """Directive for `mermaid` code blocks."""

    has_content: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        """Return one SVG figure; readers without pictures get the edges as words."""
        edges: list[tuple[str, str, str]] = []
        words: dict[str, str] = {}
        for line in self.content:
            if match := EDGE.search(line):
                a, a_words, label, b, b_words = match.groups()
                words[a] = a_words or words.get(a, a)
                words[b] = b_words or words.get(b, b)
                edges.append((a, (label or "").strip('"'), b))
        if not edges:
            msg = "a flow chart needs lines such as  a[first] -- what happens --> b[second]"
            raise self.error(msg)
        return [nodes.raw("", drawn(words, edges), format="html")]


def drawn(words: dict[str, str], edges: list[tuple[str, str, str]]) -> str:
    """Return the SVG of the chart."""
    places = _places(words, edges)
    spoken = "; ".join(
        f"{words[a]} to {words[b]}" + (f" by {label}" if label else "") for a, label, b in edges
    )
    rows = 1 + max(row for _, row, _ in places.values())
    height = rows * ROW - (ROW - BOX) + 4
    parts = [
        (
            f'<svg class="flowchart" role="img" viewBox="0 0 {WIDTH} {height}" '
            f'aria-label="Flow chart: {html.escape(spoken, quote=True)}">'
        ),
        (
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0 0L8 4L0 8z" fill="currentColor"/></marker></defs>'
        ),
    ]
    parts += [_arrow(places, *edge) for edge in edges]
    for name, (x, row, width) in places.items():
        top = row * ROW + 2
        parts.append(
            f'<rect x="{x - width / 2:.0f}" y="{top}" width="{width:.0f}" height="{BOX}" rx="6"/>'
            f'<text x="{x:.0f}" y="{top + BOX / 2 + 4.5:.1f}">{html.escape(words[name])}</text>'
        )
    return "".join([*parts, "</svg>"])


def _places(words: dict[str, str], edges: list[tuple[str, str, str]]) -> dict[str, tuple[float, int, float]]:
    """Return centre, row and width of each box; the row is the number of steps of the longest path to it."""
    row = dict.fromkeys(words, 0)
    for _ in words:
        for a, _, b in edges:
            row[b] = max(row[b], row[a] + 1)
    out = {}
    for level in range(max(row.values()) + 1):
        here = [name for name in words if row[name] == level]
        widths = [8.0 * len(words[name]) + 28 for name in here]
        left = (WIDTH - sum(widths) - 3 * GAP * (len(here) - 1)) / 2
        for name, width in zip(here, widths, strict=True):
            out[name] = (left + width / 2, level, width)
            left += width + 3 * GAP
    return out


def _arrow(places: dict[str, tuple[float, int, float]], a: str, label: str, b: str) -> str:
    (ax, a_row, _), (bx, b_row, _) = places[a], places[b]
    top, bottom = a_row * ROW + BOX + 3, b_row * ROW
    middle = (top + bottom) / 2
    curve = f"M{ax:.0f} {top}C{ax:.0f} {middle} {bx:.0f} {middle - 8} {bx:.0f} {bottom}"
    line = f'<path d="{curve}" marker-end="url(#tip)"/>'
    if not label:
        return line
    side = "" if abs(ax - bx) < 1 else ' class="beside"'
    x, y = (bx + 10, middle + 4) if not side else (bx, bottom - 14)
    return line + f'<text x="{x:.0f}" y="{y:.0f}"{side or " class=along"}>{html.escape(label)}</text>'


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive under the language name of the code block."""
    app.add_directive("mermaid", Flowchart)
    app.config.myst_fence_as_directive = {*getattr(app.config, "myst_fence_as_directive", ()), "mermaid"}
    return {"parallel_read_safe": True, "parallel_write_safe": True}
