"""`segue film` with a page: chosen by the extension, with several motions in step."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def built() -> None:
    """Build the client if its sources are newer."""
    subprocess.run([sys.executable, str(ROOT / "scripts" / "client.py")], check=True)


def test_a_page_is_written_by_its_extension(segue) -> None:
    result = segue("film", "sample:walk", "-o", "walk.html")
    assert result.out == "walk.html: walk, 6.00 s\n"
    assert "<segue-player" in Path("walk.html").read_text("utf-8")


def test_two_motions_play_in_step(segue) -> None:
    """Two motions share one page."""
    assert (
        segue("film", "sample:walk", "sample:run", "-o", "ab.html").out
        == "ab.html: walk, 6.00 s and run, 7.00 s\n"
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("sample:walk", "sample:run", "-o", "ab.png"), "a picture shows one motion, not 2"),
        (("sample:walk", "--seam", "1", "-o", "a.html"), "--seam chooses what a picture (.png) shows"),
        (("sample:walk", "--timeline", "-o", "a.html"), "--timeline chooses what a picture (.png) shows"),
        (("sample:walk",) * 5 + ("-o", "a.html"), "a page plays 1 to 4 motions side by side, not 5"),
        (("sample:walk", "-o", "a.gif"), ".html"),
    ],
)
def test_what_does_not_fit_a_page_is_refused(segue, words: tuple[str, ...], text: str) -> None:
    """The command exits with 2 and writes nothing."""
    result = segue("film", *words)
    assert result.code == 2
    assert text in " ".join(result.err.split())
    assert not list(Path().glob("a.*"))


def test_a_page_is_not_written_over(segue) -> None:
    """An existing page needs --force."""
    assert segue("film", "sample:walk", "-o", "walk.html").code == 0
    assert segue("film", "sample:walk", "-o", "walk.html").code == 2
    assert segue("film", "sample:walk", "-o", "walk.html", "--force").code == 0
