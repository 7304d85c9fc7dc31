"""Motions played on pages: which pages contain one, and what a page contains."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from segue.motion.samples import sample

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [*DOCS.glob("*.md"), *DOCS.glob("*/*.md")]


def shown() -> dict[str, list[str]]:
    """Films by page."""
    asked = {
        page: re.findall(r"^```\{film\} (\S+)\n\S", page.read_text("utf-8"), re.MULTILINE) for page in PAGES
    }
    return {page.relative_to(DOCS).as_posix(): names for page, names in asked.items() if names}


def test_pages_ask_for_films_that_there_are() -> None:
    """Every film that a page requests is made, with a caption, and every film that is made is on a page."""
    from segue_docs.films import FILMS

    assert {name for names in shown().values() for name in names} == set(FILMS)


def test_the_pages_that_should_move_do() -> None:
    """The home page, the quickstart, the player's, the worst seams and every crossing page contain a film."""
    methods = {f"ways/{path.name}" for path in (DOCS / "ways").glob("*.md")} - {"ways/index.md"}
    assert {"index.md", "quickstart.md", "player.md", "looked-at.md", *methods} <= set(shown())
    assert shown()["looked-at.md"] == ["worst-1", "worst-2", "worst-3"]


def test_an_example_plays_the_motions_it_names(tmp_path: Path) -> None:
    """A line in an example puts its motions on the page; without scripts a still picture is displayed."""
    from segue_docs.scraper import scraper

    subprocess.run([sys.executable, str(ROOT / "scripts" / "client.py")], check=True)
    block = ("code", "# Film of walk, again: two bodies\n# walk\nagain = walk", 7)
    walk = sample("walk", seconds=1.0)
    around = {
        "example_globals": {"walk": walk, "again": walk},
        "src_file": "x.py",
        "target_file": str(tmp_path / "x.py"),
        "image_path_iterator": iter([]),
    }
    lines = scraper(block, around, {"src_dir": str(tmp_path)})
    assert ":file: x_7_film_1.html" in lines
    assert "two bodies walk" in lines
    page = (tmp_path / "x_7_film_1.html").read_text("utf-8")
    assert page.count("<segue-player") == 1
    assert 'alt="Still picture of two bodies walk"' in page
