"""A report: one HTML page that contains its pictures, needs no network, and prints well."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from segue.errors import FileError
from segue.io.text import write_whole
from segue.pictures.canvas import Picture
from segue.texts import shown

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #333840; background: #fff; margin: 0 auto; max-width: 1120px;
  padding: 24px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 36px 0 8px; border-top: 1px solid #e6e8eb;
  padding-top: 20px; } h3 { font-size: 16px; margin: 24px 0 6px; }
p { max-width: 76ch; } figure { margin: 12px 0 20px; }
figure.half { display: inline-block; vertical-align: top; width: calc(50% - 12px); min-width: 380px;
  margin-right: 8px; }
figcaption { color: #5c6168; font-size: 13.5px; max-width: 90ch; }
img { max-width: 100%; height: auto; border: 1px solid #e6e8eb; }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: 10px 0; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 14px 4px 0; text-align: right; border-bottom: 1px solid #e6e8eb; }
th:first-child, td:first-child { text-align: left; } caption { text-align: left; color: #5c6168; font-size: 13.5px;
  caption-side: bottom; padding-top: 6px; max-width: 90ch; }
nav a { margin-right: 14px; } a { color: #2b6ea6; }
@media print { figure, table { break-inside: avoid; } }
"""


@dataclass(frozen=True, eq=False)
class Figure:
    """A picture with a description: ``alt`` for readers who cannot see it, ``caption`` under it.

    ``half``: it is placed next to the following one where the page is wide enough.
    """

    picture: Picture
    alt: str
    caption: str
    half: bool = False


@dataclass(frozen=True)
class ReportTable:
    """Rows of words, the first of them the head; ``caption`` explains the numbers."""

    rows: tuple[tuple[str, ...], ...]
    caption: str


@dataclass(frozen=True, eq=False)
class Section:
    """A heading and its content: sentences, tables and figures in order."""

    title: str
    parts: tuple[str | ReportTable | Figure, ...] = field(default=())


def report(
    title: str, sections: Sequence[Section], path: str | Path | None = None, *, summary: str = ""
) -> str:
    """Write sections as one HTML page with every picture inside it; return the page.

    Parameters
    ----------
    title
        Heading of the page.
    sections
        In order; a list of them is at the top.
    path
        File to write (.html), or None. An existing file is replaced only once the new one is complete.
    summary
        A sentence under the heading.

    Raises
    ------
    FileError
        If the file does not end in .html or its folder does not exist.

    Examples
    --------
    >>> page = report("Two walks", [Section("Result", ("They are <alike>.",))])
    >>> "&lt;alike&gt;" in page
    True
    """
    links = "".join(f'<a href="#{_anchor(k)}">{_safe(part.title)}</a>' for k, part in enumerate(sections))
    body = "\n".join(_section(part, _anchor(k)) for k, part in enumerate(sections))
    page = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{_safe(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{_safe(title)}</h1>\n<p>{_safe(summary)}</p>\n"
        f"<nav>{links}</nav>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
    if path is not None:
        write_whole(_target(path), page.encode("utf-8"))
    return page


def _target(path: str | Path) -> Path:
    target = Path(path)
    if target.suffix.lower() not in {".html", ".htm"}:
        raise FileError(target, "reports are written as HTML; give a name that ends in .html")
    if not target.parent.is_dir():
        raise FileError(target, f"the folder {target.parent} does not exist; make it first")
    return target


def _anchor(number: int) -> str:
    return f"part-{number + 1}"


def _safe(words: str) -> str:
    return html.escape(shown(words, lines=True), quote=True)


def _section(section: Section, anchor: str) -> str:
    inside = "\n".join(_part(part) for part in section.parts)
    return f'<section id="{anchor}">\n<h2>{_safe(section.title)}</h2>\n{inside}\n</section>'


def _part(part: str | ReportTable | Figure) -> str:
    if isinstance(part, str):
        return f"<p>{_safe(part)}</p>"
    if isinstance(part, ReportTable):
        head, *rows = part.rows
        top = "".join(f'<th scope="col">{_safe(cell)}</th>' for cell in head)
        lines = "\n".join(
            "<tr>" + "".join(f"<td>{_safe(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        return (
            f'<div class="wide"><table><caption>{_safe(part.caption)}</caption>\n<thead><tr>{top}</tr></thead>\n'
            f"<tbody>\n{lines}\n</tbody></table></div>"
        )
    data = base64.b64encode(part.picture.png).decode("ascii")
    return (
        f'<figure{" class=half" if part.half else ""}><img src="data:image/png;base64,{data}" alt="{_safe(part.alt)}" '
        f'width="{part.picture.width}" height="{part.picture.height}">'
        f"<figcaption>{_safe(part.caption)}</figcaption></figure>"
    )
